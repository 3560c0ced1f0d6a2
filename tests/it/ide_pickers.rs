//! Keys in pickers: those that F2 lists, Enter without a match, and rows marked together.

use bowline::ide::core::damage::Part;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::model::buffers::Buffer;
use bowline::tui::input::{Button, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

fn open_picker(ide: &mut TestIde) -> Option<&'static str> {
    ide.state().layers.top::<Picker>().map(|picker| picker.spec.id)
}

fn names(ide: &mut TestIde) -> Vec<String> {
    ide.state().buffers.all().iter().map(Buffer::name).collect()
}

fn listed(ide: &mut TestIde) -> Vec<String> {
    let picker = ide.state().layers.top::<Picker>().unwrap();
    picker.rows(0, picker.matches()).map(|row| row.text.clone()).collect()
}

#[tokio::test]
async fn picker_keys_are_those_of_the_list() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 40).start().await;
    ide.keys("Ctrl-p F2").await;
    ide.headless.idle().await;
    let keys = listed(&mut ide);
    let has = |keys: &[String], key: &str, title: &str| {
        keys.iter().any(|row| row.split_once(' ').is_some_and(|(k, t)| k == key && t.trim() == title))
    };
    assert!(
        has(&keys, "Tab", "Mark or unmark row") && has(&keys, "Ctrl-n", "Move down in list"),
        "{keys:#?}"
    );
    assert!(has(&keys, "F1", "Show command palette"), "keys that work everywhere");
    assert!(!keys.iter().any(|row| row.contains("Go to definition")), "keys of the editor: {keys:#?}");
    assert!(!has(&keys, "Ctrl-p", "Go to file"), "the list has another use for the key");
    assert!(!has(&keys, "Ctrl-r", "Reset selected row"), "keys of another list: {keys:#?}");
    ide.snap("picker_keys_in_list");
    ide.keys("Escape Escape F1 F2").await;
    assert!(!has(&listed(&mut ide), "Tab", "Mark or unmark row"), "one command is run at a time");
    ide.keys("Escape Escape Ctrl-, F2").await;
    ide.headless.idle().await;
    assert!(has(&listed(&mut ide), "Ctrl-r", "Reset selected row"));
    ide.keys("Escape Escape F2").await;
    assert!(!has(&listed(&mut ide), "Ctrl-n", "Move down in list"), "in the editor as before");
}

#[tokio::test]
async fn picker_enter_without_matches_keeps_the_list() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(100, 30).start().await;
    for (keys, id) in [("Ctrl-p", "files"), ("F1", "commands"), ("Ctrl-,", "settings"), ("Alt-b", "buffers")]
    {
        ide.keys(keys).await;
        ide.type_in("qqzzxx").await;
        ide.headless.idle().await;
        ide.keys("Enter").await;
        ide.headless.idle().await;
        assert_eq!(open_picker(&mut ide), Some(id), "{}", ide.picture());
        assert_eq!(ide.status_message(), "No matches to choose");
        ide.keys("Escape").await;
    }
    ide.keys("Ctrl-p").await;
    ide.type_in("a.txtq").await;
    ide.keys("Enter Backspace Enter").await;
    assert_eq!(
        (open_picker(&mut ide), ide.text().as_str()),
        (None, "one\n"),
        "the corrected query is accepted"
    );
}

/// A key that needs the matches waits for them: what it found is drawn, whatever the key does then.
#[tokio::test]
async fn picker_key_that_waits_for_matches_has_them_drawn() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.keys("Alt-m").await;
    ide.headless.idle().await;
    let state = ide.state();
    let picker = state.layers.top_mut::<Picker>().unwrap();
    assert!(picker.matches() > 0);
    // The query is on screen, its matches are not.
    picker.query.set("no such row", 0);
    picker.refilter();
    state.damage.add(Part::Overlay);
    drop(ide.picture());
    // The key needs the rows; the frame behind it is compared with a full redraw.
    ide.headless.press("Ctrl-l");
    assert_eq!(ide.state().layers.top::<Picker>().unwrap().matches(), 0);
}

#[tokio::test]
async fn picker_opens_all_marked_rows() {
    let setup = IdeSetup::new().with("a.txt", "one\n").file("b.txt", "two\n").file("c.txt", "three\n");
    let mut ide = setup.file("d.txt", "four\n").size(140, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("txt").await;
    ide.headless.idle().await;
    let rows = listed(&mut ide);
    let at = |name: &str| rows.iter().position(|row| row == name).unwrap();
    // Each mark moves on, so that the next row is marked by the next key.
    ide.keys("Tab Tab Tab Tab").await;
    assert!(ide.picture().contains("4 marked"), "{}", ide.picture());
    for _ in 0..3 - at("a.txt") {
        ide.keys("Up").await;
    }
    ide.keys("Shift-Tab").await;
    assert!(ide.picture().contains("3 marked"), "{}", ide.picture());
    ide.snap("picker_marked");
    ide.keys("Enter").await;
    ide.headless.idle().await;
    let wanted: Vec<String> = rows.iter().filter(|row| *row != "a.txt").cloned().collect();
    assert_eq!(names(&mut ide), [vec!["a.txt".to_string()], wanted.clone()].concat());
    let shown = ide.state().buffers.current().unwrap().name();
    assert_eq!(Some(&shown), wanted.last(), "the last one is shown");
    ide.keys("Ctrl-p").await;
    ide.type_in("a.txt").await;
    ide.keys("Tab Ctrl-u").await;
    ide.type_in("b.txt").await;
    ide.keys("Ctrl-v").await;
    ide.headless.idle().await;
    assert_eq!(
        (ide.state().windows.count(), ide.text().as_str()),
        (2, "two\n"),
        "the row, not the marked ones"
    );
}

#[tokio::test]
async fn picker_opens_marked_hits_at_their_lines() {
    let setup = IdeSetup::new().with("a.rs", "x\nlet needle = 1;\n").file("b.rs", "x\nx\n  needle();\n");
    let mut ide = setup.size(140, 40).start().await;
    ide.keys("Alt-6 g").await;
    ide.type_in("needle").await;
    ide.headless.idle().await;
    ide.keys("Tab Tab Enter").await;
    ide.headless.idle().await;
    assert_eq!(names(&mut ide), ["a.rs", "b.rs"]);
    assert_eq!(ide.cursor(), (3, 3), "{}", ide.picture());
}

#[tokio::test]
async fn picker_rows_become_an_editable_list() {
    let setup =
        IdeSetup::new().with("a.rs", "x\nlet needle = 1;\n").file("b.rs", "x\r\nx\r\n  needle();\r\n");
    let mut ide = setup.file("c.rs", "needle\n").size(140, 40).start().await;
    ide.keys("Alt-2 Ctrl-End").await;
    ide.type_in("needle too").await;
    ide.keys("Alt-6 g").await;
    ide.type_in("needle").await;
    ide.headless.idle().await;
    ide.keys("Tab Tab Tab Up Tab Ctrl-l").await;
    ide.headless.idle().await;
    assert_eq!(open_picker(&mut ide), None);
    // The third one was marked and unmarked again. The text that is not saved yet is listed as it is.
    assert_eq!(ide.text(), "a.rs:2:let needle = 1;\na.rs:3:needle too\n");
    ide.state().buffers.current_mut().unwrap().place_cursor((1, 1), 4);
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (2, 5), "at the hit: {}", ide.picture());
    ide.keys("F1 Ctrl-l").await;
    assert_eq!(ide.status_message(), "No list of places in files is open");
    assert_eq!(open_picker(&mut ide), Some("commands"));
}

#[tokio::test]
async fn picker_files_become_a_list_of_their_first_lines() {
    let setup = IdeSetup::new().with("a.txt", "one\ntwo\n").file("b.bin", "\0\0\0").file("c.txt", "three\n");
    let mut ide = setup.size(140, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.headless.idle().await;
    ide.keys("Ctrl-l").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "a.txt:1:one\nc.txt:1:three\n");
    assert_eq!(ide.status_message(), "2 matches in 2 files (skipped: 1 no text)");
}

#[tokio::test]
async fn picker_of_kill_ring_shows_entries_whole_and_pastes_one() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").size(120, 30).start().await;
    ide.keys("Alt-2 Alt-' k").await;
    assert_eq!(ide.status_message(), "Nothing was cut or copied yet");
    ide.keys("Ctrl-Home Shift-Down Shift-Down Ctrl-c Escape Ctrl-End").await;
    ide.type_in("four").await;
    ide.keys("Shift-Home Ctrl-c Escape Alt-' k").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["four", "one⏎two⏎"]);
    ide.keys("Down").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("1 one") && picture.contains("2 two"), "whole beside the list: {picture}");
    ide.snap("picker_kill_ring");
    ide.keys("Enter").await;
    assert!(
        ide.text().contains("one\ntwo\nthree\n") && ide.text().matches("two\n").count() == 2,
        "{}",
        ide.text()
    );
    ide.keys("Alt-' r").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("Registers") && ide.picture().contains("1 four"), "{}", ide.picture());
}

#[tokio::test]
async fn picker_of_project_symbols_lists_all_files_and_goes_to_one() {
    let setup = IdeSetup::new().with("a.rs", "struct Open;\n").file("src/b.rs", "\n\nfn far_away() {}\n");
    let setup = setup.file("c.py", "def snake():\n    pass\n").file("notes.txt", "far_away\n");
    let setup = setup.file(".gitignore", "target/\n").file("target/d.rs", "fn generated() {}\n");
    let mut ide = setup.size(140, 30).start().await;
    ide.keys("Alt-2 Ctrl-End").await;
    ide.type_in("fn unsaved() {}").await;
    ide.keys("Alt-7 S").await;
    ide.headless.idle().await;
    let mut symbols = listed(&mut ide);
    symbols.sort();
    assert_eq!(symbols, ["Open", "far_away", "snake", "unsaved"]);
    ide.type_in("far").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("src/b.rs:3"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!((ide.state().buffers.current().unwrap().name(), ide.cursor()), ("b.rs".to_string(), (3, 4)));
}

#[tokio::test]
async fn picker_of_files_leads_to_other_lists_by_a_sign() {
    let setup = IdeSetup::new().with("a.rs", "struct Open;\nfn here() {}\n").file("b.rs", "fn there() {}\n");
    let mut ide = setup.size(140, 30).start().await;
    ide.keys("Ctrl-p").await;
    ide.headless.idle().await;
    let hint = "> commands  @ symbols  & open files  # project symbols";
    assert!(ide.picture().contains(hint), "{}", ide.picture());
    for (typed, id, first) in [
        (">toggle word", "commands", "Toggle word wrap"),
        ("@her", "outline", "here"),
        ("#ther", "project-symbols", "there"),
        ("%struct", "grep", "a.rs:1: struct Open;"),
        ("&a.r", "buffers", "a.rs"),
    ] {
        ide.type_in(typed).await;
        ide.headless.idle().await;
        assert_eq!(open_picker(&mut ide), Some(id), "{}", ide.picture());
        assert_eq!(listed(&mut ide).first().map(String::as_str), Some(first), "{typed}");
        ide.keys("Ctrl-u Backspace").await;
        ide.headless.idle().await;
        assert_eq!(open_picker(&mut ide), Some("files"), "{typed}: the sign was erased");
    }
    ide.type_in(":2").await;
    assert_eq!(open_picker(&mut ide), None);
    ide.keys("Enter").await;
    assert_eq!(ide.cursor().0, 2, "{}", ide.picture());
    ide.keys("F1 Backspace").await;
    assert_eq!(open_picker(&mut ide), Some("commands"), "no sign led here");
}

#[tokio::test]
async fn picker_of_files_takes_a_pasted_sign() {
    let mut ide = IdeSetup::new().with("a.rs", "fn here() {}\n").size(140, 30).start().await;
    ide.keys("Ctrl-p").await;
    ide.headless.input(bowline::tui::input::Input::Paste("@here".to_string()));
    ide.headless.idle().await;
    assert_eq!(open_picker(&mut ide), Some("outline"), "{}", ide.picture());
    assert_eq!(listed(&mut ide), ["here"]);
}

fn click(ide: &mut TestIde, text: &str) {
    let (col, row) = ide.find(text);
    ide.mouse(MouseKind::Down(Button::Left), col, row);
}

#[tokio::test]
async fn picker_click_selects_a_row_and_another_one_accepts_it() {
    let setup = IdeSetup::new().file("one.rs", "1\n").file("two.rs", "2\n").file("three.rs", "3\n");
    let mut ide = setup.size(120, 30).start().await;
    ide.keys("Ctrl-p").await;
    ide.headless.idle().await;
    let selected = |ide: &mut TestIde| {
        let picker = ide.state().layers.top::<Picker>().unwrap();
        picker.current().unwrap().text.clone()
    };
    for name in ["two.rs", "three.rs", "one.rs"] {
        click(&mut ide, &format!("  {name}"));
        assert_eq!(selected(&mut ide), name);
    }
    click(&mut ide, "Go to file");
    assert_eq!(selected(&mut ide), "one.rs", "the frame is no row");
    click(&mut ide, "  one.rs");
    ide.headless.idle().await;
    assert_eq!(open_picker(&mut ide), None);
    assert_eq!(ide.current_file_name(), "one.rs");
}

#[tokio::test]
async fn picker_click_below_headings_finds_the_row_that_is_shown() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(100, 24).start().await;
    ide.keys("F1").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    let rows = picture.lines().filter_map(|line| line.split('│').find(|part| part.contains("Alt-")));
    let shown: Vec<String> =
        rows.filter_map(|row| row.trim_start().split("  ").next().map(str::to_string)).collect();
    assert!(shown.len() > 3, "{picture}");
    for title in &shown[1..4] {
        click(&mut ide, &format!("   {title}  "));
        let picker = ide.state().layers.top::<Picker>().unwrap();
        assert!(picker.current().unwrap().text.starts_with(title.as_str()), "{title}");
    }
}

#[tokio::test]
async fn picker_of_lines_finds_text_of_the_shown_file_and_goes_there() {
    let text = "fn first() {}\n\n    let größe = 1;\u{7}\nfn last() {}\n";
    let mut ide = IdeSetup::new().with("a.rs", text).size(120, 24).start().await;
    ide.keys("Alt-2").await;
    ide.type_in("// unsaved").await;
    ide.keys("Enter Alt-, s t").await;
    ide.headless.idle().await;
    let rows = |ide: &mut TestIde| {
        let picker = ide.state().layers.top::<Picker>().unwrap();
        picker.rows(0, 20).map(|row| format!("{} {}", row.detail, row.text)).collect::<Vec<_>>()
    };
    assert_eq!(
        rows(&mut ide),
        ["1 // unsaved", "2 fn first() {}", "4 let größe = 1;␇", "5 fn last() {}"],
        "lines without text are left out"
    );
    ide.type_in("größe").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), ["4 let größe = 1;␇"]);
    ide.keys("Enter").await;
    let at = ide.state().buffers.current().unwrap().area.caret();
    assert_eq!(ide.state().buffers.current().unwrap().area.text().line_of(at).0, 3);
}

fn selected(ide: &mut TestIde) -> String {
    let picker = ide.state().layers.top::<Picker>().unwrap();
    picker.current().unwrap().text.clone()
}

#[tokio::test]
async fn picker_without_preview_is_opened_again_with_query_and_row() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 40).start().await;
    for (keys, query) in [("F1", "toggle"), ("Ctrl-,", "tab"), ("F2", "go to")] {
        ide.keys("Alt-2").await;
        ide.keys(keys).await;
        ide.type_in(query).await;
        ide.headless.idle().await;
        ide.keys("Down Down").await;
        let (id, row) = (open_picker(&mut ide), selected(&mut ide));
        ide.keys("Escape Alt-' '").await;
        ide.headless.idle().await;
        let typed = ide.state().layers.top::<Picker>().unwrap().query.text().to_string();
        assert_eq!((open_picker(&mut ide), selected(&mut ide), typed.as_str()), (id, row, query), "{keys}");
        ide.keys("Escape").await;
    }
}

#[tokio::test]
async fn picker_opened_again_from_the_palette_is_the_one_before_it() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("txt").await;
    ide.keys("Escape F1").await;
    ide.type_in("show last list").await;
    ide.headless.idle().await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!((open_picker(&mut ide), selected(&mut ide).as_str()), (Some("files"), "a.txt"));
    ide.keys("Escape F1").await;
    ide.type_in("toggle word wrap").await;
    ide.headless.idle().await;
    ide.keys("Enter Alt-' '").await;
    assert_eq!(open_picker(&mut ide), Some("commands"));
}

#[tokio::test]
async fn picker_opened_again_keeps_marks_and_finds_its_row() {
    let setup = IdeSetup::new().with("a.txt", "one\n").file("b.txt", "two\n").file("c.txt", "three\n");
    let mut ide = setup.file("d.txt", "four\n").size(140, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("txt").await;
    ide.headless.idle().await;
    ide.keys("Tab Tab Escape Alt-' '").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("2 marked"), "{}", ide.picture());
    ide.keys("Ctrl-u Escape Ctrl-p").await;
    ide.headless.idle().await;
    assert_eq!(ide.state().layers.top::<Picker>().unwrap().marked.len(), 0, "a new list has none");
    ide.keys("Down Down").await;
    assert_eq!(selected(&mut ide), "c.txt");
    ide.keys("Enter").await;
    ide.headless.idle().await;
    ide.keys("Alt-' '").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["a.txt", "b.txt", "c.txt", "d.txt"], "a.txt is the recent one now");
    assert_eq!(selected(&mut ide), "c.txt");
    // The row may be in another place.
    ide.keys("Down Escape").await;
    ide.write_file("aa.txt", "new\n");
    ide.state().files.file_list.invalidate();
    ide.keys("Alt-' '").await;
    ide.headless.idle().await;
    assert_eq!((listed(&mut ide).len(), selected(&mut ide).as_str()), (5, "d.txt"));
}

#[tokio::test]
async fn picker_of_everything_lists_each_kind_once_and_does_what_the_kind_does() {
    let setup =
        IdeSetup::new().with("shown.rs", "fn wrap_here() {}\n").with("wrap.rs", "fn wrap_line() {}\n");
    let mut ide = setup.file("src/wrap_all.rs", "3\n").file("w_r_a_p.txt", "4\n").size(140, 30).start().await;
    let open = async |ide: &mut TestIde, query: &str| {
        ide.keys("Alt-2 Alt-, s e").await;
        ide.type_in(query).await;
        ide.headless.idle().await;
    };
    open(&mut ide, "").await;
    assert_eq!(
        listed(&mut ide)[..2],
        ["wrap.rs", "wrap_here"],
        "open files, then symbols: {}",
        ide.picture()
    );
    ide.keys("Escape").await;
    open(&mut ide, "wrap").await;
    let rows = |ide: &mut TestIde| {
        let picker = ide.state().layers.top::<Picker>().unwrap();
        picker.rows(0, 99).map(|row| format!("{} {}", row.detail, row.text)).collect::<Vec<_>>()
    };
    let found = rows(&mut ide);
    let wanted =
        ["open file wrap.rs", "symbol wrap_here", "file src/wrap_all.rs", "command Toggle word wrap"];
    for row in wanted {
        assert_eq!(found.iter().filter(|found| *found == row).count(), 1, "{row}: {found:#?}");
    }
    assert!(!found.iter().any(|row| row.contains("w_r_a_p")), "letters are not scattered: {found:#?}");
    ide.snap("picker_everywhere");
    ide.keys("Escape").await;
    for (query, name, text) in [("wrap.rs", "wrap.rs", "fn wrap_line"), ("wrap_all", "wrap_all.rs", "3")] {
        open(&mut ide, query).await;
        ide.keys("Enter").await;
        ide.headless.idle().await;
        assert_eq!(ide.current_file_name(), name);
        assert!(ide.text().starts_with(text));
    }
    open(&mut ide, "shown.rs").await;
    ide.keys("Enter Ctrl-End").await;
    open(&mut ide, "wrap_here").await;
    ide.keys("Enter").await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("shown.rs".to_string(), (1, 4)));
    let wraps = ide.state().display.wrap;
    open(&mut ide, "toggle word wrap").await;
    ide.keys("Enter").await;
    assert_ne!(ide.state().display.wrap, wraps, "the command has run");
    open(&mut ide, ">word wrap").await;
    assert_eq!(open_picker(&mut ide), Some("commands"));
}

/// Opens a list, types a query, and accepts with a key.
async fn choose(ide: &mut TestIde, list: &str, query: &str, key: &str) {
    ide.keys(list).await;
    ide.type_in(query).await;
    ide.headless.idle().await;
    ide.keys(key).await;
    ide.headless.idle().await;
}

#[tokio::test]
async fn picker_of_files_takes_line_and_column_behind_a_colon() {
    let lines = (1..=60).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
    let setup =
        IdeSetup::new().with("a.txt", "one\n").file("src/long.txt", &lines).file("src/other.txt", "x\n");
    let mut ide = setup.size(140, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("long:").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["src/long.txt"], "the number is yet to come");
    ide.type_in("50").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["src/long.txt"]);
    assert!(ide.picture().contains("line 50"), "the preview is at the line: {}", ide.picture());
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("long.txt", (50, 1)));
    choose(&mut ide, "Ctrl-p", "a.txt:9999", "Enter").await;
    assert_eq!(ide.current_file_name(), "a.txt", "a line behind the end is the last one");
    choose(&mut ide, "Ctrl-p", "long:12:4", "Ctrl-v").await;
    assert_eq!((ide.state().windows.count(), ide.cursor()), (2, (12, 4)), "in a new window");
    for (list, query) in [("Alt-b", "long:7:2"), ("Alt-, s e", "long.txt:7:2"), ("Alt-, f o", "long:7:2")] {
        choose(&mut ide, "Ctrl-p", "a.txt", "Enter").await;
        choose(&mut ide, list, query, "Enter").await;
        assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("long.txt", (7, 2)), "{list}");
    }
}

#[tokio::test]
async fn picker_of_files_keeps_the_selected_row_while_a_line_is_typed() {
    let setup =
        IdeSetup::new().with("a.txt", "one\n").file("src/b1.rs", "1\n2\n").file("src/b2.rs", "1\n2\n");
    let mut ide = setup.size(140, 40).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("src").await;
    ide.headless.idle().await;
    ide.keys("Down").await;
    let wanted = selected(&mut ide);
    ide.type_in(":2").await;
    ide.headless.idle().await;
    assert_eq!(selected(&mut ide), wanted);
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!((format!("src/{}", ide.current_file_name()), ide.cursor()), (wanted, (2, 1)));
}
