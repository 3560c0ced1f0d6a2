//! Code actions: a list of what the servers can do at the caret or with the selection, such as quick fixes; the chosen one
//! is completed by its server, applied, and its command is run.

use std::sync::Arc;

use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::language_servers::apply_edit::{
    self, EditRequest, Then, answer_or_refusal, command_ended, command_started,
};
use crate::ide::features::language_servers::questions::{ask, client, failure, has_server, is_at, no_answer};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::lsp::answers::code_actions::{CodeAction, ServerAction};
use crate::lsp::client::QuestionError;
use crate::lsp::client::edits::Versions;
use crate::lsp::table::Feature;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.code-actions",
    "Show code actions",
    &["quick fix", "fix problem", "refactor", "organize imports", "light bulb"],
    begin,
)
.when(has_server)];

/// The list of actions.
pub const PICKER: PickerSpec = PickerSpec {
    id: "code-actions",
    title: "Code actions",
    footer: "Enter apply",
    is_dimmed: |pick| pick.get::<ActionRow>().is_some_and(|row| row.is_disabled),
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| accept(cx, pick),
    ..PickerSpec::EMPTY
};

/// An action that a server has answered.
#[derive(Debug, Clone)]
pub struct FoundAction {
    /// Number of the server.
    server: u32,
    /// Its name.
    name: String,
    action: CodeAction,
    versions: Arc<Versions>,
}

/// An action as a row: its index.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ActionRow {
    index: usize,
    is_disabled: bool,
}

/// Asks the servers for actions, and lists them.
fn begin(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::CodeAction) else { return };
    let Some(buffer) = cx.state.buffers.get_mut(asked.buffer) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let span = buffer.area.selection.primary().span();
    let (id, at, version) = (asked.buffer, asked.at, buffer.area.document.version());
    let mut servers = Vec::new();
    for server in asked.servers {
        let marks = buffer.servers.diagnostics.of_server(server.number, span.clone());
        let marks: Vec<_> =
            marks.map(|mark| (mark.range.start.0..mark.range.end.0, mark.diagnostic.sent.clone())).collect();
        servers.push((server, marks));
    }
    let (path, range) = (asked.path, span.start.0..span.end.0);
    let work = async move {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for (server, marks) in servers {
            let Some(client) = server.client.await else { continue };
            match client.code_actions(&path, range.clone(), marks).await {
                Ok(answer) => found.extend(answer.actions.into_iter().map(|action| FoundAction {
                    server: server.number,
                    name: server.name.clone(),
                    action,
                    versions: answer.versions.clone(),
                })),
                Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&server.name, "code actions", &error)),
            }
        }
        // Those of the second server do not come behind the disabled ones of the first.
        found.sort_by_key(|found| (found.action.disabled.is_some(), !found.action.is_preferred));
        if found.is_empty() { Err(no_answer(&problems, "No code actions here")) } else { Ok(found) }
    };
    cx.tasks.spawn("language-servers.code-actions", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "ask language servers", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match answer {
            Ok(found) => {
                cx.state.slots[LANGUAGE_SERVERS].actions = found;
                cx.defer_picker("code-actions");
            }
            Err(reason) => cx.state.set_status(reason),
        }
    });
}

fn rows(state: &State) -> Vec<PickRow> {
    let found = state.slots[LANGUAGE_SERVERS].actions.iter().enumerate();
    let row = |(index, found): (usize, &FoundAction)| {
        let action = &found.action;
        let detail = match (&action.disabled, &action.kind) {
            (Some(reason), _) => format!("not now: {reason}"),
            (None, Some(kind)) => format!("{kind}  {}", found.name),
            (None, None) => found.name.clone(),
        };
        PickRow {
            text: visible(&action.title).into_owned(),
            aliases: Vec::new(),
            group: None,
            detail: visible(&detail).into_owned(),
            pick: Pick::new(ActionRow { index, is_disabled: action.disabled.is_some() }),
        }
    };
    found.map(row).collect()
}

fn accept(cx: &mut Cx<'_>, pick: &Pick) {
    let Some(row) = pick.get::<ActionRow>() else { return };
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(found) = known.actions.get(row.index).cloned() else { return };
    if let Some(reason) = &found.action.disabled {
        return cx.state.set_error(format!("{}: {}", visible(&found.name), visible(reason)));
    }
    let Some(server) = known.server(found.server) else {
        return cx.state.set_error(format!("{} does not run", visible(&found.name)));
    };
    let client = client(server);
    let FoundAction { server: number, name, action, versions } = found;
    let (title, server_name) = (action.title.clone(), name.clone());
    let work = async move {
        let client = client.await.ok_or_else(|| format!("{name} does not run"))?;
        client.edit_of_action(action, versions).await.map_err(|error| failure(&name, "code action", &error))
    };
    cx.tasks.spawn("language-servers.resolve-action", work, move |cx, answer| {
        let Some((edit, command)) = answer_or_refusal(cx, answer) else { return };
        let Some(edit) = edit else {
            return match command {
                Some(command) => run(cx, number, command),
                None => cx.state.set_status("Nothing to change"),
            };
        };
        // The command is about the text after the edit.
        let then = move |cx: &mut Cx<'_>, is_applied: bool| {
            if let Some(command) = command.filter(|_| is_applied) {
                run(cx, number, command);
            }
        };
        let then: Option<Then> = Some(Box::new(then));
        let request = EditRequest {
            server: server_name,
            title,
            edit,
            is_previewed: false,
            reply: None,
            on_checked: None,
            then,
        };
        apply_edit::begin(cx, request);
    });
}

/// Runs a command of a server; the edits that it requests meanwhile are applied.
pub fn run(cx: &mut Cx<'_>, number: u32, command: ServerAction) {
    sync::flush(cx.state);
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server(number) else { return };
    let (name, client) = (server.spec.name.clone(), client(server));
    command_started(cx, number);
    let work = async move {
        let client = client.await.ok_or_else(|| format!("{name} does not run"))?;
        client.execute_command(&command).await.map_err(|error| failure(&name, "code action", &error))
    };
    cx.tasks.spawn("language-servers.command", work, move |cx, answer| {
        command_ended(cx, number);
        answer_or_refusal(cx, answer);
    });
}
