//! Command lines that change lines, as one edit each.

use std::ops::Range as ByteRange;

use crate::ide::core::command_line::LineArgs;
use crate::ide::core::context::Cx;
use crate::ide::editor::commands::{locations, registers};
use crate::ide::editor::modal::command_line::range::target;
use crate::ide::editor::modal::operators::edit_text;
use crate::ide::editor::modal::{background, command_line, cursors, search};
use crate::text::changes::ChangeSet;
use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::clipboard::registers::{CopyKind, is_writable};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::operate;
use crate::text::modal::operator::paste::{PasteOptions, paste_content as put_back};
use crate::text::modal::operator::spans::{self, OperatorSpan};
use crate::text::modal::pattern;
use crate::text::operations::lines::{self, Order};
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::search::Needle;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Returns the text, if it is editable.
pub fn editable_text(cx: &Cx<'_>) -> Result<Text, String> {
    let buffer = cx.state.buffers.current().ok_or("No file open")?;
    match buffer.read_only() {
        Some(reason) => Err(reason.to_string()),
        None => Ok(buffer.area.text().clone()),
    }
}

/// Moves the cursor to a column of a line, which becomes its goal column.
pub fn place_caret(cx: &mut Cx<'_>, line: Line, goal: Column) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let at = page.at(line.min(page.last_line()), goal);
    cursors::set_selection(cx, Selection::single(Range { goal: Some(goal), ..Range::cursor(at) }));
}

/// Keeps a goal column for the cursor.
pub fn set_goal(cx: &mut Cx<'_>, goal: Column) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let range = buffer.area.selection.primary();
    cursors::set_selection(cx, Selection::single(Range { goal: Some(goal), ..range }));
}

/// Returns lines in the form that operators take.
pub fn line_pieces(page: ModalText<'_>, lines: (Line, Line, usize)) -> Vec<OperatorSpan> {
    vec![spans::lines(page, lines.0, lines.1, page.start(lines.0))]
}

/// Returns the lines of a command that may have a count, and its register.
fn counted_lines(cx: &Cx<'_>, given: &LineArgs<'_>) -> Result<(Line, Line, Option<char>), String> {
    let text = editable_text(cx)?;
    let last = ModalText::new(&text, 1).last_line();
    let mut rest = given.rest;
    let name = rest.chars().next().filter(|c| is_writable(*c) && !c.is_ascii_digit());
    if name.is_some() {
        rest = rest[1..].trim_start();
    }
    let (first, end) = (given.lines.0, given.lines.1);
    match rest {
        "" => Ok((first, end, name)),
        rest => {
            let count: usize = rest.parse().map_err(|_| format!("Unexpected text: {rest}"))?;
            Ok((end, Line(end.0.saturating_add(count.max(1) - 1).min(last.0)), name))
        }
    }
}

/// Deletes lines.
pub fn delete(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let (first, last, name) = counted_lines(cx, given)?;
    let text = editable_text(cx)?;
    let page = ModalText::new(&text, cx.state.tab_width());
    let pieces = line_pieces(page, (first, last, 0));
    let content = spans::content(page, &pieces);
    if text.end() > Byte(0) {
        registers::write(cx, name, content, CopyKind::Cut);
    }
    edit_text(cx, |page, _| operate::delete(page, &pieces, &[Column(0)]));
    caret_non_blank(cx, first);
    Ok(())
}

/// Copies lines.
pub fn yank(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let (first, last, name) = counted_lines(cx, given)?;
    let text = editable_text(cx)?;
    let page = ModalText::new(&text, cx.state.tab_width());
    let content = spans::content(page, &line_pieces(page, (first, last, 0)));
    registers::write(cx, name, content, CopyKind::Copied);
    Ok(())
}

/// Pastes a register as lines.
pub fn paste(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let name = given.rest.chars().next().unwrap_or('"');
    let line = given.lines.1;
    cursors::move_to_line(cx, line);
    let content = registers::read(cx, name).ok_or_else(|| format!("Register is empty: {name}"))?;
    let mut lines = content.joined();
    if content.shape != ContentShape::Lines {
        // Its last line has no line feed, even if it is empty.
        lines.push('\n');
    }
    let content = Content::new(vec![lines], ContentShape::Lines);
    editable_text(cx)?;
    edit_text(cx, |page, _| {
        put_back(
            page,
            &[page.start(line)],
            &content,
            PasteOptions { after: !given.bang, count: 1, cursor_after: false },
        )
    });
    let count = content.texts[0].trim_end_matches('\n').matches('\n').count();
    let last = if given.bang { line.0 + count } else { line.0 + 1 + count };
    caret_non_blank(cx, Line(last));
    Ok(())
}

fn caret_non_blank(cx: &mut Cx<'_>, line: Line) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let at = page.first_non_blank(line.min(page.last_line()));
    cursors::set_selection(cx, Selection::cursor(at));
}

/// Moves lines after another one.
pub fn move_lines(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let goal = cursors::goal_column(cx);
    let to = target(cx, given.rest)?;
    let (first, last) = (given.lines.0, given.lines.1);
    if (first.0 + 1..=last.0).contains(&to) {
        return Err("Cannot move lines into themselves".to_string());
    }
    let text = editable_text(cx)?;
    let page = ModalText::new(&text, cx.state.tab_width());
    let content = text.slice(page.start(first)..page.end(last)).into_owned();
    let whole = page.lines(first, last);
    let open = text.byte_at(text.end().back(1)) != Some(b'\n');
    // Without a final line feed, the last line takes the line break before it along.
    let gone = if open && whole.end == text.end() && first.0 > 0 {
        page.end(Line(first.0 - 1))..whole.end
    } else {
        whole
    };
    let (at, content) = if open && to > page.last_line().0 {
        (text.end(), format!("\n{content}"))
    } else {
        (text.line_start(Line(to)), format!("{content}\n"))
    };
    if to == first.0 || to == last.0 + 1 {
        place_caret(cx, last, goal);
        return Ok(());
    }
    let mut edits = vec![(gone, String::new()), (at..at, content)];
    edits.sort_by_key(|(span, _)| span.start);
    let moved_positions = cx
        .state
        .buffers
        .current()
        .map(|b| b.area.document.positions().positions_in_lines(&text, first, last));
    edit_text(cx, |page, _| Transaction::new(ChangeSet::replace(page.text.end().0, edits)));
    let cursor = if to > last.0 { to - 1 } else { to + last.0 - first.0 };
    if let (Some(buffer), Some(moved_positions)) = (cx.state.buffers.current_mut(), moved_positions) {
        let moved = Line(cursor - (last.0 - first.0));
        let after = buffer.area.text().clone();
        buffer.area.document.positions_mut().move_with_lines(moved_positions, &after, moved);
    }
    place_caret(cx, Line(cursor), goal);
    Ok(())
}

/// Copies lines after another one.
pub fn copy(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let goal = cursors::goal_column(cx);
    let to = target(cx, given.rest)?;
    let (first, last) = (given.lines.0, given.lines.1);
    let text = editable_text(cx)?;
    let page = ModalText::new(&text, cx.state.tab_width());
    let mut content = text.slice(page.start(first)..page.end(last)).into_owned();
    let end = page.last();
    let open = text.byte_at(text.end().back(1)) != Some(b'\n');
    let at = if text.end() == Byte(0) {
        // An empty text counts as one empty line, which stays.
        content.push_str("\n\n");
        end
    } else if to > page.last_line().0 && open {
        content.insert(0, '\n');
        end
    } else {
        content.push('\n');
        text.line_start(Line(to))
    };
    edit_text(cx, |page, _| Transaction::new(ChangeSet::replace(page.text.end().0, [(at..at, content)])));
    place_caret(cx, Line(to + last.0 - first.0), goal);
    Ok(())
}

/// Joins lines.
pub fn join(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let text = editable_text(cx)?;
    let page = ModalText::new(&text, cx.state.tab_width());
    let (first, mut last, addresses) = given.lines;
    if let Ok(count) = given.rest.parse::<usize>() {
        last = Line(last.0 + count - 1);
    } else if addresses < 2 {
        last = Line(first.0 + 1);
    }
    if addresses > 1 && first == last {
        return Ok(());
    }
    if first >= page.last_line() {
        cursors::move_to_line(cx, first);
        return Err("No line below to join".to_string());
    }
    let pieces = line_pieces(page, (first, last.min(page.last_line()), 0));
    edit_text(cx, |page, _| operate::join(page, &pieces, !given.bang));
    caret_non_blank(cx, first);
    Ok(())
}

/// Sorts lines: `u` removes duplicates, `n` sorts by numbers, `!` reverses.
pub fn sort(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let text = editable_text(cx)?;
    let page = ModalText::new(&text, cx.state.tab_width());
    let (first, last) =
        if given.lines.2 == 0 { (Line(0), page.last_line()) } else { (given.lines.0, given.lines.1) };
    let order = match (given.rest.trim(), given.bang) {
        ("", false) => Order::Plain,
        ("", true) => Order::Reverse,
        ("n", false) => Order::Integer,
        ("u", false) => Order::Unique,
        (other, _) => return Err(format!("Unknown sort option: {other}")),
    };
    if first == last {
        return Ok(());
    }
    let lines = page.lines(first, last);
    let range = Range::new(lines.start, lines.end);
    background::run(cx, range.end() - range.start(), move || {
        let edit = sort_edit(&text, range, order).prepare(&text);
        Box::new(move |cx| {
            edit_text(cx, |_, _| edit);
            caret_non_blank(cx, first);
            Ok(())
        })
    })
}

fn sort_edit(text: &Text, range: Range, order: Order) -> Transaction {
    let plain = if order == Order::Unique { Order::Plain } else { order };
    let sorted = lines::sort(text, &Selection::single(range), plain);
    if order != Order::Unique {
        return sorted;
    }
    let mut middle = text.clone();
    sorted.changes.apply(&mut middle);
    let unique = lines::sort(&middle, &Selection::single(range), Order::Unique);
    Transaction::new(sorted.changes.compose(&unique.changes))
}

/// Sets a mark at a line.
pub fn mark(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let letter = given.rest.chars().next().ok_or("Which letter?")?;
    let here = cx.state.buffers.current().map(|buffer| buffer.area.selection.clone());
    place_caret(cx, given.lines.1, Column(0));
    locations::set_mark(cx, letter);
    if let Some(here) = here {
        cursors::set_selection(cx, here);
    }
    Ok(())
}

/// A substitution, read.
pub struct Substitution {
    needle: Needle,
    replacement: pattern::Replacement,
    all: bool,
    count_only: bool,
    /// Whether finding nothing is not an error.
    allow_no_match: bool,
    confirms: bool,
}

/// Reads a substitution.
pub fn read_substitution(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<Substitution, String> {
    let sign = given.rest.chars().next().ok_or("Replace what?")?;
    if sign.is_alphanumeric() || sign == '"' || sign == '|' {
        return Err(format!("A pattern cannot begin with {sign}"));
    }
    let (mut old, rest) = pattern::split_at_sign(&given.rest[sign.len_utf8()..], sign);
    let (new, flags) = pattern::split_at_sign(rest.unwrap_or_default(), sign);
    if old.is_empty() {
        old = cx.state.modal.last_search.clone().map(|(last, _)| last).ok_or("No search yet")?;
    }
    let last = cx.state.modal.last_substitution.as_ref().map(|(_, last, _)| last.as_str());
    let new = pattern::expand_tilde(&new, last);
    let forward = cx.state.modal.last_search.as_ref().is_none_or(|(_, forward)| *forward);
    cx.state.modal.last_search = Some((old.clone(), forward));
    prepare_substitution(cx, &old, &new, flags.unwrap_or_default().trim())
}

fn prepare_substitution(cx: &mut Cx<'_>, old: &str, new: &str, flags: &str) -> Result<Substitution, String> {
    let before =
        cx.state.modal.last_substitution.as_ref().map(|(.., flags)| flags.clone()).unwrap_or_default();
    // A leading `&` means the flags of the last substitution.
    let flags = flags.strip_prefix('&').map_or(flags.to_string(), |flags| before + flags);
    let mut pattern = old.to_string();
    for flag in flags.chars() {
        match flag {
            'g' | 'n' | 'e' | 'c' => {}
            'i' => pattern.push_str("\\c"),
            'I' => pattern.push_str("\\C"),
            other => return Err(format!("Unknown substitute flag: {other}")),
        }
    }
    cx.state.modal.last_substitution = Some((old.to_string(), new.to_string(), flags.clone()));
    let needle = search::needle(cx, &pattern).ok_or_else(|| format!("Invalid pattern: {old}"))?;
    Ok(Substitution {
        needle,
        replacement: pattern::replacement(new),
        all: flags.contains('g'),
        count_only: flags.contains('n'),
        allow_no_match: flags.contains('e'),
        confirms: flags.contains('c'),
    })
}

/// Replaces a pattern in lines.
pub fn substitute(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    if given.rest.is_empty() || given.rest.starts_with(|c: char| c.is_alphanumeric()) {
        return repeat_substitution(cx, given);
    }
    let substitution = read_substitution(cx, given)?;
    replace_in(cx, substitution, vec![(given.lines.0, given.lines.1)], false)
}

/// Repeats the last substitution.
pub fn repeat_substitution(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let (old, new, _) = cx.state.modal.last_substitution.clone().ok_or("No substitution yet")?;
    let substitution = prepare_substitution(cx, &old, &new, given.rest)?;
    replace_in(cx, substitution, vec![(given.lines.0, given.lines.1)], false)
}

/// Replaces in runs of lines, in order. With `global` they are those of `:g`, and the cursor ends on the last
/// of them, even if it contained no match.
pub fn replace_in(
    cx: &mut Cx<'_>,
    substitution: Substitution,
    lines: Vec<(Line, Line)>,
    global: bool,
) -> Result<(), String> {
    let (text, tab_width) = (editable_text(cx)?, cx.state.tab_width());
    let page = ModalText::new(&text, tab_width);
    let bytes = match (lines.first(), lines.last()) {
        (Some((first, _)), Some((_, last))) => page.end(*last) - page.start(*first),
        _ => 0,
    };
    background::run(cx, bytes, move || {
        let page = ModalText::new(&text, tab_width);
        let (edits, last_line) = replacements(page, &substitution, &lines);
        let Some(last_line) = last_line else {
            let result = if substitution.allow_no_match { Ok(()) } else { Err("No match".to_string()) };
            let last = lines.last().map_or(Line(0), |(_, last)| *last);
            return Box::new(move |cx| {
                if global {
                    let goal = cursors::goal_column(cx);
                    place_caret(cx, last, Column(0));
                    set_goal(cx, goal);
                }
                result
            });
        };
        let count = edits.len();
        if substitution.count_only {
            return Box::new(move |cx| {
                cx.state.set_status(format!("{count} matches"));
                Ok(())
            });
        }
        if substitution.confirms {
            return Box::new(move |cx| command_line::confirm::start_confirming(cx, edits));
        }
        let start = page.start_of(edits[0].0.start);
        let last_line = lines.last().filter(|_| global).map_or(last_line, |(_, last)| *last);
        // Line feeds inserted before and in the last match move its line down.
        let more = |text: &str| text.matches('\n').count() as isize;
        let shift: isize = edits.iter().map(|(span, new)| more(new) - more(&text.slice(span.clone()))).sum();
        let edit = Transaction::new(ChangeSet::replace(text.end().0, edits)).prepare(&text);
        Box::new(move |cx| {
            // The step begins at the first match, which is where undo returns to.
            cursors::set_selection(cx, Selection::cursor(start));
            edit_text(cx, |_, _| edit);
            caret_non_blank(cx, Line(last_line.0.saturating_add_signed(shift)));
            cx.state.set_status(format!("Replaced {count}. Undo: one step"));
            Ok(())
        })
    })
}

/// Returns the replacements in runs of lines, and the line of the last one.
fn replacements(
    page: ModalText<'_>,
    substitution: &Substitution,
    lines: &[(Line, Line)],
) -> (Vec<(ByteRange<Byte>, String)>, Option<Line>) {
    let mut edits = Vec::new();
    let mut last_line = None;
    for (first, last) in lines {
        let span = page.start(*first)..page.lines(*first, *last).end;
        for found in substitution.needle.matches(page.text, span.clone()) {
            let line = page.line(found.start);
            let repeated = !substitution.all && last_line == Some(line);
            // A match after the last line feed is not in a line.
            if repeated
                || found.start >= span.end && page.start(line) < found.start && found.start > page.end(line)
            {
                continue;
            }
            if found.is_empty() && found.start == span.end && page.start(*last) != span.end {
                continue;
            }
            last_line = Some(line);
            let group = |n| substitution.needle.group(page.text, found.clone(), n);
            let new = substitution.replacement.expand(group);
            edits.push((found, new));
        }
    }
    (edits, last_line)
}

/// Deletes lines anywhere in the text.
pub fn delete_all(cx: &mut Cx<'_>, lines: Vec<Line>) -> Result<(), String> {
    let (text, tab_width) = (editable_text(cx)?, cx.state.tab_width());
    background::run(cx, text.end().0, move || {
        let page = ModalText::new(&text, tab_width);
        let mut runs: Vec<(Line, Line)> = Vec::new();
        for line in &lines {
            match runs.last_mut() {
                Some((_, last)) if last.0 + 1 == line.0 => *last = *line,
                _ => runs.push((*line, *line)),
            }
        }
        let piece = |(a, b): &(Line, Line)| spans::lines(page, *a, *b, page.start(*a));
        let pieces: Vec<OperatorSpan> = runs.iter().map(piece).collect();
        // Each of them goes to a register: these are the numbered ones in the end.
        let newest = &lines[lines.len().saturating_sub(9)..];
        let content = |line: &Line| spans::content(page, &[spans::lines(page, *line, *line, Byte(0))]);
        let some = newest.iter().filter(|_| text.end() > Byte(0));
        let contents: Vec<Content> = some.map(content).collect();
        let edit = operate::delete(page, &pieces, &vec![Column(0); pieces.len()]).prepare(&text);
        let last = lines.last().map_or(0, |line| line.0 + 1 - lines.len());
        Box::new(move |cx| {
            for content in contents {
                registers::write(cx, None, content, CopyKind::Cut);
            }
            edit_text(cx, |_, _| edit);
            caret_non_blank(cx, Line(last));
            Ok(())
        })
    })
}
