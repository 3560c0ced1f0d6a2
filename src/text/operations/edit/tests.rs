//! Every edit over pictures of a text: before, after, with one cursor and with many.

use super::*;
use crate::text::marked;

fn check(edit: impl Fn(&Text, &Selection) -> Transaction, before: &str, after: &str) {
    let (mut text, selection) = marked::parse(before);
    let edit = edit(&text, &selection);
    let selection = edit.selection.unwrap_or_else(|| selection.map(&edit.changes));
    edit.changes.apply(&mut text);
    assert_eq!(marked::show(&text, &selection), after, "from {before:?}");
}

#[test]
fn edit_insert_replaces_selections() {
    check(|t, s| insert(t, s, "é"), "a|b|", "aé|bé|");
    check(|t, s| insert(t, s, "x"), "a«bc»d»e«", "ax|dx|");
    check(|t, s| insert_each(t, s, &["1".into(), "2".into()], LineEnding::Lf), "|a|b|", "1|a2|b2|");
    check(|t, s| insert_each(t, s, &["1".into(), "2".into()], LineEnding::CrLf), "a|b", "a1\r\n2|b");
}

#[test]
fn edit_newline_keeps_indentation() {
    check(|t, s| newline(t, s, LineEnding::Lf), "  \tab|c", "  \tab\n  \t|c");
    check(|t, s| newline(t, s, LineEnding::CrLf), "  a|", "  a\r\n  |");
    check(|t, s| newline(t, s, LineEnding::Lf), "  |  a", "  \n  |  a");
    check(|t, s| newline(t, s, LineEnding::Lf), "|a\n b|", "\n|a\n b\n |");
}

#[test]
fn edit_tab_indent_and_dedent() {
    check(|t, s| tab(t, s, 4, false), "a|\n漢漢|", "a   |\n漢漢    |");
    check(|t, s| tab(t, s, 4, true), "a|", "a\t|");
    check(|t, s| indent(t, s, 2, false), "a«b\n\nc\n»d", "  a«b\n\n  c\n»d");
    check(|t, s| dedent(t, s, 4), "  a|\n\tb\n      «c»", "a|\n\tb\n  «c»");
    check(|t, s| dedent(t, s, 4), "|a\n\t|b", "|a\n|b");
    assert!(indents_by_tabs(&Text::from("a\n\n\tb\n  c")));
    assert!(!indents_by_tabs(&Text::from("a\n  b\n\tc")));
}

#[test]
fn edit_indent_style_stays_while_used() {
    let of = |text: &str, at_first| detect_indents(&Text::from(text), at_first);
    assert_eq!(of("a\n  b\n\tc", Some(IndentKind::Tabs)), Some(IndentKind::Tabs));
    assert_eq!(of("a\n  b\n", Some(IndentKind::Tabs)), Some(IndentKind::Spaces));
    assert_eq!(of("a\nb\n", Some(IndentKind::Tabs)), Some(IndentKind::Tabs));
    assert_eq!((of("a\n", None), of("\ta\n", None)), (None, Some(IndentKind::Tabs)));
}

#[test]
fn edit_duplicate_lines() {
    check(|t, s| duplicate_lines(t, s, LineEnding::Lf), "a|b\nc", "a|b\nab\nc");
    check(|t, s| duplicate_lines(t, s, LineEnding::CrLf), "é|\r\n", "é|\r\né\r\n");
    check(|t, s| duplicate_lines(t, s, LineEnding::Lf), "|a\n«b\nc»", "|a\na\n«b\nb\nc»\nc");
}

fn check_delete(reach: DeleteTarget, before: &str, after: &str, killed: &[&str]) {
    check(|t, s| delete(t, s, reach).0, before, after);
    let (text, selection) = marked::parse(before);
    assert_eq!(delete(&text, &selection, reach).1, killed);
}

#[test]
fn edit_delete_by_reach() {
    check_delete(DeleteTarget::GraphemeBack, "ae\u{301}|b👩‍👩‍👧|", "a|b|", &["e\u{301}", "👩‍👩‍👧"]);
    check_delete(DeleteTarget::GraphemeBack, "a\r\n|b", "a|b", &["\r\n"]);
    check_delete(DeleteTarget::GraphemeBack, "|a", "|a", &[""]);
    check_delete(DeleteTarget::PairBack, "(|)é|'|'", "|", &["()", "é", "''"]);
    check_delete(DeleteTarget::Subword, "|fooBar |éÜ", "|Bar |Ü", &["foo", "é"]);
    check_delete(DeleteTarget::SubwordBack, "snake_cäse|", "snake_|", &["cäse"]);
    check_delete(DeleteTarget::Paragraph, "|a\né\n\nb", "|\nb", &["a\né\n"]);
    check_delete(DeleteTarget::Paragraph, "a\n  |", "a\n  |", &[""]);
    check_delete(DeleteTarget::ParagraphBack, "a\n\nb\nc|", "a\n|", &["\nb\nc"]);
    check_delete(DeleteTarget::Bracket, "f|(é)|(x)", "f|", &["(é)", "(x)"]);
    check_delete(DeleteTarget::Bracket, "(a|é)", "(a|)", &["é"]);
    check_delete(DeleteTarget::Bracket, "(aé|)", "|", &["(aé)"]);
    check_delete(DeleteTarget::Grapheme, "«ab»|c", "|c", &["ab"]);
    check_delete(DeleteTarget::Grapheme, "a|", "a|", &[""]);
    check_delete(DeleteTarget::WordBack, "one two|  three |x", "one |  |x", &["two", "three "]);
    check_delete(DeleteTarget::Word, "|one| two", "|", &["one", " two"]);
}

#[test]
fn edit_delete_to_line_end_and_start() {
    check_delete(DeleteTarget::Line, "a|bc\nd", "a|\nd", &["bc"]);
    check_delete(DeleteTarget::Line, "abc|\r\nd", "abc|d", &["\r\n"]);
    check_delete(DeleteTarget::Line, "abc|", "abc|", &[""]);
    check_delete(DeleteTarget::LineBack, "  ab|c", "|c", &["  ab"]);
    check_delete(DeleteTarget::LineBack, "a\n|b", "a|b", &["\n"]);
    check_delete(DeleteTarget::Line, "|a\n|b", "|\n|", &["a", "b"]);
}
