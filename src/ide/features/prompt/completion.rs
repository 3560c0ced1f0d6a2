//! Completions while the user types into the prompt: slash commands after `/` at its start, files and folders
//! after `@`. The list stands above the text and has its keys only while it is shown.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::model::agent::Prompt;
use crate::ide::model::completion::{Completion, CompletionRow};
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

pub mod files;
pub mod slash;

/// Maximum bytes before the caret in which a word is looked for.
const WORD_MAX: usize = 1 << 10;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("completion.accept", "Accept completion", &["complete"], |cx| accept(cx, false)),
    command("completion.run", "Accept completion and send", &["complete"], |cx| accept(cx, true)),
    command("completion.next", "Select next completion", &[], |cx| step(cx, 1)),
    command("completion.previous", "Select previous completion", &[], |cx| step(cx, -1)),
    command("completion.close", "Close completions", &["hide suggestions"], close),
];

/// A word that can be completed: where it begins, and its text after the sign.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    /// A slash command.
    Slash(Byte, String),
    /// A file or folder.
    File(Byte, String),
}

impl Word {
    fn start(&self) -> Byte {
        match self {
            Self::Slash(start, _) | Self::File(start, _) => *start,
        }
    }
}

/// Returns the word before the caret, if it can be completed.
fn word_at_caret(prompt: &Prompt) -> Option<Word> {
    let (text, head) = (prompt.area.text(), prompt.area.selection.primary().head);
    if prompt.is_browsing() || !prompt.area.selection.is_empty() {
        return None;
    }
    let line_start = text.line_start(text.line_of(head));
    if head.0 - line_start.0 > WORD_MAX {
        return None;
    }
    let before = text.slice(line_start..head);
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let start = head.back(word.len());
    let mut chars = word.chars();
    match chars.next()? {
        '/' if start == Byte(0) => Some(Word::Slash(start, chars.as_str().to_string())),
        '@' => Some(Word::File(start, chars.as_str().to_string())),
        _ => None,
    }
}

/// Brings the list up to date with the text before the caret, after every event.
pub fn update(cx: &mut Cx<'_>) {
    let prompt = &mut cx.state.prompt;
    let seen = (prompt.area.document.version(), prompt.area.selection.primary().head);
    let has_focus = cx.state.panes.focus == Focus::Agent && cx.state.layers.is_empty();
    let before = prompt.completion.seen.replace(seen);
    if before == Some(seen) && (has_focus || prompt.completion.open.is_none()) {
        return;
    }
    let word = if has_focus { word_at_caret(prompt) } else { None };
    let Some(word) = word else {
        prompt.completion.dismissed = None;
        return hide(cx);
    };
    // Moving the caret into a word asks for nothing; typing does.
    let is_typed = before.is_none_or(|(version, _)| version != seen.0);
    let is_dismissed = prompt.completion.dismissed == Some(word.start());
    if is_dismissed || !(is_typed || prompt.completion.open.is_some()) {
        return hide(cx);
    }
    match word {
        Word::Slash(start, query) => show(cx, start, slash::rows(&query), None),
        Word::File(start, query) => files::request(cx, start, &query),
    }
}

/// Shows rows for the word that begins at `start`; without any, nothing.
fn show(cx: &mut Cx<'_>, start: Byte, rows: Vec<CompletionRow>, open: Option<Completion>) {
    let selected = 0;
    let shown = match open {
        Some(open) => Completion { rows, selected, is_filling: false, ..open },
        None => Completion { start, rows, selected, is_filling: false, search: None },
    };
    cx.state.prompt.completion.open = Some(shown).filter(|shown| !shown.rows.is_empty());
    cx.state.damage.add_all();
}

fn hide(cx: &mut Cx<'_>) {
    if cx.state.prompt.completion.open.take().is_some() {
        cx.state.damage.add_all();
    }
}

fn close(cx: &mut Cx<'_>) {
    let completion = &mut cx.state.prompt.completion;
    completion.dismissed = completion.open.as_ref().map(|open| open.start);
    hide(cx);
}

fn step(cx: &mut Cx<'_>, by: isize) {
    if let Some(open) = &mut cx.state.prompt.completion.open {
        open.step(by);
        cx.state.damage.add(Part::Prompt);
    }
}

/// Puts the selected row in place of the word. With `send` a complete message is sent.
fn accept(cx: &mut Cx<'_>, send: bool) {
    let Some(open) = cx.state.prompt.completion.open.take() else { return };
    cx.state.damage.add_all();
    let Some(row) = open.rows.get(open.selected) else { return };
    let sends = send && row.is_complete;
    // A folder is followed by the name of a file in it.
    let ends_word = !sends && !row.text.ends_with('/');
    let text = if ends_word { format!("{} ", row.text) } else { row.text.clone() };
    let prompt = &mut cx.state.prompt;
    let head = prompt.area.selection.primary().head;
    prompt.area.edit(cx.now_ms, |old, _| {
        let after = open.start + text.len();
        Transaction::new(ChangeSet::replace(old.end().0, [(open.start..head, text.clone())]))
            .select(Selection::cursor(after))
    });
    if sends {
        cx.defer_command("agent.send");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Option<Word> {
        let mut prompt = Prompt::default();
        prompt.area.set(text, 0);
        word_at_caret(&prompt)
    }

    #[test]
    fn completion_word_is_slash_at_start_or_at_sign() {
        assert_eq!(word("/"), Some(Word::Slash(Byte(0), String::new())));
        assert_eq!(word("/mod"), Some(Word::Slash(Byte(0), "mod".into())));
        assert_eq!(word("see @src/é"), Some(Word::File(Byte(4), "src/é".into())));
        assert_eq!(word("line\n@a"), Some(Word::File(Byte(5), "a".into())));
        for text in ["", " /mod", "/model x", "a/b", "mail@host", "line\n/mod"] {
            assert_eq!(word(text), None, "{text:?}");
        }
    }
}
