//! The left segments of the status line: the mode, the shown text and what is about it, keys that are waited for.

use crate::base::paths::shorten_home;
use crate::base::plural::pluralize;
use crate::base::width::{truncate, visible};
use crate::ide::core::keys::keymap::{KeyContext, ModalStyle};
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::state::State;
use crate::ide::editor::view::line_message;
use crate::ide::features::git::branch::BRANCH;
use crate::ide::features::language_servers::commands::summary;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::review::state::REVIEW;
use crate::ide::features::status_line::segments::{Segment, Variant, variants};
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::model::buffers::Buffer;
use crate::ide::model::diagnostics::Counts;
use crate::runtime::language_servers::server::ServerState;
use crate::text::file_format::encoding::Encoding;

/// The table of segments, in their order.
pub const SEGMENTS: &[Segment] = &[
    Segment { id: "mode", scope: PLACE, variants: mode, ..Segment::EMPTY },
    Segment {
        id: "file",
        is_joined: true,
        scope: PLACE,
        command: Some("view.buffers-picker"),
        variants: file,
        ..Segment::EMPTY
    },
    Segment {
        id: "position",
        is_joined: true,
        scope: PLACE,
        command: Some("search.go-to-line"),
        variants: position,
        ..Segment::EMPTY
    },
    Segment { id: "branch", command: Some("git.switch-branch"), variants: branch, ..Segment::EMPTY },
    Segment { id: "changes", command: Some("git.next-hunk"), variants: changes, ..Segment::EMPTY },
    Segment {
        id: "diagnostics",
        scope: PLACE,
        command: Some("diagnostics.list"),
        variants: diagnostics,
        ..Segment::EMPTY
    },
    Segment {
        id: "project-diagnostics",
        command: Some("diagnostics.list"),
        variants: project_diagnostics,
        ..Segment::EMPTY
    },
    Segment { id: "message", scope: PLACE, command: Some("lsp.hover"), variants: message, ..Segment::EMPTY },
    Segment { id: "server", command: Some("lsp.servers"), variants: server, ..Segment::EMPTY },
    Segment { id: "notes", scope: PLACE, variants: notes, ..Segment::EMPTY },
    Segment { id: "review", scope: PLACE, command: Some("review.open"), variants: review, ..Segment::EMPTY },
    Segment {
        id: "queue",
        scope: PLACE,
        command: Some("agent.edit-queue"),
        variants: queue,
        ..Segment::EMPTY
    },
    Segment {
        id: "jobs",
        scope: PLACE,
        command: Some("terminal.show-jobs"),
        variants: jobs,
        ..Segment::EMPTY
    },
    Segment { id: "keys", variants: keys, ..Segment::EMPTY },
    Segment { id: "pending", scope: "ui.status.focus", variants: pending, ..Segment::EMPTY },
];

/// The colors of the caret's line: drawing a typed character then changes no color.
const PLACE: &str = "ui.status.place";

/// Maximum cells of what a server works on.
const SERVER_MAX: usize = 40;
/// Cells that a message is cut to where the line is narrow, with their ranks.
const MESSAGE_CELLS: [(u8, usize); 4] = [(59, 64), (63, 48), (63, 36), (64, 24)];
/// Maximum cells of the name of a branch.
const BRANCH_MAX: usize = 24;

fn one(rank: u8, text: impl Into<String>) -> Vec<Variant> {
    vec![Variant { rank, text: text.into() }]
}

/// Returns the text that the editor shows.
fn shown(state: &State) -> Option<&Buffer> {
    state.areas.editor.and(state.buffers.current())
}

fn mode(state: &State) -> Vec<Variant> {
    let modes = state.keymap.modal_style();
    if shown(state).is_none() || modes == ModalStyle::None {
        return Vec::new();
    }
    one(90, state.modal.mode.name(modes))
}

/// The path in the workspace, or else the name.
fn file(state: &State) -> Vec<Variant> {
    let Some(buffer) = shown(state) else { return Vec::new() };
    let name = buffer.name();
    let is_file = buffer.results.is_none() && buffer.builtin.is_none();
    let path = buffer.path.as_deref().filter(|_| is_file).map(|path| {
        let inside = path.strip_prefix(&state.workspace).map(|path| path.display().to_string());
        visible(&inside.unwrap_or_else(|_| shorten_home(path, &state.home))).into_owned()
    });
    variants(path.map(|path| (28, path)).into_iter().chain([(85, name)]))
}

fn position(state: &State) -> Vec<Variant> {
    // An image has none.
    let Some(buffer) = shown(state).filter(|buffer| !buffer.is_image) else { return Vec::new() };
    let (line, column) = buffer.cursor(state.text_options.tab_width);
    one(75, format!("{}:{}", line.0 + 1, column.0 + 1))
}

fn branch(state: &State) -> Vec<Variant> {
    state.slots[BRANCH].name().map_or_else(Vec::new, |name| one(30, truncate(name, BRANCH_MAX)))
}

/// The lines that differ from git's version of the file.
fn changes(state: &State) -> Vec<Variant> {
    let Some(buffer) = shown(state) else { return Vec::new() };
    let (added, removed) = buffer.area.per_view.hunks.lines();
    if (added, removed) == (0, 0) {
        return Vec::new();
    }
    one(25, format!("+{added} -{removed}"))
}

/// What language servers found in the shown text.
fn diagnostics(state: &State) -> Vec<Variant> {
    let Some(buffer) = shown(state) else { return Vec::new() };
    let counts = buffer.servers.diagnostics.counts();
    variants([(32, counts.words().join(" ")), (60, letters(counts))])
}

/// Returns errors and warnings as letters.
fn letters(Counts { errors, warnings, .. }: Counts) -> String {
    let parts = [('E', errors), ('W', warnings)].into_iter().filter(|(_, count)| *count > 0);
    parts.map(|(letter, count)| format!("{letter}{count}")).collect::<Vec<_>>().join(" ")
}

/// What language servers found in the whole project, where that is more than in the shown text.
fn project_diagnostics(state: &State) -> Vec<Variant> {
    let all = state.files.diagnostics.of(&state.workspace);
    let own = shown(state).map_or_else(Counts::default, |buffer| buffer.servers.diagnostics.counts());
    if all.errors <= own.errors && all.warnings <= own.warnings {
        return Vec::new();
    }
    variants([
        (31, format!("project: {}", all.words().join(" "))),
        (58, format!("project: {}", letters(all))),
    ])
}

/// What language servers found in the cursor's line, where it does not fit behind it.
fn message(state: &State) -> Vec<Variant> {
    let Some(mark) = line_message::cut_off(state) else { return Vec::new() };
    let text = summary(mark);
    let shorter = MESSAGE_CELLS.into_iter().map(|(rank, cells)| (rank, truncate(&text, cells).into_owned()));
    variants(std::iter::once((57, text.clone())).chain(shorter))
}

/// What the servers of the shown text work on.
fn server(state: &State) -> Vec<Variant> {
    let Some(buffer) = shown(state) else { return Vec::new() };
    let known = &state.slots[LANGUAGE_SERVERS];
    let Some(text) = known.texts.get(&buffer.id) else { return Vec::new() };
    let servers = text.servers.iter().filter_map(|serving| known.server(serving.server));
    let mut busy = servers.filter_map(|server| {
        let name = visible(&server.spec.name).into_owned();
        match &server.state {
            ServerState::Starting => Some(format!("{name}: starting")),
            ServerState::Waiting { .. } => Some(format!("{name}: restarts")),
            ServerState::Failed { .. } => Some(format!("{name}: failed")),
            ServerState::Running { .. } => server.work().map(|work| format!("{name}: {work}")),
            ServerState::Stopped => None,
        }
    });
    busy.next().map_or_else(Vec::new, |words| one(22, truncate(&words, SERVER_MAX)))
}

/// What is unusual about the shown text.
fn notes(state: &State) -> Vec<Variant> {
    let Some(buffer) = shown(state) else { return Vec::new() };
    let mut notes: Vec<String> = Vec::new();
    if let Some(reading) = &buffer.loading {
        notes.push(format!("reading: {} %", reading.percent));
    } else if buffer.builtin.is_some() {
        notes.push("read-only".to_string());
    } else if let Some(reason) = buffer.read_only().filter(|_| !buffer.is_image) {
        notes.push(format!("read-only: {reason}"));
    } else if buffer.area.document.format().lossless && !buffer.is_image {
        notes.push("not UTF-8, bytes kept".to_string());
    }
    let encoding = buffer.area.document.format().encoding;
    if encoding != Encoding::UTF8 && !buffer.is_image {
        notes.push(encoding.name().to_string());
    }
    let (line, _) = buffer.cursor(state.text_options.tab_width);
    if buffer.area.text().is_long(line) {
        notes.push("long line, tabs are one cell".to_string());
    }
    notes.extend(buffer.highlighting.trouble().map(|trouble| trouble.to_string()));
    one(70, notes.join("  "))
}

/// What of the agent's changes is not reviewed, and how many comments were not sent, with the key for it.
fn review(state: &State) -> Vec<Variant> {
    let review = &state.slots[REVIEW];
    let (totals, remarks) = (review.totals(), review.remarks.len());
    let mut parts = Vec::new();
    if remarks > 0 {
        parts.push(format!("{} to send", pluralize(remarks, "review comment", "review comments")));
    }
    if totals.files > 0 {
        parts.push(totals.text());
    }
    if parts.is_empty() {
        let edits = shown(state).map_or(0, |buffer| buffer.area.document.marks().all().len());
        let text = format!("{} to review", pluralize(edits, "edit", "edits"));
        return if edits > 0 { one(65, text) } else { Vec::new() };
    }
    let short = parts.join(" · ");
    let key = state.keymap.keys_for(state.base_key_context(), "review.open");
    let long = key.map(|key| format!("{short} · {key} review"));
    variants(long.map(|long| (50, long)).into_iter().chain([(65, short)]))
}

fn queue(state: &State) -> Vec<Variant> {
    let waiting = state.agent.steering.len() + state.agent.follow_up.len();
    if waiting == 0 { Vec::new() } else { one(62, format!("{waiting} queued")) }
}

/// How many background commands of the agent run.
fn jobs(state: &State) -> Vec<Variant> {
    let running = state.slots[TERMINALS].running_jobs();
    if running == 0 { Vec::new() } else { one(61, pluralize(running, "job", "jobs")) }
}

/// The keys that lead out of a terminal, or are used most in the conversation.
fn keys(state: &State) -> Vec<Variant> {
    let (context, keys): (_, &[(&str, &str)]) = match state.key_context() {
        KeyContext::Terminal => (KeyContext::Terminal, TERMINAL_KEYS),
        KeyContext::Transcript => (KeyContext::Transcript, TRANSCRIPT_KEYS),
        _ => return Vec::new(),
    };
    let key = |(id, what): &(&str, &str)| {
        let keys = state.keymap.keys_for(context, id)?;
        // The others of a group are behind its leader.
        let shown = if *id == "terminal.new" { format!("{} …", keys.split(' ').next()?) } else { keys };
        Some(format!("{shown} {what}"))
    };
    let texts: Vec<String> = keys.iter().filter_map(key).collect();
    // The last ones are the most general: what is before them goes first.
    let fewer = (1..texts.len()).map(|left_out| {
        let (first, last) = texts.split_at(texts.len() - left_out - 1);
        [first, &last[last.len() - 1..]].concat().join("  ")
    });
    let ranks = std::iter::once(86).chain(std::iter::repeat(87));
    variants(ranks.zip(std::iter::once(texts.join("  ")).chain(fewer)))
}

const TERMINAL_KEYS: &[(&str, &str)] =
    &[("terminal.toggle", "editor"), ("view.next-pane", "next pane"), ("terminal.new", "more")];

const TRANSCRIPT_KEYS: &[(&str, &str)] = &[
    ("transcript.fold", "fold"),
    ("transcript.copy", "copy"),
    ("transcript.open-file", "open file"),
    ("transcript.search", "search"),
    ("transcript.edit", "edit"),
    ("view.focus-agent", "prompt"),
    ("app.keys", "more"),
];

/// The keys that were pressed and wait for more, what the next key is for, and a recording.
fn pending(state: &State) -> Vec<Variant> {
    if !state.pending.is_empty() {
        let keys: Vec<String> = state.pending.iter().map(ToString::to_string).collect();
        return one(100, format!("{} …", keys.join(" ")));
    }
    if state.asks_for_key() && !state.status.message.is_empty() {
        return one(100, state.status.message.clone());
    }
    one(92, pending_input(state).trim_start())
}

/// Returns the pending keys of a modal command, and the recording in progress.
fn pending_input(state: &State) -> String {
    let modal = &state.modal;
    let mut text = String::new();
    if let Some((name, _)) = modal.recording {
        text.push_str(&format!("  recording @{name}"));
    }
    let fresh = modal.is_idle() && !matches!(state.pending_char, Some(PendingChar::Modal(_)));
    if state.keymap.modal_style() != ModalStyle::None && !modal.mode.is_typing() && !fresh {
        let keys: Vec<String> = modal.keys.iter().map(ToString::to_string).collect();
        let count = modal.count.map(|count| count.to_string()).unwrap_or_default();
        let before = modal.operator.and_then(|waiting| waiting.count);
        let before = before.map(|count| count.to_string()).unwrap_or_default();
        text.push_str(&format!("  {before}{}{count} …", keys.join("")));
    }
    text
}
