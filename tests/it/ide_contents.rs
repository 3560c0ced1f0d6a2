//! What the next request holds, as a user at the keyboard sees and changes it.

use bowline::ide::features::context::view::ContextView;
use bowline::ide::features::sessions::view::SessionView;
use bowline::llm::providers::scripted::Turn;
use serde_json::json;

use crate::support::compacting::carries;
use crate::support::desk::{Desk, Plan};
use crate::support::snaps;

async fn talk(plan: Plan) -> Desk {
    let turns = vec![
        Turn::call("c1", "bash", json!({"command": "echo 'the whole log'"})),
        Turn::text("It is fine.\nNothing failed."),
        Turn::text("answer two"),
        Turn::text("answer three"),
        Turn::text("answer four"),
    ];
    let mut desk = plan.turns(turns).start().await;
    desk.ask("look at the log").await;
    desk
}

/// What the last request carried.
fn told(desk: &Desk) -> Vec<String> {
    carries(&desk.script.requests().pop().unwrap())
}

async fn open(desk: &mut Desk) {
    desk.keys("Alt-3").await;
    desk.type_now("/context");
    desk.ide.press("Enter");
    desk.until("the list", |state| {
        state.layers.top::<ContextView>().is_some_and(|view| view.contents.is_some())
    })
    .await;
    desk.ide.idle().await;
}

/// Digits become signs.
fn numberless(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
}

/// Compares the screen with its picture, but for the folder, which is another one each time, and may be
/// longer elsewhere.
fn snap(desk: &mut Desk) {
    let size = desk.state().size;
    let hidden = |line: &str| {
        if line.contains("context of next request") {
            return numberless(line);
        }
        let Some(from) = line.find("directory: ").map(|at| at + 11) else { return line.to_string() };
        let cut = line.find('…').map(|at| at + '…'.len_utf8());
        let to = line.find(" profile").or(cut).unwrap_or(line.len());
        format!("{}{}{}", numberless(&line[..from]), "#".repeat(line[from..to].chars().count()), &line[to..])
    };
    let picture: Vec<String> = desk.picture().lines().map(hidden).collect();
    snaps::check("context", size, &picture.join("\n"));
}

#[tokio::test]
async fn it_lists_everything_and_shows_what_it_says() {
    let mut desk = talk(Plan::new().size(120, 40)).await;
    open(&mut desk).await;
    snap(&mut desk);
    desk.keys("Up").await;
    assert!(desk.picture().contains("the whole log") && desk.picture().contains("toolResult · about"));
    // Where it stands in the tree.
    desk.keys("Enter").await;
    desk.shows("filter: all").await;
    assert!(desk.picture().contains("you are here"), "{}", desk.picture());
    let tree = desk.state().layers.top::<SessionView>();
    let selected = tree.and_then(|view| view.selected_row()).map(|row| row.kind.to_string());
    assert_eq!(selected.as_deref(), Some("message"));
}

#[tokio::test]
async fn it_fits_into_small_windows() {
    let mut desk = talk(Plan::new().size(80, 24)).await;
    open(&mut desk).await;
    snap(&mut desk);
    let mut desk = talk(Plan::new().size(40, 12)).await;
    open(&mut desk).await;
    snap(&mut desk);
    let mut desk = talk(Plan::new().size(20, 5)).await;
    open(&mut desk).await;
    assert!(desk.picture().contains("It is"), "{}", desk.picture());
    desk.keys("Escape").await;
    assert!(desk.state().layers.is_empty());
}

#[tokio::test]
async fn messages_are_left_out_and_come_back() {
    let mut desk = talk(Plan::new().size(120, 40)).await;
    open(&mut desk).await;
    desk.keys("Up d").await;
    desk.shows("edited since").await;
    assert!(desk.message().contains("excluded from context"), "{}", desk.message());
    desk.keys("Up d").await;
    desk.shows("excluded since").await;
    assert!(desk.picture().contains("- "), "{}", desk.picture());
    desk.keys("Escape").await;
    desk.ask("go on").await;
    assert_eq!(told(&desk), ["user look at the log", "assistant It is fine.\nNothing failed.", "user go on"]);
    open(&mut desk).await;
    desk.keys("Up Up Up u").await;
    desk.ide.idle().await;
    assert!(
        desk.message().contains("Original message restored, with its tool results"),
        "{}",
        desk.message()
    );
    assert!(!desk.picture().contains("excluded since"), "{}", desk.picture());
    desk.keys("Escape").await;
    desk.ask("and on").await;
    let whole = serde_json::to_string(&desk.script.requests().pop().unwrap().messages).unwrap();
    assert!(whole.contains("the whole log\"") || whole.contains("the whole log\\n"), "{whole}");
}

#[tokio::test]
async fn words_are_told_differently_from_the_prompt() {
    let mut desk = talk(Plan::new().size(120, 40)).await;
    open(&mut desk).await;
    desk.keys("e").await;
    let typed = desk.state().prompt.area.text().to_string();
    assert!(typed.starts_with("/edit ") && typed.ends_with(" It is fine.\nNothing failed."), "{typed}");
    assert!(desk.state().layers.is_empty());
    desk.type_in(" Today.").await;
    desk.keys("Enter").await;
    desk.ide.idle().await;
    assert!(desk.message().contains("edited in context"), "{}", desk.message());
    desk.ask("go on").await;
    assert_eq!(told(&desk)[3..], ["assistant It is fine.\nNothing failed. Today.", "user go on"]);
    desk.type_now("/tell");
    desk.ide.press("Enter");
    desk.ide.idle().await;
    assert!(desk.message().contains("Usage: /edit"), "{}", desk.message());
}

#[tokio::test]
async fn pins_are_set_and_taken_away_and_other_rows_refuse() {
    let mut desk = talk(Plan::new().size(120, 40)).await;
    open(&mut desk).await;
    desk.keys("p").await;
    desk.shows("pinned, on the path").await;
    desk.keys("p").await;
    desk.ide.idle().await;
    assert!(!desk.picture().contains("pinned, on the path"), "{}", desk.picture());
    let pins: Vec<_> = desk.session().iter().filter(|e| e["customType"] == "bowline.pin").cloned().collect();
    assert_eq!((&pins[0]["data"]["pinned"], &pins[1]["data"]["pinned"]), (&true.into(), &false.into()));
    desk.keys("Home d").await;
    assert!(desk.message().contains("Not a message of the conversation"), "{}", desk.message());
    desk.keys("p").await;
    assert!(desk.message().contains("Only messages in the context"), "{}", desk.message());
    desk.keys("Enter").await;
    assert!(desk.message().contains("Not a message of the conversation"), "{}", desk.message());
}
