//! Pickers: files beside their lists, letters that match, names before folders, and heights.

use bowline::ide::core::layers::picker::Picker;
use bowline::tui::theme::Theme;
use ratatui::style::Color;

use crate::support::test_ide::{IdeSetup, TestIde};

fn color_of(scope: &'static str) -> Option<Color> {
    Theme::builtin().style(scope).fg
}

/// The color of the first letter of a text on the screen.
fn color(ide: &mut TestIde, text: &str) -> Color {
    let (x, y) = ide.find(text);
    ide.headless.app().screen.buffer()[(x, y)].fg
}

async fn go_to_file(ide: &mut TestIde, query: &str) {
    ide.keys("Ctrl-p Ctrl-u").await;
    ide.type_in(query).await;
    ide.headless.idle().await;
}

#[tokio::test]
async fn picker_shows_selected_file_in_its_colors() {
    let code = "fn answer() -> u8 {\n\t42 // why\u{1b}[2J\n}\n";
    let setup = IdeSetup::new().file("src/deep/answer.rs", code).file("notes.txt", "plain words\n");
    let mut ide = setup.size(120, 30).start().await;
    go_to_file(&mut ide, "answer").await;
    let picture = ide.picture();
    assert!(
        picture.contains("1 fn answer() -> u8 {") && picture.contains("2     42 // why␛[2J"),
        "{picture}"
    );
    assert_eq!(Some(color(&mut ide, "fn answer")), color_of("keyword"));
    assert!(picture.contains("answer.rs  src/deep"), "the name comes first: {picture}");
    assert_eq!(Some(color(&mut ide, "answer.rs")), color_of("ui.overlay.title"), "letters that match");
    assert_eq!(Some(color(&mut ide, "rs  src")), color_of("ui.overlay"));
    assert_eq!(Some(color(&mut ide, "src/deep")), color_of("ui.overlay.faint"));
    ide.snap("picker_preview");
    ide.headless.resize(60, 30);
    assert!(!ide.picture().contains("fn answer()"), "no room: {}", ide.picture());
}

#[tokio::test]
async fn picker_says_why_a_file_is_not_shown() {
    let setup = IdeSetup::new().file("image.bin", b"a\0b").file("large.txt", "x".repeat(2 << 20));
    let mut ide = setup.file("gone.txt", "here").size(120, 30).start().await;
    for (query, message) in [("image.bin", "Binary file, 3 bytes"), ("large", "2 MB, too large to show here")]
    {
        go_to_file(&mut ide, query).await;
        assert!(ide.picture().contains(message), "{query}: {}", ide.picture());
        ide.keys("Escape").await;
    }
    std::fs::remove_file(ide.path("gone.txt")).unwrap();
    std::fs::create_dir(ide.path("gone.txt")).unwrap();
    go_to_file(&mut ide, "gone").await;
    assert!(ide.picture().contains("gone.txt") && ide.picture().contains("Folder"), "{}", ide.picture());
}

#[tokio::test]
async fn picker_shows_the_text_of_an_open_file_as_it_is_now() {
    let text = (1..=99).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().with("a.txt", text).size(120, 30).start().await;
    ide.type_in("unsaved ").await;
    go_to_file(&mut ide, "a.txt").await;
    assert!(ide.picture().contains("1 unsaved line 1"), "{}", ide.picture());
}

#[tokio::test]
async fn grep_shows_the_line_of_the_selected_hit() {
    let text = (1..=99).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().file("a.txt", text).size(120, 30).start().await;
    ide.keys("Alt-6 g").await;
    ide.type_in("line 70").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("65 line 65") && picture.contains("75 line 75"), "{picture}");
    let (x, y) = ide.find("70 line 70");
    let ground = ide.headless.app().screen.buffer()[(x, y)].bg;
    assert_eq!(Some(ground), Theme::builtin().style("ui.row").bg);
}

#[tokio::test]
async fn picker_is_as_high_as_its_rows() {
    let mut ide = IdeSetup::new().size(100, 30).start().await;
    ide.keys("F1").await;
    let rows = |ide: &mut TestIde| {
        let picture = ide.picture();
        let at = |sign: char| picture.lines().position(|line| line.contains(sign)).unwrap();
        at('╰') - at('╭') + 1
    };
    let all = rows(&mut ide);
    ide.type_in("choose theme").await;
    let matches = ide.state().layers.top::<Picker>().unwrap().matches() as usize;
    assert!(matches < 9 && rows(&mut ide) == matches + 3, "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    assert_eq!(rows(&mut ide), all);
    ide.type_in("nothing like that zzz").await;
    assert_eq!(rows(&mut ide), 4, "{}", ide.picture());
}

#[tokio::test]
async fn picker_opens_the_row_in_a_new_window() {
    let setup = IdeSetup::new().with("a.txt", "one\n").file("b.txt", "two\n").file("c.txt", "three\n");
    let mut ide = setup.size(140, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("b.txt").await;
    ide.keys("Ctrl-v").await;
    ide.headless.idle().await;
    assert_eq!((ide.state().windows.count(), ide.text().as_str()), (2, "two\n"), "{}", ide.picture());
    ide.keys("Ctrl-p").await;
    ide.type_in("c.txt").await;
    ide.keys("Ctrl-s").await;
    ide.headless.idle().await;
    assert_eq!((ide.state().windows.count(), ide.text().as_str()), (3, "three\n"));
    for text in ["one", "two", "three"] {
        assert!(ide.picture().contains(text), "{}", ide.picture());
    }
    ide.keys("Alt-3 F1 Ctrl-v").await;
    assert_eq!(ide.state().windows.count(), 3, "no place in a file is selected");
}

#[tokio::test]
async fn picker_reopens_with_its_query_and_row() {
    let setup = IdeSetup::new().with("a.rs", "let needle = 1;\nlet needle = 2;\nneedle();\n");
    let mut ide = setup.size(140, 40).start().await;
    ide.keys("Alt-' '").await;
    assert_eq!(ide.status_message(), "No list to reopen");
    for accept in ["Enter", "Escape"] {
        ide.keys("Alt-6 g").await;
        ide.type_in("needle").await;
        ide.headless.idle().await;
        ide.keys("Down Down").await;
        ide.keys(accept).await;
        ide.keys("Alt-2 Ctrl-Home Alt-' '").await;
        ide.headless.idle().await;
        let picker = ide.state().layers.top::<Picker>().unwrap();
        assert_eq!((picker.query.text().to_string(), picker.selected), ("needle".to_string(), 2));
        ide.keys("Enter").await;
        assert_eq!(ide.cursor().0, 3, "{}", ide.picture());
    }
}

#[tokio::test]
async fn picker_keeps_its_preview_below_a_view_that_closes_again() {
    let setup = IdeSetup::new().size(120, 30).with("a.rs", "fn one() {}\n").with("b.rs", "fn two() {}\n");
    let mut ide = setup.start().await;
    ide.keys("Alt-b").await;
    ide.wait_for_text("1 fn").await;
    ide.keys("Alt-g").await;
    assert!(ide.state().layers.top::<Picker>().is_none() && !ide.picture().contains("1 fn"));
    // It is there with the first frame.
    ide.headless.press("Escape");
    assert!(ide.state().layers.top::<Picker>().is_some());
    assert!(ide.picture().contains("1 fn"), "{}", ide.picture());
}

/// What is beside the list, some time after the file was changed behind the IDE's back.
async fn picture_later(ide: &mut TestIde) -> String {
    ide.advance(std::time::Duration::from_secs(1));
    ide.headless.idle().await;
    ide.picture()
}

#[tokio::test]
async fn picker_shows_a_file_anew_that_another_program_changes() {
    let setup = IdeSetup::new().file("code.rs", "fn before() {}\n").file("other.txt", "words\n");
    let mut ide = setup.size(120, 30).start().await;
    go_to_file(&mut ide, "").await;
    assert!(ide.picture().contains("1 fn before() {}"), "{}", ide.picture());
    ide.write_file("code.rs", "fn behind() {}\n");
    let picture = picture_later(&mut ide).await;
    assert!(picture.contains("1 fn behind() {}"), "while it is selected: {picture}");
    assert_eq!(Some(color(&mut ide, "fn behind")), color_of("keyword"));
    ide.keys("Down").await;
    ide.headless.idle().await;
    ide.write_file("code.rs", "fn third() {}\n");
    ide.keys("Up").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("1 fn third() {}"), "when it is selected again: {}", ide.picture());
    std::fs::remove_file(ide.path("code.rs")).unwrap();
    let picture = picture_later(&mut ide).await;
    assert!(!picture.contains("third") && picture.contains("code.rs"), "{picture}");
    ide.write_file("code.rs", "fn back() {}\n");
    let picture = picture_later(&mut ide).await;
    assert!(picture.contains("1 fn back() {}"), "{picture}");
}

#[tokio::test]
async fn picker_does_not_read_what_is_no_text_or_too_long() {
    let setup = IdeSetup::new().file("thing.txt", "words\n").file("b.txt", "others\n");
    let mut ide = setup.size(120, 30).start().await;
    go_to_file(&mut ide, "thing").await;
    assert!(ide.picture().contains("1 words"), "{}", ide.picture());
    let path = ide.path("thing.txt");
    std::fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let picture = picture_later(&mut ide).await;
    assert!(picture.contains("Not a regular file"), "{picture}");
    std::fs::remove_file(&path).unwrap();
    std::fs::File::create(&path).unwrap().set_len(10 << 30).unwrap();
    let picture = picture_later(&mut ide).await;
    assert!(picture.contains("10 GB, too large to show here"), "{picture}");
    ide.write_file("thing.txt", b"a\0\x1b]0;x\x07");
    let picture = picture_later(&mut ide).await;
    assert!(picture.contains("Binary file, 8 bytes"), "{picture}");
    go_to_file(&mut ide, "b.txt").await;
    assert!(ide.picture().contains("1 others"), "others are read as before: {}", ide.picture());
}

#[tokio::test]
async fn picker_shows_control_characters_of_names_as_signs() {
    let name = "odd\u{1b}[2J\n\u{7}name.txt";
    let mut ide = IdeSetup::new().file(name, "words\n").size(120, 30).start().await;
    go_to_file(&mut ide, "odd").await;
    let picture = ide.picture();
    assert!(picture.contains("1 words") && picture.contains("odd␛[2J␊␇name.txt"), "{picture}");
    std::fs::remove_file(ide.path(name)).unwrap();
    let picture = picture_later(&mut ide).await;
    assert!(!picture.contains("1 words"), "{picture}");
    assert!(!picture.contains('\u{1b}') && !picture.contains('\u{7}'), "{picture:?}");
}
