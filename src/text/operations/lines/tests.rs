//! Edits of whole lines as pictures: before and after, and against plain lists of lines.

use super::*;
use crate::text::marked;
use proptest::prelude::*;

fn check(edit: impl Fn(&Text, &Selection) -> Transaction, before: &str, after: &str) {
    let (mut text, selection) = marked::parse(before);
    let edit = edit(&text, &selection);
    let selection = edit.selection.unwrap_or_else(|| selection.map(&edit.changes));
    edit.changes.apply(&mut text);
    assert_eq!(marked::show(&text, &selection), after, "from {before:?}");
}

#[test]
fn lines_move_keeps_cursors() {
    let up = |t: &Text, s: &Selection| move_lines(t, s, false);
    let down = |t: &Text, s: &Selection| move_lines(t, s, true);
    check(up, "a\né|x\nc", "é|x\na\nc");
    check(down, "a|\né\nc", "é\na|\nc");
    check(down, "a\n«b\nc»\nd", "a\nd\n«b\nc»");
    check(up, "a\n«b\n»c", "«b\n»a\nc");
    check(up, "a\nb|", "b|\na");
    check(up, "a|\nb", "a|\nb");
    check(down, "a\nb|", "a\nb|");
    check(up, "a\n|b\nc\nd|\n", "|b\na\nd|\nc\n");
    check(down, "|a\n|b\nc\nd|\ne", "c\n|a\n|b\ne\nd|");
    check(down, "a|\r\nb", "b\r\na|");
    check(up, "a\n»b«\n|c", "»b«\n|c\na");
}

#[test]
fn lines_delete_returns_deleted_text() {
    let delete = |t: &Text, s: &Selection| delete_lines(t, s, 4).0;
    check(delete, "abc\nde|f\nghi", "abc\ngh|i");
    check(delete, "a\nb|", "a|");
    check(delete, "é|", "|");
    check(delete, "|a\nb\n|c\nd", "|b\n|d");
    check(delete, "«a\nb\n»c", "|c");
    check(delete, "a\r\n|b\r\n", "a\r\n|");
    let (text, selection) = marked::parse("|a\nb\n«c\nd»");
    assert_eq!(delete_lines(&text, &selection, 4).1, ["a\n", "c\nd\n"]);
}

#[test]
fn lines_join_uses_one_space() {
    check(join, "a|\n  é\nc", "a| é\nc");
    check(join, "«a\nb\n\nc»\nd", "«a b c»\nd");
    check(join, "f(|\n  a", "f(|a");
    check(join, "a|  \n)", "a|)");
    check(join, "a|\nb\nc|\nd", "a| b\nc| d");
    check(join, "a|\nb|\nc", "a| b|\nc");
    check(join, "a|", "a|");
    check(join, "a|\r\nb", "a| b");
}

#[test]
fn lines_sort_by_order() {
    let by = |order| move |t: &Text, s: &Selection| sort(t, s, order);
    check(by(Order::Plain), "«c\na\nä\nb»", "«a\nb\nc\nä»");
    check(by(Order::Plain), "«b\na\n»z", "«a\nb»\nz");
    check(by(Order::Reverse), "«a\r\nb»", "«b\r\na»");
    check(by(Order::Numeric), "«x10\nx9\nx-1\ny»", "«y\nx-1\nx9\nx10»");
    check(by(Order::Numeric), "«v1.2.3\nv10\nv1.1»", "«v1.1\nv1.2.3\nv10»");
    check(by(Order::Integer), "«v1.2\nv1.1\nv0»", "«v0\nv1.2\nv1.1»");
    check(by(Order::Unique), "«a\nb\na\nb»\nb", "«a\nb»\nb");
    check(by(Order::Plain), "«b\na»\n-\n«d\nc»", "«a\nb»\n-\n«c\nd»");
    check(by(Order::Plain), "b|\na", "b|\na");
}

#[test]
fn lines_open_above_and_below() {
    let open = |below| move |t: &Text, s: &Selection| super::open(t, s, below, LineEnding::Lf, |_| None);
    check(open(true), "  a|b\nc", "  ab\n  |\nc");
    check(open(false), "  é|\nc", "  |\n  é\nc");
    check(open(true), "|a|\n|b", "a\n|\nb\n|");
    let deeper = |at: Byte| Some(format!("<{}>", at.0));
    check(|t, s| super::open(t, s, true, LineEnding::Lf, deeper), " é|\nb|", " é\n<3>|\nb\n<5>|");
    check(|t, s| super::open(t, s, false, LineEnding::Lf, deeper), " é|", " |\n é");
    check(|t, s| super::open(t, s, false, LineEnding::CrLf, |_| None), "\ta|", "\t|\r\n\ta");
}

#[test]
fn lines_trim_and_reindent_whitespace() {
    check(trim, "a \t\né\u{a0}\n  |b", "a\né\n  |b");
    check(trim, "a \n«b »\nc ", "a \n«b»\nc ");
    check(trim, "a \r\n b|", "a\r\n b|");
    check(|t, s| reindent(t, s, 4, true), "      a|\n  é\n", "\t  a|\n  é\n");
    check(|t, s| reindent(t, s, 4, false), " \ta\n«\té»", " \ta\n«    é»");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(96))]
    #[test]
    fn lines_move_matches_list_swap(lines in prop::collection::vec("[aé]{0,3}", 1..8), pick in 0usize..8, down: bool) {
        let plain = lines.join("\n");
        let mut text = Text::from(plain.as_str());
        let pick = pick.min(lines.len() - 1);
        let cursor = text.line_end(Line(pick));
        let edit = move_lines(&text, &Selection::cursor(cursor), down);
        edit.changes.apply(&mut text);
        let mut model = lines.clone();
        let to = if down { (pick + 1).min(lines.len() - 1) } else { pick.saturating_sub(1) };
        model.swap(pick, to);
        prop_assert_eq!(text.to_string(), model.join("\n"));
        prop_assert_eq!(edit.selection.unwrap().primary().head, text.line_end(Line(to)));
    }

    #[test]
    fn lines_sort_matches_list_sort(lines in prop::collection::vec("[a-cé]{0,2}", 1..8)) {
        let mut text = Text::from(lines.join("\n").as_str());
        let all = Selection::single(Range::new(Byte(0), text.end()));
        sort(&text, &all, Order::Plain).changes.apply(&mut text);
        let mut model = lines.clone();
        model.sort();
        // A selection that ends at the start of an empty last line does not touch it.
        if lines.last().is_some_and(|l| !l.is_empty()) || lines.len() == 1 {
            prop_assert_eq!(text.to_string(), model.join("\n"));
        }
    }
}
