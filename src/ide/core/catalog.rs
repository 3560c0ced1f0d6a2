//! Tables of what is built on the kernel, passed in by the shell: commands, pickers, features, and one
//! function that the editor needs from a feature. Must not know any of them.

use std::path::PathBuf;

use crate::ide::core::context::{Command, Cx};
use crate::ide::core::feature::Feature;
use crate::ide::core::layers::picker;

/// Opens a file, or shows it if it is already open, at a one-based line and column.
pub type OpenFile = fn(&mut Cx<'_>, PathBuf, Option<(usize, usize)>);

/// All tables.
pub struct Catalog {
    /// The commands of the editor and of the shell, by area.
    pub areas: &'static [&'static [Command]],
    /// All features, with their commands and pickers.
    pub features: &'static [Feature],
    /// Opens a file.
    pub open_file: OpenFile,
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

    /// Returns the command of an id, or of an id from an earlier version.
    pub fn command(&self, id: &str) -> Option<&'static Command> {
        let former = || self.commands().find(|command| command.former_ids.contains(&id));
        self.commands().find(|command| command.id == id).or_else(former)
    }
}

/// Opens the picker with this id.
pub fn open_picker(cx: &mut Cx<'_>, id: &str) {
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
