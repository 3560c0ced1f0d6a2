//! Which servers a text wants, and their start. Nothing starts before the folder is trusted. Programs are looked up in
//! tasks.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::features::language_servers::highlight;
use crate::ide::features::language_servers::project_diagnostics::ProjectDiagnostics;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, Serving};
use crate::ide::features::language_servers::{sync, updates};
use crate::ide::features::plugins;
use crate::ide::features::plugins::state::{Permit, ProgramKind, WantedProgram};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::diagnostic_counts::DiagnosticCounts;
use crate::ide::model::diagnostics::Diagnostics;
use crate::lsp::client::completion::TypedTriggers;
use crate::runtime::agent_setup::trust_requests::ProjectProgram;
use crate::runtime::language_servers::process::ServerSpec;
use crate::runtime::language_servers::search::{FIRST_LINE_MAX, Found, Search, WantedServer};
use crate::runtime::language_servers::server::{self, ServerCommand, ServerState};
use crate::runtime::language_servers::table_files;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// News of servers that wait for the event loop; then they are not read any more.
const UPDATES_MAX: usize = 64;
/// Commands that wait for a server's task, which does not wait for the server.
const COMMANDS_MAX: usize = 1024;

/// Reads the table, then looks for the servers of all open texts.
pub fn read_table(cx: &mut Cx<'_>) {
    if !cx.state.slots[LANGUAGE_SERVERS].is_on {
        return;
    }
    let (config, workspace) = (cx.state.config.clone(), cx.state.workspace.clone());
    let work = move || table_files::read(&config, &workspace);
    cx.tasks.spawn_blocking("language-servers.read-table", work, |cx, read| {
        let Some((table, mistakes)) = answer_or_error(cx, "read the table of language servers", read) else {
            return;
        };
        if let Some(first) = mistakes.first() {
            let rest = mistakes.len() - 1;
            let more = if rest == 0 { String::new() } else { format!(" (and {rest} more, in the log)") };
            cx.state.set_error(format!("{first}{more}"));
        }
        cx.state.slots[LANGUAGE_SERVERS].table = Some(Arc::new(table));
        let ids: Vec<BufferId> = cx.state.buffers.all().iter().map(|buffer| buffer.id).collect();
        for id in ids {
            find(cx, id);
        }
    });
}

/// Returns the begin of the first line of a text, by which its language may be known.
pub fn first_line(text: &Text) -> String {
    let end = text.line_end(Line(0)).min(text.char_floor(Byte(FIRST_LINE_MAX).min(text.end())));
    text.slice(Byte(0)..end).into_owned()
}

/// Looks for the servers of a text, unless it has some.
pub fn find(cx: &mut Cx<'_>, id: BufferId) {
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(table) = known.table.clone().filter(|_| known.is_on && !known.texts.contains_key(&id)) else {
        return;
    };
    let Some(buffer) = cx.state.buffers.all().iter().find(|buffer| buffer.id == id) else { return };
    let is_text = buffer.loading.is_none() && buffer.builtin.is_none() && !buffer.is_image;
    let Some(path) = buffer.real_path().filter(|_| is_text && buffer.results.is_none()) else { return };
    let first_line = first_line(buffer.area.text());
    if table.for_file(path, &first_line).is_none() {
        return;
    }
    let search = Search {
        env: cx.env.clone(),
        table,
        path: path.to_path_buf(),
        workspace: cx.state.workspace.clone(),
        trust: plugins::run::program_trust(cx.state),
        first_line,
    };
    cx.tasks.spawn("language-servers.find", search.run(), move |cx, found| {
        let found = match answer_or_error(cx, "look for language servers", found) {
            Some(Ok(Some(found))) => found,
            Some(Err(error)) => {
                return tracing::warn!(%error, "programs of language servers cannot be looked up");
            }
            Some(Ok(None)) | None => return,
        };
        let Found { language_id, wanted, .. } = found;
        if !wanted.is_empty() {
            cx.state.slots[LANGUAGE_SERVERS].waiting.insert(id, (language_id, wanted));
            start_waiting(cx);
            request_waiting(cx);
        }
    });
}

/// Starts the servers of the texts that wait for trust, where the user has said all that is to be said.
fn start_waiting(cx: &mut Cx<'_>) {
    if cx.state.slots[LANGUAGE_SERVERS].waiting.is_empty() {
        return;
    }
    let waiting = std::mem::take(&mut cx.state.slots[LANGUAGE_SERVERS].waiting);
    for (id, (language_id, wanted)) in waiting {
        if wanted.iter().any(|wanted| permit(cx.state, wanted) == Permit::Unknown) {
            cx.state.slots[LANGUAGE_SERVERS].waiting.insert(id, (language_id, wanted));
            continue;
        }
        let given = wanted.into_iter().filter(|wanted| permit(cx.state, wanted) == Permit::Given);
        let given: Vec<WantedServer> = given.collect();
        let servers = given
            .into_iter()
            .map(|wanted| Serving { server: running(cx, wanted.spec), features: wanted.features })
            .collect();
        sync::open(cx, id, language_id, servers);
    }
}

/// Returns what the user has said about a server.
pub fn permit(state: &State, wanted: &WantedServer) -> Permit {
    plugins::run::permit(state, wanted.spec.command.first().map_or("", String::as_str))
}

/// The user has said something about the folder or about programs: starts what waits for that, and stops what may not run any
/// more.
pub fn on_trust_changed(cx: &mut Cx<'_>) {
    start_waiting(cx);
    let servers = cx.state.slots[LANGUAGE_SERVERS].servers.iter();
    let permits: Vec<Permit> = servers
        .map(|server| plugins::run::permit(cx.state, server.spec.command.first().map_or("", String::as_str)))
        .collect();
    for (server, permit) in cx.state.slots[LANGUAGE_SERVERS].servers.iter_mut().zip(permits) {
        let runs = !matches!(server.state, ServerState::Stopped | ServerState::Failed { .. });
        if permit == Permit::Given && std::mem::take(&mut server.waits_for_trust) {
            server.send(ServerCommand::Restart);
        } else if permit != Permit::Given && runs {
            server.waits_for_trust = server.send(ServerCommand::Stop);
        }
    }
}

/// Asks the user about the servers for which texts wait.
fn request_waiting(cx: &mut Cx<'_>) {
    let waiting = cx.state.slots[LANGUAGE_SERVERS].waiting.values();
    let wanted: Vec<WantedServer> = waiting.flat_map(|(_, wanted)| wanted).cloned().collect();
    if !wanted.is_empty() {
        request_trust(cx, &wanted);
    }
}

/// Asks the user whether the folder is trusted, because servers are wanted.
pub fn request_trust(cx: &mut Cx<'_>, wanted: &[WantedServer]) {
    let workspace = &cx.state.workspace;
    let programs = wanted.iter().map(|wanted| server_program(wanted, workspace)).collect();
    request_trust_of(cx, programs);
}

/// Asks the user whether the folder is trusted, because a program that formats is wanted, besides the servers that wait.
pub fn request_trust_of_formatter(cx: &mut Cx<'_>, formatter: WantedProgram) {
    let waiting = cx.state.slots[LANGUAGE_SERVERS].waiting.values().flat_map(|(_, wanted)| wanted);
    let workspace = &cx.state.workspace;
    let programs = waiting.map(|wanted| server_program(wanted, workspace)).chain([formatter]).collect();
    request_trust_of(cx, programs);
}

fn server_program(wanted: &WantedServer, workspace: &Path) -> WantedProgram {
    let program = wanted.spec.command.first();
    WantedProgram {
        kind: ProgramKind::Server,
        line: wanted.spec.command_line(),
        path: program.and_then(|program| ProjectProgram::path_of(program, workspace)),
    }
}

fn request_trust_of(cx: &mut Cx<'_>, mut programs: Vec<WantedProgram>) {
    programs.sort_unstable();
    programs.dedup();
    plugins::run::request_programs(cx, programs);
}

/// Returns the number of the server with this name and root; starts it if there is none.
pub fn running(cx: &mut Cx<'_>, spec: ServerSpec) -> u32 {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    let spec = ServerSpec { memory_max: known.memory_max.clone(), ..spec };
    let same = |server: &&RunningServer| {
        server.spec.name == spec.name && server.spec.options.root == spec.options.root
    };
    if let Some(server) = known.servers.iter().find(same) {
        return server.number;
    }
    known.last_number += 1;
    let number = known.last_number;
    let (commands, receiver) = mpsc::channel(COMMANDS_MAX);
    let (updates, mut news) = mpsc::channel(UPDATES_MAX);
    known.servers.push(RunningServer {
        number,
        spec: spec.clone(),
        state: ServerState::Starting,
        since: cx.now_ms,
        wanted: None,
        usage: None,
        progress: BTreeMap::new(),
        log: VecDeque::new(),
        pulls: true,
        project_pull: None,
        triggers: TypedTriggers::default(),
        waits_for_trust: false,
        methods: Vec::new(),
        commands,
    });
    let (env, tasks) = (cx.env.clone(), cx.tasks.clone());
    cx.tasks.detach(async move {
        let passed_on = async {
            while let Some(update) = news.recv().await {
                tasks.post("language-servers.update", move |cx| updates::take_in(cx, number, update)).await;
            }
        };
        futures::join!(server::run(env, spec, receiver, updates), passed_on);
    });
    number
}

/// Ends all servers: their tasks do when nothing can be sent to them any more.
pub fn stop_all(cx: &mut Cx<'_>) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.servers.clear();
    known.texts.clear();
    known.waiting.clear();
    known.tree_watch = None;
    known.project = ProjectDiagnostics::default();
    cx.state.files.diagnostics = DiagnosticCounts::default();
    highlight::clear(cx.state);
    for buffer in cx.state.buffers.all_mut() {
        buffer.servers.diagnostics = Diagnostics::default();
    }
    cx.state.damage.add_all();
}
