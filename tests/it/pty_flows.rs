//! What users of agents in a terminal do most, each by its keys on the built binary: none takes more keys than in the
//! best of pi, codex and Claude Code. Typed texts and pastes are the same everywhere and are not counted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::pty::{Launch, Pty};
use crate::support::server::{Piece, Reply, Server};

const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";
const TAB: &str = "\t";
const UP: &str = "\x1b[A";
const CTRL_UP: &str = "\x1b[1;5A";
const PAGE_UP: &str = "\x1b[5~";
const ALT_ENTER: &str = "\x1b\r";
const ALT_UP: &str = "\x1b[1;3A";
const SHIFT_TAB: &str = "\x1b[Z";
const QUIT: &str = "\x11";
/// The signs of the work that goes on.
const WORKING: [char; 4] = ['◐', '◓', '◑', '◒'];
/// Longer than the silence after which a letter in an empty prompt answers.
const SILENCE: Duration = Duration::from_millis(450);

/// The program, and the keys of the flow that is walked through.
struct Flows {
    pty: Pty,
    server: Server,
    keys: usize,
}

impl Flows {
    /// The program with files and the server's replies.
    fn start(replies: Vec<Reply>, args: &[&str], files: &[(&str, String)]) -> Self {
        Self::start_with(replies, args, files, |launch| launch)
    }

    fn start_with(
        replies: Vec<Reply>,
        args: &[&str],
        files: &[(&str, String)],
        with: impl FnOnce(Launch) -> Launch,
    ) -> Self {
        let server = Server::start(replies);
        let launch = Launch::bowline(args).env("ANTHROPIC_BASE_URL", &server.url).size(120, 40);
        for (path, text) in files {
            let path = launch.work().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut pty = with(launch).start();
        pty.wait_text("Ask anything");
        Self { pty, server, keys: 0 }
    }

    /// Presses a key.
    fn key(&mut self, key: &str) {
        self.keys += 1;
        self.pty.send(key);
    }

    /// Types a text.
    fn text(&mut self, text: &str) {
        self.pty.send(text);
        self.pty.wait_text(text);
    }

    #[track_caller]
    fn wait(&mut self, text: &str) {
        self.pty.wait_text(text);
    }

    /// Waits until the agent has ended its turn.
    #[track_caller]
    fn wait_idle(&mut self) {
        self.pty.wait_for("the end of the work", |screen| !screen.contents().contains(WORKING));
    }

    /// Waits until the agent asks whether a command may run: it stands in its card, and in the question.
    #[track_caller]
    fn wait_question(&mut self, command: &str) {
        self.pty.wait_for(&format!("the question about {command}"), |screen| {
            let text = screen.contents();
            text.contains("wants to run") && text.matches(command).count() > 1
        });
    }

    /// Sends a message and waits for a text of the answer, outside of any flow.
    #[track_caller]
    fn turn(&mut self, message: &str, answer: &str) {
        self.text(message);
        self.pty.send(ENTER);
        self.wait(answer);
        self.wait_idle();
    }

    /// The flow is done: it took so many keys, and the best of the peers takes at least as many.
    #[track_caller]
    fn done(&mut self, flow: &str, keys: usize, best: (&str, usize)) {
        assert_eq!(self.keys, keys, "{flow}");
        assert!(keys <= best.1, "{flow}: {} takes {}", best.0, best.1);
        self.keys = 0;
    }

    #[track_caller]
    fn quit(mut self) {
        self.pty.send(QUIT);
        assert!(self.pty.wait_exit().success(), "{}", self.pty.picture());
    }
}

fn gated(words: &str) -> Reply {
    Reply::Stream(
        [wire::open(), wire::text(0, &[words]), vec![Piece::Gate], wire::close("end_turn")].concat(),
    )
}

fn call(id: &str, name: &str, args: &Value) -> Reply {
    wire::tool_call_reply(id, name, args)
}

#[test]
fn flows_message_new_line_steer_queue_and_interrupt() {
    let replies = vec![
        gated("Working on it"),
        gated("Steered"),
        gated("Much later"),
        wire::text_reply("never asked for"),
    ];
    let mut flows = Flows::start(replies, &[], &[]);
    flows.text("first line");
    flows.key("\n");
    flows.text("second line");
    flows.done("new line in the prompt", 1, ("pi", 1));
    flows.key(ENTER);
    flows.wait("Working on it");
    flows.done("send a message", 1, ("pi, codex, Claude Code", 1));
    flows.text("rather this");
    flows.key(ENTER);
    flows.wait("next   rather this");
    flows.done("steer the working agent", 1, ("pi, codex, Claude Code", 1));
    flows.text("and then that");
    flows.key(ALT_ENTER);
    flows.wait("later  and then that");
    flows.done("queue a message behind the turn", 1, ("pi, codex", 1));
    flows.key(ALT_UP);
    flows.pty.wait_for("both messages in the prompt", |screen| !screen.contents().contains("later  and"));
    flows.done("take queued messages back", 1, ("pi", 1));
    flows.key(ESCAPE);
    flows.wait("interrupted");
    flows.wait_idle();
    flows.done("interrupt the agent", 1, ("pi, codex, Claude Code", 1));
    flows.key(QUIT);
    assert!(flows.pty.wait_exit().success(), "{}", flows.pty.picture());
    flows.done("quit", 1, ("pi", 1));
}

#[test]
fn flows_approvals_take_one_key() {
    let bash = |id: &str, command: &str| call(id, "bash", &json!({"command": command}));
    let replies = vec![
        bash("t1", "touch one"),
        bash("t2", "touch two"),
        bash("t3", "touch two"),
        bash("t4", "touch three"),
        wire::text_reply("Not three, then."),
        wire::text_reply("Two it is."),
    ];
    let mut flows = Flows::start(replies, &[], &[]);
    flows.text("make files");
    flows.pty.send(ENTER);
    flows.wait_question("touch one");
    flows.pty.raw_for(SILENCE);
    flows.key("y");
    flows.wait_question("touch two");
    flows.done("approve one command", 1, ("codex", 1));
    flows.pty.raw_for(SILENCE);
    flows.key("a");
    flows.wait_question("touch three");
    flows.done("approve a command until the end", 1, ("codex", 1));
    flows.pty.raw_for(SILENCE);
    flows.key("n");
    flows.wait("Not three, then.");
    flows.wait_idle();
    flows.text("two are enough");
    flows.key(ENTER);
    flows.wait("Two it is.");
    flows.done("deny and say what to do instead", 2, ("codex, Claude Code", 2));
    assert!(flows.pty.work().join("two").exists() && !flows.pty.work().join("three").exists());
    flows.wait_idle();
    flows.quit();
}

#[test]
fn flows_model_thinking_and_completion() {
    let replies = vec![wire::text_reply("I have read it."), wire::text_reply("Seen.")];
    let files = [("src/parser.rs", "fn parse() {}\n".to_string())];
    let mut flows = Flows::start(replies, &[], &files);
    flows.key(SHIFT_TAB);
    flows.wait("Thinking: ");
    flows.done("change the thinking level", 1, ("pi", 1));
    flows.key("\x0c");
    flows.text("haiku 4");
    flows.key(ENTER);
    flows.wait("Claude Haiku");
    flows.wait("Ask anything");
    flows.done("choose a model", 2, ("pi", 2));
    flows.key("\x1bM");
    flows.pty.wait_for("another model", |screen| !screen.contents().contains("Haiku"));
    flows.done("next model", 1, ("pi", 1));
    flows.text("read @pars");
    flows.wait("src/parser.rs");
    flows.key(TAB);
    flows.wait("read @src/parser.rs");
    flows.done("name a file", 1, ("pi, codex, Claude Code", 1));
    flows.pty.send(ENTER);
    flows.wait("I have read it.");
    flows.wait_idle();
    flows.text("/nam");
    flows.key(TAB);
    flows.text("a new name");
    flows.key(ENTER);
    flows.wait("a new name");
    flows.done("complete and run a slash command", 2, ("pi, codex, Claude Code", 2));
    flows.text("!echo shared");
    flows.key(ENTER);
    flows.wait("✓");
    flows.done("run a shell command", 1, ("pi, Claude Code", 1));
    flows.text("!!echo private");
    flows.key(ENTER);
    flows.pty.wait_for("the private output", |screen| screen.contents().matches("private").count() > 1);
    flows.done("run a private shell command", 1, ("pi", 1));
    flows.turn("look", "Seen.");
    let seen = flows.server.requests().last().unwrap().body.to_string();
    assert!(seen.contains("shared") && !seen.contains("private"), "{seen}");
    flows.quit();
}

#[test]
fn flows_history_stash_editor_and_paste() {
    let replies = vec![wire::text_reply("First answer."), wire::text_reply("Second answer.")];
    let mut flows =
        Flows::start_with(replies, &[], &[], |launch| launch.env("EDITOR", "sh -c 'echo edited > \"$0\"'"));
    flows.turn("remember the milk", "First answer.");
    flows.turn("what else", "Second answer.");
    flows.key(UP);
    flows.pty.wait_for("the last message", |screen| screen.contents().contains("┃ what else"));
    flows.done("recall the last message", 1, ("pi, codex, Claude Code", 1));
    flows.pty.send("\x15");
    flows.key("\x12");
    flows.text("milk");
    flows.key(ENTER);
    flows.pty.wait_for("the message", |screen| screen.contents().contains("┃ remember the milk"));
    flows.done("search the history", 2, ("codex, Claude Code", 2));
    flows.key("\x1bs");
    flows.wait("stashed");
    flows.done("stash the prompt", 1, ("Claude Code", 1));
    flows.key("\x07");
    flows.wait("┃ edited");
    flows.done("edit in an editor", 1, ("pi, Claude Code", 1));
    let pasted = "pasted line\n".repeat(500);
    flows.pty.send(format!("\x1b[200~{pasted}\x1b[201~"));
    flows.wait("[500 lines]");
    flows.done("paste 500 lines", 0, ("pi", 0));
    flows.quit();
}

#[test]
fn flows_conversation_is_read_searched_copied_and_branched() {
    let long: Vec<String> = (1..=60).map(|n| format!("output {n}")).collect();
    let script = format!("printf '{}\\n'", long.join("\\n"));
    let replies = vec![
        call("t1", "bash", &json!({"command": script})),
        Reply::Stream(
            [
                wire::open(),
                wire::thinking(0, "A first thought.\n\nA second thought."),
                wire::text(1, &["The needle is here."]),
                wire::close("end_turn"),
            ]
            .concat(),
        ),
        wire::text_reply("Another answer."),
        wire::text_reply("A better answer."),
    ];
    let mut flows = Flows::start(replies, &["--approval", "full"], &[]);
    flows.turn("show output", "The needle is here.");
    flows.turn("and more", "Another answer.");
    flows.key("\x0f");
    flows.pty.wait_for("the whole output", |screen| !screen.contents().contains("more · Ctrl-o"));
    flows.done("show all output", 1, ("pi", 1));
    flows.key("\x14");
    flows.wait("A second thought.");
    flows.done("show thinking", 1, ("pi", 1));
    flows.key(PAGE_UP);
    flows.pty.wait_for("earlier rows", |screen| !screen.contents().contains("Another answer."));
    flows.done("scroll a page", 1, ("pi, Claude Code", 1));
    flows.key("\x1bY");
    flows.wait("Copied");
    flows.done("copy the last answer", 1, ("pi", 1));
    flows.key("\x06");
    flows.text("needle");
    flows.wait("1/1");
    flows.key(ENTER);
    flows.done("search the conversation", 2, ("pi", 2));
    flows.pty.send("i");
    flows.key(CTRL_UP);
    flows.done("go to the previous message", 1, ("pi", 1));
    flows.key("e");
    flows.wait("editing a sent message");
    flows.keys += 1;
    flows.done("edit an earlier message", 2, ("pi, Claude Code", 4));
    flows.pty.send(" please");
    flows.pty.send(ENTER);
    flows.wait("A better answer.");
    flows.wait_idle();
    flows.key(ESCAPE);
    flows.key(ESCAPE);
    flows.wait("u undo turn");
    flows.done("open the session tree", 2, ("pi", 2));
    flows.pty.send(ESCAPE);
    flows.pty.wait_for("the closed tree", |screen| !screen.contents().contains("u undo turn"));
    flows.quit();
}

#[test]
fn flows_review_undo_and_sessions() {
    let edits = json!([{"oldText": "one", "newText": "two"}]);
    let replies =
        vec![call("t1", "edit", &json!({"path": "a.txt", "edits": edits})), wire::text_reply("Changed it.")];
    let files = [("a.txt", "one\n".to_string())];
    let mut flows = Flows::start(replies, &["--approval", "full"], &files);
    flows.turn("change it", "Changed it.");
    flows.key("\x1br");
    flows.wait("Review: since the last message");
    flows.done("show what was changed", 1, ("codex", 1));
    flows.pty.send("\x1br");
    flows.text("/undo");
    flows.key(ENTER);
    flows.wait("Undo file changes of turn");
    flows.key(ENTER);
    let path = flows.pty.work().join("a.txt");
    flows
        .pty
        .wait_for("the file as it was", |_| std::fs::read_to_string(&path).is_ok_and(|text| text == "one\n"));
    flows.done("undo what the agent changed", 2, ("Claude Code", 3));
    flows.pty.wait_for("nothing to review", |screen| !screen.contents().contains("· Alt-r"));
    flows.text("/compact");
    flows.key(ENTER);
    flows.wait("nothing to compact");
    flows.done("compact the conversation", 1, ("pi, codex, Claude Code", 1));
    flows.wait_idle();
    flows.text("/new");
    flows.key(ENTER);
    flows.wait("New session");
    flows.done("start a new session", 1, ("pi, codex, Claude Code", 1));
    flows.key("\x1bG");
    flows.wait("change it");
    flows.done("go on with the last session", 1, ("codex, Claude Code", 2));
    flows.quit();
}
