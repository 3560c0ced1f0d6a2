//! What was said before comes back: with arrows, from a list, from all conversations.

use bowline::ide::core::layers::picker::Picker;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::providers::scripted::Turn;
use bowline::session::store::listing;

use crate::support::desk::{Desk, Plan};

#[tokio::test]
async fn prompts_of_other_runs_come_back() {
    let mut desk = Plan::new().turns([Turn::text("one"), Turn::text("two")]).start().await;
    desk.ask("fix the login loop").await;
    desk.ask("use sk-ant-api03-abcdefghijklmnop now").await;
    let file = desk.home("data/prompts.jsonl");
    let read = move || std::fs::read_to_string(&file).unwrap_or_default();
    let both = read.clone();
    desk.ide.until("both prompts", move |_| both().lines().count() == 2).await;
    let kept = read();
    assert!(kept.contains("use [secret] now") && !kept.contains("abcdefghijklmnop"), "{kept}");
    let mut desk = desk.again().start().await;
    desk.until("the history", |state| state.prompt.history.len() == 2).await;
    desk.keys("Alt-3").await;
    desk.type_in("draft").await;
    desk.keys("Up").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "use [secret] now");
    desk.keys("Up Up").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "fix the login loop");
    desk.keys("Down Down").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "draft");
    // From the list, by some of its letters.
    desk.keys("Ctrl-r").await;
    desk.shows("Prompt history").await;
    desk.type_in("loop").await;
    desk.keys("Enter").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "fix the login loop");
    assert_eq!(desk.state().prompt.history.last().unwrap(), "draft");
}

#[tokio::test]
async fn a_place_in_the_conversation_is_found_and_gone_to() {
    let turns = [Turn::text("the answer is quicksort"), Turn::text("then mergesort")];
    let mut desk = Plan::new().turns(turns).size(120, 30).start().await;
    desk.ask("which way").await;
    desk.ask("and another").await;
    desk.keys("F1").await;
    desk.type_in("Search sessions").await;
    desk.keys("Enter").await;
    desk.shows("Search sessions").await;
    desk.type_in("quicks").await;
    desk.shows("the answer is quicksort").await;
    desk.keys("Enter").await;
    desk.until("the place", |state| state.slots[TRANSCRIPT].items().len() < 4).await;
    let picture = desk.picture();
    assert!(picture.contains("the answer is quicksort") && !picture.contains("mergesort"), "{picture}");
}

#[tokio::test]
async fn a_place_in_another_conversation_is_opened_there() {
    let turns = [Turn::text("the answer is quicksort"), Turn::text("what comes later")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.ask("which way").await;
    desk.ask("another question").await;
    let mut desk = desk.again().turns([Turn::text("hello")]).size(120, 30).start().await;
    desk.until("the session", |state| state.agent.connected).await;
    // Other ids: the counting ones of a test begin anew.
    desk.state().agent.session = "another".to_string();
    desk.keys("F1").await;
    desk.type_in("Search sessions").await;
    desk.keys("Enter").await;
    desk.type_in("file:nothing").await;
    assert!(desk.picture().contains("0 / 0"), "{}", desk.picture());
    desk.keys("Ctrl-u").await;
    desk.type_in("quicksort").await;
    desk.shows("the answer is quicksort").await;
    desk.keys("Enter").await;
    desk.until("the other conversation", |state| state.slots[TRANSCRIPT].items().len() == 2).await;
    let picture = desk.picture();
    assert!(picture.contains("which way") && !picture.contains("what comes later"), "{picture}");
    desk.ask("and from there on").await;
    assert_eq!(desk.session().iter().filter(|line| line["message"]["role"] == "user").count(), 3);
}

#[tokio::test]
async fn conversations_of_other_programs_are_taken_over() {
    let fixture = crate::source::root().join("tests/fixtures/import/claude.jsonl");
    let mut desk = Plan::new().size(120, 30).start().await;
    desk.until("the session", |state| state.agent.connected).await;
    for said in
        ["1 conversation taken over, 0 there before", "0 conversations taken over, 1 there before, 0 ent"]
    {
        desk.keys("F1").await;
        desk.type_in("Import sessions").await;
        desk.keys("Enter").await;
        desk.shows("Import sessions of").await;
        desk.keys("Ctrl-u").await;
        desk.type_in(&fixture.display().to_string()).await;
        desk.keys("Enter").await;
        assert!(desk.message().contains(said), "{}", desk.message());
    }
    assert!(desk.session()[0]["id"].as_str().unwrap().ends_with("c1a0"));
}

async fn palette(desk: &mut Desk, words: &str) {
    desk.keys("F1").await;
    desk.type_in(words).await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn a_session_is_deleted_from_the_list_and_brought_back() {
    let mut desk = Plan::new().turns([Turn::text("one")]).start().await;
    desk.ask("about the harbour").await;
    let mut desk = desk.again().turns([Turn::text("two")]).size(120, 30).start().await;
    desk.until("the session", |state| state.agent.connected).await;
    // Other ids: the counting ones of a test begin anew.
    desk.state().agent.session = "another".to_string();
    let files = |desk: &Desk| listing::jsonl_below(&desk.home("data/sessions")).len();
    assert_eq!(files(&desk), 1);
    palette(&mut desk, "Resume session").await;
    desk.shows("about the harbour").await;
    // While something is typed the key does what it does in a text.
    desk.type_in("harx").await;
    desk.keys("Left Ctrl-d").await;
    desk.shows("about the harbour").await;
    desk.keys("Ctrl-d").await;
    desk.shows("Delete this session?").await;
    desk.keys("n").await;
    assert_eq!(files(&desk), 1);
    desk.keys("Ctrl-d").await;
    desk.keys("y").await;
    desk.until("the empty list", |state| {
        let picker = state.layers.top::<Picker>();
        picker.is_some_and(|picker| picker.settled && !picker.filling && picker.current().is_none())
    })
    .await;
    assert!(desk.message().contains("moved to trash"), "{}", desk.message());
    assert_eq!(files(&desk), 0);
    desk.keys("Escape").await;
    palette(&mut desk, "Restore deleted session").await;
    desk.shows("Session restored").await;
    assert_eq!(files(&desk), 1);
    palette(&mut desk, "Restore deleted session").await;
    desk.shows("No sessions in the trash").await;
}

#[tokio::test]
async fn the_open_session_is_not_deleted() {
    let mut desk = Plan::new().turns([Turn::text("one")]).start().await;
    desk.ask("about the harbour").await;
    palette(&mut desk, "Delete session").await;
    desk.shows("about the harbour").await;
    desk.keys("Enter").await;
    assert!(desk.message().contains("Session is open"), "{}", desk.message());
}
