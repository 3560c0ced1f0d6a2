//! What the next request holds, as a user at the keyboard sees and changes it.

use bowline::ide::features::context::view::ContextView;
use bowline::ide::features::sessions::view::SessionView;
use bowline::llm::providers::scripted::Turn;
use serde_json::json;

use crate::support::compaction_session::request_messages;
use crate::support::snaps;
use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide_with_conversation(plan: IdeSetup) -> TestIde {
    let turns = vec![
        Turn::call("c1", "bash", json!({"command": "echo 'the whole log'"})),
        Turn::text("It is fine.\nNothing failed."),
        Turn::text("answer two"),
        Turn::text("answer three"),
        Turn::text("answer four"),
    ];
    let mut ide = plan.turns(turns).start().await;
    ide.prompt("look at the log").await;
    ide
}

/// What the last request carried.
fn last_request_messages(ide: &TestIde) -> Vec<String> {
    request_messages(&ide.script.requests().pop().unwrap())
}

async fn open_context_view(ide: &mut TestIde) {
    ide.keys("Alt-3").await;
    ide.type_without_settling("/context");
    ide.headless.press("Enter");
    ide.wait_for("the list", |state| {
        state.layers.top::<ContextView>().is_some_and(|view| view.report.is_some())
    })
    .await;
    ide.headless.idle().await;
}

/// Digits become signs.
fn mask_digits(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
}

/// Compares the screen with its picture, but for the folder, which is another one each time, and may be
/// longer elsewhere.
fn snap(ide: &mut TestIde) {
    let size = ide.state().size;
    let hidden = |line: &str| {
        if line.contains("Context of next request") {
            return mask_digits(line);
        }
        let Some(from) = line.find("directory: ").map(|at| at + 11) else { return line.to_string() };
        let cut = line.find('…').map(|at| at + '…'.len_utf8());
        let to = line.find(" profile").or(cut).unwrap_or(line.len());
        format!("{}{}{}", mask_digits(&line[..from]), "#".repeat(line[from..to].chars().count()), &line[to..])
    };
    let picture: Vec<String> = ide.picture().lines().map(hidden).collect();
    snaps::check_screen("context", size, &picture.join("\n"));
}

#[tokio::test]
async fn context_view_lists_entries_and_opens_tree() {
    let mut ide = ide_with_conversation(IdeSetup::new().size(120, 40)).await;
    open_context_view(&mut ide).await;
    snap(&mut ide);
    ide.keys("Up").await;
    assert!(ide.picture().contains("the whole log") && ide.picture().contains("toolResult · about"));
    // Where it stands in the tree.
    ide.keys("Enter").await;
    ide.wait_for_text("filter: all").await;
    assert!(ide.picture().contains("you are here"), "{}", ide.picture());
    let tree = ide.state().layers.top::<SessionView>();
    let selected = tree.and_then(|view| view.selected_row()).map(|row| row.kind.to_string());
    assert_eq!(selected.as_deref(), Some("message"));
}

#[tokio::test]
async fn context_view_fits_small_windows() {
    let mut ide = ide_with_conversation(IdeSetup::new().size(80, 24)).await;
    open_context_view(&mut ide).await;
    snap(&mut ide);
    let mut ide = ide_with_conversation(IdeSetup::new().size(40, 12)).await;
    open_context_view(&mut ide).await;
    snap(&mut ide);
    let mut ide = ide_with_conversation(IdeSetup::new().size(20, 5)).await;
    open_context_view(&mut ide).await;
    assert!(ide.picture().contains("It is"), "{}", ide.picture());
    ide.keys("Escape").await;
    assert!(ide.state().layers.is_empty());
}

#[tokio::test]
async fn context_view_excludes_and_restores_messages() {
    let mut ide = ide_with_conversation(IdeSetup::new().size(120, 40)).await;
    open_context_view(&mut ide).await;
    ide.keys("Up d").await;
    ide.wait_for_text("edited since").await;
    assert!(ide.status_message().contains("excluded from context"), "{}", ide.status_message());
    ide.keys("Up d").await;
    ide.wait_for_text("excluded since").await;
    assert!(ide.picture().contains("- "), "{}", ide.picture());
    ide.keys("Escape").await;
    ide.prompt("go on").await;
    assert_eq!(
        last_request_messages(&ide),
        ["user look at the log", "assistant It is fine.\nNothing failed.", "user go on"]
    );
    open_context_view(&mut ide).await;
    ide.keys("Up Up Up u").await;
    ide.headless.idle().await;
    assert!(
        ide.status_message().contains("Original message restored, with its tool results"),
        "{}",
        ide.status_message()
    );
    assert!(!ide.picture().contains("excluded since"), "{}", ide.picture());
    ide.keys("Escape").await;
    ide.prompt("and on").await;
    let whole = serde_json::to_string(&ide.script.requests().pop().unwrap().messages).unwrap();
    assert!(whole.contains("the whole log\"") || whole.contains("the whole log\\n"), "{whole}");
}

#[tokio::test]
async fn context_view_edit_changes_message_sent() {
    let mut ide = ide_with_conversation(IdeSetup::new().size(120, 40)).await;
    open_context_view(&mut ide).await;
    ide.keys("e").await;
    let typed = ide.state().prompt.area.text().to_string();
    assert!(typed.starts_with("/edit ") && typed.ends_with(" It is fine.\nNothing failed."), "{typed}");
    assert!(ide.state().layers.is_empty());
    ide.type_in(" Today.").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(ide.status_message().contains("edited in context"), "{}", ide.status_message());
    ide.prompt("go on").await;
    assert_eq!(
        last_request_messages(&ide)[3..],
        ["assistant It is fine.\nNothing failed. Today.", "user go on"]
    );
    ide.type_without_settling("/tell");
    ide.headless.press("Enter");
    ide.headless.idle().await;
    assert!(ide.status_message().contains("Usage: /edit"), "{}", ide.status_message());
}

#[tokio::test]
async fn context_view_pin_toggles_and_rejects_other_rows() {
    let mut ide = ide_with_conversation(IdeSetup::new().size(120, 40)).await;
    open_context_view(&mut ide).await;
    ide.keys("p").await;
    ide.wait_for_text("pinned, on the path").await;
    ide.keys("p").await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("pinned, on the path"), "{}", ide.picture());
    let pins: Vec<_> = ide.session().iter().filter(|e| e["customType"] == "bowline.pin").cloned().collect();
    assert_eq!((&pins[0]["data"]["pinned"], &pins[1]["data"]["pinned"]), (&true.into(), &false.into()));
    ide.keys("Home d").await;
    assert!(ide.status_message().contains("Not a message of the conversation"), "{}", ide.status_message());
    ide.keys("p").await;
    assert!(ide.status_message().contains("Only messages in the context"), "{}", ide.status_message());
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("Not a message of the conversation"), "{}", ide.status_message());
}
