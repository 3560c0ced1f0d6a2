//! What the syntax tree gives beside colors: names that belong together, brackets by their
//! depth, the outline, motions by parts of the code.

use bowline::ide::core::event::Event;
use bowline::ide::core::layers::picker::Picker;
use bowline::tui::input::Input;
use bowline::tui::theme::Theme;
use ratatui::style::Color;

use crate::support::desk::{Desk, Plan};

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

async fn desk() -> Desk {
    Plan::new().with("a.rs", CODE).start().await
}

#[tokio::test]
async fn a_local_name_is_changed_in_all_its_places() {
    let mut desk = desk().await;
    desk.keys("Ctrl-Home").await;
    for _ in 0..14 {
        desk.keys("Down").await;
    }
    desk.keys("Home Right Right Alt-7 l").await;
    assert_eq!(desk.selected(), ["y", "y", "y"]);
    assert_eq!(desk.message(), "3 occurrences");
    desk.type_in("né").await;
    assert!(desk.text().contains("let né = h(1);\n        k(né, né)"), "{}", desk.text());
}

#[tokio::test]
async fn what_is_no_local_name_is_refused() {
    let mut desk = desk().await;
    desk.keys("Alt-7 l").await;
    assert_eq!(desk.message(), "this name is not that of a parameter or a local variable");
    let mut desk = Plan::new().with("a.txt", "x").start().await;
    desk.keys("Alt-7 l").await;
    assert_eq!(desk.message(), "This file is not parsed, or not yet");
}

/// The color of a cell.
fn color(desk: &mut Desk, (x, y): (u16, u16)) -> Color {
    desk.ide.app().frame();
    desk.ide.app().screen.buffer()[(x, y)].fg
}

#[tokio::test]
async fn brackets_have_colours_by_their_depth_where_that_is_wanted() {
    let mut desk = Plan::new().with("a.rs", "fn f() { g([1], \"(\") }\n").start().await;
    let theme = |scope: &'static str| Theme::builtin().style(scope).fg.unwrap();
    let (x, y) = desk.find("fn f()");
    let usual = color(&mut desk, (x + 4, y));
    desk.keys("Alt-7 r").await;
    assert_eq!(desk.message(), "rainbow brackets: on");
    let of: Vec<Color> = [4, 7, 10, 11, 13, 19, 21].map(|dx| color(&mut desk, (x + dx, y))).to_vec();
    let depths = ["rainbow.1", "rainbow.1", "rainbow.2", "rainbow.3", "rainbow.3", "rainbow.2", "rainbow.1"];
    assert_eq!(of, depths.map(theme));
    assert_eq!(color(&mut desk, (x + 17, y)), theme("string"), "a bracket in a string is text");
    // They go along with what is typed before the next look.
    desk.type_now("//");
    desk.keys("Ctrl-z Alt-7 r").await;
    assert_eq!(color(&mut desk, (x + 4, y)), usual);
}

#[tokio::test]
async fn the_outline_goes_to_what_is_picked() {
    let mut desk = desk().await;
    desk.keys("Alt-7 s").await;
    desk.snap("outline");
    desk.type_in("sec").await;
    desk.keys("Enter").await;
    assert_eq!(desk.cursor(), (13, 8));
    desk.keys("Alt-' o").await;
    assert_eq!(desk.cursor(), (1, 1), "a jump was noted");
    let mut desk = Plan::new().with("a.txt", "x").start().await;
    desk.keys("Alt-7 s").await;
    assert!(desk.picture().contains("Go to symbol"));
}

#[tokio::test]
async fn the_outline_is_that_of_the_text_as_it_is() {
    let mut desk = Plan::new().with("a.rs", "// é\nfn one() {}\nfn two() {}\n").start().await;
    // No frame comes between these keys.
    for key in ["Alt-h", "Delete", "é", "Alt-7", "s"] {
        desk.ide.app().handle(Event::Input(Input::Key(key.parse().unwrap())));
    }
    desk.ide.idle().await;
    let Some(picker) = desk.state().layers.top::<Picker>() else { panic!("no picker") };
    assert_eq!(picker.total(), 0);
}

#[tokio::test]
async fn parts_are_found_in_a_text_that_was_changed_just_now() {
    let map = include_str!("../../keymaps/vim.toml");
    let code = "// one\nfn é() {\n    a\n}\nfn b() {}\n";
    let mut desk = Plan::new().keymap(map).with("a.rs", code).start().await;
    desk.type_now("dddif]fdaf");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "fn é() {\n    \n}\n\n", "{}", desk.message());
}

#[tokio::test]
async fn cursors_go_from_part_to_part() {
    let mut desk = desk().await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        desk.keys("Alt-7 f").await;
        seen.push(desk.cursor());
    }
    assert_eq!(seen, [(8, 5), (13, 5), (19, 1), (19, 1)]);
    assert_eq!(desk.message(), "No more of them here");
    desk.keys("Alt-7 F Alt-7 F").await;
    assert_eq!(desk.cursor(), (8, 5));
    desk.keys("Alt-7 a Alt-7 a").await;
    assert_eq!(desk.cursor(), (8, 21), "the second parameter behind self");
    desk.keys("Alt-7 t").await;
    assert_eq!(desk.cursor(), (12, 5));
    desk.keys("Alt-7 K Alt-7 C").await;
    assert_eq!(desk.cursor(), (5, 1));
}

#[tokio::test]
async fn parts_are_selected_inside_and_around_at_every_cursor() {
    let mut desk = desk().await;
    desk.keys("Alt-7 f Right Ctrl-Alt-Down Ctrl-Alt-Down Ctrl-Alt-Down Ctrl-Alt-Down Ctrl-Alt-Down").await;
    desk.keys("Alt-7 i f").await;
    assert_eq!(desk.selected().first().map(String::as_str), Some("g(é, x)"));
    assert!(desk.selected().contains(&"let y = h(1);\n        k(y, y)".to_string()), "{:?}", desk.selected());
    desk.keys("Escape Ctrl-Home Alt-7 f Alt-7 a Alt-7 a Alt-7 o a").await;
    assert_eq!(desk.selected(), ["é: u8, "]);
    desk.keys("Left Alt-7 i a").await;
    assert_eq!(desk.selected(), ["é: u8"]);
    desk.keys("Alt-7 n").await;
    assert_eq!(desk.selected(), ["x: u8"]);
    desk.keys("Alt-7 u").await;
    assert_eq!(desk.selected(), ["(&self, é: u8, x: u8)"]);
    desk.keys("Alt-7 d").await;
    assert_eq!(desk.selected(), ["&self"]);
    desk.keys("Alt-7 K Alt-7 o k").await;
    assert_eq!(desk.selected(), ["// One\n    // two"]);
}

#[tokio::test]
async fn blocks_of_lines_are_selected_and_cut() {
    let mut desk = desk().await;
    desk.keys("Alt-7 f Down Alt-7 b").await;
    assert_eq!(desk.selected(), ["        g(é, x)\n"]);
    desk.keys("Escape Ctrl-Home Alt-7 f Down Alt-7 x").await;
    assert!(desk.text().contains("-> u8 {\n    }\n"), "{}", desk.text());
    desk.keys("Ctrl-y").await;
    assert!(desk.text().contains("        g(é, x)\n"), "{}", desk.text());
}

#[tokio::test]
async fn the_vim_map_has_them_for_operators() {
    let map = include_str!("../../keymaps/vim.toml");
    let mut desk = Plan::new().keymap(map).with("a.rs", CODE).start().await;
    desk.type_in("]f").await;
    assert_eq!(desk.cursor(), (8, 5));
    desk.type_in("2]f[f").await;
    assert_eq!(desk.cursor(), (13, 5));
    desk.type_in("jdif").await;
    assert!(desk.text().contains("fn second() {\n    }"), "{}", desk.text());
    let mut desk = Plan::new().keymap(map).with("a.rs", CODE).start().await;
    desk.type_in("]fvif").await;
    assert_eq!(desk.selected(), ["g(é, x)"]);
    desk.keys("Escape").await;
    desk.type_in("gg0d]t").await;
    assert!(desk.text().starts_with("impl"), "{}", desk.text());
}

#[tokio::test]
async fn the_helix_map_selects_them() {
    let map = include_str!("../../keymaps/helix.toml");
    let mut desk = Plan::new().keymap(map).with("a.rs", CODE).start().await;
    desk.type_in("]f").await;
    assert_eq!(desk.selected(), ["fn first(&self, é: u8, x: u8) -> u8 {\n        g(é, x)\n    }"]);
    desk.type_in("mif").await;
    assert_eq!(desk.selected(), ["g(é, x)"]);
    desk.type_in("mat").await;
    assert!(desk.selected()[0].starts_with("impl Ä {"), "{:?}", desk.selected());
    desk.type_in("]T").await;
    assert!(desk.selected()[0].starts_with("#[test]"), "{:?}", desk.selected());
}
