//! Parses the line range of a command line: numbers, `.`, `$`, `%`, marks, patterns, `+` and `-`.

use crate::ide::core::context::Cx;
use crate::ide::editor::commands::locations;
use crate::ide::editor::modal::{cursors, search};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::pattern;
use crate::text::position::Line;

/// The range before a command, and the rest.
#[derive(Debug)]
pub struct Addresses<'a> {
    /// First and last line, and the number of addresses.
    pub lines: (Line, Line, usize),
    /// The rest of the line.
    pub rest: &'a str,
}

/// Parses the addresses of a line; the cursor's line if there are none.
pub fn read<'a>(cx: &mut Cx<'_>, line: &'a str) -> Result<Addresses<'a>, String> {
    let (here, last) = current_line(cx);
    if let Some(rest) = line.strip_prefix('%') {
        return Ok(Addresses { lines: (Line(0), Line(last.unsigned_abs()), 2), rest });
    }
    let mut rest = line;
    let mut found: Vec<isize> = Vec::new();
    let mut from = here;
    loop {
        let (address, after) = read_address(cx, rest.trim_start(), from, last)?;
        rest = after.trim_start();
        let separator = rest.chars().next().filter(|c| *c == ',' || *c == ';');
        match (address, separator) {
            (Some(at), _) => found.push(at),
            (None, Some(_)) => found.push(here),
            (None, None) if !found.is_empty() => found.push(here),
            (None, None) => {}
        }
        match separator {
            Some(sign) => {
                rest = &rest[1..];
                from = here;
                if sign == ';' {
                    // The cursor moves there, and stays if the command fails.
                    from = found.last().copied().unwrap_or(here);
                    if from <= last {
                        cursors::move_to_line(cx, Line(from.max(0).unsigned_abs()));
                    }
                }
            }
            None => break,
        }
    }
    let (first, end) = match found.as_slice() {
        [] => (here, here),
        [only] => (*only, *only),
        [.., first, end] => (*first, *end),
    };
    // Without a command a line after the last one means the last one.
    let (first, end) = if rest.trim().is_empty() { (first.min(last), end.min(last)) } else { (first, end) };
    if first > last || end > last {
        return Err("No such line".to_string());
    }
    let (first, end) = (first.min(end), first.max(end));
    // The line before the first one means the first one.
    let (first, end) = (first.max(0).unsigned_abs(), end.max(0).unsigned_abs());
    Ok(Addresses { lines: (Line(first), Line(end), found.len()), rest })
}

/// Parses the line after which something is inserted, 0 for before the first one. Also returns the rest.
pub fn target(cx: &mut Cx<'_>, text: &str) -> Result<usize, String> {
    let (here, last) = current_line(cx);
    if text.trim() == "0" {
        return Ok(0);
    }
    match read_address(cx, text.trim(), here, last)? {
        (Some(line), _) if line <= last => Ok((line + 1).unsigned_abs()),
        (Some(_), _) => Err("No such line".to_string()),
        (None, _) => Err("After which line?".to_string()),
    }
}

fn current_line(cx: &Cx<'_>) -> (isize, isize) {
    let Some(buffer) = cx.state.buffers.current() else { return (0, 0) };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    (page.line(buffer.area.caret()).0.cast_signed(), page.last_line().0.cast_signed())
}

/// Parses the number at the start of a text, if there is one. Too large numbers are clamped.
fn number(text: &str) -> (Option<isize>, &str) {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = (digits > 0).then(|| text[..digits].parse().unwrap_or(isize::MAX));
    (number, &text[digits..])
}

/// Parses one address relative to a line. Lines are zero-based; -1 is before the first one.
fn read_address<'a>(
    cx: &mut Cx<'_>,
    text: &'a str,
    from: isize,
    last: isize,
) -> Result<(Option<isize>, &'a str), String> {
    let (mut at, mut rest) = match text.chars().next() {
        Some('.') => (Some(from), &text[1..]),
        Some('$') => (Some(last), &text[1..]),
        Some(c) if c.is_ascii_digit() => {
            let (line, rest) = number(text);
            (line.map(|line| line.saturating_sub(1)), rest)
        }
        Some('\'') => {
            let letter = text.chars().nth(1).ok_or("Which mark?")?;
            let mark =
                locations::mark_position(cx, letter).ok_or_else(|| format!("Mark not set: {letter}"))?;
            let buffer = cx.state.buffers.current().ok_or("No file open")?;
            let line = ModalText::new(buffer.area.text(), 1).line(mark).0;
            (Some(line.cast_signed()), &text[1 + letter.len_utf8()..])
        }
        Some(sign @ ('/' | '?')) => {
            let (pattern, after) = pattern::split_at_sign(&text[1..], sign);
            (
                Some(search(cx, &pattern, from.max(0).unsigned_abs(), sign == '/')?.cast_signed()),
                after.unwrap_or_default(),
            )
        }
        _ => (None, text),
    };
    while let Some(sign @ ('+' | '-')) = rest.chars().next() {
        let (count, after) = number(&rest[1..]);
        let (base, count) = (at.unwrap_or(from), count.unwrap_or(1));
        let to = if sign == '+' {
            base.saturating_add(count)
        } else {
            let to = base.saturating_sub(count);
            (to >= -1).then_some(to).ok_or("No such line")?
        };
        at = Some(to);
        rest = after;
    }
    Ok((at, rest))
}

fn search(cx: &mut Cx<'_>, pattern: &str, from: usize, forward: bool) -> Result<usize, String> {
    let pattern = match (pattern, &cx.state.modal.last_search) {
        ("", Some((last, _))) => last.clone(),
        (pattern, _) => pattern.to_string(),
    };
    let needle = search::needle(cx, &pattern).ok_or_else(|| format!("Invalid pattern: {pattern}"))?;
    let buffer = cx.state.buffers.current().ok_or("No file open")?;
    let page = ModalText::new(buffer.area.text(), 1);
    let (text, from) = (page.text, from.min(page.last_line().0));
    let found = if forward {
        search::first_ahead(text, &needle, text.line_start(Line(from + 1)))
    } else {
        search::last_before(text, &needle, page.start(Line(from)))
    };
    match found {
        Ok(found) => found.map(|at| page.line(at).0).ok_or_else(|| format!("No match: {pattern}")),
        Err(search::NotFound) => Err(format!("No match near here: {pattern}. Search with / first")),
    }
}
