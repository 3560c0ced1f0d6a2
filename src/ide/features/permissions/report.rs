//! What is known of the session's rules: the last report, and when it is fetched again. Must not know how it is shown.

use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::permissions::requests::{CallKey, PERMISSION_REQUESTS};
use crate::ide::features::permissions::screen;
use crate::ide::model::buffers::BufferId;
use crate::runtime::Handle;
use crate::runtime::controls::permission_report::PermissionReport;
use crate::tools::permissions::policy::Mode;
use crate::tools::permissions::rules::listing::ListedRule;

/// Name of the files of rules.
const FILE: &str = "permissions.toml";

/// Slot of the feature's state.
pub const REPORT: Slot<ReportState> = Slot::new();

/// The last report.
#[derive(Debug, Default)]
pub struct ReportState {
    /// The report; `None` until the session was asked.
    pub report: Option<PermissionReport>,
    /// When the list was made, in milliseconds since the Unix epoch.
    pub listed_ms: u64,
    /// The mode and the profiles that the list was made for.
    pub listed: Option<(Mode, &'static str, &'static str)>,
}

/// Reads the files of rules again and shows what is in them.
pub fn load(cx: &Cx<'_>) {
    load_then(cx, |_| {});
}

/// The same, then runs `done`.
pub fn load_then(cx: &Cx<'_>, done: impl FnOnce(&mut Cx<'_>) + Send + 'static) {
    let work = |session: Handle| async move { session.permission_report().await };
    ask_session(cx, "permissions.report", "read the rules", work, |cx, report| {
        cx.state.slots[REPORT].report = Some(report);
        screen::refresh(cx);
        done(cx);
    });
}

/// Makes rules count that the user changed in their file.
pub fn on_saved(cx: &mut Cx<'_>, buffer: BufferId) {
    let files = [cx.state.config.join(FILE), cx.state.workspace.join(".bowline").join(FILE)];
    let buffer = cx.state.buffers.all().iter().find(|known| known.id == buffer);
    if !buffer.and_then(|buffer| buffer.real_path()).is_some_and(|path| files.iter().any(|file| file == path))
    {
        return;
    }
    load_then(cx, |cx| {
        let problem =
            cx.state.slots[REPORT].report.as_ref().and_then(|report| report.problems.first().cloned());
        match problem {
            Some(problem) => {
                let text = screen::located(cx.state, problem.file.as_deref(), problem.line);
                cx.state.set_error(format!("{text}: {}", problem.message));
            }
            None => cx.state.set_status("Permission rules apply from the next call on"),
        }
    });
}

/// Counts the uses again, if the screen is open.
pub fn on_call_ended(cx: &mut Cx<'_>) {
    if is_open(cx.state) {
        load(cx);
    }
}

/// Returns whether the screen is open, below other pop-ups or on top.
pub fn is_open(state: &State) -> bool {
    state.layers.all::<Picker>().any(|picker| picker.spec.id == screen::PICKER.id)
}

/// Takes back what the user allowed for this session.
pub fn revoke_grant(cx: &Cx<'_>, rule: &ListedRule, text: String) {
    let description = rule.description.clone();
    let work = |session: Handle| async move { session.revoke_grant(&text).await };
    ask_session(cx, "permissions.revoke", "take the answer back", work, move |cx, was_there| {
        cx.state.set_status(if was_there {
            format!("Taken back: {description}")
        } else {
            "It was taken back already".to_string()
        });
        load(cx);
    });
}

/// Takes back that one call runs without asking.
pub fn revoke_call(cx: &mut Cx<'_>, call: &CallKey) {
    cx.state.slots[PERMISSION_REQUESTS].revoke(call);
    cx.state.set_status("Taken back: the call asks again");
    screen::refresh(cx);
}

/// Removes a rule from its file.
pub fn remove_rule(cx: &Cx<'_>, rule: ListedRule) {
    let work = |session: Handle| async move { session.remove_rule(&rule).await };
    ask_session(cx, "permissions.remove", "remove the rule", work, |cx, message| {
        load_then(cx, move |cx| cx.state.set_status(message));
    });
}
