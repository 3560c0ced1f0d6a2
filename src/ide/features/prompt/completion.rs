//! Completions while the user types into the prompt: slash commands after `/` at its start, their arguments, and
//! after `@` files, folders, symbols of open files and sessions. The list stands above the text and has its keys only while it is shown.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::AgentPart;
use crate::ide::model::completion::{Completion, CompletionRow};
use crate::ide::model::prompt::Prompt;
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

pub mod arguments;
pub mod files;
pub mod references;
pub mod slash;

/// Maximum bytes before the caret in which a word is looked for.
const WORD_MAX: usize = 1 << 10;

/// A word that can be completed: where it begins, and its text after the sign.
#[derive(Debug, PartialEq, Eq)]
enum Word {
    /// A slash command.
    Slash(Byte, String),
    /// The argument of the slash command of this name.
    Argument(Byte, &'static str, String),
    /// A file, a folder, or another thing with a name.
    File(Byte, String),
}

impl Word {
    fn start(&self) -> Byte {
        match self {
            Self::Slash(start, _) | Self::Argument(start, ..) | Self::File(start, _) => *start,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Slash(_, rest) => format!("/{rest}"),
            Self::Argument(_, _, rest) => rest.clone(),
            Self::File(_, rest) => format!("@{rest}"),
        }
    }
}

/// Returns the word before the caret, if it can be completed. The shell takes the words of its commands as
/// they are.
fn word_at_caret(prompt: &Prompt) -> Option<Word> {
    let (text, head) = (prompt.area.text(), prompt.area.selection.primary().head);
    if prompt.is_browsing() || !prompt.area.selection.is_empty() {
        return None;
    }
    let before = prompt.area.per_view.pastes.folded().iter().rev().find(|fold| fold.end <= head);
    let line_start = text.line_start(text.line_of(head)).max(before.map_or(Byte(0), |fold| fold.end));
    if head - line_start > WORD_MAX || text.slice(Byte(0)..Byte(1.min(text.end().0))) == "!" {
        return None;
    }
    let before = text.slice(line_start..head);
    if line_start == Byte(0)
        && let Some((command, rest)) = arguments::typed(&before)
    {
        return Some(Word::Argument(head.back(rest.len()), command, rest.to_string()));
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let start = head.back(word.len());
    let mut chars = word.chars();
    match chars.next()? {
        '/' if start == Byte(0) => Some(Word::Slash(start, chars.as_str().to_string())),
        '@' => Some(Word::File(start, chars.as_str().to_string())),
        _ => None,
    }
}

/// Brings the list up to date with the text before the caret, after every key and event.
pub fn update(cx: &mut Cx<'_>) {
    let prompt = &mut cx.state.prompt;
    let seen = prompt.seen();
    let has_focus = cx.state.panes.is_agent_focused(AgentPart::Prompt) && cx.state.layers.is_empty();
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
    begin(cx, &word);
    match word {
        Word::Slash(_, query) => show(cx, slash::rows(&query)),
        Word::Argument(_, command, query) => {
            let rows = arguments::rows(cx.state, command, &query);
            show(cx, rows);
        }
        Word::File(_, query) => {
            references::refresh(cx);
            files::request(cx, &query);
        }
    }
}

/// Begins the list of a word. The rows of the word before it stay on screen until there are new ones.
fn begin(cx: &mut Cx<'_>, word: &Word) {
    let completion = &mut cx.state.prompt.completion;
    completion.last += 1;
    let before = completion.open.take().filter(|open| open.start == word.start());
    let (rows, selected) = before.map_or_else(Default::default, |open| (open.rows, open.selected));
    completion.open = Some(Completion {
        number: completion.last,
        start: word.start(),
        word: word.text(),
        rows,
        selected,
        is_chosen: false,
        is_stale: true,
        awaited: None,
        search: None,
    });
}

/// Shows the rows of the open list; without any, nothing.
fn show(cx: &mut Cx<'_>, rows: Vec<CompletionRow>) {
    cx.state.damage.add_all();
    let Some(open) = &mut cx.state.prompt.completion.open else { return };
    (open.rows, open.selected, open.is_chosen, open.is_stale) = (rows, 0, false, false);
    let (awaited, is_empty) = (open.awaited.take(), open.rows.is_empty());
    if is_empty {
        let completion = &mut cx.state.prompt.completion;
        (completion.open, completion.emptied) = (None, completion.seen);
    }
    match awaited {
        Some(send) if !is_empty => accept(cx, send),
        Some(true) => cx.defer_command("agent.send"),
        _ => {}
    }
}

/// Closes the list; returns whether one was open.
fn hide_open(cx: &mut Cx<'_>) -> bool {
    let was_open = cx.state.prompt.completion.open.take().is_some();
    if was_open {
        cx.state.damage.add_all();
    }
    was_open
}

fn hide(cx: &mut Cx<'_>) {
    hide_open(cx);
}

/// Closes the list on screen for the rest of its word; returns whether there was one.
pub fn close_shown(cx: &mut Cx<'_>) -> bool {
    if !cx.state.prompt.is_completing() {
        return false;
    }
    let completion = &mut cx.state.prompt.completion;
    completion.dismissed = completion.open.as_ref().map(|open| open.start);
    hide_open(cx)
}

/// Selects another row.
pub fn step(cx: &mut Cx<'_>, by: isize) {
    if let Some(open) = &mut cx.state.prompt.completion.open {
        open.step(by);
        cx.state.damage.add(Part::Prompt);
    }
}

/// Puts the selected row in place of the word. With `send` a complete message is sent, and so is the text as
/// it is if no row is likely to be meant.
pub fn accept(cx: &mut Cx<'_>, send: bool) {
    if !cx.state.prompt.is_completing() {
        return;
    }
    let Some(open) = &mut cx.state.prompt.completion.open else { return };
    if open.is_stale && !open.is_chosen {
        open.awaited = Some(send);
        return;
    }
    let Some(row) = open.rows.get(open.selected).cloned() else { return };
    let (start, is_meant) = (open.start, open.is_chosen || row.is_likely);
    let is_same = open.word == row.text && row.insert.is_none();
    let is_command = open.word.starts_with('/') && start == Byte(0);
    hide(cx);
    if send && !is_command && (is_same || !is_meant) {
        return cx.defer_command("agent.send");
    }
    let sends = send && row.is_complete && is_meant;
    replace_word(cx, start, row.insert.as_deref().unwrap_or(&row.text), sends);
    if sends {
        cx.defer_command("agent.send");
    }
}

/// Replaces the word around the caret. A space follows, except at the end of a message and after a folder,
/// which is followed by a name in it.
fn replace_word(cx: &mut Cx<'_>, start: Byte, new: &str, is_last: bool) {
    let area = &mut cx.state.prompt.area;
    let (text, head) = (area.text(), area.selection.primary().head);
    let line_end = text.line_end(text.line_of(head));
    let behind = text.slice(head..line_end.min(head + WORD_MAX));
    let rest = behind.find(char::is_whitespace);
    let end = head + rest.unwrap_or(behind.len());
    let ends_word = !is_last && !new.ends_with('/') && rest.is_none();
    let new = if ends_word { format!("{new} ") } else { new.to_string() };
    let after = start + new.len();
    area.edit(cx.now_ms, |old, _| {
        Transaction::new(ChangeSet::replace(old.end().0, [(start..end, new)]))
            .select(Selection::cursor(after))
    });
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
        assert_eq!(word("/model x"), Some(Word::Argument(Byte(7), "model", "x".into())));
        assert_eq!(word("/model  two w"), Some(Word::Argument(Byte(8), "model", "two w".into())));
        assert_eq!(word("/thinking "), Some(Word::Argument(Byte(10), "thinking", String::new())));
        for text in [
            "",
            " /mod",
            "/new x",
            "/model x ",
            "line\n/model x",
            "a/b",
            "mail@host",
            "line\n/mod",
            "!cat @src",
        ] {
            assert_eq!(word(text), None, "{text:?}");
        }
    }
}
