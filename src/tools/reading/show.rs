//! Reads one file for a model: text in its family's style, an image, a document, a notebook; or an error.
//!
//! Must not know which tool requested it.

use std::path::Path;

use super::document::Asked;
use super::look::{self, Seen};
use super::sniff::{self, Kind};
use super::style::Style;
use super::window::{Range, Taker, Window};
use super::{document, notebook, picture};
use crate::exec::{EnvError, FileData, FileKind, Stamp};
use crate::llm::model::Part;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::files::paths;
use crate::tools::output::limits;

/// Maximum bytes of a file that is read completely: images, documents and notebooks.
const WHOLE_MAX: u64 = 100 << 20;

/// The file and the requested part.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its path as the model wrote it.
    pub path: String,
    /// First line, from 1.
    pub first: Option<usize>,
    /// Maximum number of lines.
    pub lines: Option<usize>,
    /// Pages of a document, as the model wrote them.
    pub pages: Option<String>,
    /// The family's style.
    pub style: Style,
    /// Whether it is one of several files: no line of it may use up the others' room.
    pub among: bool,
}

/// Reads a file.
pub async fn show(call: &Invocation, request: &Request) -> Outcome {
    try_show(call, request).await.unwrap_or_else(Outcome::error)
}

async fn try_show(call: &Invocation, request: &Request) -> Result<Outcome, String> {
    let path = paths::to_read(&*call.env, &request.path).await;
    let facts = call.env.stat(&path).await.map_err(|error| advice(&error))?;
    if facts.kind == FileKind::Folder {
        return Err(advice(&EnvError::IsFolder(path)));
    }
    let style = request.style;
    let first = request.first.unwrap_or(1);
    let range = Range {
        first,
        lines: request.lines.unwrap_or(usize::MAX).min(style.lines()),
        bytes: style.bytes(),
        line_chars: style.line_chars(),
        lone: style.line_chars().is_some() && !request.among,
    };
    let notebook = path.extension().is_some_and(|ending| ending == "ipynb") && facts.size <= WHOLE_MAX;
    if notebook && let Some(seen) = cells(call, &path, range).await {
        return shown(call, request, &path, seen).await;
    }
    let seen = look::look(&*call.env, &path, range, &call.cancel).await;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    match seen.map_err(|error| advice(&error))? {
        Seen::Text(window, stamp) => shown(call, request, &path, (window, stamp)).await,
        Seen::Other(Kind::Pdf) => {
            let (text, stamp) = document(call, request, &path, facts.size).await?;
            shown(call, request, &path, (windowed(&text, range), stamp)).await
        }
        Seen::Other(kind) => other(call, request, &path, kind, facts.size).await,
    }
}

/// Returns a notebook's cells; `None` if it is not a notebook.
async fn cells(call: &Invocation, path: &Path, range: Range) -> Option<(Window, Stamp)> {
    let data = look::whole(&*call.env, path, WHOLE_MAX, &call.cancel).await.ok()??;
    let text = notebook::text(&data.bytes)?;
    Some((windowed(&text, range), data.stamp))
}

/// A document's text, and the state in which the file was read.
async fn document(
    call: &Invocation,
    request: &Request,
    path: &Path,
    size: u64,
) -> Result<(String, Stamp), String> {
    if let Some(why) = document::too_large(&request.path, size) {
        return Err(why);
    }
    let data = whole(call, &request.path, path).await?;
    let asked = Asked { name: &request.path, pages: request.pages.as_deref(), whole: request.style.pages() };
    Ok((document::text(call, asked, data.bytes).await?, data.stamp))
}

/// A file's bytes; the error is for the model.
async fn whole(call: &Invocation, shown: &str, path: &Path) -> Result<FileData, String> {
    let read = look::whole(&*call.env, path, WHOLE_MAX, &call.cancel).await;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    read.map_err(|error| advice(&error))?.ok_or_else(|| {
        format!("{shown} is larger than {}, too large to be shown.", limits::size(WHOLE_MAX as usize))
    })
}

fn windowed(text: &str, range: Range) -> Window {
    let mut taker = Taker::new(range);
    taker.feed(text.as_bytes());
    taker.finish()
}

/// Returns lines in the family's style; marks the file as read by the model.
async fn shown(
    call: &Invocation,
    request: &Request,
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
    call.shared.files.saw(&*call.env, path, stamp).await;
    let (text, details) = request.style.show(&request.path, first, request.lines, &window);
    Ok(Outcome { details, ..Outcome::text(text) })
}

/// Returns an image; `None` for other files.
pub async fn picture(call: &Invocation, shown: &str) -> Result<Outcome, String> {
    let path = paths::to_read(&*call.env, shown).await;
    let facts = call.env.stat(&path).await.map_err(|error| advice(&error))?;
    if facts.kind == FileKind::Folder || facts.size > WHOLE_MAX {
        return Err(format!("{shown} is no picture that can be shown."));
    }
    let data = whole(call, shown, &path).await?;
    match sniff::kind(&data.bytes) {
        Kind::Image(_) => attach(call, shown, data.bytes).await,
        _ => Err(format!("{shown} is no picture. Use read_file to see it.")),
    }
}

async fn attach(call: &Invocation, shown: &str, bytes: Vec<u8>) -> Result<Outcome, String> {
    let picture = picture::prepare(bytes, &call.cancel).await.map_err(|why| format!("{shown}: {why}"))?;
    Ok(Outcome { content: vec![Part::text(picture.note(shown)), picture.part()], ..Outcome::text("") })
}

/// A file that is no text.
async fn other(
    call: &Invocation,
    request: &Request,
    path: &Path,
    kind: Kind,
    size: u64,
) -> Result<Outcome, String> {
    let shown = &request.path;
    let big = limits::size(size as usize);
    match kind {
        Kind::Image(_) if size > WHOLE_MAX => {
            Err(format!("{shown} is a picture of {big}, too large to be shown. Make a smaller copy of it."))
        }
        Kind::Image(_) => {
            let data = whole(call, shown, path).await?;
            attach(call, shown, data.bytes).await
        }
        Kind::Binary | Kind::Text | Kind::Pdf => Err(format!(
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
    CallView { title, body: None }
}
