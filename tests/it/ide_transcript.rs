//! The conversation as a place for the keys: walking through it, folding, copying, searching, going back.

use bowline::ide::core::panes::AgentPart;
use bowline::llm::providers::scripted::{Step, Turn};
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

/// An IDE with two turns: a command with ten lines of output and an answer, and an answer that names a file.
async fn ide_with_two_turns(cols: u16, rows: u16) -> TestIde {
    let turns = [
        bash("c1", "seq 10"),
        Turn::text("The **numbers** go to ten.\n\nSee `src/a.rs:2`."),
        Turn::text("Second answer about b.txt"),
        Turn::text("third"),
    ];
    let setup = IdeSetup::new().file("src/a.rs", "one\ntwo\n").file("b.txt", "b").turns(turns);
    let mut ide = setup.size(cols, rows).policy(bowline::tools::Mode::Full).start().await;
    ide.prompt("count").await;
    ide.prompt("again").await;
    ide
}

/// Returns the text of the marked lines.
fn marked(ide: &mut TestIde) -> String {
    let picture = ide.picture();
    let lines = picture.lines().filter_map(|line| line.split_once('▎'));
    lines.map(|(_, text)| text.trim_end_matches(['│', ' ']).trim()).collect::<Vec<_>>().join("|")
}

fn clipboard(ide: &mut TestIde) -> String {
    ide.headless.app().ui.clipboard.take().unwrap_or_default()
}

fn status(ide: &mut TestIde) -> String {
    ide.status_message()
}

#[tokio::test]
async fn transcript_keys_walk_by_block_and_turn() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.keys("Tab").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Transcript));
    assert_eq!(marked(&mut ide), "Second answer about b.txt");
    ide.keys("k").await;
    assert_eq!(marked(&mut ide), "› again");
    ide.keys("Up").await;
    assert!(marked(&mut ide).starts_with("The numbers go to ten."));
    ide.keys("k").await;
    assert!(marked(&mut ide).starts_with("▾ bash  seq 10"));
    ide.keys("]").await;
    assert_eq!(marked(&mut ide), "› again");
    ide.keys("[").await;
    assert_eq!(marked(&mut ide), "› count");
    ide.keys("End").await;
    assert_eq!(marked(&mut ide), "Second answer about b.txt");
    ide.keys("Home").await;
    assert_eq!(marked(&mut ide), "› count");
    ide.keys("Escape").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Prompt));
    assert_eq!(marked(&mut ide), "");
    // From the prompt one key goes to the turns.
    ide.keys("Ctrl-Up").await;
    assert_eq!(marked(&mut ide), "› count");
    ide.snap("transcript_focus");
}

#[tokio::test]
async fn transcript_tab_goes_to_the_newest_block_where_the_end_is_followed() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.keys("Tab k").await;
    assert_eq!(marked(&mut ide), "› again");
    ide.keys("Escape").await;
    ide.prompt("more").await;
    ide.keys("Tab").await;
    assert_eq!(marked(&mut ide), "third");
    ide.keys("Home Escape Tab").await;
    assert_eq!(marked(&mut ide), "› count", "what is read elsewhere stays");
}

#[tokio::test]
async fn transcript_tab_in_written_prompt_is_a_tab() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.type_in("a").await;
    ide.keys("Tab").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Prompt));
    assert!(ide.state().prompt.area.text().to_string().starts_with('a'));
    assert_ne!(ide.state().prompt.area.text().to_string(), "a");
}

#[tokio::test]
async fn transcript_enter_folds_one_card_in_three_steps() {
    let mut ide = ide_with_two_turns(80, 30).await;
    let shows = |ide: &mut TestIde, text: &str| ide.picture().contains(text);
    ide.keys("Tab Home j").await;
    assert!(shows(&mut ide, "… 5 more") && shows(&mut ide, "▎"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert!(!shows(&mut ide, "more · Ctrl-o"), "{}", ide.picture());
    assert!(marked(&mut ide).contains("|1|2|3|"), "{}", marked(&mut ide));
    ide.keys("Enter").await;
    assert!(
        marked(&mut ide).starts_with("▸ bash") && !marked(&mut ide).contains('|'),
        "{}",
        marked(&mut ide)
    );
    ide.keys("Enter").await;
    assert!(shows(&mut ide, "… 5 more"), "{}", ide.picture());
    ide.keys("k Enter").await;
    assert_eq!(status(&mut ide), "Nothing to fold here");
}

#[tokio::test]
async fn transcript_click_on_head_of_call_folds_it_and_elsewhere_focuses_prompt() {
    let mut ide = ide_with_two_turns(80, 30).await;
    let (col, row) = ide.find("bash  seq");
    ide.click(col, row);
    assert!(!ide.picture().contains("… 5 more"), "{}", ide.picture());
    ide.keys("Tab").await;
    let (col, row) = ide.find("› count");
    ide.click(col, row);
    assert!(ide.state().panes.is_agent_focused(AgentPart::Prompt));
}

#[tokio::test]
async fn transcript_copies_what_was_said_without_signs() {
    let mut ide = ide_with_two_turns(50, 24).await;
    ide.keys("Tab Home y").await;
    assert_eq!(clipboard(&mut ide), "count");
    assert_eq!(status(&mut ide), "Copied 1 line");
    ide.keys("j y").await;
    assert_eq!(clipboard(&mut ide), "seq 10\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
    ide.keys("j y").await;
    assert_eq!(clipboard(&mut ide), "The **numbers** go to ten.\n\nSee `src/a.rs:2`.");
    ide.keys("[ Y").await;
    let turn = clipboard(&mut ide);
    assert!(turn.starts_with("> count\n") && turn.contains("**bash**\n\n```\nseq 10"), "{turn}");
    assert!(turn.ends_with("See `src/a.rs:2`."), "{turn}");
    // The last answer, from the prompt.
    ide.keys("Escape Alt-Shift-y").await;
    assert_eq!(clipboard(&mut ide), "Second answer about b.txt");
    // It is in the kill ring, too.
    ide.keys("Ctrl-y").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "Second answer about b.txt");
}

#[tokio::test]
async fn transcript_opens_files_that_a_block_names() {
    let mut ide = ide_with_two_turns(120, 30).await;
    ide.keys("Ctrl-Up [ j j o").await;
    assert_eq!(ide.text(), "one\ntwo\n");
    assert_eq!(ide.cursor(), (2, 1));
    ide.keys("Alt-3 Ctrl-Up o").await;
    assert_eq!(status(&mut ide), "No file that exists and no link is named here");
}

#[tokio::test]
async fn transcript_offers_several_named_files() {
    let turns = [Turn::text("a.txt, missing.txt and b.txt:2, a.txt again")];
    let mut ide =
        IdeSetup::new().file("a.txt", "a").file("b.txt", "1\n2\n").turns(turns).size(100, 24).start().await;
    ide.prompt("go").await;
    ide.keys("Tab o").await;
    let picture = ide.picture();
    assert!(picture.contains("Files and links in block") && picture.contains("b.txt:2"), "{picture}");
    assert!(!picture.contains("▸ missing.txt"), "{picture}");
    ide.type_in("b.t").await;
    ide.keys("Enter").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("1\n2\n", (2, 1)));
}

#[tokio::test]
async fn transcript_search_marks_counts_and_unfolds() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.keys("Tab /").await;
    ide.type_in("answer").await;
    assert!(ide.picture().contains("1 hit"), "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    ide.type_in("b").await;
    ide.keys("Enter").await;
    assert_eq!(status(&mut ide), "3 hits");
    assert!(marked(&mut ide).starts_with("Second answer"), "{}", marked(&mut ide));
    ide.snap("transcript_search");
    ide.keys("N").await;
    assert!(marked(&mut ide).starts_with("The numbers"), "{}", marked(&mut ide));
    ide.keys("N").await;
    assert_eq!(status(&mut ide), "No hit above");
    ide.keys("n").await;
    assert!(marked(&mut ide).starts_with("Second answer"), "{}", marked(&mut ide));
    ide.keys("Escape").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Transcript), "the first Escape removes the marks");
    // A hit in output that is not shown.
    ide.keys("/").await;
    ide.type_in("^3$").await;
    ide.keys("Alt-r Enter").await;
    assert!(marked(&mut ide).contains("|3|"), "{}", ide.picture());
}

#[tokio::test]
async fn transcript_edit_puts_message_into_prompt_and_branches() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.type_in("draft").await;
    ide.keys("Ctrl-Up [ e").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "count");
    assert!(status(&mut ide).contains("a new branch begins here"), "{}", status(&mut ide));
    assert!(!ide.picture().contains("› again"), "{}", ide.picture());
    ide.type_in(" better").await;
    ide.keys("Enter").await;
    ide.wait_for_text("› count better").await;
    ide.headless.idle().await;
    let last = serde_json::to_string(&ide.script.requests().last().unwrap().messages).unwrap();
    assert!(last.contains("count better") && !last.contains("again"), "{last}");
    // What was typed before stands in the prompt again.
    assert_eq!(ide.state().prompt.area.text().to_string(), "draft");
}

#[tokio::test]
async fn transcript_edit_canceled_restores_conversation_and_prompt() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.type_in("draft").await;
    let before = ide.session().len();
    ide.keys("Ctrl-Up [ e").await;
    assert!(ide.picture().contains("editing a sent message · Escape cancels"), "{}", ide.picture());
    ide.type_in(" better").await;
    ide.keys("Escape").await;
    let picture = ide.picture();
    assert!(picture.contains("› again") && !picture.contains("editing a sent"), "{picture}");
    assert_eq!(ide.state().prompt.area.text().to_string(), "draft");
    assert!(ide.state().prompt.history.contains(&"count better".to_string()));
    assert_eq!(ide.session().len(), before, "nothing is stored");
    ide.keys("Ctrl-u").await;
    ide.prompt("third").await;
    let last = serde_json::to_string(&ide.script.requests().last().unwrap().messages).unwrap();
    assert!(last.contains("count") && last.contains("again") && last.contains("third"), "{last}");
}

#[tokio::test]
async fn transcript_edit_of_another_message_goes_back_to_the_first_state() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.type_in("draft").await;
    ide.keys("Ctrl-Up e").await;
    ide.type_in(" more").await;
    ide.keys("Ctrl-Up [ e").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "count");
    ide.keys("Escape").await;
    assert!(ide.picture().contains("› again"), "{}", ide.picture());
    assert_eq!(ide.state().prompt.area.text().to_string(), "draft");
    assert!(ide.state().prompt.history.contains(&"again more".to_string()));
    // Another branch from here: the unsent message is still there.
    ide.keys("Ctrl-Up e").await;
    ide.keys("Ctrl-Up [ b").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "draft", "{}", ide.picture());
    assert!(!ide.picture().contains("editing a sent message"), "{}", ide.picture());
}

#[tokio::test]
async fn transcript_edit_of_first_message_is_canceled_too() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.keys("Ctrl-Up [ [ e").await;
    ide.keys("Escape").await;
    assert!(ide.picture().contains("› again"), "{}", ide.picture());
    // Moving elsewhere ends the editing.
    ide.keys("Ctrl-Up [ e").await;
    ide.keys("Alt-g").await;
    ide.keys("Enter").await;
    assert!(!ide.picture().contains("editing a sent message"), "{}", ide.picture());
}

#[tokio::test]
async fn transcript_retry_sends_message_again() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.keys("Tab r").await;
    assert!(status(&mut ide).contains("Press the key again"), "{}", status(&mut ide));
    ide.keys("r").await;
    ide.wait_for_text("third").await;
    let picture = ide.picture();
    assert!(picture.contains("› again") && !picture.contains("Second answer"), "{picture}");
    assert!(ide.session().iter().any(|line| line.to_string().contains("Second answer")), "it stays stored");
}

#[tokio::test]
async fn transcript_branch_goes_on_after_the_turn() {
    let mut ide = ide_with_two_turns(80, 24).await;
    ide.keys("Ctrl-Up [ b").await;
    let picture = ide.picture();
    assert!(picture.contains("go to ten") && !picture.contains("› again"), "{picture}");
    ide.prompt("other").await;
    let last = serde_json::to_string(&ide.script.requests().last().unwrap().messages).unwrap();
    assert!(last.contains("go to ten") && last.contains("other") && !last.contains("Second"), "{last}");
}

#[tokio::test]
async fn transcript_keys_do_not_go_back_while_agent_works() {
    let turns = [Turn::text("one"), Turn::of(vec![Step::Text(vec!["working".into()]), Step::Gate])];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("a").await;
    ide.send_prompt("b").await;
    ide.wait_for_text("working").await;
    ide.headless.press("Ctrl-Up r r");
    assert!(status(&mut ide).contains("Agent is working"), "{}", status(&mut ide));
    ide.headless.press("Escape Escape");
    ide.wait_for("the end", |state| state.agent.working_since.is_none()).await;
}

#[tokio::test]
async fn transcript_focus_stays_while_answer_streams() {
    let turns = [
        Turn::text("one"),
        Turn::of(vec![
            Step::Text(vec!["working".into()]),
            Step::Gate,
            Step::Text(vec!["\n\nmore".repeat(40)]),
        ]),
    ];
    let mut ide = IdeSetup::new().turns(turns).size(80, 16).start().await;
    ide.prompt("a").await;
    ide.send_prompt("b").await;
    ide.wait_for_text("working").await;
    ide.headless.press("Ctrl-Up [");
    assert_eq!(marked(&mut ide), "› a");
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert_eq!(marked(&mut ide), "› a", "what is read does not move");
    ide.keys("End").await;
    assert!(marked(&mut ide).ends_with("more"));
}

#[tokio::test]
async fn transcript_keys_in_empty_conversation_say_so() {
    let mut ide = IdeSetup::new().start().await;
    ide.keys("Tab").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Prompt));
    for key in ["Ctrl-Up", "Ctrl-Down", "Alt-Shift-y"] {
        ide.keys(key).await;
    }
    assert_eq!(status(&mut ide), "Nothing to copy");
}

#[tokio::test]
async fn transcript_focus_works_in_every_size() {
    for (cols, rows) in [(20, 5), (40, 12), (120, 40)] {
        let mut ide = ide_with_two_turns(cols, rows).await;
        for key in ["Tab", "k", "k", "Enter", "[", "]", "Home", "End", "/", "Escape", "y"] {
            ide.keys(key).await;
        }
        assert!(!marked(&mut ide).is_empty(), "{}", ide.picture());
    }
}

#[tokio::test]
async fn transcript_click_on_link_opens_page_in_browser() {
    let answer = Turn::text("See [the book](https://doc.example/book?x=1) and a.txt.");
    let setup = IdeSetup::new().browser().file("a.txt", "x").turns([answer]);
    let mut ide = setup.size(100, 30).start().await;
    ide.prompt("where").await;
    let (col, row) = ide.find("the book");
    ide.click(col + 2, row);
    ide.headless.idle().await;
    assert_eq!(status(&mut ide), "Opened the page in the browser");
    let opened = ide.path("opened");
    while !opened.exists() {
        tokio::task::yield_now().await;
    }
    assert_eq!(std::fs::read_to_string(opened).unwrap(), "https://doc.example/book?x=1\n");
    let cell = ide.headless.app().screen.buffer()[(col, row)].clone();
    assert_ne!(cell.underline_color, ratatui::style::Color::Reset, "the cell is a link");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn transcript_link_is_copied_where_there_is_no_browser() {
    let answer = Turn::text("See https://doc.example/a_b.");
    let mut ide = IdeSetup::new().turns([answer]).size(100, 30).start().await;
    ide.prompt("where").await;
    let (col, row) = ide.find("https://");
    ide.click(col + 2, row);
    ide.headless.idle().await;
    assert!(status(&mut ide).ends_with("its address is copied"));
    assert_eq!(ide.headless.app().ui.clipboard.take().as_deref(), Some("https://doc.example/a_b"));
}

#[tokio::test]
async fn transcript_open_lists_links_beside_files() {
    let answer = Turn::text("See [the book](https://doc.example/book) and a.txt.");
    let mut ide = IdeSetup::new().file("a.txt", "x").turns([answer]).size(100, 30).start().await;
    ide.prompt("where").await;
    ide.keys("Ctrl-Up j o").await;
    assert!(ide.picture().contains("Files and links in block"), "{}", ide.picture());
    assert!(
        ide.picture().contains("a.txt") && ide.picture().contains("https://doc.example/book"),
        "{}",
        ide.picture()
    );
}

#[tokio::test]
async fn transcript_scrolled_up_says_that_it_goes_on_below() {
    let mut ide = ide_with_two_turns(80, 16).await;
    assert!(!ide.picture().contains("more below"), "{}", ide.picture());
    ide.keys("Alt-3 PageUp").await;
    assert!(ide.picture().contains("▼ more below · Ctrl-End"), "{}", ide.picture());
    ide.headless.resize(32, 16);
    assert!(ide.picture().contains("▼ more below · Ctrl-End"), "{}", ide.picture());
    ide.headless.resize(20, 16);
    assert!(ide.picture().contains("▼ Ctrl-End"), "{}", ide.picture());
    ide.headless.resize(80, 60);
    assert!(!ide.picture().contains('▼'), "all is shown: {}", ide.picture());
    ide.headless.resize(80, 16);
    assert!(!ide.picture().contains('▼'), "the end is followed again: {}", ide.picture());
    ide.keys("PageUp Ctrl-End").await;
    assert!(!ide.picture().contains('▼'), "{}", ide.picture());
}

#[tokio::test]
async fn transcript_text_of_a_megabyte_comes_in_frames_and_keys_do_not_wait() {
    let text = (1..=40_000).map(|n| format!("- line {n} of it\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().turns([Turn::text(&text)]).size(80, 24).start().await;
    ide.prompt("write much").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("line 40000 of it"), "{}", ide.picture());
    // At another width it begins with what takes no time.
    ide.headless.resize(100, 24);
    assert!(!ide.picture().contains("line 40000 of it"), "{}", ide.picture());
    ide.type_without_settling("h");
    assert!(ide.picture().contains("┃ h"), "{}", ide.picture());
    ide.headless.idle().await;
    assert!(ide.picture().contains("line 40000 of it"), "{}", ide.picture());
    // Hidden before it is whole, nothing goes on until it is seen again.
    ide.headless.resize(90, 24);
    ide.headless.press("Alt-a");
    ide.headless.idle().await;
    assert!(!ide.picture().contains("of it"), "{}", ide.picture());
    ide.keys("Alt-a").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("line 40000 of it"), "{}", ide.picture());
}
