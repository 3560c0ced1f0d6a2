//! The message being typed, in the user's own editor, on the built binary in a pseudo terminal.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::anthropic as wire;
use crate::support::pty::Launch;
use crate::support::server::{Piece, Reply, Server};

/// Edits the text in a program.
const EDIT: &str = "\x07";
const QUIT: &str = "\x11";

/// An executable script, as an editor.
fn script(folder: &Path, text: &str) -> String {
    let path = folder.join("my editor");
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}' --flag", path.display())
}

#[test]
fn external_editor_edits_prompt_while_agent_works_on() {
    let first = wire::text(0, &["The beginning, "]);
    let rest = wire::text(1, &["and the rest."]);
    let server = Server::start(vec![
        Reply::Stream([wire::open(), first, vec![Piece::Gate], rest, wire::close("end_turn")].concat()),
        wire::text_reply("Second answer."),
    ]);
    let launch = Launch::bowline(&[]).env("ANTHROPIC_BASE_URL", &server.url).size(100, 24);
    let sessions = launch.home().join("data/sessions");
    // It ends only once the answer is in the session's file, which the agent writes meanwhile.
    let wait = format!("until grep -rq 'and the rest' '{}'; do sleep 0.05; done", sessions.display());
    let edit = "printf ' [edited by %s]\\n' \"$1\" >> \"$2\"";
    let editor =
        script(&launch.work(), &format!("test -t 0 && echo \"editing on a terminal\"\n{wait}\n{edit}\n"));
    let mut pty = launch.env("EDITOR", "no-such-editor").env("VISUAL", &editor).start();
    pty.wait_text("Ask anything");
    pty.send("a question\r");
    pty.wait_text("The beginning");
    pty.send("draft é");
    pty.wait_text("draft é");
    pty.send(EDIT);
    pty.wait_text("editing on a terminal");
    assert!(pty.is_cooked(), "the editor gets the terminal as a shell gives it");
    server.open_gate();
    pty.wait_text("draft é [edited by --flag]");
    pty.wait_text("and the rest.");
    pty.send("\r");
    pty.wait_text("Second answer.");
    assert!(
        server.requests()[1].body.to_string().contains("draft é [edited by --flag]\""),
        "no line feed after it"
    );
    // The last words of an answer come before its end.
    pty.wait_for("the end of the work", |screen| !screen.contents().contains("Escape stops"));
    pty.send(QUIT);
    assert!(pty.wait_exit().success(), "{}", pty.picture());
}

#[test]
fn external_editor_failure_keeps_prompt() {
    let launch = Launch::bowline(&[]).size(100, 24);
    let editor = script(&launch.work(), "printf 'lost' > \"$2\"\nexit 3\n");
    let mut pty = launch.env("EDITOR", &editor).start();
    pty.wait_text("Ask anything");
    pty.send("draft");
    pty.wait_text("draft");
    pty.send(EDIT);
    pty.wait_text("Prompt unchanged: editor failed (exit status: 3):");
    pty.send(" goes on");
    pty.wait_text("draft goes on");
    pty.send(QUIT);
    assert!(pty.wait_exit().success(), "{}", pty.picture());
    let mut pty = pty.relaunch(&[]).env("EDITOR", "no-such-editor").size(100, 24).start();
    pty.wait_text("draft goes on");
    pty.send(EDIT);
    pty.wait_text("Prompt unchanged: editor not found: `no-such-editor`");
    pty.send(QUIT);
    assert!(pty.wait_exit().success(), "{}", pty.picture());
}
