//! The command that opens the tutor.

use std::path::{Path, PathBuf};

use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::editor::commands::panes;
use crate::ide::features::tutor::{project, steps};

/// Slot of the feature's state.
pub const TUTOR_FOLDER: Slot<TutorFolder> = Slot::new();

/// Where the project of the tutor is.
#[derive(Debug)]
pub struct TutorFolder(PathBuf);

impl TutorFolder {
    /// The project of a program with this folder of state.
    pub fn new(state: &Path) -> Self {
        Self(project::folder(state))
    }

    /// Returns whether a file is of the tutor's project while another one is worked on: it is not opened again by itself.
    pub fn is_visited(&self, path: &Path, workspace: &Path) -> bool {
        path.starts_with(&self.0) && workspace != self.0
    }
}

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("help.tutor", "Open tutor", &["tutorial", "learn", "lesson", "getting started", "tour"], open)];

/// Opens the steps in a fresh project. While they are open they stay as they are: they may have been edited.
fn open(cx: &mut Cx<'_>) {
    let folder = cx.state.slots[TUTOR_FOLDER].0.clone();
    let path = folder.join(project::STEPS);
    if cx.state.buffers.all().iter().any(|buffer| buffer.path.as_deref() == Some(&path)) {
        return show(cx, path);
    }
    let is_workspace = cx.state.workspace == folder;
    let text = steps::text(&cx.state.keymap, cx.state.catalog, is_workspace);
    let renewed = move || project::renew(&folder, &text);
    cx.tasks.spawn_blocking("tutor.renew", renewed, move |cx, renewed| {
        match answer_or_error(cx, "make the project of the tutor", renewed) {
            Some(Ok(())) => show(cx, path),
            Some(Err(error)) => cx.state.set_error(format!("Cannot make the project of the tutor: {error}")),
            None => {}
        }
    });
}

fn show(cx: &mut Cx<'_>, path: PathBuf) {
    (cx.state.catalog.open_file)(cx, path, None);
    panes::focus(cx, Focus::Editor);
}
