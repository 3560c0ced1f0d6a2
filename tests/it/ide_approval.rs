//! The question whether a call may run, and every way to answer it.

use std::time::Duration;

use bowline::llm::model::Request;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

/// What a request carries, in one text.
fn request_text(request: &Request) -> String {
    request.messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

/// A ide where the model has made its first call, which waits for an answer.
async fn ide_awaiting_approval(plan: IdeSetup) -> TestIde {
    let mut ide = plan.start().await;
    ide.send_prompt("go").await;
    wait_for_approval_dialog(&mut ide).await;
    ide
}

/// Waits for a question, and until keys count as answers.
async fn wait_for_approval_dialog(ide: &mut TestIde) {
    ide.wait_for_text("wants to run").await;
    ide.advance(Duration::from_millis(400));
}

#[tokio::test]
async fn approval_for_session_covers_same_command_prefix() {
    let turns =
        [bash("c1", "mkdir -p a"), bash("c2", "mkdir b && ls"), bash("c3", "touch c"), Turn::text("done")];
    let mut ide = ide_awaiting_approval(IdeSetup::new().turns(turns)).await;
    assert!(ide.picture().contains("like it: mkdir …"), "{}", ide.picture());
    ide.headless.press("s");
    ide.wait_for_text("touch c").await;
    assert!(ide.path("a").exists() && ide.path("b").exists(), "the second was not asked about");
    wait_for_approval_dialog(&mut ide).await;
    ide.keys("n").await;
    assert!(!ide.path("c").exists());
    assert!(!ide.home("config/permissions.toml").exists(), "only for the session");
}

#[tokio::test]
async fn approval_always_shows_rule_before_writing() {
    let own = "# mine\n[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n";
    let turns = [bash("c1", "mkdir -p a"), bash("c2", "mkdir b"), Turn::text("done")];
    let mut ide =
        ide_awaiting_approval(IdeSetup::new().config_file("permissions.toml", own).turns(turns)).await;
    ide.headless.press("l");
    ide.snap("approval_rule");
    ide.headless.press("Escape");
    assert!(ide.picture().contains("wants to run") && !ide.path("a").exists(), "{}", ide.picture());
    wait_for_approval_dialog(&mut ide).await;
    ide.headless.press("l");
    ide.keys("y").await;
    assert!(ide.path("a").exists() && ide.path("b").exists());
    let root = std::fs::canonicalize(ide.path("")).unwrap();
    let root = root.display();
    let written =
        format!("{own}\n[[rule]]\ndecision = \"allow\"\ncommand = \"mkdir\"\nproject = \"{root}\"\n");
    assert_eq!(std::fs::read_to_string(ide.home("config/permissions.toml")).unwrap(), written);
}

#[tokio::test]
async fn approval_always_for_network_command_allows_host() {
    // Nobody listens there.
    let turns = [
        bash("c1", "curl -s http://127.0.0.1:9/a"),
        bash("c2", "curl -sS http://127.0.0.1:9/b || touch c"),
        Turn::text("done"),
    ];
    let mut ide = ide_awaiting_approval(IdeSetup::new().turns(turns)).await;
    assert!(ide.picture().contains("like it: asking 127.0.0.1:9"), "{}", ide.picture());
    ide.headless.press("l");
    ide.wait_for_text("host = \"127.0.0.1:9\"").await;
    ide.advance(Duration::from_millis(400));
    ide.headless.press("w");
    // The first has run, and of the second the other part is asked about.
    ide.wait_for_text("touch c").await;
    wait_for_approval_dialog(&mut ide).await;
    ide.keys("n").await;
    assert!(!ide.path("c").exists());
    let written = "[[rule]]\ndecision = \"allow\"\nhost = \"127.0.0.1:9\"\n";
    assert_eq!(std::fs::read_to_string(ide.home("config/permissions.toml")).unwrap(), written);
}

#[tokio::test]
async fn approval_edited_command_runs_and_model_is_notified() {
    let mut ide =
        ide_awaiting_approval(IdeSetup::new().turns([bash("c1", "mkdir -p a"), Turn::text("done")])).await;
    ide.headless.press("e");
    ide.snap("approval_edit");
    ide.headless.press("Escape");
    assert!(ide.picture().contains("wants to run"), "back at the question: {}", ide.picture());
    wait_for_approval_dialog(&mut ide).await;
    ide.headless.press("e");
    ide.type_without_settling("2");
    ide.keys("Enter").await;
    assert!(ide.path("a2").exists() && !ide.path("a").exists());
    let told = request_text(&ide.script.requests()[1]);
    assert!(told.contains("The user changed the command before it ran. What ran: mkdir -p a2"), "{told}");
}

#[tokio::test]
async fn approval_edited_command_respects_deny_rule() {
    let rules = "[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n";
    let plan = IdeSetup::new().config_file("permissions.toml", rules).with("keep", "x");
    let mut ide = ide_awaiting_approval(plan.turns([bash("c1", "mkdir -p a"), Turn::text("done")])).await;
    ide.headless.press("e");
    ide.type_without_settling(" && rm keep");
    ide.keys("Enter").await;
    assert!(ide.path("keep").exists() && !ide.path("a").exists());
    assert!(request_text(&ide.script.requests()[1]).contains("forbidden by the rule"));
}

#[tokio::test]
async fn approval_denial_reason_reaches_model() {
    let mut ide =
        ide_awaiting_approval(IdeSetup::new().turns([bash("c1", "mkdir -p a"), Turn::text("done")])).await;
    ide.headless.press("r");
    ide.type_without_settling("use the folder b");
    ide.keys("Enter").await;
    assert!(!ide.path("a").exists());
    assert!(request_text(&ide.script.requests()[1]).contains("Not run: the user said no: use the folder b"));
}

#[tokio::test]
async fn approval_dialogs_queue_and_escape_denies() {
    let call = |id: &str, command: &str| Step::Call {
        id: id.into(),
        name: "bash".into(),
        arguments: json!({"command": command}),
    };
    let both = Turn::of(vec![call("c1", "mkdir a"), call("c2", "mkdir b")]);
    let mut ide = ide_awaiting_approval(IdeSetup::new().turns([both, Turn::text("done")])).await;
    ide.wait_for("both questions", |state| state.layers.len() == 2).await;
    ide.advance(Duration::from_millis(400));
    ide.headless.press("Escape");
    ide.advance(Duration::from_millis(400));
    assert!(ide.picture().contains("wants to run"), "the second one: {}", ide.picture());
    ide.keys("y").await;
    let made = [ide.path("a").exists(), ide.path("b").exists()];
    assert!(made == [true, false] || made == [false, true], "{made:?}");
}

#[tokio::test]
async fn approval_of_edit_shows_diff() {
    let edit = json!({"path": "a.txt", "edits": [{"oldText": "two", "newText": "2\u{1b}[2J"}]});
    let plan = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").policy(Mode::Untrusted);
    let mut ide =
        ide_awaiting_approval(plan.turns([Turn::call("c1", "edit", edit), Turn::text("done")])).await;
    ide.snap("approval_edit_of_a_file");
    assert_eq!(ide.file_text("a.txt"), "one\ntwo\nthree\n", "it is only shown");
    ide.keys("y").await;
    assert!(ide.file_text("a.txt").contains("one\n2"));
}

#[tokio::test]
async fn approval_needs_long_command_scrolled_to_end() {
    let script: Vec<String> = (0..60).map(|n| format!("mkdir -p folder{n}\t# \u{202e}note")).collect();
    for (cols, rows) in [(80, 24), (40, 12)] {
        let turns = [bash("c1", &script.join("\n")), Turn::text("done")];
        let mut ide = ide_awaiting_approval(IdeSetup::new().turns(turns).size(cols, rows)).await;
        ide.headless.press("y");
        assert!(ide.picture().contains("wants to run") && !ide.path("folder0").exists());
        ide.snap("approval_long");
        ide.headless.press(&"PageDown ".repeat(12));
        ide.snap("approval_long_end");
        ide.keys("y").await;
        assert!(ide.path("folder59").exists());
    }
}

#[tokio::test]
async fn approval_always_covers_identical_edit_only() {
    let write =
        |id: &str, content: &str| Turn::call(id, "write", json!({"path": "a.txt", "content": content}));
    let turns = [write("c1", "one"), write("c2", "one"), write("c3", "two"), Turn::text("done")];
    let mut ide =
        ide_awaiting_approval(IdeSetup::new().with("a.txt", "").policy(Mode::Untrusted).turns(turns)).await;
    ide.headless.press("a");
    // The second call is the same as the first; the third writes something else.
    ide.wait_for_text("+two").await;
    wait_for_approval_dialog(&mut ide).await;
    assert_eq!(ide.script.requests().len(), 3);
    assert_eq!(ide.file_text("a.txt"), "one");
    ide.keys("n").await;
    assert_eq!(ide.file_text("a.txt"), "one");
}

#[tokio::test]
async fn approval_always_is_unavailable_for_protected_files() {
    let write = |id: &str, content: &str| {
        Turn::call(id, "write", json!({"path": ".git/hooks/pre-commit", "content": content}))
    };
    let mut ide = ide_awaiting_approval(IdeSetup::new().turns([write("c1", "x"), Turn::text("done")])).await;
    assert!(!ide.picture().contains("always"), "{}", ide.picture());
    ide.headless.press("a");
    assert!(ide.picture().contains("wants to run"), "{}", ide.picture());
    ide.keys("n").await;
    assert!(!ide.path(".git/hooks/pre-commit").exists());
}

#[tokio::test]
async fn approval_edit_needs_command_scrolled_to_end() {
    let command = format!("mkdir a {}", "x".repeat(4_000));
    let mut ide =
        ide_awaiting_approval(IdeSetup::new().turns([bash("c1", &command), Turn::text("done")]).size(80, 24))
            .await;
    ide.headless.press("e");
    ide.headless.press("Enter");
    assert!(ide.picture().contains("wants to run") && !ide.path("a").exists(), "{}", ide.picture());
    ide.headless.press(&"PageDown ".repeat(12));
    ide.headless.press("e");
    ide.wait_for_text("Run this instead").await;
    ide.headless.press("Escape");
    wait_for_approval_dialog(&mut ide).await;
    ide.keys("n").await;
}

#[tokio::test]
async fn approval_rule_needs_scroll_to_end_before_writing() {
    let turns = [bash("c1", "mkdir -p a"), Turn::text("done")];
    let mut ide = ide_awaiting_approval(IdeSetup::new().turns(turns).size(40, 8)).await;
    ide.headless.press(&"PageDown ".repeat(12));
    ide.headless.press("l");
    ide.advance(Duration::from_millis(400));
    for key in ["y", "w"] {
        ide.headless.press(key);
        assert!(ide.picture().contains("Always allow") && !ide.path("a").exists(), "{}", ide.picture());
    }
    ide.headless.press(&"PageDown ".repeat(12));
    ide.keys("y").await;
    assert!(ide.path("a").exists() && ide.home("config/permissions.toml").exists());
}
