//! Which servers a text wants, and their start. Nothing starts before the folder is trusted. Programs are looked up in
//! tasks.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::config::load::read_bounded;
use crate::exec::Environment;
use crate::exec::commands::subprocess::own_process_id;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::highlight;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, Serving, WantedServer};
use crate::ide::features::language_servers::{sync, updates};
use crate::ide::features::plugins;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::diagnostics::Diagnostics;
use crate::lsp::client::StartOptions;
use crate::lsp::client::completion::TypedTriggers;
use crate::lsp::table::program;
use crate::lsp::table::root::{Folders, server_root};
use crate::lsp::table::{Layer, Mistake, Origin, Server, Table};
use crate::runtime::language_servers::find::{Candidate, installed};
use crate::runtime::language_servers::process::ServerSpec;
use crate::runtime::language_servers::server::{self, ServerState};
use crate::text::position::{Byte, Line};
use crate::workspace::list;

/// News of servers that wait for the event loop; then they are not read any more.
const UPDATES_MAX: usize = 64;
/// Commands that wait for a server's task, which does not wait for the server.
const COMMANDS_MAX: usize = 1024;
/// Maximum bytes of a file with rows.
const TABLE_MAX: u64 = 1 << 20;
/// Bytes of the first line by which a language is known.
const FIRST_LINE_MAX: usize = 200;
/// The file with rows of the user, in the settings folder, and of a project, in its `.bowline`.
pub const FILE: &str = "servers.toml";

/// Reads the table, then looks for the servers of all open texts.
pub fn read_table(cx: &mut Cx<'_>) {
    if !cx.state.slots[LANGUAGE_SERVERS].is_on {
        return;
    }
    let user = cx.state.config.join(FILE);
    let project = cx.state.workspace.join(".bowline").join(FILE);
    let work = move || table(&[(Origin::User, user), (Origin::Project, project)]);
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

/// Merges the table's layers. Blocking.
fn table(files: &[(Origin, PathBuf)]) -> (Table, Vec<String>) {
    let mut mistakes: Vec<String> = Vec::new();
    let mut layers = Vec::new();
    let mut add = |(layer, wrong): (Layer, Vec<Mistake>), mistakes: &mut Vec<String>| {
        layers.push(layer);
        mistakes.extend(wrong.iter().map(Mistake::to_string));
    };
    add(Layer::built_in(), &mut mistakes);
    for (origin, path) in files {
        match read_bounded(path, TABLE_MAX) {
            Ok(text) => add(Layer::parse(*origin, &path.display().to_string(), &text), &mut mistakes),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => mistakes.push(format!("{}: {error}", path.display())),
        }
    }
    let (table, wrong) = Table::merge(layers);
    mistakes.extend(wrong.iter().map(Mistake::to_string));
    for mistake in &mistakes {
        tracing::warn!("{mistake}");
    }
    (table, mistakes)
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
    let text = buffer.area.text();
    let end = text.line_end(Line(0)).min(text.char_floor(Byte(FIRST_LINE_MAX).min(text.end())));
    let first_line = text.slice(Byte(0)..end).into_owned();
    if table.for_file(path, &first_line).is_none() {
        return;
    }
    let search = Search {
        env: cx.env.clone(),
        table,
        path: path.to_path_buf(),
        workspace: cx.state.workspace.clone(),
        first_line,
    };
    cx.tasks.spawn("language-servers.find", search.run(), move |cx, found| {
        let Some((language_id, wanted)) = answer_or_error(cx, "look for language servers", found) else {
            return;
        };
        if !wanted.is_empty() {
            cx.state.slots[LANGUAGE_SERVERS].waiting.insert(id, (language_id, wanted));
            start_waiting(cx);
        }
    });
}

/// Starts the servers of the texts that wait, if the folder is trusted; else the user is asked, once.
pub fn start_waiting(cx: &mut Cx<'_>) {
    if cx.state.slots[LANGUAGE_SERVERS].waiting.is_empty() {
        return;
    }
    if !plugins::run::is_trusted(cx.state) {
        let waiting = &cx.state.slots[LANGUAGE_SERVERS].waiting;
        let mut lines: Vec<String> = waiting
            .values()
            .flat_map(|(_, wanted)| wanted)
            .map(|wanted| wanted.spec.command_line())
            .collect();
        lines.sort_unstable();
        lines.dedup();
        return plugins::run::request_servers(cx, lines);
    }
    let waiting = std::mem::take(&mut cx.state.slots[LANGUAGE_SERVERS].waiting);
    for (id, (language_id, wanted)) in waiting {
        let servers = wanted
            .into_iter()
            .map(|wanted| Serving { server: running(cx, wanted.spec), features: wanted.features })
            .collect();
        sync::open(cx, id, language_id, servers);
    }
}

/// Returns the number of the server with this name and root; starts it if there is none.
fn running(cx: &mut Cx<'_>, spec: ServerSpec) -> u32 {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
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
        since: cx.now,
        progress: BTreeMap::new(),
        log: VecDeque::new(),
        pulls: true,
        triggers: TypedTriggers::default(),
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
    highlight::clear(cx.state);
    for buffer in cx.state.buffers.all_mut() {
        buffer.servers.diagnostics = Diagnostics::default();
    }
    cx.state.damage.add_all();
}

/// A search for the servers of a file.
struct Search {
    env: Arc<dyn Environment>,
    table: Arc<Table>,
    path: PathBuf,
    workspace: PathBuf,
    first_line: String,
}

impl Search {
    /// Returns what servers call the language, and those that can be started: of each group of alternatives the first.
    async fn run(self) -> (String, Vec<WantedServer>) {
        let Some(language) = self.table.for_file(&self.path, &self.first_line) else {
            return (String::new(), Vec::new());
        };
        let uses = self.table.servers_of(language);
        let (path, workspace, language_row) = (self.path.clone(), self.workspace.clone(), language.clone());
        let servers: Vec<Server> = uses.iter().map(|row| row.server.clone()).collect();
        let roots: Vec<Option<PathBuf>> = on_thread(move || {
            let root = |server: &Server| server_root(&path, &workspace, &language_row, server, &Disk);
            servers.iter().map(root).collect()
        })
        .await;
        let mut candidates = Vec::new();
        for (n, (row, root)) in uses.iter().zip(&roots).enumerate() {
            let Some(root) = root else { continue };
            for program in program::candidates(&row.server.command, root, &self.workspace) {
                // Nothing that a project names is run to find out whether it is installed.
                let is_own = row.server.origin != Origin::Project;
                let check = if is_own { row.server.check.clone() } else { Vec::new() };
                candidates.push((n, Candidate { program, check }));
            }
        }
        let asked: Vec<Candidate> = candidates.iter().map(|(_, candidate)| candidate.clone()).collect();
        let answers = installed(&*self.env, &asked).await;
        let mut wanted: Vec<WantedServer> = Vec::new();
        let mut groups = Vec::new();
        for ((n, candidate), is_installed) in candidates.into_iter().zip(answers) {
            let (row, Some(root)) = (&uses[n], &roots[n]) else { continue };
            if !is_installed || groups.contains(&row.group) {
                continue;
            }
            groups.push(row.group);
            let spec = spec(row.server, candidate.program, root.clone());
            wanted.push(WantedServer { spec, features: row.features });
        }
        (language.language_id.clone(), wanted)
    }
}

fn spec(server: &Server, program: String, root: PathBuf) -> ServerSpec {
    ServerSpec {
        name: server.name.clone(),
        command: std::iter::once(program).chain(server.args.iter().cloned()).collect(),
        env: server.environment.clone(),
        options: StartOptions {
            process_id: Some(own_process_id()),
            root,
            initialization: server.config.clone().unwrap_or(Value::Null),
            settings: server.configuration().cloned().unwrap_or(Value::Null),
            timeout: server.timeout,
        },
    }
}

/// The disk of this machine.
pub struct Disk;

impl Folders for Disk {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn names(&self, folder: &Path) -> Vec<OsString> {
        // A folder that cannot be read has no markers.
        list::names(folder).unwrap_or_default()
    }
}
