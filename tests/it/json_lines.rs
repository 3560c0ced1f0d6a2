//! JSON mode of the built binary and what stands on its standard input: pipes that stay silent, first lines, text,
//! and more than anybody wants to keep.

use std::io::Write;

use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::client_process::{TestHome, TestProcess};

const PNG: &str = "iVBORw0KGgo=";

fn write_stdin(program: &mut TestProcess, text: &str) {
    program.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
}

fn errors(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .filter(|line| line["type"] == "error")
        .map(|line| line["message"].as_str().unwrap())
        .collect()
}

/// What the request says in the user's name.
fn request_messages(ground: &TestHome, request: usize) -> String {
    ground.server.requests()[request].body["messages"].to_string()
}

#[test]
fn json_mode_header_is_sent_while_stdin_is_silent() {
    let ground = TestHome::new(vec![wire::text_reply("One."), wire::text_reply("Two.")]);
    let mut program = ground.start(&["--mode", "json", "say hi"]);
    assert_eq!(program.next().unwrap()["type"], "session");
    // It is open still when the answer comes.
    write_stdin(&mut program, "\n{\"type\":\"message\",\"content\":\"and again\"}\n");
    program.next_event("agent_settled");
    program.next_event("agent_settled");
    let (code, _, told) = program.finish();
    assert_eq!((code, told.as_str()), (0, ""));
    assert!(
        request_messages(&ground, 0).contains("say hi")
            && !request_messages(&ground, 0).contains("and again")
    );
    assert!(request_messages(&ground, 1).contains("and again"));
}

#[test]
fn json_mode_stdin_text_is_prepended_to_prompt() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&["--mode", "json", "say hi"]);
    assert_eq!(program.next().unwrap()["type"], "session");
    write_stdin(&mut program, "\n{\"type\": 3}\n\nwords\n\n");
    let (code, lines, told) = program.finish();
    assert_eq!((code, told.as_str()), (0, ""));
    let message = &lines.iter().find(|line| line["type"] == "message_end").unwrap()["message"];
    assert_eq!(message["content"][0]["text"], "\n{\"type\": 3}\n\nwords\n\nsay hi");
}

#[test]
fn json_mode_invalid_first_line_is_error_event() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&["--mode", "json"]);
    write_stdin(
        &mut program,
        "\r\n\n{\"type\":\"mesage\",\"content\":\"x\"}\n{\"type\":\"message\",\"content\":\"one\"}\n",
    );
    let (code, lines, told) = program.finish();
    assert_eq!((code, told.as_str()), (0, ""));
    assert_eq!((lines[0]["type"].as_str(), errors(&lines).len()), (Some("session"), 1), "{lines:?}");
    assert!(!request_messages(&ground, 0).contains("mesage"), "{}", request_messages(&ground, 0));
}

#[test]
fn json_mode_empty_stdin_exits_2() {
    let ground = TestHome::new(Vec::new());
    for input in ["", "\n \n"] {
        let mut program = ground.start(&["--mode", "json"]);
        write_stdin(&mut program, input);
        let (code, _, told) = program.finish();
        assert_eq!(code, 2, "{told}");
        assert!(told.contains("no prompt"), "{told}");
    }
}

/// The other end may be closed before all of it is taken.
fn write_bytes(program: &mut TestProcess, bytes: usize) {
    let mut stdin = program.stdin.take().unwrap();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..bytes >> 20 {
        if let Err(error) = stdin.write_all(&piece) {
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
            return;
        }
    }
}

#[test]
fn json_mode_oversized_stdin_exits_1() {
    for args in [["--mode", "json"].as_slice(), &["--mode", "json", "what is it?"]] {
        let ground = TestHome::new(vec![wire::text_reply("One.")]);
        let mut program = ground.start(args);
        write_bytes(&mut program, 80 << 20);
        let (code, lines, _) = program.finish();
        assert_eq!(code, 1, "{args:?}");
        assert_eq!(errors(&lines).len(), 1, "{args:?}");
        assert!(errors(&lines)[0].contains("64 MB"), "{lines:?}");
        assert_eq!(ground.server.requests().len(), 0, "{args:?}");
    }
}

#[test]
fn json_mode_empty_text_and_invalid_images_are_rejected() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&["--mode", "json"]);
    let message = |content: Value| format!("{}\n", json!({"type": "message", "content": content}));
    let picture = |data: &str, kind: &str| json!([{"type": "image", "data": data, "mimeType": kind}]);
    write_stdin(&mut program, &message(json!(" \n")));
    write_stdin(&mut program, &message(json!([])));
    write_stdin(&mut program, &message(picture("no base64!", "image/png")));
    write_stdin(&mut program, &message(picture("aGVsbG8=", "image/png")));
    write_stdin(&mut program, &message(picture(PNG, "image/jpeg")));
    write_stdin(&mut program, &message(picture(PNG, "image/png")));
    let (code, lines, _) = program.finish();
    assert_eq!((code, ground.server.requests().len()), (0, 1));
    let told = errors(&lines);
    let wanted = ["no text", "no text", "base64", "PNG, JPEG, GIF or WebP", "image/png"];
    assert_eq!(told.len(), wanted.len(), "{told:?}");
    for (told, wanted) in told.iter().zip(wanted) {
        assert!(told.contains(wanted), "{told}");
    }
}

#[test]
fn json_mode_empty_prompt_argument_exits_2() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let (code, _, told) = ground.start(&["--mode", "json", " "]).finish();
    assert_eq!((code, ground.server.requests().len()), (2, 0));
    assert!(told.contains("no prompt"), "{told}");
}

#[test]
fn json_mode_lone_surrogate_becomes_replacement_character() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&["--mode", "json"]);
    write_stdin(&mut program, "\u{feff}{\"type\":\"message\",\"content\":\"cut \\ud83d\",\"more\":1e400}\n");
    let (code, lines, _) = program.finish();
    assert_eq!((code, errors(&lines).len()), (0, 0), "{lines:?}");
    assert!(request_messages(&ground, 0).contains("cut \u{fffd}"), "{}", request_messages(&ground, 0));
}
