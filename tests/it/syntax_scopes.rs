//! What code looks like in every language: snippets with the scopes of their parts.

use std::time::Duration;

use bowline::syntax::languages::detect::by_name;
use bowline::syntax::languages::table::LANGUAGES;
use bowline::syntax::{Span, Syntax};
use bowline::text::position::Byte;
use bowline::text::rope::Text;

use crate::support::snaps;

fn spans(name: &str, code: &str) -> Vec<Span> {
    let text = Text::from(code);
    let syntax = Syntax::parse(by_name(name).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
    syntax.paint(&text, Byte(0)..text.end()).spans().collect()
}

/// Each line, and below it its spans.
fn show(name: &str, code: &str) -> String {
    let mut out = format!("── {name}\n");
    let spans = spans(name, code);
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        out.push_str(line.trim_end_matches('\n'));
        out.push('\n');
        for span in spans.iter().filter(|span| span.range.start.0 < at + line.len() && span.range.end.0 > at)
        {
            let piece = &code[span.range.start.0.max(at)..span.range.end.0.min(at + line.len())];
            if !piece.trim().is_empty() && !span.scope.starts_with("punctuation") {
                out.push_str(&format!("    {:<24} {}\n", piece.trim_end(), span.scope));
            }
        }
        at += line.len();
    }
    out
}

const SNIPPETS: &[(&str, &str)] = &[
    ("bash", "#!/bin/sh\nif [ -n \"$HOME\" ]; then echo ok; fi # end\n"),
    ("c", "#include <stdio.h>\nstatic int add(int a) { return a + MAX; }\n"),
    ("cpp", "namespace n { class A { virtual auto f() -> int; }; }\n"),
    ("csharp", "public class A { string Name => \"x\"; }\n"),
    ("css", "a.b:hover { color: #fff; width: 10px }\n"),
    ("diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n"),
    ("dockerfile", "FROM alpine:3 AS base\nRUN echo hi\n"),
    ("go", "package a\n\nfunc Add(x int) string { return fmt.Sprint(x, \"é\\n\", 1) }\n"),
    ("haskell", "module A where\nf :: Int -> Int\nf x = x + 1 -- é\n"),
    ("html", "<p class=\"a\">é</p><script>let x = 1;</script><style>a { top: 0 }</style>\n"),
    ("java", "class A { @Override public int f(String s) { return 1; } }\n"),
    ("javascript", "const f = async (x) => { await g(`é ${x}`); } // c\n"),
    ("json", "{\"a\": [1, true, null, \"b\\n\"]}\n"),
    ("lua", "local function f(x) return x .. 'é' end -- c\n"),
    ("make", "all: x.o\n\tcc -o $@ $<\nVAR := 1\n"),
    ("markdown", "# Über\n\nSome *soft* `code` [link](http://x)\n\n```rust\nlet x = 1;\n```\n- item\n"),
    ("ocaml", "let f (x : int) = match x with 1 -> \"a\" | _ -> \"b\"\n"),
    ("php", "<p>é</p><?php function f(int $x) { return \"a\"; } ?>\n"),
    ("python", "@dec\ndef f(x: int) -> str:\n    return f\"é {x}\" if x else None  # c\n"),
    ("ruby", "class A\n  def f(x) = puts \"é #{x}\" # c\nend\n"),
    (
        "rust",
        "/// Doc.\npub fn add<T>(x: &mut u8) -> Option<u8> {\n    if MAX > 1 { return Some(x.len()) }\n    println!(\"é\\n {}\", 1.5);\n}\n",
    ),
    ("scala", "object A { def f(x: Int): String = s\"$x\" }\n"),
    ("sql", "SELECT a, count(*) FROM t WHERE a = 'x' -- c\n"),
    ("swift", "func f(x: Int) -> String { return \"é\" }\n"),
    ("toml", "# c\n[package]\nname = \"é\"\nn = 1\nd.e = true\n"),
    ("tsx", "const A = (p: Props) => <div id=\"a\">{p.x}</div>;\n"),
    ("typescript", "interface A { x: number }\nexport function f(a: A): void {}\n"),
    ("xml", "<?xml version=\"1.0\"?><a b=\"c\">é</a>\n"),
    ("yaml", "a: 1\nb: [x, \"y\"] # c\n"),
];

#[test]
fn syntax_scopes_match_snapshot() {
    let shown: String = SNIPPETS.iter().map(|(name, code)| show(name, code)).collect();
    // A list of lines, which has no size.
    snaps::check_screen("syntax_scopes", (0, 0), &shown);
}

#[test]
fn syntax_scopes_cover_every_language() {
    let helpers = ["markdown_inline", "regex"];
    for language in LANGUAGES {
        let shown = SNIPPETS.iter().any(|(name, _)| *name == language.name);
        assert!(shown || helpers.contains(&language.name), "{}", language.name);
    }
}
