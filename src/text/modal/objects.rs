//! Text objects: words, sentences, paragraphs, and content of brackets, quotes and tags. Must not know
//! grammars.

use super::quotes;
use crate::text::modal::motion::modal_text::{CharClass, ModalText};
use crate::text::modal::motion::motion_target::{Extent, MotionTarget};
use crate::text::modal::motion::paragraphs::Paragraphs;
use crate::text::modal::motion::sentences;
use crate::text::modal::motion::walk::{Walk, WalkStep, WordStep};
use crate::text::movement::brackets;
use crate::text::movement::motion;
use crate::text::position::{Byte, Line};

/// A text object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextObject {
    /// A word; a WORD (delimited by white space) if true.
    Word(bool),
    /// A sentence.
    Sentence,
    /// A paragraph: lines up to an empty one.
    Paragraph,
    /// Content of brackets, by the opening one.
    Brackets(char),
    /// Content of quotation marks.
    Quotes(char),
    /// Content of tags.
    Tags,
}

/// The present selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedRange {
    /// Its anchor.
    pub anchor: Byte,
    /// The character that the cursor is on.
    pub head: Byte,
    /// Whether anything is selected.
    pub visual: bool,
    /// Whether the selection is linewise.
    pub lines: bool,
}

/// Maximum distance of a tag's partner, in bytes.
const TAGS_REACH: usize = 64 << 10;

/// Returns the object around the selection, from one position to the character at another. A selection of one
/// character is a cursor; a larger one grows.
pub fn around(
    page: ModalText<'_>,
    taken: SelectedRange,
    object: TextObject,
    outer: bool,
    count: usize,
) -> Option<MotionTarget> {
    let SelectedRange { anchor, head, visual, lines } = taken;
    let (from, to) = (anchor.min(head), anchor.max(head));
    let grows = from != to;
    match object {
        TextObject::Word(big) => Some(word(page, taken, big, outer, count)),
        TextObject::Sentence => Some(sentence(page, (anchor, head), visual, outer, count)),
        TextObject::Paragraph => paragraph(page, (anchor, head), lines, outer, count),
        TextObject::Brackets(open) => bracket_object(page, ((from, to), visual), open, outer, count),
        TextObject::Quotes(sign) => {
            let found = quotes::quote_object(page, from, sign, outer, !outer && count > 1)?;
            let same = grows && found.from == Some(from) && found.to == page.right(to);
            if same { quotes::quote_object(page, from, sign, outer, true) } else { Some(found) }
        }
        TextObject::Tags => tags(page, (from, to), outer, count),
    }
}

/// Returns a word: its first and last position, for a selection with anchor and head.
fn word(page: ModalText<'_>, taken: SelectedRange, big: bool, outer: bool, count: usize) -> MotionTarget {
    let SelectedRange { anchor, head, visual, .. } = taken;
    // With too large a count the cursor moves as far as possible.
    let short = |walk: Walk<'_>| MotionTarget::new(walk.at, Extent::Inclusive).partial(true);
    let mut walk = Walk { page: ModalText { can_rest_at_end: true, ..page }, at: head, big };
    let (mut start, mut left, mut inclusive, mut trails) = (anchor, count, true, false);
    if anchor == head {
        walk.run_start();
        start = walk.at;
        let Some(trailing) = first_word(&mut walk, outer) else { return short(walk) };
        trails = trailing;
        left -= 1;
    }
    for left in (1..=left).rev() {
        let grown = if visual && walk.at < start {
            extend_word_back(&mut walk, outer).then_some(true)
        } else {
            extend_word(&mut walk, outer, left > 1)
        };
        let Some(end) = grown else { return short(walk) };
        inclusive = end;
    }
    if trails && (walk.class() != CharClass::Blank || walk.at_start() && !inclusive) {
        // Without trailing white space the leading one is included, except indentation.
        let mut before = Walk { at: start, ..walk };
        if before.left() {
            before.run_start();
            if before.class() == CharClass::Blank && !before.at_start() {
                start = before.at;
            }
        }
    }
    let extent = if inclusive || visual { Extent::Inclusive } else { Extent::Exclusive };
    MotionTarget::object(start, walk.at, extent)
}

/// Goes from the start of a word or white space to the last position of the object. Returns whether white space
/// behind a word belongs to it; `None` when there is no word.
fn first_word(walk: &mut Walk<'_>, outer: bool) -> Option<bool> {
    if (walk.class() == CharClass::Blank) == outer {
        return (walk.word_end(true, true) != WordStep::None).then_some(false);
    }
    walk.word(true);
    // After a line's last word it is in the next line's first column.
    if walk.at_start() {
        walk.back_over();
    } else {
        walk.back();
    }
    Some(outer)
}

/// Goes forward to the end of the next object. Returns whether the character there belongs to it; `None` when
/// there is no such object. With `more` others must follow.
fn extend_word(walk: &mut Walk<'_>, outer: bool, more: bool) -> Option<bool> {
    if walk.forward_over() == WalkStep::Nowhere {
        return None;
    }
    if outer == (walk.class() != CharClass::Blank) {
        if walk.word(true) == WordStep::None && more {
            return None;
        }
        return Some(walk.left());
    }
    (walk.word_end(true, true) != WordStep::None).then_some(true)
}

/// Goes back to the start of the previous object; returns whether there is one.
fn extend_word_back(walk: &mut Walk<'_>, outer: bool) -> bool {
    if walk.back_over() == WalkStep::Nowhere {
        return false;
    }
    if outer == (walk.class() == CharClass::Blank) {
        return walk.word_back(true) != WordStep::None;
    }
    if walk.word_end_back(true) == WordStep::None {
        return false;
    }
    walk.forward_over();
    true
}

fn sentence(
    page: ModalText<'_>,
    (anchor, head): (Byte, Byte),
    visual: bool,
    outer: bool,
    count: usize,
) -> MotionTarget {
    if anchor != head {
        return MotionTarget::object(
            anchor,
            sentences::grown(page, anchor, head, outer, count),
            Extent::Inclusive,
        );
    }
    let (start, end) = sentences::around(page, head, outer, count);
    if visual && start == end {
        // Otherwise it would be stuck on a single space before a sentence.
        return MotionTarget::object(
            start,
            sentences::last_of(page, start, if outer { count * 2 } else { count }, false),
            Extent::Inclusive,
        );
    }
    match sentences::next_position(page, end).filter(|_| !visual) {
        Some(behind) => MotionTarget::object(start, behind, Extent::Exclusive),
        None => MotionTarget::object(start, end, Extent::Inclusive),
    }
}

fn paragraph(
    page: ModalText<'_>,
    (anchor, head): (Byte, Byte),
    lines: bool,
    outer: bool,
    count: usize,
) -> Option<MotionTarget> {
    let paragraphs = Paragraphs { page };
    let (first, line) = (page.line(anchor).0, page.line(head).0);
    let whole = |from: usize, to: usize| {
        MotionTarget::object(page.start(Line(from)), page.start(Line(to)), Extent::Lines)
    };
    let grown = |fixed: usize| {
        let (end, enough) = paragraphs.grown(line, line < fixed, outer, count);
        MotionTarget { is_partial: !enough, ..whole(fixed, end) }
    };
    if first != line {
        return Some(grown(first));
    }
    let (start, end) = paragraphs.around(line, outer, count)?;
    // Otherwise it would be stuck on a single blank line.
    if lines && start == line { Some(grown(first)) } else { Some(whole(start, end)) }
}

fn bracket_object(
    page: ModalText<'_>,
    (taken, visual): ((Byte, Byte), bool),
    open: char,
    outer: bool,
    count: usize,
) -> Option<MotionTarget> {
    let close = crate::text::operations::surround::pair_of(open).1;
    let (from, to) = taken;
    let grows = from != to;
    let mut range = from..from;
    if from != to {
        range = from..page.next(to).1.max(to);
    }
    // Like a cursor, a selection that is in no pair selects the next pair.
    let alone =
        from != to && !is_within(page, range.clone(), open) && search_start(page, from, open, close) != from;
    let to = if alone { from } else { to };
    if alone {
        range = from..from;
    }
    let (mut from, mut count) = (from, count);
    if from == to {
        let ahead = search_start(page, from, open, close);
        if ahead != from {
            // A count selects further brackets.
            from = (1..count).try_fold(ahead, |at, _| {
                let next = opening_ahead(page, page.right(at), open, close);
                next.filter(|next| *next > at)
            })?;
            count = 1;
        }
    }
    let to = if range.is_empty() { from } else { to };
    if range.is_empty() {
        range = from..from;
    }
    let cursor = (from == to).then_some(from);
    let (mut start, mut end) = counted_pair(page, (range, cursor), (open, close), count)?;
    // If the whole content is selected, the pair around it is selected.
    let (first, last) = (page.next(start).1, page.back(end).1);
    if visual && !outer && first == end {
        // There is no content to select: the brackets are.
        return Some(MotionTarget::object(end, start, Extent::Inclusive));
    }
    if grows && !outer && first >= taken.0 && last <= taken.1 {
        (start, end) = pair_around(page, taken.0..page.next(taken.1).1.max(taken.1), open)?;
    }
    Some(enclosed_target(page, start, end, outer))
}

/// Returns the pair around a range, with a count the pair so many levels further out. The first one is that of
/// the bracket which a cursor is on.
fn counted_pair(
    page: ModalText<'_>,
    (mut range, cursor): (std::ops::Range<Byte>, Option<Byte>),
    (open, close): (char, char),
    count: usize,
) -> Option<(Byte, Byte)> {
    let mut pair = None;
    for n in 0..count {
        let on = |c: char| cursor.filter(|at| n == 0 && page.char(*at) == Some(c));
        let (start, end) = if let Some(at) = on(open) {
            (at, partner(page, at, open, close)?)
        } else if let Some(at) = on(close) {
            (partner(page, at, open, close)?, at)
        } else {
            pair_around(page, range, open)?
        };
        range = start..end + 1;
        pair = Some((start, end));
    }
    pair
}

/// Returns the content of a pair, with the brackets when `outer`.
fn enclosed_target(page: ModalText<'_>, start: Byte, end: Byte, outer: bool) -> MotionTarget {
    if outer {
        return MotionTarget::object(start, end, Extent::Inclusive);
    }
    let mut first = page.right(start);
    let breaks = page.at_end(first) && page.line(first) < page.line(end);
    if breaks {
        first = page.start(Line(page.line(first).0 + 1));
    }
    // If the closing bracket is alone on its line, that line is excluded.
    if page.in_indent(end) && page.line(first) < page.line(end) {
        return MotionTarget::object(first, page.start_of(end), Extent::Exclusive);
    }
    MotionTarget::object(first, end.max(first), Extent::Exclusive)
}

/// Returns the pair at a position, or, if it is in none, the pair of the next opening bracket in the line.
fn search_start(page: ModalText<'_>, at: Byte, open: char, close: char) -> Byte {
    let closes = page.char(at) == Some(close) && partner(page, at, open, close).is_some();
    // An unclosed bracket is the one that is meant.
    let unclosed = || open != '<' && brackets::opening(page.text, at, open as u8, close as u8).is_some();
    if page.char(at) == Some(open) || closes || is_within(page, at..at, open) || unclosed() {
        return at;
    }
    // An unmatched closing bracket is skipped; for a brace also after the line's indentation.
    let indented = open == '{' && page.in_indent(at);
    let first = if indented { motion::indent_end(page.text, page.line(at)) } else { at };
    let next = if page.char(first) == Some(open) { first } else { page.right(first) };
    opening_ahead(page, next, open, close).unwrap_or(at)
}

/// Returns the next opening bracket after a position that is not nested in another one.
fn opening_ahead(page: ModalText<'_>, at: Byte, open: char, close: char) -> Option<Byte> {
    let end = page.text.char_floor((at + TAGS_REACH).min(page.text.end()));
    let mut depth = 0;
    for (offset, c) in page.text.slice(at..end).char_indices() {
        if c == open && depth == 0 {
            return Some(at + offset);
        }
        depth += i32::from(c == close) - i32::from(c == open);
    }
    None
}

/// The pair around a range.
fn pair_around(page: ModalText<'_>, range: std::ops::Range<Byte>, open: char) -> Option<(Byte, Byte)> {
    if open == '<' { angles(page, range) } else { brackets::around_kind(page.text, range, open as u8) }
}

/// Whether a pair is around a range.
fn is_within(page: ModalText<'_>, range: std::ops::Range<Byte>, open: char) -> bool {
    pair_around(page, range, open).is_some()
}

fn partner(page: ModalText<'_>, at: Byte, open: char, close: char) -> Option<Byte> {
    if open != '<' {
        return brackets::partner(page.text, at);
    }
    let (start, end) = angles(page, at..at + 1).or_else(|| angles(page, at + 1..at + 1))?;
    Some(if page.char(at) == Some(close) { start } else { end })
}

/// Returns the nearest angle brackets around a range, on nearby lines.
fn angles(page: ModalText<'_>, range: std::ops::Range<Byte>) -> Option<(Byte, Byte)> {
    let from = page.text.char_floor(range.start.back(TAGS_REACH));
    let to = page.text.char_floor((range.end + TAGS_REACH).min(page.text.end()));
    let mut depth = 0;
    let before = page.text.slice(from..range.start);
    let open = before.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == '>') - i32::from(*c == '<');
        depth < 0
    })?;
    let mut depth = 0;
    let behind = page.text.slice(range.end..to);
    let close = behind.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '<') - i32::from(*c == '>');
        depth < 0
    })?;
    Some((from + open.0, range.end + close.0))
}

/// A tag with its range.
struct Tag {
    name: String,
    start: Byte,
    end: Byte,
}

fn tags(page: ModalText<'_>, (from, to): (Byte, Byte), outer: bool, count: usize) -> Option<MotionTarget> {
    let low = page.text.char_floor(from.back(TAGS_REACH));
    let high = page.text.char_floor((to + TAGS_REACH).min(page.text.end()));
    let text = page.text.slice(low..high);
    let mut open: Vec<Tag> = Vec::new();
    let mut left = count;
    let mut rest = 0;
    while let Some(at) = text[rest..].find('<').map(|at| rest + at) {
        let Some(end) = text[at..].find('>').map(|end| at + end + 1) else { break };
        rest = end;
        let inside = &text[at + 1..end - 1];
        let closes = inside.starts_with('/');
        let name: String =
            inside.trim_start_matches('/').chars().take_while(|c| !c.is_whitespace()).collect();
        if name.is_empty() || !name.starts_with(char::is_alphabetic) || inside.ends_with('/') {
            continue;
        }
        let tag = Tag { name, start: low + at, end: low + end };
        if !closes {
            open.push(tag);
            continue;
        }
        let Some(n) = open.iter().rposition(|other| other.name == tag.name) else { continue };
        let begin = open.swap_remove(n);
        open.truncate(n);
        let inner = begin.end..tag.start;
        let taken = |range: &std::ops::Range<Byte>| range.start == from && range.end == page.next(to).1;
        // If the content without its tags is selected, the tags are selected next.
        let same = from != to && !outer && taken(&inner);
        let holds = begin.start <= from && to < tag.end;
        let whole = from != to && taken(&(begin.start..tag.end));
        if holds && !whole {
            left -= 1;
            if left == 0 {
                let range = if outer || same { begin.start..tag.end } else { inner };
                return Some(MotionTarget::object(range.start, range.end, Extent::Exclusive));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;
    use crate::text::modal::operator::spans::motion_span;
    use crate::text::selection::Range;

    fn cursor(at: Byte) -> SelectedRange {
        SelectedRange { anchor: at, head: at, visual: false, lines: false }
    }

    /// Shows what an operator would take at every cursor.
    #[track_caller]
    fn check(object: TextObject, outer: bool, count: usize, before: &str, after: &str) {
        let (text, selection) = marked::parse(before);
        let page = ModalText::new(&text, 4);
        let taken = selection.transform(|range| {
            let Some(landing) = around(page, cursor(range.head), object, outer, count) else {
                return range;
            };
            let span = motion_span(page, range.head, &landing, None, false).spans[0].clone();
            Range::new(span.start, span.end)
        });
        assert_eq!(marked::show(&text, &taken), after, "{object:?} {outer} from {before:?}");
    }

    #[test]
    fn vim_word_objects() {
        check(TextObject::Word(false), false, 1, "a b|éc, |d", "a «béc», «d»");
        check(TextObject::Word(false), true, 1, "a b|c d", "a «bc »d");
        check(TextObject::Word(false), true, 1, "a b|c", "a« bc»");
        check(TextObject::Word(true), false, 1, "x |a,b y", "x «a,b» y");
        check(TextObject::Word(false), false, 3, "|a b c", "«a b» c");
    }

    #[test]
    fn vim_bracket_quote_and_tag_objects() {
        check(TextObject::Brackets('('), false, 1, "f(é|, (b|))", "f(«é, (b)»)");
        check(TextObject::Brackets('('), true, 1, "f(a, (|b))", "f(a, «(b)»)");
        check(TextObject::Brackets('('), false, 2, "f(a, (|b))", "f(«a, (b)»)");
        check(TextObject::Brackets('{'), false, 1, "{\n  a|\n}", "{\n«  a\n»}");
        check(TextObject::Brackets('['), false, 1, "|x [é]", "x [«é»]");
        check(TextObject::Quotes('"'), false, 1, "|a \"é\" b", "a \"«é»\" b");
        check(TextObject::Quotes('"'), true, 1, "a \"|é\" b", "a «\"é\" »b");
        check(TextObject::Quotes('"'), false, 1, "no|ne", "no|ne");
        check(TextObject::Tags, false, 1, "<a><b>|é</b></a>", "<a><b>«é»</b></a>");
        check(TextObject::Tags, true, 2, "<a><b>|é</b></a>", "«<a><b>é</b></a>»");
    }

    #[test]
    fn vim_sentence_and_paragraph_objects() {
        check(TextObject::Sentence, false, 1, "A b. C| é. D", "A b. «C é.» D");
        check(TextObject::Sentence, true, 1, "A b. C| é. D", "A b. «C é. »D");
        check(TextObject::Paragraph, false, 1, "a|\né\n\nb\n", "«a\né\n»\nb\n");
        check(TextObject::Paragraph, true, 1, "a|\né\n\nb\n", "«a\né\n\n»b\n");
    }
}
