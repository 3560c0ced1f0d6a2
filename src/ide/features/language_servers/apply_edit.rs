//! Applies edits of servers: checked, shown where they reach beyond the shown text, and applied as one step that one undo
//! takes back. Also the edits that a server requests by itself, which count only while a command runs that the user has
//! started. Must not know where an edit comes from.

use std::time::Duration;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::features::language_servers::edit_plan::{self, EditPlan};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::features::project_search::job::Target;
use crate::ide::features::project_search::navigate::open_texts;
use crate::ide::features::project_search::whole;
use crate::lsp::client::edits::{EditReply, RequestedEdit, ServerEdit};

/// How long after the end of a command its edits may still arrive: some servers answer the command first.
const LATE_EDITS: Duration = Duration::from_secs(2);

/// What follows an edit: whether it was applied.
pub type Then = Box<dyn FnOnce(&mut Cx<'_>, bool) + Send>;

/// What the user does who has asked for an edit, once it was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// The user waits for it.
    Waiting,
    /// The user types something else: those keys must not answer a question about it.
    Elsewhere,
    /// It is not wanted any more.
    Gone,
}

/// Called once an edit was checked, before anything is shown or applied.
pub type OnChecked = Box<dyn FnOnce(&mut Cx<'_>) -> Attention + Send>;

/// An edit to apply.
pub struct EditRequest {
    /// Name of the server, for messages.
    pub server: String,
    /// What the edit is for, such as `Rename to x`.
    pub title: String,
    /// The edit.
    pub edit: ServerEdit,
    /// Whether it is always shown before it is applied.
    pub is_previewed: bool,
    /// The answer that the server waits for.
    pub reply: Option<EditReply>,
    /// What comes before it is shown.
    pub on_checked: Option<OnChecked>,
    /// What follows.
    pub then: Option<Then>,
}

/// What is needed after the edit was checked.
struct Outcome {
    server: String,
    reply: Option<EditReply>,
    then: Option<Then>,
}

impl Outcome {
    /// Ends with a refusal: the user reads the reason once, and the server gets it.
    fn refuse(self, cx: &mut Cx<'_>, reason: &str) {
        let reason = visible(reason);
        cx.state.set_error(format!("{}: {reason}", visible(&self.server)));
        self.end(cx, Err(&reason));
    }

    fn end(self, cx: &mut Cx<'_>, result: Result<(), &str>) {
        if let Some(reply) = self.reply {
            reply.answer(result);
        }
        if let Some(then) = self.then {
            then(cx, result.is_ok());
        }
    }
}

/// Checks an edit, then shows or applies it.
pub fn begin(cx: &mut Cx<'_>, request: EditRequest) {
    sync::flush(cx.state);
    let open = open_texts(cx.state);
    let EditRequest { server, title, edit, is_previewed, reply, on_checked, then } = request;
    let outcome = Outcome { server, reply, then };
    let work = edit_plan::plan(cx.env.clone(), cx.state.workspace.clone(), open, edit);
    cx.tasks.spawn("language-servers.check-edit", work, move |cx, plan| {
        let plan = plan.unwrap_or_else(|error| Err(error.to_string()));
        let attention = on_checked.map_or(Attention::Waiting, |on_checked| on_checked(cx));
        if attention == Attention::Gone {
            return outcome.end(cx, Err("the user has canceled it"));
        }
        match plan {
            Err(reason) => outcome.refuse(cx, &reason),
            Ok(plan) if plan.step.files.is_empty() && plan.step.operations.is_empty() => {
                cx.state.set_status("Nothing to change");
                outcome.end(cx, Ok(()));
            }
            Ok(plan) if is_previewed || reaches_far(cx, &plan) => {
                show(cx, &title, plan, outcome, is_previewed && attention == Attention::Waiting);
            }
            Ok(plan) => apply(cx, plan, outcome),
        }
    });
}

/// Whether an edit changes more than the shown text.
fn reaches_far(cx: &Cx<'_>, plan: &EditPlan) -> bool {
    let shown = cx.state.buffers.current().map(|buffer| buffer.id);
    let is_shown = |target: &Target| matches!(target, Target::Open(id, _) if Some(*id) == shown);
    !plan.step.operations.is_empty() || plan.step.files.iter().any(|file| !is_shown(&file.target))
}

/// Shows what an edit changes, and asks the user. Unless it `is_expected`, keys typed before are no answer.
fn show(cx: &mut Cx<'_>, title: &str, mut plan: EditPlan, outcome: Outcome, is_expected: bool) {
    let what = summary(&plan);
    let title = format!("{}: change {what}?", visible(title));
    let lines = std::mem::take(&mut plan.preview);
    let dialog = Dialog::difference(title, lines)
        .choice('y', "Apply", move |cx| apply(cx, plan, outcome))
        .close('n', "Cancel");
    let shown = &mut cx.state.slots[LANGUAGE_SERVERS].shown_edits;
    *shown += 1;
    let number = *shown;
    let dialog = if is_expected { dialog } else { dialog.uninvited("server-edit", number) };
    cx.state.push_layer(dialog);
}

/// Returns how much an edit changes: `3 places in 2 files`.
pub fn summary(plan: &EditPlan) -> String {
    let places = pluralize(plan.places, "place", "places");
    let files = pluralize(plan.step.files.len(), "file", "files");
    match plan.step.operations.len() {
        0 => format!("{places} in {files}"),
        count => format!("{places} in {files}, {}", pluralize(count, "file operation", "file operations")),
    }
}

/// Applies an edit that was checked and that the user has agreed to.
pub fn apply_plan(cx: &mut Cx<'_>, plan: EditPlan, server: String, then: Then) {
    apply(cx, plan, Outcome { server, reply: None, then: Some(then) });
}

fn apply(cx: &mut Cx<'_>, plan: EditPlan, outcome: Outcome) {
    let what = summary(&plan);
    whole::apply(cx, plan.step, move |cx, result| match result {
        Ok(()) => {
            let undo = cx.state.how_to("workspace.undo-apply");
            cx.state.set_status(format!("Changed {what}. Undo all of it: {undo}"));
            outcome.end(cx, Ok(()));
        }
        Err(reason) => outcome.refuse(cx, &reason),
    });
}

/// Notes that a command which the user has started runs at a server: its edits are applied until it ends.
pub fn command_started(cx: &mut Cx<'_>, number: u32) {
    let allowed = cx.state.slots[LANGUAGE_SERVERS].commands.entry(number).or_default();
    allowed.running += 1;
}

/// Notes that such a command has ended.
pub fn command_ended(cx: &mut Cx<'_>, number: u32) {
    let until = cx.now + LATE_EDITS;
    let allowed = cx.state.slots[LANGUAGE_SERVERS].commands.entry(number).or_default();
    (allowed.running, allowed.until) = (allowed.running.saturating_sub(1), until);
}

/// Whether such a command runs, or has ended a moment ago.
pub fn is_command_running(cx: &Cx<'_>, number: u32) -> bool {
    let allowed = cx.state.slots[LANGUAGE_SERVERS].commands.get(&number);
    allowed.is_some_and(|allowed| allowed.running > 0 || cx.now <= allowed.until)
}

/// A server wants to change files.
pub fn on_requested(cx: &mut Cx<'_>, number: u32, requested: RequestedEdit) {
    let RequestedEdit { label, edit, reply } = requested;
    let is_allowed = is_command_running(cx, number);
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    let Some(server) = known.server_mut(number) else { return };
    let name = server.spec.name.clone();
    if !is_allowed {
        server.note("it wanted to change files without a command of the user".to_string());
        let reason = "it may change files only while a command of the user runs";
        cx.state.set_error(format!("{}: refused to change files: no command runs", visible(&name)));
        return reply.answer(Err(reason));
    }
    match edit {
        Ok(edit) => {
            let title = label.unwrap_or_else(|| name.clone());
            let (reply, then) = (Some(reply), None);
            let request =
                EditRequest { server: name, title, edit, is_previewed: false, reply, on_checked: None, then };
            begin(cx, request);
        }
        Err(error) => {
            let outcome = Outcome { server: name, reply: Some(reply), then: None };
            outcome.refuse(cx, &error.to_string());
        }
    }
}

/// Shows the error of a question; returns its answer.
pub fn answer_or_refusal<T>(
    cx: &mut Cx<'_>,
    answer: Result<Result<T, String>, crate::ide::core::context::TaskError>,
) -> Option<T> {
    match answer_or_error(cx, "ask language servers", answer)? {
        Ok(answer) => Some(answer),
        Err(reason) => {
            cx.state.set_error(visible(&reason).into_owned());
            None
        }
    }
}
