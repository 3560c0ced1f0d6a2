//! Parsing again after edits gives what parsing anew gives.

use super::*;
use crate::syntax::languages::detect::by_name;
use proptest::prelude::*;

const LONG: Duration = Duration::from_mins(1);

fn parse(name: &str, text: &Text, old: Option<&Syntax>) -> Syntax {
    Syntax::parse(by_name(name).unwrap(), text, old, LONG).unwrap()
}

#[test]
fn tree_edit_then_reparse_equals_fresh_parse() {
    let mut text = Text::from("fn a() {}\n// é\nfn b() {}\n");
    let mut syntax = parse("rust", &text, None);
    let edits = [(Byte(3)..Byte(4), "äö\n".to_string()), (Byte(20)..Byte(21), "long".to_string())];
    let changes = ChangeSet::replace(text.end().0, edits);
    syntax.edit(&text, &changes);
    changes.apply(&mut text);
    let again = parse("rust", &text, Some(&syntax));
    assert_eq!(again.to_sexp(), parse("rust", &text, None).to_sexp());
    assert_eq!(again.tree.root_node().end_byte(), text.end().0);
}

#[test]
fn tree_too_long_or_slow_is_refused() {
    let long = Text::from("x".repeat(SIZE_MAX + 1).as_str());
    let json = by_name("json").unwrap();
    assert_eq!(Syntax::parse(json, &long, None, LONG).unwrap_err(), ParseError::TooLong);
    let slow = Text::from("[1,".repeat(100_000).as_str());
    assert_eq!(Syntax::parse(json, &slow, None, Duration::ZERO).unwrap_err(), ParseError::TooSlow);
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(48))]
    #[test]
    fn tree_incremental_parse_equals_fresh_parse(
        edits in prop::collection::vec((0usize..200, 0usize..9, prop::sample::select(vec!["x", "", "{", "}", "\"", "\n", "é ", "fn f() {}\n", "1", " // ", "(a, b)"])), 1..6),
        language in prop::sample::select(vec![("rust", "fn a(x: u8) -> u8 {\n    let s = \"ä\";\n    x + 1\n}\n"), ("json", "{\"a\": [1, 2, {\"b\": null}], \"é\": \"x\"}\n"), ("go", "package a\n\nfunc f(x int) int {\n\treturn x + 1\n}\n")]),
    ) {
        let mut text = Text::from(language.1);
        let mut syntax = parse(language.0, &text, None);
        for (at, gone, new) in edits {
            let start = text.grapheme_floor(Byte(at % (text.end().0 + 1)));
            let end = text.grapheme_floor(Byte((start.0 + gone).min(text.end().0))).max(start);
            let before = text.clone();
            let changes = ChangeSet::replace(text.end().0, [(start..end, new.to_string())]);
            changes.apply(&mut text);
            syntax.edit(&before, &changes);
            syntax = parse(language.0, &text, Some(&syntax));
            let anew = parse(language.0, &text, None);
            // Where the text makes no sense there are several trees for it, and the old one may lead
            // to another guess.
            if !anew.tree.root_node().has_error() && !syntax.tree.root_node().has_error() {
                prop_assert_eq!(syntax.to_sexp(), anew.to_sexp());
                let all = Byte(0)..text.end();
                prop_assert_eq!(syntax.paint(&text, all.clone()), anew.paint(&text, all));
            }
            prop_assert_eq!(syntax.tree.root_node().has_error(), anew.tree.root_node().has_error());
        }
    }
}
