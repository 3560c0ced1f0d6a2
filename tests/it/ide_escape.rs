//! What a second Escape does in each key map: in the prompt it shows the session tree, in an editor whose users
//! press Escape by habit it does nothing more than one.

use bowline::ide::core::keymap::BUILTIN;
use bowline::ide::features::sessions::view::SessionView;

use crate::support::desk::{Desk, Plan};

async fn desk(map: &str) -> Desk {
    let text = BUILTIN.iter().find(|(name, _)| *name == map).unwrap().1;
    let mut desk = Plan::new().keymap(text).with("a.txt", "one two\n").start().await;
    desk.keys("Alt-2").await;
    desk
}

fn shows_tree(desk: &mut Desk) -> bool {
    desk.state().layers.top::<SessionView>().is_some()
}

#[tokio::test]
async fn escape_twice_in_an_editor_with_modes_opens_nothing() {
    for map in ["vim", "helix"] {
        let mut desk = desk(map).await;
        desk.keys("Escape Escape Escape").await;
        assert!(desk.state().layers.is_empty(), "{map}");
        desk.keys("i x Escape Escape Escape i y").await;
        assert_eq!(
            desk.text(),
            if map == "vim" { "yxone two\n" } else { "xyone two\n" },
            "{map}: keys go on"
        );
        desk.keys("Escape").await;
        desk.keys("Alt-g").await;
        assert!(shows_tree(&mut desk), "{map}");
    }
}

#[tokio::test]
async fn escape_twice_in_the_prompt_shows_the_session_tree() {
    for (map, _) in BUILTIN {
        let mut desk = desk(map).await;
        desk.keys("Alt-3 Escape Escape").await;
        assert!(shows_tree(&mut desk), "{map}: {}", desk.picture());
    }
}

#[tokio::test]
async fn ctrl_g_twice_in_the_emacs_map_opens_nothing() {
    let mut desk = desk("emacs").await;
    desk.keys("Ctrl-g Ctrl-g Ctrl-g").await;
    assert!(desk.state().layers.is_empty());
    desk.keys("Shift-Right Ctrl-g").await;
    assert_eq!(desk.selected(), [""], "a press still drops the selection");
}

#[tokio::test]
async fn dialog_keys_of_a_sequence_are_no_answers() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("x").await;
    desk.keys("Ctrl-q").await;
    assert!(desk.picture().contains("Quit?"), "{}", desk.picture());
    // Divides the window; `s` alone would save and quit.
    desk.keys("Alt-5 s").await;
    assert_eq!(desk.disk("a.txt"), "one\n");
    assert!(!desk.state().quit && desk.state().pending.is_empty());
    assert_eq!(desk.state().layers.len(), 1, "the question stays");
    desk.keys("n").await;
    assert!(desk.state().layers.is_empty() && desk.text() == "xone\n");
}
