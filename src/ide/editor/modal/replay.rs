//! Replays keys: a recording, typing repeated by a count, `:normal`. Must not know what they do.

use crate::ide::core::context::Cx;
use crate::ide::editor::modal::{command_line, insert_mode, key_hooks, repeat};
use crate::ide::shell::input;
use crate::text::position::Line;
use crate::tui::input::{Key, KeyCode, Mods};

/// Maximum nesting of replays: a recording that replays itself would overflow the stack.
const DEPTH_MAX: usize = 20;

/// Runs one step and its effects.
pub type Steps<'a> = dyn FnMut(&mut dyn FnMut(&mut Cx<'_>)) + 'a;

/// Presses recorded keys. A failure ends this replay and those around it.
pub fn keys(run: &mut Steps<'_>, keys: &[Key]) {
    let (mut outer, mut too_deep) = (false, false);
    run(&mut |cx| {
        too_deep = cx.state.macros.depth >= DEPTH_MAX;
        if too_deep {
            cx.state.modal.failed = true;
            return cx.state.set_error("Recursive macro stopped");
        }
        cx.state.macros.depth += 1;
        outer = std::mem::replace(&mut cx.state.macros.replaying, true);
        // A motion that failed before is no failure of this replay.
        cx.state.modal.failed = false;
    });
    if too_deep {
        return;
    }
    for key in keys {
        run(&mut |cx| input::key(cx, *key));
        let mut failed = false;
        run(&mut |cx| {
            failed = repeat::has_failed(cx);
            cx.state.modal.failed = failed && outer;
        });
        if failed {
            break;
        }
    }
    run(&mut |cx| {
        cx.state.macros.replaying = outer;
        cx.state.macros.depth -= 1;
    });
}

/// Types keys again for a count, and ends typing.
pub fn retype(run: &mut Steps<'_>, keys: &[Key], times: usize) {
    for _ in 0..times {
        run(&mut insert_mode::insert::retype);
        for key in keys {
            run(&mut |cx| insert_mode::insert::carry_indent(cx, *key, |cx| input::retype_key(cx, *key)));
        }
    }
    run(&mut insert_mode::insert::finish);
    run(&mut |cx| key_hooks::after_key(cx, None));
}

/// Presses the keys of `:normal` on each marked line, as one undo step.
pub fn on_lines(run: &mut Steps<'_>, pressed: &[Key], lines: usize, first: Option<Line>) {
    run(&mut command_line::normal::begin);
    for n in 0..lines.max(1) {
        let mut there = true;
        if lines > 0 {
            run(&mut |cx| there = command_line::normal::go_to_line(cx, n, first));
        }
        if there {
            keys(run, pressed);
            let mut types = false;
            run(&mut |cx| types = cx.state.modal.mode.is_typing());
            if types {
                keys(run, &[Key::new(KeyCode::Escape, Mods::NONE)]);
            }
            run(&mut command_line::normal::finish);
        }
    }
    run(&mut command_line::normal::end);
}
