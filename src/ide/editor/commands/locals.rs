//! Commands that select the occurrences of a local name.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::editor::modal::background;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "select.same-local",
    "Select local name occurrences",
    &["rename symbol", "rename local", "highlights"],
    select_same_local,
)];

/// Selects occurrences of a name in the shown text, at least one; the one at a position becomes the primary selection.
pub fn select_occurrences(cx: &mut Cx<'_>, at: Byte, occurrences: impl Iterator<Item = Range>) {
    let ranges: Vec<Range> = occurrences.collect();
    let main = ranges.iter().position(|range| range.start() <= at && at <= range.end()).unwrap_or(0);
    let count = ranges.len();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.area.select(Selection::new(ranges, main));
    }
    cx.state.damage.add(Part::Editor);
    cx.state.set_status(if count == 1 {
        "No other occurrences".to_string()
    } else {
        format!("{count} occurrences")
    });
}

/// Selects the occurrences of the local name at the primary cursor; in long files a task finds them.
fn select_same_local(cx: &mut Cx<'_>) {
    let Some(tree) = cx.state.tree_now() else {
        return cx.state.set_status("This file is not parsed, or not yet");
    };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, primary) = (buffer.area.text().clone(), buffer.area.selection.primary());
    let at = primary.start();
    let work = move || -> background::Followup {
        let found = tree.local_references(&text, at);
        Box::new(move |cx| {
            let found = found.map_err(|refusal| refusal.to_string())?;
            select_occurrences(cx, at, found.into_iter().map(|found| Range::new(found.start, found.end)));
            Ok(())
        })
    };
    let bytes = buffer.area.text().end().0;
    if let Err(problem) = background::run(cx, bytes, work) {
        cx.state.set_error(problem);
    }
}
