//! Language servers: which ones the open texts want, what they found, and what they answer.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod agent;
pub mod agent_files;
pub mod apply_edit;
pub mod code_actions;
pub mod commands;
pub mod diagnostic_list;
pub mod edit_plan;
pub mod file_operations;
pub mod format;
pub mod formatter;
pub mod hierarchy;
pub mod hierarchy_list;
pub mod highlight;
pub mod hover;
pub mod limited;
pub mod line_messages;
pub mod linked_editing;
pub mod location_list;
pub mod on_save;
pub mod places;
pub mod project_diagnostics;
pub mod questions;
pub mod rename;
pub mod save_actions;
pub mod selection;
pub mod server_list;
pub mod settings;
pub mod start;
pub mod state;
pub mod sync;
pub mod text;
pub mod type_format;
pub mod updates;
pub mod watched_files;
pub mod will_save;
pub mod window;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[
        commands::COMMANDS,
        rename::COMMANDS,
        code_actions::COMMANDS,
        format::COMMANDS,
        highlight::COMMANDS,
        hierarchy::COMMANDS,
        line_messages::COMMANDS,
        selection::COMMANDS,
        window::COMMANDS,
    ],
    pickers: &[
        &location_list::PICKER,
        &diagnostic_list::PICKER,
        &server_list::PICKER,
        &code_actions::PICKER,
        &hierarchy_list::PICKER,
    ],
    panes: &[&line_messages::PANE],
    slots: &[
        |_| Box::new(line_messages::LineMessages::default()),
        |options| {
            let is_allowed = options.language_servers;
            let is_on = is_allowed && options.settings.settings.language_servers;
            let formats_on_save = options.settings.settings.format_on_save;
            let state = state::LanguageServers {
                is_allowed,
                is_on,
                formats_on_save,
                memory_max: Arc::new(AtomicU64::new(options.settings.settings.server_display.memory_max())),
                formats_on_type: options.settings.settings.server_display.typing.format_on_type,
                links_names: options.settings.settings.server_display.typing.linked_editing,
                reports_to_agent: options.settings.settings.diagnostics_after_edit,
                ..state::LanguageServers::default()
            };
            Box::new(state)
        },
    ],
    settings: &[settings::SETTINGS],
    line_commands: format::LINES,
    stop: line_messages::close,
    on_event: |cx, fact| match fact {
        FeatureEvent::Started => start::read_table(cx),
        FeatureEvent::Opened(id) => start::find(cx, id),
        FeatureEvent::Saved { buffer, is_renamed, is_created } => {
            if is_created {
                file_operations::on_created(cx, buffer);
            }
            if is_renamed {
                sync::close(cx, buffer);
                start::find(cx, buffer);
            } else {
                sync::saved(cx, buffer);
            }
            will_save::on_saved(cx, buffer);
            on_save::on_saved(cx, buffer);
            project_diagnostics::on_saved(cx, buffer);
        }
        FeatureEvent::Closing(id) => sync::close(cx, id),
        FeatureEvent::TrustChanged => start::on_trust_changed(cx),
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => {
            sync::after_changes(cx);
            line_messages::after_frame(cx);
            watched_files::flush(cx);
            project_diagnostics::flush_forgotten(cx);
        }
        FeatureEvent::DeadlineReached => {
            updates::pull_changed(cx);
            limited::on_deadline(cx);
            on_save::on_deadline(cx);
            highlight::ask_when_rested(cx);
            linked_editing::ask_when_rested(cx);
            agent::settle(cx);
            watched_files::on_deadline(cx);
        }
        _ => {}
    },
    deadline: |state| {
        let known = &state.slots[state::LANGUAGE_SERVERS];
        let due = known.pull_at.into_iter().chain(known.resting.ask_at).chain(known.linked.ask_at);
        due.chain(on_save::deadline(state))
            .chain(limited::deadline(state))
            .chain(agent::deadline(state))
            .chain(watched_files::deadline(state))
            .min()
    },
    before_save: will_save::before_save,
    before_job: file_operations::before,
    after_job: file_operations::after,
    on_disk_change: watched_files::note,
    on_disk_move: watched_files::note_moved,
    ..Feature::new("language_servers")
};
