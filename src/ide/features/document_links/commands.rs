//! Opens the link at the caret: a file of the workspace at once. What is elsewhere is shown first, since a text may link to
//! anything, and nothing of it is started unless the user says so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::paths;
use crate::base::width::{truncate, visible};
use crate::exec::{Environment, FileKind};
use crate::ide::core::condition::has_file;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::picker::Location;
use crate::ide::core::web_page;
use crate::ide::features::document_links::find::{self, Found};
use crate::ide::features::files::place_list;
use crate::ide::features::language_servers::questions::{
    AskedServer, asked_servers, failure, is_at, no_answer, shown_version,
};
use crate::ide::features::language_servers::sync;
use crate::lsp::client::QuestionError;
use crate::lsp::table::Feature;
use crate::lsp::uri;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Bytes of a line before and behind the caret that are read.
const AROUND_MAX: usize = 4 << 10;

/// Cells of an address in a dialog.
const CELLS: usize = 400;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("lsp.open-link", "Open link", &["follow link", "go to file at cursor", "open url"], begin)
        .when(has_file)];

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// A file, with line and column from 1 if the link has them.
    File(PathBuf, Option<(usize, usize)>),
    /// Something else.
    Other(String),
}

/// A link to look for.
struct Wanted {
    env: Arc<dyn Environment>,
    /// Files that a path may be relative to: the folder of the text, then the workspace.
    folders: Vec<PathBuf>,
    home: PathBuf,
    /// What the text has there.
    found: Option<Found>,
}

/// Follows the link at the caret: as a server of the text knows it, else as it is written.
fn begin(cx: &mut Cx<'_>) {
    sync::flush(cx.state);
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (id, at, path) = (buffer.id, buffer.area.caret(), buffer.real_path().map(Path::to_path_buf));
    let (line, column) = line_around(buffer.area.text(), at);
    let own = path.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let wanted = Wanted {
        env: cx.env.clone(),
        folders: own.into_iter().chain([cx.state.workspace.clone()]).collect(),
        home: cx.state.home.clone(),
        found: find::link_at(&line, column),
    };
    let servers = asked_servers(cx.state, id, Feature::DocumentLinks);
    let version = shown_version(cx.state);
    let work = async move {
        let mut problems = Vec::new();
        if let Some(path) = path.filter(|_| !servers.is_empty())
            && let Some(address) = of_servers(servers, &path, at.0, &mut problems).await
        {
            return Ok((target(&address), address));
        }
        written(wanted)
            .await
            .map_err(|reason| no_answer(&problems, reason.as_deref().unwrap_or("No link here")))
    };
    cx.tasks.spawn("document-links.ask", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "look for a link", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match answer {
            Ok((target, address)) => follow(cx, target, address),
            Err(reason) => cx.state.set_status(reason),
        }
    });
}

/// Returns the part of a line around a position, and where that is in it.
fn line_around(text: &Text, at: Byte) -> (String, usize) {
    let (start, end) = text.line_bounds(text.line_of(at));
    let start = text.char_floor(start.max(Byte(at.0.saturating_sub(AROUND_MAX))));
    let end = text.char_floor(end.min(at + AROUND_MAX)).max(start);
    (text.slice(start..end).into_owned(), at - start)
}

/// Returns the address of the link that the servers of a text know at an offset.
async fn of_servers(
    servers: Vec<AskedServer>,
    path: &Path,
    at: usize,
    problems: &mut Vec<String>,
) -> Option<String> {
    for AskedServer { name, client, .. } in servers {
        let Some(client) = client.await else { continue };
        let found = match client.links(path).await {
            Ok(found) => found.all,
            Err(QuestionError::NotOffered) => continue,
            Err(error) => {
                problems.push(failure(&name, "open link", &error));
                continue;
            }
        };
        let holds = |range: &std::ops::Range<usize>| range.start <= at && at <= range.end;
        for (_, link) in found.into_iter().filter(|(range, _)| holds(range)) {
            match client.resolve_link(link).await {
                Ok(Some(target)) => return Some(target),
                Ok(None) => {}
                Err(error) => problems.push(failure(&name, "open link", &error)),
            }
        }
    }
    None
}

/// Returns where a link leads that is written in the text: a page, or a file that exists.
///
/// # Errors
///
/// Why it leads nowhere, if something that looks like a path is written there.
async fn written(wanted: Wanted) -> Result<(Target, String), Option<String>> {
    let paths = match wanted.found.ok_or(None)? {
        Found::Page(address) => return Ok((Target::Other(address.clone()), address)),
        Found::Paths(paths) => paths,
    };
    let mut is_folder = false;
    for folder in &wanted.folders {
        for (path, place) in &paths {
            let path = paths::absolute(folder, &paths::expand_home(path, &wanted.home));
            let stat = wanted.env.stat(&path).await;
            match stat.map(|stat| stat.kind) {
                Ok(FileKind::File) => {
                    let address = path.display().to_string();
                    return Ok((Target::File(path, *place), address));
                }
                Ok(FileKind::Folder) => is_folder = true,
                _ => {}
            }
        }
    }
    let missing = find::likely_path(&paths).map(|path| truncate(&visible(path), CELLS).into_owned());
    Err(missing
        .map(|path| if is_folder { format!("Folder: {path}") } else { format!("No such file: {path}") }))
}

/// Opens a file of the workspace; asks about everything else.
fn follow(cx: &mut Cx<'_>, target: Target, address: String) {
    match target {
        Target::File(path, place) if paths::is_inside(&path, &cx.state.workspace) => go_to(cx, path, place),
        Target::File(path, place) => {
            let shown = visible(&path.display().to_string()).into_owned();
            let dialog = Dialog::ask(
                "Open this file outside of the folder?",
                vec![truncate(&shown, CELLS).into_owned()],
            )
            .choice('o', "Open", move |cx| go_to(cx, path, place));
            show(cx, dialog, address);
        }
        Target::Other(page) => {
            let shown = truncate(&visible(&page), CELLS).into_owned();
            let is_web = page.starts_with("https://") || page.starts_with("http://");
            let title =
                if is_web { "Open this page in the browser?" } else { "Link to something that is no file" };
            let mut dialog = Dialog::ask(title, vec![shown]);
            if is_web {
                dialog = dialog.choice('o', "Open", move |cx| open_page(cx, &page));
            }
            show(cx, dialog, address);
        }
    }
}

/// Shows where a link leads, with the choices that every link has. Keys typed before are no answer.
fn show(cx: &mut Cx<'_>, dialog: Dialog, address: String) {
    let dialog = dialog.choice('c', "Copy address", move |cx| copy(cx, address)).close('n', "Cancel");
    let number = cx.now_ms;
    cx.state.push_layer(dialog.uninvited("document-link", number));
}

fn copy(cx: &mut Cx<'_>, address: String) {
    cx.ui.clipboard = Some(address);
    cx.state.set_status("Copied the address of the link");
}

fn open_page(cx: &mut Cx<'_>, page: &str) {
    let copied = page.to_string();
    web_page::open(cx, page, move |cx, opener| {
        cx.ui.clipboard = Some(copied);
        cx.state.set_status(format!("{opener} cannot open the page here; its address is copied"));
    });
}

fn go_to(cx: &mut Cx<'_>, path: PathBuf, place: Option<(usize, usize)>) {
    let (line, column) = place.unwrap_or((1, 1));
    place_list::go_to(cx, &Location { path, line, column });
}

/// Reads an address. A place in a file is its fragment, such as `#L12`, `#L12,5` or `#12,5`, as VS Code has it.
fn target(address: &str) -> Target {
    let (file, fragment) = address.split_once('#').unwrap_or((address, ""));
    match uri::to_path(file) {
        Some(path) => Target::File(path, place(fragment)),
        None => Target::Other(address.to_string()),
    }
}

fn place(fragment: &str) -> Option<(usize, usize)> {
    let first = fragment.split('-').next()?;
    let numbers = first.strip_prefix('L').unwrap_or(first);
    let (line, column) = numbers.split_once(',').unwrap_or((numbers, "1"));
    Some((line.parse().ok().filter(|line| *line > 0)?, column.parse().ok().filter(|column| *column > 0)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_link_address_is_read_with_its_place() {
        let file = |place| Target::File(PathBuf::from("/a b/c.rs"), place);
        for (address, expected) in [
            ("file:///a%20b/c.rs", file(None)),
            ("file:///a%20b/c.rs#L12", file(Some((12, 1)))),
            ("file:///a%20b/c.rs#L12,5-L14,2", file(Some((12, 5)))),
            ("file:///a%20b/c.rs#3,4", file(Some((3, 4)))),
            ("file:///a%20b/c.rs#L0", file(None)),
            ("file:///a%20b/c.rs#heading", file(None)),
            ("https://a/#L1", Target::Other("https://a/#L1".to_string())),
            ("command:x", Target::Other("command:x".to_string())),
        ] {
            assert_eq!(target(address), expected, "{address}");
        }
    }
}
