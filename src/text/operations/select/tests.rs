//! Shapes of selections, as pictures: before and after. The first mark is the primary one.

use super::*;
use crate::text::marked;
use proptest::prelude::*;

fn check(shape: impl Fn(&Text, &Selection) -> Selection, before: &str, after: &str) {
    let (text, selection) = marked::parse(before);
    let shaped = shape(&text, &selection);
    assert_eq!(marked::show(&text, &shaped), after, "from {before:?}");
}

/// What the primary range of a shape selects, and where it begins.
fn primary(shape: impl Fn(&Text, &Selection) -> Selection, before: &str) -> (usize, usize) {
    let (text, selection) = marked::parse(before);
    let span = shape(&text, &selection).primary().span();
    (span.start.0, span.end.0)
}

#[test]
fn select_add_cursor_keeps_column() {
    let down = |t: &Text, s: &Selection| add_vertical(t, s, true, 4);
    let up = |t: &Text, s: &Selection| add_vertical(t, s, false, 4);
    check(down, "ab|c\ndef", "ab|c\nde|f");
    check(down, "漢字|x\na\tbc", "漢字|x\na\t|bc");
    check(up, "abc\nd«e»f", "a«b»c\nd«e»f");
    check(up, "abc\nd»e«f", "a»b«c\nd»e«f");
    check(down, "a|b", "a|b");
    check(up, "|ab\ncd|", "|ab|\ncd|");
    // A short line between does not make the cursors below it forget their column.
    check(|t, s| down(t, &down(t, s)), "abc|d\ne\u{301}\nfghi", "abc|d\ne\u{301}|\nfgh|i");
    assert_eq!(primary(down, "a|b\ncd"), (4, 4), "the new one leads");
}

#[test]
fn select_word_at_cursor() {
    check(words, "fo|o bar", "«foo» bar");
    check(words, "foo| bar|", "«foo» «bar»");
    check(words, "größ|e «a»", "«größe» «a»");
    check(words, "|", "|");
}

#[test]
fn select_next_and_all_occurrences() {
    let next = |t: &Text, s: &Selection| add_next(t, s).unwrap_or_else(|| s.clone());
    let all = |t: &Text, s: &Selection| add_all(t, s).unwrap();
    check(next, "«é» b é é", "«é» b «é» é");
    check(next, "a «a» b", "«a» «a» b");
    check(|t, s| next(t, &next(t, s)), "a »a« A a", "»a« »a« A »a«");
    check(next, "«a» b", "«a» b");
    check(all, "x «xx» xx\nXX xxx", "x «xx» «xx»\nXX «xx»x");
    check(all, "a »日本« 日本", "a »日本« »日本«");
    let (text, selection) = marked::parse("a|b");
    assert_eq!((add_next(&text, &selection), add_all(&text, &selection)), (None, None));
    assert_eq!(primary(next, "«a» b a"), (4, 5), "the new one leads");
}

#[test]
fn select_split_into_lines() {
    check(split_lines, "a«b\r\ncd\n\ne»f", "a«b»\r\n«cd»\n|\n«e»f");
    check(split_lines, "»é\nb\n«", "»é«\n»b«\n");
    check(split_lines, "a|b «c»", "a|b «c»");
}

#[test]
fn select_primary_is_kept_dropped_and_rotated() {
    check(|_, s| only_primary(&rotate(s, true)), "|a«b»|", "a«b»");
    check(|_, s| only_primary(&rotate(s, false)), "|a«b» |", "ab |");
    check(|_, s| without_primary(s), "|a|b|", "a|b|");
    check(|_, s| without_primary(s), "«é»", "«é»");
    check(|_, s| only_primary(&without_primary(&rotate(s, true))), "|a|b|", "|ab");
}

#[test]
fn select_lines_then_extends() {
    check(lines, "a|b\ncd\nef", "«ab\n»cd\nef");
    check(lines, "«ab\n»cd\nef", "«ab\ncd\n»ef");
    check(lines, "«ab\ncd\n»é", "«ab\ncd\né»");
    check(lines, "«ab»", "«ab»");
    check(lines, "a»b\nc«d\ne|f\n", "«ab\ncd\n»«ef\n»");
    check(lines, "|", "|");
}

#[test]
fn select_inside_brackets_expands() {
    check(inside_brackets, "f(a, [é|])", "f(a, [«é»])");
    check(inside_brackets, "f(a, [«é»])", "f(a, «[é]»)");
    check(inside_brackets, "f(a, «[é]»)", "f(«a, [é]»)");
    check(inside_brackets, "(|) {a|} b|", "«()» {«a»} b|");
}

#[test]
fn select_toggle_cursor() {
    check(|_, s| toggle_cursor(s, Byte(2)), "|abc", "|ab|c");
    check(|_, s| toggle_cursor(s, Byte(2)), "|ab|c", "|abc");
    check(|_, s| toggle_cursor(s, Byte(0)), "|ab|c", "ab|c");
    check(|_, s| toggle_cursor(s, Byte(0)), "|é", "|é");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(64))]
    #[test]
    fn select_all_occurrences_match_string_search(plain in "[aé \n]{1,60}", pick in 0usize..60) {
        let text = Text::from(plain.as_str());
        let start = text.grapheme_floor(Byte(pick.min(plain.len() - 1)));
        let range = Range::new(start, text.next_grapheme(start));
        let wanted = text.slice(range.span()).into_owned();
        let all = add_all(&text, &Selection::single(range)).unwrap();
        let spans: Vec<usize> = all.ranges().iter().map(|r| r.start().0).collect();
        let model: Vec<usize> = plain.match_indices(&wanted).map(|(at, _)| at).collect();
        prop_assert_eq!(&spans, &model);
        // One by one comes to the same.
        let mut each = Selection::single(range);
        while let Some(more) = add_next(&text, &each) { each = more; }
        prop_assert_eq!(each.ranges(), all.ranges());
    }
}

#[test]
fn select_indent_blocks_expand() {
    let blocks = |t: &Text, s: &Selection| indent_blocks(t, s, 4);
    check(blocks, "a:\n  b|\n\n    é\n  c\nd\n", "a:\n«  b\n\n    é\n  c\n»d\n");
    check(blocks, "a:\n«  b\n  c\n»d\n", "«a:\n  b\n  c\nd\n»");
    check(blocks, "a:\n  b|\nc:\n\td|\n", "a:\n«  b\n»c:\n«\td\n»");
    check(blocks, "a:\n|\n  b", "a:\n\n«  b»");
    check(blocks, "\n|", "\n|");
    check(blocks, "«a\n  b»", "«a\n  b»");
}
