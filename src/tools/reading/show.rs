//! Reads one file for a model: text in its family's style, an image, a document, a notebook; or an error.
//!
//! Must not know which tool requested it.

use std::path::Path;

use serde_json::Value;

use super::document::DocumentRequest;
use super::file_contents::{self, FileContents};
use super::sniff::{self, FileType};
use super::style::ReadStyle;
use super::window::{Range, Window, WindowReader};
use super::{document, notebook, picture};
use crate::base::json::json;
use crate::exec::{EnvError, FileData, FileKind, Stamp};
use crate::llm::model::Part;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::paths;
use crate::tools::output::limits;

/// Maximum bytes of a file that is read completely: images, documents and notebooks.
const WHOLE_MAX: u64 = 100 << 20;

/// The file and the requested part.
#[derive(Debug, Clone)]
pub struct ShowRequest {
    /// Its path as the model wrote it.
    pub path: String,
    /// First line, from 1.
    pub first: Option<usize>,
    /// Maximum number of lines.
    pub lines: Option<usize>,
    /// Pages of a document, as the model wrote them.
    pub pages: Option<String>,
    /// The family's style.
    pub style: ReadStyle,
    /// Whether it is one of several files: no line of it may use up the others' room.
    pub is_one_of_several: bool,
}

/// Reads a file.
pub async fn show(call: &Invocation, request: &ShowRequest) -> Outcome {
    try_show(call, request).await.unwrap_or_else(Outcome::error)
}

async fn try_show(call: &Invocation, request: &ShowRequest) -> Result<Outcome, String> {
    let path = paths::resolve_readable(&*call.env, &request.path).await;
    let info = call.env.stat(&path).await.map_err(|error| advice(&error))?;
    if info.kind == FileKind::Folder {
        return Err(advice(&EnvError::IsFolder(path)));
    }
    let style = request.style;
    let first = request.first.unwrap_or(1);
    let range = Range {
        first,
        lines: request.lines.unwrap_or(usize::MAX).min(style.lines()),
        bytes: style.bytes(),
        line_chars: style.line_chars(),
        keep_single_line: style.line_chars().is_some() && !request.is_one_of_several,
    };
    let notebook = path.extension().is_some_and(|ending| ending == "ipynb") && info.size <= WHOLE_MAX;
    if notebook && let Some(seen) = notebook_window(call, &path, range).await {
        return show_window(call, request, &path, seen).await;
    }
    let seen = file_contents::read_lines(&*call.env, &path, range, &call.cancel).await;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    match seen.map_err(|error| advice(&error))? {
        FileContents::Text(window, stamp) => show_window(call, request, &path, (window, stamp)).await,
        FileContents::Other(FileType::Pdf) => {
            let (text, stamp) = document(call, request, &path, info.size).await?;
            show_window(call, request, &path, (window_of(&text, range), stamp)).await
        }
        FileContents::Other(kind) => show_other(call, request, &path, kind, info.size).await,
    }
}

/// Returns a notebook's cells; `None` if it is not a notebook.
async fn notebook_window(call: &Invocation, path: &Path, range: Range) -> Option<(Window, Stamp)> {
    let data = file_contents::read_whole(&*call.env, path, WHOLE_MAX, &call.cancel).await.ok()??;
    let text = notebook::text(&data.bytes)?;
    Some((window_of(&text, range), data.stamp))
}

/// A document's text, and the state in which the file was read.
async fn document(
    call: &Invocation,
    request: &ShowRequest,
    path: &Path,
    size: u64,
) -> Result<(String, Stamp), String> {
    if let Some(message) = document::too_large(&request.path, size) {
        return Err(message);
    }
    let data = read_whole(call, &request.path, path).await?;
    let document_request = DocumentRequest {
        name: &request.path,
        pages: request.pages.as_deref(),
        whole_max: request.style.pages(),
    };
    Ok((document::text(call, document_request, data.bytes).await?, data.stamp))
}

/// A file's bytes; the error is for the model.
async fn read_whole(call: &Invocation, shown: &str, path: &Path) -> Result<FileData, String> {
    let read = file_contents::read_whole(&*call.env, path, WHOLE_MAX, &call.cancel).await;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    read.map_err(|error| advice(&error))?.ok_or_else(|| {
        format!("{shown} is larger than {}, too large to be shown.", limits::size(WHOLE_MAX as usize))
    })
}

fn window_of(text: &str, range: Range) -> Window {
    let mut taker = WindowReader::new(range);
    taker.feed(text.as_bytes());
    taker.finish()
}

/// Returns lines in the family's style; marks the file as read by the model.
async fn show_window(
    call: &Invocation,
    request: &ShowRequest,
    path: &Path,
    (window, stamp): (Window, Stamp),
) -> Result<Outcome, String> {
    let first = request.first.unwrap_or(1);
    if first > window.total.max(1) {
        return Err(format!(
            "Offset {first} is beyond the end of {}, which has {} lines.",
            request.path, window.total
        ));
    }
    call.shared.files.note_seen(&*call.env, path, stamp).await;
    let (text, details) = request.style.show(&request.path, first, request.lines, &window);
    let mut details = details.unwrap_or_else(|| json!({}));
    let last = (first + window.lines).saturating_sub(1);
    details["lines"] = json!({"first": first, "last": last, "total": window.total});
    Ok(Outcome::text(text).details(details))
}

/// Returns the view of a result that may have lines of a file.
pub fn result_view(text: &str, details: Option<&Value>) -> ResultView {
    let lines = details.and_then(|details| details.get("lines"));
    let number = |name: &str| usize::try_from(lines?.get(name)?.as_u64()?).ok();
    let text = text.to_string();
    match (number("first"), number("last"), number("total")) {
        (Some(first), Some(last), Some(total)) => ResultView::Excerpt { text, first, last, total },
        _ => ResultView::Text(text),
    }
}

/// Returns an image; `None` for other files.
pub async fn picture(call: &Invocation, shown: &str) -> Result<Outcome, String> {
    let path = paths::resolve_readable(&*call.env, shown).await;
    let info = call.env.stat(&path).await.map_err(|error| advice(&error))?;
    if info.kind == FileKind::Folder || info.size > WHOLE_MAX {
        return Err(format!("{shown} is no picture that can be shown."));
    }
    let data = read_whole(call, shown, &path).await?;
    match sniff::kind(&data.bytes) {
        FileType::Image(_) => attach(call, shown, data.bytes).await,
        _ => Err(format!("{shown} is no picture. Use read_file to see it.")),
    }
}

async fn attach(call: &Invocation, shown: &str, bytes: Vec<u8>) -> Result<Outcome, String> {
    let picture = picture::prepare(bytes, &call.cancel).await.map_err(|error| format!("{shown}: {error}"))?;
    Ok(Outcome { content: vec![Part::text(picture.note(shown)), picture.part()], ..Outcome::text("") })
}

/// A file that is no text.
async fn show_other(
    call: &Invocation,
    request: &ShowRequest,
    path: &Path,
    kind: FileType,
    size: u64,
) -> Result<Outcome, String> {
    let shown = &request.path;
    let big = limits::size(size as usize);
    match kind {
        FileType::Image(_) if size > WHOLE_MAX => {
            Err(format!("{shown} is a picture of {big}, too large to be shown. Make a smaller copy of it."))
        }
        FileType::Image(_) => {
            let data = read_whole(call, shown, path).await?;
            attach(call, shown, data.bytes).await
        }
        FileType::Binary | FileType::Text | FileType::Pdf => Err(format!(
            "{shown} is a binary file ({big}). Use a shell command to look at it: file, xxd, strings."
        )),
    }
}

/// Returns the error message with advice for the model.
pub fn advice(error: &EnvError) -> String {
    match error {
        EnvError::IsFolder(_) => format!("{error}. Use a tool that lists folders, or ls in a shell."),
        EnvError::NotFound(_) => format!("{error}. Look for it by its name, or list the folder."),
        _ => format!("{error}."),
    }
}

/// Returns a call as a line: the path, with the range if there is one.
pub fn view(path: &str, first: Option<usize>, lines: Option<usize>) -> CallView {
    let title = match (first, lines) {
        (None, None) => path.to_string(),
        (from, None) => format!("{path} {}-", from.unwrap_or(1)),
        (from, Some(count)) => {
            let from = from.unwrap_or(1);
            format!("{path} {from}-{}", from.saturating_add(count).saturating_sub(1))
        }
    };
    CallView { title, ..CallView::default() }
}
