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

use crate::support::desk::{Desk, Plan};

const HELIX: &str = include_str!("../../keymaps/helix.toml");
const VIM: &str = include_str!("../../keymaps/vim.toml");
/// Lines of a text that is not edited on the loop.
const MANY: usize = 40_000;

/// Lines in falling order, each of them twice, with tabs before and spaces behind.
fn text() -> String {
    let lines: Vec<String> = (0..MANY).rev().map(|n| format!("\tline {:06} é  \n", n / 2)).collect();
    lines.concat()
}

async fn desk() -> Desk {
    Plan::new().with("a.txt", text()).start().await
}

fn sorted() -> String {
    let all = text();
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}

fn run(desk: &mut Desk, id: &str) {
    desk.ide.press("F1");
    desk.type_now(id);
    desk.ide.press("Enter");
}

async fn undo_gives(desk: &mut Desk, before: &str) {
    desk.keys("Ctrl-z").await;
    assert!(desk.text() == before, "one step");
    desk.keys("Alt-z").await;
    assert!(desk.text() != before, "and again");
    desk.keys("Ctrl-z").await;
    assert!(desk.text() == before);
}

#[tokio::test]
async fn many_lines_are_sorted_by_a_task_while_keys_wait() {
    let mut desk = desk().await;
    desk.keys("Alt-h").await;
    run(&mut desk, "edit.sort-lines");
    assert!(desk.text() == text(), "not on the loop");
    assert!(desk.message().contains("Escape cancels"), "{}", desk.message());
    desk.ide.press("Ctrl-Home x");
    desk.ide.idle().await;
    assert!(desk.text() == format!("x{}", sorted()), "the keys that waited came after it");
    desk.keys("Ctrl-z").await;
    assert!(desk.text() == sorted(), "what was typed is a step of its own");
    undo_gives(&mut desk, &text()).await;
}

#[tokio::test]
async fn escape_gives_an_edit_up() {
    let mut desk = desk().await;
    desk.keys("Alt-h").await;
    run(&mut desk, "edit.unique-lines");
    desk.ide.press("Ctrl-Home x Escape");
    assert_eq!(desk.message(), "Canceled");
    desk.ide.idle().await;
    assert!(desk.text() == text(), "neither the edit nor the keys");
}

#[tokio::test]
async fn an_edit_of_a_text_that_changed_meanwhile_is_refused() {
    let mut desk = desk().await;
    run(&mut desk, "edit.trim");
    let area = &mut desk.state().buffers.current_mut().unwrap().area;
    let changes = ChangeSet::replace(area.text().end().0, [(Byte(0)..Byte(0), "new ".to_string())]);
    area.apply_foreign(Transaction::new(changes).by(Author::External), 0);
    desk.ide.idle().await;
    assert!(desk.text() == format!("new {}", text()));
    assert!(desk.message().to_lowercase().contains("nothing changed"), "{}", desk.message());
}

#[tokio::test]
async fn an_edit_never_goes_to_what_got_the_keys_meanwhile() {
    for prompt in [true, false] {
        let mut desk = desk().await;
        run(&mut desk, "edit.trim");
        if prompt {
            desk.state().panes.focus = Focus::Agent;
            desk.state().damage.all();
        } else {
            desk.state().push_layer(Dialog::message("asked", Vec::new()));
        }
        desk.ide.idle().await;
        assert!(desk.text() == text(), "{prompt}");
        assert_eq!(desk.state().prompt.area.text().to_string(), "", "{prompt}");
        assert_eq!(desk.message(), "Focus moved: nothing changed", "{prompt}");
    }
}

#[tokio::test]
async fn each_command_on_much_text_is_one_step() {
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
        let mut desk = desk().await;
        if select {
            desk.keys("Alt-h").await;
        }
        run(&mut desk, id);
        assert!(desk.text() == text(), "{id} is not done on the loop");
        desk.ide.idle().await;
        assert!(desk.text() == **after, "{id}");
        undo_gives(&mut desk, &text()).await;
    }
}

#[tokio::test]
async fn everything_is_replaced_and_put_back_by_an_exchange_of_texts() {
    let mut desk = desk().await;
    desk.keys("Ctrl-r").await;
    desk.type_in("line").await;
    desk.keys("Enter").await;
    desk.type_in("rów").await;
    desk.keys("Enter a").await;
    assert!(desk.text() == text().replace("line", "rów"));
    assert_eq!(desk.message(), "Replaced 40000. Undo: one step");
    undo_gives(&mut desk, &text()).await;
}

#[tokio::test]
async fn helix_picks_and_searches_in_a_long_text_by_a_task() {
    let mut desk = Plan::new().keymap(HELIX).with("a.txt", text() + "needle é\n").start().await;
    desk.keys("Alt-2 % s").await;
    desk.type_now("0000(10|11) ");
    desk.ide.press("Enter");
    assert_eq!(desk.selected().len(), 1, "not on the loop");
    desk.ide.press("d");
    desk.ide.idle().await;
    assert_eq!(desk.text().len(), text().len() + "needle é\n".len() - 4 * 7, "the key that waited met them");
    desk.keys("u , g g").await;
    desk.state().last_search = Some("needle".to_string());
    desk.ide.press("n");
    assert!(desk.message().contains("Searching the text"), "{}", desk.message());
    desk.ide.idle().await;
    assert_eq!(desk.selected(), ["needle"]);
    desk.keys("% K").await;
    desk.type_now("absent");
    desk.keys("Enter").await;
    assert_eq!(desk.message(), "Nothing left to select");
    desk.keys("% S").await;
    desk.type_now("needle");
    desk.keys("Enter").await;
    assert_eq!(desk.selected().len(), 2);
}

#[tokio::test]
async fn operators_of_vim_on_much_text_are_made_by_a_task() {
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
        let mut desk = Plan::new().keymap(VIM).with("a.txt", text()).start().await;
        desk.ide.press(keys);
        assert!(desk.text() == text(), "{keys}: not on the loop");
        assert!(desk.message().contains("Escape cancels"), "{keys}: {}", desk.message());
        desk.ide.idle().await;
        assert!(desk.text() == after, "{keys}");
        if keys.ends_with(['d', 'G']) && after.is_empty() {
            desk.keys("P").await;
            assert!(desk.text().trim_end() == text().trim_end(), "{keys}: it is in the register");
            desk.keys("u").await;
        }
        if after != text() {
            desk.keys("u").await;
            assert!(desk.text() == text(), "{keys}: one step");
            desk.keys("Ctrl-r").await;
            assert!(desk.text() == after, "{keys}: and again");
        }
    }
}

#[tokio::test]
async fn what_is_typed_in_place_of_much_text_is_one_step_and_repeats() {
    let mut desk = Plan::new().keymap(VIM).with("a.txt", text()).start().await;
    desk.ide.press("c G n e w");
    assert!(desk.text() == text(), "not on the loop");
    desk.ide.idle().await;
    desk.keys("Escape").await;
    assert!(desk.text() == "\tnew\n");
    desk.keys("u").await;
    assert!(desk.text() == text(), "one step");
    desk.keys("5 j d G u g g").await;
    desk.keys("2 j .").await;
    assert_eq!(desk.text().lines().count(), 2, "the change is made again");
}

#[tokio::test]
async fn a_large_operator_that_is_given_up_leaves_text_and_registers() {
    let mut desk = Plan::new().keymap(VIM).with("a.txt", text()).start().await;
    desk.ide.press("d G x Escape");
    assert_eq!(desk.message(), "Canceled");
    desk.ide.idle().await;
    assert!(desk.text() == text());
    desk.keys("p").await;
    assert!(desk.text() == text(), "nothing was kept");
}

async fn open_files(desk: &mut Desk) {
    run(desk, "view.files-picker");
    desk.ide.idle().await;
}

/// The picker of files, with many rows more.
async fn many_rows() -> Desk {
    let mut desk = Plan::new().file("ant.txt", "").file("zebra.txt", "").start().await;
    open_files(&mut desk).await;
    let row = |n: usize| PickRow {
        text: format!("row {n:06}"),
        aliases: Vec::new(),
        detail: String::new(),
        pick: Pick::new(format!("{n}")),
    };
    picker(&mut desk).fill((0..20_000).map(row));
    picker(&mut desk).tick(0);
    desk.ide.idle().await;
    assert_eq!(picker(&mut desk).matches(), 20_002);
    desk
}

fn picker(desk: &mut Desk) -> &mut Picker {
    desk.state().layers.top_mut().expect("a picker is open")
}

#[tokio::test]
async fn picker_of_many_rows_shows_the_key_before_it_matches() {
    let mut desk = many_rows().await;
    desk.ide.app().handle(Event::Input(Input::Key(Key::char('z'))));
    assert!(!desk.ide.app().frame().is_empty(), "the key is drawn");
    let echo = desk.picture();
    assert!(echo.contains("› z") && echo.contains("20002 / 20002"), "the matcher was waited for:\n{echo}");
    desk.ide.idle().await;
    let matched = desk.picture();
    assert!(matched.contains("1 / 20002") && matched.contains("zebra.txt"), "{matched}");
}

#[tokio::test]
async fn picker_enter_opens_the_match_of_the_query_that_was_typed() {
    let mut desk = many_rows().await;
    for key in ["z", "e", "Enter"] {
        desk.ide.app().handle(Event::Input(Input::Key(key.parse().unwrap())));
    }
    desk.ide.idle().await;
    assert_eq!(desk.shown(), "zebra.txt");
}

#[tokio::test]
async fn picker_tab_shows_that_nothing_matches_the_query_that_was_typed() {
    let mut desk = many_rows().await;
    desk.ide.app().handle(Event::Input(Input::Paste("zzzz".to_string())));
    desk.ide.app().frame();
    desk.ide.app().handle(Event::Input(Input::Key("Tab".parse().unwrap())));
    let picture = desk.picture();
    assert!(picture.contains("0 / 20002") && picture.contains("No matches"), "{picture}");
}

#[tokio::test]
async fn picker_of_files_walks_once_a_minute() {
    let mut desk = Plan::new().file("one.txt", "1").start().await;
    open_files(&mut desk).await;
    assert!(desk.picture().contains("1 / 1"));
    desk.keys("Escape").await;
    desk.write("two.txt", "2");
    open_files(&mut desk).await;
    assert!(desk.picture().contains("1 / 1"), "another walk:\n{}", desk.picture());
    desk.keys("Escape").await;
    desk.wait(std::time::Duration::from_mins(1));
    open_files(&mut desk).await;
    assert!(desk.picture().contains("2 / 2"), "{}", desk.picture());
}

#[tokio::test]
async fn picker_of_files_walks_again_when_the_tree_is_read_again() {
    let mut desk = Plan::new().file("one.txt", "1").start().await;
    open_files(&mut desk).await;
    desk.keys("Escape").await;
    desk.write("two.txt", "2");
    run(&mut desk, "files.refresh");
    desk.ide.idle().await;
    open_files(&mut desk).await;
    assert!(desk.picture().contains("2 / 2"), "{}", desk.picture());
}
