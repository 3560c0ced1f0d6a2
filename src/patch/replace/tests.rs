//! Replacements in texts of every line ending.

use proptest::prelude::*;

use super::*;

fn change(old: &str, new: &str) -> Change {
    Change { old: old.into(), new: new.into() }
}

fn one(text: &str, old: &str, new: &str) -> Result<String, String> {
    apply(text, &[change(old, new)], ReplaceOptions::default())
        .map(|done| done.text)
        .map_err(|error| error.to_string())
}

#[test]
fn replace_matches_every_edit_against_original() {
    let edits = [change("b", "a"), change("a", "b")];
    let done = apply("a b", &edits, ReplaceOptions::default()).unwrap();
    let passes = vec![Pass::Exact, Pass::Exact];
    assert_eq!(done, Replacement { text: "b a".into(), count: 2, passes });
}

#[test]
fn replace_keeps_line_endings() {
    assert_eq!(one("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz").unwrap(), "x\r\ny\r\nz\r\nc\r\n");
    assert_eq!(one("a\nb\r\nc\n", "b\n", "x\ny\n").unwrap(), "a\nx\r\ny\r\nc\n");
    assert_eq!(one("a\r\nb\nc\r\n", "b", "x\ny").unwrap(), "a\r\nx\ny\nc\r\n");
    assert_eq!(one("a\nb\nc", "c", "x\ny").unwrap(), "a\nb\nx\ny");
    assert_eq!(one("a\r\nb", "b", "x\ny").unwrap(), "a\r\nx\r\ny");
    assert_eq!(one("\u{feff}a\r\nb", "a\r\n", "c\r\n").unwrap(), "\u{feff}c\r\nb");
    assert_eq!(one("\u{feff}a", "\u{feff}a", "b").unwrap(), "\u{feff}b");
}

#[test]
fn replace_errors_name_next_step() {
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
    let error = apply("abc", &[change("bc", "x"), change("q", "y")], ReplaceOptions::default()).unwrap_err();
    assert!(matches!(error, ReplaceError::NotFound { edit: 2, .. }));
    let both = [change("bc", "x"), change("ab", "y")];
    assert_eq!(apply("abc", &both, ReplaceOptions::default()), Err(ReplaceError::Overlap(1, 2)));
    assert_eq!(apply("abc", &[], ReplaceOptions::default()), Err(ReplaceError::NoEdits));
}

#[test]
fn replace_adjacent_edits_do_not_overlap() {
    let both = [change("b", "y"), change("a", "x")];
    assert_eq!(apply("ab", &both, ReplaceOptions::default()).unwrap().text, "xy");
}

#[test]
fn replace_ignores_trailing_blanks_on_full_lines() {
    let done = apply("a  \n  b\t\nc\n", &[change("a\n  b", "x")], ReplaceOptions::default()).unwrap();
    assert_eq!(done, Replacement { text: "x\nc\n".into(), count: 1, passes: vec![Pass::TrailingBlanks] });
    assert_eq!(one("a \r\nb\r\n", "a\nb\n", "x\ny\n").unwrap(), "x\r\ny\r\n");
    assert!(one("foobar\n", "foo  ", "x").is_err());
    assert!(one("a \nq\na\t\n", "a  \n", "x").unwrap_err().contains("2 times"));
    assert!(one("x\n\n\n", "  \n", "y").is_err());
}

fn by(text: &str, old: &str, new: &str, how: ReplaceOptions) -> (String, Pass) {
    let done = apply(text, &[change(old, new)], how).unwrap();
    (done.text, done.passes[0])
}

#[test]
fn replace_passes_tolerate_and_are_reported() {
    let careful = ReplaceOptions::default();
    let cases = [
        (
            "say \u{201c}hi\u{201d} \u{2014} now\nx\u{a0}y\n",
            "\"hi\" - now",
            "bye",
            "say bye\nx\u{a0}y\n",
            Pass::Characters,
        ),
        ("a  \n\u{2018}b\u{2019} \nc\n", "a\n'b'\n", "x\n", "x\nc\n", Pass::Characters),
        (
            "fn f() {\n        if a {\n            b();\n        }\n}\n",
            "if a {\n    b();\n}\n",
            "if c {\n    d();\n\n    e();\n}\n",
            "fn f() {\n        if c {\n            d();\n\n            e();\n        }\n}\n",
            Pass::Indentation,
        ),
        ("\tx = 1\n\ty = 2\n", "    x = 1\n    y = 2\n", "    z = 3\n", "\tz = 3\n", Pass::Indentation),
        ("call( a,b )  ;\nnext\n", "call(a, b);", "done();", "done();\nnext\n", Pass::Blanks),
        ("let long =\n    value here;\n", "let long = value here;", "short;", "short;\n", Pass::Blanks),
        ("print(\"a\")\nx\n", "print(\\\"a\\\")\\nx", "p(\\\"b\\\")", "p(\"b\")\n", Pass::Escapes),
        (
            "begin\n one\n two\n three\nend\n",
            "begin\n one\n TWO\n three\nend",
            "gone",
            "gone\n",
            Pass::Anchors,
        ),
    ];
    for (text, old, new, after, pass) in cases {
        assert_eq!(by(text, old, new, careful), (after.to_string(), pass), "{old:?}");
    }
    let near = "    let total = compute_sum(first, second);\n";
    assert!(one(near, "    let total = compute_sun(first, second);\n", "x").is_err());
    let fuzzy = ReplaceOptions { tolerance: Tolerance::Fuzzy, ..careful };
    assert_eq!(
        by(near, "    let total = compute_sun(first, second);\n", "x\n", fuzzy),
        ("x\n".into(), Pass::Fuzzy)
    );
}

#[test]
fn replace_tolerant_pass_never_guesses() {
    let twice = "  a = 1\n\n    a = 1\n";
    assert!(one(twice, "a  =  1", "b").unwrap_err().contains("2 times"));
    let blocks = "begin\n a\n b\nend\nbegin\n a\n c\nend\n";
    assert!(one(blocks, "begin\n a\n d\nend\n", "x").is_err());
    assert!(one("begin\n a\n b\nend\n", "begin\n x\n y\nend\n", "x").is_err());
    assert!(one("ab c", "a bc", "x").is_err(), "blanks between letters are meant");
}

#[test]
fn replace_all_replaces_every_match() {
    let all = ReplaceOptions { everywhere: true, ..ReplaceOptions::default() };
    let done = apply("aXaXa\r\nX", &[change("X", "-")], all).unwrap();
    assert_eq!((done.text.as_str(), done.count), ("a-a-a\r\n-", 3));
    assert_eq!(apply("aaaa", &[change("aa", "b")], all).unwrap().text, "bb");
    assert_eq!(apply("x \n x\t\n", &[change("x\n", "y\n")], all).unwrap().count, 1);
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(300))]

    /// Bytes before and after the replaced piece never change, whatever the endings are.
    #[test]
    fn replace_changes_only_matched_bytes(
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

    /// Lines that an edit did not touch are the same bytes afterwards, whichever pass found it.
    #[test]
    fn replace_keeps_untouched_lines(
        above in proptest::collection::vec("[a-d ]{0,6}(\r\n|\n)", 0..5),
        below in proptest::collection::vec("[a-d ]{0,6}(\r\n|\n)", 0..5),
        odd in 0..4usize,
    ) {
        let old = ["  key = [1, 2]\n", "key = [1, 2]\n", "  key  =  [1,2]\n", "  key = [1, 2]   \n"][odd];
        let text = format!("{}  key = [1, 2]\r\n{}", above.concat(), below.concat());
        let done = one(&text, old, "  key = 3\n").unwrap();
        let end = format!("\r\n{}", below.concat());
        prop_assert!(done.starts_with(&above.concat()) && done.ends_with(&end), "{:?}", done);
    }

    #[test]
    fn replace_any_input_is_applied_or_refused(text in "[ab\r\n\u{feff} ]{0,12}", old in "[ab\r\n ]{0,4}", new in "[ab\r\n]{0,4}") {
        match one(&text, &old, &new) {
            Ok(done) => prop_assert_ne!(done, text),
            Err(message) => prop_assert!(!message.is_empty()),
        }
    }
}
