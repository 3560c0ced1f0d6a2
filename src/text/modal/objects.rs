//! Text objects: words, sentences, paragraphs, what brackets, quotes and tags enclose. Must not
//! know grammars.

use super::landing::{Extent, Landing};
use super::page::{Class, Page};
use super::{quotes, sentences, words};
use crate::text::brackets;
use crate::text::position::{Byte, Line};

/// A thing around a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// A word; of anything but white space when true.
    Word(bool),
    /// A sentence.
    Sentence,
    /// Lines up to an empty one.
    Paragraph,
    /// What is between brackets, by the opening one.
    Brackets(char),
    /// What is between quotation marks.
    Quotes(char),
    /// What is between tags.
    Tags,
}

/// The furthest that a tag's partner is looked for, in bytes.
const TAGS_REACH: usize = 64 << 10;

/// The thing around what is taken already: from one place to the character at another one. A
/// single character is a cursor; more than that grows.
pub fn around(
    page: Page<'_>,
    (from, to): (Byte, Byte),
    object: Object,
    outer: bool,
    count: usize,
) -> Option<Landing> {
    let grows = from != to;
    match object {
        Object::Word(big) => word(page, (from, to), big, outer, count),
        Object::Sentence => Some(sentence(page, (from, to), outer, count)),
        Object::Paragraph => paragraph(page, (from, to), outer, count),
        Object::Brackets(open) => enclosed(page, (from, to), open, outer, count),
        Object::Quotes(sign) => {
            let found = quotes::quoted(page, from, sign, outer, !outer && count > 1)?;
            let same = grows && found.from == Some(from) && found.to == page.right(to);
            if same { quotes::quoted(page, from, sign, outer, true) } else { Some(found) }
        }
        Object::Tags => tags(page, (from, to), outer, count),
    }
}

fn word(page: Page<'_>, (from, to): (Byte, Byte), big: bool, outer: bool, count: usize) -> Option<Landing> {
    let grows = from != to;
    let start = if grows { from } else { words::run_start(page, from, big) };
    let mut at = if grows { to } else { start };
    let mut left = count;
    let blank = |at: Byte| page.class(at, big) == Class::Blank;
    let begins_blank = !grows && blank(start);
    let mut first = !grows;
    let mut trailing = true;
    while left > 0 {
        if !first {
            let next = page.right(at);
            at = if page.at_end(next) { page.start(Line(page.line(at).0 + 1)) } else { next };
            if at > page.last() {
                return None;
            }
        }
        first = false;
        let was_blank = blank(at);
        at = words::run_end(page, at, big);
        if outer {
            let next = page.right(at);
            if was_blank {
                // White space and the word behind it.
                let next = if page.at_end(next) { page.start(Line(page.line(at).0 + 1)) } else { next };
                if next > page.last() {
                    return None;
                }
                at = words::run_end(page, next, big);
                trailing = true;
            } else {
                trailing = !page.at_end(next) && blank(next);
                if trailing {
                    at = words::run_end(page, next, big);
                }
            }
        }
        left -= 1;
    }
    let mut start = start;
    if outer && !trailing && !begins_blank && !grows {
        let line = page.start_of(start);
        let lead = if start > line && blank(page.left(start)) {
            words::run_start(page, page.left(start), big)
        } else {
            start
        };
        // White space that is the line's indentation stays.
        if lead > line {
            start = lead;
        }
    }
    Some(Landing::object(start, at, Extent::Inclusive))
}

fn sentence(page: Page<'_>, (from, to): (Byte, Byte), outer: bool, count: usize) -> Landing {
    if from != to {
        return Landing::object(from, sentences::grown(page, to, outer, count), Extent::Inclusive);
    }
    let (start, end) = sentences::around(page, from, outer, count);
    match sentences::behind(page, end) {
        Some(behind) => Landing::object(start, behind, Extent::Exclusive),
        None => Landing::object(start, end, Extent::Inclusive),
    }
}

fn paragraph(page: Page<'_>, (from, to): (Byte, Byte), outer: bool, count: usize) -> Option<Landing> {
    let blank = |line: Line| {
        page.text
            .chunks_in(page.start(line)..page.end(line))
            .all(|chunk| chunk.chars().all(char::is_whitespace))
    };
    let last = page.last_line();
    let run_end = |line: Line| {
        let kind = blank(line);
        let mut at = line;
        while at < last && blank(Line(at.0 + 1)) == kind {
            at = Line(at.0 + 1);
        }
        at
    };
    let run_start = |line: Line| {
        let kind = blank(line);
        let mut at = line;
        while at.0 > 0 && blank(Line(at.0 - 1)) == kind {
            at = Line(at.0 - 1);
        }
        at
    };
    let grows = page.line(from) != page.line(to);
    let mut start = if grows { page.line(from) } else { run_start(page.line(from)) };
    let mut end = if grows { page.line(to) } else { start };
    let mut first = !grows;
    let mut trailing = true;
    for _ in 0..count {
        if !first {
            if end >= last {
                return None;
            }
            end = Line(end.0 + 1);
        }
        first = false;
        let begins_blank = blank(end);
        end = run_end(end);
        if outer {
            if end < last {
                end = run_end(Line(end.0 + 1));
                trailing = true;
            } else if begins_blank {
                return None;
            } else {
                trailing = false;
            }
        }
    }
    if outer && !trailing && start.0 > 0 && !grows {
        start = run_start(Line(start.0 - 1));
    }
    Some(Landing::object(page.start(start), page.start(end), Extent::Lines))
}

fn enclosed(
    page: Page<'_>,
    (from, to): (Byte, Byte),
    open: char,
    outer: bool,
    count: usize,
) -> Option<Landing> {
    let close = crate::text::surround::pair_of(open).1;
    let mut range = from..from;
    if from != to {
        range = from..page.next(to).1.max(to);
    }
    let mut pair = None;
    // A selection that no pair is around gives way to the next pair, as a cursor does.
    let alone =
        from != to && !is_within(page, range.clone(), open) && sought(page, from, open, close) != from;
    let to = if alone { from } else { to };
    if alone {
        range = from..from;
    }
    let from = if from == to { sought(page, from, open, close) } else { from };
    let to = if range.is_empty() { from } else { to };
    if range.is_empty() {
        range = from..from;
    }
    for n in 0..count {
        let on = |c: char| n == 0 && from == to && page.char(from) == Some(c);
        let found = if on(open) {
            Some((from, partner(page, from, open, close)?))
        } else if on(close) {
            Some((partner(page, from, open, close)?, from))
        } else if open == '<' {
            angles(page, range.clone())
        } else {
            brackets::around_kind(page.text, range.clone(), open as u8)
        };
        let (start, end) = found?;
        range = start..end + 1;
        pair = Some((start, end));
    }
    let (mut start, mut end) = pair?;
    // What is selected already as a whole gives way to the pair around it.
    if from != to && !outer && page.next(start).1 == from && page.back(end).1 == to {
        (start, end) = if open == '<' {
            angles(page, start..end + 1)?
        } else {
            brackets::around_kind(page.text, start..end + 1, open as u8)?
        };
    }
    if outer {
        return Some(Landing::object(start, end, Extent::Inclusive));
    }
    let mut first = page.right(start);
    let breaks = page.at_end(first) && page.line(first) < page.line(end);
    if breaks {
        first = page.start(Line(page.line(first).0 + 1));
    }
    // A closing bracket alone on its line leaves the line with its indentation.
    if page.in_indent(end) && page.line(first) < page.line(end) {
        return Some(Landing::object(first, page.start_of(end), Extent::Exclusive));
    }
    Some(Landing::object(first, end.max(first), Extent::Exclusive))
}

/// Where a pair is looked for: at a place, or, when it is in none, at the next opening bracket of
/// the line.
fn sought(page: Page<'_>, at: Byte, open: char, close: char) -> Byte {
    let inside = page.char(at) == Some(open) || page.char(at) == Some(close) || is_within(page, at..at, open);
    if inside {
        return at;
    }
    let end = page.text.char_floor((at + TAGS_REACH).min(page.text.end()));
    let mut depth = 0;
    for (offset, c) in page.text.slice(at..end).char_indices() {
        if c == open && depth == 0 {
            return at + offset;
        }
        depth += i32::from(c == close) - i32::from(c == open);
    }
    at
}

/// Whether a pair is around a range.
fn is_within(page: Page<'_>, range: std::ops::Range<Byte>, open: char) -> bool {
    let around =
        if open == '<' { angles(page, range) } else { brackets::around_kind(page.text, range, open as u8) };
    around.is_some()
}

fn partner(page: Page<'_>, at: Byte, open: char, close: char) -> Option<Byte> {
    if open != '<' {
        return brackets::partner(page.text, at);
    }
    let (start, end) = angles(page, at..at + 1).or_else(|| angles(page, at + 1..at + 1))?;
    Some(if page.char(at) == Some(close) { start } else { end })
}

/// The nearest angle brackets around a range, on the lines near it.
fn angles(page: Page<'_>, range: std::ops::Range<Byte>) -> Option<(Byte, Byte)> {
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

/// A tag with where it starts and ends.
struct Tag {
    name: String,
    start: Byte,
    end: Byte,
}

fn tags(page: Page<'_>, (from, to): (Byte, Byte), outer: bool, count: usize) -> Option<Landing> {
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
        // What is selected already without its tags is selected with them next.
        let same = from != to && !outer && taken(&inner);
        let holds = begin.start <= from && to < tag.end;
        let whole = from != to && taken(&(begin.start..tag.end));
        if holds && !whole {
            left -= 1;
            if left == 0 {
                let range = if outer || same { begin.start..tag.end } else { inner };
                return Some(Landing::object(range.start, range.end, Extent::Exclusive));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;
    use crate::text::modal::spans::way;
    use crate::text::selection::Range;

    /// Shows what an operator would take at every cursor.
    #[track_caller]
    fn check(object: Object, outer: bool, count: usize, before: &str, after: &str) {
        let (text, selection) = marked::parse(before);
        let page = Page::new(&text, 4);
        let taken = selection.transform(|range| {
            let Some(landing) = around(page, (range.head, range.head), object, outer, count) else {
                return range;
            };
            let span = way(page, range.head, &landing, None, false).spans[0].clone();
            Range::new(span.start, span.end)
        });
        assert_eq!(marked::show(&text, &taken), after, "{object:?} {outer} from {before:?}");
    }

    #[test]
    fn words_with_and_without_space() {
        check(Object::Word(false), false, 1, "a b|éc, |d", "a «béc», «d»");
        check(Object::Word(false), true, 1, "a b|c d", "a «bc »d");
        check(Object::Word(false), true, 1, "a b|c", "a« bc»");
        check(Object::Word(true), false, 1, "x |a,b y", "x «a,b» y");
        check(Object::Word(false), false, 3, "|a b c", "«a b» c");
    }

    #[test]
    fn brackets_and_quotes() {
        check(Object::Brackets('('), false, 1, "f(é|, (b|))", "f(«é, (b)»)");
        check(Object::Brackets('('), true, 1, "f(a, (|b))", "f(a, «(b)»)");
        check(Object::Brackets('('), false, 2, "f(a, (|b))", "f(«a, (b)»)");
        check(Object::Brackets('{'), false, 1, "{\n  a|\n}", "{\n«  a\n»}");
        check(Object::Brackets('['), false, 1, "|x [é]", "x [«é»]");
        check(Object::Quotes('"'), false, 1, "|a \"é\" b", "a \"«é»\" b");
        check(Object::Quotes('"'), true, 1, "a \"|é\" b", "a «\"é\" »b");
        check(Object::Quotes('"'), false, 1, "no|ne", "no|ne");
        check(Object::Tags, false, 1, "<a><b>|é</b></a>", "<a><b>«é»</b></a>");
        check(Object::Tags, true, 2, "<a><b>|é</b></a>", "«<a><b>é</b></a>»");
    }

    #[test]
    fn sentences_and_paragraphs() {
        check(Object::Sentence, false, 1, "A b. C| é. D", "A b. «C é.» D");
        check(Object::Sentence, true, 1, "A b. C| é. D", "A b. «C é. »D");
        check(Object::Paragraph, false, 1, "a|\né\n\nb\n", "«a\né\n»\nb\n");
        check(Object::Paragraph, true, 1, "a|\né\n\nb\n", "«a\né\n\n»b\n");
    }
}
