//! Commands on the waiting approval, and on the list of what is allowed.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::features::permissions::answers::{self, give};
use crate::ide::features::permissions::choices::Answer;
use crate::ide::features::permissions::{report, trial};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("approval.focus", "Focus waiting approval", &["permission request", "answer"], |cx| {
        if !answers::focus(cx) {
            cx.state.set_status("No call waits for approval");
        }
    }),
    command("approval.accept", "Run waiting call once", &["allow", "approve", "yes"], |cx| {
        give(cx, Answer::Accept);
    }),
    command("approval.accept-repeats", "Allow call until quit", &["approve", "always"], |cx| {
        give(cx, Answer::AcceptRepeats);
    }),
    command("approval.accept-session", "Allow similar calls this session", &["approve"], |cx| {
        give(cx, Answer::AcceptSession);
    }),
    command("approval.accept-always", "Allow similar calls always", &["approve", "add rule"], |cx| {
        give(cx, Answer::AcceptAlways);
    }),
    command("approval.accept-everywhere", "Allow in all projects", &["approve", "write rule"], |cx| {
        give(cx, Answer::AcceptEverywhere);
    }),
    command("approval.edit", "Edit waiting command", &["change call"], |cx| give(cx, Answer::Edit)),
    command("approval.deny", "Deny waiting call", &["refuse", "reject", "no"], |cx| {
        give(cx, Answer::Deny);
    }),
    command("approval.deny-with-reason", "Deny call with reason", &["refuse", "reject"], |cx| {
        give(cx, Answer::DenyWithReason);
    }),
    command("approval.choose", "Choose selected answer", &["confirm"], answers::choose),
    command("approval.previous", "Select previous answer", &[], |cx| answers::select(cx, -1)),
    command("approval.next", "Select next answer", &[], |cx| answers::select(cx, 1)),
    command("approval.page-up", "Scroll approval up", &[], |cx| scroll_page(cx, false)),
    command("approval.page-down", "Scroll approval down", &["read on"], |cx| scroll_page(cx, true)),
    command("approval.top", "Scroll approval to start", &[], |cx| answers::scroll(cx, isize::MIN)),
    command("approval.bottom", "Scroll approval to end", &[], |cx| answers::scroll(cx, isize::MAX)),
    command("view.permissions", "Show permissions", &["rules", "allowed", "approvals", "sandbox"], |cx| {
        if !cx.state.agent.connected {
            return cx.state.set_status("Session is starting; try again in a moment");
        }
        // The screen shows what is known, and then what is in the files now.
        cx.defer_picker("permissions");
        cx.defer(|cx| report::load(cx));
    }),
    command("permissions.try", "Show permission of call", &["try", "test rule", "check"], trial::open),
];

fn scroll_page(cx: &mut Cx<'_>, down: bool) {
    let rows = answers::page(cx.state);
    answers::scroll(cx, if down { rows } else { -rows });
}
