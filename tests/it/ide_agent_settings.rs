//! The settings of the agent: the panel, the pickers of its values, favorites, and changes while it works.

use bowline::ide::core::state::State;
use bowline::ide::features::agent_settings::layer::SettingsView;
use bowline::ide::features::login::view::LoginView;
use bowline::ide::features::models::favorites::FAVORITES;
use bowline::ide::features::review::view::ReviewView;
use bowline::ide::features::transcript::items::{ItemKind, TRANSCRIPT};
use bowline::llm::model::Thinking;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn text_step(text: &str) -> Step {
    Step::Text(vec![text.to_string()])
}

fn write_call(id: &str) -> Step {
    Step::Call {
        id: id.into(),
        name: "write".into(),
        arguments: json!({"path": format!("{id}.txt"), "content": "x"}),
    }
}

fn model_id(state: &State) -> String {
    state.agent.model.as_ref().map(|model| model.id.clone()).unwrap_or_default()
}

/// The quiet lines of the conversation.
fn notices(ide: &mut TestIde) -> Vec<String> {
    let items = ide.state().slots[TRANSCRIPT].items();
    let text = |kind: &ItemKind| match kind {
        ItemKind::Notice { error: false, text } => Some(text.clone()),
        _ => None,
    };
    items.iter().filter_map(|item| text(&item.kind)).collect()
}

/// Waits until the session has taken over a change.
async fn model_is(ide: &mut TestIde, id: &'static str) {
    ide.wait_for(id, move |state| model_id(state) == id).await;
}

async fn mode_is(ide: &mut TestIde, mode: Mode) {
    ide.wait_for(mode.name(), move |state| state.agent.approval_mode == mode).await;
}

/// Types a message that is not for the model.
async fn enter(ide: &mut TestIde, text: &str) {
    ide.keys("Alt-3").await;
    ide.type_in(text).await;
    ide.keys("Enter").await;
}

fn offered_tools(ide: &TestIde, request: usize) -> Vec<String> {
    ide.script.requests()[request].tools.iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn settings_panel_changes_each_setting_by_arrows_and_lists() {
    let mut ide = IdeSetup::new().model("other").turns([Turn::text("a"), Turn::text("b")]).start().await;
    ide.prompt("first").await;
    ide.keys("F9").await;
    for part in ["Agent settings", "Model", "Thinking", "Tools", "Approval mode", "on-request", "Profile"] {
        assert!(ide.picture().contains(part), "{part}: {}", ide.picture());
    }
    ide.keys("Right").await;
    model_is(&mut ide, "other").await;
    let before = ide.state().agent.thinking;
    ide.keys("Down Left").await;
    ide.wait_for("the level below", move |state| state.agent.thinking as u8 + 1 == before as u8).await;
    let level = ide.state().agent.thinking;
    ide.keys("Down Down Left").await;
    mode_is(&mut ide, Mode::Untrusted).await;
    ide.keys("Down Enter").await;
    ide.type_in("openai").await;
    ide.keys("Enter").await;
    ide.wait_for("the profile", |state| state.agent.requested_profile == "openai").await;
    assert!(ide.state().layers.top::<SettingsView>().is_some(), "the panel is below the list");
    let picture = ide.picture();
    assert!(picture.contains("openai") && picture.contains("asks for edits and commands"), "{picture}");
    ide.keys("Escape").await;
    assert!(ide.state().layers.is_empty());
    let said = notices(&mut ide);
    for start in ["Model: other", "Thinking: ", "Approval mode: untrusted", "Tools: ", "Profile: openai"] {
        assert_eq!(said.iter().filter(|line| line.starts_with(start)).count(), 1, "{start}: {said:?}");
    }
    assert!(ide.picture().contains("? untrusted"), "the status line: {}", ide.picture());
    ide.prompt("second").await;
    let request = &ide.script.requests()[1];
    assert_eq!((request.model.id.as_str(), request.thinking), ("other", level));
    assert!(offered_tools(&ide, 1).contains(&"apply_patch".to_string()), "{:?}", offered_tools(&ide, 1));
    assert!(!offered_tools(&ide, 0).contains(&"apply_patch".to_string()));
}

#[tokio::test]
async fn settings_panel_matches_snapshots() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut ide = IdeSetup::new().size(cols, rows).start().await;
        ide.keys("F9 Down").await;
        ide.snap("agent_settings");
    }
}

#[tokio::test]
async fn approval_step_does_not_reach_the_mode_that_asks_nothing() {
    let mut ide = IdeSetup::new().start().await;
    ide.keys("F9 Down Down Down Right").await;
    mode_is(&mut ide, Mode::AutoEdit).await;
    ide.keys("Right Right").await;
    assert!(ide.status_message().contains("asks nothing"), "{}", ide.status_message());
    assert_eq!(ide.state().agent.approval_mode, Mode::AutoEdit);
    ide.keys("Enter").await;
    ide.type_in("full").await;
    ide.keys("Enter").await;
    mode_is(&mut ide, Mode::Full).await;
}

#[tokio::test]
async fn approval_mode_changed_while_agent_works_applies_to_next_call() {
    let turns = [
        Turn::of(vec![text_step("working"), Step::Gate, write_call("c1")]),
        Turn::of(vec![text_step("again"), Step::Gate, write_call("c2")]),
        Turn::text("done"),
    ];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    ide.headless.press("F9 Down Down Down Left");
    ide.wait_for("the mode", |state| state.agent.approval_mode == Mode::Untrusted).await;
    ide.headless.press("Escape");
    ide.script.gate.add_permits(1);
    ide.wait_for_text("wants to run").await;
    ide.advance(std::time::Duration::from_millis(400));
    ide.headless.press("y");
    ide.advance(std::time::Duration::from_millis(650));
    ide.wait_for_text("again").await;
    ide.type_without_settling("/approval full");
    ide.headless.press("Enter");
    ide.wait_for("the mode", |state| state.agent.approval_mode == Mode::Full).await;
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert_eq!((ide.file_text("c1.txt"), ide.file_text("c2.txt")), ("x".to_string(), "x".to_string()));
    assert!(ide.picture().contains("! full access"), "{}", ide.picture());
}

#[tokio::test]
async fn model_switched_while_agent_works_keeps_queue_and_draft() {
    let turns = [Turn::of(vec![text_step("working"), Step::Gate]), Turn::text("followed")];
    let mut ide = IdeSetup::new().model("other").turns(turns).start().await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    ide.type_without_settling("later");
    ide.headless.press("Alt-Enter");
    ide.type_without_settling("a draft");
    ide.headless.press("Alt-Shift-m");
    ide.wait_for("the other model", |state| model_id(state) == "other").await;
    ide.wait_for("the queue", |state| state.agent.follow_up == ["later"]).await;
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    let requests = ide.script.requests();
    let models: Vec<&str> = requests.iter().map(|request| request.model.id.as_str()).collect();
    assert_eq!(models, ["script", "other"]);
    assert!(serde_json::to_string(requests[1].messages.last().unwrap()).unwrap().contains("later"));
    assert_eq!(ide.state().prompt.area.text().to_string(), "a draft");
}

#[tokio::test]
async fn model_switched_in_review_keeps_decisions() {
    let call = Turn::call("c1", "write", json!({"path": "new.txt", "content": "one\n"}));
    let setup = IdeSetup::new().size(120, 40).policy(Mode::Full).checkpoints().model("other");
    let mut ide = setup.turns([call, Turn::text("done")]).start().await;
    ide.prompt("write").await;
    ide.keys("Alt-r").await;
    ide.keys("c").await;
    ide.type_in("a remark").await;
    ide.keys("Enter").await;
    ide.keys("Alt-Shift-m").await;
    model_is(&mut ide, "other").await;
    assert!(ide.state().layers.top::<ReviewView>().is_some(), "{}", ide.picture());
    let picture = ide.picture();
    assert!(picture.contains("a remark") && picture.contains("new.txt"), "{picture}");
}

#[tokio::test]
async fn model_cycle_goes_through_favorites_that_outlive_the_program() {
    let models = |setup: IdeSetup| setup.model("other").model("third").model("fourth");
    let mut ide = models(IdeSetup::new()).start().await;
    for name in ["third", "fourth"] {
        ide.keys("Alt-m").await;
        ide.type_in(name).await;
        ide.keys("Tab").await;
        assert!(ide.picture().contains('★'), "{}", ide.picture());
        ide.keys("Escape").await;
    }
    for wanted in ["third", "fourth", "third"] {
        ide.keys("Alt-Shift-m").await;
        model_is(&mut ide, wanted).await;
    }
    let mut ide = models(ide.restart()).start().await;
    ide.wait_for("the favorites", |state| state.slots[FAVORITES].models.len() == 2).await;
    ide.keys("Alt-m").await;
    ide.type_in("fourth").await;
    ide.keys("Tab Escape").await;
    ide.keys("Alt-Shift-m").await;
    model_is(&mut ide, "third").await;
    ide.keys("Alt-Shift-m").await;
    assert!(ide.status_message().contains("No other favorite model"), "{}", ide.status_message());
    ide.keys("Alt-m").await;
    assert!(ide.picture().contains("★ ✓ third"), "{}", ide.picture());
}

#[tokio::test]
async fn model_picker_groups_by_provider_and_starts_login() {
    let mut ide = IdeSetup::new().model("other").size(100, 30).start().await;
    ide.keys("Alt-m").await;
    let picture = ide.picture();
    let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text}: {picture}"));
    assert!(at("│ scripted") < at("✓ script") && at("✓ script") < at("other"), "{picture}");
    assert!(at("other") < at("not connected") && at("not connected") < at("log in · "), "{picture}");
    ide.type_in("deepseek").await;
    ide.keys("Tab").await;
    assert!(!ide.picture().contains("★   log in"), "a login is no favorite: {}", ide.picture());
    ide.keys("Enter").await;
    ide.wait_for("the login", |state| state.layers.top::<LoginView>().is_some()).await;
    assert_eq!(ide.state().slots[FAVORITES].models, []);
}

#[tokio::test]
async fn favorite_models_damaged_file_is_reported_and_kept() {
    let mut ide = IdeSetup::new().state_file("models/favorites.json", "not JSON").start().await;
    ide.headless.idle().await;
    assert!(ide.status_message().contains("Cannot keep favorite models"), "{}", ide.status_message());
    ide.keys("Alt-m Tab Escape").await;
    let path = ide.home("state/models/favorites.json");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "not JSON");
}

#[tokio::test]
async fn tools_picker_shows_costs_and_applies_presets() {
    let turns = [Turn::text("a"), Turn::text("b"), Turn::text("c")];
    let mut ide = IdeSetup::new().size(120, 40).turns(turns).start().await;
    ide.prompt("one").await;
    ide.keys("Alt-t").await;
    let picture = ide.picture();
    let row = |name: &str| {
        let is_row = |line: &&str| line.contains(&format!(" {name} ")) && line.contains(" tokens ");
        picture.lines().find(is_row).unwrap_or_else(|| panic!("{name}: {picture}")).to_string()
    };
    assert!(row("bash").contains("✓ bash") && row("bash").contains(" ask "), "{picture}");
    assert!(row("read").contains(" allow ") && row("write").contains(" allow "), "{picture}");
    ide.keys("Enter").await;
    assert!(notices(&mut ide).is_empty(), "Enter at once changes nothing");
    ide.keys("Alt-t").await;
    ide.type_in("read-only").await;
    ide.keys("Enter").await;
    ide.wait_for("the preset", |state| !state.agent.tools.contains(&"write".to_string())).await;
    ide.prompt("two").await;
    let tools = offered_tools(&ide, 1);
    assert!(tools.contains(&"read".to_string()) && !tools.contains(&"write".to_string()), "{tools:?}");
    ide.keys("Alt-t").await;
    ide.type_in("bash").await;
    ide.keys("Space Enter").await;
    ide.wait_for("the tool", |state| state.agent.tools.contains(&"bash".to_string())).await;
    ide.prompt("three").await;
    assert!(offered_tools(&ide, 2).contains(&"bash".to_string()));
}

#[tokio::test]
async fn settings_change_by_slash_command_or_say_what_there_is() {
    let mut ide = IdeSetup::new().start().await;
    enter(&mut ide, "/thinking high").await;
    ide.wait_for("the level", |state| state.agent.thinking == Thinking::High).await;
    for (text, answer) in [
        ("/thinking deep", "No thinking level deep. This model has off, minimal, low, medium, high"),
        ("/approval always", "No approval mode always. One of untrusted, on-request, auto-edit, full"),
        ("/profile none", "No profile none. One of auto, "),
    ] {
        enter(&mut ide, text).await;
        assert!(ide.status_message().starts_with(answer), "{}", ide.status_message());
        ide.keys("Ctrl-u").await;
    }
    enter(&mut ide, "/agent").await;
    assert!(ide.state().layers.top::<SettingsView>().is_some());
}
