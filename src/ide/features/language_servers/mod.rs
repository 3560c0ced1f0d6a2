//! Language servers: which ones the open texts want, what they found, and what they answer.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod diagnostic_list;
pub mod hover;
pub mod location_list;
pub mod questions;
pub mod server_list;
pub mod settings;
pub mod start;
pub mod state;
pub mod sync;
pub mod text;
pub mod updates;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&location_list::PICKER, &diagnostic_list::PICKER, &server_list::PICKER],
    slots: &[|options| {
        let is_allowed = options.language_servers;
        let is_on = is_allowed && options.settings.settings.language_servers;
        Box::new(state::LanguageServers { is_allowed, is_on, ..state::LanguageServers::default() })
    }],
    settings: &[settings::SETTINGS],
    on_event: |cx, fact| match fact {
        FeatureEvent::Started => start::read_table(cx),
        FeatureEvent::Opened(id) => start::find(cx, id),
        FeatureEvent::Saved { buffer, is_renamed } => {
            if is_renamed {
                sync::close(cx, buffer);
                start::find(cx, buffer);
            } else {
                sync::saved(cx, buffer);
            }
        }
        FeatureEvent::Closing(id) => sync::close(cx, id),
        FeatureEvent::TrustChanged => start::start_waiting(cx),
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => sync::after_changes(cx),
        FeatureEvent::DeadlineReached => updates::pull_changed(cx),
        _ => {}
    },
    deadline: |state| state.slots[state::LANGUAGE_SERVERS].pull_at,
    ..Feature::new("language_servers")
};
