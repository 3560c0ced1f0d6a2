//! Arguments, names and terminals that are not what programs expect: names that are no UTF-8, control characters,
//! a terminal that cannot draw, a pattern that nothing fits.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output, Stdio};

use serde_json::json;

use crate::print::TestHome;
use crate::support::anthropic as wire;
use crate::support::pty::Launch;
use crate::support::test_ide::IdeSetup;

/// A name that is no UTF-8, and how a shell writes it.
const RAW: &[u8] = b"a\xff.txt";
const SHOWN: &str = r"$'a\xff.txt'";

fn raw_path() -> &'static OsStr {
    OsStr::from_bytes(RAW)
}

fn text(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn open_file_accepts_non_utf8_name() {
    for (arg, place) in [(RAW.to_vec(), "1:1"), ([RAW, b":2"].concat(), "2:1")] {
        let launch = Launch::bowline(&[]).size(120, 24).arg(OsStr::from_bytes(&arg));
        let path = launch.work().join(raw_path());
        std::fs::write(&path, "first words\nsecond\n").unwrap();
        let mut pty = launch.start();
        pty.wait_text("first words");
        pty.wait_text(place);
        pty.send("typed ");
        pty.wait_text("typed ");
        pty.send("\x13");
        pty.wait_text("Saved");
        pty.send("\x11");
        assert!(pty.wait_exit().success(), "{}", pty.picture());
        assert!(std::fs::read_to_string(&path).unwrap().contains("typed "), "the file itself was saved");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "and no other one");
    }
}

#[tokio::test]
async fn tree_and_picker_open_non_utf8_file_name() {
    let plan = IdeSetup::new().size(120, 30).file("b.txt", "other\n");
    std::fs::write(plan.workspace_dir().join(raw_path()), "found it\n").unwrap();
    let mut ide = plan.start().await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("a\u{fffd}.txt"), "{}", ide.picture());
    ide.keys("Alt-1 Ctrl-p").await;
    ide.type_in("xff").await;
    assert!(ide.picture().contains(SHOWN), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "found it\n");
    ide.keys("Alt-6 g").await;
    ide.type_in("found it").await;
    assert!(ide.picture().contains(&format!("{SHOWN}:1: found it")), "{}", ide.picture());
}

#[test]
fn tools_list_and_read_non_utf8_file_names() {
    let place = TestHome::new(Vec::new());
    std::fs::create_dir(place.work().join("sub")).unwrap();
    let path = place.work().join("sub").join(raw_path());
    std::fs::write(&path, "the needle\n").unwrap();
    let named = format!("sub/{SHOWN}");
    let tool = |profile: &str, name: &str, args: serde_json::Value| {
        let args = args.to_string();
        let flags = ["tool", name, &args, "--profile", profile, "--approval", "full"];
        let (code, out, err) = text(&place.command(&flags).output().unwrap());
        assert_eq!(code, Some(0), "{profile} {name}: {out}{err}");
        out
    };
    for (profile, name, args, wanted) in [
        ("pi", "ls", json!({"path": "sub"}), SHOWN),
        ("pi", "find", json!({"pattern": "*.txt"}), named.as_str()),
        ("pi", "grep", json!({"pattern": "needle"}), named.as_str()),
        ("pi", "read", json!({"path": named}), "the needle"),
        ("anthropic", "Glob", json!({"pattern": "**/*.txt"}), SHOWN),
        ("anthropic", "Grep", json!({"pattern": "needle"}), SHOWN),
        ("anthropic", "Read", json!({"file_path": named}), "the needle"),
        ("gemini", "list_directory", json!({"dir_path": "sub"}), SHOWN),
        ("gemini", "read_file", json!({"file_path": named}), "the needle"),
    ] {
        let out = tool(profile, name, args);
        assert!(out.contains(wanted), "{profile} {name}: {out}");
    }
    tool("pi", "edit", json!({"path": named, "edits": [{"oldText": "needle", "newText": "thread"}]}));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "the thread\n");
    tool("pi", "write", json!({"path": named, "content": "new\n"}));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new\n");
    let diff = format!("*** Begin Patch\n*** Update File: {named}\n@@\n-new\n+patched\n*** End Patch");
    tool("openai", "apply_patch", json!({"input": diff}));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "patched\n");
    assert_eq!(std::fs::read_dir(place.work().join("sub")).unwrap().count(), 1, "no other file was made");
    // A shell takes the name as it was listed.
    let out = tool("pi", "bash", json!({"command": format!("cat {named}")}));
    assert!(out.contains("patched"), "{out}");
}

#[test]
fn print_mode_accepts_non_utf8_arguments() {
    let place = TestHome::new(vec![wire::text_reply("Read.")]);
    std::fs::write(place.work().join(raw_path()), "attached words\n").unwrap();
    let mut command = place.command(&["-p"]);
    command.arg(OsStr::from_bytes(b"say \xff")).arg(OsStr::from_bytes(&[b"@", RAW].concat()));
    let (code, out, err) = text(&command.output().unwrap());
    assert_eq!((code, out.as_str()), (Some(0), "Read.\n"), "{err}");
    let asked = &place.server.requests()[0].text;
    assert!(asked.contains("attached words") && asked.contains("say \u{fffd}"), "{asked}");
}

#[test]
fn dumb_terminal_exits_with_plain_message() {
    let mut pty = Launch::bowline(&[]).size(160, 24).env("TERM", "dumb").start();
    let status = pty.wait_exit();
    let raw = String::from_utf8_lossy(&pty.take_raw()).into_owned();
    assert_eq!(status.exit_code(), 2, "{raw}");
    assert!(
        raw.contains("this terminal cannot show a screen (TERM=dumb)") && raw.contains("bowline -p"),
        "{raw}"
    );
    assert!(!raw.contains('\x1b'), "{raw:?}");
}

#[test]
fn argument_errors_strip_control_characters() {
    for (args, repeated) in [
        (&["--x\x1b]0;title\x07"][..], "--x"),
        (&["--mode", "\x1b[31mred"], "red"),
        (&["tool", "no\x1b]0;x\x07", "{}"], "no"),
        (&["login", "a", "b\x1b]0;x\x07"], "unexpected argument"),
        (&["sessions", "x\x1b[2J"], "unrecognized subcommand"),
        (&["sessions", "show", "x\x1b[2J"], "no such session"),
        (&["completions", "\x1b[31mred"], "red"),
        (&["--theme", "\x1b]0;x\x07", "-p", "hi", "--thinking", "\x1b[2J"], "invalid value"),
        (&["-p", "hi", "--model", "\x1b]0;x\x07"], "not known"),
        (&["--list-models", "\x1b]0;x\x07"], "no available model matches"),
    ] {
        let place = TestHome::new(Vec::new());
        let (code, out, err) = text(&place.command(args).output().unwrap());
        assert!(code.is_some_and(|code| code > 0), "{args:?}: {out}{err}");
        assert!(err.contains(repeated), "{args:?}: {err:?}");
        assert!(
            !err.contains(['\x1b', '\x07']) && !out.contains(['\x1b', '\x07']),
            "{args:?}: {out:?}{err:?}"
        );
    }
    // Standard error may be a terminal, too.
    let mut pty = Launch::bowline(&["--x\x1b]0;title\x07y"]).start();
    assert_eq!(pty.wait_exit().exit_code(), 2);
    let raw = pty.take_raw();
    assert!(!raw.contains(&b'\x1b') && !raw.contains(&b'\x07'), "{}", String::from_utf8_lossy(&raw));
}

#[test]
fn list_models_without_match_exits_1_with_message() {
    let place = TestHome::new(Vec::new());
    let (code, out, err) = text(&place.command(&["--list-models", "no-such-model"]).output().unwrap());
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("no available model matches `no-such-model`"), "{err}");
    assert_eq!(text(&place.command(&["--list-models", "claude"]).output().unwrap()).0, Some(0));
}

#[test]
fn import_accepts_non_utf8_file_name() {
    let place = TestHome::new(Vec::new());
    let line = json!({"type": "user", "uuid": "u1", "sessionId": "s1", "cwd": "/w",
        "timestamp": "2025-11-20T10:00:00.000Z", "message": {"role": "user", "content": "hi"}});
    let path = place.work().join(OsStr::from_bytes(b"s\xff.jsonl"));
    std::fs::write(&path, line.to_string()).unwrap();
    let mut command: Command = place.command(&["import"]);
    let (code, out, err) = text(&command.arg(&path).stdin(Stdio::null()).output().unwrap());
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(place.entries().last().unwrap()["message"]["role"], "user");
}
