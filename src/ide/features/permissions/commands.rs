//! Commands on the waiting approval, and on the list of what is allowed.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::state::State;
use crate::ide::features::permissions::answers::{self, give};
use crate::ide::features::permissions::choices::Answer;
use crate::ide::features::permissions::requests::PERMISSION_REQUESTS;
use crate::ide::features::permissions::{report, trial};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("approval.focus", "Focus waiting approval", &["permission request", "answer"], |cx| {
        if !answers::focus(cx) {
            cx.state.set_status("No call waits for approval");
        }
    })
    .when(has_call),
    command("approval.accept", "Run waiting call once", &["allow", "approve", "yes"], |cx| {
        give(cx, Answer::Accept);
    })
    .when(has_call),
    command("approval.accept-repeats", "Allow call until quit", &["approve", "always"], |cx| {
        give(cx, Answer::AcceptRepeats);
    })
    .when(has_call),
    command("approval.accept-session", "Allow similar calls this session", &["approve"], |cx| {
        give(cx, Answer::AcceptSession);
    })
    .when(has_call),
    command("approval.accept-always", "Allow similar calls always", &["approve", "add rule"], |cx| {
        give(cx, Answer::AcceptAlways);
    })
    .when(has_call),
    command("approval.accept-everywhere", "Allow in all projects", &["approve", "write rule"], |cx| {
        give(cx, Answer::AcceptEverywhere);
    })
    .when(has_call),
    command("approval.edit", "Edit waiting command", &["change call"], |cx| give(cx, Answer::Edit))
        .when(has_call),
    command("approval.deny", "Deny waiting call", &["refuse", "reject", "no"], |cx| {
        give(cx, Answer::Deny);
    })
    .when(has_call),
    command("approval.deny-with-reason", "Deny call with reason", &["refuse", "reject"], |cx| {
        give(cx, Answer::DenyWithReason);
    })
    .when(has_call),
    command("approval.choose", "Choose selected answer", &["confirm"], answers::choose).when(has_call),
    command("approval.previous", "Select previous answer", &[], |cx| answers::select(cx, -1)).when(has_call),
    command("approval.next", "Select next answer", &[], |cx| answers::select(cx, 1)).when(has_call),
    command("approval.page-up", "Scroll approval up", &[], |cx| scroll_page(cx, false)).when(has_call),
    command("approval.page-down", "Scroll approval down", &["read on"], |cx| scroll_page(cx, true))
        .when(has_call),
    command("approval.top", "Scroll approval to start", &[], |cx| answers::scroll(cx, isize::MIN))
        .when(has_call),
    command("approval.bottom", "Scroll approval to end", &[], |cx| answers::scroll(cx, isize::MAX))
        .when(has_call),
    command("view.permissions", "Show permissions", &["rules", "allowed", "approvals", "sandbox"], |cx| {
        // The screen shows what is known, and then what is in the files now.
        cx.defer_picker("permissions");
        cx.defer(|cx| report::load(cx));
    })
    .when(condition::has_session),
    command("permissions.try", "Show permission of call", &["try", "test rule", "check"], trial::open),
];

/// A call waits for approval.
fn has_call(state: &State) -> Result<(), Reason> {
    condition::require(
        !state.slots[PERMISSION_REQUESTS].is_empty(),
        Reason::new("No call waits for approval"),
    )
}

fn scroll_page(cx: &mut Cx<'_>, down: bool) {
    let rows = answers::page(cx.state);
    answers::scroll(cx, if down { rows } else { -rows });
}
