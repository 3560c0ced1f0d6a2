//! Draws the preview of a restore: the paths with their changes, and the diff of the selected one.

use ratatui::layout::Rect;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::restore::events::is_undo;
use crate::ide::features::restore::view::RestoreView;
use crate::patch::diff::LineDiff;
use crate::runtime::restore::target::{PreviewPath, RestoreScope, RestoreTarget};
use crate::tui::canvas::Canvas;
use crate::workspace::checkpoint::{Decision, Node};

/// Below this width the diff is below the list instead of beside it.
const WIDE: u16 = 90;
/// Columns of the list beside a diff.
const LIST: u16 = 42;

/// Returns its area: everything but the status line.
pub fn view_area((cols, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, cols, rows - u16::from(rows > 4))
}

/// Returns the symbol and color for the change of a path.
pub fn sign(file: &PreviewPath) -> (&'static str, &'static str) {
    match (file.from, file.to) {
        _ if file.conflict.is_some() => ("!", "ui.overlay.title"),
        (None, _) => ("+", "diff.added"),
        (_, None) => ("−", "diff.removed"),
        (Some(Node::File { oid: a, .. }), Some(Node::File { oid: b, .. })) if a == b => {
            ("x", "ui.overlay.soft")
        }
        _ => ("~", "ui.overlay"),
    }
}

/// Returns the note after a path.
fn note(view: &RestoreView, file: &PreviewPath) -> String {
    if file.conflict.is_some() {
        return match view.decision(file) {
            Decision::Ours => "ours kept",
            Decision::Theirs => "theirs",
            Decision::KeepBoth => "both kept",
        }
        .to_string();
    }
    let counts =
        file.diff.as_ref().map_or_else(String::new, |diff| format!("+{} −{}", diff.added, diff.removed));
    if file.merged { format!("{counts} merged") } else { counts }
}

/// Draws the preview.
pub fn draw(canvas: &mut Canvas<'_>, view: &RestoreView, state: &State) {
    let title = match &view.preview.target {
        target if is_undo(state, target) => "Undo last restore",
        RestoreTarget::To(_, RestoreScope::Both) => "Restore files and conversation",
        RestoreTarget::To(..) => "Restore files to here",
        RestoreTarget::RevertTurn(_) => "Undo file changes of turn",
    };
    let conflicts = view.preview.conflicts();
    let count = view.preview.files.len();
    let mut right = pluralize(count, "path", "paths");
    if conflicts > 0 {
        right.push_str(&format!(", {conflicts} to decide"));
    }
    let footer = if view.current().is_some_and(|file| file.conflict.is_some()) {
        "Enter restore  m ours  t theirs  b keep both  Escape close"
    } else {
        "Enter restore  ↑↓ files  PgUp PgDn diff  Escape close"
    };
    let inner = frame::draw(canvas, title, &right, footer);
    let mut inside = canvas.sub(inner);
    let (cols, rows) = inside.size();
    if inside.has_room_beside(WIDE) {
        list(&mut inside.sub(Rect::new(0, 0, LIST, rows)), view);
        difference(&mut inside.sub(Rect::new(LIST + 1, 0, cols - LIST - 1, rows)), view);
    } else {
        let above =
            (view.preview.files.len() + view.preview.skipped.len()).min(usize::from(rows / 2).max(1)) as u16;
        list(&mut inside.sub(Rect::new(0, 0, cols, above)), view);
        difference(&mut inside.sub(Rect::new(0, above, cols, rows.saturating_sub(above))), view);
    }
}

fn list(canvas: &mut Canvas<'_>, view: &RestoreView) {
    let (cols, rows) = canvas.size();
    let page = usize::from(rows.max(1));
    let first = (view.selected / page * page).min(view.preview.files.len().saturating_sub(page));
    let soft = canvas.style("ui.overlay.soft");
    for (n, file) in view.preview.files.iter().enumerate().skip(first).take(page) {
        let y = (n - first) as u16;
        let (sign, scope) = sign(file);
        let style = canvas.style(scope);
        canvas.text(1, y, sign, style);
        let note = note(view, file);
        let width = text_width(&note) as u16;
        let room = usize::from(cols.saturating_sub(width + 5));
        let plain = canvas.style("ui.overlay");
        canvas.text(3, y, &truncate(&visible(&file.name.to_string()), room), plain);
        canvas.text(cols.saturating_sub(width + 1), y, &note, soft);
        if n == view.selected {
            let style = canvas.style("ui.row");
            canvas.select_row(Rect::new(0, y, cols, 1), style);
        }
    }
    let below = view.preview.files.len().saturating_sub(first);
    for (n, (name, reason)) in view.preview.skipped.iter().enumerate() {
        let Some(y) = u16::try_from(below + n).ok().filter(|y| *y < rows) else { break };
        canvas.text(1, y, &truncate(&visible(&format!("= {name}: {reason}")), usize::from(cols) - 2), soft);
    }
}

fn difference(canvas: &mut Canvas<'_>, view: &RestoreView) {
    let Some(file) = view.current() else { return };
    let (_, rows) = canvas.size();
    let soft = canvas.style("ui.overlay.soft");
    let mut y = 0;
    if let Some(conflict) = &file.conflict {
        canvas.text(1, y, &format!("{} (+ incoming, − current)", conflict.reason.text()), soft);
        y += 1;
    }
    let Some(diff) = &file.diff else {
        canvas.text(1, y, "Binary, or too long to compare", soft);
        return;
    };
    if diff.rows.is_empty() && y < rows {
        canvas.text(1, y, "Only the file type or permissions differ", soft);
    }
    diff_rows(canvas, diff, view.top, y);
}

/// Draws the rows of a diff from the `top`th on, below `y` rows that are taken.
pub fn diff_rows(canvas: &mut Canvas<'_>, diff: &LineDiff, top: usize, y: u16) {
    let (cols, rows) = canvas.size();
    let (soft, plain) = (canvas.style("ui.overlay.soft"), canvas.style("ui.overlay"));
    for (y, row) in (y..rows).zip(diff.rows.iter().skip(top)) {
        let Some(row) = row else {
            canvas.text(1, y, "⋯", soft);
            continue;
        };
        let style = match row.sign {
            '+' => canvas.style("diff.added"),
            '-' => canvas.style("diff.removed"),
            _ => plain,
        };
        let text = visible(&row.text.replace('\t', "    ")).into_owned();
        canvas.fill(Rect::new(0, y, cols, 1), style);
        let line = format!("{:>5} {} {text}", row.number, row.sign);
        canvas.text(0, y, &truncate(&line, usize::from(cols)), style);
    }
}
