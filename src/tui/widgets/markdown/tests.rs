//! Tests of laid-out and streamed markdown.

use proptest::prelude::*;

use super::*;
use crate::tui::widgets::line;

/// A text that grows, and its layout.
#[derive(Default)]
struct Grown {
    text: String,
    layout: Markdown,
}

impl Grown {
    fn new(text: &str) -> Self {
        let mut grown = Self::default();
        grown.push(text);
        grown.finish();
        grown
    }

    fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
    }

    fn finish(&mut self) {
        self.layout.height(&self.text, 1);
        self.layout.finish();
    }

    fn lines(&mut self, width: u16) -> Vec<Line> {
        let height = self.layout.height(&self.text, width);
        let lines = self.range(width, 0..height);
        assert_eq!(lines.len(), height);
        lines
    }

    /// The last lines, as a screen shows them.
    fn end(&mut self, width: u16) -> Vec<Line> {
        let height = self.layout.height(&self.text, width);
        self.range(width, height.saturating_sub(40)..height)
    }

    fn range(&mut self, width: u16, range: Range<usize>) -> Vec<Line> {
        let mut lines = Vec::new();
        self.layout.visit(&self.text, width, range, &mut |line: &Line| lines.push(line.clone()));
        lines
    }
}

fn text_of(line: &Line) -> String {
    line.iter().map(|span| span.text.as_str()).collect()
}

/// The lines, without the blanks at their ends.
fn show(markdown: &mut Grown, width: u16) -> String {
    let lines = markdown.lines(width);
    lines.iter().map(|line| text_of(line).trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(text: &str, width: u16, expected: &str) {
    assert_eq!(show(&mut Grown::new(text), width), expected, "{text:?}");
}

fn scopes(text: &str) -> Vec<(String, &'static str)> {
    let mut markdown = Grown::new(text);
    markdown.lines(60).iter().flatten().map(|span| (span.text.clone(), span.scope)).collect()
}

#[test]
fn markdown_paragraphs_and_headings() {
    check("# Title\nText that\ngoes on.\n\n\n\nMore.", 60, "Title\nText that goes on.\n\nMore.");
    check("one two three", 8, "one two\nthree");
    check("Title\n===\n\ntext", 60, "Title\n\ntext");
    check("a  \nb\\\nc", 60, "a\nb\nc");
    check("a\n\n---\n\nb", 4, "a\n\n────\n\nb");
}

#[test]
fn markdown_inline_styles_are_scopes() {
    assert_eq!(
        scopes("a **b** *c* `d` ~~e~~ [f](http://g) <http://h>"),
        [
            ("a ", "markdown.text"),
            ("b", "markdown.strong"),
            (" ", "markdown.text"),
            ("c", "markdown.emphasis"),
            (" ", "markdown.text"),
            ("d", "markdown.code"),
            (" ", "markdown.text"),
            ("e", "markdown.strike"),
            (" ", "markdown.text"),
            ("f", "markdown.link"),
            (" (", "markdown.url"),
            ("http://g", "markdown.url"),
            (")", "markdown.url"),
            (" ", "markdown.text"),
            ("http://h", "markdown.link"),
        ]
        .map(|(text, scope)| (text.to_string(), scope))
    );
    assert_eq!(scopes("## a `b`"), [("a b".to_string(), "markdown.heading.2")]);
}

#[test]
fn markdown_lists_of_all_kinds() {
    check("- a\n- b\n  - c\n    1. d\n- e", 60, "• a\n• b\n  ◦ c\n    1. d\n• e");
    check("1. a\n2. b\n\n3. c", 60, "1. a\n2. b\n\n3. c");
    check("9. a\n10. long words here", 12, "9. a\n10. long\n    words\n    here");
    check("- a\n\n  b\n\n- c", 60, "• a\n\n  b\n\n• c");
    check("1. a\n   - b\n     - c", 60, "1. a\n   • b\n     ◦ c");
    check("- [ ] a\n- [x] b", 60, "• ○ a\n• ✓ b");
    check("text:\n- a\n- b\n\nend", 60, "text:\n• a\n• b\n\nend");
    check("- a\n\n  ```sh\n  ls\n\n  ps\n  ```\n- b", 60, "• a\n\n   sh\n   ls\n\n   ps\n• b");
    check("-\n- a", 60, "•\n• a");
}

#[test]
fn markdown_quotes_have_bars_and_depth_limit() {
    check("> a\n> b\n>\n> > c", 60, "│ a b\n│\n│ │ c");
    let deep = show(&mut Grown::new(&format!("{} x", ">".repeat(40))), 60);
    assert_eq!(deep, format!("{}x", "│ ".repeat(8)));
    check(&format!("{} x", ">".repeat(40)), 5, "x");
}

#[test]
fn markdown_code_blocks_keep_layout() {
    check("a\n```rust\nfn main() {\n\tx\n\n}\n```\nb", 60, "a\n rust\n fn main() {\n     x\n\n }\nb");
    check("```\nabcdef\n```", 4, " abc\n↪def");
    check("~~~\n```\n~~~\n", 60, " ```");
    check("```\nopen", 60, " open");
    check("    indented\n      code", 60, " indented\n   code");
    let mut markdown = Grown::new("```\na\n```");
    assert_eq!(line::width(&markdown.lines(10)[0]), 10);
}

#[test]
fn markdown_tables_fit_or_become_records() {
    let table = "| name | n |\n|---|--:|\n| `a` | 1 |\n| long name here | 22 |\n";
    check(table, 40, "name           │  n\n───────────────┼───\na              │  1\nlong name here │ 22");
    check(
        table,
        12,
        "name    │  n\n────────┼───\na       │  1\n────────┼───\nlong    │ 22\nname    │\nhere    │",
    );
    check(table, 8, "name: a\nn: 1\n\nname:\n  long\n  name\n  here\nn: 22");
    let wide = "| option | meaning |\n|---|---|\n| --approval | which calls ask |\n";
    check(wide, 20, "option: --approval\nmeaning: which calls\n  ask");
    check(
        wide,
        26,
        "option     │ meaning\n───────────┼──────────────\n--approval │ which calls\n           │ ask",
    );
    check("| a | b |\n|---|---|\n", 4, "a\nb");
}

#[test]
fn markdown_comments_are_hidden_and_html_is_shown() {
    check("a\n\n<!-- hidden\n\nstill -->\n\nb", 60, "a\n\nb");
    check("a <!-- b --> c <b>d</b><br>e", 60, "a  c <b>d</b>\ne");
    check("<!-- a -->\n<!-- b --> \n\nc", 60, "c");
    check("<div>\nx\n</div>", 60, "<div>\nx\n</div>");
    check("<!-- never closed\n\ntext", 60, "");
}

#[test]
fn markdown_control_characters_are_escaped() {
    check("a\u{1b}[31mb\u{7}\n\n```\n\u{9b}x\ty\n```", 60, "a␛[31mb␇\n\n <9B>x   y");
}

#[test]
fn markdown_wide_text_wraps_between_characters() {
    check("漢字漢字漢字", 5, "漢字\n漢字\n漢字");
}

/// All states of the screen while a text comes byte by byte.
fn frames(text: &str) -> Vec<String> {
    let mut markdown = Grown::default();
    let mut frames = Vec::new();
    for c in text.chars() {
        markdown.push(c.encode_utf8(&mut [0; 4]));
        frames.push(show(&mut markdown, 40));
    }
    frames
}

#[test]
fn markdown_incomplete_markup_does_not_flicker() {
    for frame in frames("Some text:\n\n```rust\nlet x;\n```\n\nand\n\n- item\n\n# Head\n") {
        assert!(!frame.contains('`') && !frame.contains('#') && !frame.contains('-'), "{frame:?}");
    }
    let mut markdown = Grown::default();
    markdown.push("text\n-");
    assert_eq!(markdown.lines(40)[0][0].scope, "markdown.text");
    markdown.push("\n");
    markdown.finish();
    assert_eq!(markdown.lines(40)[0][0].scope, "markdown.heading.2");
}

#[test]
fn markdown_streamed_closed_blocks_do_not_move() {
    let text = "# A\n\npara graph one\n\n1. x\n2. y\n\n```c\nint a;\nint b;\n```\n\nend of it";
    let mut markdown = Grown::default();
    let mut before: Vec<Line> = Vec::new();
    for c in text.chars() {
        markdown.push(c.encode_utf8(&mut [0; 4]));
        let closed = markdown.layout.cache.height();
        let lines = markdown.lines(40);
        assert_eq!(lines[..closed.min(before.len())], before[..closed.min(before.len())]);
        before = lines;
    }
}

#[test]
fn markdown_closing_block_changes_nothing() {
    let blocks =
        ["text:", "# Head", "- a", "- b\n  - c", "1. d", "> e", "```c\nf\n```", "| g |\n|---|\n| h |"];
    for (one, two) in blocks.iter().flat_map(|one| blocks.map(|two| (one, two))) {
        for between in ["\n", "\n\n"] {
            let open = format!("{one}{between}{two}");
            let mut grown = Grown::default();
            grown.push(&open);
            let before = show(&mut grown, 40);
            grown.push("\n\nnext\n\nlast");
            let after = show(&mut grown, 40);
            assert!(after.starts_with(before.trim_end()), "{open:?}\n{before}\n--\n{after}");
        }
    }
}

#[test]
fn markdown_streaming_cost_is_linear() {
    let cost = |paragraphs: usize| {
        let text = "Some words of a paragraph that is not long.\n\n```\ncode\nmore code\n```\n\n- item\n"
            .repeat(paragraphs);
        let mut markdown = Grown::default();
        for token in text.as_bytes().chunks(4) {
            markdown.push(std::str::from_utf8(token).unwrap());
            markdown.end(80);
        }
        markdown.layout.laid_bytes() / paragraphs
    };
    assert!(cost(400) <= cost(50) * 11 / 10);
    let line = |bytes: usize| {
        let mut markdown = Grown::default();
        for _ in 0..bytes / 4 {
            markdown.push("abc ");
        }
        markdown.end(80);
        markdown.layout.laid_bytes()
    };
    assert!(line(100_000) <= 110_000);
}

#[test]
fn markdown_unclosed_block_stays_cheap() {
    let mut markdown = Grown::default();
    for _ in 0..20_000 {
        markdown.push("abcdefghi ");
    }
    markdown.end(80);
    let before = markdown.layout.laid_bytes();
    markdown.push("x");
    markdown.end(80);
    assert!(markdown.layout.laid_bytes() - before <= 9000);
    let all: String = markdown.lines(80).iter().map(text_of).collect();
    assert_eq!(all.matches("abcdefghi").count(), 20_000);
}

#[test]
fn markdown_new_width_lays_out_once() {
    let mut markdown = Grown::new(&"word ".repeat(100));
    let wide = markdown.lines(80).len();
    assert!(markdown.lines(20).len() > wide);
    let bytes = markdown.layout.laid_bytes();
    markdown.lines(20);
    assert_eq!(markdown.layout.laid_bytes(), bytes);
}

/// Pieces of markdown that go wrong together.
fn source() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "word ",
        "漢字",
        "\n",
        "\n\n",
        "  ",
        "    ",
        "- ",
        "1. ",
        "10) ",
        "> ",
        "# ",
        "```",
        "```rs\n",
        "~~~\n",
        "`",
        "**",
        "*",
        "_",
        "~~",
        "[a](b)",
        "[x] ",
        "| a | b |\n",
        "|---|:-:|\n",
        "<!--",
        "-->",
        "<b>",
        "---\n",
        "===\n",
        "\t",
        "\r\n",
        "\u{1b}",
        "e\u{301}",
        "👩\u{200d}👧",
        "\\",
        "&amp;",
        "![i](j)",
        "\u{0}",
    ]);
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(400))]

    #[test]
    fn markdown_portions_do_not_matter_and_width_holds(
        text in source(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8), width in 1u16..30,
    ) {
        let mut whole = Grown::new(&text);
        let mut cuts: Vec<_> = cuts.iter().map(|c| text.floor_char_boundary(c.index(text.len() + 1))).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut grown = Grown::default();
        for pair in cuts.windows(2) {
            grown.push(&text[pair[0]..pair[1]]);
            for line in &grown.lines(width) {
                prop_assert!(line::width(line) <= usize::from(width), "{:?}", line);
            }
        }
        grown.finish();
        prop_assert_eq!(grown.lines(width), whole.lines(width));
        for line in &whole.lines(width) {
            prop_assert!(line::width(line) <= usize::from(width), "{:?}", line);
        }
    }
}

#[test]
fn markdown_long_code_goes_on_indented_after_a_space() {
    check("```\n  let pause = f(attempt);\n```", 18, "   let pause =\n↪  f(attempt);");
    check("```\nlet a = \"one-long-word-only\";\n```", 20, " let a = \"one-long-w\n↪  ord-only\";");
}

#[test]
fn markdown_table_rows_of_several_lines_are_ruled() {
    let short = "| a | b |\n|---|---|\n| one | two |\n| three | four |";
    check(short, 30, "a     │ b\n──────┼─────\none   │ two\nthree │ four");
    let long = "| a | b |\n|---|---|\n| one | two words or more of them |\n| three | four |";
    check(
        long,
        24,
        "a     │ b\n──────┼─────────────────\none   │ two words or\n      │ more of them\n──────┼─────────────────\nthree │ four",
    );
}

#[test]
fn markdown_code_blocks_are_reported_once_for_colors() {
    let mut markdown = Grown::default();
    markdown.push("Look:\n\n```rust\nlet é = 1;\nfo");
    markdown.lines(20);
    assert!(markdown.layout.take_blocks().is_empty(), "it is not complete");
    markdown.push("o()\n```\nAnd so on.\n");
    assert!(markdown.layout.take_blocks().is_empty(), "it is not shown");
    markdown.lines(20);
    let blocks = markdown.layout.take_blocks();
    assert_eq!(blocks.len(), 1);
    assert_eq!((&*blocks[0].language, &*blocks[0].code), ("rust", "let é = 1;\nfoo()\n"));
    assert!(markdown.layout.take_blocks().is_empty());
    let plain: Vec<Line> = markdown.lines(9);
    // The second range ends inside of `é`, the third goes over a line's end.
    let colors = [(0..3, "keyword"), (3..5, "bad"), (7..14, "x")];
    let laid = markdown.layout.laid_bytes();
    assert!(markdown.layout.color(&markdown.text, &blocks[0], &colors));
    let check = |lines: &[Line]| {
        let text = |line: &Line| line.iter().map(|span| span.text.as_str()).collect::<String>();
        assert_eq!(lines.iter().map(text).collect::<Vec<_>>(), plain.iter().map(text).collect::<Vec<_>>());
        let spans = || lines.iter().flatten();
        assert!(spans().any(|span| span.scope == "keyword" && span.text == "let"), "{lines:?}");
        assert!(spans().any(|span| span.scope == "x" && span.text.contains('f')), "{lines:?}");
        assert!(spans().all(|span| span.scope != "bad"));
    };
    check(&markdown.lines(9));
    assert_eq!(markdown.layout.laid_bytes(), laid + blocks[0].code.len(), "only the block was made again");
    markdown.lines(30);
    check(&markdown.lines(9));
    let other = Block { code: "something else".to_string(), ..blocks[0].clone() };
    assert!(!markdown.layout.color(&markdown.text, &other, &colors), "it is about another text");
}

#[test]
fn markdown_drawing_is_for_one_width_and_requested_for_each() {
    let mut markdown = Grown::default();
    markdown.push("Look:\n\n```mermaid\ngraph LR\nA-->B\n```\nAnd so on.\n");
    let shown = |markdown: &mut Grown, width| {
        markdown.lines(width).iter().flatten().map(|span| span.text.clone()).collect::<String>()
    };
    shown(&mut markdown, 20);
    let block = markdown.layout.take_blocks().remove(0);
    assert_eq!((&*block.language, block.width), ("mermaid", 20));
    assert!(markdown.layout.draw(&markdown.text, &block, vec!["[A]->[B]".to_string()]));
    let drawn = shown(&mut markdown, 20);
    assert!(
        drawn.contains("[A]->[B]") && !drawn.contains("graph") && drawn.contains("And so on."),
        "{drawn}"
    );
    let source = shown(&mut markdown, 12);
    assert!(source.contains("graph") && !source.contains("[A]"), "{source}");
    let narrow = markdown.layout.take_blocks().remove(0);
    assert_eq!(narrow.width, 12);
    shown(&mut markdown, 20);
    assert!(!markdown.layout.draw(&markdown.text, &narrow, vec!["[A]".to_string()]), "for another width");
    assert_eq!(markdown.layout.take_blocks(), [block], "which was not drawn in between");
}

/// An answer with prose and code of so many bytes.
fn long(bytes: usize) -> String {
    let part = "Some words of an answer that is **long** enough to be wrapped on a screen of this width.\n\n\
                ```rust\nfn f(a: u8) -> u8 { a + 1 }\nfn g() {}\n```\n\n";
    part.repeat(bytes / part.len() + 1)
}

/// The colors of every character of a block, as a search with many tokens finds them.
fn colors_of(block: &Block) -> Vec<Colored> {
    (0..block.code.len()).map(|at| (at..at + 1, ["keyword", "string"][at % 2])).collect()
}

#[test]
fn markdown_long_text_holds_a_fraction_of_its_bytes() {
    let text = long(1 << 20);
    let mut markdown = Markdown::default();
    let height = markdown.height(&text, 80);
    for start in (0..height).step_by(height / 20) {
        markdown.visit(&text, 80, start..start + 40, &mut |_: &Line| {});
        for block in markdown.take_blocks() {
            markdown.color(&text, &block, &colors_of(&block));
        }
        assert!(markdown.bytes() < text.len() * 3 / 2, "{} bytes for {}", markdown.bytes(), text.len());
    }
}

#[test]
fn markdown_block_scrolled_away_requests_colors_again() {
    let mut markdown = Grown::new(&long(1 << 20));
    let height = markdown.layout.height(&markdown.text, 80);
    let asked = |markdown: &mut Grown, at: usize| {
        markdown.range(80, at..at + 6);
        markdown.layout.take_blocks()
    };
    let first = asked(&mut markdown, 0);
    assert_eq!(first.len(), 1, "only what is shown asks");
    assert!(markdown.layout.color(&markdown.text, &first[0], &colors_of(&first[0])));
    let colored = markdown.range(80, 0..6);
    assert!(colored.iter().flatten().any(|span| span.scope == "keyword"), "{colored:?}");
    assert!(asked(&mut markdown, 0).is_empty(), "it has its colors");
    for at in (6..height).step_by(6) {
        asked(&mut markdown, at);
    }
    let late = markdown.layout.color(&markdown.text, &first[0], &colors_of(&first[0]));
    assert!(!late, "colors of what is not shown are not kept");
    assert_eq!(asked(&mut markdown, 0), first);
    assert!(markdown.layout.color(&markdown.text, &first[0], &colors_of(&first[0])));
    assert_eq!(markdown.range(80, 0..6), colored);
}

#[test]
fn markdown_linear_says_what_is_otherwise_seen() {
    let text = "## Plan\n\n- [x] one\n- [ ] two\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nlet x;\n```\n";
    let (mut markdown, mut lines) = (Markdown::linear(), Vec::new());
    let height = markdown.height(text, 40);
    markdown.visit(text, 40, 0..height, &mut |line: &Line| {
        lines.push(line.iter().map(|span| span.text.as_str()).collect::<String>().trim().to_string());
    });
    lines.retain(|line| !line.is_empty());
    let wanted = [
        "Heading 2: Plan",
        "• done: one",
        "• to do: two",
        "> said",
        "Separator",
        "a: 1",
        "b: 2",
        "Code, rust:",
        "let x;",
        "End of code",
    ];
    assert_eq!(lines, wanted);
}
