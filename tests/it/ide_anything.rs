//! Whatever keys are pressed, wherever the mouse goes, however small the window gets: nothing
//! breaks, what is seen is what is there, and every edit can be undone. The ide looks after every
//! input whether all that looks different was drawn.

use bowline::ide::core::keys::keymap::KeyContext;
use bowline::ide::core::keys::keymap::{BUILTIN, Keymap};
use bowline::llm::providers::scripted::Turn;
use bowline::tui::input::{Button, Input, MouseKind};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::support::seeds;
use crate::support::test_ide::IdeSetup;

/// Characters that are typed: one to four bytes, none to two columns, parts of clusters, the sign for bad bytes.
const TYPED: [char; 16] =
    ['a', ' ', '(', '"', '/', ':', '9', 'y', 'n', 'q', 'é', '漢', '\u{301}', '\u{fffd}', '🇩', '\u{600}'];

const TEXT: &str = "fn main() {\n\tlet 漢字 = \"e\u{301}👩‍👩‍👧\"; // no end\n    call(one, two);\n}\n\nlast line";

#[derive(Debug, Clone)]
enum Action {
    Key(String),
    Type(char),
    Paste(String),
    Mouse(u8, u16, u16),
    Resize(u16, u16),
}

fn keymap_text(name: &str) -> &'static str {
    BUILTIN.iter().find(|(known, _)| *known == name).unwrap().1
}

fn keys(name: &str) -> Vec<String> {
    let (map, problems) = Keymap::parse(keymap_text(name), |id| Some(id.to_string()));
    assert_eq!(problems, []);
    let rows = KeyContext::ALL.into_iter().flat_map(|place| map.bindings(place));
    // Leaving and saving are other tests' business; what is on disk must stay as it is here.
    let rows =
        rows.filter(|(_, command)| !["app.quit", "file.save", "file.close"].contains(&command.as_str()));
    rows.map(|(keys, _)| keys).collect()
}

/// A key map's name, whether it is played for screen readers, and what is done.
fn actions() -> impl Strategy<Value = (&'static str, bool, Vec<Action>)> {
    // A hunt goes further into what a long session piles up.
    let most = if seeds::use_random_seeds() { 1200 } else { 120 };
    let acts =
        move |name| (Just(name), prop::bool::weighted(0.25), prop::collection::vec(action(name), 1..most));
    prop::sample::select(BUILTIN.to_vec()).prop_flat_map(move |(name, _)| acts(name))
}

fn action(name: &str) -> impl Strategy<Value = Action> + use<> {
    prop_oneof![
        6 => prop::sample::select(keys(name)).prop_map(Action::Key),
        4 => prop::sample::select(TYPED.to_vec()).prop_map(Action::Type),
        1 => "[a-z\n\t]{0,12}".prop_map(Action::Paste),
        1 => any::<String>().prop_map(Action::Paste),
        2 => (0..5u8, 0..130u16, 0..45u16).prop_map(|(kind, col, row)| Action::Mouse(kind, col, row)),
        1 => prop::sample::select(vec![(120, 40), (80, 24), (40, 12), (20, 5), (7, 3), (1, 1), (300, 2)])
            .prop_map(|(cols, rows)| Action::Resize(cols, rows)),
    ]
}

async fn run_actions(name: &str, is_accessible: bool, acts: Vec<Action>) {
    let answer = "| a | b |\n|---|---|\n| 漢字 | `code` |\n\n1. one\n   - two\n";
    let turns = [Turn::text(answer), Turn::call("c", "read", json!({"path": "a.rs"})), Turn::text("done")];
    let plan = IdeSetup::new().keymap(keymap_text(name)).file("b.rs", "b\n").with("a.rs", TEXT).turns(turns);
    let mut ide = plan.accessible(is_accessible).start().await;
    for act in acts {
        match act {
            Action::Key(keys) => ide.headless.press(&keys),
            Action::Type(c) => ide.type_without_settling(&c.to_string()),
            Action::Paste(text) => ide.headless.input(Input::Paste(text)),
            Action::Mouse(kind, col, row) => {
                let kinds = [
                    MouseKind::Down(Button::Left),
                    MouseKind::Drag(Button::Left),
                    MouseKind::Up(Button::Left),
                    MouseKind::ScrollUp,
                    MouseKind::ScrollDown,
                ];
                ide.mouse(kinds[usize::from(kind)], col, row);
            }
            Action::Resize(cols, rows) => ide.headless.resize(cols, rows),
        }
    }
    ide.picture();
    let path = ide.path("a.rs");
    for buffer in
        ide.state().buffers.all_mut().iter_mut().filter(|buffer| buffer.path.as_ref() == Some(&path))
    {
        while buffer.area.undo().is_some() {}
        assert_eq!(buffer.area.text().to_string(), TEXT);
    }
}

#[test]
fn ide_random_input_keeps_invariants() {
    let mut runner = TestRunner::new(seeds::cases(64));
    let result = runner.run(&actions(), |(name, is_accessible, acts)| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run_actions(name, is_accessible, acts));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
