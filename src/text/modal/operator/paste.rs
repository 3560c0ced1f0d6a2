//! Paste: between characters, as lines, as a rectangle. Must not know registers.

use crate::base::width::graphemes;
use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::display::columns::width_at;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::spans;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Paste options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasteOptions {
    /// Whether to paste after the cursor, or below its line.
    pub after: bool,
    /// How often.
    pub count: usize,
    /// Whether the cursor goes after the new text rather than onto it.
    pub cursor_after: bool,
}

/// Pastes at every cursor. One cursor gets all texts; several get one each, with the last one repeated if
/// there are fewer.
pub fn paste_content(
    page: ModalText<'_>,
    cursors: &[Byte],
    content: &Content,
    how: PasteOptions,
) -> Transaction {
    let text = |n: usize| {
        if cursors.len() == 1 {
            return content.joined();
        }
        content.texts.get(n).or(content.texts.last()).cloned().unwrap_or_default()
    };
    match content.shape {
        ContentShape::Chars => chars(page, cursors, text, how),
        ContentShape::Lines => lines(page, cursors, text, how),
        ContentShape::Block => block(page, cursors, content, how),
    }
}

fn chars(
    page: ModalText<'_>,
    cursors: &[Byte],
    text: impl Fn(usize) -> String,
    how: PasteOptions,
) -> Transaction {
    let mut edits = Vec::new();
    for (n, at) in cursors.iter().enumerate() {
        let at = if how.after { page.right(*at) } else { *at };
        edits.push((at..at, text(n).repeat(how.count)));
    }
    let changes = ChangeSet::replace(page.text.end().0, edits.iter().cloned());
    let mut after = page.text.clone();
    changes.apply(&mut after);
    let page = ModalText::new(&after, page.tab_width);
    let cursor_at = |(span, new): &(std::ops::Range<Byte>, String)| {
        let end = changes.map(span.start, Side::After);
        let start = Byte(end.0 - new.len());
        let at = match (how.cursor_after, new.contains('\n')) {
            // An empty text leaves the cursor where it was.
            _ if new.is_empty() => return page.cursor_position(if how.after { page.left(end) } else { end }),
            (true, _) => end,
            (false, true) => start,
            (false, false) => page.left(end),
        };
        // After the last character of a line is a valid position here: typing may continue.
        if how.cursor_after {
            page.cursor_position(at).max(at.min(page.end_of(at)))
        } else {
            page.cursor_position(at)
        }
    };
    let new_cursors: Vec<_> = edits.iter().map(|edit| Range::cursor(cursor_at(edit))).collect();
    Transaction::new(changes).select(Selection::new(new_cursors, 0))
}

fn lines(
    page: ModalText<'_>,
    cursors: &[Byte],
    text: impl Fn(usize) -> String,
    how: PasteOptions,
) -> Transaction {
    let mut edits: Vec<(std::ops::Range<Byte>, String)> = Vec::new();
    let mut new_lines = Vec::new();
    let mut shift = 0;
    for (n, at) in cursors.iter().enumerate() {
        let line = page.line(*at);
        let mut new = text(n);
        if !new.ends_with('\n') {
            new.push('\n');
        }
        let mut new = new.repeat(how.count);
        let count = new.matches('\n').count();
        let first = if how.after { line.0 + 1 } else { line.0 };
        new_lines.push((first + shift, count));
        shift += count;
        let end = page.lines(line, line).end;
        let open = end == page.end(line);
        if how.after && page.text.end() == Byte(0) {
            // An empty text is an empty line, which is inserted.
            edits.push((end..end, format!("\n{new}")));
        } else if how.after && open {
            // The last line has no line feed: it gets one, and the new last line has none.
            edits.push((end..end, format!("\n{}", new.strip_suffix('\n').unwrap_or(&new))));
        } else {
            let at = if how.after { end } else { page.start(line) };
            if page.text.end() == Byte(0) {
                // An empty text is an empty line, which is inserted.
                new.push('\n');
            }
            edits.push((at..at, new));
        }
    }
    let changes = ChangeSet::replace(page.text.end().0, edits);
    let mut after = page.text.clone();
    changes.apply(&mut after);
    let page = ModalText::new(&after, page.tab_width);
    let cursor_at = |(first, count): &(usize, usize)| {
        let line = if how.cursor_after { first + count } else { *first };
        if how.cursor_after && line > page.last_line().0 {
            return page.start(page.last_line());
        }
        if how.cursor_after { page.start(Line(line)) } else { page.first_non_blank(Line(line)) }
    };
    let new_cursors: Vec<_> = new_lines.iter().map(|new| Range::cursor(cursor_at(new))).collect();
    Transaction::new(changes).select(Selection::new(new_cursors, 0))
}

fn block(page: ModalText<'_>, cursors: &[Byte], content: &Content, how: PasteOptions) -> Transaction {
    let at = cursors.first().copied().unwrap_or_default();
    let first = page.line(at);
    let insert_at = if how.after { page.right(at) } else { at };
    let column = page.column(insert_at);
    let cells = |row: &str| graphemes(row).map(|g| width_at(g, 0, page.tab_width)).sum::<usize>();
    let widest = || content.texts.iter().map(|row| cells(row)).max().unwrap_or_default();
    let width = if content.width > 0 { content.width } else { widest() };
    let mut edits = Vec::new();
    let mut below = String::new();
    let mut last_row = 0;
    for (n, row) in content.texts.iter().enumerate() {
        let line = Line(first.0 + n);
        let padded = |row: &str| format!("{row}{}", " ".repeat(width.saturating_sub(cells(row))));
        let times = |trail: bool| {
            let mut new = padded(row).repeat(how.count - 1);
            new.push_str(&if trail { padded(row) } else { row.clone() });
            new
        };
        if line > page.last_line() {
            below.push_str(&format!("\n{}{}", " ".repeat(column.0), times(false)));
            continue;
        }
        let to = crate::text::display::columns::at_column(page.text, line, column, page.tab_width);
        let here = page.column(to);
        // At the end of a line no padding is needed.
        let new = times(to < page.end(line));
        if here < column && to == page.end(line) {
            edits.push((to..to, " ".repeat(column.0 - here.0) + &new));
        } else {
            edits.push(spans::inserted(page, line, column, &new));
        }
        last_row = n;
    }
    if !below.is_empty() {
        let end = page.last();
        match edits.last_mut() {
            Some((span, new)) if span.start == end => new.push_str(&below),
            _ => edits.push((end..end, below)),
        }
        last_row = content.texts.len() - 1;
    }
    let changes = ChangeSet::replace(page.text.end().0, edits);
    let mut after = page.text.clone();
    changes.apply(&mut after);
    let page = ModalText::new(&after, page.tab_width);
    let at = if how.cursor_after {
        let line = Line((first.0 + last_row).min(page.last_line().0));
        page.at(line, Column(column.0 + width * how.count))
    } else {
        page.at(first, column)
    };
    Transaction::new(changes).select(Selection::cursor(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked::check;
    use crate::text::rope::Text;

    fn with(
        texts: &[&str],
        shape: ContentShape,
        how: PasteOptions,
    ) -> impl Fn(&Text, &Selection) -> Transaction {
        let content = Content::new(texts.iter().map(ToString::to_string).collect(), shape);
        move |text, selection| {
            let cursors: Vec<Byte> = selection.ranges().iter().map(|range| range.head).collect();
            paste_content(ModalText::new(text, 4), &cursors, &content, how)
        }
    }

    const BEHIND: PasteOptions = PasteOptions { after: true, count: 1, cursor_after: false };
    const BEFORE: PasteOptions = PasteOptions { after: false, count: 1, cursor_after: false };

    #[test]
    fn vim_paste_chars_beside_cursor() {
        check(with(&["xö"], ContentShape::Chars, BEHIND), "|éb", "éx|öb");
        check(with(&["x"], ContentShape::Chars, PasteOptions { count: 3, ..BEFORE }), "|é", "xx|xé");
        check(with(&["x", "y"], ContentShape::Chars, BEFORE), "|a|b", "|xa|yb");
        check(with(&["x"], ContentShape::Chars, BEHIND), "|\n", "|x\n");
    }

    #[test]
    fn vim_paste_lines_beside_line() {
        check(with(&["  ö\n"], ContentShape::Lines, BEHIND), "|a\nb\n", "a\n  |ö\nb\n");
        check(with(&["ö\n"], ContentShape::Lines, BEHIND), "a|", "a\n|ö");
        check(with(&["ö\n"], ContentShape::Lines, BEFORE), "a\n|b", "a\n|ö\nb");
        check(with(&["x\n"], ContentShape::Lines, BEHIND), "|a\n|b\n", "a\n|x\nb\n|x\n");
    }

    #[test]
    fn vim_paste_block_over_lines_below() {
        check(with(&["1", "2ö"], ContentShape::Block, BEFORE), "a|b\nc\n", "a|1 b\nc2ö\n");
        check(with(&["1", "2"], ContentShape::Block, BEHIND), "|a", "a|1\n 2");
    }
}
