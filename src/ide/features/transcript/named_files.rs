//! Opens a file that a block of the conversation names. Of several that exist, the user chooses one.

use std::path::PathBuf;

use crate::exec::Environment;
use crate::exec::file_info::FileKind;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::editor::commands::panes;
use crate::ide::features::transcript::cards::search;
use crate::ide::features::transcript::copy;
use crate::ide::features::transcript::focus::{focused, with_view};
use crate::ide::features::transcript::items::ItemKind;
use crate::ide::features::transcript::places::{NamedPlace, named_places};

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("transcript.open-file", "Open file named in block", &["go to path"], open)];

/// The places of the block for which the picker was opened.
#[derive(Debug, Default)]
pub struct NamedFiles(Vec<FoundFile>);

/// Slot of the feature's state.
pub const NAMED_FILES: Slot<NamedFiles> = Slot::new();

/// A file that exists, with a line from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FoundFile {
    path: PathBuf,
    line: Option<usize>,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "transcript-files",
    title: "Files named in block",
    footer: "Enter open",
    toggle: None,
    load: |state| {
        let row = |file: &FoundFile| PickRow {
            text: match file.line {
                Some(line) => format!("{}:{line}", state.display_path(&file.path)),
                None => state.display_path(&file.path),
            },
            aliases: Vec::new(),
            group: None,
            detail: String::new(),
            pick: Pick::new(file.clone()),
        };
        RowSource::Rows(state.slots[NAMED_FILES].0.iter().map(row).collect(), Vec::new())
    },
    accept: |cx, pick, _| {
        if let Some(file) = pick.get::<FoundFile>().cloned() {
            show(cx, file);
        }
    },
};

/// Opens a file in the editor, which gets the keys: it may not be on screen before.
fn show(cx: &mut Cx<'_>, file: FoundFile) {
    panes::focus(cx, Focus::Editor);
    (cx.state.catalog.open_file)(cx, file.path, file.line.map(|line| (line, 1)));
}

/// Opens the file named in the focused block.
fn open(cx: &mut Cx<'_>) {
    let places = focused_places(cx);
    open_first(cx, places);
}

/// Returns the places named in the focused block.
pub fn focused_places(cx: &mut Cx<'_>) -> Vec<NamedPlace> {
    let Some(at) = focused(cx.state) else { return Vec::new() };
    let places = with_view(cx.state, |transcript, _, _| {
        let item = &transcript.items()[at];
        let found = match &item.kind {
            ItemKind::Tool(call) => search::places(call),
            _ => Vec::new(),
        };
        if found.is_empty() { named_places(&copy::plain(item)) } else { found }
    });
    places.unwrap_or_default()
}

/// Opens the file of a place if it exists, or does something else.
pub fn open_or(cx: &mut Cx<'_>, place: &NamedPlace, otherwise: impl FnOnce(&mut Cx<'_>) + Send + 'static) {
    let file = FoundFile { path: cx.state.resolve_typed_path(&place.path), line: place.line };
    let env = cx.env.clone();
    let work = async move { existing(&*env, vec![file]).await };
    cx.tasks.spawn("transcript.find-file", work, |cx, found| {
        let Some(mut found) = answer_or_error(cx, "look for the file", found) else { return };
        match found.pop() {
            Some(file) => show(cx, file),
            None => otherwise(cx),
        }
    });
}

/// Opens the file at the only one of the places that exists, or lists them.
fn open_first(cx: &mut Cx<'_>, places: Vec<NamedPlace>) {
    let resolved =
        |place: NamedPlace| FoundFile { path: cx.state.resolve_typed_path(&place.path), line: place.line };
    let places: Vec<FoundFile> = places.into_iter().map(resolved).collect();
    let env = cx.env.clone();
    let work = async move { existing(&*env, places).await };
    cx.tasks.spawn("transcript.find-files", work, |cx, found| {
        let Some(mut found) = answer_or_error(cx, "look for the files", found) else { return };
        match found.len() {
            0 => cx.state.set_status("No file is named here that exists"),
            1 => show(cx, found.remove(0)),
            _ => {
                cx.state.slots[NAMED_FILES] = NamedFiles(found);
                cx.defer_picker("transcript-files");
            }
        }
    });
}

/// Returns the places whose files exist: each file with its lines, without a line only if no other has one.
async fn existing(env: &dyn Environment, places: Vec<FoundFile>) -> Vec<FoundFile> {
    let mut found: Vec<FoundFile> = Vec::new();
    for place in places {
        let is_known = found.iter().any(|known| known.path == place.path);
        if is_known && place.line.is_none() {
            continue;
        }
        let is_file = is_known || env.stat(&place.path).await.is_ok_and(|stat| stat.kind == FileKind::File);
        if is_file {
            found.retain(|known| known.path != place.path || known.line.is_some());
            found.push(place);
        }
    }
    found
}
