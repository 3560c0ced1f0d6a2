//! Puts text from elsewhere into the prompt, for the user to add a question: the selection of the editor, or what another
//! feature has. Must not know what the agent makes of it.

use std::ops::Range;

use crate::base::code_fence::code_fence;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::{edit, panes};
use crate::ide::model::buffers::Buffer;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::transaction::Grouping;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "prompt.add-selection",
    "Add selection to prompt",
    &["send to agent", "ask about selection", "attach lines", "add to chat"],
    add_selection,
)];

/// Maximum bytes of a quoted selection.
const BYTES_MAX: usize = 256 << 10;

/// Quotes the selections of the shown text, or the lines of the carets, with the file and the lines that they are.
fn add_selection(cx: &mut Cx<'_>) {
    if !cx.state.layers.is_empty() {
        return cx.state.set_status("Close the pop-up first");
    }
    let Some(buffer) = cx.state.buffers.current() else {
        return cx.state.set_status("No text open");
    };
    if buffer.is_image {
        return cx.state.set_status("An image has no text: name its file with @ in the prompt");
    }
    let ranges = quoted_ranges(buffer);
    if ranges.iter().map(|range| range.end.0 - range.start.0).sum::<usize>() > BYTES_MAX {
        return cx.state.set_status("Too long to quote: name the file with @ in the prompt");
    }
    let name = buffer.path_or_name(&cx.state.workspace);
    let quote = |range: &Range<Byte>| {
        let title = format!("{name}, {}:", lines(buffer.area.text(), range));
        block(&title, &buffer.area.text().slice(range.clone()))
    };
    let text: String = ranges.iter().map(quote).collect();
    insert(cx, &text);
}

/// Returns what is selected, and the lines of carets, each once.
fn quoted_ranges(buffer: &Buffer) -> Vec<Range<Byte>> {
    let text = buffer.area.text();
    let range = |range: &crate::text::selection::Range| {
        let (start, end) = (range.start().min(text.end()), range.end().min(text.end()));
        if start < end {
            return start..end;
        }
        let line = text.line_of(start);
        text.line_start(line)..text.line_start(Line(line.0 + 1)).min(text.end())
    };
    let mut ranges: Vec<Range<Byte>> = buffer.area.selection.ranges().iter().map(range).collect();
    ranges.dedup();
    ranges
}

/// Returns which lines a range is on. One that ends behind a line break does not reach into the next line.
fn lines(text: &Text, range: &Range<Byte>) -> String {
    let (first, mut last) = (text.line_of(range.start).0, text.line_of(range.end).0);
    if last > first && text.line_start(Line(last)) == range.end {
        last -= 1;
    }
    if first == last { format!("line {}", first + 1) } else { format!("lines {} to {}", first + 1, last + 1) }
}

/// Returns a text in a code block below a title.
pub fn block(title: &str, text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    let fence = code_fence(text);
    format!("{title}\n{fence}\n{text}\n{fence}\n")
}

/// Puts a text at the end of the prompt, which gets the keys. The caret stays where it was, for the question: what is
/// written first is the title of a session. Long text is folded as a paste is.
pub fn insert(cx: &mut Cx<'_>, text: &str) {
    panes::focus(cx, Focus::Agent);
    let area = &mut cx.state.prompt.area;
    let (caret, end) = (area.caret(), area.text().end());
    let is_begun = area.text().line(area.text().last_line()).is_empty() && end > Byte(0);
    area.go_to(end);
    let before = if is_begun { "" } else { "\n" };
    edit::insert(cx, &format!("{before}{text}"), Grouping::Separate);
    let folded = cx.state.prompt.fold_pasted(Byte(end.0 + before.len()));
    cx.state.prompt.area.go_to(caret);
    cx.state.set_status(match folded {
        Some(label) => format!("Added {label} to the prompt"),
        None => "Added to the prompt".to_string(),
    });
    cx.state.damage.add_all();
}
