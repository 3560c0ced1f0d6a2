//! Damaged lines for the reader of RPC mode: however they are cut, they are the same lines, and whatever stands in
//! them is answered in one line.

use bowline::base::error::Report;
use bowline::modes::json;
use bowline::modes::lines::{Line, LineSplitter};
use bowline::modes::rpc::answer;
use bowline::modes::rpc::command::Command;
use serde_json::Value;

use crate::fuzz::run_target;

/// One line of each shape that a program may send, and some that it should not.
const LINES: &str = concat!(
    r#"{"id":"1","type":"prompt","message":"say \"hé\" \ud83d\ude00 漢\u2028字","images":[{"type":"image","data":"AAAA","mimeType":"image/png"}],"streamingBehavior":"followUp"}"#,
    "\n",
    r#"{"id":2,"type":"set_model","provider":"anthropic","modelId":"claude"}"#,
    "\r\n",
    r#"{"type":"bash","command":"ls\n","excludeFromContext":true,"id":{"deep":[1,-2.5e3,null]}}"#,
    "\n\n",
    r#"{"type":"navigate_tree","targetId":"a1","summarize":false,"customInstructions":null}"#,
    "\n",
    r#"{"type":"restore","entryId":"a1","what":"code","take":"beside","id":[]}"#,
    "\n",
    r#"{"type":"set_approval","mode":"auto-edit"}"#,
    "\n",
    r#"{"type":"extension_ui_response","id":"ui-1","value":"yes"}"#,
    "\n",
    r#"{"type":"message","content":[{"type":"text","text":"a"},{"type":"image","data":"","mimeType":"image/png"}]}"#,
    "\n[1,2]\nnull\n",
    r#"{"type":7}"#,
);

/// The lines of bytes that come in pieces.
fn split(pieces: &[Vec<u8>]) -> Vec<Line> {
    let (mut splitter, mut lines) = (LineSplitter::default(), Vec::new());
    for piece in pieces {
        splitter.push(piece, |line| lines.push(line));
    }
    splitter.finish(|line| lines.push(line));
    lines
}

/// The command of a line; `None` where it is no object with a type.
fn command(text: &str) -> Option<Result<Command, String>> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else { return None };
    let name = fields.get("type")?.as_str()?.to_string();
    Some(Command::parse(&name, fields))
}

#[test]
fn fuzz_rpc_broken_lines_get_one_line_answers() {
    let whole = LINES.as_bytes();
    let commands = split(&[whole.to_vec()]);
    let known =
        |line: &&Line| matches!(line, Line::Text(text) if command(text).is_some_and(|read| read.is_ok()));
    assert_eq!((commands.len(), commands.iter().filter(known).count()), (11, 6));
    run_target("rpc", |chance| {
        let mut bytes = whole.to_vec();
        chance.damage(&mut bytes);
        let lines = split(&chance.split(&bytes));
        assert_eq!(lines, split(&[bytes.clone()]), "however it is cut");
        assert!(lines.len() <= memchr::memchr_iter(b'\n', &bytes).count() + 1);
        for line in lines {
            let Line::Text(text) = line else { continue };
            assert!(!text.contains('\n') && !text.trim().is_empty(), "{text:?}");
            json::messages::is_mode_message(&text);
            let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
            let id = value.as_object().and_then(|fields| answer::id(&text, fields));
            let name = value.get("type").and_then(Value::as_str).unwrap_or("parse").to_string();
            let data = match command(&text) {
                Some(Ok(command)) => Ok(Value::from(format!("{command:?}")).into()),
                Some(Err(why)) => Err(Report::new(why)),
                None => Err(Report::new("a command is an object with a `type`")),
            };
            let answer = answer::line(id.as_deref(), &name, &data);
            assert!(!answer.contains('\n'), "{answer}");
            let read: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!((read.get("id"), &read["command"]), (value.get("id"), &Value::from(name)), "{answer}");
        }
    });
}
