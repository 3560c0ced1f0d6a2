//! List of the servers, with their logs.

use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
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
        state.slots[LANGUAGE_SERVERS].server(*number).map(|server| PreviewTarget::text(report(server)))
    }),
    load: |state| RowSource::Rows(servers(state), Vec::new()),
    stays_open: true,
    accept: |cx, pick, _| send(cx, pick, ServerCommand::Restart, "Restarting"),
    remove: Some(|cx, pick| send(cx, pick, ServerCommand::Stop, "Stopping")),
    ..PickerSpec::EMPTY
};

fn send(cx: &mut Cx<'_>, pick: &Pick, command: ServerCommand, what: &str) {
    let Some(ServerRow(number)) = pick.get() else { return };
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server(*number) else { return };
    let name = visible(&server.spec.name).into_owned();
    server.send(command);
    cx.state.set_status(format!("{what} {name} …"));
}

/// Returns the rows of the list.
pub fn servers(state: &State) -> Vec<PickRow> {
    let row = |server: &RunningServer| PickRow {
        text: visible(&server.spec.name).into_owned(),
        aliases: Vec::new(),
        group: None,
        detail: format!("{}  {}", state_words(server), state.display_path(&server.spec.options.root)),
        pick: Pick::new(ServerRow(server.number)),
    };
    state.slots[LANGUAGE_SERVERS].servers.iter().map(row).collect()
}

/// Returns what a server does, in a word or two.
fn state_words(server: &RunningServer) -> String {
    let words = server.state.words();
    let work = server.progress.values().next_back().filter(|_| server.is_running());
    work.map_or_else(|| words.to_string(), |work| format!("{words}: {work}"))
}

/// Returns what is known of a server, as a text.
fn report(server: &RunningServer) -> String {
    let mut lines = vec![
        format!("Command: {}", visible(&server.spec.command_line())),
        format!("Root: {}", visible(&server.spec.options.root.display().to_string())),
        format!("State: {}", state_words(server)),
    ];
    if let ServerState::Running { pid: Some(pid) } = server.state {
        lines.push(format!("Process: {pid}"));
    }
    lines.extend(server.state.reason().map(|reason| format!("Reason: {}", visible(reason))));
    if !server.log.is_empty() {
        lines.push(String::new());
        lines.push("Log, the newest first:".to_string());
        lines.extend(server.log.iter().rev().map(|line| visible(line).into_owned()));
    }
    lines.join("\n")
}
