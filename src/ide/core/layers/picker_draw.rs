//! How a picker is drawn: the query, then a page of rows, under the headings of their groups while nothing is
//! searched for, and beside them the image of the selected row.

use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::base::width::{text_width, truncate, word_wrap};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::layers::picker::{PickRow, Picker};
use crate::ide::core::layers::prefix;
use crate::ide::core::state::State;
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;

/// Cells before the text of a row.
const MARGIN: usize = 3;

/// Minimum columns of a picker with room for a preview, and of the preview.
const WITH_PREVIEW_MIN: u16 = 68;
const PREVIEW_MIN: u16 = 34;

/// Columns below which the text of a row goes before its detail, in lists that want it so.
const NARROW: usize = 40;
/// Letters before the first one that matches, of a text that does not begin at its start.
const LEADING_MAX: usize = 4;
/// Columns that a match needs to be readable.
const AFTER_MIN: usize = 12;

/// Minimum rows of the query and the list above what is said about a row.
const LIST_MIN: u16 = 2;

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
enum ListLine<T> {
    /// The name of a group.
    Heading(T),
    /// A row, by its index.
    Row(u32),
}

/// Draws the picker.
pub fn draw(canvas: &mut Canvas<'_>, picker: &Picker, state: &State) {
    let more = if picker.is_filling { "…" } else { "" };
    let mut count = format!("{} / {}{more}", picker.matches(), picker.total());
    if picker.spec.accepts_many() && !picker.marked.is_empty() {
        count.insert_str(0, &format!("{} marked  ", picker.marked.len()));
    }
    let note = picker.spec.title_note.and_then(|note| note(state)).map(|note| format!(", {note}"));
    let title = format!("{}{}", picker.spec.title, note.unwrap_or_default());
    let inner = frame::draw(canvas, &title, &count, &footer(picker, state));
    let about = about_rows(picker, state, (inner.width, inner.height));
    draw_about(&mut canvas.sub(Rect { y: inner.bottom() - about, height: about, ..inner }), picker, state);
    let inner = Rect { height: inner.height - about, ..inner };
    let mut inside = canvas.sub(inner);
    let cols = if inside.is_accessible() { 0 } else { preview_cols(picker, inner.width) };
    if cols > 0 {
        let (x, height) = (inner.width - cols, inner.height.saturating_sub(1));
        let border =
            inside.style("ui.border").patch(Style { bg: inside.style("ui.overlay").bg, ..Style::default() });
        for y in 1..=height {
            inside.text(x, y, "│", border);
        }
        if let Some(target) = picker.preview(state) {
            let area = Rect::new(x + 1, 1, cols - 1, height);
            (state.catalog.draw_preview)(&mut inside.sub(area), state, &target);
        }
    }
    draw_query(&mut inside, picker);
    let list = inner.width - cols;
    let mut inside = inside.sub(Rect::new(0, 0, list, inner.height));
    if has_headings(picker) {
        draw_groups(&mut inside, picker);
    } else {
        draw_matches(&mut inside, picker);
    }
    // While it searches, there may be matches yet.
    if picker.matches() == 0 && !picker.is_filling && picker.is_settled {
        let style = inside.style("ui.overlay.soft");
        let is_untyped = picker.query.text().is_empty() && !picker.spec.placeholder.is_empty();
        let text = if is_untyped { picker.spec.placeholder } else { "No matches" };
        inside.text(2, 1, &truncate(text, usize::from(list).saturating_sub(3)), style);
    }
}

/// Returns the row of the list at a cell of an area of that size.
pub fn row_at(picker: &Picker, state: &State, (cols, rows): (u16, u16), at: Position) -> Option<u32> {
    let inner = frame::inner(Rect::new(0, 0, cols, rows));
    let preview = if state.is_accessible() { 0 } else { preview_cols(picker, inner.width) };
    let height = inner.height.saturating_sub(about_rows(picker, state, (inner.width, inner.height)) + 1);
    // Below the query.
    let list = Rect::new(inner.x, inner.y + 1, inner.width - preview, height);
    let y = u32::from(at.y.checked_sub(list.y)?);
    if !list.contains(at) {
        return None;
    }
    if has_headings(picker) {
        let rows = picker.rows(0, picker.matches());
        let lines = grouped(rows.map(|row| row.group.as_deref()));
        return match page(&lines, picker.selected, usize::from(height)).get(y as usize)? {
            ListLine::Row(n) => Some(*n),
            ListLine::Heading(_) => None,
        };
    }
    let row = first_row(picker, u32::from(height)) + y;
    (row < picker.matches()).then_some(row)
}

/// Returns the first row of the page with the selected one. The last page fills the list, too.
fn first_row(picker: &Picker, height: u32) -> u32 {
    (picker.selected / height * height).min(picker.matches().saturating_sub(height))
}

/// Returns the most important keys here.
fn footer(picker: &Picker, state: &State) -> String {
    let row = picker.spec.row_footer.zip(picker.current());
    let mut keys = vec![row.map_or(picker.spec.footer, |(footer, row)| footer(&row.pick)).to_string()];
    let mark = state.keymap.keys_for(KeyContext::Picker, "list.toggle");
    keys.extend(mark.filter(|_| picker.spec.accepts_many()).map(|key| format!("{key} mark")));
    if picker.spec.is_in_files() {
        let in_window =
            [("list.accept-right", "right"), ("list.accept-below", "below"), ("list.show-results", "list")];
        let key = |(id, side)| Some(format!("{} {side}", state.keymap.keys_for(KeyContext::Picker, id)?));
        keys.extend(in_window.into_iter().filter_map(key));
    }
    let hint = |(id, what): &(&str, &str)| {
        Some(format!("{} {what}", state.keymap.keys_for(KeyContext::Picker, id)?))
    };
    keys.extend(picker.spec.hints.iter().filter_map(hint));
    keys.push("Escape close".to_string());
    keys.join("  ")
}

/// Returns the rows for what is said about a row, 0 where the list would have no room. A text that takes more lines
/// than usual takes them from the list, as long as that has some.
fn about_rows(picker: &Picker, state: &State, (cols, rows): (u16, u16)) -> u16 {
    let has_preview = !state.is_accessible() && preview_cols(picker, cols) > 0;
    let about = picker.spec.about.as_ref().filter(|about| !(about.in_place_of_preview && has_preview));
    let usual = about.map_or(0, |about| about.lines + 1);
    if usual == 0 || rows < usual + LIST_MIN {
        return 0;
    }
    let wanted = about_lines(picker, state, cols).len() as u16 + 1;
    wanted.max(usual).min(rows - LIST_MIN)
}

/// Returns what is said about the selected row, wrapped, and whether a line belongs to the first paragraph.
fn about_lines(picker: &Picker, state: &State, cols: u16) -> Vec<(bool, String)> {
    let Some((about, row)) = picker.spec.about.as_ref().zip(picker.current()) else { return Vec::new() };
    let room = usize::from(cols).saturating_sub(2);
    let paragraphs = (about.text)(state, row).into_iter().enumerate();
    paragraphs
        .flat_map(|(n, text)| word_wrap(&text, room).into_iter().map(move |line| (n == 0, line)))
        .collect()
}

/// Draws what is said about the selected row, under a divider.
fn draw_about(canvas: &mut Canvas<'_>, picker: &Picker, state: &State) {
    let (cols, rows) = canvas.size();
    if rows == 0 || picker.current().is_none() {
        return;
    }
    let plain = canvas.style("ui.overlay");
    let border = canvas.style("ui.border").patch(Style { bg: plain.bg, ..Style::default() });
    canvas.text(0, 0, &"─".repeat(usize::from(cols)), border);
    for (y, (is_first, line)) in (1..rows).zip(about_lines(picker, state, cols)) {
        let style = if is_first { plain } else { canvas.style("ui.overlay.soft") };
        canvas.text(1, y, &line, style);
    }
}

/// Returns the columns for previews in a picker of that inner width, 0 without any.
fn preview_cols(picker: &Picker, cols: u16) -> u16 {
    let has_room = picker.spec.preview.is_some() && cols >= WITH_PREVIEW_MIN;
    if has_room { (cols / 2).max(PREVIEW_MIN) } else { 0 }
}

/// Returns the number of headings that the list has.
pub fn headings(picker: &Picker) -> usize {
    if !has_headings(picker) {
        return 0;
    }
    let rows = picker.rows(0, picker.matches());
    let lines = grouped(rows.map(|row| row.group.as_deref()));
    lines.iter().filter(|line| matches!(line, ListLine::Heading(_))).count()
}

/// Whether rows stand under headings: a query sorts them by how well they match instead.
fn has_headings(picker: &Picker) -> bool {
    picker.query.text().is_empty() && picker.rows(0, 1).any(|row| row.group.is_some())
}

/// Draws the page of rows with the selected one. By pages, so that a step does not redraw the whole list.
fn draw_matches(canvas: &mut Canvas<'_>, picker: &Picker) {
    let height = u32::from(list_height(canvas)).max(1);
    let first = first_row(picker, height);
    let widest = picker.rows(first, height).map(|row| text_width(&row.text)).max().unwrap_or(0);
    for (y, (n, row)) in (1..).zip((first..).zip(picker.rows(first, height))) {
        draw_row(canvas, y, picker, (n, row, widest), row.group.as_deref());
    }
}

/// Draws the page of headings and rows with the selected one.
fn draw_groups(canvas: &mut Canvas<'_>, picker: &Picker) {
    let height = usize::from(list_height(canvas)).max(1);
    let rows: Vec<&PickRow> = picker.rows(0, picker.matches()).collect();
    let lines = grouped(rows.iter().map(|row| row.group.as_deref()));
    for (y, line) in (1..).zip(page(&lines, picker.selected, height)) {
        match line {
            ListLine::Heading(name) => {
                let style = canvas.style("ui.overlay.soft");
                canvas.text(1, y, name, style);
            }
            ListLine::Row(n) => {
                if let Some(row) = rows.get(*n as usize) {
                    draw_row(canvas, y, picker, (*n, row, text_width(&row.text)), None);
                }
            }
        }
    }
}

/// Returns a line for each row, and one for each group before its first row.
fn grouped<T: PartialEq + Copy>(groups: impl Iterator<Item = Option<T>>) -> Vec<ListLine<T>> {
    let mut lines = Vec::new();
    let mut before = None;
    for (n, group) in (0..).zip(groups) {
        if group != before {
            lines.extend(group.map(ListLine::Heading));
            before = group;
        }
        lines.push(ListLine::Row(n));
    }
    lines
}

/// Returns the page of the lines with the selected row.
fn page<T: PartialEq>(lines: &[ListLine<T>], selected: u32, height: usize) -> &[ListLine<T>] {
    let at = lines.iter().position(|line| *line == ListLine::Row(selected)).unwrap_or(0);
    let first = (at / height * height).min(lines.len().saturating_sub(height));
    &lines[first..lines.len().min(first + height)]
}

/// Lines of the list in the area inside the frame.
fn list_height(canvas: &Canvas<'_>) -> u16 {
    canvas.size().1.saturating_sub(1)
}

fn draw_query(canvas: &mut Canvas<'_>, picker: &Picker) {
    let query = &picker.query;
    let (sign, text) = (canvas.style("ui.prompt"), canvas.style("ui.overlay"));
    let ground = text.bg;
    canvas.text(1, 0, "›", Style { bg: ground, ..sign });
    if query.text().is_empty() {
        let (cols, _) = canvas.size();
        let (hint, soft) = (prefix::hint(picker.spec.prefixes), canvas.style("ui.overlay.faint"));
        canvas.text(4, 0, &truncate(&hint, usize::from(cols).saturating_sub(5)), soft);
        return;
    }
    canvas.content(3, 0, &query.text().line(Line(0)), text);
}

/// Draws a row, with the widest text of the page; `group` is named where no heading does.
fn draw_row(
    canvas: &mut Canvas<'_>,
    y: u16,
    picker: &Picker,
    (n, row, widest): (u32, &PickRow, usize),
    group: Option<&str>,
) {
    let (cols, _) = canvas.size();
    let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.faint"));
    let detail_room = detail_room(picker, usize::from(cols), row, widest);
    // Details in columns all begin in the same one.
    let detail_width =
        if picker.spec.fills_detail { detail_room } else { text_width(&row.detail).min(detail_room) };
    let room = usize::from(cols).saturating_sub(detail_width + MARGIN + 3);
    if picker.marked.contains(&row.pick) {
        canvas.text(1, y, picker.spec.mark, plain);
    }
    let used = draw_text(canvas, y, picker, row, room) + 2;
    if let Some(group) = group.filter(|_| used < room) {
        canvas.text((MARGIN + used) as u16, y, &truncate(group, room - used), soft);
    }
    let x = usize::from(cols).saturating_sub(detail_width + 1) as u16;
    canvas.text(x, y, &truncate(&row.detail, detail_width), soft);
    if n == picker.selected {
        if !canvas.is_accessible() {
            let bar = canvas.style("ui.overlay.title");
            canvas.text(0, y, "▌", bar);
        }
        let style = canvas.style("ui.row");
        canvas.select_row(Rect::new(0, y, cols, 1), style);
    }
}

/// Returns the columns for the detail of a row: half of them, or what the text leaves where that goes first. Where the detail
/// fills the rest, that is what the widest text of the page leaves.
fn detail_room(picker: &Picker, cols: usize, row: &PickRow, widest: usize) -> usize {
    if picker.spec.fills_detail {
        return cols.saturating_sub(widest + MARGIN + 3).max(cols / 2);
    }
    let spare = cols.saturating_sub(text_width(&row.text) + MARGIN + 3);
    let is_tight = picker.spec.keeps_text && cols < NARROW;
    let left = if is_tight { spare } else { cols };
    left.min(cols / 2)
}

/// Draws the text of a row with the letters that match; of a path the name comes before its folder. Returns its columns.
fn draw_text(canvas: &mut Canvas<'_>, y: u16, picker: &Picker, row: &PickRow, room: usize) -> usize {
    let soft = canvas.style("ui.overlay.faint");
    let plain = if (picker.spec.is_dimmed)(&row.pick) { soft } else { canvas.style("ui.overlay") };
    let matching = canvas.style("ui.overlay.title");
    let matched = picker.matched(row);
    let folder =
        if (picker.spec.has_path)(&row.pick) { row.text.rfind('/').map_or(0, |at| at + 1) } else { 0 };
    let folder_letters = row.text[..folder].graphemes(true).count();
    let (start, skipped) =
        if folder == 0 { first_shown(&row.text, &matched, room) } else { (folder, folder_letters) };
    let parts = [(&row.text[start..], skipped, plain), (row.text[..folder].trim_end_matches('/'), 0, soft)];
    let mut used = usize::from(start > folder);
    if used > 0 {
        canvas.text(MARGIN as u16, y, "…", soft);
    }
    for (n, (text, first, style)) in parts.into_iter().enumerate().filter(|(_, (text, ..))| !text.is_empty())
    {
        used += if n > 0 && used > 0 { 2 } else { 0 };
        let text = truncate(text, room.saturating_sub(used));
        let x = (MARGIN + used) as u16;
        canvas.content(x, y, &text, style);
        let mut at = x;
        for (n, grapheme) in (first..).zip(text.graphemes(true)) {
            let width = text_width(grapheme) as u16;
            if matched.binary_search(&(n as u32)).is_ok() {
                canvas.put_style(Rect::new(at, y, width, 1), matching);
            }
            at += width;
        }
        used += text_width(&text);
    }
    used
}

/// Returns where the shown part of a text begins, in bytes and graphemes: at its start, or shortly before the first letter
/// that matches where that would be cut off.
fn first_shown(text: &str, matched: &[u32], room: usize) -> (usize, usize) {
    let Some(first) = matched.first().map(|first| *first as usize) else { return (0, 0) };
    let graphemes: Vec<(usize, &str)> = text.grapheme_indices(true).collect();
    let Some(until) = graphemes.get(first).map(|(at, _)| *at) else { return (0, 0) };
    // With room for the letters that follow it.
    if text_width(&text[..until]) + LEADING_MAX + AFTER_MIN <= room || text_width(text) <= room {
        return (0, 0);
    }
    let skipped = first.saturating_sub(LEADING_MAX);
    graphemes.get(skipped).map_or((0, 0), |(at, _)| (*at, skipped))
}

/// Returns the caret in the overlay's coordinates.
pub fn cursor(picker: &Picker) -> (u16, u16) {
    let before = picker.query.text().slice(Byte(0)..picker.query.selection.primary().head);
    (4 + text_width(&before) as u16, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picker_row_begins_near_its_match_where_that_is_cut_off() {
        let text = "…it was long ago that größe of the needle was measured";
        let at = text.graphemes(true).collect::<Vec<_>>().windows(6).position(|six| six.concat() == "needle");
        let matched: Vec<u32> = (0..6).map(|n| (at.unwrap() + n) as u32).collect();
        assert_eq!(first_shown(text, &matched, 80), (0, 0), "all of it is shown");
        let (start, skipped) = first_shown(text, &matched, 24);
        assert_eq!((&text[start..], skipped), ("the needle was measured", at.unwrap() - 4));
        assert_eq!(first_shown(text, &[1, 2], 24), (0, 0));
        assert_eq!(first_shown(text, &[], 24), (0, 0));
        assert_eq!(first_shown("short", &[400], 3), (0, 0));
    }

    #[test]
    fn picker_groups_have_headings_and_page_holds_selection() {
        use ListLine::{Heading, Row};

        let lines = grouped([Some("a"), Some("a"), Some("b"), None].into_iter());
        assert_eq!(lines, [Heading("a"), Row(0), Row(1), Heading("b"), Row(2), Row(3)]);
        assert_eq!(page(&lines, 1, 3), [Heading("a"), Row(0), Row(1)]);
        assert_eq!(page(&lines, 2, 3), [Heading("b"), Row(2), Row(3)]);
        assert_eq!(page(&lines, 3, 4), [Row(1), Heading("b"), Row(2), Row(3)], "the last page is full");
        assert_eq!(page::<&str>(&[], 3, 4), []);
    }
}
