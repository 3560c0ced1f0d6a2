//! Rows against a naive layout of the whole text.

use proptest::prelude::*;

use super::*;
use crate::text::display::folds::hidden_range;

fn lens<'a>(text: &'a Text, folds: &'a Folds, wrap: Option<usize>) -> DisplayMap<'a> {
    DisplayMap { text, folds, inlays: &[], tab_width: 4, wrap }
}

#[test]
fn rows_from_matches_row_by_row() {
    let text = Text::from("a\r\n\né\nlast");
    let folds = Folds::default();
    let lens = lens(&text, &folds, None);
    let first = lens.row_at(Byte(0));
    let one_by_one: Vec<Row> = std::iter::successors(Some(first.clone()), |row| lens.below(row)).collect();
    assert_eq!(lens.rows_from(first, 9), one_by_one);
}

fn shown(lens: &DisplayMap<'_>) -> Vec<String> {
    let rows = lens.rows_from(lens.row_at(Byte(0)), 1000);
    rows.iter()
        .map(|row| format!("{}{}", " ".repeat(row.indent), lens.text.slice(row.start..row.end)))
        .collect()
}

#[test]
fn rows_wrapped_lines_keep_hanging_indent() {
    let text = Text::from("  one two three\n漢字漢字漢\n\nx");
    let folds = Folds::default();
    assert_eq!(shown(&lens(&text, &folds, Some(9))), ["  one two ", "  three", "漢字漢字", "漢", "", "x"]);
    assert_eq!(shown(&lens(&text, &folds, None)), ["  one two three", "漢字漢字漢", "", "x"]);
}

#[test]
fn rows_columns_and_bytes_convert() {
    let text = Text::from("  one two é\tx");
    let folds = Folds::default();
    let lens = lens(&text, &folds, Some(9));
    let second = lens.row_at(Byte(10));
    assert_eq!((second.start, second.indent, second.is_first), (Byte(10), 2, false));
    assert_eq!(lens.column(&second, Byte(12)), 3);
    assert_eq!(lens.at_column(&second, 3), Byte(12));
    assert_eq!(lens.at_column(&second, 0), Byte(10));
    assert_eq!(lens.at_column(&second, 99), text.end());
    let first = lens.row_at(Byte(0));
    assert_eq!(lens.at_column(&first, 99), Byte(9), "the end of a row belongs to the next one");
}

#[test]
fn rows_inlays_take_columns_but_no_bytes() {
    let text = Text::from("let a = 1;\nb");
    let folds = Folds::default();
    let inlays = [
        Inlay { at: Byte(5), text: ": 漢".into(), scope: "", ..Inlay::default() },
        Inlay { at: Byte(10), text: "!".into(), scope: "", ..Inlay::default() },
    ];
    for wrap in [None, Some(30)] {
        let lens = DisplayMap { inlays: &inlays, ..lens(&text, &folds, wrap) };
        let row = lens.row_at(Byte(0));
        assert_eq!(lens.inlays_in(&row).len(), 2);
        let columns: Vec<usize> = [4, 5, 6, 10].map(|at| lens.column(&row, Byte(at))).into();
        assert_eq!(columns, [4, 5, 10, 14]);
        let places: Vec<usize> = [4, 5, 7, 9, 10].map(|column| lens.at_column(&row, column).0).into();
        assert_eq!(places, [4, 5, 5, 5, 6]);
    }
}

#[test]
fn rows_folded_lines_are_skipped() {
    let text = Text::from("a {\n  b\n  c\n}\nd\n");
    let mut folds = Folds::default();
    folds.close(hidden_range(&text, &(Line(0)..Line(3))));
    let lens = lens(&text, &folds, Some(20));
    assert_eq!(shown(&lens), ["a {", "}", "d", ""]);
    assert_eq!(lens.row_at(Byte(6)).line, Line(0));
    assert_eq!(lens.vertical(Byte(1), None, 1, true).0, Byte(12 + 1));
    assert_eq!(lens.vertical(Byte(14), None, 2, false).0, Byte(0));
    assert_eq!(lens.vertical(Byte(2), None, 9, true).0, text.end());
}

#[test]
fn rows_huge_line_is_fast() {
    let line = "wörter ohne ende ".repeat(200_000);
    let text = Text::from(line.as_str());
    let folds = Folds::default();
    let lens = lens(&text, &folds, Some(70));
    let start = std::time::Instant::now();
    let mut row = lens.row_at(Byte(text.end().0 / 2));
    for _ in 0..200 {
        let above = lens.above(&row).unwrap();
        assert_eq!(lens.below(&above).as_ref(), Some(&row));
        row = above;
    }
    assert_eq!(lens.row_at(text.end()).end, text.end());
    // Laying out the line from its start for each of them would take minutes.
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(96))]
    #[test]
    fn rows_are_contiguous(content in "([a-c \té漢]{0,30}\r?\n){0,6}[a-c]{0,20}", cols in 1..16usize, at in 0..200usize) {
        let text = Text::from(content.as_str());
        let folds = Folds::default();
        let lens = lens(&text, &folds, Some(cols));
        let rows = lens.rows_from(lens.row_at(Byte(0)), 1000);
        let plain: Vec<String> = (0..text.line_count()).map(|line| text.line(Line(line)).into_owned()).collect();
        let mut joined = vec![String::new(); plain.len()];
        for row in &rows {
            joined[row.line.0].push_str(&text.slice(row.start..row.end));
        }
        prop_assert_eq!(joined, plain);
        for pair in rows.windows(2) {
            prop_assert_eq!(lens.below(&pair[0]), Some(pair[1].clone()));
            prop_assert_eq!(lens.above(&pair[1]), Some(pair[0].clone()));
        }
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        prop_assert_eq!(lens.distance(first, last, rows.len()), Some(rows.len() - 1));
        prop_assert_eq!(lens.distance(first, last, (rows.len() - 1).saturating_sub(1)), (rows.len() == 1).then_some(0));
        let at = text.grapheme_floor(Byte(at.min(text.end().0)));
        let row = lens.row_at(at);
        prop_assert!(rows.contains(&row));
        let at = at.min(text.line_end(text.line_of(at)));
        prop_assert!(row.contains(at));
        prop_assert_eq!(lens.at_column(&row, lens.column(&row, at)), at);
        let (down, goal) = lens.vertical(at, None, 1, true);
        let n = rows.iter().position(|other| *other == row).unwrap();
        let expected = rows.get(n + 1).map_or(text.end(), |next| lens.at_column(next, goal.0));
        prop_assert_eq!(down, expected);
    }
}

#[test]
fn rows_cursor_stands_behind_inlay_of_what_follows() {
    let text = Text::from("f(a)\nb");
    let folds = Folds::default();
    let inlays = [
        Inlay { at: Byte(2), text: "x: ".into(), is_leading: true, ..Inlay::default() },
        Inlay { at: Byte(4), text: " end".into(), ..Inlay::default() },
    ];
    let lens = DisplayMap { inlays: &inlays, ..lens(&text, &folds, None) };
    let row = lens.row_at(Byte(0));
    assert_eq!([1, 2, 3, 4].map(|at| lens.column(&row, Byte(at))), [1, 5, 6, 7]);
    assert_eq!([2, 5].map(|cell| lens.at_column(&row, cell)), [Byte(2); 2]);
    assert_eq!(lens.end_column(&row), 11);
    assert_eq!(lens.end_column(&lens.row_at(Byte(5))), 1);
}
