//! Rows of two texts: what stands where, folded and open, and what stays selected.

use std::ops::Range;

use super::*;
use crate::ide::features::diff::rows::Row;
use crate::text::compare;
use proptest::prelude::*;

fn view(old: &str, new: &str) -> DiffView {
    let mut view = DiffView::new(1, BufferId(1), ("here".into(), "there".into()), source());
    found(&mut view, &Arc::new(Text::from(old)), new, 1);
    view
}

fn source() -> Source {
    Source::Text(Text::default(), Vec::new(), Format::default())
}

fn found(view: &mut DiffView, old: &Arc<Text>, new: &str, version: u64) {
    let text = Text::from(new);
    let runs = compare::runs(old, &text);
    let other = OtherText { text: old.clone(), notes: Vec::new(), runs };
    let found =
        ComparisonResult { number: 1, text, version, other: Err(String::new()), cost: Duration::ZERO };
    view.set_comparison(found, other);
}

fn shown(view: &DiffView, beside: bool) -> Vec<String> {
    let number = |line: Option<usize>| line.map_or("-".to_string(), |line| line.to_string());
    let row = |at| match view.row(at, beside).unwrap() {
        Row::Fold(lines) => format!("~{lines}"),
        Row::Unchanged(old, new) => format!("{old}={new}"),
        Row::Changed { old, new, .. } => format!("{}|{}", number(old), number(new)),
    };
    (0..view.row_count(beside)).map(row).collect()
}

fn lines(range: Range<usize>) -> String {
    range.flat_map(|n| [n.to_string(), "\n".to_string()]).collect()
}

#[test]
fn diff_view_side_by_side_and_inline_rows() {
    let view = view("a\nb\nc\n", "a\nB\nBB\nc\n");
    assert_eq!(shown(&view, true), ["0=0", "1|1", "-|2", "2=3"]);
    assert_eq!(shown(&view, false), ["0=0", "1|-", "-|1", "-|2", "2=3"]);
    assert_eq!(view.row(1, true), Some(Row::Changed { old: Some(1), new: Some(1), pair: None }));
    assert_eq!((view.row(4, true), view.counts(), view.selected(false)), (None, (2, 1), 1));
}

#[test]
fn diff_view_similar_lines_share_a_row() {
    let mut view = view("f()\na b c\nlast\n", "a b d\nx\ny\nz\nlast\n");
    assert_eq!(shown(&view, true), ["0|-", "1|0", "-|1", "-|2", "-|3", "2=4"]);
    assert_eq!(view.row(1, false), Some(Row::Changed { old: Some(1), new: None, pair: Some((1, 0)) }));
    assert_eq!(view.row(2, false), Some(Row::Changed { old: None, new: Some(0), pair: Some((1, 0)) }));
    for (below, beside) in [(0, 0), (1, 1), (2, 1), (3, 2), (6, 5)] {
        view.step(-99, false);
        view.step(below, false);
        assert_eq!(view.selected(true), beside);
    }
    view.step(-99, true);
    view.step(3, true);
    assert_eq!(view.selected(false), 4);
}

#[test]
fn diff_view_distant_lines_are_folded_until_opened() {
    let old = lines(0..20);
    let mut view = view(&old, &old.replace("\n10\n", "\nten\n"));
    let folded = ["~7", "7=7", "8=8", "9=9", "10|10", "11=11", "12=12", "13=13", "~6"];
    assert_eq!(shown(&view, true), folded);
    assert!(!view.toggle(), "a difference is no fold");
    view.step(-99, true);
    assert!(view.toggle());
    assert_eq!(view.row_count(true), 15);
    assert_eq!((view.row(0, true), view.selected(true)), (Some(Row::Unchanged(0, 0)), 0));
    assert!(view.toggle());
    assert_eq!(shown(&view, true), folded);
    view.toggle_all();
    assert_eq!((view.row_count(true), view.row_count(false)), (20, 21));
    view.toggle_all();
    assert_eq!(shown(&view, true), folded);
}

#[test]
fn diff_view_next_difference_wraps_around() {
    let old = lines(0..30);
    let mut view =
        view(&old, &old.replace("\n9\n", "\n9\nnew\n").replace("\n20\n", "\n").replace("0\n1\n", "1\n"));
    let mut seen = Vec::new();
    for forward in [true, true, true, false, false] {
        view.step(0, true);
        seen.push((view.difference_index(), view.selected_run().unwrap()));
        view.select_next(forward);
    }
    let runs: Vec<usize> = seen.iter().map(|(nth, _)| *nth).collect();
    assert_eq!(runs, [0, 1, 2, 0, 2]);
    assert_eq!((&seen[1].1.old, &seen[1].1.new), (&(10..10), &(9..10)));
    assert_eq!((&seen[2].1.old, &seen[2].1.new), (&(20..21), &(20..20)));
}

#[test]
fn diff_view_selected_line_survives_edits() {
    let old = Arc::new(Text::from(lines(0..30).as_str()));
    let mut view = DiffView::new(1, BufferId(1), ("here".into(), "there".into()), source());
    found(&mut view, &old, &lines(0..30).replace("\n25\n", "\ntwenty\n"), 1);
    assert_eq!((view.new_line(), view.selected(false)), (25, 4));
    assert!(!view.needs_comparison(1, 1 << 20, Duration::ZERO), "nothing changed");
    let other = OtherText { text: old.clone(), notes: Vec::new(), runs: Vec::new() };
    let slow = Duration::from_millis(50);
    view.set_comparison(
        ComparisonResult {
            number: 1,
            text: Text::from(lines(0..30).replace("\n25\n", "\ntwenty\n").as_str()),
            version: 1,
            other: Err(String::new()),
            cost: slow,
        },
        OtherText { runs: view.runs.clone(), ..other },
    );
    assert!(!view.needs_comparison(2, 10, Duration::ZERO), "there may be more keys");
    let due = view.deadline(10).unwrap();
    assert!(view.needs_comparison(2, 10, due) && !view.needs_comparison(2, 10, due), "one at a time");
    let edited = lines(0..30).replace("\n25\n", "\ntwenty\n").replace("\n3\n", "\nthree\n");
    found(&mut view, &old, &edited, 2);
    assert_eq!((view.new_line(), view.difference_index(), view.runs.len()), (25, 1, 2));
}

#[test]
fn diff_view_line_hidden_by_fold_is_remembered() {
    let old = Arc::new(Text::from(lines(0..30).as_str()));
    let mut view = DiffView::new(1, BufferId(1), ("here".into(), "there".into()), source());
    let (first, second) = (("\n3\n", "\nthree\n"), ("\n25\n", "\ntwenty\n"));
    let both = lines(0..30).replace(first.0, first.1).replace(second.0, second.1);
    found(&mut view, &old, &both, 1);
    assert_eq!(view.new_line(), 3);
    found(&mut view, &old, &lines(0..30).replace(second.0, second.1), 2);
    assert_eq!((view.row(view.selected(false), false), view.new_line()), (Some(Row::Fold(22)), 3));
    found(&mut view, &old, &both, 3);
    assert_eq!((view.difference_index(), view.selected_run().map(|run| run.new)), (0, Some(3..4)));
}

#[test]
fn diff_view_scrolls_selected_row_into_view() {
    let old = lines(0..100);
    let mut view = view(&old, &old.replace("\n50\n", "\nx\n").replace("\n99\n", "\ny\n"));
    view.toggle_all();
    view.scroll_to_selection(10, true, true);
    let top = view.top(10, true);
    assert!((41..=47).contains(&top), "{top}");
    view.step(99, true);
    assert_eq!(view.top(10, true), 90);
    view.step(-999, true);
    assert_eq!(view.top(10, true), 0);
    assert_eq!(view.top(1, true), 0);
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn diff_view_every_line_is_in_one_row(
        old in "([ab]\n){0,30}[ab]?",
        new in "([abc]\n){0,30}[ab]?",
        steps in prop::collection::vec((0usize..4, -20isize..20), 0..6),
        beside: bool,
    ) {
        let mut view = view(&old, &new);
        for (act, by) in steps {
            view.step(by, beside);
            let line = view.new_line();
            match act {
                0 => view.select_next(by > 0),
                1 => { view.toggle(); }
                2 => view.toggle_all(),
                _ => {
                    let there = view.selected(!beside);
                    prop_assert!(there < view.row_count(!beside).max(1));
                }
            }
            if act == 1 || act == 2 {
                let row = view.row(view.selected(beside), beside);
                let holds = !matches!(row, Some(Row::Unchanged(_, new)) if new != line);
                prop_assert!(holds, "{:?} for {}", row, line);
            }
        }
        for beside in [false, true] {
            let (mut olds, mut news) = (0, 0);
            for at in 0..view.row_count(beside) {
                match view.row(at, beside).unwrap() {
                    Row::Fold(lines) => (olds, news) = (olds + lines, news + lines),
                    Row::Unchanged(old, new) => {
                        prop_assert_eq!((old, new), (olds, news));
                        (olds, news) = (olds + 1, news + 1);
                    }
                    Row::Changed { old, new, pair } => {
                        prop_assert!(old.is_some() || new.is_some());
                        prop_assert!(old.is_none_or(|old| old == olds) && new.is_none_or(|new| new == news));
                        prop_assert!(pair.is_none_or(|(a, b)| old.is_none_or(|o| o == a) && new.is_none_or(|n| n == b)));
                        (olds, news) = (olds + usize::from(old.is_some()), news + usize::from(new.is_some()));
                    }
                }
            }
            prop_assert_eq!(olds, compare::line_count(view.old.as_ref().unwrap()));
            prop_assert_eq!(news, compare::line_count(&view.new));
        }
    }
}
