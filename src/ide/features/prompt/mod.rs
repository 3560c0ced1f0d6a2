//! The agent's prompt: its commands, its pane, and what can be typed beside messages: slash commands, shell
//! commands, completed paths.

use std::cell::RefCell;

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod completion;
pub mod external_editor;
pub mod images;
pub mod mouse;
pub mod pane;
pub mod pastes;
pub mod previews;
pub mod quotes;
pub mod shell_commands;
pub mod slash_commands;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[
        commands::COMMANDS,
        external_editor::COMMANDS,
        images::COMMANDS,
        pastes::COMMANDS,
        quotes::COMMANDS,
    ],
    panes: &[&pane::PANE],
    slots: &[
        |_| Box::new(shell_commands::ShellCommands::default()),
        |_| Box::new(mouse::PromptMouse::default()),
        |_| Box::new(RefCell::new(previews::Previews::default())),
        |options| Box::new(external_editor::ExternalEditor(options.editor.clone())),
    ],
    stop: |cx| completion::close_shown(cx) || shell_commands::stop(cx),
    ..Feature::new("prompt")
};
