//! The user's stories on the built binary in a pseudo terminal, with a model's server on
//! loopback that speaks the real wire format.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::pty::{Launch, Pty};
use crate::support::server::{Piece, Reply, Server};

const SAVE: &str = "\x13";
const QUIT: &str = "\x11";
const UNDO: &str = "\x1a";
const AGENT: &str = "\x1b3";
const EDITOR: &str = "\x1b2";
/// The signs of the work that goes on.
const WORKING: [char; 4] = ['◐', '◓', '◑', '◒'];

/// The binary, its model answered by this server.
fn with_server(server: &Server, args: &[&str]) -> Launch {
    Launch::bowline(args).env("ANTHROPIC_BASE_URL", &server.url)
}

/// Waits for the end that the user asked for.
#[track_caller]
fn wait_and_quit(pty: &mut Pty) {
    // The last words of an answer come before its end.
    pty.wait_for("the end of the work", |screen| !screen.contents().contains(WORKING));
    pty.send(QUIT);
    assert!(pty.wait_exit().success(), "{}", pty.picture());
    assert!(pty.is_cooked());
}

#[test]
fn startup_opens_current_folder() {
    let launch = Launch::bowline(&[]).size(120, 30);
    std::fs::write(launch.work().join("hello.txt"), "hi\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("hello.txt");
    pty.wait_text("F1 palette");
    wait_and_quit(&mut pty);
}

#[test]
fn quit_says_how_to_continue_and_keeps_unsent_message() {
    let server = Server::start(vec![wire::text_reply("the answer")]);
    let mut pty = with_server(&server, &[]).start();
    pty.wait_text("Ask anything");
    pty.send("a question\r");
    pty.wait_text("the answer");
    pty.send("half a message");
    pty.wait_text("half a message");
    wait_and_quit(&mut pty);
    assert!(pty.screen().contents().contains("Continue this session: bowline -c"), "{}", pty.picture());
    let mut pty = pty.relaunch(&["-c"]).start();
    pty.wait_text("the answer");
    pty.wait_text("half a message");
    wait_and_quit(&mut pty);
}

#[test]
fn startup_opens_file_at_line_and_saves_edit() {
    let launch = Launch::bowline(&["src/main.rs:10"]);
    std::fs::create_dir(launch.work().join("src")).unwrap();
    let text: String = (1..=30).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    std::fs::write(launch.work().join("src/main.rs"), &text).unwrap();
    let mut pty = launch.start();
    pty.wait_text("main.rs 10:1");
    pty.send("typed ");
    pty.wait_text("typed line 10");
    pty.send(QUIT);
    pty.wait_text("One file is unsaved");
    pty.send("n");
    pty.send(SAVE);
    pty.wait_text("Saved main.rs");
    let saved = std::fs::read_to_string(pty.work().join("src/main.rs")).unwrap();
    assert_eq!(saved, text.replace("line 10\n", "typed line 10\n"));
    wait_and_quit(&mut pty);
}

#[test]
fn resize_redraws_text() {
    let launch = Launch::bowline(&["a.txt"]).size(120, 40);
    std::fs::write(launch.work().join("a.txt"), "some text\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("some text");
    pty.send("x");
    pty.wait_text("xsome text");
    for (cols, rows) in [(80, 24), (20, 5), (200, 60)] {
        pty.take_raw();
        pty.resize(cols, rows);
        pty.wait_raw("xsome text");
    }
    pty.send(UNDO);
    pty.wait_for("the undone text", |screen| !screen.contents().contains("xsome"));
    wait_and_quit(&mut pty);
}

/// What the server saw of one conversation: role and the kinds of its blocks.
fn conversation_shape(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let kinds = |message: &Value| {
        let blocks = message["content"].as_array().unwrap();
        blocks.iter().map(|block| block["type"].as_str().unwrap().to_string()).collect::<Vec<_>>().join("+")
    };
    messages
        .iter()
        .map(|message| format!("{}:{}", message["role"].as_str().unwrap(), kinds(message)))
        .collect()
}

#[test]
fn agent_edits_open_file_and_session_continues() {
    let edits = json!([{"oldText": "goodby", "newText": "goodbye"}]);
    let first = wire::text(0, &["It says **goodbye** "]);
    let rest = wire::text(1, &["now."]);
    let server = Server::start(vec![
        wire::tool_call_reply("t1", "read", &json!({"path": "hello.txt"})),
        wire::tool_call_reply("t2", "edit", &json!({"path": "hello.txt", "edits": edits})),
        wire::tool_call_reply("t3", "bash", &json!({"command": "cat hello.txt > seen; cat seen"})),
        Reply::Stream([wire::open(), first, vec![Piece::Gate], rest, wire::close("end_turn")].concat()),
        wire::text_reply("Still here."),
    ]);
    let launch = with_server(&server, &["hello.txt"]).size(120, 30);
    std::fs::write(launch.work().join("hello.txt"), "hello\ngoodby\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("Ask anything");
    pty.send(AGENT);
    pty.send("fix the spelling\r");
    // The command writes, so the user is asked. A letter in the empty prompt answers after a silence.
    pty.wait_text("wants to run");
    pty.raw_for(Duration::from_millis(450));
    pty.send("y");
    pty.wait_text("It says goodbye");
    // While the answer waits, the user types.
    pty.send(EDITOR);
    pty.send("meanwhile ");
    pty.wait_text("meanwhile hello");
    server.open_gate();
    pty.wait_text("now.");
    pty.wait_text("2 goodbye");
    assert_eq!(std::fs::read_to_string(pty.work().join("seen")).unwrap(), "hello\ngoodbye\n");
    pty.send(SAVE);
    pty.wait_text("Saved hello.txt");
    let saved = std::fs::read_to_string(pty.work().join("hello.txt")).unwrap();
    assert_eq!(saved, "meanwhile hello\ngoodbye\n");
    wait_and_quit(&mut pty);
    let again = pty.relaunch(&["--continue"]).env("ANTHROPIC_BASE_URL", &server.url);
    let mut pty = again.size(120, 30).start();
    pty.wait_text("fix the spelling");
    pty.wait_text("It says goodbye");
    pty.send("and now?\r");
    pty.wait_text("Still here.");
    wait_and_quit(&mut pty);
    let (call, result) = ("assistant:tool_use", "user:tool_result");
    assert_eq!(
        conversation_shape(&server.requests()[4].body)[..7],
        ["user:text", call, result, call, result, call, result]
    );
}

#[test]
fn print_mode_writes_only_reply_to_stdout() {
    let server = Server::start(vec![wire::text_reply("The answer.")]);
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bowline"))
        .args(["-p", "a question"])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("BOWLINE_HOME", home.path().join("bowline"))
        .env("ANTHROPIC_BASE_URL", &server.url)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!((out.as_str(), output.stderr.len()), ("The answer.\n", 0));
    assert!(output.status.success());
}

#[test]
fn startup_prompt_argument_is_sent() {
    let server = Server::start(vec![wire::text_reply("Heard.")]);
    let mut pty = with_server(&server, &["say something"]).start();
    pty.wait_text("Heard.");
    pty.wait_text("say something");
    wait_and_quit(&mut pty);
}

#[test]
fn demo_model_without_key_explains_setup() {
    let mut pty = Launch::bowline(&[]).start();
    pty.wait_text("Ask anything");
    pty.send("how do I connect a model?\r");
    pty.wait_text("ANTHROPIC_API_KEY");
    wait_and_quit(&mut pty);
}

#[test]
fn window_title_names_folder_and_session_and_is_restored() {
    // The answer waits until the title has shown that it is being written.
    let reply = [wire::open(), wire::text(0, &["An answer."]), vec![Piece::Gate], wire::close("end_turn")];
    let server = Server::start(vec![Reply::Stream(reply.concat())]);
    let mut pty = with_server(&server, &[]).start();
    pty.wait_raw("\x1b[22;0t");
    pty.wait_raw(" · bowline\x1b\\");
    pty.wait_text("Ask anything");
    pty.send("/name the loop\r");
    pty.wait_raw(" · the loop\x1b\\");
    pty.send("go on\r");
    pty.wait_raw(" · the loop ◐\x1b\\");
    server.open_gate();
    pty.wait_text("An answer.");
    wait_and_quit(&mut pty);
    pty.wait_raw("\x1b[23;0t");
}

#[test]
fn quit_stops_shell_command_of_prompt() {
    let launch = Launch::bowline(&[]);
    let file = launch.work().join("pid");
    let mut pty = launch.start();
    pty.wait_text("Ask anything");
    pty.send("!echo $$ > pid; echo be''gun; exec sleep 600\r");
    pty.wait_text("begun");
    let pid: u32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    wait_and_quit(&mut pty);
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let is_gone =
        state.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with(['Z', 'X']));
    assert!(is_gone, "{state}");
}

#[test]
fn idle_screen_writes_no_output() {
    let launch = Launch::bowline(&["a.txt"]);
    std::fs::write(launch.work().join("a.txt"), "some text\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("some text");
    pty.wait_text("Ask anything");
    pty.send("x");
    pty.wait_text("xsome");
    // Let what is still coming come.
    while !pty.raw_for(Duration::from_millis(300)).is_empty() {}
    assert_eq!(pty.raw_for(Duration::from_secs(2)), b"");
    pty.send(UNDO);
    pty.wait_for("the undone text", |screen| !screen.contents().contains("xsome"));
    wait_and_quit(&mut pty);
}

#[test]
fn invalid_settings_are_reported_and_defaults_used() {
    let told = |args: &[&str], file: Option<(&str, &str)>, message: &str| {
        let launch = Launch::bowline(args).size(160, 24);
        if let Some((name, text)) = file {
            let path = launch.home().join("config").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut pty = launch.start();
        pty.wait_text(message);
        wait_and_quit(&mut pty);
    };
    told(&["--theme", "nowhere"], None, "unknown theme \"nowhere\"");
    told(&["--keymap", "nowhere"], None, "unknown key map \"nowhere\"");
    told(&[], Some(("settings.toml", "theme = \"bowline-dark\"\ntab-width = \"x\"\n")), "settings.toml:2: ");
    told(&[], Some(("settings.toml", "theme = \n")), "settings.toml:1: ");
    told(&["--theme", "mine"], Some(("themes/mine.toml", "[styles\n")), "the default theme is");
    told(&["--keymap", "mine"], Some(("keymaps/mine.toml", "[global\n")), "mine.toml:1: ");
}
