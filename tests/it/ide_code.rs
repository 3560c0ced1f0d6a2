//! What the syntax tree gives beside colors: names that belong together, brackets by their
//! depth, the outline, motions by parts of the code.

use bowline::ide::core::event::Event;
use bowline::ide::core::layers::picker::Picker;
use bowline::tui::input::Input;
use bowline::tui::theme::Theme;
use ratatui::style::Color;

use crate::support::test_ide::{IdeSetup, TestIde};

const CODE: &str = "\
struct Ä {
    b: u8,
}

impl Ä {
    // One
    // two
    fn first(&self, é: u8, x: u8) -> u8 {
        g(é, x)
    }

    #[test]
    fn second() {
        let y = h(1);
        k(y, y)
    }
}

fn last() {}
";

async fn ide() -> TestIde {
    IdeSetup::new().with("a.rs", CODE).start().await
}

#[tokio::test]
async fn select_local_name_selects_all_occurrences() {
    let mut ide = ide().await;
    ide.keys("Ctrl-Home").await;
    for _ in 0..14 {
        ide.keys("Down").await;
    }
    ide.keys("Home Right Right Alt-7 l").await;
    assert_eq!(ide.selected_texts(), ["y", "y", "y"]);
    assert_eq!(ide.status_message(), "3 occurrences");
    ide.type_in("né").await;
    assert!(ide.text().contains("let né = h(1);\n        k(né, né)"), "{}", ide.text());
}

#[tokio::test]
async fn select_local_name_rejects_other_names() {
    let mut ide = ide().await;
    ide.keys("Alt-7 l").await;
    assert_eq!(ide.status_message(), "this name is not that of a parameter or a local variable");
    let mut ide = IdeSetup::new().with("a.txt", "x").start().await;
    ide.keys("Alt-7 l").await;
    assert_eq!(ide.status_message(), "This file is not parsed, or not yet");
}

/// The color of a cell.
fn color_at(ide: &mut TestIde, (x, y): (u16, u16)) -> Color {
    ide.headless.app().frame();
    ide.headless.app().screen.buffer()[(x, y)].fg
}

#[tokio::test]
async fn rainbow_brackets_color_by_depth() {
    let mut ide = IdeSetup::new().with("a.rs", "fn f() { g([1], \"(\") }\n").start().await;
    let theme = |scope: &'static str| Theme::builtin().style(scope).fg.unwrap();
    let (x, y) = ide.find("fn f()");
    let usual = color_at(&mut ide, (x + 4, y));
    ide.keys("Alt-7 r").await;
    assert_eq!(ide.status_message(), "rainbow brackets: on");
    let of: Vec<Color> = [4, 7, 10, 11, 13, 19, 21].map(|dx| color_at(&mut ide, (x + dx, y))).to_vec();
    let depths = ["rainbow.1", "rainbow.1", "rainbow.2", "rainbow.3", "rainbow.3", "rainbow.2", "rainbow.1"];
    assert_eq!(of, depths.map(theme));
    assert_eq!(color_at(&mut ide, (x + 17, y)), theme("string"), "a bracket in a string is text");
    // They go along with what is typed before the next look.
    ide.type_without_settling("//");
    ide.keys("Ctrl-z Alt-7 r").await;
    assert_eq!(color_at(&mut ide, (x + 4, y)), usual);
}

#[tokio::test]
async fn symbol_picker_jumps_to_selection() {
    let mut ide = ide().await;
    ide.keys("Alt-7 s").await;
    ide.snap("outline");
    ide.type_in("sec").await;
    ide.keys("Enter").await;
    assert_eq!(ide.cursor(), (13, 8));
    ide.keys("Alt-' o").await;
    assert_eq!(ide.cursor(), (1, 1), "a jump was noted");
    let mut ide = IdeSetup::new().with("a.txt", "x").start().await;
    ide.keys("Alt-7 s").await;
    assert!(ide.picture().contains("Go to symbol"));
}

#[tokio::test]
async fn symbol_picker_uses_current_text() {
    let mut ide = IdeSetup::new().with("a.rs", "// é\nfn one() {}\nfn two() {}\n").start().await;
    // No frame comes between these keys.
    for key in ["Alt-h", "Delete", "é", "Alt-7", "s"] {
        ide.headless.app().handle(Event::Input(Input::Key(key.parse().unwrap())));
    }
    ide.headless.idle().await;
    let Some(picker) = ide.state().layers.top::<Picker>() else { panic!("no picker") };
    assert_eq!(picker.total(), 0);
}

#[tokio::test]
async fn text_objects_use_current_text() {
    let map = include_str!("../../keymaps/vim.toml");
    let code = "// one\nfn é() {\n    a\n}\nfn b() {}\n";
    let mut ide = IdeSetup::new().keymap(map).with("a.rs", code).start().await;
    ide.type_without_settling("dddif]fdaf");
    ide.headless.idle().await;
    assert_eq!(ide.text(), "fn é() {\n    \n}\n\n", "{}", ide.status_message());
}

#[tokio::test]
async fn syntax_motions_jump_between_functions_and_parameters() {
    let mut ide = ide().await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        ide.keys("Alt-7 f").await;
        seen.push(ide.cursor());
    }
    assert_eq!(seen, [(8, 5), (13, 5), (19, 1), (19, 1)]);
    assert_eq!(ide.status_message(), "No more of them here");
    ide.keys("Alt-7 F Alt-7 F").await;
    assert_eq!(ide.cursor(), (8, 5));
    ide.keys("Alt-7 a Alt-7 a").await;
    assert_eq!(ide.cursor(), (8, 21), "the second parameter behind self");
    ide.keys("Alt-7 t").await;
    assert_eq!(ide.cursor(), (12, 5));
    ide.keys("Alt-7 K Alt-7 C").await;
    assert_eq!(ide.cursor(), (5, 1));
}

#[tokio::test]
async fn text_objects_select_inside_and_around_at_every_cursor() {
    let mut ide = ide().await;
    ide.keys("Alt-7 f Right Ctrl-Alt-Down Ctrl-Alt-Down Ctrl-Alt-Down Ctrl-Alt-Down Ctrl-Alt-Down").await;
    ide.keys("Alt-7 i f").await;
    assert_eq!(ide.selected_texts().first().map(String::as_str), Some("g(é, x)"));
    assert!(
        ide.selected_texts().contains(&"let y = h(1);\n        k(y, y)".to_string()),
        "{:?}",
        ide.selected_texts()
    );
    ide.keys("Escape Ctrl-Home Alt-7 f Alt-7 a Alt-7 a Alt-7 o a").await;
    assert_eq!(ide.selected_texts(), ["é: u8, "]);
    ide.keys("Left Alt-7 i a").await;
    assert_eq!(ide.selected_texts(), ["é: u8"]);
    ide.keys("Alt-7 n").await;
    assert_eq!(ide.selected_texts(), ["x: u8"]);
    ide.keys("Alt-7 u").await;
    assert_eq!(ide.selected_texts(), ["(&self, é: u8, x: u8)"]);
    ide.keys("Alt-7 d").await;
    assert_eq!(ide.selected_texts(), ["&self"]);
    ide.keys("Alt-7 K Alt-7 o k").await;
    assert_eq!(ide.selected_texts(), ["// One\n    // two"]);
}

#[tokio::test]
async fn code_block_can_be_selected_and_cut() {
    let mut ide = ide().await;
    ide.keys("Alt-7 f Down Alt-7 b").await;
    assert_eq!(ide.selected_texts(), ["        g(é, x)\n"]);
    ide.keys("Escape Ctrl-Home Alt-7 f Down Alt-7 x").await;
    assert!(ide.text().contains("-> u8 {\n    }\n"), "{}", ide.text());
    ide.keys("Ctrl-y").await;
    assert!(ide.text().contains("        g(é, x)\n"), "{}", ide.text());
}

#[tokio::test]
async fn vim_keymap_text_objects_work_with_operators() {
    let map = include_str!("../../keymaps/vim.toml");
    let mut ide = IdeSetup::new().keymap(map).with("a.rs", CODE).start().await;
    ide.type_in("]f").await;
    assert_eq!(ide.cursor(), (8, 5));
    ide.type_in("2]f[f").await;
    assert_eq!(ide.cursor(), (13, 5));
    ide.type_in("jdif").await;
    assert!(ide.text().contains("fn second() {\n    }"), "{}", ide.text());
    let mut ide = IdeSetup::new().keymap(map).with("a.rs", CODE).start().await;
    ide.type_in("]fvif").await;
    assert_eq!(ide.selected_texts(), ["g(é, x)"]);
    ide.keys("Escape").await;
    ide.type_in("gg0d]t").await;
    assert!(ide.text().starts_with("impl"), "{}", ide.text());
}

#[tokio::test]
async fn helix_keymap_selects_text_objects() {
    let map = include_str!("../../keymaps/helix.toml");
    let mut ide = IdeSetup::new().keymap(map).with("a.rs", CODE).start().await;
    ide.type_in("]f").await;
    assert_eq!(ide.selected_texts(), ["fn first(&self, é: u8, x: u8) -> u8 {\n        g(é, x)\n    }"]);
    ide.type_in("mif").await;
    assert_eq!(ide.selected_texts(), ["g(é, x)"]);
    ide.type_in("mat").await;
    assert!(ide.selected_texts()[0].starts_with("impl Ä {"), "{:?}", ide.selected_texts());
    ide.type_in("]T").await;
    assert!(ide.selected_texts()[0].starts_with("#[test]"), "{:?}", ide.selected_texts());
}
