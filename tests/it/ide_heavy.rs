//! Edits of much text: tasks make them while keys wait, they come back as one step, and whatever
//! happens meanwhile wins.

use bowline::ide::core::event::Event;
use bowline::ide::core::layers::dialog::Dialog;
use bowline::ide::core::layers::picker::Pick;
use bowline::ide::core::layers::picker::PickRow;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::core::panes::Focus;
use bowline::text::changes::ChangeSet;
use bowline::text::position::Byte;
use bowline::text::transaction::{Author, Transaction};
use bowline::tui::input::{Input, Key};

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

const HELIX: &str = include_str!("../../keymaps/helix.toml");
const VIM: &str = include_str!("../../keymaps/vim.toml");
/// Lines of a text that is not edited on the loop.
const MANY: usize = 40_000;

/// Lines in falling order, each of them twice, with tabs before and spaces behind.
fn text() -> String {
    let lines: Vec<String> = (0..MANY).rev().map(|n| format!("\tline {:06} é  \n", n / 2)).collect();
    lines.concat()
}

async fn ide() -> TestIde {
    IdeSetup::new().with("a.txt", text()).start().await
}

fn sorted() -> String {
    let all = text();
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}

fn run_command(ide: &mut TestIde, id: &str) {
    ide.headless.press("F1");
    ide.type_without_settling(id);
    ide.headless.press("Enter");
}

async fn assert_undo_restores(ide: &mut TestIde, before: &str) {
    ide.keys("Ctrl-z").await;
    assert!(ide.text() == before, "one step");
    ide.keys("Alt-z").await;
    assert!(ide.text() != before, "and again");
    ide.keys("Ctrl-z").await;
    assert!(ide.text() == before);
}

#[tokio::test]
async fn sort_lines_of_large_file_queues_keys() {
    with_task_orders(async || {
        let mut ide = ide().await;
        ide.keys("Alt-h").await;
        run_command(&mut ide, "edit.sort-lines");
        assert!(ide.text() == text(), "not on the loop");
        assert!(ide.status_message().contains("Escape cancels"), "{}", ide.status_message());
        ide.headless.press("Ctrl-Home x");
        ide.headless.idle().await;
        assert!(ide.text() == format!("x{}", sorted()), "the keys that waited came after it");
        ide.keys("Ctrl-z").await;
        assert!(ide.text() == sorted(), "what was typed is a step of its own");
        assert_undo_restores(&mut ide, &text()).await;
    })
    .await;
}

#[tokio::test]
async fn background_edit_escape_cancels() {
    let mut ide = ide().await;
    ide.keys("Alt-h").await;
    run_command(&mut ide, "edit.unique-lines");
    ide.headless.press("Ctrl-Home x Escape");
    assert_eq!(ide.status_message(), "Canceled");
    ide.headless.idle().await;
    assert!(ide.text() == text(), "neither the edit nor the keys");
}

#[tokio::test]
async fn background_edit_after_external_change_is_dropped() {
    with_task_orders(async || {
        let mut ide = ide().await;
        run_command(&mut ide, "edit.trim");
        let area = &mut ide.state().buffers.current_mut().unwrap().area;
        let changes = ChangeSet::replace(area.text().end().0, [(Byte(0)..Byte(0), "new ".to_string())]);
        area.apply_external(Transaction::new(changes).with_author(Author::External), 0);
        ide.headless.idle().await;
        assert!(ide.text() == format!("new {}", text()));
        assert!(ide.status_message().to_lowercase().contains("nothing changed"), "{}", ide.status_message());
    })
    .await;
}

#[tokio::test]
async fn background_edit_after_focus_change_is_dropped() {
    with_task_orders(async || {
        for prompt in [true, false] {
            let mut ide = ide().await;
            run_command(&mut ide, "edit.trim");
            if prompt {
                ide.state().panes.focus = Focus::Agent;
                ide.state().damage.add_all();
            } else {
                ide.state().push_layer(Dialog::message("asked", Vec::new()));
            }
            ide.headless.idle().await;
            assert!(ide.text() == text(), "{prompt}");
            assert_eq!(ide.state().prompt.area.text().to_string(), "", "{prompt}");
            assert_eq!(ide.status_message(), "Focus moved: nothing changed", "{prompt}");
        }
    })
    .await;
}

#[tokio::test]
async fn background_edit_commands_are_one_undo_step() {
    let trimmed = text().replace("  \n", "\n");
    let spaces = text().replace('\t', "    ");
    let upper = text().to_uppercase();
    let mut unique: Vec<String> = text().lines().map(str::to_string).collect();
    unique.dedup();
    let unique = unique.join("\n") + "\n";
    let indented = text().replace('\t', "\t\t");
    let dedented = text().replace('\t', "");
    for (id, select, after) in [
        ("edit.trim", false, &trimmed),
        ("edit.tabs-to-spaces", false, &spaces),
        ("edit.upper-case", true, &upper),
        ("edit.unique-lines", true, &unique),
        ("edit.tab", true, &indented),
        ("edit.dedent", true, &dedented),
    ] {
        let mut ide = ide().await;
        if select {
            ide.keys("Alt-h").await;
        }
        run_command(&mut ide, id);
        assert!(ide.text() == text(), "{id} is not done on the loop");
        ide.headless.idle().await;
        assert!(ide.text() == **after, "{id}");
        assert_undo_restores(&mut ide, &text()).await;
    }
}

#[tokio::test]
async fn replace_all_in_large_file_is_one_undo_step() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("line").await;
    ide.keys("Tab").await;
    ide.type_in("rów").await;
    ide.keys("Alt-Enter").await;
    assert!(ide.text() == text().replace("line", "rów"));
    assert_eq!(ide.status_message(), "Replaced 40000 matches. Ctrl-z undoes it in one step");
    ide.keys("Escape").await;
    assert_undo_restores(&mut ide, &text()).await;
}

#[tokio::test]
async fn helix_select_and_search_in_large_file_run_in_background() {
    let mut ide = IdeSetup::new().keymap(HELIX).with("a.txt", text() + "needle é\n").start().await;
    ide.keys("Alt-2 % s").await;
    ide.type_without_settling("0000(10|11) ");
    ide.headless.press("Enter");
    assert_eq!(ide.selected_texts().len(), 1, "not on the loop");
    ide.headless.press("d");
    ide.headless.idle().await;
    assert_eq!(ide.text().len(), text().len() + "needle é\n".len() - 4 * 7, "the key that waited met them");
    ide.keys("u , g g").await;
    ide.state().search.last = Some("needle".to_string());
    ide.headless.press("n");
    assert!(ide.status_message().contains("Searching the text"), "{}", ide.status_message());
    ide.headless.idle().await;
    assert_eq!(ide.selected_texts(), ["needle"]);
    ide.keys("% K").await;
    ide.type_without_settling("absent");
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Nothing left to select");
    ide.keys("% S").await;
    ide.type_without_settling("needle");
    ide.keys("Enter").await;
    assert_eq!(ide.selected_texts().len(), 2);
}

#[tokio::test]
async fn vim_operators_on_large_file_run_in_background() {
    let shouted = text().to_uppercase();
    let indented = text().replace('\t', "\t\t");
    for (keys, after) in [
        ("g g d G", String::new()),
        ("V G d", String::new()),
        ("g g g U G", shouted),
        ("g g > G", indented),
        ("g g y G", text()),
        ("V G r x", text().lines().map(|line| "x".repeat(line.chars().count()) + "\n").collect()),
        ("V G J", text().replace("\n\t", "")),
    ] {
        let mut ide = IdeSetup::new().keymap(VIM).with("a.txt", text()).start().await;
        ide.headless.press(keys);
        assert!(ide.text() == text(), "{keys}: not on the loop");
        assert!(ide.status_message().contains("Escape cancels"), "{keys}: {}", ide.status_message());
        ide.headless.idle().await;
        assert!(ide.text() == after, "{keys}");
        if keys.ends_with(['d', 'G']) && after.is_empty() {
            ide.keys("P").await;
            assert!(ide.text().trim_end() == text().trim_end(), "{keys}: it is in the register");
            ide.keys("u").await;
        }
        if after != text() {
            ide.keys("u").await;
            assert!(ide.text() == text(), "{keys}: one step");
            ide.keys("Ctrl-r").await;
            assert!(ide.text() == after, "{keys}: and again");
        }
    }
}

#[tokio::test]
async fn vim_change_of_large_text_is_one_undo_step_and_repeats() {
    let mut ide = IdeSetup::new().keymap(VIM).with("a.txt", text()).start().await;
    ide.headless.press("c G n e w");
    assert!(ide.text() == text(), "not on the loop");
    ide.headless.idle().await;
    ide.keys("Escape").await;
    assert!(ide.text() == "\tnew\n");
    ide.keys("u").await;
    assert!(ide.text() == text(), "one step");
    ide.keys("5 j d G u g g").await;
    ide.keys("2 j .").await;
    assert_eq!(ide.text().lines().count(), 2, "the change is made again");
}

#[tokio::test]
async fn vim_operator_canceled_keeps_text_and_registers() {
    let mut ide = IdeSetup::new().keymap(VIM).with("a.txt", text()).start().await;
    ide.headless.press("d G x Escape");
    assert_eq!(ide.status_message(), "Canceled");
    ide.headless.idle().await;
    assert!(ide.text() == text());
    ide.keys("p").await;
    assert!(ide.text() == text(), "nothing was kept");
}

async fn open_files(ide: &mut TestIde) {
    run_command(ide, "view.files-picker");
    ide.headless.idle().await;
}

/// The picker of files, with many rows more.
async fn many_rows() -> TestIde {
    let mut ide = IdeSetup::new().file("ant.txt", "").file("zebra.txt", "").start().await;
    open_files(&mut ide).await;
    let row = |n: usize| PickRow {
        text: format!("row {n:06}"),
        aliases: Vec::new(),
        group: None,
        detail: String::new(),
        pick: Pick::new(format!("{n}")),
    };
    picker(&mut ide).fill((0..20_000).map(row));
    picker(&mut ide).tick(0);
    ide.headless.idle().await;
    assert_eq!(picker(&mut ide).matches(), 20_002);
    ide
}

fn picker(ide: &mut TestIde) -> &mut Picker {
    ide.state().layers.top_mut().expect("a picker is open")
}

#[tokio::test]
async fn picker_draws_typed_key_before_matching() {
    let mut ide = many_rows().await;
    ide.headless.app().handle(Event::Input(Input::Key(Key::char('z'))));
    assert!(!ide.headless.app().frame().is_empty(), "the key is drawn");
    let echo = ide.picture();
    assert!(echo.contains("› z") && echo.contains("20002 / 20002"), "the matcher was waited for:\n{echo}");
    ide.headless.idle().await;
    let matched = ide.picture();
    assert!(matched.contains("1 / 20002") && matched.contains("zebra.txt"), "{matched}");
}

#[tokio::test]
async fn picker_enter_waits_for_typed_query() {
    let mut ide = many_rows().await;
    for key in ["z", "e", "Enter"] {
        ide.headless.app().handle(Event::Input(Input::Key(key.parse().unwrap())));
    }
    ide.headless.idle().await;
    assert_eq!(ide.current_file_name(), "zebra.txt");
}

#[tokio::test]
async fn file_picker_caches_walk_for_one_minute() {
    let mut ide = IdeSetup::new().file("one.txt", "1").start().await;
    open_files(&mut ide).await;
    assert!(ide.picture().contains("1 / 1"));
    ide.keys("Escape").await;
    ide.write_file("two.txt", "2");
    open_files(&mut ide).await;
    assert!(ide.picture().contains("1 / 1"), "another walk:\n{}", ide.picture());
    ide.keys("Escape").await;
    ide.advance(std::time::Duration::from_mins(1));
    open_files(&mut ide).await;
    assert!(ide.picture().contains("2 / 2"), "{}", ide.picture());
}

#[tokio::test]
async fn file_picker_walks_again_after_tree_refresh() {
    let mut ide = IdeSetup::new().file("one.txt", "1").start().await;
    open_files(&mut ide).await;
    ide.keys("Escape").await;
    ide.write_file("two.txt", "2");
    run_command(&mut ide, "files.refresh");
    ide.headless.idle().await;
    open_files(&mut ide).await;
    assert!(ide.picture().contains("2 / 2"), "{}", ide.picture());
}
