//! Lines of well written code are where they are said to be, and breaks begin lines where a
//! person would.

use std::time::Duration;

use super::*;
use crate::syntax::languages::detect::by_name;
use crate::text::file_format::format::LineEnding;
use crate::text::marked;
use crate::text::operations::block_words;
use crate::text::operations::indent::{self, reindent};
use crate::text::operations::pairs::{self, LineStyle};
use crate::text::selection::{Range, Selection};

fn parse(language: &str, text: &Text) -> Syntax {
    Syntax::parse(by_name(language).unwrap(), text, None, Duration::from_mins(1)).unwrap()
}

/// Code in each language, one sample each.
fn samples() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../../../../tests/fixtures/indents.txt")
        .split("\n=== ")
        .filter_map(|sample| sample.split_once('\n'))
}

#[test]
fn indent_well_formatted_code_is_unchanged() {
    let mut wrong = String::new();
    for (language, code) in samples() {
        let text = Text::from(code);
        let syntax = parse(language, &text);
        let unit = indent::detect_step(&text).map_or("\t".to_string(), |step| " ".repeat(step));
        let all = Selection::single(Range::new(Byte(0), text.end()));
        let edit = reindent(&text, &all, (0..text.line_count()).map(Line), &unit, |line| {
            syntax.for_line(&text, line)
        });
        let mut after = text.clone();
        edit.changes.apply(&mut after);
        for (before, after) in code.lines().zip(after.to_string().lines()).filter(|(a, b)| a != b) {
            wrong.push_str(&format!("{language}: {before:?} became {after:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Languages in which white space at line starts means something.
const BY_WHITE_SPACE: [&str; 2] = ["python", "scala"];

#[test]
fn indent_misindented_code_is_corrected() {
    let mut wrong = String::new();
    for (language, code) in samples().filter(|(language, _)| !BY_WHITE_SPACE.contains(language)) {
        let text = Text::from(code);
        let unit = indent::detect_step(&text).map_or("\t".to_string(), |step| " ".repeat(step));
        let well = parse(language, &text);
        // Lines of literals and the like keep their white space.
        let line = |(n, line): (usize, &str)| {
            if well.for_line(&text, Line(n)).is_some() {
                format!("{}{}", " ".repeat(n * 7 % 5), line.trim_start())
            } else {
                line.to_string()
            }
        };
        let crooked: Vec<String> = code.split('\n').enumerate().map(line).collect();
        let mut crooked = Text::from(crooked.join("\n").as_str());
        let syntax = parse(language, &crooked);
        let all = Selection::single(Range::new(Byte(0), crooked.end()));
        let edit = reindent(&crooked, &all, (0..crooked.line_count()).map(Line), &unit, |line| {
            syntax.for_line(&crooked, line)
        });
        edit.changes.apply(&mut crooked);
        for (before, after) in code.lines().zip(crooked.to_string().lines()).filter(|(a, b)| a != b) {
            wrong.push_str(&format!("{language}: {before:?} became {after:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn indent_every_query_has_sample() {
    for language in crate::syntax::languages::table::LANGUAGES {
        let has = samples().any(|(name, _)| name == language.name);
        assert_eq!(has, !language.indents.is_empty(), "{}", language.name);
    }
}

/// A line feed is typed where the cursors are, two columns to a step.
#[track_caller]
fn check(language: &str, before: &str, after: &str) {
    let (mut text, selection) = marked::parse(before);
    let syntax = parse(language, &text);
    let style = LineStyle {
        ending: LineEnding::Lf,
        unit: "  ".into(),
        words: block_words::for_file("a"),
        colon: false,
    };
    let edit = pairs::newline(&text, &selection, &style, &syntax);
    edit.changes.apply(&mut text);
    assert_eq!(
        marked::show(&text, &edit.selection.unwrap()),
        after,
        "{language} from {before:?}\n{}",
        syntax.to_sexp()
    );
}

#[test]
fn indent_newline_in_bracket_languages() {
    check("rust", "fn f() {|}", "fn f() {\n  |\n}");
    check("rust", "fn f(a: u8,\n     b: u8) {|}", "fn f(a: u8,\n     b: u8) {\n  |\n}");
    check("rust", "fn é() {\n   a();|\n}", "fn é() {\n   a();\n   |\n}");
    check("rust", "fn f() {\n  let a = b\n    .c();|\n}", "fn f() {\n  let a = b\n    .c();\n  |\n}");
    check("rust", "fn f() {\n  let a =|\n  1;\n}", "fn f() {\n  let a =\n    |\n  1;\n}");
    check(
        "rust",
        "fn f() {\n  match a {\n    1 => {|}\n  }\n}",
        "fn f() {\n  match a {\n    1 => {\n      |\n    }\n  }\n}",
    );
    check("rust", "fn f() {}|\n", "fn f() {}\n|\n");
    check("rust", "fn f() { a(|b) }", "fn f() { a(\n  |b) }");
    check("rust", "fn f() {\n  a();| }", "fn f() {\n  a();\n| }");
    check("c", "int f(void)\n{\n  if (a)|\n    b();\n}", "int f(void)\n{\n  if (a)\n    |\n    b();\n}");
    check("c", "int f(void)\n{\n  if (a)\n    b();|\n}", "int f(void)\n{\n  if (a)\n    b();\n  |\n}");
    check(
        "c",
        "int f(void) {\n    switch (a) {\n    case 1:\n      b();|\n    }\n}",
        "int f(void) {\n    switch (a) {\n    case 1:\n      b();\n      |\n    }\n}",
    );
    check(
        "c",
        "int f(void) {\n  switch (a) {\n  case 1:\n    break;|\n  }\n}",
        "int f(void) {\n  switch (a) {\n  case 1:\n    break;\n  |\n  }\n}",
    );
    check("c", "void f() {\n#if A\n  a();\n#endif|\n}", "void f() {\n#if A\n  a();\n#endif\n  |\n}");
    check("javascript", "f(function() {|});", "f(function() {\n  |\n});");
    check("javascript", "a = {\n  b: [|],\n};", "a = {\n  b: [\n    |\n  ],\n};");
    check("tsx", "x = <div>|</div>;", "x = <div>\n  |\n</div>;");
    check("html", "<ul>\n  <li>|</li>\n</ul>", "<ul>\n  <li>\n    |\n  </li>\n</ul>");
    check("go", "func f() {\n\tif é {|}\n}", "func f() {\n\tif é {\n\t  |\n\t}\n}");
    check(
        "json",
        "{\n   \"a\": 1,|\n   \"b\": [|]\n}",
        "{\n   \"a\": 1,\n   |\n   \"b\": [\n     |\n   ]\n}",
    );
    check("css", "a {\n  b: c;|\n}", "a {\n  b: c;\n  |\n}");
}

#[test]
fn indent_newline_in_languages_without_brackets() {
    check("python", "def f(a,\n      b):|\n", "def f(a,\n      b):\n  |\n");
    check("python", "def f():\n    if a:\n        b()|\n", "def f():\n    if a:\n        b()\n        |\n");
    check(
        "python",
        "def f():\n    if a:\n        return 1|\n",
        "def f():\n    if a:\n        return 1\n    |\n",
    );
    check("python", "if a:\n  b\nelse:\n  pass|\n", "if a:\n  b\nelse:\n  pass\n|\n");
    check("python", "if a:\n  b\nelse:\n  é|\n\nc\n", "if a:\n  b\nelse:\n  é\n  |\n\nc\n");
    check("python", "x = [|]", "x = [\n  |\n]");
    check("ruby", "def f\n  if a|\n    b\n  end\nend", "def f\n  if a\n    |\n    b\n  end\nend");
    check("ruby", "def f\n  a\n  b|\nend|\n", "def f\n  a\n  b\n  |\nend\n|\n");
    check("ruby", "def f|\n", "def f\n  |\n");
    check("lua", "if a then|\nend", "if a then\n  |\nend");
    check("bash", "if a; then\n  b|\nfi", "if a; then\n  b\n  |\nfi");
    check("bash", "case a in\n  b)|\n    c\n    ;;\nesac", "case a in\n  b)\n    |\n    c\n    ;;\nesac");
}

#[test]
fn indent_broken_code_or_literal_is_unknown() {
    let behind = |language, marked: &str| {
        let (text, selection) = marked::parse(marked);
        let at = selection.primary().head;
        parse(language, &text).for_line_break(&text, at, at)
    };
    assert_eq!(behind("rust", "fn f() {\n  let a = \"b|\nc\";\n}"), None);
    assert_eq!(behind("c", "int f() { ) } ] int ) |"), None);
    assert_eq!(behind("rust", "fn f() {\n  |\n}"), None);
    assert_eq!(behind("yaml", "a:|\n"), None);
    let deep = "[".repeat(5_000) + "|" + &"]".repeat(5_000);
    assert_eq!(behind("json", &deep), None);
}
