//! Code has colors: at the start, while it is edited, when the view moves, in every language.

use std::time::Duration;

use bowline::llm::providers::scripted::Turn;
use bowline::tui::theme::{ColorDepth, Theme};
use ratatui::style::Color;

use bowline::ide::core::event::Event;
use bowline::ide::model::buffers::Buffer;
use bowline::tui::input::Input;

use crate::support::desk::{Desk, Plan};

/// The color of the first letter of a text on the screen.
fn color(desk: &mut Desk, text: &str) -> Color {
    let (x, y) = desk.find(text);
    desk.ide.app().frame();
    desk.ide.app().screen.buffer()[(x, y)].fg
}

fn theme(scope: &'static str) -> Color {
    Theme::builtin().style(scope).fg.unwrap()
}

#[tokio::test]
async fn code_is_coloured_when_it_is_opened() {
    let code = "// Über\nfn main() {\n\tlet naïve = \"text\";\n    return 17;\n}\n";
    let mut desk = Plan::new().with("main.rs", code).start().await;
    assert_eq!(color(&mut desk, "// Über"), theme("comment"));
    assert_eq!(color(&mut desk, "fn main"), theme("keyword"));
    assert_eq!(color(&mut desk, "main()"), theme("function"));
    // Behind a tab and wide of ASCII, too.
    assert_eq!(color(&mut desk, "let na"), theme("keyword"));
    assert_eq!(color(&mut desk, "\"text"), theme("string"));
    assert_eq!(color(&mut desk, "17"), theme("constant.numeric"));
}

/// Names of the open files whose parse tree is kept.
fn parsed(desk: &mut Desk) -> Vec<String> {
    let parsed = |buffer: &&Buffer| buffer.coloring.memory() > 0;
    desk.state().buffers.all().iter().filter(parsed).map(Buffer::name).collect()
}

#[tokio::test]
async fn trees_of_files_out_of_sight_are_dropped_beyond_the_budget_and_made_again() {
    let code = "fn main() { let x = 1; }\n".repeat(260);
    for (most, expected) in [(64 << 20, "a.rs b.rs c.rs"), (1 << 20, "b.rs c.rs"), (0, "c.rs")] {
        let mut plan = Plan::new();
        for name in ["a.rs", "b.rs", "c.rs"] {
            plan = plan.with(name, &code);
        }
        let mut desk = plan.start().await;
        desk.state().look.syntax_memory = most;
        for _ in 0..2 {
            desk.keys("Alt-PageDown").await;
            desk.wait(Duration::from_secs(1));
        }
        let each = desk.state().buffers.current().unwrap().coloring.memory();
        assert!((350 << 10..500 << 10).contains(&each), "two are below one megabyte, three above: {each}");
        assert_eq!(parsed(&mut desk).join(" "), expected, "{most}");
        desk.keys("Alt-PageDown").await;
        assert_eq!(color(&mut desk, "fn main"), theme("keyword"));
        assert!(parsed(&mut desk).contains(&"a.rs".to_string()), "{most}: parsed again");
    }
}

#[tokio::test]
async fn colours_do_not_flicker_while_typing_and_follow_the_text() {
    let mut desk = Plan::new().with("a.rs", "let x = 1; // end\nlet y = 2;\n").start().await;
    assert_eq!(color(&mut desk, "// end"), theme("comment"));
    // Drawn before any task had the time to answer.
    desk.type_now("ab ");
    assert_eq!(color(&mut desk, "// end"), theme("comment"));
    assert_eq!(color(&mut desk, "let y"), theme("keyword"));
    desk.keys("Ctrl-a").await;
    desk.type_in("// ").await;
    pause(&mut desk).await;
    assert_eq!(color(&mut desk, "// ab let"), theme("comment"));
    assert_eq!(color(&mut desk, "let x"), theme("comment"), "it is in a comment now");
    desk.keys("Ctrl-z").await;
    pause(&mut desk).await;
    assert_eq!(color(&mut desk, "let x"), theme("keyword"));
}

/// A pause in typing, after which what has changed is looked at.
async fn pause(desk: &mut Desk) {
    desk.wait(Duration::from_secs(3));
    desk.ide.idle().await;
}

#[tokio::test]
async fn whatever_comes_on_screen_is_coloured() {
    let mut code = "fn f() { return 1; }\n".repeat(3000);
    code.push_str("// the end\n");
    let mut desk = Plan::new().with("a.rs", code).start().await;
    desk.keys("Ctrl-End").await;
    assert_eq!(color(&mut desk, "// the end"), theme("comment"));
    assert_eq!(color(&mut desk, "fn f"), theme("keyword"));
    desk.keys("PageUp PageUp PageUp PageUp").await;
    assert_eq!(color(&mut desk, "return"), theme("keyword"));
}

#[tokio::test]
async fn texts_inside_texts_have_their_own_colours() {
    let page = "<p>hi</p>\n<script>\nconst number = 1;\n</script>\n";
    let mut desk =
        Plan::new().with("a.html", page).with("b.md", "# One\n\n```py\nreturn 5\n```\n").start().await;
    desk.keys("Alt-PageDown").await;
    if desk.shown() == "a.html" {
        assert_eq!(color(&mut desk, "const number"), theme("keyword"));
        desk.keys("Alt-PageDown").await;
    }
    assert_eq!(desk.shown(), "b.md");
    assert_eq!(color(&mut desk, "One"), theme("markup.heading"));
    assert_eq!(color(&mut desk, "return 5"), theme("keyword"));
    desk.keys("Alt-PageDown").await;
    assert_eq!(color(&mut desk, "const number"), theme("keyword"));
}

#[tokio::test]
async fn two_files_keep_their_own_colours() {
    let plan = Plan::new().with("a.txt", "return 1\n").with("b.py", "return 1\n");
    let mut desk = plan.start().await;
    for _ in 0..2 {
        let expected = if desk.shown() == "b.py" { "keyword" } else { "ui.text" };
        assert_eq!(color(&mut desk, "return 1"), theme(expected), "{}", desk.shown());
        desk.keys("Alt-PageDown").await;
    }
}

#[tokio::test]
async fn a_file_that_is_too_long_says_so() {
    let long = format!("[{}1]\n", "1,\n".repeat(3 << 20));
    let mut desk = Plan::new().with("a.json", long).start().await;
    assert!(desk.picture().contains("too long to colour"), "{}", desk.picture());
    desk.type_in("x").await;
    assert!(desk.text().starts_with("x["));
}

#[tokio::test]
async fn colours_by_name_need_no_colours() {
    let mut desk = Plan::new().colors(ColorDepth::None).with("a.rs", "fn f() {}\n").start().await;
    assert!(desk.picture().contains("fn f() {}"));
}

#[tokio::test]
async fn code_in_an_answer_is_coloured_when_it_is_complete() {
    let answer = "Try this:\n\n```rust\nfn answer() { return 42; }\n```\n\nand `this`.\n";
    let mut desk = Plan::new().turns([Turn::text(answer)]).start().await;
    desk.ask("how").await;
    assert_eq!(color(&mut desk, "fn answer"), theme("keyword"));
    assert_eq!(color(&mut desk, "42"), theme("constant.numeric"));
    let (x, y) = desk.find("42");
    let ground = Theme::builtin().style("markdown.code.block").bg.unwrap();
    assert_eq!(desk.ide.app().screen.buffer()[(x, y)].bg, ground);
    desk.ide.resize(50, 24);
    desk.ide.idle().await;
    assert_eq!(color(&mut desk, "fn answer"), theme("keyword"));
}

#[tokio::test]
async fn selections_grow_and_shrink_by_the_code() {
    let code = "fn f() {\n    g(1, 2);\n    g(3, 4);\n}\n";
    let mut desk = Plan::new().with("a.rs", code).start().await;
    desk.keys("Down Ctrl-e Left Left Left").await;
    desk.keys("Alt-v").await;
    assert_eq!(desk.selected(), ["2"]);
    desk.keys("Alt-v Alt-v").await;
    assert_eq!(desk.selected(), ["g(1, 2)"]);
    desk.keys("Alt-Shift-v").await;
    assert_eq!(desk.selected(), ["(1, 2)"]);
    desk.keys("Alt-Shift-v Alt-Shift-v Alt-Shift-v").await;
    assert_eq!(desk.message(), "No selection to shrink to");
    desk.ide.app().with_cx(|cx| {
        let command = bowline::ide::shell::catalog::CATALOG.command("syntax.function").unwrap();
        (command.run)(cx);
    });
    assert_eq!(desk.selected(), [code.trim_end()]);
    desk.type_in("x").await;
    assert_eq!(desk.text(), "x\n");
}

#[tokio::test]
async fn text_without_a_language_says_so() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.keys("Alt-v").await;
    assert_eq!(desk.message(), "No syntax tree for this file");
}

#[tokio::test]
async fn code_that_has_just_changed_is_not_selected_by_its_old_tree() {
    // Too long to be read anew by a key.
    let rest = "// é\n".repeat(20_000);
    let text = format!("fn main() {{\n    let a = \"ééééééééé\";\n    let b = (1, 2, 3);\n}}\n{rest}");
    let mut desk = Plan::new().with("a.rs", text).start().await;
    desk.keys("Ctrl-a").await;
    for key in ["Ctrl-k", "Ctrl-k", "Alt-v", "Alt-v", "Alt-v"] {
        let key = key.parse().unwrap();
        desk.ide.app().handle(Event::Input(Input::Key(key)));
    }
    desk.type_in("Q").await;
    assert!(desk.text().starts_with("Q    let a"), "{}", desk.text());
}

#[tokio::test]
async fn a_new_line_is_where_the_code_says() {
    let code = "fn f(a: u8,\n     b: u8) {\n  if a > b {\n     g();\n  }\n}\n";
    let mut desk = Plan::new().with("a.rs", code).start().await;
    desk.keys("Ctrl-Home Down Down Down Ctrl-e Enter").await;
    desk.type_in("h()").await;
    assert!(desk.text().contains("     g();\n     h()\n  }"), "{}", desk.text());
    desk.keys("Ctrl-z Ctrl-z Down Ctrl-e Alt-Enter").await;
    desk.type_in("k()").await;
    assert!(desk.text().contains("  }\n  k()\n}"), "{}", desk.text());
}

#[tokio::test]
async fn lines_are_indented_again_by_a_command() {
    let code = "fn é() {\nif a {\nb(\"x\n y\");\n      }\n\t}\n";
    let mut desk = Plan::new().with("a.rs", code).start().await;
    desk.keys("Alt-h Alt-7 =").await;
    assert_eq!(desk.text(), "fn é() {\n    if a {\n        b(\"x\n y\");\n    }\n}\n");
    pause(&mut desk).await;
    desk.keys("Alt-7 =").await;
    assert_eq!(desk.message(), "Lines are indented already");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), code);
}

#[tokio::test]
async fn many_lines_are_indented_again_on_a_task() {
    let code = format!("fn f() {{\n{}}}\n", "a();\n".repeat(400));
    let mut desk = Plan::new().with("a.rs", &code).start().await;
    desk.keys("Alt-h Alt-7 =").await;
    assert_eq!(desk.text(), code.replace("a();", "    a();"));
}

#[tokio::test]
async fn lines_are_indented_by_the_code_as_it_was_just_changed() {
    for lines in [2, 20_000] {
        let code = format!("fn f() {{\n{}}}\n", "a();\n".repeat(lines));
        let mut desk = Plan::new().with("a.rs", &code).start().await;
        desk.ide.press("x Backspace Alt-h Alt-7 =");
        desk.ide.idle().await;
        assert!(desk.text() == code.replace("a();", "    a();"), "{lines}: {}", desk.message());
    }
    let map = include_str!("../../keymaps/vim.toml");
    let code = "def é():\n    a\n    b\n";
    let mut desk = Plan::new().keymap(map).with("a.py", code).start().await;
    desk.type_now("jddugg=G");
    desk.ide.idle().await;
    assert_eq!(desk.text(), code, "no brackets say how far in these lines are");
}

#[tokio::test]
async fn a_word_that_closes_a_block_goes_under_what_it_closes() {
    let mut desk = Plan::new().with("a.rb", "").start().await;
    desk.type_in("def f").await;
    desk.keys("Enter").await;
    desk.type_in("if a").await;
    desk.keys("Enter").await;
    desk.type_in("b").await;
    desk.keys("Enter").await;
    desk.type_in("end").await;
    desk.keys("Enter").await;
    desk.type_in("end").await;
    let text = desk.text();
    let white: Vec<_> = text.lines().map(|line| line.len() - line.trim_start().len()).collect();
    assert_eq!(white, [0, 4, 8, 4, 0], "{text}");
}

#[tokio::test]
async fn the_operator_of_the_vim_map_indents_by_the_code_too() {
    let map = include_str!("../../keymaps/vim.toml");
    let code = "fn f() {\n    a\n.b();\nc(\n1\n);\n}\n";
    let mut desk = Plan::new().keymap(map).with("a.rs", code).start().await;
    desk.type_in("jj=G").await;
    assert_eq!(desk.text(), "fn f() {\n    a\n        .b();\n    c(\n        1\n    );\n}\n");
    assert_eq!(desk.cursor(), (3, 9));
    desk.type_in("ggo").await;
    desk.type_in("x").await;
    assert!(desk.text().starts_with("fn f() {\n    x\n"), "{}", desk.text());
}

#[tokio::test]
async fn languages_without_a_grammar_are_coloured_line_by_line() {
    let code = "# größe\nmy $x = \"text\";\n=pod\n\nwords\n\n=cut\nprint 17;\n";
    let mut desk = Plan::new().with("a.pl", code).start().await;
    assert_eq!(color(&mut desk, "# größe"), theme("comment"));
    assert_eq!(color(&mut desk, "\"text"), theme("string"));
    assert_eq!(color(&mut desk, "words"), theme("comment.block.documentation"));
    assert_eq!(color(&mut desk, "print"), theme("function.builtin"));
    desk.keys("Ctrl-End").await;
    desk.type_in("# end").await;
    pause(&mut desk).await;
    assert_eq!(color(&mut desk, "# end"), theme("comment"));
    desk.keys("Ctrl-Home").await;
    desk.type_in("=pod\n\n").await;
    pause(&mut desk).await;
    let comment = theme("comment.block.documentation");
    assert_eq!(color(&mut desk, "my $x"), comment, "what is above decides about what is below");
    assert_eq!(color(&mut desk, "print"), theme("function.builtin"), "as far as it reaches");
}

#[tokio::test]
async fn fenced_code_without_a_grammar_has_colours() {
    let answer = "see:\n\n```perl\nmy $x = 17; # né\n```\n\nend";
    let mut desk = Plan::new().turns([Turn::text(answer)]).start().await;
    desk.ask("show").await;
    desk.ide.idle().await;
    assert_eq!(color(&mut desk, "my $x"), theme("keyword"));
    assert_eq!(color(&mut desk, "# né"), theme("comment"));
}
