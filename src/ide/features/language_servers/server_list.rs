//! List of the servers, with their logs.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::base::clock;
use crate::base::width::visible;
use crate::exec::Usage;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{About, Pick, PickRow, Picker, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::layers::replaced_rows::replace_rows;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, Wanted};
use crate::runtime::language_servers::server::{ServerCommand, ServerState};

/// A server as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ServerRow(u32);

/// The servers: what each does, for which folder, and its log beside the list.
pub const PICKER: PickerSpec = PickerSpec {
    id: "language-servers",
    title: "Language servers",
    footer: "Enter restart  Delete stop",
    preview: Some(|state, pick| {
        let ServerRow(number) = pick.get()?;
        let server = state.slots[LANGUAGE_SERVERS].server(*number)?;
        Some(PreviewTarget::text(report(server).join("\n")).wrapped())
    }),
    load: |state| RowSource::Rows(servers(state), Vec::new()),
    about: Some(About { lines: 2, in_place_of_preview: true, text: about }),
    fills_detail: true,
    stays_open: true,
    has_places: false,
    accept: |cx, pick, _| send(cx, pick, Wanted::Restarted),
    remove: Some(|cx, pick| send(cx, pick, Wanted::Stopped)),
    ..PickerSpec::EMPTY
};

/// Lines of the log that are shown below the list.
const ABOUT_LINES: usize = 20;

/// How long the servers may take to say what they use.
const USAGE_TIMEOUT: Duration = Duration::from_millis(300);

/// How often they are asked while the list is open.
const USAGE_PAUSE: Duration = Duration::from_secs(2);

/// Asks the servers what they use, again and again while the list is open.
pub fn measure(cx: &mut Cx<'_>) {
    let asked = cx.state.slots[LANGUAGE_SERVERS].servers.iter().filter_map(|server| {
        let (reply, usage) = oneshot::channel();
        (server.is_running() && server.send(ServerCommand::Usage(reply))).then_some((server.number, usage))
    });
    let asked: Vec<_> = asked.collect();
    let tasks = cx.tasks.clone();
    cx.tasks.detach(async move {
        let until = Instant::now() + USAGE_TIMEOUT;
        let mut known = Vec::new();
        for (server, usage) in asked {
            let usage = tokio::time::timeout_at(until, usage).await;
            known.push((server, usage.ok().and_then(Result::ok)));
        }
        tasks.post("language-servers.usage", move |cx| show_usage(cx, known)).await;
        tokio::time::sleep(USAGE_PAUSE).await;
        tasks.post("language-servers.measure", measure_if_open).await;
    });
}

fn measure_if_open(cx: &mut Cx<'_>) {
    if cx.state.layers.all_mut::<Picker>().any(|picker| picker.spec.id == PICKER.id) {
        measure(cx);
    }
}

fn show_usage(cx: &mut Cx<'_>, known: Vec<(u32, Option<Usage>)>) {
    for (number, usage) in known {
        if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
            server.usage = usage;
        }
    }
    refresh(cx);
}

/// Lists the servers anew if the list is open.
pub fn refresh(cx: &mut Cx<'_>) {
    let open = cx.state.layers.all_mut::<Picker>().find(|picker| picker.spec.id == PICKER.id);
    if let Some(number) = open.map(|picker| picker.number) {
        let rows = servers(cx.state);
        replace_rows(cx, number, rows);
    }
}

/// Restarts or stops the server of a row. What has become of it is said once it has.
fn send(cx: &mut Cx<'_>, pick: &Pick, wanted: Wanted) {
    let Some(ServerRow(number)) = pick.get() else { return };
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(*number) else { return };
    let name = visible(&server.spec.name).into_owned();
    let (command, what) = match wanted {
        Wanted::Restarted => (ServerCommand::Restart, "Restarting"),
        Wanted::Stopped if matches!(server.state, ServerState::Stopped) => {
            return cx.state.set_status(format!("{name} is stopped already"));
        }
        Wanted::Stopped => (ServerCommand::Stop, "Stopping"),
    };
    if !server.send(command) {
        return cx.state.set_error(format!("{name} has too much to do; try again"));
    }
    server.wanted = Some(wanted);
    cx.state.set_status(format!("{what} {name} …"));
}

/// Returns the rows of the list.
pub fn servers(state: &State) -> Vec<PickRow> {
    let row = |server: &RunningServer| PickRow {
        text: visible(&server.spec.name).into_owned(),
        aliases: Vec::new(),
        group: None,
        // What is cut off where the list is narrow is at the end.
        detail: format!(
            "{}{}{}  {}",
            server.state.words(),
            memory(server),
            work(server),
            state.display_path(&server.spec.options.root)
        ),
        pick: Pick::new(ServerRow(server.number)),
    };
    state.slots[LANGUAGE_SERVERS].servers.iter().map(row).collect()
}

/// Returns what a server works on, if it says so.
fn work(server: &RunningServer) -> String {
    let work = server.work().filter(|_| server.is_running());
    work.map_or_else(String::new, |work| format!(": {work}"))
}

/// Returns the memory that a server uses, if that is known.
fn memory(server: &RunningServer) -> String {
    let usage = server.usage.filter(|_| server.is_running());
    usage.map_or_else(String::new, |usage| format!(", {} MB", usage.memory >> 20))
}

/// Returns what is known of the server of a row, where there is no room for it beside the list: what is new comes first.
fn about(state: &State, PickRow { pick, .. }: &PickRow) -> Vec<String> {
    let server = pick.get().and_then(|ServerRow(number)| state.slots[LANGUAGE_SERVERS].server(*number));
    let Some(server) = server else { return Vec::new() };
    let lines = server.log.iter().rev().take(ABOUT_LINES).map(|line| visible(line).into_owned());
    let state = format!("{}{}{}", server.state.words(), memory(server), work(server));
    std::iter::once(state).chain(lines).collect()
}

/// Returns what is known of a server, in lines.
fn report(server: &RunningServer) -> Vec<String> {
    let mut lines = vec![
        format!("Command: {}", visible(&server.spec.command_line())),
        format!("Root: {}", visible(&server.spec.options.root.display().to_string())),
        format!("State: {}{}", server.state.words(), work(server)),
        format!("Since: {}", clock::local(server.since, "%H:%M:%S")),
    ];
    if let ServerState::Running { pid: Some(pid) } = server.state {
        lines.push(format!("Process: {pid}"));
    }
    if let Some(Usage { memory, cpu }) = server.usage.filter(|_| server.is_running()) {
        lines.push(format!("Memory: {} MB, processor time: {} s", memory >> 20, cpu.as_secs()));
    }
    lines.extend(server.state.reason().map(|reason| format!("Reason: {}", visible(reason))));
    if !server.log.is_empty() {
        lines.push(String::new());
        lines.push("Log, the newest first:".to_string());
        lines.extend(server.log.iter().rev().map(|line| visible(line).into_owned()));
    }
    lines
}
