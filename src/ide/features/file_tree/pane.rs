//! The pane of the file tree.

use std::path::Path;

use ratatui::layout::Rect;

use crate::base::width::truncate;
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::review::state::REVIEW;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use crate::workspace::checkpoint::Name;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Files, layer: 0, make: || Box::new(FileTreePane) };

struct FileTreePane;

impl Component<State> for FileTreePane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let focused = state.panes.focus == Focus::Files;
        let ground = canvas.style("ui.panel");
        canvas.fill(Rect::new(0, 0, cols, rows), ground);
        let title = canvas.style(if focused { "ui.title.focus" } else { "ui.title" });
        let name = state.workspace.file_name().map_or("files".into(), |name| name.to_string_lossy());
        canvas.text(1, 0, &truncate(&name, usize::from(cols).saturating_sub(2)), title);
        if let Some(error) = &state.files.error {
            let style = canvas.style("error");
            canvas.text(1, 1, &truncate(error, usize::from(cols).saturating_sub(2)), style);
        }
        for (n, row) in
            state.files.rows().iter().enumerate().skip(state.files.top).take(usize::from(rows) - 1)
        {
            let y = (n - state.files.top) as u16 + 1;
            let sign = match (row.entry.is_folder, row.is_open) {
                (true, true) => "▾",
                (true, false) => "▸",
                (false, _) => " ",
            };
            let unsaved =
                state.buffers.by_path(&row.path).is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
            let style = canvas.style(if row.entry.is_folder { "ui.dir" } else { "ui.file" });
            let style = ratatui::style::Style { bg: ground.bg, ..style };
            let indent = 1 + 2 * row.depth as u16;
            let text = format!("{sign} {}", row.entry.name.to_string_lossy());
            let letter = review_letter(state, &row.path);
            let taken = indent + 1 + 2 * u16::from(letter.is_some());
            canvas.text(indent, y, &truncate(&text, usize::from(cols.saturating_sub(taken))), style);
            if let Some(letter) = letter {
                let style = canvas.style(if letter == 'A' { "diff.plus" } else { "diff.delta" });
                canvas.text(
                    cols.saturating_sub(2),
                    y,
                    &letter.to_string(),
                    ratatui::style::Style { bg: ground.bg, ..style },
                );
            }
            if unsaved {
                let modified = canvas.style("ui.tab.modified");
                canvas.text(0, y, "●", modified);
            }
            if n == state.files.selected {
                let row_style = canvas.style(if focused { "ui.row" } else { "ui.row.soft" });
                canvas.put_style(Rect::new(0, y, cols, 1), row_style);
            }
        }
    }
}

/// Returns the status letter of a file with changes of the agent that are not reviewed.
fn review_letter(state: &State, path: &Path) -> Option<char> {
    let letters = state.slots[REVIEW].letters();
    if letters.is_empty() {
        return None;
    }
    letters.get(&Name::below(&state.workspace, path)?).copied()
}
