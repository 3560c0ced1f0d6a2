//! Open files and the disk: opened, saved, reloaded, compared, watched; how projects want them written; what the
//! agent sees of them.

use crate::ide::core::feature::{Fact, Feature};

pub mod all_files;
pub mod command_line;
pub mod commands;
pub mod disk;
pub mod editorconfig;
pub mod encodings;
pub mod environment;
pub mod events;
pub mod list;
pub mod open;
pub mod open_files;
pub mod progressive;
pub mod save;
pub mod watch;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&all_files::PICKER, &open_files::PICKER, &encodings::PICKER],
    lines: command_line::LINES,
    slots: &[|_| Box::new(watch::Watching::default())],
    on_fact: |cx, fact| match fact {
        Fact::Begun => {
            let workspace = cx.state.workspace.clone();
            list::list(cx, workspace);
            disk::watch(cx);
        }
        Fact::BeforeSleep => disk::watch(cx),
        Fact::Due => disk::tick(cx),
        Fact::Opened(id) | Fact::Saved { buffer: id, is_renamed: true } => editorconfig::opened(cx, id),
        _ => {}
    },
    deadline: |state| state.slots[watch::WATCHING].deadline(),
    is_changing: |state| state.buffers.all().iter().any(|buffer| buffer.saving),
    ..Feature::new("files")
};
