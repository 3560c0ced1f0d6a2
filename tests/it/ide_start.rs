//! The first thirty seconds: what the program shows before anything is open, sent or connected, and its keys.

use std::time::Duration;

use bowline::ide::core::keys::keymap::BUILTIN;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::core::panes::Focus;
use bowline::ide::editor::view::pane::welcome_rows;
use bowline::ide::features::transcript::welcome;
use bowline::ide::shell::input;
use bowline::llm::providers::scripted::Turn;

use crate::support::server::{Reply, Server};
use crate::support::test_ide::{IdeSetup, TestIde};
use serde_json::json;

fn run_command(ide: &mut TestIde, id: &str) {
    let command = bowline::ide::shell::catalog::CATALOG.command(id).unwrap();
    ide.headless.app().with_cx(|cx| input::run(cx, command));
}

/// The commands that give the keys to each pane.
const PANES: [(&str, Focus); 4] = [
    ("view.focus-editor", Focus::Editor),
    ("view.focus-agent", Focus::Agent),
    ("terminal.toggle", Focus::Terminal),
    ("view.focus-files", Focus::Files),
];

async fn focus(ide: &mut TestIde, (command, pane): (&str, Focus)) {
    if ide.state().panes.focus != pane {
        run_command(ide, command);
    }
    ide.headless.idle().await;
    ide.headless.app().frame();
    assert_eq!(ide.state().panes.focus, pane, "{command}");
}

/// Presses a key of a row, and checks that its command ran.
async fn press_row(ide: &mut TestIde, key: &str, command: &str, when: &str) {
    ide.keys(key).await;
    let picker = ide.state().layers.top::<Picker>().map(|picker| picker.spec.id);
    let focus = ide.state().panes.focus;
    let has_run = match command {
        "view.focus-agent" | "agent.send" => focus == Focus::Agent,
        "view.focus-editor" => focus == Focus::Editor,
        "view.files-picker" => picker == Some("files"),
        "app.palette" => picker == Some("commands"),
        "agent.model-picker" => picker == Some("models"),
        "edit.newline" => ide.state().prompt.area.text().to_string() == "\n",
        "help.tutor" => ide.state().buffers.current().is_some_and(|buffer| buffer.name() == "TUTOR.md"),
        other => panic!("{other} is not known here"),
    };
    assert!(has_run, "{when}: {key} for {command}: {picker:?} {focus:?}\n{}", ide.picture());
    if picker.is_some() {
        ide.keys("Escape").await;
        // Not a double press.
        ide.advance(Duration::from_secs(1));
    }
    match command {
        "edit.newline" => ide.keys("Backspace").await,
        "help.tutor" => run_command(ide, "file.close"),
        _ => {}
    }
}

#[tokio::test]
async fn start_screen_of_the_editor_shows_keys_that_work_from_every_pane() {
    for (map, text) in BUILTIN {
        let mut ide = IdeSetup::new().keymap(text).size(130, 30).start().await;
        // Without the agent the editor shows the start screen wherever the caret is.
        run_command(&mut ide, "view.toggle-agent");
        for pane in PANES.into_iter().filter(|(_, pane)| *pane != Focus::Agent) {
            focus(&mut ide, pane).await;
            let rows = welcome_rows(ide.state());
            assert!(rows.len() >= 3, "{map} {pane:?}: {rows:?}");
            for row in rows {
                let when = format!("{map} {pane:?}");
                assert!(ide.picture().contains(&format!("{}  ", row.key)), "{when}\n{}", ide.picture());
                press_row(&mut ide, &row.key, row.command, &when).await;
                if ide.state().panes.is_open(Focus::Agent) {
                    run_command(&mut ide, "view.toggle-agent");
                }
                focus(&mut ide, pane).await;
            }
        }
    }
}

#[tokio::test]
async fn start_screen_of_the_agent_shows_keys_that_work_from_every_pane() {
    for (map, text) in BUILTIN {
        let mut ide = IdeSetup::new().keymap(text).size(130, 30).start().await;
        for pane in PANES {
            focus(&mut ide, pane).await;
            let rows = welcome::first_steps(ide.state());
            assert!(!rows.is_empty(), "{map} {pane:?}");
            for row in rows {
                let when = format!("{map} {pane:?}");
                assert!(ide.picture().contains(&row.text), "{when}\n{}", ide.picture());
                press_row(&mut ide, &row.key, row.command, &when).await;
                focus(&mut ide, pane).await;
            }
        }
    }
}

/// A server that has these models.
fn local_models(ids: &[&str]) -> Reply {
    let rows: Vec<_> = ids.iter().map(|id| json!({"id": id})).collect();
    Reply::Status { code: 200, headers: Vec::new(), body: json!({"data": rows}).to_string() }
}

#[tokio::test]
async fn start_screen_without_a_model_logs_in_by_enter() {
    let mut ide = IdeSetup::new().requested_model("demo/guide").start().await;
    for row in welcome::first_steps(ide.state()) {
        assert!(ide.picture().contains(&row.text), "{}\n{}", row.text, ide.picture());
    }
    ide.keys("Enter").await;
    assert_eq!(ide.state().layers.top::<Picker>().map(|picker| picker.spec.id), Some("providers"));
    ide.keys("Escape").await;
    ide.advance(Duration::from_secs(1));
    ide.keys("Alt-m").await;
    assert!(ide.picture().contains("log in · Anthropic"), "{}", ide.picture());
    let selected = ide.state().layers.top::<Picker>().and_then(|picker| Some(picker.current()?.text.clone()));
    assert_eq!(selected.as_deref(), Some("  script"), "the guide is no model: {}", ide.picture());
    ide.keys("Escape").await;
    ide.prompt("keys").await;
    assert!(!ide.picture().contains("No model is connected."), "{}", ide.picture());
    ide.keys("Enter").await;
    assert!(ide.state().layers.is_empty(), "what Enter does is no longer said: {}", ide.picture());
}

#[tokio::test]
async fn start_screen_names_a_local_server_and_its_key_uses_it() {
    let server = Server::start(vec![local_models(&["qwen", "llama"])]);
    let setup = IdeSetup::new().requested_model("demo/guide").local_server(&server.url).size(100, 24);
    let mut ide = setup.start().await;
    ide.wait_for_text("use qwen of ollama on this machine (of 2 models)").await;
    ide.headless.idle().await;
    ide.snap("start_local_server");
    ide.keys("Alt-0 l").await;
    ide.wait_for("the model", |state| {
        state.agent.model.as_ref().is_some_and(|model| model.provider == "ollama" && model.id == "qwen")
    })
    .await;
    assert!(!ide.picture().contains("No model is connected."), "{}", ide.picture());
}

#[tokio::test]
async fn start_screen_finds_a_local_server_that_is_started_later() {
    let server = Server::start(vec![local_models(&[]), local_models(&["qwen"])]);
    let setup = IdeSetup::new().requested_model("demo/guide").local_server(&server.url).size(100, 24);
    let mut ide = setup.start().await;
    ide.wait_for("the first list", |_| !server.requests().is_empty()).await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("on this machine"), "{}", ide.picture());
    ide.focus_window().await;
    ide.wait_for_text("use qwen of ollama on this machine").await;
}

#[tokio::test]
async fn start_screen_resumes_sessions_of_the_folder_with_their_drafts() {
    let turns = ["one", "two", "three"].map(Turn::text);
    let mut ide = IdeSetup::new().turns(turns).start().await;
    for question in ["first question", "second question", "third question"] {
        ide.prompt(question).await;
        ide.type_in(&format!("behind the {question}")).await;
        ide.advance(Duration::from_mins(1));
        run_command(&mut ide, "session.new");
        ide.headless.idle().await;
    }
    let mut ide = ide.restart().start().await;
    ide.wait_for_text("Go on with a session:").await;
    let rows = welcome::recent_sessions(ide.state());
    let shown: Vec<_> =
        rows.iter().map(|row| (row.key.as_str(), row.text.split(" · ").next().unwrap())).collect();
    assert_eq!(
        shown,
        [("Alt-, l 1", "third question"), ("Alt-, l 2", "second question"), ("Alt-, l 3", "first question")]
    );
    ide.snap("start_sessions");
    ide.keys("1").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "1", "digits are typed");
    ide.keys("Backspace Alt-, l 2").await;
    ide.wait_for_text("› second question").await;
    ide.wait_for_text("behind the second question").await;
    assert!(!ide.picture().contains("Go on with a session:"), "{}", ide.picture());
}
