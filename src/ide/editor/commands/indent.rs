//! Indentation from the syntax tree, for opened lines and for existing ones.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::editor::commands::edit::apply;
use crate::ide::editor::modal::background;
use crate::syntax::Syntax;
use crate::text::changes::ChangeSet;
use crate::text::operations::edit::touched_lines;
use crate::text::operations::indent::{self, IndentLevels, NoLevels};
use crate::text::operations::lines;
use crate::text::operations::pairs;
use crate::text::rope::Text;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("edit.reindent", "Reindent lines", &["auto indent", "format indentation"], reindent)];

/// Opens lines above or below those that `within` returns for the selection.
pub fn open(cx: &mut Cx<'_>, below: bool, within: impl FnOnce(&Text, &Selection) -> Selection) {
    let (style, tree) = (cx.state.line_style(), cx.state.tree());
    apply(cx, |text, selection| {
        let white = |at| match &tree {
            Some(tree) => pairs::new_line_indent(text, at, at, &style, &**tree),
            None => pairs::new_line_indent(text, at, at, &style, &NoLevels),
        };
        lines::open(text, &within(text, selection), below, style.ending, |at| Some(white(at)))
    });
}

/// Reindents the selected lines. For many lines a task does it; it parses a long text that was not parsed
/// since its last change.
fn reindent(cx: &mut Cx<'_>) {
    let unit = cx.state.line_style().unit;
    let tree = cx.state.tree_now();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let language = buffer.highlighting.language().filter(|language| !language.indents.is_empty());
    let Some(language) = language else {
        return cx.state.set_status("No indentation rules for this language");
    };
    let (text, selection) = (buffer.area.text().clone(), buffer.area.selection.clone());
    let lines = touched_lines(&text, &selection);
    let weight = lines.len() * BYTES_PER_LINE + if tree.is_some() { 0 } else { text.end().0 };
    let work = move || -> background::Followup {
        let read = || Syntax::parse(language, &text, None, READ_BUDGET).map(Arc::new);
        let Ok(tree) = tree.map_or_else(read, Ok) else {
            return Box::new(|_| Err("Code cannot be parsed, or not in time".to_string()));
        };
        let edit = indent::reindent(&text, &selection, lines, &unit, |line| tree.for_line(&text, line));
        Box::new(move |cx| {
            apply_edit(cx, edit);
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, weight, work) {
        cx.state.set_error(problem);
    }
}

/// Time for reading a text on a task.
const READ_BUDGET: Duration = Duration::from_secs(5);

/// Assumed cost of a line in bytes when deciding whether a task is needed.
const BYTES_PER_LINE: usize = 4 << 10;

fn apply_edit(cx: &mut Cx<'_>, edit: Transaction) {
    let nothing = edit.changes.is_identity();
    apply(cx, |text, _| if nothing { Transaction::new(ChangeSet::identity(text.end().0)) } else { edit });
    if nothing {
        cx.state.set_status("Lines are indented already");
    }
}
