//! The question whether a call may run, and every way to answer it.

use std::time::Duration;

use bowline::llm::model::Request;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::json;

use crate::support::desk::{Desk, Plan};

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

/// What a request carries, in one text.
fn said(request: &Request) -> String {
    request.messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

/// A desk where the model has made its first call, which waits for an answer.
async fn asked(plan: Plan) -> Desk {
    let mut desk = plan.start().await;
    desk.say("go").await;
    until_asked(&mut desk).await;
    desk
}

/// Waits for a question, and until keys count as answers.
async fn until_asked(desk: &mut Desk) {
    desk.shows("wants to run").await;
    desk.wait(Duration::from_millis(400));
}

#[tokio::test]
async fn commands_that_begin_alike_run_for_the_rest_of_the_session() {
    let turns =
        [bash("c1", "mkdir -p a"), bash("c2", "mkdir b && ls"), bash("c3", "touch c"), Turn::text("done")];
    let mut desk = asked(Plan::new().turns(turns)).await;
    assert!(desk.picture().contains("like it: mkdir …"), "{}", desk.picture());
    desk.ide.press("s");
    desk.shows("touch c").await;
    assert!(desk.path("a").exists() && desk.path("b").exists(), "the second was not asked about");
    until_asked(&mut desk).await;
    desk.keys("n").await;
    assert!(!desk.path("c").exists());
    assert!(!desk.home("config/permissions.toml").exists(), "only for the session");
}

#[tokio::test]
async fn a_lasting_rule_is_shown_before_it_is_written() {
    let own = "# mine\n[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n";
    let turns = [bash("c1", "mkdir -p a"), bash("c2", "mkdir b"), Turn::text("done")];
    let mut desk = asked(Plan::new().config("permissions.toml", own).turns(turns)).await;
    desk.ide.press("l");
    desk.snap("approval_rule");
    desk.ide.press("Escape");
    assert!(desk.picture().contains("wants to run") && !desk.path("a").exists(), "{}", desk.picture());
    until_asked(&mut desk).await;
    desk.ide.press("l");
    desk.keys("y").await;
    assert!(desk.path("a").exists() && desk.path("b").exists());
    let root = std::fs::canonicalize(desk.path("")).unwrap();
    let root = root.display();
    let written =
        format!("{own}\n[[rule]]\ndecision = \"allow\"\ncommand = \"mkdir\"\nproject = \"{root}\"\n");
    assert_eq!(std::fs::read_to_string(desk.home("config/permissions.toml")).unwrap(), written);
}

#[tokio::test]
async fn what_only_asks_a_host_may_be_allowed_by_that_host() {
    // Nobody listens there.
    let turns = [
        bash("c1", "curl -s http://127.0.0.1:9/a"),
        bash("c2", "curl -sS http://127.0.0.1:9/b || touch c"),
        Turn::text("done"),
    ];
    let mut desk = asked(Plan::new().turns(turns)).await;
    assert!(desk.picture().contains("like it: asking 127.0.0.1:9"), "{}", desk.picture());
    desk.ide.press("l");
    desk.shows("host = \"127.0.0.1:9\"").await;
    desk.wait(Duration::from_millis(400));
    desk.ide.press("w");
    // The first has run, and of the second the other part is asked about.
    desk.shows("touch c").await;
    until_asked(&mut desk).await;
    desk.keys("n").await;
    assert!(!desk.path("c").exists());
    let written = "[[rule]]\ndecision = \"allow\"\nhost = \"127.0.0.1:9\"\n";
    assert_eq!(std::fs::read_to_string(desk.home("config/permissions.toml")).unwrap(), written);
}

#[tokio::test]
async fn a_command_is_changed_before_it_runs_and_the_model_is_told() {
    let mut desk = asked(Plan::new().turns([bash("c1", "mkdir -p a"), Turn::text("done")])).await;
    desk.ide.press("e");
    desk.snap("approval_edit");
    desk.ide.press("Escape");
    assert!(desk.picture().contains("wants to run"), "back at the question: {}", desk.picture());
    until_asked(&mut desk).await;
    desk.ide.press("e");
    desk.type_now("2");
    desk.keys("Enter").await;
    assert!(desk.path("a2").exists() && !desk.path("a").exists());
    let told = said(&desk.script.requests()[1]);
    assert!(told.contains("The user changed the command before it ran. What ran: mkdir -p a2"), "{told}");
}

#[tokio::test]
async fn what_a_rule_forbids_stays_forbidden_when_the_person_writes_it() {
    let rules = "[[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n";
    let plan = Plan::new().config("permissions.toml", rules).with("keep", "x");
    let mut desk = asked(plan.turns([bash("c1", "mkdir -p a"), Turn::text("done")])).await;
    desk.ide.press("e");
    desk.type_now(" && rm keep");
    desk.keys("Enter").await;
    assert!(desk.path("keep").exists() && !desk.path("a").exists());
    assert!(said(&desk.script.requests()[1]).contains("forbidden by the rule"));
}

#[tokio::test]
async fn a_reason_reaches_the_model() {
    let mut desk = asked(Plan::new().turns([bash("c1", "mkdir -p a"), Turn::text("done")])).await;
    desk.ide.press("r");
    desk.type_now("use the folder b");
    desk.keys("Enter").await;
    assert!(!desk.path("a").exists());
    assert!(said(&desk.script.requests()[1]).contains("Not run: the user said no: use the folder b"));
}

#[tokio::test]
async fn several_questions_wait_for_each_other_and_escape_says_no() {
    let call = |id: &str, command: &str| Step::Call {
        id: id.into(),
        name: "bash".into(),
        arguments: json!({"command": command}),
    };
    let both = Turn::of(vec![call("c1", "mkdir a"), call("c2", "mkdir b")]);
    let mut desk = asked(Plan::new().turns([both, Turn::text("done")])).await;
    desk.until("both questions", |state| state.layers.len() == 2).await;
    desk.wait(Duration::from_millis(400));
    desk.ide.press("Escape");
    desk.wait(Duration::from_millis(400));
    assert!(desk.picture().contains("wants to run"), "the second one: {}", desk.picture());
    desk.keys("y").await;
    let made = [desk.path("a").exists(), desk.path("b").exists()];
    assert!(made == [true, false] || made == [false, true], "{made:?}");
}

#[tokio::test]
async fn an_edit_shows_what_it_would_change() {
    let edit = json!({"path": "a.txt", "edits": [{"oldText": "two", "newText": "2\u{1b}[2J"}]});
    let plan = Plan::new().with("a.txt", "one\ntwo\nthree\n").policy(Mode::Untrusted);
    let mut desk = asked(plan.turns([Turn::call("c1", "edit", edit), Turn::text("done")])).await;
    desk.snap("approval_edit_of_a_file");
    assert_eq!(desk.disk("a.txt"), "one\ntwo\nthree\n", "it is only shown");
    desk.keys("y").await;
    assert!(desk.disk("a.txt").contains("one\n2"));
}

#[tokio::test]
async fn a_long_command_is_read_to_its_end_first() {
    let script: Vec<String> = (0..60).map(|n| format!("mkdir -p folder{n}\t# \u{202e}note")).collect();
    for (cols, rows) in [(80, 24), (40, 12)] {
        let turns = [bash("c1", &script.join("\n")), Turn::text("done")];
        let mut desk = asked(Plan::new().turns(turns).size(cols, rows)).await;
        desk.ide.press("y");
        assert!(desk.picture().contains("wants to run") && !desk.path("folder0").exists());
        desk.snap("approval_long");
        desk.ide.press(&"PageDown ".repeat(12));
        desk.snap("approval_long_end");
        desk.keys("y").await;
        assert!(desk.path("folder59").exists());
    }
}

#[tokio::test]
async fn approval_always_holds_for_the_same_edit_only() {
    let write =
        |id: &str, content: &str| Turn::call(id, "write", json!({"path": "a.txt", "content": content}));
    let turns = [write("c1", "one"), write("c2", "one"), write("c3", "two"), Turn::text("done")];
    let mut desk = asked(Plan::new().with("a.txt", "").policy(Mode::Untrusted).turns(turns)).await;
    desk.ide.press("a");
    // The second call is the same as the first; the third writes something else.
    desk.shows("+two").await;
    until_asked(&mut desk).await;
    assert_eq!(desk.script.requests().len(), 3);
    assert_eq!(desk.disk("a.txt"), "one");
    desk.keys("n").await;
    assert_eq!(desk.disk("a.txt"), "one");
}

#[tokio::test]
async fn approval_always_is_not_offered_for_guarded_files() {
    let write = |id: &str, content: &str| {
        Turn::call(id, "write", json!({"path": ".git/hooks/pre-commit", "content": content}))
    };
    let mut desk = asked(Plan::new().turns([write("c1", "x"), Turn::text("done")])).await;
    assert!(!desk.picture().contains("always"), "{}", desk.picture());
    desk.ide.press("a");
    assert!(desk.picture().contains("wants to run"), "{}", desk.picture());
    desk.keys("n").await;
    assert!(!desk.path(".git/hooks/pre-commit").exists());
}

#[tokio::test]
async fn approval_edit_needs_the_command_read_to_its_end() {
    let command = format!("mkdir a {}", "x".repeat(4_000));
    let mut desk = asked(Plan::new().turns([bash("c1", &command), Turn::text("done")]).size(80, 24)).await;
    desk.ide.press("e");
    desk.ide.press("Enter");
    assert!(desk.picture().contains("wants to run") && !desk.path("a").exists(), "{}", desk.picture());
    desk.ide.press(&"PageDown ".repeat(12));
    desk.ide.press("e");
    desk.shows("Run this instead").await;
    desk.ide.press("Escape");
    until_asked(&mut desk).await;
    desk.keys("n").await;
}

#[tokio::test]
async fn approval_rule_is_read_to_its_end_before_it_is_written() {
    let turns = [bash("c1", "mkdir -p a"), Turn::text("done")];
    let mut desk = asked(Plan::new().turns(turns).size(40, 8)).await;
    desk.ide.press(&"PageDown ".repeat(12));
    desk.ide.press("l");
    desk.wait(Duration::from_millis(400));
    for key in ["y", "w"] {
        desk.ide.press(key);
        assert!(desk.picture().contains("Always allow") && !desk.path("a").exists(), "{}", desk.picture());
    }
    desk.ide.press(&"PageDown ".repeat(12));
    desk.keys("y").await;
    assert!(desk.path("a").exists() && desk.home("config/permissions.toml").exists());
}
