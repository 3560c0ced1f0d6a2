//! What the program cannot choose: the size of its window, and a clock that is set.

use std::time::Duration;

use bowline::base::clock::Clock as _;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::shell::catalog::CATALOG;
use bowline::llm::providers::scripted::Turn;

use crate::support::test_ide::IdeSetup;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

#[tokio::test]
async fn every_list_is_drawn_in_every_window_with_the_caret_inside() {
    let text = "# One\n\nfn one() {}\n";
    let setup = IdeSetup::new().with("a.rs", text).file("b.md", "# Two\n").turns([Turn::text("An answer.")]);
    let mut ide = setup.size(80, 24).start().await;
    ide.prompt("A question").await;
    for spec in CATALOG.pickers() {
        ide.headless.app().with_cx(|cx| cx.defer_picker(spec.id));
        ide.headless.idle().await;
        for (cols, rows) in [(80, 24), (40, 12), (20, 5), (5, 2), (1, 1), (500, 200)] {
            ide.headless.resize(cols, rows);
            ide.headless.idle().await;
            let picture = ide.picture();
            let caret = ide.headless.app().screen.cursor();
            let is_inside = caret.is_none_or(|at| at.0 < cols && at.1 < rows);
            assert!(is_inside, "{} in {cols}x{rows}: {caret:?}\n{picture}", spec.id);
        }
        if ide.state().layers.top::<Picker>().is_some() {
            let picture = ide.picture();
            assert!(picture.contains(spec.title), "{}: {picture}", spec.id);
            assert_eq!(picture.lines().count(), 202, "the whole window and its frame");
        }
        while !ide.state().layers.is_empty() {
            ide.keys("Escape").await;
            ide.advance(Duration::from_secs(1));
        }
    }
}

#[tokio::test]
async fn clock_that_jumps_loses_no_turn_and_keeps_their_order() {
    let answers = ["first", "second", "third"].map(|word| Turn::text(&format!("The {word} answer.")));
    let mut ide = IdeSetup::new().with("a.txt", "one\n").turns(answers).size(120, 40).start().await;
    let now = ide.clock.now_ms();
    let times = [now, now - 400 * DAY_MS, now + 4_000 * DAY_MS];
    for (time, words) in times.into_iter().zip(["ask one", "ask two", "ask three"]) {
        ide.clock.set_now_ms(time);
        ide.prompt(words).await;
    }
    let picture = ide.picture();
    let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text} is missing: {picture}"));
    assert!(at("first answer") < at("ask two") && at("second answer") < at("ask three"), "{picture}");
    ide.clock.set_now_ms(0);
    let mut again = ide.restart().start().await;
    again.headless.idle().await;
    again.keys("F1").await;
    again.type_in("continue last session").await;
    again.keys("Enter").await;
    again.headless.idle().await;
    again.wait_for_text("The third answer.").await;
    assert!(again.picture().contains("ask one"), "{}", again.picture());
}

#[tokio::test]
async fn clock_that_jumps_does_not_keep_messages_or_waiting_keys() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 40).start().await;
    ide.keys("Ctrl-s").await;
    let message = ide.status_message();
    assert!(!message.is_empty());
    ide.clock.set_now_ms(1);
    ide.keys("Alt-,").await;
    ide.advance(Duration::from_millis(300));
    assert!(!ide.state().hints.is_empty(), "the keys that follow are shown after their time");
    ide.keys("Escape").await;
    ide.clock.set_now_ms(u64::MAX / 2);
    ide.advance(Duration::from_mins(1));
    assert_eq!(ide.status_message(), "", "it has gone after its time");
    ide.keys("Alt-2").await;
    ide.type_in("x").await;
    ide.clock.set_now_ms(5);
    ide.type_in("y").await;
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "one\n", "both edits are undone");
}
