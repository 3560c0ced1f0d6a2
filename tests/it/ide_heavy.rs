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

use crate::support::orders::in_several_orders;
use crate::support::test_ide::{Plan, TestIde};

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
    Plan::new().with("a.txt", text()).start().await
}

fn sorted() -> String {
    let all = text();
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}

fn run(ide: &mut TestIde, id: &str) {
    ide.headless.press("F1");
    ide.type_now(id);
    ide.headless.press("Enter");
}

async fn undo_gives(ide: &mut TestIde, before: &str) {
    ide.keys("Ctrl-z").await;
    assert!(ide.text() == before, "one step");
    ide.keys("Alt-z").await;
    assert!(ide.text() != before, "and again");
    ide.keys("Ctrl-z").await;
    assert!(ide.text() == before);
}

#[tokio::test]
async fn many_lines_are_sorted_by_a_task_while_keys_wait() {
    in_several_orders(async || {
        let mut ide = ide().await;
        ide.keys("Alt-h").await;
        run(&mut ide, "edit.sort-lines");
        assert!(ide.text() == text(), "not on the loop");
        assert!(ide.message().contains("Escape cancels"), "{}", ide.message());
        ide.headless.press("Ctrl-Home x");
        ide.headless.idle().await;
        assert!(ide.text() == format!("x{}", sorted()), "the keys that waited came after it");
        ide.keys("Ctrl-z").await;
        assert!(ide.text() == sorted(), "what was typed is a step of its own");
        undo_gives(&mut ide, &text()).await;
    })
    .await;
}

#[tokio::test]
async fn escape_gives_an_edit_up() {
    let mut ide = ide().await;
    ide.keys("Alt-h").await;
    run(&mut ide, "edit.unique-lines");
    ide.headless.press("Ctrl-Home x Escape");
    assert_eq!(ide.message(), "Canceled");
    ide.headless.idle().await;
    assert!(ide.text() == text(), "neither the edit nor the keys");
}

#[tokio::test]
async fn an_edit_of_a_text_that_changed_meanwhile_is_refused() {
    in_several_orders(async || {
        let mut ide = ide().await;
        run(&mut ide, "edit.trim");
        let area = &mut ide.state().buffers.current_mut().unwrap().area;
        let changes = ChangeSet::replace(area.text().end().0, [(Byte(0)..Byte(0), "new ".to_string())]);
        area.apply_foreign(Transaction::new(changes).by(Author::External), 0);
        ide.headless.idle().await;
        assert!(ide.text() == format!("new {}", text()));
        assert!(ide.message().to_lowercase().contains("nothing changed"), "{}", ide.message());
    })
    .await;
}

#[tokio::test]
async fn an_edit_never_goes_to_what_got_the_keys_meanwhile() {
    in_several_orders(async || {
        for prompt in [true, false] {
            let mut ide = ide().await;
            run(&mut ide, "edit.trim");
            if prompt {
                ide.state().panes.focus = Focus::Agent;
                ide.state().damage.all();
            } else {
                ide.state().push_layer(Dialog::message("asked", Vec::new()));
            }
            ide.headless.idle().await;
            assert!(ide.text() == text(), "{prompt}");
            assert_eq!(ide.state().prompt.area.text().to_string(), "", "{prompt}");
            assert_eq!(ide.message(), "Focus moved: nothing changed", "{prompt}");
        }
    })
    .await;
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
        let mut ide = ide().await;
        if select {
            ide.keys("Alt-h").await;
        }
        run(&mut ide, id);
        assert!(ide.text() == text(), "{id} is not done on the loop");
        ide.headless.idle().await;
        assert!(ide.text() == **after, "{id}");
        undo_gives(&mut ide, &text()).await;
    }
}

#[tokio::test]
async fn everything_is_replaced_and_put_back_by_an_exchange_of_texts() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("line").await;
    ide.keys("Enter").await;
    ide.type_in("rów").await;
    ide.keys("Enter a").await;
    assert!(ide.text() == text().replace("line", "rów"));
    assert_eq!(ide.message(), "Replaced 40000. Undo: one step");
    undo_gives(&mut ide, &text()).await;
}

#[tokio::test]
async fn helix_picks_and_searches_in_a_long_text_by_a_task() {
    let mut ide = Plan::new().keymap(HELIX).with("a.txt", text() + "needle é\n").start().await;
    ide.keys("Alt-2 % s").await;
    ide.type_now("0000(10|11) ");
    ide.headless.press("Enter");
    assert_eq!(ide.selected().len(), 1, "not on the loop");
    ide.headless.press("d");
    ide.headless.idle().await;
    assert_eq!(ide.text().len(), text().len() + "needle é\n".len() - 4 * 7, "the key that waited met them");
    ide.keys("u , g g").await;
    ide.state().last_search = Some("needle".to_string());
    ide.headless.press("n");
    assert!(ide.message().contains("Searching the text"), "{}", ide.message());
    ide.headless.idle().await;
    assert_eq!(ide.selected(), ["needle"]);
    ide.keys("% K").await;
    ide.type_now("absent");
    ide.keys("Enter").await;
    assert_eq!(ide.message(), "Nothing left to select");
    ide.keys("% S").await;
    ide.type_now("needle");
    ide.keys("Enter").await;
    assert_eq!(ide.selected().len(), 2);
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
        let mut ide = Plan::new().keymap(VIM).with("a.txt", text()).start().await;
        ide.headless.press(keys);
        assert!(ide.text() == text(), "{keys}: not on the loop");
        assert!(ide.message().contains("Escape cancels"), "{keys}: {}", ide.message());
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
async fn what_is_typed_in_place_of_much_text_is_one_step_and_repeats() {
    let mut ide = Plan::new().keymap(VIM).with("a.txt", text()).start().await;
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
async fn a_large_operator_that_is_given_up_leaves_text_and_registers() {
    let mut ide = Plan::new().keymap(VIM).with("a.txt", text()).start().await;
    ide.headless.press("d G x Escape");
    assert_eq!(ide.message(), "Canceled");
    ide.headless.idle().await;
    assert!(ide.text() == text());
    ide.keys("p").await;
    assert!(ide.text() == text(), "nothing was kept");
}

async fn open_files(ide: &mut TestIde) {
    run(ide, "view.files-picker");
    ide.headless.idle().await;
}

/// The picker of files, with many rows more.
async fn many_rows() -> TestIde {
    let mut ide = Plan::new().file("ant.txt", "").file("zebra.txt", "").start().await;
    open_files(&mut ide).await;
    let row = |n: usize| PickRow {
        text: format!("row {n:06}"),
        aliases: Vec::new(),
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
async fn picker_of_many_rows_shows_the_key_before_it_matches() {
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
async fn picker_enter_opens_the_match_of_the_query_that_was_typed() {
    let mut ide = many_rows().await;
    for key in ["z", "e", "Enter"] {
        ide.headless.app().handle(Event::Input(Input::Key(key.parse().unwrap())));
    }
    ide.headless.idle().await;
    assert_eq!(ide.shown(), "zebra.txt");
}

#[tokio::test]
async fn picker_tab_shows_that_nothing_matches_the_query_that_was_typed() {
    let mut ide = many_rows().await;
    ide.headless.app().handle(Event::Input(Input::Paste("zzzz".to_string())));
    ide.headless.app().frame();
    ide.headless.app().handle(Event::Input(Input::Key("Tab".parse().unwrap())));
    let picture = ide.picture();
    assert!(picture.contains("0 / 20002") && picture.contains("No matches"), "{picture}");
}

#[tokio::test]
async fn picker_of_files_walks_once_a_minute() {
    let mut ide = Plan::new().file("one.txt", "1").start().await;
    open_files(&mut ide).await;
    assert!(ide.picture().contains("1 / 1"));
    ide.keys("Escape").await;
    ide.write("two.txt", "2");
    open_files(&mut ide).await;
    assert!(ide.picture().contains("1 / 1"), "another walk:\n{}", ide.picture());
    ide.keys("Escape").await;
    ide.wait(std::time::Duration::from_mins(1));
    open_files(&mut ide).await;
    assert!(ide.picture().contains("2 / 2"), "{}", ide.picture());
}

#[tokio::test]
async fn picker_of_files_walks_again_when_the_tree_is_read_again() {
    let mut ide = Plan::new().file("one.txt", "1").start().await;
    open_files(&mut ide).await;
    ide.keys("Escape").await;
    ide.write("two.txt", "2");
    run(&mut ide, "files.refresh");
    ide.headless.idle().await;
    open_files(&mut ide).await;
    assert!(ide.picture().contains("2 / 2"), "{}", ide.picture());
}
