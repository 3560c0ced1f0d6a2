//! The table of language servers with the rows of the user and of a project. Blocking. Must not know servers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::config::load::read_bounded;
use crate::lsp::table::{Layer, Mistake, Origin, Table};

/// Maximum bytes of a file with rows.
const TABLE_MAX: u64 = 1 << 20;
/// The file with rows of the user, in the settings folder, and of a project, in its `.bowline`.
pub const FILE: &str = "servers.toml";

/// Reads and merges the layers; returns the mistakes in them, which are logged, too.
pub fn read(config: &Path, workspace: &Path) -> (Table, Vec<String>) {
    let files = [(Origin::User, config.join(FILE)), (Origin::Project, workspace.join(".bowline").join(FILE))];
    merge(&files)
}

fn merge(files: &[(Origin, PathBuf)]) -> (Table, Vec<String>) {
    let mut mistakes: Vec<String> = Vec::new();
    let mut layers = Vec::new();
    let mut add = |(layer, wrong): (Layer, Vec<Mistake>), mistakes: &mut Vec<String>| {
        layers.push(layer);
        mistakes.extend(wrong.iter().map(Mistake::to_string));
    };
    add(Layer::built_in(), &mut mistakes);
    for (origin, path) in files {
        match read_bounded(path, TABLE_MAX) {
            Ok(text) => add(Layer::parse(*origin, &path.display().to_string(), &text), &mut mistakes),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => mistakes.push(format!("{}: {error}", path.display())),
        }
    }
    let (table, wrong) = Table::merge(layers);
    mistakes.extend(wrong.iter().map(Mistake::to_string));
    for mistake in &mistakes {
        tracing::warn!("{mistake}");
    }
    (table, mistakes)
}
