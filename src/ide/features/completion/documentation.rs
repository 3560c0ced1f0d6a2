//! What is said about the selected completion, beside the list: asked for once its row has been selected for a moment.

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::completion::pane;
use crate::ide::features::completion::state::{COMPLETIONS, Documentation, Origin};
use crate::ide::features::language_servers::hover;
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::lsp::answers::completion::Item;

/// Asks for the documentation of the selected row, if it has been selected long enough.
pub fn ask_when_rested(cx: &mut Cx<'_>) {
    let now = cx.now;
    let known = &mut cx.state.slots[COMPLETIONS];
    let Some(open) = known.open.as_mut().filter(|open| open.documentation_at.is_some_and(|at| at <= now))
    else {
        return;
    };
    open.documentation_at = None;
    let number = open.number;
    let Some(row) = open.matches.get(open.selected).map(|found| found.row) else { return };
    if open.documentation.as_ref().is_some_and(|shown| shown.row == row) {
        return;
    }
    let width = pane::documentation_width(cx.state);
    let open = &cx.state.slots[COMPLETIONS].open;
    let Some(open) = open.as_ref().filter(|_| width > 0 && !cx.state.is_accessible()) else { return };
    let (asked, origin) = (open.row(row), open.source(row).origin);
    let server = match origin {
        Origin::Server(number) if !asked.is_resolved => cx.state.slots[LANGUAGE_SERVERS].server(number),
        _ => None,
    };
    let client = server.map(questions::client);
    let (mut item, is_linear) = (asked.item.clone(), cx.state.is_accessible());
    let label = asked.item.label.clone();
    let work = async move {
        let mut problem = None;
        if let Some(client) = client
            && let Some(client) = client.await
        {
            problem = client.resolve_completion(&mut item).await.err();
        }
        let text = markdown(&item);
        let lines = if text.is_empty() { Vec::new() } else { hover::lay_out(text, width, is_linear).await };
        (item, lines, problem)
    };
    cx.tasks.spawn("completion.document", work, move |cx, answer| {
        let Some((item, lines, problem)) = answer_or_error(cx, "read documentation", answer) else { return };
        let Some(open) = cx.state.slots[COMPLETIONS].open.as_mut().filter(|open| open.number == number)
        else {
            return;
        };
        // Rows of a source that was asked again are gone.
        let rows = open.rows.get_mut(row.source as usize);
        let known = rows.and_then(|rows| rows.get_mut(row.row as usize));
        let Some(known) = known.filter(|known| known.item.label == label) else { return };
        if let Some(problem) = problem {
            tracing::debug!(%problem, "a language server says nothing more about a completion");
        } else {
            (known.item, known.is_resolved) = (item, true);
        }
        if open.matches.get(open.selected).is_some_and(|found| found.row == row) {
            open.documentation = Some(Documentation { row, lines, width });
            cx.state.damage.add(Part::Completions);
        }
    });
}

/// Returns what is said about a completion: its type or signature, then its documentation.
fn markdown(item: &Item) -> String {
    let detail = item.detail.trim();
    let head = if detail.is_empty() { String::new() } else { hover::code_block(detail) };
    let parts = [head.as_str(), item.documentation.trim()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_documentation_is_its_type_then_its_text() {
        let item = |detail: &str, documentation: &str| Item {
            detail: detail.to_string(),
            documentation: documentation.to_string(),
            ..Item::default()
        };
        assert_eq!(markdown(&item("fn a()", "**text**\n")), "```\nfn a()\n```\n\n**text**");
        assert_eq!(markdown(&item("", "text")), "text");
        assert_eq!(markdown(&item(" ", "")), "");
    }
}
