//! Commands that select by the text's tree: more and less of it, what is beside, whole things.

use std::ops::Range;

use super::command::{Command, Cx, command};
use crate::ide::state::damage::Part;
use crate::syntax::Syntax;
use crate::syntax::nodes::Object;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("syntax.expand", "Select what surrounds the selection in the code", expand),
    command("syntax.shrink", "Take the last step of that back", shrink),
    command("syntax.next", "Select what follows the selection in the code", |cx| {
        select(cx, |syntax, _, range| syntax.sibling(range, true));
    }),
    command("syntax.previous", "Select what stands before the selection in the code", |cx| {
        select(cx, |syntax, _, range| syntax.sibling(range, false));
    }),
    command("syntax.function", "Select the function around the cursor", |cx| {
        around(cx, Object::Function);
    }),
    command("syntax.class", "Select the class or structure around the cursor", |cx| {
        around(cx, Object::Class);
    }),
    command("syntax.parameter", "Select the parameter or argument around the cursor", |cx| {
        around(cx, Object::Parameter);
    }),
    command("syntax.comment", "Select the comment around the cursor", |cx| around(cx, Object::Comment)),
];

fn around(cx: &mut Cx<'_>, object: Object) {
    select(cx, |syntax, text, range| syntax.around(text, range, object));
}

fn expand(cx: &mut Cx<'_>) {
    let before = cx.state.buffers.current().map(|b| (b.area.document.version(), b.area.selection.clone()));
    if select(cx, |syntax, _, range| syntax.expand(range))
        && let (Some(buffer), Some((version, before))) = (cx.state.buffers.current_mut(), before)
    {
        let now = &buffer.area.selection;
        // Steps from elsewhere are no way back from here.
        let goes_on = buffer.expanded.last().is_some_and(|(v, _, after)| *v == version && *after == before);
        if !goes_on {
            buffer.expanded.clear();
        }
        buffer.expanded.push((version, before, now.clone()));
    }
}

fn shrink(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let (version, now) = (buffer.area.document.version(), &buffer.area.selection);
    match buffer.expanded.pop() {
        Some((v, before, after)) if v == version && after == *now => {
            buffer.area.selection = before;
            cx.state.damage.add(Part::Editor);
        }
        _ => {
            buffer.expanded.clear();
            cx.state.say("there is no step to take back");
        }
    }
}

/// Puts in the place of every selection what is found for it; one for which nothing is found
/// stays. Tells whether anything was.
fn select(cx: &mut Cx<'_>, find: impl Fn(&Syntax, &Text, &Range<Byte>) -> Option<Range<Byte>>) -> bool {
    let Some(buffer) = cx.state.buffers.current_mut() else { return false };
    // Several keys may come before a frame: the tree must know of every edit.
    buffer.coloring.hear(&mut buffer.area.document);
    let Some(syntax) = buffer.coloring.tree().cloned() else {
        let known = buffer.coloring.language().is_some() && buffer.coloring.trouble().is_none();
        cx.state.say(if known {
            "the code is being read; try again"
        } else {
            "this file is not read as code"
        });
        return false;
    };
    let text = buffer.area.text().clone();
    let found = buffer.area.selection.transform(|range| match find(&syntax, &text, &range.span()) {
        Some(found) => selection::Range::new(found.start, found.end),
        None => range,
    });
    if found == buffer.area.selection {
        cx.state.say("there is nothing more of that here");
        return false;
    }
    buffer.area.selection = found;
    buffer.area.document.seal();
    cx.state.damage.add(Part::Editor);
    true
}
