//! Places that servers name, as lines and columns of files, with what is written there. Must not know what was asked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::width::visible;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Location, Pick, PickRow};
use crate::ide::features::files::open::go_to_all;
use crate::ide::features::files::place_list;
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::locations;
use crate::lsp::document::DocumentText;
use crate::lsp::position::{Encoding, Position};
use crate::text::display::columns;
use crate::text::document::Document;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes of a file that is read to show a line of it.
const FILE_MAX: u64 = 8 << 20;

/// A place as a server counts: only with the text of the file it is known which column that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// Which file.
    pub path: PathBuf,
    /// The position in it.
    pub at: Position,
    /// The unit of its column.
    pub encoding: Encoding,
}

/// Goes to places that rows stand for, to the last one in the end; rows without a place are left out. At once, unless a file
/// must be read for that; not where the user has gone on meanwhile.
pub fn go_to_picks(cx: &mut Cx<'_>, picks: Vec<Pick>) {
    if picks.iter().all(|pick| pick.get::<ServerPlace>().is_none()) {
        return go_to_places(cx, picks.iter().filter_map(|pick| pick.get().cloned()).collect());
    }
    let mut reader = PlaceReader::new(cx);
    let work = async move {
        let mut places = Vec::new();
        for pick in picks {
            if let Some(place) = pick.get::<Location>() {
                places.push(place.clone());
            } else if let Some(ServerPlace { path, at, encoding }) = pick.get() {
                places.push(reader.place(path, *at, *encoding).await.0);
            }
        }
        places
    };
    let from = shown(cx);
    cx.tasks.spawn("language-servers.go-to-places", work, move |cx, places| {
        let places = answer_or_error(cx, "read the places", places).unwrap_or_default();
        if shown(cx) == from {
            go_to_places(cx, places);
        }
    });
}

/// What is shown, and where the caret is.
fn shown(cx: &Cx<'_>) -> Option<(BufferId, u64, Byte)> {
    let buffer = cx.state.buffers.current()?;
    Some((buffer.id, buffer.area.document.version(), buffer.area.caret()))
}

fn go_to_places(cx: &mut Cx<'_>, places: Vec<Location>) {
    if let [place] = places.as_slice() {
        return place_list::go_to(cx, place);
    }
    let places = places.into_iter().map(|place| (place.path, Some((place.line, place.column))));
    go_to_all(cx, places.collect());
}

/// Reads the lines of places: from the open texts, else from the disk.
pub struct PlaceReader {
    env: Arc<dyn Environment>,
    workspace: PathBuf,
    tab_width: usize,
    /// Texts with the width of their tabs.
    open: HashMap<PathBuf, (Text, usize)>,
}

impl PlaceReader {
    /// Creates it, with the texts that are open now.
    pub fn new(cx: &Cx<'_>) -> Self {
        let open = cx.state.buffers.all().iter().filter(|buffer| buffer.loading.is_none());
        let tab_width = cx.state.text_options.tab_width;
        let open = open.filter_map(|buffer| {
            let text = (buffer.area.text().clone(), buffer.tab_width(tab_width));
            Some((buffer.real_path()?.to_path_buf(), text))
        });
        Self { env: cx.env.clone(), workspace: cx.state.workspace.clone(), tab_width, open: open.collect() }
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
            Some((text, tab_width)) => {
                let at = Byte(text.offset(at, encoding));
                let line = text.line_of(at);
                let column = columns::column_of(&text, at, tab_width).0 + 1;
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

    /// Returns the text of a file with the width of its tabs.
    async fn text(&mut self, path: &Path) -> Option<(Text, usize)> {
        if let Some(known) = self.open.get(path) {
            return Some(known.clone());
        }
        let size = self.env.stat(path).await.ok()?.size;
        if size > FILE_MAX {
            return None;
        }
        let data = self.env.read(path).await.ok()?;
        // As it is shown when it is opened: without a byte order mark.
        let text = Document::from_bytes(&data.bytes).text().clone();
        let known = (text, self.tab_width);
        self.open.insert(path.to_path_buf(), known.clone());
        Some(known)
    }
}

/// Returns a file and a line of it for the user.
pub fn label(workspace: &Path, path: &Path, line: usize) -> String {
    let path = path.strip_prefix(workspace).unwrap_or(path);
    visible(&format!("{}:{line}", path.display())).into_owned()
}
