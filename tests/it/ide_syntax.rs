//! Code has colors: at the start, while it is edited, when the view moves, in every language.

use std::time::Duration;

use bowline::llm::providers::scripted::Turn;
use bowline::tui::theme::{ColorDepth, Theme};
use ratatui::style::Color;

use bowline::ide::core::event::Event;
use bowline::ide::model::buffers::Buffer;
use bowline::tui::input::Input;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// The color of the first letter of a text on the screen.
fn color(ide: &mut TestIde, text: &str) -> Color {
    let (x, y) = ide.find(text);
    ide.headless.app().frame();
    ide.headless.app().screen.buffer()[(x, y)].fg
}

fn theme(scope: &'static str) -> Color {
    Theme::builtin().style(scope).fg.unwrap()
}

#[tokio::test]
async fn syntax_colors_code_on_open() {
    let code = "// Über\nfn main() {\n\tlet naïve = \"text\";\n    return 17;\n}\n";
    let mut ide = IdeSetup::new().with("main.rs", code).start().await;
    assert_eq!(color(&mut ide, "// Über"), theme("comment"));
    assert_eq!(color(&mut ide, "fn main"), theme("keyword"));
    assert_eq!(color(&mut ide, "main()"), theme("function"));
    // Behind a tab and wide of ASCII, too.
    assert_eq!(color(&mut ide, "let na"), theme("keyword"));
    assert_eq!(color(&mut ide, "\"text"), theme("string"));
    assert_eq!(color(&mut ide, "17"), theme("constant.numeric"));
}

/// Names of the open files whose parse tree is kept.
fn parsed_files(ide: &mut TestIde) -> Vec<String> {
    let parsed = |buffer: &&Buffer| buffer.highlighting.memory() > 0;
    ide.state().buffers.all().iter().filter(parsed).map(Buffer::name).collect()
}

#[tokio::test]
async fn syntax_trees_of_hidden_files_respect_memory_budget() {
    let code = "fn main() { let x = 1; }\n".repeat(260);
    for (most, expected) in [(64 << 20, "a.rs b.rs c.rs"), (1 << 20, "b.rs c.rs"), (0, "c.rs")] {
        let mut plan = IdeSetup::new();
        for name in ["a.rs", "b.rs", "c.rs"] {
            plan = plan.with(name, &code);
        }
        let mut ide = plan.start().await;
        ide.state().display.syntax_memory = most;
        for _ in 0..2 {
            ide.keys("Alt-PageDown").await;
            ide.advance(Duration::from_secs(1));
        }
        let each = ide.state().buffers.current().unwrap().highlighting.memory();
        assert!((350 << 10..500 << 10).contains(&each), "two are below one megabyte, three above: {each}");
        assert_eq!(parsed_files(&mut ide).join(" "), expected, "{most}");
        ide.keys("Alt-PageDown").await;
        assert_eq!(color(&mut ide, "fn main"), theme("keyword"));
        assert!(parsed_files(&mut ide).contains(&"a.rs".to_string()), "{most}: parsed again");
    }
}

#[tokio::test]
async fn syntax_colors_do_not_flicker_while_typing() {
    with_task_orders(async || {
        let mut ide = IdeSetup::new().with("a.rs", "let x = 1; // end\nlet y = 2;\n").start().await;
        assert_eq!(color(&mut ide, "// end"), theme("comment"));
        // Drawn before any task had the time to answer.
        ide.type_without_settling("ab ");
        assert_eq!(color(&mut ide, "// end"), theme("comment"));
        assert_eq!(color(&mut ide, "let y"), theme("keyword"));
        ide.keys("Ctrl-a").await;
        ide.type_in("// ").await;
        wait_for_reparse(&mut ide).await;
        assert_eq!(color(&mut ide, "// ab let"), theme("comment"));
        assert_eq!(color(&mut ide, "let x"), theme("comment"), "it is in a comment now");
        ide.keys("Ctrl-z").await;
        wait_for_reparse(&mut ide).await;
        assert_eq!(color(&mut ide, "let x"), theme("keyword"));
    })
    .await;
}

/// A pause in typing, after which what has changed is looked at.
async fn wait_for_reparse(ide: &mut TestIde) {
    ide.advance(Duration::from_secs(3));
    ide.headless.idle().await;
}

#[tokio::test]
async fn syntax_colors_newly_visible_lines() {
    let mut code = "fn f() { return 1; }\n".repeat(3000);
    code.push_str("// the end\n");
    let mut ide = IdeSetup::new().with("a.rs", code).start().await;
    ide.keys("Ctrl-End").await;
    assert_eq!(color(&mut ide, "// the end"), theme("comment"));
    assert_eq!(color(&mut ide, "fn f"), theme("keyword"));
    ide.keys("PageUp PageUp PageUp PageUp").await;
    assert_eq!(color(&mut ide, "return"), theme("keyword"));
}

#[tokio::test]
async fn syntax_colors_injected_languages() {
    let page = "<p>hi</p>\n<script>\nconst number = 1;\n</script>\n";
    let mut ide =
        IdeSetup::new().with("a.html", page).with("b.md", "# One\n\n```py\nreturn 5\n```\n").start().await;
    ide.keys("Alt-PageDown").await;
    if ide.current_file_name() == "a.html" {
        assert_eq!(color(&mut ide, "const number"), theme("keyword"));
        ide.keys("Alt-PageDown").await;
    }
    assert_eq!(ide.current_file_name(), "b.md");
    assert_eq!(color(&mut ide, "One"), theme("markup.heading"));
    assert_eq!(color(&mut ide, "return 5"), theme("keyword"));
    ide.keys("Alt-PageDown").await;
    assert_eq!(color(&mut ide, "const number"), theme("keyword"));
}

#[tokio::test]
async fn syntax_colors_are_separate_per_file() {
    let plan = IdeSetup::new().with("a.txt", "return 1\n").with("b.py", "return 1\n");
    let mut ide = plan.start().await;
    for _ in 0..2 {
        let expected = if ide.current_file_name() == "b.py" { "keyword" } else { "ui.text" };
        assert_eq!(color(&mut ide, "return 1"), theme(expected), "{}", ide.current_file_name());
        ide.keys("Alt-PageDown").await;
    }
}

#[tokio::test]
async fn syntax_too_long_file_is_reported() {
    let long = format!("[{}1]\n", "1,\n".repeat(3 << 20));
    let mut ide = IdeSetup::new().with("a.json", long).start().await;
    assert!(ide.picture().contains("too long to colour"), "{}", ide.picture());
    ide.type_in("x").await;
    assert!(ide.text().starts_with("x["));
}

#[tokio::test]
async fn syntax_without_colors_draws_text() {
    let mut ide = IdeSetup::new().colors(ColorDepth::None).with("a.rs", "fn f() {}\n").start().await;
    assert!(ide.picture().contains("fn f() {}"));
}

#[tokio::test]
async fn syntax_colors_code_blocks_in_replies() {
    let answer = "Try this:\n\n```rust\nfn answer() { return 42; }\n```\n\nand `this`.\n";
    let mut ide = IdeSetup::new().turns([Turn::text(answer)]).start().await;
    ide.prompt("how").await;
    assert_eq!(color(&mut ide, "fn answer"), theme("keyword"));
    assert_eq!(color(&mut ide, "42"), theme("constant.numeric"));
    let (x, y) = ide.find("42");
    let ground = Theme::builtin().style("markdown.code.block").bg.unwrap();
    assert_eq!(ide.headless.app().screen.buffer()[(x, y)].bg, ground);
    ide.headless.resize(50, 24);
    ide.headless.idle().await;
    assert_eq!(color(&mut ide, "fn answer"), theme("keyword"));
}

#[tokio::test]
async fn syntax_selection_expands_and_shrinks() {
    let code = "fn f() {\n    g(1, 2);\n    g(3, 4);\n}\n";
    let mut ide = IdeSetup::new().with("a.rs", code).start().await;
    ide.keys("Down Ctrl-e Left Left Left").await;
    ide.keys("Alt-v").await;
    assert_eq!(ide.selected_texts(), ["2"]);
    ide.keys("Alt-v Alt-v").await;
    assert_eq!(ide.selected_texts(), ["g(1, 2)"]);
    ide.keys("Alt-Shift-v").await;
    assert_eq!(ide.selected_texts(), ["(1, 2)"]);
    ide.keys("Alt-Shift-v Alt-Shift-v Alt-Shift-v").await;
    assert_eq!(ide.status_message(), "No selection to shrink to");
    ide.headless.app().with_cx(|cx| {
        let command = bowline::ide::shell::catalog::CATALOG.command("syntax.function").unwrap();
        (command.run)(cx);
    });
    assert_eq!(ide.selected_texts(), [code.trim_end()]);
    ide.type_in("x").await;
    assert_eq!(ide.text(), "x\n");
}

#[tokio::test]
async fn syntax_selection_without_language_is_reported() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.keys("Alt-v").await;
    assert_eq!(ide.status_message(), "No syntax tree for this file");
}

#[tokio::test]
async fn syntax_selection_ignores_stale_tree() {
    // Too long to be read anew by a key.
    let rest = "// é\n".repeat(20_000);
    let text = format!("fn main() {{\n    let a = \"ééééééééé\";\n    let b = (1, 2, 3);\n}}\n{rest}");
    let mut ide = IdeSetup::new().with("a.rs", text).start().await;
    ide.keys("Ctrl-a").await;
    for key in ["Ctrl-k", "Ctrl-k", "Alt-v", "Alt-v", "Alt-v"] {
        let key = key.parse().unwrap();
        ide.headless.app().handle(Event::Input(Input::Key(key)));
    }
    ide.type_in("Q").await;
    assert!(ide.text().starts_with("Q    let a"), "{}", ide.text());
}

#[tokio::test]
async fn syntax_indents_new_line() {
    let code = "fn f(a: u8,\n     b: u8) {\n  if a > b {\n     g();\n  }\n}\n";
    let mut ide = IdeSetup::new().with("a.rs", code).start().await;
    ide.keys("Ctrl-Home Down Down Down Ctrl-e Enter").await;
    ide.type_in("h()").await;
    assert!(ide.text().contains("     g();\n     h()\n  }"), "{}", ide.text());
    ide.keys("Ctrl-z Ctrl-z Down Ctrl-e Alt-Enter").await;
    ide.type_in("k()").await;
    assert!(ide.text().contains("  }\n  k()\n}"), "{}", ide.text());
}

#[tokio::test]
async fn reindent_command_fixes_lines() {
    let code = "fn é() {\nif a {\nb(\"x\n y\");\n      }\n\t}\n";
    let mut ide = IdeSetup::new().with("a.rs", code).start().await;
    ide.keys("Alt-h Alt-7 =").await;
    assert_eq!(ide.text(), "fn é() {\n    if a {\n        b(\"x\n y\");\n    }\n}\n");
    wait_for_reparse(&mut ide).await;
    ide.keys("Alt-7 =").await;
    assert_eq!(ide.status_message(), "Lines are indented already");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), code);
}

#[tokio::test]
async fn reindent_many_lines_fixes_all() {
    let code = format!("fn f() {{\n{}}}\n", "a();\n".repeat(400));
    let mut ide = IdeSetup::new().with("a.rs", &code).start().await;
    ide.keys("Alt-h Alt-7 =").await;
    assert_eq!(ide.text(), code.replace("a();", "    a();"));
}

#[tokio::test]
async fn reindent_uses_current_text() {
    for lines in [2, 20_000] {
        let code = format!("fn f() {{\n{}}}\n", "a();\n".repeat(lines));
        let mut ide = IdeSetup::new().with("a.rs", &code).start().await;
        ide.headless.press("x Backspace Alt-h Alt-7 =");
        ide.headless.idle().await;
        assert!(ide.text() == code.replace("a();", "    a();"), "{lines}: {}", ide.status_message());
    }
    let map = include_str!("../../keymaps/vim.toml");
    let code = "def é():\n    a\n    b\n";
    let mut ide = IdeSetup::new().keymap(map).with("a.py", code).start().await;
    ide.type_without_settling("jddugg=G");
    ide.headless.idle().await;
    assert_eq!(ide.text(), code, "no brackets say how far in these lines are");
}

#[tokio::test]
async fn syntax_dedents_closing_keyword() {
    let mut ide = IdeSetup::new().with("a.rb", "").start().await;
    ide.type_in("def f").await;
    ide.keys("Enter").await;
    ide.type_in("if a").await;
    ide.keys("Enter").await;
    ide.type_in("b").await;
    ide.keys("Enter").await;
    ide.type_in("end").await;
    ide.keys("Enter").await;
    ide.type_in("end").await;
    let text = ide.text();
    let white: Vec<_> = text.lines().map(|line| line.len() - line.trim_start().len()).collect();
    assert_eq!(white, [0, 4, 8, 4, 0], "{text}");
}

#[tokio::test]
async fn vim_indent_operator_uses_syntax() {
    let map = include_str!("../../keymaps/vim.toml");
    let code = "fn f() {\n    a\n.b();\nc(\n1\n);\n}\n";
    let mut ide = IdeSetup::new().keymap(map).with("a.rs", code).start().await;
    ide.type_in("jj=G").await;
    assert_eq!(ide.text(), "fn f() {\n    a\n        .b();\n    c(\n        1\n    );\n}\n");
    assert_eq!(ide.cursor(), (3, 9));
    ide.type_in("ggo").await;
    ide.type_in("x").await;
    assert!(ide.text().starts_with("fn f() {\n    x\n"), "{}", ide.text());
}

#[tokio::test]
async fn syntax_without_grammar_colors_by_line() {
    let code = "# größe\nmy $x = \"text\";\n=pod\n\nwords\n\n=cut\nprint 17;\n";
    let mut ide = IdeSetup::new().with("a.pl", code).start().await;
    assert_eq!(color(&mut ide, "# größe"), theme("comment"));
    assert_eq!(color(&mut ide, "\"text"), theme("string"));
    assert_eq!(color(&mut ide, "words"), theme("comment.block.documentation"));
    assert_eq!(color(&mut ide, "print"), theme("function.builtin"));
    ide.keys("Ctrl-End").await;
    ide.type_in("# end").await;
    wait_for_reparse(&mut ide).await;
    assert_eq!(color(&mut ide, "# end"), theme("comment"));
    ide.keys("Ctrl-Home").await;
    ide.type_in("=pod\n\n").await;
    wait_for_reparse(&mut ide).await;
    let comment = theme("comment.block.documentation");
    assert_eq!(color(&mut ide, "my $x"), comment, "what is above decides about what is below");
    assert_eq!(color(&mut ide, "print"), theme("function.builtin"), "as far as it reaches");
}

#[tokio::test]
async fn syntax_without_grammar_colors_code_blocks() {
    let answer = "see:\n\n```perl\nmy $x = 17; # né\n```\n\nend";
    let mut ide = IdeSetup::new().turns([Turn::text(answer)]).start().await;
    ide.prompt("show").await;
    ide.headless.idle().await;
    assert_eq!(color(&mut ide, "my $x"), theme("keyword"));
    assert_eq!(color(&mut ide, "# né"), theme("comment"));
}

#[tokio::test]
async fn syntax_colors_that_arrive_after_a_resize_reach_every_row() {
    let text = "\n\n\nfn one() {}\n\n\n\n\nfn two() {}\n\n\n\nfn three() {}\n";
    let mut ide = IdeSetup::new().size(60, 4).with("code.md", text).start().await;
    // The colors of what is typed are being found when the window begins to show more rows.
    ide.headless.press("` ` ` r u s t");
    ide.advance(Duration::from_millis(200));
    ide.headless.resize(120, 40);
    // Each result is checked against a screen that is drawn as a whole.
    while color(&mut ide, "fn three") != theme("keyword") {
        ide.headless.handle_ready(1).await;
    }
}
