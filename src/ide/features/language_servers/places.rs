//! Places that servers name, as lines and columns of files, with what is written there. Must not know what was asked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::width::visible;
use crate::exec::Environment;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Location, Pick, PickRow};
use crate::lsp::answers::locations;
use crate::lsp::document::DocumentText;
use crate::lsp::position::{Encoding, Position};
use crate::text::display::columns;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes of a file that is read to show a line of it.
const FILE_MAX: u64 = 8 << 20;

/// Reads the lines of places: from the open texts, else from the disk.
pub struct PlaceReader {
    env: Arc<dyn Environment>,
    workspace: PathBuf,
    tab_width: usize,
    open: HashMap<PathBuf, Text>,
}

impl PlaceReader {
    /// Creates it, with the texts that are open now.
    pub fn new(cx: &Cx<'_>) -> Self {
        let open = cx.state.buffers.all().iter().filter(|buffer| buffer.loading.is_none());
        let open =
            open.filter_map(|buffer| Some((buffer.real_path()?.to_path_buf(), buffer.area.text().clone())));
        Self {
            env: cx.env.clone(),
            workspace: cx.state.workspace.clone(),
            tab_width: cx.state.text_options.tab_width,
            open: open.collect(),
        }
    }

    /// Returns a row for each location.
    pub async fn rows(mut self, found: Vec<(locations::Location, Encoding)>) -> Vec<PickRow> {
        let mut rows = Vec::new();
        for (location, encoding) in found {
            let (place, shown) = self.place(&location.path, location.range.start, encoding).await;
            rows.push(PickRow {
                text: self.label(&place),
                aliases: Vec::new(),
                group: None,
                detail: shown,
                pick: Pick::new(place),
            });
        }
        rows
    }

    /// Returns a position as a place, and its line for the user. A file that cannot be read has its lines, but no text.
    pub async fn place(&mut self, path: &Path, at: Position, encoding: Encoding) -> (Location, String) {
        let (line, column, shown) = match self.text(path).await {
            Some(text) => {
                let at = Byte(text.offset(at, encoding));
                let line = text.line_of(at);
                let column = columns::column_of(&text, at, self.tab_width).0 + 1;
                (line.0 + 1, column, text.line(line).trim().to_string())
            }
            None => (at.line as usize + 1, 1, String::new()),
        };
        (Location { path: path.to_path_buf(), line, column }, visible(&shown).into_owned())
    }

    /// Returns the file and the line of a place for the user.
    pub fn label(&self, place: &Location) -> String {
        label(&self.workspace, &place.path, place.line)
    }

    async fn text(&mut self, path: &Path) -> Option<Text> {
        if let Some(text) = self.open.get(path) {
            return Some(text.clone());
        }
        let size = self.env.stat(path).await.ok()?.size;
        if size > FILE_MAX {
            return None;
        }
        let data = self.env.read(path).await.ok()?;
        let text = Text::from(&*String::from_utf8_lossy(&data.bytes));
        self.open.insert(path.to_path_buf(), text.clone());
        Some(text)
    }
}

/// Returns a file and a line of it for the user.
pub fn label(workspace: &Path, path: &Path, line: usize) -> String {
    let path = path.strip_prefix(workspace).unwrap_or(path);
    visible(&format!("{}:{line}", path.display())).into_owned()
}
