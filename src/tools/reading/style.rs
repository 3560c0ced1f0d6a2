//! Text styles of the families: plain or numbered lines, and notes.
//!
//! Must not know files. The notes are our own; the line formats are those that the families know.

use serde_json::Value;

use crate::base::json::json;

use super::pdf::pages::PAGES_WHOLE_MAX;
use super::window::Window;
use crate::tools::output::defaults;
use crate::tools::output::limits::{self, Limit};

/// A family's style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadStyle {
    /// Plain text, notes at its end: pi.
    Plain,
    /// `12 | text`: openai.
    Bars,
    /// As `cat -n` prints it: anthropic.
    Tabs,
    /// Plain text, notes before it: gemini.
    NotesFirst,
}

impl ReadStyle {
    /// Returns the default number of lines: 2000 in every family.
    pub fn lines(self) -> usize {
        limits::LINES_MAX
    }

    /// Returns the maximum bytes: pi's limit. The others' limit is in characters and applied to the result,
    /// so this only bounds memory.
    pub fn bytes(self) -> usize {
        if self == Self::Plain { limits::BYTES_MAX } else { 4 << 20 }
    }

    /// Returns the maximum characters of a line: 500 as in codex, 2000 in the others. A single line is not
    /// truncated here, but like any long output.
    pub fn line_chars(self) -> Option<usize> {
        match self {
            Self::Plain => None,
            Self::Bars => Some(500),
            Self::Tabs | Self::NotesFirst => Some(2000),
        }
    }

    /// Returns the maximum number of pages for reading a PDF in full, if the family's tool can request pages.
    pub fn pages(self) -> Option<usize> {
        (self == Self::Tabs).then_some(PAGES_WHOLE_MAX)
    }

    /// Returns how the family's tool requests a later line.
    fn next(self, line: usize) -> String {
        match self {
            Self::NotesFirst => format!("start_line={line}"),
            _ => format!("offset={line}"),
        }
    }

    /// Returns a window as the model sees it; `asked` is the requested range.
    pub fn show(
        self,
        shown: &str,
        first: usize,
        requested: Option<usize>,
        window: &Window,
    ) -> (String, Option<Value>) {
        if let Some(length) = window.long_line {
            return long_line(shown, first, length, window);
        }
        let mut text = self.body(first, &window.text);
        let mut notes = Vec::new();
        let mut details = None;
        if window.total == 0 && matches!(self, Self::Bars | Self::Tabs) {
            notes.push("The file is empty.".to_string());
        }
        let last = first + window.lines.saturating_sub(1);
        if let Some(by) = window.limited_by {
            let (next, total) = (self.next(last + 1), window.total);
            if requested.is_some_and(|requested| requested == window.lines) && self != Self::NotesFirst {
                notes.push(format!("{} more lines of {total}. Go on with {next}.", total - last));
            } else {
                let size = if by == Limit::Bytes && self == Self::Plain { " (50 KB limit)" } else { "" };
                notes.push(format!("Lines {first}-{last} of {total}{size}. Go on with {next}."));
                details = Some(truncation(by, window, false));
            }
        }
        notes.extend(self.long_lines(shown, first, window));
        if window.lossy {
            notes.push(
                "Some bytes are not UTF-8; they are shown as \u{fffd}. Use a shell command to change this file."
                    .to_string(),
            );
        }
        if !notes.is_empty() {
            let notes = format!("[{}]", notes.join(" "));
            let body = text.trim_end_matches('\n');
            text = match (self, body.is_empty()) {
                (_, true) => notes,
                (Self::NotesFirst, false) => format!("{notes}\n\n{body}"),
                (_, false) => format!("{body}\n\n{notes}"),
            };
        }
        (text, details)
    }

    /// Returns a note on how to read truncated lines.
    fn long_lines(self, shown: &str, first: usize, window: &Window) -> Option<String> {
        let most = self.line_chars()?;
        let alone = |line| match self {
            Self::NotesFirst => format!("start_line={line} and end_line={line}"),
            _ => format!("offset={line} and limit=1"),
        };
        if window.lines == 1 && window.text.len() > defaults::READ.chars {
            let over = if window.cut_lines > 0 { "more than " } else { "" };
            return Some(format!(
                "Line {first} has {over}{}. See a part of it with a shell command: sed -n '{first}p' {shown} | cut -c 20001-40000",
                limits::size(window.text.len())
            ));
        }
        let cut = window.first_cut?;
        let which = match window.cut_lines {
            1 => format!("Line {cut} is"),
            count => format!("Line {cut} and {} more are", count - 1),
        };
        Some(format!("{which} cut after {most} characters. See one whole with {}.", alone(cut)))
    }

    fn body(self, first: usize, text: &str) -> String {
        let numbered = |form: &dyn Fn(usize, &str) -> String| -> String {
            let lines = text.split_inclusive('\n').enumerate();
            let line = |line: &str| line.trim_end_matches('\n').trim_end_matches('\r').to_string();
            lines.map(|(at, text)| form(first + at, &line(text))).collect::<Vec<_>>().join("\n")
        };
        match self {
            Self::Plain | Self::NotesFirst => text.to_string(),
            Self::Bars => numbered(&|number, line| format!("{number} | {line}")),
            Self::Tabs => numbered(&|number, line| format!("{number:>6}\t{line}")),
        }
    }
}

fn long_line(shown: &str, first: usize, length: usize, window: &Window) -> (String, Option<Value>) {
    let text = format!(
        "[Line {first} of {} has {}, more than the limit of {}. \
         See a part of it with bash: sed -n '{first}p' {shown} | head -c {}]",
        window.total,
        limits::size(length),
        limits::size(limits::BYTES_MAX),
        limits::BYTES_MAX
    );
    (text, Some(truncation(Limit::Bytes, window, true)))
}

fn truncation(by: Limit, window: &Window, long: bool) -> Value {
    json!({"truncation": {
        "truncated": true,
        "truncatedBy": by.name(),
        "totalLines": window.total,
        "outputLines": window.lines,
        "outputBytes": window.text.len(),
        "firstLineExceedsLimit": long,
    }})
}
