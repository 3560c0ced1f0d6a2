//! Draws the context report: one row per part of the next request. The text of the selected row is beside the
//! rows on a wide screen and below them on a high one.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::keys::keymap::{KeyContext, Keymap};
use crate::ide::core::layers::frame;
use crate::ide::features::context::view::ContextView;
use crate::runtime::context::report::{ContextItem, ContextReport, ItemReason};
use crate::tui::canvas::Canvas;
use crate::tui::widgets::line::{self, BreakMode, Span};

/// From this width on the text is beside the rows.
const WIDE: u16 = 90;
/// Below this width reasons are not shown.
const NARROW: u16 = 60;
/// From this height on the text is below the rows where it is not beside them.
const HIGH: u16 = 16;
/// Columns of the tokens.
const TOKEN_COLS: u16 = 8;
/// Columns for the kind of a row.
const KIND_COLS: u16 = 16;
/// Columns between two of them.
const GAP: u16 = 2;
/// Keys in the footer, with short descriptions.
const KEYS: &[(&str, &str)] = &[
    ("session.exclude-message", "exclude"),
    ("session.restore-message", "restore original"),
    ("session.edit-message", "edit"),
    ("session.pin", "pin"),
    ("list.accept", "in the tree"),
    ("app.keys", "keys"),
    ("app.escape", "close"),
];

/// Returns its area: everything but the status line.
pub fn view_area((cols, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, cols, rows - u16::from(rows > 4))
}

/// Draws the report.
pub fn draw(canvas: &mut Canvas<'_>, view: &ContextView, keymap: &Keymap) {
    let key =
        |(id, name): &(&str, &str)| Some(format!("{} {name}", keymap.keys_for(KeyContext::ContextView, id)?));
    let footer = KEYS.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let right = view.report.as_ref().map(|contents| counts(contents, view.tokens, canvas.size().0));
    let right = right.unwrap_or_default();
    let inner = frame::draw(canvas, "Context of next request", &right, &footer);
    let mut inside = canvas.sub(inner);
    let (cols, rows) = inside.size();
    let Some(contents) = &view.report else {
        let soft = inside.style("ui.overlay.soft");
        inside.text(1, 0, "reading the session…", soft);
        return;
    };
    let (list, side) = split(inside.has_room_beside(WIDE), cols, rows);
    {
        let mut rows_here = inside.sub(list);
        for (y, at) in view.page(usize::from(list.height)).enumerate() {
            draw_row(&mut rows_here, y as u16, &contents.items[at], at == view.selected);
        }
    }
    let Some(side) = side else { return };
    let border = inside.style("ui.overlay.border");
    if side.y == 0 {
        for y in 0..rows {
            inside.text(list.width, y, "│", border);
        }
    } else {
        inside.text(0, list.height, &"─".repeat(usize::from(cols)), border);
    }
    draw_text(&mut inside.sub(side), view);
}

/// Returns the areas of the rows and of the text, beside or below them, if there is room for it.
fn split(is_beside: bool, cols: u16, rows: u16) -> (Rect, Option<Rect>) {
    if is_beside {
        let list = cols * 3 / 5;
        let side = Rect::new(list + GAP, 0, cols - list - GAP, rows);
        return (Rect::new(0, 0, list, rows), Some(side));
    }
    if rows >= HIGH {
        let list = rows * 3 / 5;
        let side = Rect::new(1, list + 1, cols.saturating_sub(1), rows - list - 1);
        return (Rect::new(0, 0, cols, list), Some(side));
    }
    (Rect::new(0, 0, cols, rows), None)
}

/// Returns the totals, as long a text as there is room for.
fn counts(contents: &ContextReport, tokens: u64, cols: u16) -> String {
    let mut parts = match contents.window() {
        Some(window) => format!("about {tokens} of {window} tokens"),
        None => format!("about {tokens} tokens"),
    };
    if cols < NARROW {
        return format!("about {tokens}");
    }
    if cols < WIDE {
        return parts;
    }
    if let Some((counted, _)) = contents.provider_count {
        parts.push_str(&format!(", {counted} counted at the last answer"));
    }
    if contents.summarized > 0 {
        parts.push_str(&format!(", {} summed up", contents.summarized));
    }
    parts
}

fn draw_row(list: &mut Canvas<'_>, y: u16, item: &ContextItem, selected: bool) {
    let (cols, _) = list.size();
    let (plain, soft, faint) =
        (list.style("ui.overlay"), list.style("ui.overlay.soft"), list.style("ui.overlay.faint"));
    let style = if item.reason.is_sent() { plain } else { faint };
    list.text(0, y, sign(item), list.style("ui.overlay.title"));
    let tokens = item.tokens.to_string();
    list.text((TOKEN_COLS - GAP).saturating_sub(text_width(&tokens) as u16), y, &tokens, soft);
    let reason = if cols >= NARROW { visible(&reason(item)).into_owned() } else { String::new() };
    let reason = truncate(&reason, usize::from(cols / 3)).into_owned();
    let reason_width = text_width(&reason) as u16;
    let what = visible(&item.kind).into_owned();
    // A narrow screen has room only for the text of a row.
    let x = if cols >= NARROW {
        list.text(TOKEN_COLS, y, &truncate(&what, usize::from(KIND_COLS)), soft);
        TOKEN_COLS + KIND_COLS + GAP
    } else {
        TOKEN_COLS
    };
    let room = usize::from(cols.saturating_sub(x + reason_width + GAP));
    let words = if item.preview.is_empty() { what } else { visible(&item.preview).into_owned() };
    list.text(x, y, &truncate(&words, room), style);
    if reason_width > 0 && cols > reason_width + 1 {
        list.text(cols - reason_width - 1, y, &reason, faint);
    }
    if selected {
        let style = list.style("ui.row");
        list.select_row(Rect::new(0, y, cols, 1), style);
    }
}

/// Returns the mark of a row that was changed by hand.
fn sign(item: &ContextItem) -> &'static str {
    match &item.reason {
        _ if item.pinned => "*",
        ItemReason::Excluded(_) => "-",
        ItemReason::Edited(_) => "~",
        _ => " ",
    }
}

fn reason(item: &ContextItem) -> String {
    let pinned = item.pinned && !matches!(item.reason, ItemReason::PinnedCopy(_));
    format!("{}{}", if pinned { "pinned, " } else { "" }, item.reason.sentence())
}

fn draw_text(side: &mut Canvas<'_>, view: &ContextView) {
    let Some(item) = view.item() else { return };
    let (cols, rows) = side.size();
    let (plain, soft, title) =
        (side.style("ui.overlay"), side.style("ui.overlay.soft"), side.style("ui.overlay.title"));
    let from = item.entry.as_ref().map(|entry| format!(" · {entry}")).unwrap_or_default();
    let head = format!("{} · about {} tokens{from}", item.kind, item.tokens);
    let width = usize::from(cols);
    side.text(0, 0, &truncate(&visible(&head), width), title);
    side.text(0, 1, &truncate(&visible(&reason(item)), width), soft);
    let Some(text) = view.text() else { return };
    // No more of a long text is broken into lines than fits.
    let fits: String = text.chars().take(width * usize::from(rows)).collect();
    let lines = line::wrap(&[Span::new(fits, "ui.overlay")], cols, &[], &[], BreakMode::Words);
    for (y, spans) in (3..rows).zip(lines) {
        let text: String = spans.into_iter().map(|span| span.text).collect();
        side.text(0, y, &text, plain);
    }
}
