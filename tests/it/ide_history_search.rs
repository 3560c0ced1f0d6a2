//! What was said before comes back: with arrows, from a list, from all conversations.

use bowline::ide::core::layers::picker::Picker;
use bowline::ide::features::sessions::view::SessionView;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::providers::scripted::Turn;
use bowline::session::store::listing;

use crate::support::test_ide::{IdeSetup, TestIde};

#[tokio::test]
async fn prompt_history_persists_and_redacts_secrets() {
    let mut ide = IdeSetup::new().turns([Turn::text("one"), Turn::text("two")]).start().await;
    ide.prompt("fix the login loop").await;
    ide.prompt("use sk-ant-api03-abcdefghijklmnop now").await;
    let file = ide.home("data/prompts.jsonl");
    let read = move || std::fs::read_to_string(&file).unwrap_or_default();
    let both = read.clone();
    ide.headless.until("both prompts", move |_| both().lines().count() == 2).await;
    let kept = read();
    assert!(kept.contains("use [secret] now") && !kept.contains("abcdefghijklmnop"), "{kept}");
    let mut ide = ide.restart().start().await;
    ide.wait_for("the history", |state| state.prompt.history.len() == 2).await;
    ide.keys("Alt-3").await;
    ide.type_in("draft").await;
    ide.keys("Up").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "use [secret] now");
    ide.keys("Up Up").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "fix the login loop");
    ide.keys("Down Down").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "draft");
    // From the list, by some of its letters.
    ide.keys("Ctrl-r").await;
    ide.wait_for_text("Prompt history").await;
    ide.type_in("loop").await;
    ide.keys("Enter").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "fix the login loop");
    assert_eq!(ide.state().prompt.history.last().unwrap(), "draft");
}

#[tokio::test]
async fn session_search_shows_hit_in_tree_of_current_session() {
    let turns = [Turn::text("the answer is quicksort"), Turn::text("then mergesort")];
    let mut ide = IdeSetup::new().turns(turns).size(120, 30).start().await;
    ide.prompt("which way").await;
    ide.prompt("and another").await;
    ide.keys("F1").await;
    ide.type_in("Search sessions").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Search sessions").await;
    ide.type_in("quicks").await;
    ide.wait_for_text("the answer is quicksort").await;
    ide.keys("Enter").await;
    ide.wait_for("the tree", |state| state.layers.top::<SessionView>().is_some()).await;
    assert_eq!(ide.state().slots[TRANSCRIPT].items().len(), 4, "nothing was left");
    assert!(ide.state().prompt.area.text().is_empty());
    ide.keys("Enter").await;
    ide.wait_for("the place", |state| state.slots[TRANSCRIPT].items().len() < 4).await;
    let picture = ide.picture();
    assert!(picture.contains("the answer is quicksort") && !picture.contains("mergesort"), "{picture}");
}

#[tokio::test]
async fn picker_enter_waits_for_first_match() {
    let mut ide = IdeSetup::new().turns([Turn::text("the answer is quicksort")]).size(120, 30).start().await;
    ide.prompt("which way").await;
    palette(&mut ide, "Search sessions").await;
    ide.wait_for_text("Search sessions").await;
    ide.type_without_settling("quicks");
    ide.headless.press("Enter");
    ide.wait_for("the tree", |state| state.layers.top::<SessionView>().is_some()).await;
    ide.keys("Escape").await;
    palette(&mut ide, "Search sessions").await;
    ide.type_without_settling("nothing like it");
    ide.headless.press("Enter");
    ide.headless.idle().await;
    assert!(ide.state().layers.top::<SessionView>().is_none());
    assert!(!ide.state().layers.is_empty(), "the picker stays, without matches");
}

/// Opens the list of a command from the palette.
async fn open_list(ide: &mut TestIde, title: &str) {
    ide.keys("F1").await;
    ide.type_in(title).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn lists_of_sessions_and_messages_show_the_selected_one_beside_them() {
    let turns = ["first answer", "second answer", "third answer"].map(Turn::text);
    let mut ide = IdeSetup::new().turns(turns).size(120, 30).start().await;
    ide.prompt("which way").await;
    ide.prompt("and another line of it").await;
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    open_list(&mut ide, "Resume session").await;
    ide.wait_for_text("Sessions of this folder").await;
    ide.wait_for_text("second answer").await;
    assert!(ide.picture().contains("You:") && ide.picture().contains("line of it"), "{}", ide.picture());
    assert!(ide.state().slots[TRANSCRIPT].items().is_empty(), "it is shown, not opened");
    ide.keys("Escape").await;
    for (list, text) in [("Resume session from any folder", "line of it"), ("Delete session", "line of it")] {
        open_list(&mut ide, list).await;
        ide.wait_for_text(text).await;
        ide.keys("Escape").await;
    }
    open_list(&mut ide, "Search sessions").await;
    ide.type_in("another").await;
    ide.wait_for_text("line of it").await;
    assert!(ide.state().slots[TRANSCRIPT].items().is_empty(), "a hit is shown, not opened");
    ide.keys("Escape").await;
    open_list(&mut ide, "Search prompt history").await;
    ide.wait_for_text("line of it").await;
    ide.keys("Escape").await;
    // A file that was broken meanwhile is named so.
    open_list(&mut ide, "Resume session").await;
    ide.wait_for_text("Sessions of this folder").await;
    ide.keys("Escape").await;
    let file = listing::list(&ide.home("data/sessions")).remove(0).path;
    let text = std::fs::read_to_string(&file).unwrap() + "{broken\n";
    std::fs::write(&file, text).unwrap();
    open_list(&mut ide, "Resume session").await;
    ide.wait_for_text("(the file has 1 broken line)").await;
}

#[tokio::test]
async fn session_search_says_what_to_do_and_shows_the_match_in_a_small_window() {
    let answer = "it was a long time ago and far away that the answer to all of it was quicksort in the end";
    let mut ide = IdeSetup::new().turns([Turn::text(answer)]).size(80, 24).start().await;
    ide.prompt("which way").await;
    open_list(&mut ide, "Search sessions").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("Type to search all sessions") && !picture.contains("No matches"), "{picture}");
    ide.type_in("quicksort").await;
    ide.wait_for_text("answer to all").await;
    let picture = ide.picture();
    let row = picture.lines().find(|line| line.contains('▌')).unwrap_or_default();
    assert!(row.split('│').any(|part| part.contains('▌') && part.contains("quicksort")), "{picture}");
    ide.keys("Ctrl-u").await;
    ide.type_in("nothing of that").await;
    ide.wait_for_text("No matches").await;
}

#[tokio::test]
async fn session_search_opens_hit_in_other_session() {
    let turns = [Turn::text("the answer is quicksort"), Turn::text("what comes later")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("which way").await;
    ide.prompt("another question").await;
    let mut ide = ide.restart().turns([Turn::text("hello")]).size(120, 30).start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    // Other ids: the counting ones of a test begin anew.
    ide.state().agent.session = "another".to_string();
    ide.keys("F1").await;
    ide.type_in("Search sessions").await;
    ide.keys("Enter").await;
    ide.type_in("file:nothing").await;
    assert!(ide.picture().contains("0 / 0"), "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    ide.type_in("quicksort").await;
    ide.wait_for_text("the answer is quicksort").await;
    ide.keys("Enter").await;
    ide.wait_for("the whole conversation", |state| state.slots[TRANSCRIPT].items().len() == 4).await;
    ide.wait_for("its tree", |state| state.layers.top::<SessionView>().is_some()).await;
    ide.keys("Enter").await;
    ide.wait_for("the place in it", |state| state.slots[TRANSCRIPT].items().len() == 2).await;
    let picture = ide.picture();
    assert!(picture.contains("which way") && !picture.contains("what comes later"), "{picture}");
    ide.prompt("and from there on").await;
    assert_eq!(ide.session().iter().filter(|line| line["message"]["role"] == "user").count(), 3);
}

#[tokio::test]
async fn session_import_adds_sessions_once() {
    let fixture = crate::source::root().join("tests/fixtures/import/claude.jsonl");
    let mut ide = IdeSetup::new().size(120, 30).start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    for said in
        ["1 conversation taken over, 0 there before", "0 conversations taken over, 1 there before, 0 ent"]
    {
        ide.keys("F1").await;
        ide.type_in("Import sessions").await;
        ide.keys("Enter").await;
        ide.wait_for_text("Import sessions of").await;
        ide.keys("Ctrl-u").await;
        ide.type_in(&fixture.display().to_string()).await;
        ide.keys("Enter").await;
        assert!(ide.status_message().contains(said), "{}", ide.status_message());
    }
    assert!(ide.session()[0]["id"].as_str().unwrap().ends_with("c1a0"));
}

async fn palette(ide: &mut TestIde, words: &str) {
    ide.keys("F1").await;
    ide.type_in(words).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn session_delete_moves_to_trash_and_can_be_undone() {
    let mut ide = IdeSetup::new().turns([Turn::text("one")]).start().await;
    ide.prompt("about the harbour").await;
    let mut ide = ide.restart().turns([Turn::text("two")]).size(120, 30).start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    // Other ids: the counting ones of a test begin anew.
    ide.state().agent.session = "another".to_string();
    let files = |ide: &TestIde| listing::jsonl_below(&ide.home("data/sessions")).len();
    assert_eq!(files(&ide), 1);
    palette(&mut ide, "Resume session").await;
    ide.wait_for_text("about the harbour").await;
    // While something is typed the key does what it does in a text.
    ide.type_in("harx").await;
    ide.keys("Left Ctrl-d").await;
    ide.wait_for_text("about the harbour").await;
    ide.keys("Ctrl-d").await;
    ide.wait_for_text("Delete this session?").await;
    ide.keys("n").await;
    assert_eq!(files(&ide), 1);
    ide.keys("Ctrl-d").await;
    ide.keys("y").await;
    ide.wait_for("the empty list", |state| {
        let picker = state.layers.top::<Picker>();
        picker.is_some_and(|picker| picker.is_settled && !picker.is_filling && picker.current().is_none())
    })
    .await;
    assert!(ide.status_message().contains("moved to trash"), "{}", ide.status_message());
    assert_eq!(files(&ide), 0);
    ide.keys("Escape").await;
    palette(&mut ide, "Restore deleted session").await;
    ide.wait_for_text("Session restored").await;
    assert_eq!(files(&ide), 1);
    palette(&mut ide, "Restore deleted session").await;
    ide.wait_for_text("No sessions in the trash").await;
}

#[tokio::test]
async fn session_delete_rejects_open_session() {
    let mut ide = IdeSetup::new().turns([Turn::text("one")]).start().await;
    ide.prompt("about the harbour").await;
    palette(&mut ide, "Delete session").await;
    ide.wait_for_text("about the harbour").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("Session is open"), "{}", ide.status_message());
}
