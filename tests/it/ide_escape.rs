//! What Escape does in each key map: in the prompt it interrupts the agent, and twice it shows the session tree;
//! in an editor, where users press it by habit, it does neither.

use bowline::ide::core::keys::keymap::BUILTIN;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::features::sessions::view::SessionView;
use bowline::llm::providers::scripted::{Step, Turn};

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

/// What interrupts the agent in each key map: Escape in its pane, and nowhere else.
#[tokio::test]
async fn escape_in_editor_does_not_interrupt_agent() {
    for (map, text) in BUILTIN {
        let turns = [Turn::of(vec![Step::Text(vec!["working".into()]), Step::Stall])];
        let mut ide = IdeSetup::new().keymap(text).turns(turns).with("a.txt", "one two\n").start().await;
        ide.send_prompt("begin").await;
        ide.wait_for_text("working").await;
        for key in ["Alt-2", "i", "x", "Escape", "Escape", "Escape"] {
            ide.headless.press(key);
        }
        assert!(ide.state().agent.working_since.is_some(), "{map}");
        assert!(ide.state().layers.is_empty(), "{map}");
        let is_modal = ["vim", "helix"].contains(&map);
        assert_eq!(ide.status_message().contains("To interrupt: Alt-3 Escape"), !is_modal, "{map}");
        ide.headless.press("Alt-3");
        ide.headless.press("Escape");
        ide.headless.idle().await;
        assert!(ide.state().agent.working_since.is_none(), "{map}: {}", ide.picture());
    }
}

#[tokio::test]
async fn escape_twice_with_draft_or_in_editor_opens_nothing() {
    for (map, _) in BUILTIN {
        let mut ide = ide(map).await;
        ide.keys("Escape Escape").await;
        assert!(ide.state().layers.is_empty(), "{map}");
        ide.keys("Alt-3").await;
        ide.type_in("draft").await;
        ide.keys("Escape Escape").await;
        assert!(!shows_tree(&mut ide), "{map}");
    }
}

#[tokio::test]
async fn welcome_keys_work_where_caret_is() {
    for (map, text) in BUILTIN {
        let mut ide = IdeSetup::new().keymap(text).file("b.txt", "x\n").start().await;
        let (palette, files) = (key_of(&mut ide, "app.palette"), key_of(&mut ide, "view.files-picker"));
        assert!(ide.picture().contains(&palette) && ide.picture().contains(&files), "{map}");
        ide.keys(&files).await;
        assert!(ide.picture().contains("Go to file"), "{map}: {}", ide.picture());
        ide.keys("Escape").await;
        ide.keys(&palette).await;
        assert!(ide.state().layers.top::<Picker>().is_some(), "{map}");
        assert!(ide.script.requests().is_empty());
    }
}

fn key_of(ide: &mut TestIde, command: &str) -> String {
    let state = ide.state();
    state.keymap.keys_for(state.base_key_context(), command).unwrap_or_default()
}
