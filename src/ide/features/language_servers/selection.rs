//! Grows selections to what a server says is around them, in files without a syntax tree.

use crate::ide::core::condition::{Reason, require};
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::editor::commands::syntax::note_expansion;
use crate::ide::features::language_servers::questions::{ask, failure, no_answer};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::lsp::client::ranges::SELECTION_RANGE;
use crate::lsp::table::Feature;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("lsp.expand-selection", "Expand selection by server", &["selection range"], expand)
        .when(is_available)];

/// Selections that are grown at once.
const SELECTIONS_MAX: usize = 100;

/// A server of the shown text knows what is around a position.
fn is_available(state: &State) -> Result<(), Reason> {
    let known = &state.slots[LANGUAGE_SERVERS];
    let shown = state.buffers.current().map(|buffer| buffer.id);
    let is_offered = shown.is_some_and(|id| known.offers(id, Feature::SelectionRange, SELECTION_RANGE));
    require(is_offered, Reason::new("No server expands selections here"))
}

/// Asks a server for what is around each selection, and selects that.
fn expand(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::SelectionRange) else { return };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (version, before) = (buffer.area.document.version(), buffer.area.selection.clone());
    if before.ranges().len() > SELECTIONS_MAX {
        return cx.state.set_status("Too many selections to expand by server");
    }
    let offsets: Vec<usize> = before.ranges().iter().map(|range| range.start().0).collect();
    let id = asked.buffer;
    let work = async move {
        let mut problems = Vec::new();
        for server in asked.servers {
            let Some(client) = server.client.await else { continue };
            match client.selection_ranges(&asked.path, &offsets).await {
                Ok((found, text)) if found.len() == offsets.len() => return Ok((found, text.version)),
                Ok(_) | Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&server.name, "expand selection", &error)),
            }
        }
        Err(no_answer(&problems, NOTHING))
    };
    cx.tasks.spawn("language-servers.expand-selection", work, move |cx, answer| {
        match answer_or_error(cx, "ask language servers", answer) {
            Some(Ok((found, of_version))) if of_version == version => select(cx, id, version, before, &found),
            Some(Ok(_)) | None => {}
            Some(Err(reason)) => cx.state.set_status(reason),
        }
    });
}

/// What is shown where a server knows nothing larger.
const NOTHING: &str = "No more of them here";

/// Selects for each range the smallest one around it that is larger, unless the user has gone on meanwhile.
fn select(
    cx: &mut Cx<'_>,
    id: BufferId,
    version: u64,
    before: Selection,
    found: &[Vec<std::ops::Range<usize>>],
) {
    let Some(buffer) = cx.state.buffers.current_mut().filter(|buffer| buffer.id == id) else { return };
    if buffer.area.document.version() != version || buffer.area.selection != before {
        return;
    }
    let grown = before.ranges().iter().zip(found).map(|(range, around)| larger(*range, around));
    let after = Selection::new(grown.collect(), before.primary_index());
    if after == before {
        return cx.state.set_status(NOTHING);
    }
    buffer.area.selection = after;
    buffer.area.document.seal();
    note_expansion(buffer, before);
    cx.state.damage.add(Part::Editor);
}

/// Returns the first range, from the innermost on, that has all of a selection and more.
fn larger(range: Range, around: &[std::ops::Range<usize>]) -> Range {
    let span = range.start().0..range.end().0;
    let has_more = |found: &&std::ops::Range<usize>| {
        found.start <= span.start && found.end >= span.end && **found != span
    };
    around.iter().find(has_more).map_or(range, |found| Range::new(Byte(found.start), Byte(found.end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_grows_to_the_smallest_range_that_has_more() {
        let grown = |from: usize, to: usize| {
            let found = larger(Range::new(Byte(from), Byte(to)), &[4..6, 4..6, 2..9, 8..9, 0..20]);
            (found.start().0, found.end().0)
        };
        assert_eq!([grown(5, 5), grown(4, 6), grown(2, 9), grown(0, 20)], [(4, 6), (2, 9), (0, 20), (0, 20)]);
        assert_eq!(grown(5, 7), (2, 9), "a selection that ends elsewhere");
    }
}
