//! Types keys again for the count of an insertion, as long as the file has the keys. Must not know what they do.

use crate::ide::core::context::Cx;
use crate::ide::editor::modal::insert_mode::insert;
use crate::ide::editor::modal::key_hooks;
use crate::ide::shell::input;
use crate::tui::input::Key;

/// Types keys again for a count, and ends typing.
pub fn retype(cx: &mut Cx<'_>, keys: &[Key], times: usize) {
    for _ in 0..times {
        if !insert::has_keys(cx) {
            break;
        }
        insert::retype(cx);
        cx.run_deferred();
        for key in keys {
            if insert::has_keys(cx) {
                insert::carry_indent(cx, *key, |cx| input::retype_key(cx, *key));
                cx.run_deferred();
            }
        }
    }
    insert::finish(cx);
    cx.run_deferred();
    key_hooks::after_key(cx, None);
}
