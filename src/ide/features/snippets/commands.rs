//! Commands that insert snippets and move through their stops.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::edit::{apply, comment_tokens, line_ending};
use crate::ide::editor::commands::registers;
use crate::ide::features::snippets::variables::VariableContext;
use crate::ide::model::buffers::Buffer;
use crate::text::anchors::snippet_stops::{self, SnippetStops, SnippetStyle};
use crate::text::operations::edit::indents_by_tabs;
use crate::text::snippet::Snippet;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("snippet.insert", "Insert snippet", &["template"], |cx| {
        if cx.state.panes.focus == Focus::Editor && cx.state.buffers.current().is_some() {
            cx.defer_picker("snippets");
        } else {
            cx.state.set_status("Snippets need an open file");
        }
    }),
    command("snippet.next-stop", "Go to next tab stop", &["placeholder"], |cx| go_to_next_stop(cx, true))
        .when(has_snippet),
    command("snippet.previous-stop", "Go to previous tab stop", &["placeholder"], |cx| {
        go_to_next_stop(cx, false);
    })
    .when(has_snippet),
    command("snippet.next-choice", "Insert next snippet choice", &[], choose_option).when(has_choice),
];

/// A snippet has stops left.
fn has_snippet(state: &State) -> Result<(), Reason> {
    let stops = state.buffers.current().and_then(|buffer| buffer.area.per_view.snippet_stops.as_ref());
    condition::require(stops.is_some(), Reason::new("No active snippet"))
}

/// A snippet has stops left, which may have choices.
fn has_choice(state: &State) -> Result<(), Reason> {
    has_snippet(state).map_err(|_| Reason::new("No snippet choice here"))
}

/// Returns the language names of snippets for the shown file.
pub fn languages(state: &State) -> Vec<&'static str> {
    state.buffers.current().map(|buffer| buffer.highlighting.names()).unwrap_or_default()
}

/// Inserts a snippet at every cursor, as one step, and goes to its first stop.
pub fn insert_snippet(cx: &mut Cx<'_>, body: &str) {
    let snippet = match Snippet::parse(body) {
        Ok(snippet) => snippet,
        Err(error) => return cx.state.set_error(format!("Cannot parse snippet: {error}")),
    };
    let ending = line_ending(cx).text();
    let (width, by_tabs) = cx.state.indentation();
    let signs = comment_tokens(cx);
    let newest = registers::read(cx, '+').map(|content| content.joined());
    let (workspace, now_ms) = (cx.state.workspace.clone(), cx.now_ms);
    let Some(buffer) = cx.state.buffers.current() else { return };
    if let Some(reason) = buffer.read_only() {
        return cx.state.set_error(reason);
    }
    let text = buffer.area.text();
    let indent =
        if by_tabs.unwrap_or_else(|| indents_by_tabs(text)) { "\t".into() } else { " ".repeat(width) };
    let context = VariableContext {
        text,
        path: buffer.path.as_deref(),
        workspace: &workspace,
        now_ms,
        comment_tokens: signs,
        clipboard: newest,
    };
    let style = SnippetStyle { indent: &indent, ending };
    let put = snippet_stops::insert(text, &buffer.area.selection, &snippet, &style, &|range, name| {
        context.get(range, name)
    });
    match put {
        Ok((edit, stops)) => {
            let (version, is_list) = (buffer.area.document.version(), buffer.results().is_some());
            apply(cx, |_, _| edit);
            if is_list {
                // Remembered positions stay: the inserted text may be shorter than the stops require.
                return;
            }
            let Some(buffer) = cx.state.buffers.current_mut() else { return };
            if buffer.area.document.version() != version {
                buffer.area.document.seal();
            }
            go_to_stop(cx, stops);
        }
        Err(error) => cx.state.set_error(format!("Cannot insert snippet: {error}")),
    }
}

/// Handles arriving at a stop; after the last one the snippet ends.
fn go_to_stop(cx: &mut Cx<'_>, stops: SnippetStops) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let choices = stops.choices().join(", ");
    buffer.area.select(stops.selection());
    buffer.area.per_view.snippet_stops = Some(stops).filter(|stops| !stops.is_last());
    if !choices.is_empty() {
        cx.state.set_status(format!("One of: {choices}"));
    }
    cx.state.damage.add(Part::Editor);
}

fn go_to_next_stop(cx: &mut Cx<'_>, forward: bool) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let Some(mut stops) = buffer.area.per_view.snippet_stops.take() else {
        return cx.state.set_status("No active snippet");
    };
    if stops.go(forward).is_some() {
        go_to_stop(cx, stops);
    } else {
        buffer.area.per_view.snippet_stops = Some(stops);
    }
}

fn choose_option(cx: &mut Cx<'_>) {
    let with_choices = |buffer: &mut Buffer| {
        let text = buffer.area.text().clone();
        buffer.area.per_view.snippet_stops.as_mut()?.choose(&text)
    };
    let Some(edit) = cx.state.buffers.current_mut().and_then(with_choices) else {
        return cx.state.set_status("No snippet choice here");
    };
    apply(cx, |_, _| edit);
}

/// Ends the current snippet.
pub fn end_snippet(state: &mut State) {
    if let Some(buffer) = state.buffers.current_mut() {
        buffer.area.per_view.snippet_stops = None;
    }
}
