//! The question whether a tool call may run: what would run, where, why it is asked, and the ways to
//! answer.

use tokio::sync::oneshot;

use crate::ide::core::context::Cx;
use crate::ide::core::overlay::{Answer, Dialog, Overlay, Topic};
use crate::ide::features::files;
use crate::ide::features::permissions::rules;
use crate::tools::approval::{Ask, Decision};
use crate::tools::view::{DiffLine, FileDiff, ResultView};

/// A tool call wants to run.
pub fn ask(cx: &mut Cx<'_>, ask: Ask, reply: oneshot::Sender<Decision>) {
    let Some(id) = cx.state.asks.add(ask, reply) else { return };
    let Some(dialog) = dialog(cx, id) else { return };
    // Below everything else: what the person is busy with keeps the keys, and so does the
    // question that is being read.
    cx.state.overlays.insert(0, Overlay::Dialog(dialog));
    cx.state.damage.all();
}

/// The question comes back, since one of its longer answers was given up.
pub fn again(cx: &mut Cx<'_>, id: u64) {
    if let Some(dialog) = dialog(cx, id) {
        cx.state.push_overlay(Overlay::Dialog(dialog));
    }
}

fn dialog(cx: &Cx<'_>, id: u64) -> Option<Dialog> {
    let ask = cx.state.asks.get(id)?;
    let (title, mut lines) = (format!("{} wants to run", ask.tool), Vec::new());
    // Each line of a command as one; other control characters are shown as signs.
    lines.extend(ask.subject.split('\n').map(str::to_string));
    let changes = ask.preview.as_ref().map(changes).unwrap_or_default();
    lines.push(String::new());
    // A folder elsewhere is told by the command itself, which goes there.
    lines.push(format!("in the workspace {}", last_name(&ask.place)));
    lines.push(format!("asked by the rule: {}", ask.rule));
    lines.extend(ask.proposal.as_ref().map(|proposal| format!("like it: {}", proposal.what)));
    let is_difference = !changes.is_empty();
    if is_difference {
        lines.push(String::new());
        lines.extend(changes);
    }
    let mut dialog = if is_difference { Dialog::difference(title, lines) } else { Dialog::ask(title, lines) };
    dialog = dialog.choice('y', "once", Answer::Allow(id));
    if ask.repeatable {
        dialog = dialog.choice('a', "always this", Answer::AllowAlways(id));
    }
    if ask.proposal.is_some() {
        dialog = dialog.choice('s', "session, all like it", Answer::AllowLike(id)).choice(
            'l',
            "lasting rule",
            Answer::Propose(id),
        );
    }
    if editable(ask) {
        dialog = dialog.choice('e', "edit", Answer::EditCall(id));
    }
    let dialog = dialog.choice('n', "no", Answer::Deny(id)).choice('r', "reason why not", Answer::Refuse(id));
    Some(dialog)
}

fn last_name(folder: &str) -> &str {
    folder.rsplit('/').find(|name| !name.is_empty()).unwrap_or("/")
}

/// Whether the command fits a line in which it can be changed.
fn editable(ask: &Ask) -> bool {
    ask.editable.is_some() && !ask.subject.contains(['\n', '\r'])
}

/// What would be changed, as lines of a difference.
fn changes(view: &ResultView) -> Vec<String> {
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

/// One of the answers about a call was given in its dialog.
pub fn answered(cx: &mut Cx<'_>, answer: &Answer) {
    let asks = &mut cx.state.asks;
    match answer {
        Answer::Allow(id) => asks.answer(*id, Decision::Allow, false),
        Answer::AllowAlways(id) => asks.answer(*id, Decision::Allow, true),
        Answer::Deny(id) => asks.answer(*id, Decision::Deny("the person said no".to_string()), false),
        Answer::AllowLike(id) => allow_like(cx, *id, None),
        Answer::Lasting(id) => allow_like(cx, *id, Some(Scope::Project)),
        Answer::LastingAnywhere(id) => allow_like(cx, *id, Some(Scope::Anywhere)),
        Answer::Propose(id) => propose(cx, *id),
        Answer::AskAgain(id) => again(cx, *id),
        Answer::EditCall(id) => {
            let Some(command) = asks.get(*id).map(|ask| ask.subject.clone()) else { return };
            files::commands::ask(cx, Topic::EditCall(*id), &command);
        }
        Answer::Refuse(id) => files::commands::ask(cx, Topic::RefuseCall(*id), ""),
        _ => tracing::error!("an answer came to nobody"),
    }
}

/// Where a lasting rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Project,
    Anywhere,
}

/// Shows the rule before it is written, and what it would cover.
fn propose(cx: &mut Cx<'_>, id: u64) {
    let Some(ask) = cx.state.asks.get(id) else { return };
    let Some(proposal) = &ask.proposal else { return };
    let mut lines: Vec<String> = proposal.rule.lines().map(str::to_string).collect();
    let project = last_name(&ask.place);
    lines.extend([
        String::new(),
        proposal.covers.clone(),
        format!("Goes to your permissions.toml, for the project {project} or for all."),
    ]);
    let dialog = Dialog::ask("a lasting rule", lines)
        .choice('y', "for this project", Answer::Lasting(id))
        .choice('w', "for all projects", Answer::LastingAnywhere(id))
        .choice('n', "back", Answer::AskAgain(id));
    cx.state.push_overlay(Overlay::Dialog(dialog));
}

fn allow_like(cx: &mut Cx<'_>, id: u64, lasting: Option<Scope>) {
    let Some(proposal) = cx.state.asks.get(id).and_then(|ask| ask.proposal.clone()) else { return };
    match lasting {
        Some(Scope::Project) => rules::remember(cx, proposal.project_rule.clone()),
        Some(Scope::Anywhere) => rules::remember(cx, proposal.rule.clone()),
        None => {}
    }
    cx.state.asks.answer(id, Decision::AllowLike(proposal), false);
}

/// A command was changed, or a reason was written.
pub fn written(cx: &mut Cx<'_>, topic: &Topic, text: String) {
    match topic {
        Topic::EditCall(id) => {
            let unchanged = cx.state.asks.get(*id).is_some_and(|ask| ask.subject == text);
            let decision = if unchanged { Decision::Allow } else { Decision::AllowEdited(text) };
            cx.state.asks.answer(*id, decision, false);
        }
        Topic::RefuseCall(id) => {
            let why = match text.trim() {
                "" => "the person said no".to_string(),
                why => format!("the person said no: {why}"),
            };
            cx.state.asks.answer(*id, Decision::Deny(why), false);
        }
        _ => tracing::error!("an answer came to nobody"),
    }
}

/// Questions that nobody waits for any more leave the screen.
pub fn drop_withdrawn(cx: &mut Cx<'_>) {
    let gone = cx.state.asks.withdrawn();
    if !gone.is_empty() {
        cx.state.overlays.retain(|overlay| asked_id(overlay).is_none_or(|id| !gone.contains(&id)));
        cx.state.damage.all();
    }
}

/// The tool call that an overlay is about, if it is about one.
pub fn asked_id(overlay: &Overlay) -> Option<u64> {
    match overlay {
        Overlay::Dialog(dialog) => dialog.choices.iter().find_map(|choice| match choice.answer {
            Answer::Allow(id) | Answer::Lasting(id) => Some(id),
            _ => None,
        }),
        Overlay::Question(question) => match question.topic {
            Topic::EditCall(id) | Topic::RefuseCall(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

/// An overlay about a call was closed: the question itself is answered with no, what one of its answers
/// led to leads back to it.
pub fn closed(cx: &mut Cx<'_>, overlay: &Overlay) {
    let Some(id) = asked_id(overlay) else { return };
    match overlay {
        Overlay::Dialog(dialog) if dialog.choices.iter().any(|choice| choice.answer == Answer::Allow(id)) => {
            answered(cx, &Answer::Deny(id));
        }
        _ => again(cx, id),
    }
}
