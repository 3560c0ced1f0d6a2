//! The card of calls that change files: the differences, one below the other or side by side. Must not know
//! other kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::diff_code::DiffCode;
use crate::ide::features::transcript::cards::diff_lines::{DiffLines, scopes};
use crate::ide::features::transcript::cards::form::{CardForm, CardKeys};
use crate::ide::features::transcript::cards::rows::{ARGUMENT, WHOLE_ROWS, fit, indented, more, seen};
use crate::ide::features::transcript::cards::{other, write};
use crate::ide::features::transcript::items::Call;
use crate::ide::features::transcript::layout::ItemOptions;
use crate::ide::model::view::text_options::TextOptions;
use crate::tools::contract::view::{CallKind, DiffLine, FileDiff, ResultView};
use crate::tui::widgets::line::{self, BreakMode, Line, Role, Span, wrap};
use crate::tui::widgets::markdown::code_blocks::{Block, Colored};

/// The table's row.
pub const CARD: Card = Card { code, ..Card::new(CallKind::Edit, other::body) };

/// Lines shown of a diff in short form.
const DIFF_ROWS: usize = 30;
/// Maximum number of files in a card that get colors.
const COLORED_FILES: usize = 20;
/// Columns from which old and new stand side by side.
const SIDE_BY_SIDE_COLS: u16 = 120;

/// Returns the code of the differences.
pub fn code(call: &Call) -> Vec<Block> {
    match &call.result {
        Some(ResultView::Diff { lines, .. }) => DiffCode::new(lines).blocks(&call.view.title, 0).into(),
        Some(ResultView::Diffs(files)) => {
            let files = files.iter().take(COLORED_FILES).enumerate();
            files.flat_map(|(n, file)| DiffCode::new(&file.lines).blocks(path(file), n)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the path of a file, without the sign of its change.
fn path(file: &FileDiff) -> &str {
    file.title.split_once(' ').map_or(&file.title, |(_, path)| path)
}

/// Returns the differences that a result has.
pub fn changes(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let rows = if form.is_full { WHOLE_ROWS } else { DIFF_ROWS };
    match &call.result {
        Some(ResultView::Diff { lines, .. }) if !form.is_full && write::is_new_file(call, lines) => {
            let mut out = diff(&lines[..lines.len().min(write::ROWS)], form, colors(form, 0), rows);
            let later = lines.len().saturating_sub(write::ROWS);
            out.extend((later > 0 && out.len() <= rows).then(|| more(Some(later), form)));
            out
        }
        Some(ResultView::Diff { lines, .. }) => diff(lines, form, colors(form, 0), rows),
        Some(ResultView::Diffs(files)) => diffs(files, form, rows),
        _ => Vec::new(),
    }
}

/// Returns the colors of both sides of a diff, new and old.
fn colors<'a>(form: &CardForm<'a>, at: usize) -> [&'a [Colored]; 2] {
    [form.colors_of(at * 2), form.colors_of(at * 2 + 1)]
}

/// Returns the diffs of several files, within the rows allowed for one.
fn diffs(files: &[FileDiff], form: &CardForm<'_>, rows: usize) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for (n, file) in files.iter().enumerate() {
        if out.len() >= rows {
            out.push(more(None, form));
            break;
        }
        out.extend(indented(std::iter::once(file.title.as_str()), form, 1, ARGUMENT));
        out.extend(diff(&file.lines, form, colors(form, n), rows.saturating_sub(out.len()).max(1)));
    }
    out
}

/// Returns all lines of a diff, without syntax colors.
pub fn whole_diff(lines: &[Option<DiffLine>], width: u16) -> Vec<Line> {
    let keys = CardKeys::default();
    let show = TextOptions { expand_output: true, ..TextOptions::new(4, true, 80) };
    let form = CardForm::new(width, ItemOptions { show, is_closed: false }, &keys, &[]);
    let shown = DiffLines::new(lines, lines.len(), [&[], &[]]);
    Table { is_whole: true, ..Table::new(&shown, lines, usize::MAX - 1) }.rows(&form)
}

/// Returns the lines of a diff, wrapped: old and new must not be cut to where they look alike.
fn diff(lines: &[Option<DiffLine>], form: &CardForm<'_>, colors: [&[Colored]; 2], rows: usize) -> Vec<Line> {
    let shown = DiffLines::new(lines, rows * 2, colors);
    let is_accessible = form.is_accessible;
    let mut out = Table { is_accessible, ..Table::new(&shown, lines, rows) }.rows(form);
    if out.len() > rows {
        out.truncate(rows);
        out.push(more(None, form));
    }
    out
}

/// What the rows of a diff are made of.
struct Table<'a> {
    shown: &'a DiffLines<'a>,
    lines: &'a [Option<DiffLine>],
    /// Columns of a line's number.
    digits: usize,
    /// Maximum number of rows; one more says that there are more.
    rows: usize,
    /// Whether long lines are whole.
    is_whole: bool,
    /// Whether a screen reader reads it.
    is_accessible: bool,
}

impl<'a> Table<'a> {
    fn new(shown: &'a DiffLines<'a>, lines: &'a [Option<DiffLine>], rows: usize) -> Self {
        let last = lines.iter().flatten().map(|line| line.number).max().unwrap_or(1).max(1);
        Self { shown, lines, digits: last.ilog10() as usize + 1, rows, is_whole: false, is_accessible: false }
    }

    fn rows(&self, form: &CardForm<'_>) -> Vec<Line> {
        // Without an old side there is nothing beside which to stand.
        let has_old = self.lines.iter().flatten().any(|line| line.sign == '-');
        if has_old && form.width >= SIDE_BY_SIDE_COLS && !form.is_accessible {
            self.side_by_side(form)
        } else {
            self.unified(form)
        }
    }

    fn unified(&self, form: &CardForm<'_>) -> Vec<Line> {
        let mut out = Vec::new();
        for (n, line) in self.lines.iter().enumerate() {
            if out.len() > self.rows {
                break;
            }
            match line {
                Some(line) => {
                    out.extend(self.line(n, line, line.number, form.width, self.rows + 1 - out.len()));
                }
                None => out.push(self.gap(form.width)),
            }
        }
        out
    }

    fn gap(&self, width: u16) -> Line {
        let gap = Span::new(format!(" {:>1$}", "⋮", self.digits), "diff.number").with_role(Role::Aside);
        fit(vec![gap], usize::from(width))
    }

    /// Returns the rows of a line.
    fn line(&self, n: usize, line: &DiffLine, number: usize, width: u16, rows: usize) -> Vec<Line> {
        let (scope, _) = scopes(line.sign);
        let sign = if line.sign == '-' && !self.is_accessible { '−' } else { line.sign };
        let digits = self.digits;
        let first =
            [Span::new(format!(" {number:>digits$} "), "diff.number"), Span::new(format!("{sign} "), scope)];
        let rest = [Span::new(" ".repeat(digits + 2), "diff.number"), Span::new("  ", scope)];
        let text = if self.is_whole { &line.text } else { seen(&line.text, rows, width) };
        let spans = self.shown.spans(n, line, text);
        wrap(&spans, width, &first, &rest, BreakMode::Anywhere)
    }

    fn side_by_side(&self, form: &CardForm<'_>) -> Vec<Line> {
        let half = (form.width - 1) / 2;
        let mut out = Vec::new();
        // How many lines the new side is ahead of the old one.
        let (mut ahead, mut n) = (0_isize, 0);
        while let Some(line) = self.lines.get(n).filter(|_| out.len() <= self.rows) {
            let Some(line) = line else {
                out.push(self.gap(form.width));
                n += 1;
                continue;
            };
            if line.sign == ' ' {
                let old = line.number.saturating_add_signed(-ahead);
                out.extend(self.joined(Some((n, old)), Some((n, line.number)), half, out.len()));
                n += 1;
                continue;
            }
            let count = |from: usize, sign: char| {
                let lines = self.lines[from..].iter();
                lines.take_while(|line| line.as_ref().is_some_and(|line| line.sign == sign)).count()
            };
            let removed = count(n, '-');
            let added = count(n + removed, '+');
            for k in 0..removed.max(added) {
                if out.len() > self.rows {
                    break;
                }
                let numbered = |at: usize| Some((at, self.lines[at].as_ref()?.number));
                let old = (k < removed).then(|| numbered(n + k)).flatten();
                let new = (k < added).then(|| numbered(n + removed + k)).flatten();
                out.extend(self.joined(old, new, half, out.len()));
            }
            ahead += added.cast_signed() - removed.cast_signed();
            n += (removed + added).max(1);
        }
        out
    }

    /// Returns the rows of two lines side by side, each with its number. Where both are there, the text to copy is
    /// that of the new one.
    fn joined(
        &self,
        old: Option<(usize, usize)>,
        new: Option<(usize, usize)>,
        half: u16,
        used: usize,
    ) -> Vec<Line> {
        let rows = (self.rows + 1).saturating_sub(used).max(1);
        let side = |place: Option<(usize, usize)>| {
            let (n, number) = place?;
            let line = self.lines[n].as_ref()?;
            Some((self.line(n, line, number, half, rows), scopes(line.sign).0))
        };
        let ((left, ground), (right, _)) =
            (side(old).unwrap_or((Vec::new(), "diff")), side(new).unwrap_or((Vec::new(), "diff")));
        let count = left.len().max(right.len());
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        let mut row = || {
            let (mut row, ground) = left.next().map_or((Vec::new(), "diff"), |row| (row, ground));
            if new.is_some() {
                row.retain(|span| !matches!(span.role, Role::Wrap(_)));
                for span in &mut row {
                    span.role = Role::Decoration;
                }
            }
            let missing = usize::from(half).saturating_sub(line::width(&row));
            row.push(Span::decoration(" ".repeat(missing), ground));
            row.push(Span::decoration("│", "diff.number"));
            match right.next() {
                Some(right) => row.extend(right),
                None if new.is_some() => row.push(Span::new("", "diff").with_role(Role::Aside)),
                None => {}
            }
            row
        };
        (0..count).map(|_| row()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(sign: char, number: usize, text: &str) -> DiffLine {
        DiffLine { sign, number, text: text.to_string() }
    }

    fn shown(lines: &[Option<DiffLine>], width: u16) -> Vec<String> {
        let keys = CardKeys::default();
        let form = CardForm {
            width,
            is_full: false,
            is_closed: false,
            is_accessible: false,
            image_cell: None,
            keys: &keys,
            colors: &[],
        };
        let rows = diff(lines, &form, [&[], &[]], DIFF_ROWS);
        assert!(rows.iter().all(|row| line::width(row) <= usize::from(width)));
        let text = |row: &Line| row.iter().map(|span| span.text.as_str()).collect::<String>();
        rows.iter().map(text).collect()
    }

    #[test]
    fn diff_of_long_line_is_wrapped_within_rows_of_card() {
        let lines = [line('-', 7, &"minified;".repeat(10_000)), line('+', 7, "short")].map(Some);
        for width in [60, 140] {
            let rows = shown(&lines, width);
            assert_eq!(rows.len(), DIFF_ROWS + 1);
            assert!(rows[DIFF_ROWS].contains("more"));
        }
        assert_eq!(shown(&lines[1..], 60)[0], " 7 + short");
    }

    #[test]
    fn diff_in_wide_card_has_sides_with_numbers_of_their_files() {
        let lines = [
            Some(line(' ', 9, "same")),
            Some(line('+', 10, "first")),
            Some(line(' ', 11, "kept")),
            None,
            Some(line('-', 30, "old")),
            Some(line('-', 31, "gone")),
            Some(line('+', 31, "new")),
            Some(line(' ', 32, &"long ".repeat(20))),
        ];
        let rows = shown(&lines, 121);
        let halves = |row: &String| {
            let (left, right) = row.split_once('│').unwrap();
            assert_eq!(crate::base::width::text_width(left), 60);
            (left.trim_end().to_string(), right.trim_end().to_string())
        };
        let pair = |left: &str, right: &str| (left.to_string(), right.to_string());
        assert_eq!(halves(&rows[0]), pair("  9   same", "  9   same"));
        assert_eq!(halves(&rows[1]), pair("", " 10 + first"));
        assert_eq!(halves(&rows[2]), pair(" 10   kept", " 11   kept"));
        assert_eq!(rows[3], "  ⋮");
        assert_eq!(halves(&rows[4]), pair(" 30 − old", " 31 + new"));
        assert_eq!(halves(&rows[5]), pair(" 31 − gone", ""));
        assert!(rows.len() == 8 && halves(&rows[7]).0.starts_with("      "), "{rows:?}");
    }
}
