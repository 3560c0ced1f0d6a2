//! Asks for the kinds of the names of shown texts, and shows their colors until others come. They move along with edits.
//! They are decoded in the task, so that the loop only takes them in. Must not know colors: a scope is a name.

use std::ops::Range;
use std::path::PathBuf;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::questions::{Answers, ask_about, shown_texts};
use crate::ide::features::semantic_tokens::scopes::Scopes;
use crate::ide::features::semantic_tokens::state::SEMANTIC_TOKENS;
use crate::ide::model::view::ask_when_still::Question;
use crate::lsp::client::{Client, QuestionError};
use crate::lsp::position::{Encoding, Position};
use crate::lsp::table::Feature;
use crate::syntax::HighlightedRange;
use crate::text::position::Byte;

/// A position behind the end of every text.
const END: Position = Position { line: u32::MAX, character: u32::MAX };

/// The scopes of names that a server knows.
struct Colors {
    /// The version of the text.
    version: u64,
    /// Whether they are those of all of the text.
    is_complete: bool,
    all: HighlightedRange,
}

/// Notes what is seen, so that it is asked about once it is still. For screen readers nothing is colored.
pub fn note_shown(cx: &mut Cx<'_>) {
    let is_wanted = cx.state.slots[SEMANTIC_TOKENS].is_on && !cx.state.is_accessible();
    let shown = if is_wanted { shown_texts(cx.state, Feature::SemanticTokens) } else { Vec::new() };
    cx.state.slots[SEMANTIC_TOKENS].texts.note(shown, cx.now);
}

/// Asks about the texts that have been still for a moment.
pub fn ask_when_still(cx: &mut Cx<'_>) {
    let now = cx.now;
    for question in cx.state.slots[SEMANTIC_TOKENS].texts.take_due(now) {
        let parts = question.byte_parts();
        let ask = move |client: Client, path: PathBuf| colors(client, path, parts.clone());
        let asked = question.clone();
        ask_about(cx, "semantic-tokens.ask", Feature::SemanticTokens, &asked, ask, move |cx, answers| {
            show(cx, &question, answers);
        });
    }
}

async fn colors(client: Client, path: PathBuf, parts: Vec<Range<usize>>) -> Result<Colors, QuestionError> {
    let answer = client.semantic_tokens(&path, parts).await?;
    let made = on_thread(move || {
        let range = match answer.parts.as_deref() {
            None => Byte(0)..Byte(usize::MAX),
            Some([first, .., last]) => Byte(first.start)..Byte(last.end),
            Some([only]) => Byte(only.start)..Byte(only.end),
            Some([]) => Byte(0)..Byte(0),
        };
        let end = Byte(answer.text.text.offset(END, Encoding::Utf8));
        let range = range.start.min(end)..range.end.min(end);
        let spans = Scopes::new(&answer.legend).spans(answer.tokens());
        let all = HighlightedRange::new(range, spans);
        Colors { version: answer.text.version, is_complete: answer.parts.is_none(), all }
    });
    Ok(made.await)
}

/// Shows an answer in place of the one before. What is about an earlier text is moved along with the edits since.
fn show(cx: &mut Cx<'_>, question: &Question, answers: Answers<Colors>) {
    let is_complete = answers.found.first().is_some_and(|(_, colors)| colors.is_complete);
    if !cx.state.slots[SEMANTIC_TOKENS].texts.accept(question, (is_complete, answers.is_passing), cx.now) {
        return;
    }
    let Some(buffer) = cx.state.buffers.get_mut(question.buffer) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    // The first server of the table that knows names; two would contradict each other.
    let is_changed = match answers.found.into_iter().next() {
        Some((_, Colors { version, all, .. })) => buffer.servers.show_tokens(version, all),
        // Old colors are better than none.
        None if answers.has_failed => false,
        None => buffer.servers.forget_tokens(),
    };
    if is_changed {
        cx.state.damage.add(Part::Editor);
    }
}

/// Takes all colors of names away.
pub fn clear(cx: &mut Cx<'_>) {
    cx.state.slots[SEMANTIC_TOKENS].texts.clear();
    for buffer in cx.state.buffers.all_mut() {
        buffer.servers.forget_tokens();
    }
    cx.state.damage.add(Part::Editor);
}
