//! Quick fixes and refactorings: listed, and worked out.

use std::sync::Arc;
use std::time::Duration;

use super::question::{Asked, Question, answers, open, servers};
use super::rename::{Change, known_by};
use crate::lsp::answers::code_actions::CodeAction;
use crate::lsp::client::Client;
use crate::lsp::client::edits::Versions;
use crate::lsp::table::Feature;
use crate::tools::contract::tool::{Invocation, Outcome, PlannedCall};
use crate::tools::interaction::language_servers::Purpose;
use crate::tools::language_servers::draft::Draft;

/// How long servers may look at the file before they are asked what can be fixed in it.
const WAIT: Duration = Duration::from_secs(3);

/// An action with its server.
struct FoundAction {
    name: String,
    client: Client,
    action: CodeAction,
    versions: Arc<Versions>,
}

/// Returns the actions at the place of a question.
async fn find_actions(call: &Invocation, asked: &Asked) -> Result<Vec<FoundAction>, String> {
    let question = &asked.question;
    let path = &asked.file.path;
    let found = servers(call)?.diagnostics(path.clone(), WAIT, Purpose::Question).await;
    let diagnostics = found.map(|found| found.all).unwrap_or_default();
    let mut answered = Vec::new();
    let clients = asked.some_servers(Feature::CodeAction, "textDocument/codeAction")?;
    for (name, client) in &clients {
        let (text, mut range) = asked.place(client)?;
        if question.place.symbol.is_none() {
            // What is wrong may be anywhere in the line.
            let line = &text[range.start..];
            range.end = range.start + line.find('\n').unwrap_or(line.len());
        }
        let touching =
            diagnostics.iter().filter(|one| one.bytes.start <= range.end && range.start <= one.bytes.end);
        let touching = touching.map(|one| (one.bytes.clone(), one.sent.clone())).collect();
        answered.push((name.clone(), client.code_actions(path, range, touching).await));
    }
    let mut all = Vec::new();
    for (name, found) in answers(answered)? {
        let Some((_, client)) = clients.iter().find(|(known, _)| *known == name) else { continue };
        let (client, versions) = (client.clone(), found.versions);
        all.extend(found.actions.into_iter().map(|action| FoundAction {
            name: name.clone(),
            client: client.clone(),
            action,
            versions: versions.clone(),
        }));
    }
    Ok(all)
}

fn check_place(question: &Question) -> Result<(), String> {
    if question.place.line.is_none() && question.place.symbol.is_none() {
        return Err("code_actions needs a line or a symbol.".to_string());
    }
    Ok(())
}

/// Lists them.
pub async fn list(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    check_place(question)?;
    let asked = open(call, question).await?;
    let all = find_actions(call, &asked).await?;
    if all.is_empty() {
        return Ok(Outcome::text("There are no code actions here."));
    }
    let mut lines = Vec::new();
    for (n, found) in all.iter().enumerate() {
        let action = &found.action;
        let kind = action.kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
        let remark = match (&action.disabled, action.is_preferred) {
            (Some(reason), _) => format!(" [not now: {reason}]"),
            (None, true) => " [preferred]".to_string(),
            (None, false) => String::new(),
        };
        lines.push(format!("{}. {}{kind}{remark}", n + 1, action.title));
    }
    lines.push("Apply one with apply=true and query=its number or title.".to_string());
    Ok(Outcome::text(lines.join("\n")))
}

/// Works out the one that is chosen.
pub async fn plan(tool: &'static str, call: Invocation, question: Question) -> Result<PlannedCall, String> {
    check_place(&question)?;
    let Some(choice) = question.query.clone() else {
        return Err("Say which action with query: its number or its title. Without apply they are listed."
            .to_string());
    };
    let asked = open(&call, &question).await?;
    let mut all = find_actions(&call, &asked).await?;
    let by_number = choice.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|at| *at < all.len());
    let named = |exact: bool| {
        let title = |found: &FoundAction| found.action.title.to_lowercase();
        let choice = choice.to_lowercase();
        all.iter().position(|one| if exact { title(one) == choice } else { title(one).contains(&choice) })
    };
    let Some(at) = by_number.or_else(|| named(true)).or_else(|| named(false)) else {
        return Err(format!("No code action here is called {choice:?}. List them without apply."));
    };
    let FoundAction { name, client, action, versions } = all.swap_remove(at);
    let title = action.title.clone();
    let failed = |error: &dyn std::fmt::Display| format!("Nothing was changed: {name}: {error}.");
    if let Some(reason) = &action.disabled {
        return Err(failed(reason));
    }
    let (edit, command) = client.edit_of_action(action, versions).await.map_err(|error| failed(&error))?;
    let Some(edit) = edit else {
        return Err(failed(&format!("{title:?} is a command of the server, which only the user can run")));
    };
    let known = known_by(&client);
    let mut draft = Draft::new(&*call.env, &known);
    draft.add(&edit).await.map_err(|error| failed(&error))?;
    let skipped = |_| format!("The server would run a command after it ({name}); it was not run.");
    let note = command.map(skipped).unwrap_or_default();
    Change { headline: format!("Applied {title:?}"), note, change: draft.finish(), then: None }
        .planned(tool, &call)
}
