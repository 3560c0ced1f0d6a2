//! Draws decorations over the characters: selections, matches, brackets, whitespace, guides, rulers.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::base::width::{graphemes, truncate, visible};
use crate::ide::editor::view::line_message::{self, diagnostic_sign};
use crate::ide::editor::view::pane::DrawContext;
use crate::ide::model::diagnostics::{Mark, visible_range};
use crate::ide::model::view::display::WhitespaceDisplay;
use crate::text::display::columns::width_at;
use crate::text::display::rows::Row;
use crate::text::movement::paragraph;
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;
use crate::tui::theme::color::{ColorDepth, reduce};

/// Number of lines above the first drawn one in which a match that reaches it may begin.
const MATCH_LINES: usize = 50;
/// Maximum bytes searched for matches to draw.
const MATCH_BYTES: usize = 64 << 10;
/// What is between two code lenses.
const LENS_GAP: &str = " | ";
/// Number of lines around blank ones from which their indentation is taken.
const GUIDE_LINES: usize = 30;

/// Returns the search matches in some rows.
pub(super) fn matches_in(drawn: &DrawContext<'_>, rows: Range<u16>) -> Vec<Range<Byte>> {
    let Some(needle) = &drawn.state.search.highlight else { return Vec::new() };
    let text = drawn.lens.text;
    let rows = drawn.shown.rows.get(usize::from(rows.start)..).unwrap_or_default().iter().take(rows.len());
    let mut found = Vec::new();
    // Rows between which lines are folded away are searched on their own.
    let mut runs: Vec<Range<Byte>> = Vec::new();
    for row in rows {
        let next = text.line_start(Line(row.line.0 + 1)).max(row.end);
        match runs.last_mut() {
            Some(run) if run.end >= row.start => run.end = if row.is_last { next } else { row.end },
            _ => runs.push(row.start..if row.is_last { next } else { row.end }),
        }
    }
    for run in runs {
        let above = text.line_start(Line(text.line_of(run.start).0.saturating_sub(MATCH_LINES)));
        let from = if run.start - above > MATCH_BYTES { run.start } else { above };
        let to = run.end.min(text.grapheme_floor(run.start + MATCH_BYTES)).max(from);
        found.extend(needle.matches(text, from..to).filter(|found| found.end >= run.start));
    }
    found
}

/// Draws the decorations of one row.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    drawn: &DrawContext<'_>,
    row: &Row,
    y: u16,
    found: &[Range<Byte>],
) {
    let display = &drawn.state.display;
    if display.indent_guides && row.is_first {
        draw_guides(canvas, drawn, row, y);
    }
    if display.whitespace != WhitespaceDisplay::Off {
        draw_whitespace(canvas, drawn, row, y);
    }
    if drawn.line_max() > 0 && display.rulers_shown {
        draw_too_long(canvas, drawn, row, y);
    }
    draw_occurrences(canvas, drawn, row, y);
    draw_diagnostics(canvas, drawn, row, y);
    draw_line_end(canvas, drawn, row, y);
    draw_selections(canvas, drawn, row, y);
    draw_matches(canvas, drawn, row, y, found);
    draw_brackets(canvas, drawn, row, y);
}

/// Highlights the search matches.
fn draw_matches(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16, found: &[Range<Byte>]) {
    let selected = drawn.selection.primary().span();
    let is_previewed =
        drawn.state.search.preview.as_ref().is_some_and(|shown| shown.buffer == drawn.buffer.id);
    let style = canvas.style("ui.match");
    // What a replacement stands beside is struck out, also in the selected match.
    let struck = Style::default().add_modifier(Modifier::CROSSED_OUT);
    for found in found.iter().filter(|found| found.start < row.end && found.end > row.start) {
        let (from, to) = drawn.cells(row, found.start.max(row.start), found.end.min(row.end));
        if from < to && *found != selected {
            canvas.put_style(Rect::new(from, y, to - from, 1), style);
        }
        if from < to && is_previewed {
            canvas.put_style(Rect::new(from, y, to - from, 1), struck);
        }
    }
}

/// Marks the uses of the name at the caret.
fn draw_occurrences(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let version = drawn.buffer.area.document.version();
    for one in drawn.buffer.servers.occurrences.touching(version, row.start..row.end) {
        let (from, to) = drawn.cells(row, one.range.start.max(row.start), one.range.end.min(row.end));
        if one.range.start < row.end && one.range.end > row.start && from < to {
            let scope = if one.is_write { "ui.highlight.write" } else { "ui.highlight" };
            canvas.put_style(Rect::new(from, y, to - from, 1), canvas.style(scope));
        }
    }
}

/// Underlines what language servers found.
fn draw_diagnostics(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let found = &drawn.buffer.servers.diagnostics;
    if found.is_empty() {
        return;
    }
    let text = drawn.lens.text;
    let mut marks: Vec<&Mark> = found.touching(row.start..row.end).collect();
    // The worst is drawn last, over the others.
    marks.sort_by_key(|mark| mark.diagnostic.severity);
    for mark in marks {
        let range = visible_range(&mark.range, text);
        let (from, to) = drawn.cells(row, range.start.max(row.start), range.end.min(row.end));
        if range.start >= row.end || range.end <= row.start || from >= to {
            continue;
        }
        // The text keeps its own colors. Where the terminal has no colored underlines, the sign beside the line and the
        // words behind it have that of the severity.
        let style = if mark.diagnostic.is_unnecessary {
            Style::default().add_modifier(Modifier::DIM)
        } else {
            let (_, _, scope) = diagnostic_sign(mark.diagnostic.severity);
            let color = canvas.style(scope).fg.map(|color| reduce(color, ColorDepth::Ansi256));
            Style { underline_color: color, ..Style::default() }.add_modifier(Modifier::UNDERLINED)
        };
        canvas.put_style(Rect::new(from, y, to - from, 1), style);
    }
}

/// Writes behind the end of a line the worst that language servers found in it, or else its code lenses.
fn draw_line_end(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let servers = &drawn.buffer.servers;
    let is_unfolded = drawn.lens.folds.fold_after(row.end).is_none();
    if !row.is_last || !is_unfolded || servers.diagnostics.is_empty() && servers.lenses.all().is_empty() {
        return;
    }
    let worst = line_message::of_line(&servers.diagnostics, drawn.lens.text, row.line);
    let (words, style) = if let Some(mark) = worst {
        let (sign, letter, scope) = diagnostic_sign(mark.diagnostic.severity);
        let sign = if canvas.is_accessible() { letter } else { sign };
        (format!("{sign} {}", line_message::first_line(mark)), canvas.style(scope))
    } else {
        let (start, end) = drawn.lens.text.line_bounds(row.line);
        let titles = servers.lenses.of_line(start..end).iter().map(|(_, title)| title.as_str());
        (titles.collect::<Vec<_>>().join(LENS_GAP), canvas.style("ui.inlay"))
    };
    let room = line_message::room(drawn.shown, &drawn.lens, row).filter(|_| !words.is_empty());
    if let Some((from, room)) = room {
        let from = drawn.shown.gutter + from;
        canvas.text(from, y, &truncate(&visible(&words), usize::from(room)), style);
    }
}

fn draw_brackets(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let Some((here, there)) = drawn.shown.bracket_pair else { return };
    let style = canvas.style("ui.bracket");
    for at in [here, there].into_iter().filter(|at| row.contains(*at)) {
        let (from, to) = drawn.cells(row, at, at + 1);
        canvas.put_style(Rect::new(from, y, to - from, 1), style);
    }
}

fn draw_selections(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let style = canvas.style("ui.selection");
    let primary = drawn.selection.primary_index();
    let right = drawn.shown.gutter + drawn.shown.cols;
    let ranges = drawn.selection.ranges();
    // With thousands of cursors only those on screen cost time.
    let first = ranges.partition_point(|range| range.end() < row.start);
    let touching = ranges.iter().enumerate().skip(first).take_while(|(_, range)| range.start() <= row.end);
    // The primary cursor is the terminal's own.
    for (_, range) in touching.filter(|(n, range)| *n != primary || !range.is_empty()) {
        let (from, to) = drawn.cells(row, range.start().max(row.start), range.end().min(row.end));
        // A selection that continues on the next line shows that it includes the line ending.
        let over = u16::from(row.is_last && range.end() > row.end);
        let to = (to + over).min(right);
        if from < to && !range.is_empty() {
            canvas.put_style(Rect::new(from, y, to - from, 1), style);
        } else if range.is_empty() && from < right && row.contains(range.head) {
            canvas.put_style(Rect::new(from, y, 1, 1), style.add_modifier(Modifier::REVERSED));
        }
    }
}

/// Shows whitespace as symbols.
fn draw_whitespace(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let text = drawn.lens.text;
    let style = canvas.style("ui.whitespace");
    let right = drawn.shown.left + usize::from(drawn.shown.cols);
    let from = drawn.lens.at_column(row, drawn.shown.left);
    let to = drawn.lens.at_column(row, right).max(from);
    let content = text.slice(from..to);
    // Only blanks at the end of a line can be trailing.
    let end = text.char_floor(row.end.min(to + MATCH_BYTES)).max(to);
    let mut rest = text.chunks_in(to..end).flat_map(str::bytes);
    let trails = row.is_last && rest.all(|byte| matches!(byte, b' ' | b'\t'));
    let trailing = if trails { content.trim_end_matches([' ', '\t']).len() } else { content.len() };
    let (mut at, mut column) = (from, drawn.lens.column(row, from));
    let tab_width = drawn.lens.tab_stop_width(row);
    let beside = !drawn.lens.inlays_in(row).is_empty();
    for grapheme in graphemes(&content) {
        let sign = match grapheme {
            " " => "·",
            "\t" => "→",
            "\u{a0}" => "⍽",
            _ => "",
        };
        // A screen reader would read the signs as a part of the text.
        let wanted = !canvas.is_accessible()
            && (drawn.state.display.whitespace == WhitespaceDisplay::All || at - from >= trailing);
        if beside {
            column = drawn.lens.column(row, at);
        }
        if !sign.is_empty() && wanted && (drawn.shown.left..right).contains(&column) {
            canvas.text(drawn.cell(column), y, sign, style);
        }
        column += width_at(grapheme, column, tab_width);
        at += grapheme.len();
    }
}

/// Marks the part of a line beyond the maximum columns.
fn draw_too_long(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let max = drawn.line_max();
    let start = drawn.lens.text.line_start(row.line);
    let before = row.start - start;
    // In wrapped lines a row continues counting; there tabs and wide characters are not distinguished,
    // since the line is not walked from its start.
    let end = drawn.lens.column(row, row.end);
    let limit = if row.is_first { max } else { (max + row.indent).saturating_sub(before) };
    if end > limit {
        let (from, to) = (drawn.cell(limit.max(row.indent)), drawn.cell(end));
        let style = canvas.style("ui.overlong");
        canvas.put_style(Rect::new(from, y, to - from, 1), style);
    }
}

/// Marks columns.
pub(super) fn draw_rulers(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, y: u16) {
    let display = &drawn.state.display;
    if !display.rulers_shown {
        return;
    }
    let limit = Some(drawn.line_max()).filter(|max| *max > 0).map(|max| max + 1);
    let columns = display.rulers.iter().copied().chain(limit).map(|ruler| ruler - 1);
    let right = drawn.shown.left + usize::from(drawn.shown.cols);
    for column in columns.filter(|column| (drawn.shown.left..right).contains(column)) {
        let style = canvas.style("ui.ruler");
        canvas.put_style(Rect::new(drawn.cell(column), y, 1, 1), style);
    }
}

/// Draws indentation guides in a row; blank lines use the indentation around them.
fn draw_guides(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let style = canvas.style("ui.guide");
    let cells = indentation(drawn, row.line);
    let right = drawn.shown.left + usize::from(drawn.shown.cols);
    for column in (0..cells).step_by(drawn.lens.tab_width).filter(|c| (drawn.shown.left..right).contains(c)) {
        canvas.text(drawn.cell(column), y, "│", style);
    }
}

/// Cells of blanks at the start of a line.
fn indentation(drawn: &DrawContext<'_>, line: Line) -> usize {
    let text = drawn.lens.text;
    let own = |line: Line| {
        let end = text.line_end(line).min(text.char_floor(text.line_start(line) + MATCH_BYTES));
        let content = text.slice(text.line_start(line)..end);
        let blanks = graphemes(&content).take_while(|g| matches!(*g, " " | "\t"));
        blanks.fold(0, |column, g| column + width_at(g, column, drawn.lens.tab_width))
    };
    if !paragraph::is_blank(text, line) {
        return own(line);
    }
    let full = |line: &Line| !paragraph::is_blank(text, *line);
    let above = (line.0.saturating_sub(GUIDE_LINES)..line.0).rev().map(Line).find(full);
    let below = (line.0 + 1..=text.last_line().0.min(line.0 + GUIDE_LINES)).map(Line).find(full);
    above.map_or(0, own).min(below.map_or(0, own))
}
