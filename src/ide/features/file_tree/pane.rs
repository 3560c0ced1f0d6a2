//! The pane of the file tree.

use std::path::Path;

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::view::line_message::diagnostic_sign;
use crate::ide::features::file_tree::git_status::GIT_STATUS;
use crate::ide::features::review::state::REVIEW;
use crate::ide::model::diagnostics::Counts;
use crate::ide::model::file_tree::Row;
use crate::lsp::answers::diagnostics::Severity;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use crate::workspace::checkpoint::Name;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Files, layer: 0, make: || Box::new(FileTreePane) };

/// The largest number of diagnostics that a row shows.
const COUNT_MAX: usize = 99;

struct FileTreePane;

impl Component<State> for FileTreePane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let focused = state.panes.focus == Focus::Files;
        let ground = canvas.style("ui.panel");
        canvas.fill(Rect::new(0, 0, cols, rows), ground);
        draw_title(canvas, state, focused);
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
            let style = canvas.style(match &row.entry {
                entry if entry.is_ignored => "ui.panel.faint",
                entry if entry.is_folder => "ui.dir",
                _ => "ui.file",
            });
            let style = Style { bg: ground.bg, ..style };
            let indent = 1 + 2 * row.depth as u16;
            let marks = Marks::of(state, row);
            if canvas.is_accessible() {
                let text = format!("{}{}", row.entry.name.to_string_lossy(), words(row, unsaved, &marks));
                canvas.content(
                    indent + 1,
                    y,
                    &truncate(&text, usize::from(cols - cols.min(indent + 1))),
                    style,
                );
                if n == state.files.selected && focused {
                    canvas.select_row(Rect::new(0, y, cols, 1), style);
                }
                continue;
            }
            let text = format!("{sign} {}", row.entry.name.to_string_lossy());
            let taken = indent + 1 + marks.cells();
            let style =
                marks.scope().map_or(style, |scope| style.patch(Style { bg: None, ..canvas.style(scope) }));
            canvas.text(indent, y, &truncate(&text, usize::from(cols.saturating_sub(taken))), style);
            draw_marks(canvas, &marks, y, ground);
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

/// Draws the name of the project, and whether ignored files are shown.
fn draw_title(canvas: &mut Canvas<'_>, state: &State, focused: bool) {
    let (cols, _) = canvas.size();
    let title = canvas.style(if focused { "ui.title.focus" } else { "ui.title" });
    let name = state.workspace.file_name().map_or("files".into(), |name| name.to_string_lossy());
    let name = if canvas.is_accessible() { format!("Files: {name}").into() } else { name };
    let end = canvas.text(1, 0, &truncate(&name, usize::from(cols).saturating_sub(2)), title);
    if state.files.with_ignored && end + 1 < cols {
        let soft = canvas.style("ui.panel.soft");
        canvas.text(end + 1, 0, &truncate("+ignored", usize::from(cols - end - 1)), soft);
    }
}

/// Returns what the signs of a row say, in words.
fn words(row: &Row, is_unsaved: bool, marks: &Marks) -> String {
    let mut words = vec![""];
    if row.entry.is_folder {
        words.push(if row.is_open { "expanded" } else { "collapsed" });
    }
    words.extend(row.entry.is_ignored.then_some("ignored"));
    words.extend(is_unsaved.then_some("unsaved"));
    words.extend(match marks.letter {
        Some('A' | 'U') => Some("new"),
        Some('D') => Some("deleted"),
        Some('!') => Some("conflict"),
        Some(_) if row.entry.is_folder => Some("has changes"),
        Some(_) => Some("changed"),
        None => None,
    });
    words.extend(marks.is_unreviewed.then_some("not reviewed"));
    let found = marks.found.words();
    words.extend(found.iter().map(String::as_str));
    words.join(", ")
}

/// What is known of a row: its changes, and what language servers found.
struct Marks {
    /// Letter of git, else of the review.
    letter: Option<char>,
    /// Whether the agent has changed it and the user has not decided on that.
    is_unreviewed: bool,
    /// Errors and warnings, of a folder those of all files below it.
    found: Counts,
}

impl Marks {
    fn of(state: &State, row: &Row) -> Self {
        let git = &state.slots[GIT_STATUS];
        let found = state.files.diagnostics.of(&row.path);
        if row.entry.is_folder {
            let letter = if git.has_changes(&row.path) { Some('•') } else { git.letter(&row.path) };
            return Self { letter, is_unreviewed: false, found };
        }
        let review = review_letter(state, &row.path);
        Self { letter: git.letter(&row.path).or(review), is_unreviewed: review.is_some(), found }
    }

    /// Cells at the end of the row that it takes.
    fn cells(&self) -> u16 {
        let numbers: usize = self.numbers().map(|(_, number)| text_width(&number) + 1).sum();
        self.columns() + numbers as u16
    }

    /// Cells of git's letter and the sign of the review. A number ends before them in each row.
    fn columns(&self) -> u16 {
        match (self.letter.is_some(), self.is_unreviewed) {
            (_, true) => 4,
            (true, false) => 2,
            _ => 0,
        }
    }

    /// Returns the numbers of errors and warnings with their signs, each with the scope of its color, the last one first.
    fn numbers(&self) -> impl Iterator<Item = (&'static str, String)> {
        let both = [(Severity::Warning, self.found.warnings), (Severity::Error, self.found.errors)];
        both.into_iter().filter(|(_, count)| *count > 0).map(|(severity, count)| {
            let (sign, _, scope) = diagnostic_sign(severity);
            (scope, format!("{sign}{}", short(count)))
        })
    }

    /// Returns the scope of its color.
    fn scope(&self) -> Option<&'static str> {
        Some(match self.letter? {
            'A' | 'U' => "diff.plus",
            'D' => "diff.minus",
            '!' => "error",
            _ => "diff.delta",
        })
    }
}

/// Returns a number of diagnostics in at most three cells: the name of the file needs the others.
fn short(count: usize) -> String {
    if count > COUNT_MAX { format!("{COUNT_MAX}+") } else { count.to_string() }
}

/// Draws them at the end of a row.
fn draw_marks(canvas: &mut Canvas<'_>, marks: &Marks, y: u16, ground: Style) {
    let (cols, _) = canvas.size();
    if let (Some(letter), Some(scope)) = (marks.letter, marks.scope()) {
        let style = Style { bg: ground.bg, ..canvas.style(scope) };
        canvas.text(cols.saturating_sub(2), y, letter.encode_utf8(&mut [0; 4]), style);
    }
    if marks.is_unreviewed {
        // The sign that the agent's lines have in the editor.
        let style = Style { bg: ground.bg, ..canvas.style("ui.gutter.agent") };
        canvas.text(cols.saturating_sub(4), y, "┃", style);
    }
    let mut end = cols.saturating_sub(marks.columns());
    for (scope, number) in marks.numbers() {
        let style = Style { bg: ground.bg, ..canvas.style(scope) };
        end = end.saturating_sub(text_width(&number) as u16 + 1);
        canvas.text(end, y, &number, style);
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
