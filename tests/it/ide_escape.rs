//! What a second Escape does in each key map: in the prompt it shows the session tree, in an editor whose users
//! press Escape by habit it does nothing more than one.

use bowline::ide::core::keys::keymap::BUILTIN;
use bowline::ide::features::sessions::view::SessionView;

use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide(map: &str) -> TestIde {
    let text = BUILTIN.iter().find(|(name, _)| *name == map).unwrap().1;
    let mut ide = IdeSetup::new().keymap(text).with("a.txt", "one two\n").start().await;
    ide.keys("Alt-2").await;
    ide
}

fn shows_tree(ide: &mut TestIde) -> bool {
    ide.state().layers.top::<SessionView>().is_some()
}

#[tokio::test]
async fn escape_twice_in_modal_editor_opens_nothing() {
    for map in ["vim", "helix"] {
        let mut ide = ide(map).await;
        ide.keys("Escape Escape Escape").await;
        assert!(ide.state().layers.is_empty(), "{map}");
        ide.keys("i x Escape Escape Escape i y").await;
        assert_eq!(ide.text(), if map == "vim" { "yxone two\n" } else { "xyone two\n" }, "{map}: keys go on");
        ide.keys("Escape").await;
        ide.keys("Alt-g").await;
        assert!(shows_tree(&mut ide), "{map}");
    }
}

#[tokio::test]
async fn escape_twice_in_prompt_opens_session_tree() {
    for (map, _) in BUILTIN {
        let mut ide = ide(map).await;
        ide.keys("Alt-3 Escape Escape").await;
        assert!(shows_tree(&mut ide), "{map}: {}", ide.picture());
    }
}

#[tokio::test]
async fn emacs_keymap_ctrl_g_twice_opens_nothing() {
    let mut ide = ide("emacs").await;
    ide.keys("Ctrl-g Ctrl-g Ctrl-g").await;
    assert!(ide.state().layers.is_empty());
    ide.keys("Shift-Right Ctrl-g").await;
    assert_eq!(ide.selected_texts(), [""], "a press still drops the selection");
}

#[tokio::test]
async fn dialog_ignores_key_that_ends_sequence() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-q").await;
    assert!(ide.picture().contains("Quit?"), "{}", ide.picture());
    // Divides the window; `s` alone would save and quit.
    ide.keys("Alt-5 s").await;
    assert_eq!(ide.file_text("a.txt"), "one\n");
    assert!(!ide.state().quit && ide.state().pending.is_empty());
    assert_eq!(ide.state().layers.len(), 1, "the question stays");
    ide.keys("n").await;
    assert!(ide.state().layers.is_empty() && ide.text() == "xone\n");
}
