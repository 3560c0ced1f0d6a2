//! The dialog of a permission request: what would run, where, why permission is needed, and the possible
//! answers.

use tokio::sync::oneshot;

use crate::ide::core::context::Cx;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::permissions::requests::PERMISSION_REQUESTS;
use crate::ide::features::permissions::rules;
use crate::tools::contract::view::{DiffLine, FileDiff, ResultView};
use crate::tools::permissions::approval::{Ask, Decision};

/// Kind of the dialogs and prompts about a tool call.
const DIALOG_TOPIC: &str = "tool-call";

/// Opens the dialog of a permission request.
pub fn ask(cx: &mut Cx<'_>, ask: Ask, reply: oneshot::Sender<Decision>) {
    let Some(id) = cx.state.slots[PERMISSION_REQUESTS].add(ask, reply) else { return };
    let Some(dialog) = dialog(cx, id) else { return };
    // Below everything else, so that the user's current layer, or the request being read, keeps the keys.
    cx.state.layers.push_below(dialog);
    cx.state.damage.add_all();
}

/// Reopens the dialog after one of its prompts was cancelled.
fn reopen(cx: &mut Cx<'_>, id: u64) {
    if let Some(dialog) = dialog(cx, id) {
        cx.state.push_layer(dialog);
    }
}

fn dialog(cx: &Cx<'_>, id: u64) -> Option<Dialog> {
    let ask = cx.state.slots[PERMISSION_REQUESTS].get(id)?;
    let (title, mut lines) = (format!("{} wants to run", ask.tool), Vec::new());
    // Each line of a command is shown separately; other control characters become symbols.
    lines.extend(ask.target.split('\n').map(str::to_string));
    let changes = ask.preview.as_ref().map(difference_lines).unwrap_or_default();
    lines.push(String::new());
    // If the command changes to another folder, its text shows that.
    lines.push(format!("in the workspace {}", last_name(&ask.workspace)));
    lines.push(format!("Reason: {}", ask.rule));
    lines.extend(ask.proposal.as_ref().map(|proposal| format!("like it: {}", proposal.what)));
    let is_difference = !changes.is_empty();
    if is_difference {
        lines.push(String::new());
        lines.extend(changes);
    }
    let mut dialog = if is_difference { Dialog::difference(title, lines) } else { Dialog::ask(title, lines) };
    dialog = dialog
        .uninvited(DIALOG_TOPIC, id)
        .on_escape(move |cx| deny(cx, id))
        .choice_after_scroll('y', "Allow once", move |cx| {
            cx.state.slots[PERMISSION_REQUESTS].answer(id, Decision::Allow, false);
        })
        .short_label("Once");
    if ask.repeatable {
        dialog = dialog
            .choice_after_scroll('a', "Always allow this call", move |cx| {
                cx.state.slots[PERMISSION_REQUESTS].answer(id, Decision::Allow, true);
            })
            .short_label("Always");
    }
    if ask.proposal.is_some() {
        dialog = dialog
            .choice_after_scroll('s', "Allow for this session", move |cx| allow_like(cx, id, None))
            .short_label("Session")
            .choice_after_scroll('l', "Always allow (adds a rule)", move |cx| propose(cx, id))
            .short_label("Rule");
    }
    if is_editable(ask) {
        // What is edited and run must have been read before.
        dialog = dialog.choice_after_scroll('e', "Edit command", move |cx| edit(cx, id));
    }
    let dialog = dialog
        .choice('n', "Deny", move |cx| deny(cx, id))
        .choice('r', "Deny with reason", move |cx| ask_reason(cx, id))
        .short_label("Reason");
    Some(dialog)
}

fn last_name(folder: &str) -> &str {
    folder.rsplit('/').find(|name| !name.is_empty()).unwrap_or("/")
}

/// Returns whether the command fits a line in which it can be edited.
fn is_editable(ask: &Ask) -> bool {
    ask.editable.is_some() && !ask.target.contains(['\n', '\r'])
}

/// Returns the changes as lines of a diff.
fn difference_lines(view: &ResultView) -> Vec<String> {
    let line = |line: &Option<DiffLine>| {
        line.as_ref().map_or_else(|| "…".to_string(), |line| format!("{}{}", line.sign, line.text))
    };
    match view {
        ResultView::Diff { lines, .. } => lines.iter().map(line).collect(),
        ResultView::Diffs(files) => {
            let file = |file: &FileDiff| {
                std::iter::once(file.title.clone()).chain(file.lines.iter().map(line)).collect::<Vec<_>>()
            };
            files.iter().flat_map(file).collect()
        }
        ResultView::Text(_) | ResultView::Output(_) | ResultView::Plan(_) => Vec::new(),
    }
}

fn deny(cx: &mut Cx<'_>, id: u64) {
    cx.state.slots[PERMISSION_REQUESTS].answer(id, Decision::Deny("the user said no".to_string()), false);
}

/// Opens a prompt for the command to run instead.
fn edit(cx: &mut Cx<'_>, id: u64) {
    let Some(command) = cx.state.slots[PERMISSION_REQUESTS].get(id).map(|ask| ask.target.clone()) else {
        return;
    };
    let prompt = Prompt::new("Run this instead", move |cx, text| {
        let unchanged = cx.state.slots[PERMISSION_REQUESTS].get(id).is_some_and(|ask| ask.target == text);
        let decision = if unchanged { Decision::Allow } else { Decision::AllowEdited(text) };
        cx.state.slots[PERMISSION_REQUESTS].answer(id, decision, false);
    });
    prompt.with_id(DIALOG_TOPIC, id).on_escape(move |cx| reopen(cx, id)).required().initial(command).open(cx);
}

/// Opens a prompt for the reason of a denial.
fn ask_reason(cx: &mut Cx<'_>, id: u64) {
    let prompt = Prompt::new("Reason for denying (sent to the model)", move |cx, text| {
        let reason = match text.trim() {
            "" => "the user said no".to_string(),
            reason => format!("the user said no: {reason}"),
        };
        cx.state.slots[PERMISSION_REQUESTS].answer(id, Decision::Deny(reason), false);
    });
    prompt.with_id(DIALOG_TOPIC, id).on_escape(move |cx| reopen(cx, id)).open(cx);
}

/// Where a permanent rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Project,
    Anywhere,
}

/// Shows the rule before it is written, and what it would cover.
fn propose(cx: &mut Cx<'_>, id: u64) {
    let Some(ask) = cx.state.slots[PERMISSION_REQUESTS].get(id) else { return };
    let Some(proposal) = &ask.proposal else { return };
    let mut lines: Vec<String> = proposal.rule.lines().map(str::to_string).collect();
    let project = last_name(&ask.workspace);
    lines.extend([
        String::new(),
        proposal.covers.clone(),
        format!("Goes to your permissions.toml, for the project {project} or for all."),
    ]);
    let dialog = Dialog::ask("Always allow", lines)
        .with_id(DIALOG_TOPIC, id)
        .on_escape(move |cx| reopen(cx, id))
        .choice_after_scroll('y', "Allow for this project", move |cx| {
            allow_like(cx, id, Some(Scope::Project));
        })
        .short_label("Project")
        .choice_after_scroll('w', "Allow for all projects", move |cx| {
            allow_like(cx, id, Some(Scope::Anywhere));
        })
        .short_label("All")
        .choice('n', "Back", move |cx| reopen(cx, id));
    cx.state.push_layer(dialog);
}

fn allow_like(cx: &mut Cx<'_>, id: u64, lasting: Option<Scope>) {
    let Some(proposal) = cx.state.slots[PERMISSION_REQUESTS].get(id).and_then(|ask| ask.proposal.clone())
    else {
        return;
    };
    match lasting {
        Some(Scope::Project) => rules::add_rule(cx, proposal.project_rule.clone()),
        Some(Scope::Anywhere) => rules::add_rule(cx, proposal.rule.clone()),
        None => {}
    }
    cx.state.slots[PERMISSION_REQUESTS].answer(id, Decision::AllowLike(proposal), false);
}

/// Closes the dialogs of requests that were withdrawn.
pub fn drop_withdrawn(cx: &mut Cx<'_>) {
    let withdrawn = cx.state.slots[PERMISSION_REQUESTS].take_withdrawn();
    if !withdrawn.is_empty() {
        let is_gone = |number: Option<u64>| number.is_some_and(|id| withdrawn.contains(&id));
        cx.state.layers.close_where::<Dialog>(|dialog| is_gone(dialog.number_of(DIALOG_TOPIC)));
        cx.state.layers.close_where::<Prompt>(|prompt| is_gone(prompt.number_of(DIALOG_TOPIC)));
        cx.state.damage.add_all();
    }
}
