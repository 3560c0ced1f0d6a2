//! News of servers, taken in by the event loop.

use std::path::PathBuf;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::language_servers::agent;
use crate::ide::features::language_servers::apply_edit;
use crate::ide::features::language_servers::highlight;
use crate::ide::features::language_servers::project_diagnostics;
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::server_list;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, Wanted};
use crate::ide::features::language_servers::sync;
use crate::ide::features::language_servers::watched_files;
use crate::ide::features::language_servers::window;
use crate::ide::features::plugins;
use crate::ide::model::diagnostics::{Mark, Source};
use crate::lsp::client::QuestionError;
use crate::lsp::client::incoming::{FileDiagnostics, FileReport, ServerEvent};
use crate::lsp::table::Feature;
use crate::runtime::language_servers::process::UNTRUSTED;
use crate::runtime::language_servers::server::{ServerState, ServerUpdate};
use crate::text::position::Byte;

/// Takes in what a server does or says.
pub fn take_in(cx: &mut Cx<'_>, number: u32, update: ServerUpdate) {
    match update {
        ServerUpdate::State(state) => set_state(cx, number, state),
        ServerUpdate::Event(event) => on_event(cx, number, event),
    }
}

fn set_state(cx: &mut Cx<'_>, number: u32, state: ServerState) {
    let now = cx.now_ms;
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) else { return };
    server.progress.clear();
    // Its program is another one than the user has seen.
    let is_untrusted = matches!(&state, ServerState::Failed { reason } if reason == UNTRUSTED);
    server.waits_for_trust |= is_untrusted;
    let name = visible(&server.spec.name).into_owned();
    let failed = match &state {
        ServerState::Failed { reason } => Some(format!("{name} does not run: {}", visible(reason))),
        _ => None,
    };
    match &state {
        ServerState::Waiting { reason, delay } => {
            server.note(format!("{reason}; it is started again in {} s", delay.as_secs()));
        }
        ServerState::Failed { reason } => server.note(reason.clone()),
        _ => {}
    }
    let done = take_done(server, &state).map(|done| format!("{name} {done}"));
    let has_ended = !matches!(state, ServerState::Running { .. } | ServerState::Starting);
    let is_running = matches!(state, ServerState::Running { .. });
    (server.state, server.since, server.usage) = (state, now, None);
    server.pulls |= is_running;
    if has_ended {
        // What it found may not hold any more.
        for buffer in cx.state.buffers.all_mut() {
            buffer.servers.forget(number);
        }
        project_diagnostics::forget(cx, number);
        highlight::clear(cx.state);
        window::close(cx, number);
        cx.state.damage.add(Part::Editor);
    }
    if is_running {
        pull_all(cx, number);
        project_diagnostics::pull(cx, number);
    }
    if let Some(done) = done {
        cx.state.set_status(done);
    }
    if let Some(failed) = failed {
        let log = cx.state.how_to("lsp.servers");
        cx.state.set_error(format!("{failed}. Its log: {log}"));
    }
    if is_untrusted && plugins::run::is_trusted(cx.state) {
        // Asks about the program as it is now.
        plugins::run::read(cx, false, None);
    }
    server_list::refresh(cx);
    cx.state.damage.add(Part::Status);
}

/// Returns what has become of what the user has a server do, if that is known now.
fn take_done(server: &mut RunningServer, state: &ServerState) -> Option<&'static str> {
    let wanted = server.wanted?;
    let done = match (state, wanted) {
        (ServerState::Running { .. }, Wanted::Restarted) => "restarted",
        (ServerState::Stopped, Wanted::Stopped) => "stopped",
        (ServerState::Waiting { .. }, _) => state.words(),
        // An error says so.
        (ServerState::Failed { .. }, _) => "",
        _ => return None,
    };
    server.wanted = None;
    Some(done).filter(|done| !done.is_empty())
}

fn on_event(cx: &mut Cx<'_>, number: u32, event: ServerEvent) {
    match event {
        ServerEvent::Diagnostics(found) => show_diagnostics(cx, number, found),
        ServerEvent::ProjectDiagnostics(reports) => project_diagnostics::take_in(cx, number, true, reports),
        ServerEvent::PullDiagnostics => pull_again(cx, number),
        ServerEvent::Refresh(feature) => {
            *cx.state.slots[LANGUAGE_SERVERS].refreshed.entry(feature).or_default() += 1;
        }
        ServerEvent::OffersChanged { triggers, methods, pulls } => {
            cx.state.slots[LANGUAGE_SERVERS].offers += 1;
            if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
                (server.triggers, server.methods) = (triggers, methods);
            }
            watched_files::watch(cx);
            if pulls {
                pull_again(cx, number);
            }
        }
        ServerEvent::ApplyEdit(requested) => apply_edit::on_requested(cx, number, requested),
        ServerEvent::Question(question) => window::ask(cx, number, question),
        ServerEvent::ShowDocument(wanted) => window::show_document(cx, number, wanted),
        ServerEvent::Progress { token, text, can_cancel } => {
            let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) else { return };
            server.note_work(token, text, can_cancel);
            server_list::refresh(cx);
            cx.state.damage.add(Part::Status);
        }
        ServerEvent::Message { is_problem, text } => {
            let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) else { return };
            server.note(text.clone());
            let said = format!("{}: {}", server.spec.name, first_line(&text));
            if is_problem {
                cx.state.set_error(visible(&said).into_owned());
            }
        }
        ServerEvent::Log(line) => {
            if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
                server.note(line);
            }
        }
        ServerEvent::Problem(problem) => {
            let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) else { return };
            server.note(format!("cannot be understood: {problem}"));
        }
    }
}

/// Asks a server that gives diagnostics when asked, from now on or again.
fn pull_again(cx: &mut Cx<'_>, number: u32) {
    if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
        server.pulls = true;
    }
    pull_all(cx, number);
    project_diagnostics::pull(cx, number);
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// Shows the diagnostics of an open text. Those of a version that the text does not have any more are moved along with
/// the edits since, if these are known, else left out: the server sends newer ones.
pub fn show_diagnostics(cx: &mut Cx<'_>, number: u32, found: FileDiagnostics) {
    let mut found = found;
    // Also those of open files: they are listed once the file is closed.
    let (path, diagnostics) = (found.path.clone(), std::mem::take(&mut found.brief));
    let report = FileReport { path, diagnostics, encoding: found.encoding };
    project_diagnostics::take_in(cx, number, found.is_pulled, vec![report]);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let served = known.texts.iter().find(|(_, text)| text.path == found.path);
    let Some((id, served)) = served else {
        if agent::take_in(cx.state, number, &found) {
            agent::settle(cx);
        }
        return;
    };
    let id = *id;
    let is_asked = served
        .servers
        .iter()
        .any(|serving| serving.server == number && serving.features.contains(Feature::Diagnostics));
    let Some((version, ranges)) = found.text.filter(|_| is_asked) else { return };
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let source = Source { server: number, is_pulled: found.is_pulled };
    let marks = found.diagnostics.into_iter().zip(ranges);
    let marks =
        marks.map(|(diagnostic, range)| Mark { range: Byte(range.start)..Byte(range.end), diagnostic });
    if !buffer.servers.show(source, version, marks.collect()) {
        // The edits since are not known. The server hears of them with the next batch and answers again.
        return;
    }
    cx.state.damage.add(Part::Editor);
    cx.state.damage.add(Part::LineMessages);
    cx.state.damage.add(Part::Status);
    agent::settle(cx);
}

/// Asks a server for the diagnostics of all texts that it knows, if it gives them only when asked.
pub fn pull_all(cx: &mut Cx<'_>, number: u32) {
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let texts =
        known.texts.values().filter(|text| text.servers.iter().any(|serving| serving.server == number));
    let visits = known.visits.iter();
    let visited = visits.filter(|(_, visit)| visit.servers.iter().any(|serving| serving.server == number));
    let paths: Vec<_> = texts.map(|text| &text.path).chain(visited.map(|(path, _)| path)).cloned().collect();
    for path in paths {
        pull(cx, number, path);
    }
}

/// Asks a server for the diagnostics of a text.
pub fn pull(cx: &mut Cx<'_>, number: u32, path: PathBuf) {
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server(number).filter(|server| server.pulls) else {
        return;
    };
    let client = questions::client(server);
    let asked = path.clone();
    let work = async move {
        let client = client.await?;
        Some(client.pull_diagnostics(&asked).await)
    };
    cx.tasks.spawn("language-servers.pull", work, move |cx, found| {
        match answer_or_error(cx, "read diagnostics", found).flatten() {
            Some(Ok((found, unchanged))) => {
                for found in found {
                    show_diagnostics(cx, number, found);
                }
                if let Some(version) = unchanged {
                    note_unchanged(cx, number, &path, version);
                }
            }
            Some(Err(QuestionError::NotOffered)) => {
                // It sends them by itself, unless it says otherwise later.
                if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
                    server.pulls = false;
                }
            }
            Some(Err(error)) => {
                if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
                    server.note_problem("diagnostics", &error);
                }
            }
            None => {}
        }
    });
}

/// Notes that a server finds in a version of a text what it found before.
fn note_unchanged(cx: &mut Cx<'_>, number: u32, path: &PathBuf, version: u64) {
    let texts = &cx.state.slots[LANGUAGE_SERVERS].texts;
    let open = texts.iter().find(|(_, text)| text.path == *path).map(|(id, _)| *id);
    if let Some(buffer) = open.and_then(|id| cx.state.buffers.get_mut(id)) {
        buffer.servers.note_seen(number, version);
    }
    agent::settle(cx);
}

/// Asks for the diagnostics of the texts that have changed, once nothing was typed for a while.
pub fn pull_changed(cx: &mut Cx<'_>) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.pull_at.take_if(|at| *at <= cx.now).is_none() {
        return;
    }
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    // What other texts mean may depend on what has changed.
    let pulled: Vec<_> = known
        .texts
        .values()
        .flat_map(|text| text.servers.iter().map(|serving| (serving.server, text.path.clone())))
        .collect();
    for (number, path) in pulled {
        pull(cx, number, path);
    }
}
