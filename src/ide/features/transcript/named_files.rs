//! Opens a file or a web page that a block of the conversation names. Of several, the user chooses one; of files those
//! that exist.

use std::path::PathBuf;
use std::sync::Arc;

use crate::exec::Environment;
use crate::exec::file_info::FileKind;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::core::web_page;
use crate::ide::editor::commands::panes;
use crate::ide::features::transcript::cards::search;
use crate::ide::features::transcript::copy;
use crate::ide::features::transcript::focus::{copy_text, focused, with_view};
use crate::ide::features::transcript::items::ItemKind;
use crate::ide::features::transcript::places::{NamedPlace, named_places};
use crate::tui::links;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("transcript.open-file", "Open named file or link", &["go to path", "open url"], open)];

/// Maximum number of links of a block that are listed.
const LINKS_MAX: usize = 100;

/// What the block names for which the picker was opened.
#[derive(Debug, Default)]
pub struct NamedFiles(Vec<Found>);

/// A file that exists, or a web page.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    File(FoundFile),
    Page(Arc<str>),
}

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
    title: "Files and links in block",
    footer: "Enter open",
    preview: Some(|_, pick| match pick.get::<Found>()? {
        Found::File(file) => Some(PreviewTarget::file(file.path.clone(), file.line)),
        Found::Page(_) => None,
    }),
    load: |state| {
        let text = |found: &Found| match found {
            Found::File(FoundFile { path, line: Some(line) }) => {
                format!("{}:{line}", state.display_path(path))
            }
            Found::File(file) => state.display_path(&file.path),
            Found::Page(url) => url.to_string(),
        };
        let row = |found: &Found| PickRow {
            text: text(found),
            aliases: Vec::new(),
            group: None,
            detail: String::new(),
            pick: Pick::new(found.clone()),
        };
        RowSource::Rows(state.slots[NAMED_FILES].0.iter().map(row).collect(), Vec::new())
    },
    accept: |cx, pick, _| {
        if let Some(found) = pick.get::<Found>().cloned() {
            show(cx, found);
        }
    },
    ..PickerSpec::EMPTY
};

fn show(cx: &mut Cx<'_>, found: Found) {
    match found {
        Found::File(file) => show_file(cx, file),
        Found::Page(url) => open_link(cx, &url),
    }
}

/// Opens a file in the editor, which gets the keys: it may not be on screen before.
fn show_file(cx: &mut Cx<'_>, file: FoundFile) {
    panes::focus(cx, Focus::Editor);
    (cx.state.catalog.open_file)(cx, file.path, file.line.map(|line| (line, 1)));
}

/// Opens a web page in the browser; where there is none, copies its address.
pub fn open_link(cx: &mut Cx<'_>, url: &str) {
    let copied = url.to_string();
    if !copied.starts_with("http") {
        return copy_text(cx, copied);
    }
    web_page::open(cx, url, move |cx, opener| {
        copy_text(cx, copied);
        cx.state.set_status(format!("{opener} cannot open the page here; its address is copied"));
    });
}

/// Opens what the focused block names.
fn open(cx: &mut Cx<'_>) {
    let (places, links) = (focused_places(cx), focused_links(cx));
    open_first(cx, places, links);
}

/// Returns the web addresses in the focused block.
fn focused_links(cx: &mut Cx<'_>) -> Vec<Arc<str>> {
    let Some(at) = focused(cx.state) else { return Vec::new() };
    let found = with_view(cx.state, |transcript, _, _| {
        let mut urls: Vec<Arc<str>> = Vec::new();
        for (_, url) in links::find(&copy::plain(&transcript.items()[at]), LINKS_MAX) {
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        urls
    });
    found.unwrap_or_default()
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
            Some(file) => show_file(cx, file),
            None => otherwise(cx),
        }
    });
}

/// Opens the only file or page, or lists them.
fn open_first(cx: &mut Cx<'_>, places: Vec<NamedPlace>, links: Vec<Arc<str>>) {
    let resolved =
        |place: NamedPlace| FoundFile { path: cx.state.resolve_typed_path(&place.path), line: place.line };
    let places: Vec<FoundFile> = places.into_iter().map(resolved).collect();
    let env = cx.env.clone();
    let work = async move { existing(&*env, places).await };
    cx.tasks.spawn("transcript.find-files", work, move |cx, found| {
        let Some(files) = answer_or_error(cx, "look for the files", found) else { return };
        let pages = links.into_iter().map(Found::Page);
        let mut found: Vec<Found> = files.into_iter().map(Found::File).chain(pages).collect();
        match found.len() {
            0 => cx.state.set_status("No file that exists and no link is named here"),
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
