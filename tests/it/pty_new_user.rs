//! Five tasks of a new user, in the default map at 80x24. Each key is pressed only while the
//! screen names it or the row that it chooses.

use serde_json::json;

use crate::support::anthropic as wire;
use crate::support::pty::{Launch, Pty};
use crate::support::server::Server;

const ENTER: &str = "\r";
const UP: &str = "\x1b[A";
const F1: &str = "\x1bOP";
const CTRL_P: &str = "\x10";
const QUIT: &str = "\x11";

const MATH: &str = "pub fn add(a: i64, b: i64) -> i64 {\n    a - b\n}\n";
const MENDED: &str = "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n";

/// Presses a key once the screen says what it does here.
#[track_caller]
fn press(pty: &mut Pty, key: &str, said: &str) {
    pty.wait_text(said);
    pty.send(key);
}

/// Types words where the screen asks for them, and waits until they are there.
#[track_caller]
fn type_in(pty: &mut Pty, words: &str) {
    pty.send(words);
    pty.wait_text(words);
}

/// Opens the palette, whose key the status line has from the start on, types words and runs the row with that title.
#[track_caller]
fn palette(pty: &mut Pty, words: &str, title: &str) {
    pty.send(F1);
    pty.wait_text("Commands");
    type_in(pty, words);
    let is_selected = format!("▌  {title}");
    pty.wait_for(&format!("the selected row {title}"), |screen| screen.contents().contains(&is_selected));
    press(pty, ENTER, "Enter run");
}

#[track_caller]
fn quit(mut pty: Pty) -> Pty {
    pty.send(QUIT);
    assert!(pty.wait_exit().success(), "{}", pty.picture());
    pty
}

#[test]
fn new_user_connects_a_model_from_the_start_screen() {
    let mut pty = Launch::bowline(&[]).size(80, 24).start();
    pty.wait_text("No model is connected.");
    press(&mut pty, ENTER, "Enter      log in, or paste an API key");
    pty.wait_text("Providers");
    type_in(&mut pty, "anth");
    press(&mut pty, ENTER, "Enter log in");
    pty.wait_text("Log in: Anthropic");
    pty.send("sk-ant-api03-something");
    press(&mut pty, ENTER, "Enter");
    pty.wait_text("Anthropic: stored in auth.json");
    pty.wait_text("Alt-m");
    let pty = quit(pty);
    let stored = std::fs::read_to_string(pty.home().join("data/auth.json")).unwrap();
    assert!(stored.contains("sk-ant-api03-something"), "it is known at the next start");
}

#[test]
fn new_user_changes_the_theme_and_keeps_it() {
    let mut pty = Launch::bowline(&[]).size(80, 24).start();
    pty.wait_text("F1 palette");
    palette(&mut pty, "theme", "Choose theme");
    pty.wait_text("▌");
    type_in(&mut pty, "mist");
    pty.wait_for("one theme", |screen| !screen.contents().contains("midnight"));
    press(&mut pty, ENTER, "Enter use and save");
    pty.wait_for("the list is closed", |screen| !screen.contents().contains("Enter use and save"));
    let pty = quit(pty);
    let settings = std::fs::read_to_string(pty.home().join("config/settings.toml")).unwrap();
    assert!(settings.contains("theme = \"mist\""), "{settings}");
}

#[test]
fn new_user_lets_the_agent_fix_a_function_and_undoes_it_and_goes_back_to_yesterday() {
    let edit = json!({"path": "src/math.rs", "edits": [{"oldText": "a - b", "newText": "a + b"}]});
    let replies = vec![
        wire::text_reply("It subtracts."),
        wire::tool_call_reply("t1", "edit", &edit),
        wire::text_reply("Now it adds."),
    ];
    let server = Server::start(replies);
    let launch = Launch::bowline(&[]).env("ANTHROPIC_BASE_URL", &server.url).size(80, 24);
    std::fs::create_dir(launch.work().join("src")).unwrap();
    let file = launch.work().join("src/math.rs");
    std::fs::write(&file, MATH).unwrap();
    let mut pty = launch.start();
    pty.wait_text("F1 palette");

    // A function is found, and the agent is asked about it.
    press(&mut pty, CTRL_P, "Ctrl-p     go to file");
    pty.wait_text("# project symbols");
    pty.send("#add");
    press(&mut pty, ENTER, "function src/math");
    pty.wait_text("1 pub fn add");
    press(&mut pty, "\x1b3", "(Alt-3)");
    type_in(&mut pty, "what does add do?");
    pty.send(ENTER);
    pty.wait_text("It subtracts.");
    type_in(&mut pty, "fix add");
    pty.send(ENTER);
    pty.wait_text("Now it adds.");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), MENDED);

    // The turn is undone.
    palette(&mut pty, "undo turn", "Undo agent's last turn");
    pty.wait_text("Restored 1 path");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), MATH);

    // Another day the first answer is gone back to.
    let mut pty = quit(pty);
    let mut pty = pty.relaunch(&[]).env("ANTHROPIC_BASE_URL", &server.url).size(80, 24).start();
    press(&mut pty, "\x1b,l1", "Alt-, l 1");
    pty.wait_text("It subtracts.");
    palette(&mut pty, "session tree", "Show session tree");
    pty.wait_text("you are here");
    press(&mut pty, UP, "you are here");
    press(&mut pty, "n", "n branch");
    pty.wait_for("the branch behind the first answer", |screen| {
        let text = screen.contents();
        text.contains("It subtracts.") && !text.contains("Now it adds.")
    });
    quit(pty);
}
