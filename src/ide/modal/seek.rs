//! Searches of a modal map: forward, backward, again, for the word at the cursor, as motions.

use super::{cursors, moves};
use crate::ide::commands::Cx;
use crate::ide::commands::file::ask;
use crate::ide::state::damage::Part;
use crate::ide::state::overlay::Topic;
use crate::text::modal::landing::{Extent, Landing};
use crate::text::modal::page::{Class, Page};
use crate::text::modal::{pattern, words};
use crate::text::position::Byte;
use crate::text::search::{Case, How, Needle};

/// Texts up to this many bytes are searched at once. In longer ones a search looks only so far.
const REACH: usize = 8 << 20;

/// Asks what to look for.
pub fn begin(cx: &mut Cx<'_>, forward: bool) {
    ask(cx, Topic::Seek(forward), "");
}

/// What was typed is looked for; nothing typed is the last search.
pub fn typed(cx: &mut Cx<'_>, answer: &str, forward: bool) {
    // An offset behind the pattern's end is not understood, but its sign ends the pattern.
    let answer = pattern::until(answer, if forward { '/' } else { '?' }).0;
    let wanted = match (answer.is_empty(), &cx.state.modal.sought) {
        (false, _) => answer,
        (true, Some((last, _))) => last.clone(),
        (true, None) => return cx.state.say("nothing was looked for yet"),
    };
    cx.state.modal.sought = Some((wanted, forward));
    again(cx, false);
}

/// The pattern as a search; what is wrong with it is told.
pub fn needle(cx: &mut Cx<'_>, wanted: &str) -> Option<Needle> {
    let (ignore, smart) = cx.state.modal.ignore_case;
    let (regex, case) = pattern::translate(wanted);
    let case = case.unwrap_or(match (ignore, smart) {
        (false, _) => Case::Exact,
        (true, false) => Case::Ignored,
        (true, true) => Case::Smart,
    });
    match Needle::new(&regex, How { regex: true, word: false, case }) {
        Ok(needle) => needle,
        Err(error) => {
            cx.state.fail(format!("`{wanted}` cannot be looked for: {error}"));
            None
        }
    }
}

/// The next match of the last search; the other way when `back`.
pub fn again(cx: &mut Cx<'_>, back: bool) {
    let Some((wanted, forward)) = cx.state.modal.sought.clone() else {
        cursors::fail(cx);
        return cx.state.say("nothing was looked for yet");
    };
    let Some(needle) = needle(cx, &wanted) else { return cursors::fail(cx) };
    cx.state.last_search = Some(wanted.clone());
    cx.state.highlight = Some(needle.clone());
    cx.state.damage.add(Part::Editor);
    let count = cx.state.modal.take_count().unwrap_or(1);
    let forward = forward != back;
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    cx.state.modal.far = true;
    let before = cx.state.modal.failed;
    cx.state.modal.failed = false;
    moves::land(cx, |page, range| {
        let mut at = range.head;
        for _ in 0..count {
            at = if forward { next(page, &needle, at)? } else { previous(page, &needle, at)? };
        }
        Some(Landing::new(at, Extent::Exclusive))
    });
    if cx.state.modal.failed {
        cx.state.fail(format!("no match: {wanted}"));
    }
    cx.state.modal.failed |= before;
}

fn next(page: Page<'_>, needle: &Needle, at: Byte) -> Option<Byte> {
    let text = page.text;
    let from = text.next_grapheme(at);
    let far = (from + REACH).min(text.end());
    let ahead = needle.matches(text, from.min(far)..far).map(|found| found.start);
    let first = |mut found: Box<dyn Iterator<Item = Byte> + '_>| found.next();
    first(Box::new(ahead)).or_else(|| {
        let far = text.char_floor(Byte(REACH).min(text.end()));
        first(Box::new(needle.matches(text, Byte(0)..far).map(|found| found.start)))
    })
}

fn previous(page: Page<'_>, needle: &Needle, at: Byte) -> Option<Byte> {
    let text = page.text;
    let near = text.char_floor(at.back(REACH));
    let before = needle.matches(text, near..text.end().min(at + REACH)).map(|found| found.start);
    before.take_while(|found| *found < at).last().or_else(|| {
        let near = text.char_floor(text.end().back(REACH)).max(at);
        needle.matches(text, near..text.end()).map(|found| found.start).last()
    })
}

/// Looks for the word at or behind the cursor; as a whole word when `whole`.
pub fn word(cx: &mut Cx<'_>, forward: bool, whole: bool) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let head = buffer.area.selection.primary().head;
    let mut at = head;
    while !page.at_end(at) && page.class(at, false) != Class::Word {
        at = page.right(at);
    }
    if page.at_end(at) {
        cursors::fail(cx);
        return cx.state.say("there is no word here");
    }
    let start = words::run_start(page, at, false);
    let end = page.right(words::run_end(page, at, false));
    let word = page.text.slice(start..end).into_owned();
    let wanted = if whole { format!("\\<{word}\\>") } else { word };
    cx.state.modal.sought = Some((wanted, forward));
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        let selection = buffer.area.selection.clone();
        // The search begins at the word, not inside it.
        cx.state.note_jump();
        cursors::set(
            cx,
            selection
                .transform(|r| if r.head == head { crate::text::selection::Range::cursor(start) } else { r }),
        );
    }
    again(cx, false);
}
