//! Commands that search earlier messages, and import conversations of other programs.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::history_search::events;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("prompt.search", "Search prompt history", &["reverse search", "earlier prompts"], |cx| {
        cx.defer_picker("prompts");
    }),
    command("session.search", "Search sessions", &["find in conversations", "chat history"], |cx| {
        cx.defer_picker("session-search");
    }),
    command("session.import", "Import sessions", &["claude code", "codex", "pi"], import)
        .when(condition::has_session),
];

fn import(cx: &mut Cx<'_>) {
    let title = "Import sessions of pi, Claude Code or codex from";
    let prompt = Prompt::new(title, |cx, answer| {
        let folder = cx.state.resolve_typed_path(&answer);
        cx.state.set_status(format!("Importing {}…", folder.display()));
        events::import(cx, folder);
    });
    prompt.required().completing_paths().initial("~/.claude/projects").open(cx);
}
