//! Accessible mode on the built binary, read as a screen reader of the console does: the text that is written between two
//! movements of the cursor is spoken.

use serde_json::json;

use crate::support::anthropic as wire;
use crate::support::pty::Launch;
use crate::support::server::{Piece, Reply, Server};

/// Number of sentences: more than the screen has rows.
const SENTENCES: usize = 40;

fn sentence(n: usize) -> String {
    format!("Sentence number {n} of the answer.")
}

/// Returns what is spoken: each text that is written between two movements of the cursor.
fn spoken(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let (mut out, mut now) = (Vec::new(), String::new());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_move = match (c, rest.peek()) {
            ('\x1b', Some('[')) => {
                let sequence: String =
                    std::iter::from_fn(|| rest.next_if(|c| !('@'..='~').contains(c) || *c == '[')).collect();
                let last = rest.next().unwrap_or_default();
                // Over a few blanks in a row the cursor is moved; they separate words.
                if last == 'C' {
                    now.push(' ');
                }
                !sequence.contains('?') && matches!(last, 'H' | 'f' | 'A' | 'B' | 'D' | 'G' | 'd' | 'E' | 'F')
            }
            // A title of the window, or a link.
            ('\x1b', Some(']')) => {
                while rest.next_if(|c| *c != '\x07' && *c != '\x1b').is_some() {}
                if rest.next() == Some('\x1b') {
                    rest.next();
                }
                false
            }
            ('\x1b', _) => {
                rest.next();
                false
            }
            (c, _) if c.is_control() => true,
            (c, _) => {
                now.push(c);
                false
            }
        };
        if is_move && !now.trim().is_empty() {
            out.push(now.trim().to_string());
        }
        if is_move {
            now.clear();
        }
    }
    out.extend((!now.trim().is_empty()).then(|| now.trim().to_string()));
    out
}

#[test]
fn accessible_stream_is_split_at_cursor_movements() {
    let bytes = b"\x1b[?2026h\x1b[1;1Hone \x1b[1mtwo\x1b[m\x1b[2;1H  \x1b[3;1Hthree\x1b[2Cfour\x1b]2;title\x07\r\nfive\x1b[?25h";
    assert_eq!(spoken(bytes), ["one two", "three four", "five"]);
}

#[test]
fn accessible_stream_has_announcements_and_each_sentence_once_in_order() {
    let answer = (1..=SENTENCES).map(sentence).collect::<Vec<_>>().join("\n\n");
    // Deltas end anywhere; the server waits in the middle of a sentence.
    let deltas: Vec<String> =
        answer.as_bytes().chunks(7).map(|part| String::from_utf8_lossy(part).into()).collect();
    let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
    let mut text = wire::text(0, &deltas);
    text.insert(10, Piece::Gate);
    let call = wire::tool_call_reply("t1", "bash", &json!({"command": "mkdir -p build"}));
    let stream = Reply::Stream([wire::open(), text, wire::close("end_turn")].concat());
    let server = Server::start(vec![call, stream]);
    let launch = Launch::bowline(&["--accessible"]).env("ANTHROPIC_BASE_URL", &server.url);
    let mut pty = launch.env("ANTHROPIC_API_KEY", "test-key").start();
    pty.wait_text("Ask anything");
    pty.wait_text("Agent, ready");
    pty.take_raw();
    pty.send("go");
    pty.wait_text("go");
    pty.send("\r");
    pty.wait_text("Approval is needed: bash wants to run mkdir -p build");
    pty.send("\t");
    pty.wait_text("> y run once");
    pty.send("\r");
    pty.wait_text(&sentence(1));
    let before = pty.screen().contents();
    assert!(
        !before.contains("Sentence number 2 of"),
        "a sentence that is not complete is not shown: {before}"
    );
    server.open_gate();
    pty.wait_text("The agent finished");
    let spoken = spoken(&pty.take_raw());
    let all = spoken.join("\n");
    let mut last =
        all.find("Approval is needed: bash wants to run mkdir").expect("the approval is announced");
    for n in 1..=SENTENCES {
        let said: Vec<_> = all.match_indices(&sentence(n)).map(|(at, _)| at).collect();
        assert_eq!(said.len(), 1, "sentence {n} is spoken once:\n{all}");
        assert!(said[0] > last, "sentence {n} follows the one before:\n{all}");
        last = said[0];
    }
    let end = all.rfind("The agent finished").expect("the end is announced");
    assert!(end > last, "the end is announced after the answer:\n{all}");
    assert!(!all.chars().any(bowline::tui::plain_signs::is_ornament), "{all}");
    let quiet = pty.raw_for(std::time::Duration::from_millis(600));
    assert!(quiet.is_empty(), "an idle screen writes nothing: {:?}", String::from_utf8_lossy(&quiet));
}
