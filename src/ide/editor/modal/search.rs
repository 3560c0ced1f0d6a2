//! Searches of a modal key map: forward, backward, repeated, for the word at the cursor, as motions.

use std::collections::HashMap;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::editor::modal::{background, cursors, key_hooks, moves};
use crate::text::modal::motion::modal_text::{CharClass, ModalText, is_one_word};
use crate::text::modal::motion::motion_target::{Extent, MotionTarget};
use crate::text::modal::motion::words;
use crate::text::modal::pattern;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::{CaseMatching, Needle, SearchOptions};
use crate::text::selection::Range;

/// Maximum bytes that a search reads at once for all cursors; a task reads further.
const SEARCH_INLINE_MAX: usize = 256 << 10;
/// Maximum bytes that it reads from each cursor during a replay.
const REPLAY_REACH: usize = 8 << 20;
/// With more cursors than this, the whole text is not searched for each of them.
const FAR_CURSORS_MAX: usize = 1_000;

/// Opens the search prompt.
pub fn prompt_search(cx: &mut Cx<'_>, forward: bool) {
    Prompt::new(if forward { "/" } else { "?" }, move |cx, answer| search_typed(cx, &answer, forward))
        .open(cx);
}

/// Searches for the typed text; an empty one repeats the last search.
fn search_typed(cx: &mut Cx<'_>, answer: &str, forward: bool) {
    // A search offset is not supported, but its separator ends the pattern.
    let answer = pattern::split_at_sign(answer, if forward { '/' } else { '?' }).0;
    let pattern = match (answer.is_empty(), &cx.state.modal.last_search) {
        (false, _) => answer,
        (true, Some((last, _))) => last.clone(),
        (true, None) => return cx.state.set_status("No search yet"),
    };
    cx.state.modal.last_search = Some((pattern, forward));
    // While the prompt was open, another pane may have got the keys, and another file may have been shown.
    panes::focus(cx, Focus::Editor);
    if !cursors::is_modal_editor(cx.state) {
        return cx.state.set_status("The editor has no keys now. Search with n");
    }
    key_hooks::clamp_cursors(cx);
    search_next(cx, false);
    // The key that ended the prompt was processed before its answer came.
    key_hooks::after_key(cx, None);
}

/// Compiles a pattern; reports an error in it.
pub fn needle(cx: &mut Cx<'_>, pattern: &str) -> Option<Needle> {
    let (ignore, smart) = cx.state.modal.ignore_case;
    let (regex, case) = pattern::translate(pattern);
    let case = case.unwrap_or(match (ignore, smart) {
        (false, _) => CaseMatching::Sensitive,
        (true, false) => CaseMatching::Insensitive,
        (true, true) => CaseMatching::Smart,
    });
    let word = pattern::whole_word(pattern);
    let regex = word.unwrap_or(&regex);
    match Needle::new(regex, SearchOptions { regex: true, word: false, case }) {
        // In scripts without spaces a word ends where another script begins.
        Ok(needle) if word.is_some() => needle.map(|needle| needle.whole_words(is_one_word)),
        Ok(needle) => needle,
        Err(error) => {
            cx.state.set_error(format!("Invalid search `{pattern}`: {error}"));
            None
        }
    }
}

/// Goes to the next match of the last search, in the other direction if `back`.
pub fn search_next(cx: &mut Cx<'_>, back: bool) {
    search_next_from(cx, back, None);
}

/// Does the same, with one cursor starting from another position.
fn search_next_from(cx: &mut Cx<'_>, back: bool, from: Option<(Byte, Byte)>) {
    let Some((pattern, forward)) = cx.state.modal.last_search.clone() else {
        cursors::fail_motion(cx);
        return cx.state.set_status("No search yet");
    };
    let Some(needle) = needle(cx, &pattern) else { return cursors::fail_motion(cx) };
    cx.state.search.last = Some(pattern.clone());
    cx.state.search.highlight = Some(needle.clone());
    cx.state.damage.add(Part::Editor);
    let count = cx.state.modal.take_count().unwrap_or(1);
    let forward = forward != back;
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    let search = SearchSteps { needle, count, forward };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let visual = cx.state.modal.mode.is_visual();
    let ranges = if visual { &cx.state.modal.visual.ranges[..] } else { buffer.area.selection.ranges() };
    let from = |head: Byte| from.filter(|(known, _)| *known == head).map_or(head, |(_, from)| from);
    let heads: Vec<(Byte, Byte)> = ranges.iter().map(|range| (range.head, from(range.head))).collect();
    let replayed = background::is_replaying(cx);
    let near = if replayed { REPLAY_REACH } else { SEARCH_INLINE_MAX / heads.len().max(1) };
    match search.targets(&text, &heads, near) {
        Ok(matches) => on_found(cx, &matches, &pattern),
        Err(NotFound) if replayed => on_found(cx, &MatchPositions::new(), &pattern),
        Err(NotFound) if heads.len() > FAR_CURSORS_MAX => {
            cursors::fail_motion(cx);
            cx.state.set_error("Too many cursors for so long a search");
        }
        Err(NotFound) => {
            let work = move || -> background::Followup {
                // A text without a match is searched once, not from every cursor.
                let some = search.needle.find(&text, Byte(0)).is_some();
                let heads = if some { &heads[..] } else { &[] };
                let matches = search.targets(&text, heads, usize::MAX).unwrap_or_default();
                Box::new(move |cx| {
                    on_found(cx, &matches, &pattern);
                    key_hooks::after_key(cx, None);
                    Ok(())
                })
            };
            if let Err(problem) = background::run(cx, usize::MAX, work) {
                cx.state.set_error(problem);
            }
        }
    }
}

/// Moves every cursor to its match, or gives the waiting operator the range to it.
fn on_found(cx: &mut Cx<'_>, matches: &MatchPositions, pattern: &str) {
    cx.state.modal.is_far_motion = true;
    let before = cx.state.modal.failed;
    cx.state.modal.failed = false;
    moves::apply_motion(cx, |_, range| {
        let at = matches.get(&range.head)?;
        Some(MotionTarget::new(*at, Extent::Exclusive))
    });
    if cx.state.modal.failed {
        forget_goal(cx);
        cx.state.set_error(format!("No match: {pattern}"));
    }
    cx.state.modal.failed |= before;
}

/// Resets the goal columns after a search, even for cursors that did not move.
fn forget_goal(cx: &mut Cx<'_>) {
    cx.state.modal.visual.to_end = false;
    for range in &mut cx.state.modal.visual.ranges {
        range.goal = None;
    }
    let Some(buffer) = cx.state.buffers.current().filter(|_| !cx.state.modal.mode.is_visual()) else {
        return;
    };
    let selection = buffer.area.selection.transform(|range| Range { goal: None, ..range });
    cursors::set_selection(cx, selection);
}

/// New positions of the cursors.
type MatchPositions = HashMap<Byte, Byte>;

/// Nothing found so far, but the search was incomplete.
#[derive(Debug)]
pub struct NotFound;

/// A search that advances by a number of matches.
struct SearchSteps {
    needle: Needle,
    count: usize,
    forward: bool,
}

impl SearchSteps {
    /// Returns the positions of the cursors that reach a match, reading a limited number of bytes.
    fn targets(&self, text: &Text, heads: &[(Byte, Byte)], reach: usize) -> Result<MatchPositions, NotFound> {
        let mut matches = MatchPositions::new();
        for (head, from) in heads {
            if let Some(at) = self.target(text, *from, reach)? {
                matches.insert(*head, at);
            }
        }
        Ok(matches)
    }

    fn target(&self, text: &Text, head: Byte, reach: usize) -> Result<Option<Byte>, NotFound> {
        let mut at = head;
        for _ in 0..self.count {
            let step = if self.forward { next } else { previous };
            match step(text, &self.needle, at, reach.min(text.end().0))? {
                Some(found) => at = found,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }
}

/// Returns the first match from a position on, wrapping around, within the limit of the event loop.
pub fn first_ahead(text: &Text, needle: &Needle, from: Byte) -> Result<Option<Byte>, NotFound> {
    find_ahead(text, needle, from, REPLAY_REACH.min(text.end().0))
}

/// Returns the last match before a position, wrapping around, within the limit of the event loop.
pub fn last_before(text: &Text, needle: &Needle, to: Byte) -> Result<Option<Byte>, NotFound> {
    previous(text, needle, to, REPLAY_REACH.min(text.end().0))
}

fn next(text: &Text, needle: &Needle, at: Byte, reach: usize) -> Result<Option<Byte>, NotFound> {
    // Matches are those of the line from its start: the next one comes after one around the cursor.
    let start = text.line_start(text.line_of(at));
    let near = start.max(at.back(SEARCH_INLINE_MAX));
    let (from, far) = (text.next_grapheme(at), text.char_floor((at + SEARCH_INLINE_MAX).min(text.end())));
    let mut line =
        needle.matches(text, text.char_floor(near)..far).filter(|found| in_line(text, found.start));
    if let Some(found) = line.find(|found| found.start >= from) {
        return Ok(Some(found.start));
    }
    // If the line ends this near, all its matches are known.
    let next = text.line_start(Line(text.line_of(at).0 + 1));
    find_ahead(text, needle, if next > at && next <= far { next } else { from }, reach)
}

/// Returns whether a position is in a line: after the last line feed there is none.
fn in_line(text: &Text, at: Byte) -> bool {
    at < text.end() || ModalText::new(text, 1).last() == at
}

fn find_ahead(text: &Text, needle: &Needle, from: Byte, reach: usize) -> Result<Option<Byte>, NotFound> {
    let far = text.char_floor((from + reach).min(text.end())).max(from);
    if let Some(found) = needle.matches(text, from..far).find(|found| in_line(text, found.start)) {
        return Ok(Some(found.start));
    }
    if far < text.end() {
        return Err(NotFound);
    }
    let far = text.char_floor(Byte(reach).min(text.end()));
    let found = needle.matches(text, Byte(0)..far).map(|found| found.start).find(|at| in_line(text, *at));
    if found.is_none() && far < from { Err(NotFound) } else { Ok(found) }
}

fn previous(text: &Text, needle: &Needle, at: Byte, reach: usize) -> Result<Option<Byte>, NotFound> {
    let near = text.char_floor(at.back(reach));
    let far = text.char_floor((at + reach).min(text.end()));
    let before = needle.matches(text, near..far).map(|found| found.start);
    if let Some(found) = before.take_while(|found| *found < at).last() {
        return Ok(Some(found));
    }
    if near > Byte(0) {
        return Err(NotFound);
    }
    let near = text.char_floor(text.end().back(reach)).max(at);
    let found = needle.matches(text, near..text.end()).map(|found| found.start);
    let found = found.filter(|at| in_line(text, *at)).last();
    if found.is_none() && near > at { Err(NotFound) } else { Ok(found) }
}

/// Searches for the word at or after the cursor; as a whole word if `whole`.
pub fn search_word(cx: &mut Cx<'_>, forward: bool, whole: bool) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let visual = cx.state.modal.visual.ranges.first().filter(|_| cx.state.modal.mode.is_visual());
    let head = visual.map_or(buffer.area.selection.primary().head, |range| range.head);
    let mut at = head;
    while !page.at_end(at) && !matches!(page.class(at, false), CharClass::Word | CharClass::Script(_)) {
        at = page.right(at);
    }
    // Without a word from the cursor on, the non-blank text there is the pattern.
    let big = page.at_end(at);
    if big {
        at = head;
        while !page.at_end(at) && page.class(at, true) == CharClass::Blank {
            at = page.right(at);
        }
    }
    if page.at_end(at) {
        cursors::fail_motion(cx);
        return cx.state.set_status("No word at the cursor");
    }
    let start = words::run_start(page, at, false);
    let end = page.right(words::run_end(page, at, big));
    let word = page.text.slice(start..end).into_owned();
    let pattern = match (big, whole) {
        (true, _) => pattern::literal(&word),
        (false, true) => format!("\\<{word}\\>"),
        (false, false) => word,
    };
    cx.state.modal.last_search = Some((pattern, forward));
    // The search begins at the word, not inside it.
    search_next_from(cx, false, Some((head, start)));
}
