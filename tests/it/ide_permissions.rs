//! The permissions screen: rules with their sources, taking answers back, removing rules, and trying what would happen.

use std::time::Duration;

use bowline::ide::core::layers::dialog::Dialog;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::core::panes::AgentPart;
use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

/// The user's rules.
const RULES: &str = "# Mine.\n\n# Builds are safe.\n[[rule]]\ndecision = \"allow\" # always\ncommand = \"make\"\n\n\
                     # Never read.\n[[rule]]\ndecision = \"deny\"\npath = \".env\"\n\n\
                     [[rule]]\ndecision = \"ask\"\nhost = \"*.example.org\"\n\n\
                     [[rule]]\ndecision = \"deny\"\ncommand = \"git push\"\n";

/// The project's rules, of which the first needs trust.
const PROJECT: &str = "[[rule]]\ndecision = \"allow\"\ncommand = \"just\"\n\n\
                       [[rule]]\ndecision = \"deny\"\ntool = \"write\"\npath = \"Cargo.lock\"\n";

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

fn user_file(ide: &TestIde) -> String {
    std::fs::read_to_string(ide.home("config/permissions.toml")).unwrap()
}

/// Opens the screen from the palette.
async fn open(ide: &mut TestIde) {
    ide.keys("Alt-x").await;
    ide.type_in("view.permissions").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
}

/// Filters the rows, in place of what was typed before.
async fn find(ide: &mut TestIde, typed: &str) {
    ide.keys("Ctrl-u").await;
    ide.type_in(typed).await;
    ide.headless.idle().await;
}

/// The rows that match, and what is said about the selected one.
fn row(ide: &mut TestIde) -> (String, String) {
    let state = ide.state();
    let picker = state.layers.top::<Picker>().expect("the screen is on top");
    let row = picker.current().expect("a row matches");
    let about = picker.spec.about.as_ref().expect("rows are described");
    (format!("{} [{}]", row.text, row.detail), (about.text)(state, row).join("\n"))
}

/// Answers a waiting call by a key.
async fn answer(ide: &mut TestIde, key: &str) {
    ide.wait_for_text("wants to run").await;
    ide.advance(Duration::from_millis(400));
    if !ide.state().panes.is_agent_focused(AgentPart::Approval) {
        ide.headless.press("Tab");
    }
    ide.headless.press(key);
}

/// What the screen says to a text that is tried.
async fn tried(ide: &mut TestIde, text: &str) -> String {
    ide.keys("Ctrl-t").await;
    ide.type_in(text).await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    let lines = ide.state().layers.top::<Dialog>().expect("the result is on top").lines.join("\n");
    ide.keys("Enter").await;
    lines
}

#[tokio::test]
async fn permissions_screen_lists_rules_with_sources() {
    let setup = IdeSetup::new().config_file("permissions.toml", RULES);
    let setup = setup.with("a.rs", "fn main() {}\n").file(".bowline/permissions.toml", PROJECT);
    let mut ide = setup.size(80, 24).start().await;
    // The question of trust is not what this is about.
    ide.headless.idle().await;
    ide.keys("Escape").await;
    open(&mut ide).await;
    ide.snap("permissions_screen");
    for (typed, expected, said) in [
        ("make", "allow make … [yours, line 4]", "Allowed without asking: commands that begin with `make`"),
        (".env", "deny  .env [yours, line 9]", "permissions.toml:9"),
        ("example.org", "ask   *.example.org [yours, line 13]", "Asks you, except in mode full"),
        ("just", "off   just … [project, line 1]", "the project is not trusted"),
        ("Cargo.lock", "deny  Cargo.lock (write) [project, line 5]", "Set by the project: "),
        ("elsewhere", "ask   files elsewhere [mode on-request]", "Set by the approval mode: on-request"),
        ("auth.json", "deny  auth.json of bowline [built in]", "no rule allows it"),
    ] {
        find(&mut ide, typed).await;
        let (text, about) = row(&mut ide);
        assert_eq!(text, expected);
        assert!(about.contains(said), "{typed}: {about}");
    }
    find(&mut ide, "git push").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name(), ide.cursor().0), ("permissions.toml".to_string(), 17));
}

#[tokio::test]
async fn permissions_screen_opens_modes_and_follows_them() {
    let mut ide = IdeSetup::new().size(80, 24).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("/permissions").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("allow files in the workspace"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.type_in("untrusted").await;
    ide.keys("Enter").await;
    ide.wait_for("the mode", |state| state.agent.approval_mode == Mode::Untrusted).await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(
        picture.contains("ask   files in the workspace") && picture.contains("mode untrusted"),
        "{picture}"
    );
}

#[tokio::test]
async fn permissions_answer_taken_back_asks_again() {
    let turns = [bash("c1", "mkdir -p a"), Turn::text("one"), bash("c2", "mkdir b"), Turn::text("two")];
    let mut ide = IdeSetup::new().turns(turns.into_iter().chain([bash("c3", "mkdir c")])).start().await;
    ide.send_prompt("go").await;
    answer(&mut ide, "s").await;
    ide.headless.idle().await;
    ide.prompt("again").await;
    assert!(ide.path("b").exists(), "the answer covers it");
    open(&mut ide).await;
    find(&mut ide, "mkdir").await;
    let (text, about) = row(&mut ide);
    assert_eq!(text, "allow mkdir … [this session]");
    assert!(about.contains("Used 1× in this session") && about.ends_with(": mkdir b"), "{about}");
    ide.keys("Delete").await;
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "Taken back: allow command \"mkdir\"");
    assert_eq!(ide.state().layers.top::<Picker>().unwrap().matches(), 0);
    ide.keys("Escape").await;
    ide.send_prompt("and again").await;
    answer(&mut ide, "n").await;
    ide.headless.idle().await;
    assert!(!ide.path("c").exists());
}

#[tokio::test]
async fn permissions_call_allowed_until_quit_is_taken_back() {
    let turns = [bash("c1", "mkdir -p a"), Turn::text("one"), bash("c2", "mkdir -p a")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("go").await;
    answer(&mut ide, "a").await;
    ide.headless.idle().await;
    std::fs::remove_dir(ide.path("a")).unwrap();
    open(&mut ide).await;
    let tried = tried(&mut ide, "mkdir -p a").await;
    assert!(tried.starts_with("Run: asks. Reason: ") && tried.contains("until bowline ends"), "{tried}");
    find(&mut ide, "mkdir").await;
    assert_eq!(row(&mut ide).0, "allow mkdir -p a [until quit]");
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Your answer in this session. Delete takes it back");
    ide.keys("Delete Escape").await;
    ide.send_prompt("again").await;
    answer(&mut ide, "n").await;
    ide.headless.idle().await;
    assert!(!ide.path("a").exists());
}

#[tokio::test]
async fn permissions_rule_is_removed_from_its_file_with_comments_kept() {
    let mut ide = IdeSetup::new().config_file("permissions.toml", RULES).start().await;
    open(&mut ide).await;
    assert!(tried(&mut ide, "make").await.contains("Run: allowed. Rule allow command \"make\""));
    find(&mut ide, "make").await;
    ide.keys("Delete").await;
    assert!(ide.picture().contains("Remove this rule"), "{}", ide.picture());
    ide.keys("n").await;
    ide.headless.idle().await;
    assert_eq!(user_file(&ide), RULES, "it is asked first");
    ide.keys("Delete r").await;
    ide.headless.idle().await;
    let lines = "[[rule]]\ndecision = \"allow\" # always\ncommand = \"make\"\n";
    assert_eq!(user_file(&ide), RULES.replace(lines, ""));
    assert!(
        ide.status_message().starts_with("Removed allow command \"make\" from "),
        "{}",
        ide.status_message()
    );
    find(&mut ide, "").await;
    assert!(tried(&mut ide, "make").await.contains("Run: asks. Reason: command not known to be read-only"));
    find(&mut ide, ".env").await;
    assert_eq!(row(&mut ide).0, "deny  .env [yours, line 6]", "the lines of the others have moved");
}

#[tokio::test]
async fn permissions_of_a_broken_file_ask_and_lead_to_its_line() {
    let text = format!("{RULES}\n[[rule]]\ndecision = 3\n");
    let mut ide = IdeSetup::new().config_file("permissions.toml", &text).start().await;
    open(&mut ide).await;
    assert!(tried(&mut ide, "make").await.contains("Run: asks. Rule ask everything"));
    find(&mut ide, "everything is asked").await;
    assert!(row(&mut ide).1.contains("permissions.toml:22"), "{}", row(&mut ide).1);
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name(), ide.cursor().0), ("permissions.toml".to_string(), 22));
    ide.keys("Ctrl-End Backspace Backspace").await;
    ide.type_in("\"deny\"\ncommand = \"rm\"\n").await;
    ide.keys("Ctrl-s").await;
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "Permission rules apply from the next call on");
    open(&mut ide).await;
    assert!(tried(&mut ide, "make").await.contains("Run: allowed"));
    assert!(tried(&mut ide, "rm x").await.contains("Run: denied. Rule deny command \"rm\""));
}

#[tokio::test]
async fn permissions_rule_with_a_mistake_is_named_and_turns_allowing_off() {
    let text = format!("{RULES}\n[[rule]]\ndecision = \"allow\"\ncommand = \"a | b\"\n");
    let mut ide = IdeSetup::new().config_file("permissions.toml", &text).start().await;
    open(&mut ide).await;
    find(&mut ide, "more than plain").await;
    assert!(row(&mut ide).1.contains("permissions.toml:21"), "{}", row(&mut ide).1);
    find(&mut ide, "make").await;
    let (text, about) = row(&mut ide);
    assert_eq!(text, "off   make … [yours, line 4]");
    assert!(about.contains("Not applied: its file has a mistake"), "{about}");
}

#[tokio::test]
async fn permissions_trial_judges_commands_paths_and_hosts() {
    let setup = IdeSetup::new().config_file("permissions.toml", RULES).with("a.rs", "fn main() {}\n");
    let mut ide = setup.size(100, 34).start().await;
    open(&mut ide).await;
    for (typed, expected) in [
        ("make -j2 all", "Run: allowed. Rule allow command \"make\", "),
        ("ls -l", "Run: allowed. Approval mode on-request"),
        ("make > /etc/x", "Run: asks. Reason: command not known to be read-only"),
        ("cd x && git push", "Run: denied. Rule deny command \"git push\", "),
        (".env", "Read: denied. Rule deny path \".env\", "),
        ("src/a.rs", "Edit: allowed. Approval mode on-request"),
        ("/elsewhere/a", "Edit: asks. Reason: file outside the workspace"),
        ("/elsewhere/a", "Write: asks. Reason: file outside the workspace"),
        ("/elsewhere/a", "Read: allowed. Approval mode on-request"),
        (".git/config", "Edit: asks. Reason: file of the repository's, bowline's or your own set-up"),
        ("a.example.org", "Reach (curl 'https://a.example.org'): asks. Rule ask host \"*.example.org\", "),
        ("https://docs.rs/x", "Reach (curl 'https://docs.rs/x'): asks. Reason: command not known"),
    ] {
        let said = tried(&mut ide, typed).await;
        assert!(said.lines().any(|line| line.starts_with(expected)), "{typed}: {said}");
    }
    std::fs::create_dir(ide.path(".bowline")).unwrap();
    ide.write_file(".bowline/permissions.toml", "[[rule]]\ndecision = \"deny\"\nhost = \"docs.rs\"\n");
    let said = tried(&mut ide, "https://docs.rs/x").await;
    assert!(said.contains(": denied. Rule deny host \"docs.rs\", ") && said.ends_with("toml:1"), "{said}");
    assert!(ide.script.requests().is_empty(), "no model is asked");
}

#[tokio::test]
async fn permissions_screen_shows_no_control_characters() {
    let rules = "[[rule]]\ndecision = \"deny\"\npath = \"a\\u001B[31mb\"\n";
    let mut ide = IdeSetup::new().file(".bowline/permissions.toml", rules).size(80, 24).start().await;
    open(&mut ide).await;
    find(&mut ide, "31mb").await;
    let (text, about) = row(&mut ide);
    assert_eq!(text, "deny  a␛[31mb [project, line 1]");
    assert!(!about.contains('\u{1b}') && about.contains("a␛[31mb"), "{about:?}");
    ide.keys("Delete").await;
    let lines = ide.state().layers.top::<Dialog>().unwrap().lines.join("\n");
    assert!(!lines.contains('\u{1b}') && lines.contains("a␛[31mb"), "{lines:?}");
}

#[tokio::test]
async fn permissions_screen_fits_small_windows() {
    for (cols, rows) in [(20, 5), (80, 24)] {
        let mut ide = IdeSetup::new().config_file("permissions.toml", RULES).size(cols, rows).start().await;
        open(&mut ide).await;
        find(&mut ide, "make").await;
        assert!(ide.picture().contains("allow make"), "{cols}x{rows}:\n{}", ide.picture());
        assert!(tried(&mut ide, "make").await.contains("Run: allowed"), "{cols}x{rows}");
        ide.keys("Delete r").await;
        ide.headless.idle().await;
        assert!(!user_file(&ide).contains("make"), "{cols}x{rows}");
    }
}

#[tokio::test]
async fn permissions_screen_switches_the_profile_and_status_line_shows_it() {
    let mut ide = IdeSetup::new().size(140, 30).start().await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("profile "), "it follows the model: {}", ide.picture());
    open(&mut ide).await;
    find(&mut ide, "profile").await;
    let (shown, about) = row(&mut ide);
    assert!(shown.starts_with("Agent profile [follows the model: "), "{shown}");
    assert!(about.contains("from the next request on"), "{about}");
    ide.keys("Enter").await;
    ide.type_in("openai").await;
    ide.keys("Enter").await;
    ide.wait_for("the profile", |state| state.agent.requested_profile == "openai").await;
    ide.headless.idle().await;
    assert_eq!(row(&mut ide).0, "Agent profile [openai]");
    ide.keys("Escape").await;
    ide.headless.idle().await;
    let (x, y) = ide.find("profile openai");
    ide.click(x + 1, y);
    ide.headless.idle().await;
    let picker = ide.state().layers.top::<Picker>().expect("the list of profiles");
    assert_eq!(picker.spec.id, "profiles");
    ide.type_in("auto").await;
    ide.keys("Enter").await;
    ide.wait_for("the model's", |state| state.agent.requested_profile == "auto").await;
    ide.headless.idle().await;
    ide.state().set_status("");
    assert!(!ide.picture().lines().last().unwrap_or_default().contains("profile "), "{}", ide.picture());
}

#[tokio::test]
async fn permissions_footer_has_only_keys_of_the_selected_row() {
    let mut ide = IdeSetup::new().config_file("permissions.toml", RULES).size(100, 30).start().await;
    open(&mut ide).await;
    for (typed, has_enter, has_delete) in [
        ("approval mode", true, false),
        ("agent profile", true, false),
        ("try a command", true, false),
        ("open your", true, false),
        ("git push", true, true),
        ("files in the workspace", false, false),
    ] {
        find(&mut ide, typed).await;
        let picture = ide.picture();
        let footer = picture.lines().find(|line| line.contains("Escape close")).expect("a footer");
        assert_eq!(footer.contains("Enter "), has_enter, "{typed}: {picture}");
        assert_eq!(footer.contains("Delete "), has_delete, "{typed}: {picture}");
    }
}
