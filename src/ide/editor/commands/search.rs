//! Goes to lines of the shown file, and says what a search of it begins with.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::model::buffers::Buffer;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("search.go-to-line", "Go to line", &["goto line", "column"], |cx| {
        Prompt::new("Go to line", |_, _| {}).check(go_to_line).open(cx);
    })
    .when(condition::has_file)];

/// Returns the initial text of a search in the shown file.
pub fn seed_of(cx: &Cx<'_>) -> String {
    let last = cx.state.search.last.as_deref();
    cx.state.buffers.current().map_or(last.unwrap_or_default().to_string(), |buffer| seed(buffer, last))
}

/// Returns the initial text of a search: a selected piece of one line, else the last search.
fn seed(buffer: &Buffer, last: Option<&str>) -> String {
    let selected = buffer.area.selected().swap_remove(buffer.area.selection.primary_index());
    if selected.is_empty() || selected.contains('\n') {
        last.unwrap_or_default().to_string()
    } else {
        selected
    }
}

/// Goes to `line` or `line:column`, both one-based. Fails with a message if the text is neither.
fn go_to_line(cx: &mut Cx<'_>, answer: &str) -> Result<(), String> {
    let mut parts = answer.trim().splitn(2, ':').map(str::parse::<usize>);
    let line = match parts.next() {
        Some(Ok(line)) if line >= 1 => line,
        _ => return Err("a line number from 1, or line:column".to_string()),
    };
    let column = match parts.next() {
        None => 1,
        Some(Ok(column)) if column >= 1 => column,
        Some(_) => return Err("a column number from 1".to_string()),
    };
    cx.state.note_jump();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.place_cursor((line, column), cx.state.text_options.tab_width);
    }
    Ok(())
}
