//! Long pastes into the prompt stand as one label; what is sent is what was typed and pasted.

use std::time::Duration;

use bowline::llm::providers::scripted::Turn;
use bowline::tui::input::Input;

use crate::support::test_ide::{IdeSetup, TestIde};

fn lines(count: usize, name: &str) -> String {
    (1..=count).map(|n| format!("{name} {n} é漢 @src /x\n")).collect::<Vec<_>>().concat()
}

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

async fn paste(ide: &mut TestIde, text: &str) {
    ide.headless.input(Input::Paste(text.to_string()));
    ide.headless.idle().await;
}

async fn started(setup: IdeSetup) -> TestIde {
    let mut ide = setup.start().await;
    ide.keys("Alt-3").await;
    ide
}

#[tokio::test]
async fn paste_long_is_one_unit_until_unfolded() {
    let mut ide = started(IdeSetup::new().size(80, 24)).await;
    let long = lines(500, "log");
    ide.type_in("see ").await;
    paste(&mut ide, &long).await;
    ide.type_in(" and ").await;
    paste(&mut ide, &"x".repeat(3_000)).await;
    paste(&mut ide, "short\npaste").await;
    assert!(ide.picture().contains("see [500 lines] and [1 line, 3 kB]short"), "{}", ide.picture());
    ide.snap("prompt_pastes");
    let whole = format!("see {long} and {}short\npaste", "x".repeat(3_000));
    assert_eq!(prompt(&mut ide), whole);
    // The caret goes over it in one step, in both directions.
    ide.keys("Home Up Home Right Right Right Right").await;
    let at = |ide: &mut TestIde| ide.state().prompt.area.caret().0;
    assert_eq!(at(&mut ide), 4);
    ide.keys("Right").await;
    assert_eq!(at(&mut ide), 4 + long.len());
    ide.keys("Left").await;
    assert_eq!(at(&mut ide), 4);
    // It is deleted, killed and brought back as a whole.
    ide.keys("Delete").await;
    assert_eq!(prompt(&mut ide), whole.replace(&long, ""));
    ide.keys("Ctrl-z").await;
    assert!(prompt(&mut ide) == whole && ide.picture().contains("see [500 lines] and"), "{}", ide.picture());
    ide.keys("Ctrl-k").await;
    assert_eq!(prompt(&mut ide), whole.replace(&long, ""));
    ide.keys("Ctrl-y").await;
    assert!(prompt(&mut ide) == whole && ide.picture().contains("see [500 lines] and"), "{}", ide.picture());
    ide.keys("Backspace Ctrl-y Left").await;
    assert_eq!(prompt(&mut ide), whole, "Backspace took all of it, which was killed last");
    ide.keys("Tab").await;
    assert!(
        !ide.picture().contains("[500 lines]") && ide.picture().contains("see log 1"),
        "{}",
        ide.picture()
    );
    ide.type_in("!").await;
    assert_eq!(prompt(&mut ide), whole.replacen("see ", "see !", 1));
    // Without a folded text it is a tab character.
    ide.keys("Ctrl-End Tab").await;
    let before = prompt(&mut ide).len();
    ide.keys("Tab").await;
    assert!(prompt(&mut ide).len() > before);
}

#[tokio::test]
async fn paste_folded_is_sent_recalled_and_kept_as_draft() {
    let mut ide = started(IdeSetup::new().size(80, 24).turns([Turn::text("seen")])).await;
    let long = format!("{}\u{1b}]0;title\u{7}\u{1b}[31m", lines(20, "log"));
    paste(&mut ide, &long).await;
    ide.type_in(" explain").await;
    assert!(ide.picture().contains("[21 lines] explain"), "{}", ide.picture());
    ide.advance(Duration::from_millis(600));
    ide.headless.idle().await;
    let mut ide = started(ide.restart().size(80, 24).turns([Turn::text("seen")])).await;
    assert!(ide.picture().contains("[21 lines] explain"), "{}", ide.picture());
    ide.prompt("").await;
    let sent = serde_json::to_string(&ide.script.requests()[0].messages).unwrap();
    let expected = serde_json::to_string(&format!("{long} explain")).unwrap();
    assert!(sent.contains(expected.trim_matches('"')), "{sent}");
    assert!(!ide.picture().contains('\u{1b}'));
    ide.keys("Up").await;
    assert!(ide.picture().contains("[21 lines] explain"), "{}", ide.picture());
    ide.keys("Tab").await;
    assert!(!ide.picture().contains('\u{1b}'), "{}", ide.picture());
}

/// A random prompt edited by units: a typed character or a paste is one.
#[tokio::test]
async fn paste_and_keys_give_text_of_their_units() {
    for round in 0..12 {
        let mut random = fastrand::Rng::with_seed(round);
        let mut ide = started(IdeSetup::new().size(40, 16).turns([Turn::text("seen")])).await;
        let (mut units, mut caret): (Vec<String>, usize) = (Vec::new(), 0);
        for step in 0..60 {
            match random.u8(..12) {
                0..5 => {
                    let unit = ["a", "é", "漢", " "][random.usize(..4)];
                    ide.type_in(unit).await;
                    units.insert(caret, unit.to_string());
                    caret += 1;
                }
                5..7 => {
                    // Each is another one, so that no two of them look like a third.
                    let unit = lines(random.usize(11..40), &format!("paste {step}"));
                    let unit = if random.bool() { unit } else { unit.trim_end().to_string() };
                    paste(&mut ide, &unit).await;
                    units.insert(caret, unit);
                    caret += 1;
                }
                7..9 if caret > 0 => {
                    ide.keys("Left").await;
                    caret -= 1;
                }
                9 if caret < units.len() => {
                    ide.keys("Right").await;
                    caret += 1;
                }
                10 if caret > 0 => {
                    ide.keys("Backspace").await;
                    caret -= 1;
                    units.remove(caret);
                }
                11 if caret < units.len() => {
                    ide.keys("Delete").await;
                    units.remove(caret);
                }
                _ => {}
            }
            assert_eq!(prompt(&mut ide), units.concat(), "round {round}, step {step}");
        }
        let text = units.concat();
        if !text.trim().is_empty() {
            ide.prompt("").await;
            let sent = serde_json::to_string(&ide.script.requests()[0].messages).unwrap();
            assert!(sent.contains(serde_json::to_string(&text).unwrap().trim_matches('"')), "round {round}");
        }
    }
}
