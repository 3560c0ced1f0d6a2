//! Parts and wholes, long lines, nonsense. What each language looks like is a picture in the
//! tests of the whole.

use super::*;
use crate::syntax::languages::detect::by_name;
use crate::syntax::languages::table::LANGUAGES;

#[test]
fn highlight_part_equals_full_text() {
    let code = "/// Doc.\nfn f(x: &str) -> u8 {\n    if x == \"\\n\" { 1 } else { 2 }\n}\n".repeat(60);
    let text = Text::from(code.as_str());
    let syntax = Syntax::parse(by_name("rust").unwrap(), &text, None, Duration::from_mins(1)).unwrap();
    let whole = syntax.paint(&text, Byte(0)..text.end());
    let (from, to) = (Byte(code.len() / 2), Byte(code.len() / 2 + 300));
    let part = syntax.paint(&text, from..to);
    assert!(part.spans().len() > 10);
    for span in part.spans() {
        let full: Vec<_> = whole.within(&span.range).collect();
        assert!(full.len() == 1 && full[0].scope == span.scope, "{span:?} {full:?}");
    }
}

#[test]
fn highlight_long_line_is_limited() {
    let code = format!("[{}1]", "1,".repeat(RANGE_MAX));
    let text = Text::from(code.as_str());
    let syntax = Syntax::parse(by_name("json").unwrap(), &text, None, Duration::from_mins(1)).unwrap();
    let painted = syntax.paint(&text, Byte(0)..text.end());
    assert_eq!(painted.range(), Byte(0)..Byte(RANGE_MAX));
}

#[test]
fn highlight_malformed_code_is_safe() {
    for language in LANGUAGES {
        for code in ["", "\u{0}", "é", "<?php\n\"'`{[(<!--", "\r\n\t🦀\u{feff}", "```\n```rust\n"] {
            let text = Text::from(code);
            let syntax = Syntax::parse(language, &text, None, Duration::from_mins(1)).unwrap();
            for span in syntax.paint(&text, Byte(0)..text.end()).spans() {
                assert!(code.is_char_boundary(span.range.start.0), "{} {code:?} {span:?}", language.name);
            }
        }
    }
}
