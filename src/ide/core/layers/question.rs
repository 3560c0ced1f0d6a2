//! A one-line question: its label, the answer so far, a note.

use ratatui::layout::Rect;

use crate::base::width::{graphemes, text_width};
use crate::ide::core::keymap::{Keymap, Place};
use crate::ide::core::layers::frame;
use crate::ide::core::overlay::{Question, Topic};
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;

/// Where it is: over the last lines, which the editor keeps its cursor away from, so that matches
/// stay in sight.
pub fn place(size: (u16, u16)) -> Rect {
    let (cols, rows) = (size.0.min(72), size.1.min(3));
    let below = u16::from(size.1 > 5);
    Rect::new((size.0 - cols) / 2, size.1 - rows - below, cols, rows)
}

fn title(topic: &Topic) -> &'static str {
    match topic {
        Topic::Find(_) => "find",
        Topic::GoToLine => "go to line",
        Topic::Earlier => "go back by (5m, 2h, steps)",
        Topic::Replace => "replace what?",
        Topic::ReplaceWith(_) => "by what?",
        Topic::WorkspaceSearch => "search all files",
        Topic::WorkspaceReplace => "replace what in all files?",
        Topic::WorkspaceReplaceWith(_) => "by what, in all files?",
        Topic::Create => "new file, or folder with / at the end",
        Topic::Move(_) => "rename or move to",
        Topic::Pipe(true) => "pipe through a shell command",
        Topic::Pipe(false) => "insert the output of a shell command",
        Topic::SaveAs(_) => "save as",
        Topic::Seek(true) => "/",
        Topic::Seek(false) => "?",
        Topic::Pick(0) => "select",
        Topic::Pick(1) => "split at",
        Topic::Pick(2) => "keep those with",
        Topic::Pick(_) => "remove those with",
        Topic::Line => ":",
        Topic::Open => "open",
        Topic::Label(..) => "label (nothing takes it away)",
        Topic::SummaryAbout => "the summary is about (nothing: all)",
        Topic::TreeSearch => "show what says",
        Topic::SessionName => "call the session",
        Topic::Import => "take over sessions of pi, Claude Code or codex from (file or folder)",
        Topic::DiffWith => "compare with which file",
        Topic::EditCall(_) => "run this instead",
        Topic::RefuseCall(_) => "why not? the model is told",
    }
}

/// The part of the answer that is shown, so that its end and the caret are in sight.
fn shown(question: &Question, cols: u16) -> (String, u16) {
    let text = question.answer.text();
    let line = text.line(Line(0)).into_owned();
    let caret = text_width(&text.slice(Byte(0)..question.answer.selection.primary().head));
    let skip = (caret + 2).saturating_sub(usize::from(cols));
    let mut out = String::new();
    let mut width = 0;
    for grapheme in graphemes(&line) {
        if width >= skip {
            out.push_str(grapheme);
        }
        width += text_width(grapheme);
    }
    (out, caret.saturating_sub(skip) as u16)
}

/// The keys that matter most here.
fn footer(topic: &Topic, keymap: &Keymap) -> String {
    let mut keys = vec!["Enter take".to_string()];
    if topic.searches() {
        let ways = [
            ("search.toggle-regex", "regex"),
            ("search.toggle-word", "words"),
            ("search.toggle-case", "case"),
        ];
        let bound = ways.iter().filter_map(|(id, name)| Some((keymap.keys_for(Place::Question, id)?, name)));
        keys.extend(bound.map(|(key, name)| format!("{key} {name}")));
    }
    keys.push("Escape close".to_string());
    keys.join("  ")
}

/// Draws it.
pub fn draw(canvas: &mut Canvas<'_>, question: &Question, keymap: &Keymap) {
    let (cols, _) = canvas.size();
    let title = match (title(&question.topic), question.how.as_str()) {
        (title, "") => title.to_string(),
        (title, how) => format!("{title} ({how})"),
    };
    let inner = frame::draw(canvas, &title, &question.note, &footer(&question.topic, keymap));
    let (text, _) = shown(question, cols.saturating_sub(6));
    let style = canvas.style("ui.overlay");
    canvas.text(inner.x + 1, inner.y, &text, style);
}

/// Where the caret is, in the overlay's coordinates.
pub fn cursor(question: &Question, cols: u16) -> (u16, u16) {
    let (_, x) = shown(question, cols.saturating_sub(6));
    (x + 2, 1)
}
