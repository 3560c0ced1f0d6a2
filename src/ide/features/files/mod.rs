//! Open files and the disk: open, save, reload, compare, watch; formatting rules of projects; the agent's
//! view of open files.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod all_files;
pub mod closed;
pub mod command_line;
pub mod commands;
pub mod disk;
pub mod editorconfig;
pub mod encodings;
pub mod environment;
pub mod events;
pub mod jobs;
pub mod list;
pub mod moved;
pub mod open;
pub mod open_files;
pub mod place_list;
pub mod progressive;
pub mod recent;
pub mod recent_files;
pub mod save;
pub mod watch;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&all_files::PICKER, &open_files::PICKER, &recent_files::PICKER, &encodings::PICKER],
    line_commands: command_line::LINES,
    slots: &[
        |_| Box::new(watch::FileWatch::default()),
        |_| Box::new(closed::ClosedFiles::default()),
        |_| Box::new(jobs::FileJobs::default()),
        |options| Box::new(recent::RecentFiles::new(options)),
    ],
    on_event: |cx, fact| match fact {
        FeatureEvent::Started => {
            let workspace = cx.state.workspace.clone();
            list::list(cx, workspace);
            disk::update_watches(cx);
            recent::synchronize(cx);
        }
        FeatureEvent::BeforeSleep => {
            disk::update_watches(cx);
            recent::note_shown(cx);
        }
        FeatureEvent::DeadlineReached => disk::tick(cx),
        FeatureEvent::Closing(id) => closed::note(cx.state, id),
        FeatureEvent::Opened(id) | FeatureEvent::Saved { buffer: id, is_renamed: true, .. } => {
            editorconfig::on_opened(cx, id);
        }
        _ => {}
    },
    deadline: |state| state.slots[watch::FILE_WATCH].deadline(),
    is_changing: |state| {
        state.slots[jobs::FILE_JOBS].is_busy() || state.buffers.all().iter().any(|buffer| buffer.is_saving)
    },
    ..Feature::new("files")
};
