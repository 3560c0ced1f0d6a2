//! Commands that ask language servers, and those on the servers themselves.

use crate::ide::core::condition::{Reason, require};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::questions::{go_to, has_server, has_servers, show_hover};
use crate::ide::features::language_servers::server_list;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::model::diagnostics::{Diagnostics, Mark};
use crate::lsp::answers::diagnostics::Severity;
use crate::lsp::client::LocationKind;
use crate::text::position::Byte;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("lsp.hover", "Show documentation", &["hover", "type at cursor", "quick info"], show_hover)
        .when(has_server),
    command("lsp.definition", "Go to definition", &["jump to definition", "peek definition"], |cx| {
        go_to(cx, LocationKind::Definition);
    })
    .when(has_server),
    command("lsp.declaration", "Go to declaration", &["jump to declaration"], |cx| {
        go_to(cx, LocationKind::Declaration);
    })
    .when(has_server),
    command("lsp.type-definition", "Go to type definition", &["jump to type"], |cx| {
        go_to(cx, LocationKind::TypeDefinition);
    })
    .when(has_server),
    command("lsp.implementation", "Go to implementation", &["find implementations"], |cx| {
        go_to(cx, LocationKind::Implementation);
    })
    .when(has_server),
    command("lsp.references", "Find references", &["find usages", "show references", "find uses"], |cx| {
        go_to(cx, LocationKind::References);
    })
    .when(has_server),
    command("lsp.locations", "Show found locations", &["last references", "last definitions"], |cx| {
        cx.defer_picker("language-server-locations");
    })
    .when(has_locations),
    command("diagnostics.next", "Go to next diagnostic", &["next error", "next problem"], |cx| {
        step(cx, Diagnostics::next);
    })
    .when(has_diagnostics),
    command(
        "diagnostics.previous",
        "Go to previous diagnostic",
        &["previous error", "previous problem"],
        |cx| {
            step(cx, Diagnostics::previous);
        },
    )
    .when(has_diagnostics),
    command(
        "diagnostics.list",
        "Show diagnostics",
        &["problems", "errors and warnings", "error list"],
        |cx| {
            cx.defer_picker("diagnostics");
        },
    )
    .when(has_diagnostics_anywhere),
    command(
        "lsp.servers",
        "Show language servers",
        &["lsp status", "lsp log", "restart language server"],
        |cx| {
            cx.defer_picker("language-servers");
            server_list::measure(cx);
        },
    )
    .when(has_servers),
];

fn has_locations(state: &State) -> Result<(), Reason> {
    let is_empty = state.slots[LANGUAGE_SERVERS].locations.1.is_empty();
    require(!is_empty, Reason::new("Nothing found yet").with_remedy("Find", "lsp.references"))
}

/// The shown text has diagnostics.
pub fn has_diagnostics(state: &State) -> Result<(), Reason> {
    let buffer = state.buffers.current();
    require(
        buffer.is_some_and(|buffer| !buffer.servers.diagnostics.is_empty()),
        Reason::new("No diagnostics in this file"),
    )
}

fn has_diagnostics_anywhere(state: &State) -> Result<(), Reason> {
    let mut buffers = state.buffers.all().iter();
    let reason = match has_servers(state) {
        Ok(()) => Reason::new("No diagnostics in the open files"),
        Err(reason) => reason,
    };
    let is_found = !state.slots[LANGUAGE_SERVERS].project.is_empty()
        || buffers.any(|buffer| !buffer.servers.diagnostics.is_empty());
    require(is_found, reason)
}

/// Goes to another diagnostic of the shown text, and shows it.
fn step(cx: &mut Cx<'_>, find: fn(&Diagnostics, Byte) -> Option<&Mark>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let found = find(&buffer.servers.diagnostics, buffer.area.caret());
    let Some((at, message)) = found.map(|mark| (mark.range.start, summary(mark))) else {
        return cx.state.set_status("No diagnostics in this file");
    };
    cx.state.note_jump();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        let text = buffer.area.text();
        let at = text.grapheme_floor(at.min(text.end()));
        buffer.area.go_to(at);
    }
    cx.state.damage.add(Part::Editor);
    cx.state.set_status(message);
}

/// Returns what a diagnostic says, in one line.
pub fn summary(mark: &Mark) -> String {
    one_line(mark.diagnostic.severity, &mark.diagnostic.message)
}

/// Returns severity and message in one line.
pub fn one_line(severity: Severity, message: &str) -> String {
    let words = message.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::base::width::visible(&format!("{}: {words}", severity.name())).into_owned()
}
