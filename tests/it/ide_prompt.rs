//! What can be typed into the agent's prompt beside messages: slash commands, shell commands, completed words.

use bowline::ide::core::layers::picker::Picker;
use bowline::ide::core::state::State;
use bowline::ide::features::prompt::external_editor::{self, EXTERNAL_EDITOR};
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::providers::scripted::{Step, Turn};
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

async fn started(setup: IdeSetup) -> TestIde {
    let mut ide = setup.start().await;
    ide.keys("Alt-3").await;
    ide
}

#[tokio::test]
async fn slash_command_unknown_is_kept_and_not_sent() {
    let mut ide = started(IdeSetup::new().size(120, 24)).await;
    for (typed, advice) in [
        ("/foobar", "No command /foobar."),
        ("/clear", "No command /clear."),
        ("/vim", "No command /vim."),
        ("/modle", "Did you mean /model?"),
        ("/sumary of it", "Did you mean /summary?"),
        ("/export x.md", "No command /export."),
    ] {
        ide.type_in(typed).await;
        ide.keys("Enter").await;
        assert!(ide.status_message().contains(advice), "{typed}: {}", ide.status_message());
        assert_eq!(prompt(&mut ide), typed);
        assert!(ide.script.requests().is_empty(), "{typed}");
        ide.keys("Ctrl-u").await;
    }
    ide.prompt(" /foobar").await;
    assert_eq!(ide.script.requests().len(), 1, "with a space before it it is a message");
}

#[tokio::test]
async fn slash_completion_lists_filters_and_runs() {
    let mut ide = started(IdeSetup::new().size(100, 30)).await;
    ide.type_in("/").await;
    ide.snap("prompt_slash");
    ide.type_in("mod").await;
    let picture = ide.picture();
    assert!(picture.contains("▸ /model") && !picture.contains("/resume"), "{picture}");
    ide.keys("Tab").await;
    assert_eq!(prompt(&mut ide), "/model ");
    ide.keys("Ctrl-u").await;
    ide.type_in("/to").await;
    ide.keys("Enter").await;
    assert!(ide.state().layers.top::<Picker>().is_some_and(|picker| picker.spec.id == "tools"));
    assert_eq!(prompt(&mut ide), "");
    ide.keys("Escape").await;
    ide.type_in("/re").await;
    ide.keys("Escape").await;
    assert!(!ide.state().prompt.is_completing() && prompt(&mut ide) == "/re");
    ide.type_in("s").await;
    assert!(!ide.state().prompt.is_completing(), "what was closed stays closed for this word");
    ide.keys("Ctrl-u").await;
    ide.type_in("/re").await;
    assert!(ide.state().prompt.is_completing(), "another word asks again");
}

#[tokio::test]
async fn slash_model_switches_by_name() {
    let mut ide = started(IdeSetup::new().model("other").size(120, 24)).await;
    ide.type_in("/model nothing").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("No model matches nothing"), "{}", ide.status_message());
    assert_eq!(prompt(&mut ide), "/model nothing", "it can be corrected");
    ide.keys("Ctrl-u").await;
    ide.type_in("/model oth").await;
    ide.keys("Enter").await;
    let is_other = |state: &State| state.agent.model.as_ref().is_some_and(|model| model.id == "other");
    ide.wait_for("the other model", is_other).await;
}

#[tokio::test]
async fn file_completion_inserts_paths_of_workspace() {
    let setup = IdeSetup::new().size(100, 30).file("src/lib.rs", "x").file("docs/guide.md", "x");
    let mut ide = started(setup.file(".gitignore", "ignored\n").file("ignored", "x")).await;
    ide.type_in("look at @gui").await;
    ide.wait_for_text("▸ @docs/guide.md").await;
    ide.snap("prompt_files");
    ide.keys("Enter").await;
    assert_eq!(prompt(&mut ide), "look at @docs/guide.md ");
    ide.type_in("@sr").await;
    ide.wait_for_text("▸ @src/").await;
    ide.keys("Tab").await;
    assert_eq!(prompt(&mut ide), "look at @docs/guide.md @src/");
    ide.wait_for_text("▸ @src/").await;
    ide.keys("Down Tab").await;
    assert_eq!(prompt(&mut ide), "look at @docs/guide.md @src/lib.rs ");
    ide.type_in("@ignored").await;
    assert!(!ide.state().prompt.is_completing());
    ide.prompt("").await;
    assert_eq!(ide.script.requests().len(), 1, "without completions Enter sends");
}

#[tokio::test]
async fn external_editor_keeps_what_came_meanwhile() {
    let mut ide = started(IdeSetup::new().size(120, 24)).await;
    ide.type_in("before").await;
    ide.keys("Ctrl-g").await;
    let edit = ide.headless.app().ui.edit.take().expect("the terminal is requested");
    assert_eq!((edit.command.as_str(), edit.text.to_string().as_str()), ("an-editor --wait", "before"));
    ide.type_in(" and more").await;
    ide.headless.app().with_cx(|cx| external_editor::on_edited(cx, &edit, Ok("edited\u{1b}[2J\n".into())));
    assert_eq!(prompt(&mut ide), "edited\u{1b}[2J");
    assert!(!ide.picture().contains('\u{1b}'));
    ide.keys("Up").await;
    assert_eq!(prompt(&mut ide), "before and more");
    ide.keys("Ctrl-u Ctrl-g").await;
    let edit = ide.headless.app().ui.edit.take().unwrap();
    ide.headless.app().with_cx(|cx| external_editor::on_edited(cx, &edit, Ok("one\r\n".into())));
    assert_eq!(prompt(&mut ide), "one");
    ide.keys("Ctrl-z").await;
    assert_eq!(prompt(&mut ide), "", "one step of undo");
    ide.state().slots[EXTERNAL_EDITOR].0 = None;
    ide.keys("Ctrl-g").await;
    assert!(ide.status_message().contains("EDITOR=vim") && ide.headless.app().ui.edit.is_none());
}

#[tokio::test]
async fn completion_leaves_history_and_other_panes_alone() {
    let mut ide = started(IdeSetup::new().with("a.txt", "x\n")).await;
    ide.type_in("/hotkeys").await;
    ide.keys("Enter").await;
    ide.keys("Escape").await;
    ide.keys("Up").await;
    assert_eq!(prompt(&mut ide), "/hotkeys");
    assert!(!ide.state().prompt.is_completing(), "recalled, not typed");
    ide.keys("Ctrl-u").await;
    ide.type_in("/m").await;
    assert!(ide.state().prompt.is_completing());
    ide.keys("Alt-2").await;
    assert!(!ide.state().prompt.is_completing());
    ide.type_in("/m").await;
    assert!(ide.text().starts_with("/m") && !ide.state().prompt.is_completing());
}

#[tokio::test]
async fn shell_command_output_is_shared_or_private() {
    let mut ide = started(IdeSetup::new().size(100, 30).turns([Turn::text("seen")])).await;
    ide.type_in("!echo shared-$((1+1)); exit 3").await;
    ide.keys("Enter").await;
    let picture = ide.picture();
    assert!(picture.contains("shared-2") && picture.contains("exit 3"), "{picture}");
    assert!(picture.contains('✗'), "{picture}");
    ide.type_in("!!echo secret-$((2+2))").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("secret-4") && ide.picture().contains("private"), "{}", ide.picture());
    ide.type_in("!").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("No command after"), "{}", ide.status_message());
    ide.keys("Ctrl-u").await;
    ide.prompt("what was it").await;
    let sent = serde_json::to_string(&ide.script.requests()[0].messages).unwrap();
    assert!(sent.contains("shared-2") && !sent.contains("secret-4"), "{sent}");
    let entries = ide.session();
    let roles: Vec<_> = entries.iter().filter(|entry| entry["message"]["role"] == "bashExecution").collect();
    assert_eq!(roles.len(), 2);
    assert_eq!(roles[1]["message"]["excludeFromContext"], true);
    let file = ide.home("data/prompts.jsonl");
    let stored = move || std::fs::read_to_string(&file).unwrap_or_default();
    let both = stored.clone();
    ide.headless.until("the stored prompts", move |_| both().contains("what was it")).await;
    assert!(stored().contains("shared-") && !stored().contains("secret-"), "{}", stored());
    let mut ide = ide.restart().continue_session().start().await;
    let picture = ide.picture();
    assert!(picture.contains("shared-2") && picture.contains("secret-4"), "{picture}");
}

#[tokio::test]
async fn shell_command_is_shown_live_and_stopped_by_escape() {
    let mut ide = started(IdeSetup::new().size(100, 30)).await;
    ide.type_without_settling("!echo begun; exec sleep 600");
    ide.headless.press("Enter");
    ide.wait_for_text("begun").await;
    ide.headless.press("Escape");
    ide.headless.idle().await;
    assert!(ide.picture().contains("Stopped"), "{}", ide.picture());
}

#[tokio::test]
async fn queue_shows_delivery_and_counts_hidden_messages() {
    let turns = [Turn::of(vec![Step::Text(vec!["working".into()]), Step::Gate])];
    let mut ide = started(IdeSetup::new().size(100, 20).turns(turns)).await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    for n in 0..9 {
        ide.type_without_settling(&format!("message number {n}"));
        ide.headless.press(if n == 0 { "Enter" } else { "Alt-Enter" });
    }
    ide.wait_for("the queue", |state| state.agent.steering.len() + state.agent.follow_up.len() == 9).await;
    let picture = ide.picture();
    assert!(picture.contains("next   message number 0"), "{picture}");
    assert!(picture.contains("later  message number 1") && picture.contains("+6 more"), "{picture}");
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert!(ide.state().slots[TRANSCRIPT].items().len() > 2);
}

#[tokio::test]
async fn shell_command_during_run_is_recorded_after_it() {
    let call = Turn::call("c1", "bash", json!({"command": "true"}));
    let turns = [Turn::of(vec![Step::Text(vec!["working".into()]), Step::Gate]), call, Turn::text("done")];
    let mut ide = started(IdeSetup::new().size(100, 30).turns(turns)).await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    ide.type_without_settling("!echo beside-$((3+3))");
    ide.headless.press("Enter");
    ide.wait_for_text("beside-6").await;
    assert!(ide.state().agent.working_since.is_some(), "the agent works on");
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    let roles: Vec<String> = ide
        .session()
        .iter()
        .filter_map(|entry| entry["message"]["role"].as_str().map(str::to_string))
        .collect();
    assert_eq!(roles, ["user", "assistant", "bashExecution"]);
}

#[tokio::test]
async fn slash_completion_enter_runs_only_what_was_typed_or_chosen() {
    let mut ide = started(IdeSetup::new().size(100, 30)).await;
    for typed in ["/it", "/ew", "/"] {
        ide.type_in(typed).await;
        ide.keys("Enter").await;
        assert!(!ide.state().quit && ide.script.requests().is_empty(), "{typed}");
        assert!(prompt(&mut ide).starts_with('/'), "{typed}: completed, not run: {}", prompt(&mut ide));
        ide.keys("Ctrl-u").await;
    }
    ide.type_in("/!ls").await;
    assert!(!ide.state().prompt.is_completing());
    ide.keys("Ctrl-u").await;
    ide.type_in("/t").await;
    ide.keys("Down Down").await;
    let chosen =
        ide.state().prompt.completion.open.as_ref().map(|open| open.rows[open.selected].text.clone());
    assert!(chosen.is_some_and(|text| text != "/tree"));
    ide.keys("Up Up Enter").await;
    ide.wait_for_text("Session").await;
}

#[tokio::test]
async fn completion_in_smallest_window_is_visible() {
    let mut ide = started(IdeSetup::new().size(20, 5)).await;
    ide.type_in("/qu").await;
    assert!(ide.picture().contains("/quit"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert!(ide.state().quit || !ide.state().layers.is_empty());
}

#[tokio::test]
async fn file_completion_burst_takes_what_was_typed_last() {
    let setup = IdeSetup::new().size(100, 30).file("apple.txt", "x").file("abc.txt", "x");
    let mut ide = started(setup).await;
    ide.type_in("@a").await;
    ide.wait_for("the list", |state| state.prompt.is_completing()).await;
    ide.type_without_settling("bc");
    ide.headless.press("Enter");
    ide.headless.idle().await;
    assert_eq!(prompt(&mut ide), "@abc.txt ");
    ide.keys("Ctrl-u").await;
    // A word that no path contains is a word.
    ide.prompt("see @apt").await;
    assert_eq!(ide.script.requests().len(), 1);
    assert!(serde_json::to_string(&ide.script.requests()[0].messages).unwrap().contains("see @apt"));
}

#[tokio::test]
async fn completion_replaces_whole_word_and_follows_keymap() {
    let emacs =
        bowline::ide::core::keys::keymap::BUILTIN.iter().find(|(name, _)| *name == "emacs").unwrap().1;
    let setup = IdeSetup::new().size(100, 30).keymap(emacs).file("src/lib.rs", "x").file("src/main.rs", "x");
    let mut ide = started(setup).await;
    ide.type_in("@li end").await;
    ide.keys("Ctrl-b Ctrl-b Ctrl-b Ctrl-b").await;
    ide.type_in("b").await;
    ide.wait_for("the list", |state| state.prompt.is_completing()).await;
    ide.keys("Tab").await;
    assert_eq!(prompt(&mut ide), "@src/lib.rs end");
    ide.keys("Ctrl-a Ctrl-k").await;
    ide.type_in("@s").await;
    ide.wait_for("the list", |state| state.prompt.is_completing()).await;
    ide.keys("Ctrl-n Ctrl-p Ctrl-g").await;
    assert!(!ide.state().prompt.is_completing() && prompt(&mut ide) == "@s");
}

#[tokio::test]
async fn escape_interrupts_agent_before_shell_command() {
    let turns = [Turn::of(vec![Step::Text(vec!["working".into()]), Step::Stall])];
    let mut ide = started(IdeSetup::new().size(100, 30).turns(turns)).await;
    ide.type_without_settling("!echo begun; exec sleep 600");
    ide.headless.press("Enter");
    ide.wait_for_text("begun").await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    ide.headless.press("Escape");
    ide.wait_for("the interruption", |state| state.agent.working_since.is_none()).await;
    assert!(!ide.picture().contains("Stopped"), "{}", ide.picture());
    ide.headless.press("Escape");
    ide.wait_for_text("Stopped").await;
}

#[tokio::test]
async fn prompt_message_sent_before_session_starts_is_sent_then() {
    let answer = Turn::of(vec![Step::Text(vec!["Good morning.".into()])]);
    let mut ide = IdeSetup::new().turns([answer]).early_keys("Alt-3 h i Enter").start().await;
    let picture = ide.picture();
    assert!(picture.contains("› hi") && picture.contains("Good morning."), "{picture}");
    assert!(ide.state().prompt.is_empty());
}

#[tokio::test]
async fn prompt_message_changed_before_session_starts_waits_for_enter() {
    let mut ide = IdeSetup::new().early_keys("Alt-3 h i Enter Space y").start().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "hi y");
    assert!(ide.script.requests().is_empty());
}

#[tokio::test]
async fn prompt_gets_the_selections_of_the_editor_with_file_and_lines() {
    let mut ide = IdeSetup::new().with("src/a.rs", "one\ntwo ``` x\nthree\n").start().await;
    ide.keys("Alt-, a s").await;
    assert_eq!(
        prompt(&mut ide),
        "\nsrc/a.rs, line 1:\n```\none\n```\n",
        "without a selection the caret's line"
    );
    ide.state().prompt.area.set("", 0);
    ide.keys("Alt-2 Shift-Down Shift-Down Alt-, a s").await;
    let expected = "\nsrc/a.rs, lines 1 to 2:\n````\none\ntwo ``` x\n````\n";
    assert_eq!(prompt(&mut ide), expected, "the line behind the last break is not part of it");
    assert!(ide.state().panes.is_agent_focused(bowline::ide::core::panes::AgentPart::Prompt));
    ide.type_in("why?").await;
    assert_eq!(prompt(&mut ide), format!("why?{expected}"), "the question comes first");
    ide.keys("Alt-2 Ctrl-Home Alt-, a s").await;
    assert_eq!(prompt(&mut ide), format!("why?{expected}src/a.rs, line 1:\n```\none\n```\n"));
    ide.keys("Alt-2 F1 Alt-, a s").await;
    assert!(prompt(&mut ide).ends_with("line 1:\n```\none\n```\n"), "not below a list");
}

#[tokio::test]
async fn prompt_quotes_a_line_once_and_none_that_is_too_long() {
    let long = "x".repeat(300 << 10);
    let mut ide = IdeSetup::new().with("a.rs", format!("one two\n{long}\n")).start().await;
    ide.keys("Ctrl-Alt-Down Alt-, a s").await;
    assert!(ide.status_message().starts_with("Too long to quote"), "{}", ide.status_message());
    assert_eq!(prompt(&mut ide), "");
    ide.keys("Escape Ctrl-Home Alt-, a s").await;
    assert_eq!(prompt(&mut ide), "\na.rs, line 1:\n```\none two\n```\n");
}
