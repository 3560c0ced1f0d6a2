//! Commands that navigate and select by the syntax tree: parents and children, siblings, text objects.

use std::ops::Range;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::Mode;
use crate::ide::editor::modal::moves;
use crate::ide::model::buffers::Buffer;
use crate::syntax::Syntax;
use crate::syntax::structure::objects::SyntaxObject;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{self, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("syntax.expand", "Expand selection", &["smart select", "parent node"], expand),
    command("syntax.shrink", "Shrink selection", &["smart select"], shrink),
    command("syntax.next", "Select next sibling", &["syntax node"], |cx| {
        select(cx, |syntax, _, range| syntax.sibling(range, true));
    }),
    command("syntax.previous", "Select previous sibling", &["syntax node"], |cx| {
        select(cx, |syntax, _, range| syntax.sibling(range, false));
    }),
    command("syntax.child", "Select first child", &["syntax node"], |cx| {
        select(cx, |syntax, _, range| syntax.child(range));
    }),
    command("syntax.function", "Select function", &["method"], |cx| {
        select_object(cx, SyntaxObject::Function, true);
    }),
    command("syntax.inside-function", "Select function body", &["method"], |cx| {
        select_object(cx, SyntaxObject::Function, false);
    }),
    command("syntax.next-function", "Go to next function", &["method"], |cx| {
        go_to_object(cx, SyntaxObject::Function, true);
    }),
    command("syntax.previous-function", "Go to previous function", &["method"], |cx| {
        go_to_object(cx, SyntaxObject::Function, false);
    }),
    command("syntax.class", "Select class", &["struct", "type"], |cx| {
        select_object(cx, SyntaxObject::Class, true);
    }),
    command("syntax.inside-class", "Select class body", &["struct", "type"], |cx| {
        select_object(cx, SyntaxObject::Class, false);
    }),
    command("syntax.next-class", "Go to next class", &["struct", "type"], |cx| {
        go_to_object(cx, SyntaxObject::Class, true);
    }),
    command("syntax.previous-class", "Go to previous class", &["struct", "type"], |cx| {
        go_to_object(cx, SyntaxObject::Class, false);
    }),
    command("syntax.parameter", "Select parameter", &["argument"], |cx| {
        select_object(cx, SyntaxObject::Parameter, true);
    }),
    command("syntax.inside-parameter", "Select parameter text", &["argument"], |cx| {
        select_object(cx, SyntaxObject::Parameter, false);
    }),
    command("syntax.next-parameter", "Go to next parameter", &["argument"], |cx| {
        go_to_object(cx, SyntaxObject::Parameter, true);
    }),
    command("syntax.previous-parameter", "Go to previous parameter", &["argument"], |cx| {
        go_to_object(cx, SyntaxObject::Parameter, false);
    }),
    command("syntax.comment", "Select comment", &[], |cx| {
        select_object(cx, SyntaxObject::Comment, true);
    }),
    command("syntax.inside-comment", "Select comment text", &[], |cx| {
        select_object(cx, SyntaxObject::Comment, false);
    }),
    command("syntax.next-comment", "Go to next comment", &[], |cx| {
        go_to_object(cx, SyntaxObject::Comment, true);
    }),
    command("syntax.previous-comment", "Go to previous comment", &[], |cx| {
        go_to_object(cx, SyntaxObject::Comment, false);
    }),
    command("syntax.test", "Select test", &[], |cx| {
        select_object(cx, SyntaxObject::Test, true);
    }),
    command("syntax.inside-test", "Select test body", &[], |cx| {
        select_object(cx, SyntaxObject::Test, false);
    }),
    command("syntax.next-test", "Go to next test", &["jump to next test"], |cx| {
        go_to_object(cx, SyntaxObject::Test, true);
    }),
    command("syntax.previous-test", "Go to previous test", &["jump to previous test"], |cx| {
        go_to_object(cx, SyntaxObject::Test, false);
    }),
];

fn select_object(cx: &mut Cx<'_>, object: SyntaxObject, outer: bool) {
    select(cx, |syntax, text, range| syntax.object(text, range, object, outer));
}

/// Goes to the start of a text object, or selects it in key maps whose motions select.
fn go_to_object(cx: &mut Cx<'_>, object: SyntaxObject, forward: bool) {
    let modes = cx.state.keymap.modal_style();
    if modes == ModalStyle::Vim && cx.state.modal.mode != Mode::Insert {
        return moves::syntax_move(cx, object, forward);
    }
    cx.state.note_jump();
    let whole = modes == ModalStyle::Helix;
    select(cx, |syntax, text, range| {
        let found = syntax.next_object(text, range.start, object, forward)?;
        Some(if whole { found } else { found.start..found.start })
    });
}

/// Selects the parent nodes. In a file whose language has no tree a language server may know what is around.
fn expand(cx: &mut Cx<'_>) {
    if lacks_tree(cx) && is_available(cx, EXPAND_BY_SERVER) {
        return cx.defer_command(EXPAND_BY_SERVER);
    }
    let before = cx.state.buffers.current().map(|buffer| buffer.area.selection.clone());
    if select(cx, |syntax, _, range| syntax.expand(range))
        && let (Some(buffer), Some(before)) = (cx.state.buffers.current_mut(), before)
    {
        note_expansion(buffer, before);
    }
}

/// The command that asks a language server.
const EXPAND_BY_SERVER: &str = "lsp.expand-selection";

fn lacks_tree(cx: &Cx<'_>) -> bool {
    cx.state.buffers.current().is_some_and(|buffer| !has_grammar(buffer))
}

/// Whether the text has a tree, or will have one.
fn has_grammar(buffer: &Buffer) -> bool {
    buffer.highlighting.language().is_some() && buffer.highlighting.trouble().is_none()
}

fn is_available(cx: &Cx<'_>, id: &str) -> bool {
    cx.state.catalog.command(id).is_some_and(|command| command.check(cx.state).is_ok())
}

/// Notes that a selection has grown to the present one, so that it can shrink again.
pub fn note_expansion(buffer: &mut Buffer, before: Selection) {
    let (version, now) = (buffer.area.document.version(), &buffer.area.selection);
    // Steps recorded for another selection do not lead back from here.
    let goes_on = buffer.expand_history.last().is_some_and(|(v, _, after)| *v == version && *after == before);
    if !goes_on {
        buffer.expand_history.clear();
    }
    buffer.expand_history.push((version, before, now.clone()));
}

fn shrink(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let (version, now) = (buffer.area.document.version(), &buffer.area.selection);
    match buffer.expand_history.pop() {
        Some((v, before, after)) if v == version && after == *now => {
            buffer.area.selection = before;
            cx.state.damage.add(Part::Editor);
        }
        _ => {
            buffer.expand_history.clear();
            cx.state.set_status("No selection to shrink to");
        }
    }
}

/// Replaces every selection by what `find` returns for it, or keeps it if that is `None`. Returns whether
/// anything was found.
fn select(cx: &mut Cx<'_>, find: impl Fn(&Syntax, &Text, &Range<Byte>) -> Option<Range<Byte>>) -> bool {
    let tree = cx.state.tree_now();
    let Some(buffer) = cx.state.buffers.current_mut() else { return false };
    let Some(syntax) = tree else {
        let known = has_grammar(buffer);
        cx.state.set_status(if known { "Still parsing; try again" } else { "No syntax tree for this file" });
        return false;
    };
    let text = buffer.area.text().clone();
    let found = buffer.area.selection.transform(|range| match find(&syntax, &text, &range.span()) {
        Some(found) => selection::Range::new(found.start, found.end),
        None => range,
    });
    if found == buffer.area.selection {
        cx.state.set_status("No more of them here");
        return false;
    }
    buffer.area.selection = found;
    buffer.area.document.seal();
    cx.state.damage.add(Part::Editor);
    true
}
