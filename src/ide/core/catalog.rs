//! Tables of what is built on the kernel, passed in by the shell: commands, pickers, features, and the
//! functions that the editor needs from features. Must not know any of them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::ide::core::context::{Command, Cx};
use crate::ide::core::feature::{Feature, SettingSpec};
use crate::ide::core::layers::picker;
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::model::buffers::BufferId;
use crate::tui::canvas::Canvas;
use crate::tui::input::Key;

/// Opens a file, or shows it if it is already open, at a one-based line and column.
pub type OpenFile = fn(&mut Cx<'_>, PathBuf, Option<(usize, usize)>);

/// A file, and a one-based line and column in it.
pub type FilePlace = (PathBuf, Option<(usize, usize)>);

/// Draws a file that is an image.
pub type DrawImage = fn(&mut Canvas<'_>, &State, BufferId);

/// Draws a file beside a list.
pub type DrawPreview = fn(&mut Canvas<'_>, &State, &PreviewTarget);

/// The commands by their ids and by those of earlier versions, once they have been asked for: a key map asks for hundreds.
#[derive(Default)]
pub struct CommandIndex(OnceLock<HashMap<&'static str, &'static Command>>);

impl CommandIndex {
    /// Creates it.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }
}

/// All tables.
pub struct Catalog {
    /// The commands of the editor and of the shell, by area.
    pub areas: &'static [&'static [Command]],
    /// All features, with their commands and pickers.
    pub features: &'static [Feature],
    /// Their commands by id.
    pub index: CommandIndex,
    /// Opens a file.
    pub open_file: OpenFile,
    /// Opens several files in their order, and goes to the last one.
    pub open_files: fn(&mut Cx<'_>, Vec<FilePlace>),
    /// Draws a file that is an image.
    pub draw_image: DrawImage,
    /// Draws a file beside a list.
    pub draw_preview: DrawPreview,
    /// Runs a command with what belongs to every command.
    pub run_command: fn(&mut Cx<'_>, &Command),
    /// Presses a key.
    pub press: fn(&mut Cx<'_>, Key),
    /// Types keys again so many times, and ends typing.
    pub retype: fn(&mut Cx<'_>, &[Key], usize),
}

impl Catalog {
    /// Every command.
    pub fn commands(&self) -> impl Iterator<Item = &'static Command> + use<> {
        let features = self.features.iter().flat_map(|feature| feature.commands);
        features.chain(self.areas).flat_map(|area| area.iter())
    }

    /// Every picker.
    pub fn pickers(&self) -> impl Iterator<Item = &'static picker::PickerSpec> + use<> {
        self.features.iter().flat_map(|feature| feature.pickers).copied()
    }

    /// Returns what a change of a setting does; `None` if it counts from the next start on.
    pub fn setting(&self, key: &str) -> Option<&'static SettingSpec> {
        let rows = self.features.iter().flat_map(|feature| feature.settings);
        rows.flat_map(|rows| rows.iter()).find(|row| row.key == key)
    }

    /// Returns the command of an id, or of an id from an earlier version.
    pub fn command(&self, id: &str) -> Option<&'static Command> {
        let index = self.index.0.get_or_init(|| {
            let former =
                self.commands().flat_map(|command| command.former_ids.iter().map(move |id| (*id, command)));
            former.chain(self.commands().map(|command| (command.id, command))).collect()
        });
        index.get(id).copied()
    }
}

impl Cx<'_> {
    /// Runs the command with this id once the current one has returned.
    pub fn defer_command(&mut self, id: &'static str) {
        self.defer(move |cx| {
            if let Some(command) = cx.state.catalog.command(id) {
                (cx.state.catalog.run_command)(cx, command);
            } else {
                tracing::error!(id, "there is no such command");
            }
        });
    }

    /// Opens the picker with this id once the current command has returned.
    pub fn defer_picker(&mut self, id: &'static str) {
        self.defer(move |cx| open_picker(cx, id));
    }
}

/// Opens the picker with this id.
fn open_picker(cx: &mut Cx<'_>, id: &str) {
    if let Some(row) = cx.state.catalog.pickers().find(|row| row.id == id) {
        picker::open(cx, row);
    } else {
        tracing::error!(id, "there is no such picker");
    }
}

/// Stops what features are doing for the user; returns whether there was anything to stop.
pub fn stop_features(cx: &mut Cx<'_>) -> bool {
    cx.state.catalog.features.iter().any(|feature| (feature.stop)(cx))
}
