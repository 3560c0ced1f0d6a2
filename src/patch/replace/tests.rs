//! Replacements in texts of every line ending.

use proptest::prelude::*;

use super::*;

fn change(old: &str, new: &str) -> Change {
    Change { old: old.into(), new: new.into() }
}

fn one(text: &str, old: &str, new: &str) -> Result<String, String> {
    apply(text, &[change(old, new)]).map(|done| done.text).map_err(|error| error.to_string())
}

#[test]
fn every_edit_is_matched_against_the_original() {
    let edits = [change("b", "a"), change("a", "b")];
    assert_eq!(apply("a b", &edits).unwrap(), Replacement { text: "b a".into(), tolerant: 0 });
}

#[test]
fn line_endings_stay_as_they_are() {
    assert_eq!(one("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz").unwrap(), "x\r\ny\r\nz\r\nc\r\n");
    assert_eq!(one("a\nb\r\nc\n", "b\n", "x\ny\n").unwrap(), "a\nx\r\ny\r\nc\n");
    assert_eq!(one("a\r\nb\nc\r\n", "b", "x\ny").unwrap(), "a\r\nx\ny\nc\r\n");
    assert_eq!(one("a\nb\nc", "c", "x\ny").unwrap(), "a\nb\nx\ny");
    assert_eq!(one("a\r\nb", "b", "x\ny").unwrap(), "a\r\nx\r\ny");
    assert_eq!(one("\u{feff}a\r\nb", "a\r\n", "c\r\n").unwrap(), "\u{feff}c\r\nb");
    assert_eq!(one("\u{feff}a", "\u{feff}a", "b").unwrap(), "\u{feff}b");
}

#[test]
fn errors_say_what_to_do() {
    let fails = |text, old, new| one(text, old, new).unwrap_err();
    assert!(fails("a", "", "x").starts_with("edit 1: the old text is empty"));
    assert_eq!(
        fails("x\na\na\n", "a", "b"),
        "edit 1: the old text occurs 2 times, at lines 2, 3; add lines around it until it is unique"
    );
    assert!(fails("aaa", "aa", "b").contains("2 times"));
    assert!(fails("a", "a", "a").contains("change nothing"));
    let hint = fails("fn one() {}\nfn two(x: u8) {}\n", "fn two(y: u8) {}", "");
    assert!(hint.contains(r#"line 2: "fn two(x: u8) {}""#), "{hint}");
    let error = apply("abc", &[change("bc", "x"), change("q", "y")]).unwrap_err();
    assert!(matches!(error, ReplaceError::NotFound { edit: 2, .. }));
    assert_eq!(apply("abc", &[change("bc", "x"), change("ab", "y")]), Err(ReplaceError::Overlap(1, 2)));
    assert_eq!(apply("abc", &[]), Err(ReplaceError::NoEdits));
}

#[test]
fn neighbours_do_not_overlap() {
    assert_eq!(apply("ab", &[change("b", "y"), change("a", "x")]).unwrap().text, "xy");
}

#[test]
fn trailing_blanks_are_forgiven_on_whole_lines_only() {
    let done = apply("a  \n  b\t\nc\n", &[change("a\n  b", "x")]).unwrap();
    assert_eq!(done, Replacement { text: "x\nc\n".into(), tolerant: 1 });
    assert_eq!(one("a \r\nb\r\n", "a\nb\n", "x\ny\n").unwrap(), "x\r\ny\r\n");
    assert!(one("foobar\n", "foo  ", "x").is_err());
    assert!(one("a \nq\na\t\n", "a  \n", "x").unwrap_err().contains("2 times"));
    assert!(one("x\n\n\n", "  \n", "y").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Bytes before and after the replaced piece never change, whatever the endings are.
    #[test]
    fn only_the_piece_changes(
        before in "[abé\n ]{0,12}(\r\n[ab]{0,3}){0,2}",
        after in "(\r\n[ab]{0,3}){0,2}[abé\n ]{0,12}",
        new in "[xy\n]{0,6}",
    ) {
        let text = format!("{before}#{after}");
        let done = one(&text, "#", &new).unwrap();
        prop_assert!(done.starts_with(&before) && done.ends_with(&after));
        let middle = &done[before.len()..done.len() - after.len()];
        prop_assert_eq!(middle.replace("\r\n", "\n"), new);
    }

    #[test]
    fn any_input_is_applied_or_refused(text in "[ab\r\n\u{feff} ]{0,12}", old in "[ab\r\n ]{0,4}", new in "[ab\r\n]{0,4}") {
        match one(&text, &old, &new) {
            Ok(done) => prop_assert_ne!(done, text),
            Err(message) => prop_assert!(!message.is_empty()),
        }
    }
}
