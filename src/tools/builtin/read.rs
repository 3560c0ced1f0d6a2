//! `read`: shows a file, whole or a range of lines, or an image.
//!
//! Must not know other tools.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::exec::{EnvError, FileKind};
use crate::llm::model::message::KnownPart;
use crate::llm::model::{Part, ToolSpec};
use crate::tools::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::view::CallView;
use crate::tools::{limits, paths};

/// Bytes in which a NUL says that a file is not text.
const SNIFF: usize = 8 * 1024;
/// Largest image as base64: what the large providers take for one picture.
const IMAGE_MAX: usize = 4_718_592;
/// Largest file that is read: it is in memory whole while lines are counted.
const FILE_MAX: u64 = 256 * 1024 * 1024;

/// The tool.
#[derive(Debug)]
pub struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read".to_string(),
            description: format!(
                "Read a text file or look at an image (png, jpg, gif, webp). Text is cut after {} lines or \
                 {} KB, whichever is first; use offset and limit to read on.",
                limits::LINES_MAX,
                limits::BYTES_MAX / 1024
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path of the file, relative or absolute"},
                    "offset": {"type": "number", "description": "First line to show, counted from 1"},
                    "limit": {"type": "number", "description": "Lines to show at most"},
                },
                "required": ["path"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn snippet(&self) -> &'static str {
        "Read text files and images"
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { read(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
        let (offset, limit) = (line_number(args, "offset"), line_number(args, "limit"));
        let title = match (offset, limit) {
            (None, None) => path.to_string(),
            (from, None) => format!("{path} {}-", from.unwrap_or(1)),
            (from, Some(count)) => {
                let from = from.unwrap_or(1);
                format!("{path} {from}-{}", from.saturating_add(count).saturating_sub(1))
            }
        };
        CallView { title, body: None }
    }
}

/// A number from 1 on; models send 0 and fractions too.
fn line_number(args: &Value, name: &str) -> Option<usize> {
    args.get(name).and_then(Value::as_f64).map(|n| if n < 1.0 { 1 } else { n as usize })
}

async fn read(call: &Invocation) -> Result<Outcome, String> {
    let shown = call.args.get("path").and_then(Value::as_str).unwrap_or_default();
    let path = paths::resolve(&*call.env, shown);
    let facts = call.env.stat(&path).await.map_err(|error| advice(&error))?;
    if facts.kind == FileKind::File && facts.size > FILE_MAX {
        return Err(format!(
            "{shown} has {}, too much to read at once. Use bash: sed -n '1,100p', head, tail or grep.",
            limits::size(facts.size as usize)
        ));
    }
    let data = call.env.read(&path).await.map_err(|error| advice(&error))?;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    let head = &data.bytes[..data.bytes.len().min(SNIFF)];
    let text = String::from_utf8_lossy(&data.bytes);
    // A text may begin with the letters of an image format; an image is never clean text.
    let binary = head.contains(&0);
    if let Some(mime) = image_type(head).filter(|_| binary || matches!(text, std::borrow::Cow::Owned(_))) {
        return image(shown, mime, &data.bytes);
    }
    if binary {
        return Err(format!(
            "{shown} is a binary file ({}). Use bash to look at it: file, xxd, strings.",
            limits::size(data.bytes.len())
        ));
    }
    let lossy = matches!(text, std::borrow::Cow::Owned(_));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    range(shown, text, line_number(&call.args, "offset"), line_number(&call.args, "limit"), lossy)
}

fn advice(error: &EnvError) -> String {
    match error {
        EnvError::IsFolder(_) => format!("{error}. Use bash with ls to list it."),
        EnvError::NotFound(_) => format!("{error}. Use bash with ls or find to look for it."),
        _ => error.to_string(),
    }
}

/// The wanted lines and a note on what is not shown.
fn range(
    shown: &str,
    text: &str,
    offset: Option<usize>,
    limit: Option<usize>,
    lossy: bool,
) -> Result<Outcome, String> {
    let total = limits::count_lines(text);
    let first = offset.unwrap_or(1);
    if first > total.max(1) {
        return Err(format!("Offset {first} is beyond the end of {shown}, which has {total} lines."));
    }
    let rest = skip_lines(text, first - 1);
    let lines_max = limit.unwrap_or(limits::LINES_MAX).min(limits::LINES_MAX);
    let cut = limits::head(rest, lines_max, limits::BYTES_MAX);
    if cut.partial {
        return Ok(long_line(shown, first, total, rest, &cut));
    }
    let last = first + cut.lines.saturating_sub(1);
    let mut out = cut.text.to_string();
    let mut note = |text: &str| {
        out.truncate(out.trim_end_matches('\n').len());
        out.extend(["\n\n[", text, "]"]);
    };
    let Some(by) = cut.by else {
        if lossy {
            note("Some bytes are not UTF-8; they are shown as \u{fffd}. Use bash to change this file.");
        }
        return Ok(Outcome::text(out));
    };
    let next = last + 1;
    if limit.is_some_and(|limit| limit == cut.lines) {
        note(&format!("{} more lines of {total}. Go on with offset={next}.", total - last));
        return Ok(Outcome::text(out));
    }
    let size = if by == limits::Limit::Bytes { " (50 KB limit)" } else { "" };
    note(&format!("Lines {first}-{last} of {total}{size}. Go on with offset={next}."));
    let details = truncation(by, total, cut.lines, cut.text.len(), false);
    Ok(Outcome::text(out).details(details))
}

fn long_line(shown: &str, first: usize, total: usize, rest: &str, cut: &limits::Cut<'_>) -> Outcome {
    let length = rest.lines().next().unwrap_or("").len();
    let text = format!(
        "[Line {first} of {total} has {}, more than the limit of {}. \
         See a part of it with bash: sed -n '{first}p' {shown} | head -c {}]",
        limits::size(length),
        limits::size(limits::BYTES_MAX),
        limits::BYTES_MAX
    );
    Outcome::text(text).details(truncation(limits::Limit::Bytes, total, 0, cut.text.len(), true))
}

fn truncation(by: limits::Limit, total: usize, lines: usize, bytes: usize, long: bool) -> Value {
    json!({"truncation": {
        "truncated": true,
        "truncatedBy": by.name(),
        "totalLines": total,
        "outputLines": lines,
        "outputBytes": bytes,
        "firstLineExceedsLimit": long,
    }})
}

fn skip_lines(text: &str, count: usize) -> &str {
    match count.checked_sub(1) {
        None => text,
        Some(last) => {
            memchr::memchr_iter(b'\n', text.as_bytes()).nth(last).map_or("", |feed| &text[feed + 1..])
        }
    }
}

/// The media type that a file's first bytes tell.
fn image_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn image(shown: &str, mime: &str, bytes: &[u8]) -> Result<Outcome, String> {
    let encoded = bytes.len().div_ceil(3) * 4;
    if encoded > IMAGE_MAX {
        return Err(format!(
            "{shown} is an image of {}; at most {} can be attached. Make a smaller copy with bash and read that.",
            limits::size(bytes.len()),
            limits::size(IMAGE_MAX / 4 * 3)
        ));
    }
    let note = Part::text(format!("Image {shown} ({mime}, {}).", limits::size(bytes.len())));
    let picture = KnownPart::Image { data: STANDARD.encode(bytes), mime_type: mime.to_string() };
    Ok(Outcome { content: vec![note, Part::Known(picture)], ..Outcome::text("") })
}

#[cfg(test)]
mod tests;
