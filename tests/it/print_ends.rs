//! How `bowline -p` and `--mode json` end where a run is stopped at a limit or nothing can be written.

use std::fs::{self, OpenOptions};

use serde_json::json;

use crate::print::TestHome;
use crate::support::anthropic as wire;
use crate::support::server::Reply;

fn read_call_reply(id: &str) -> Reply {
    wire::tool_call_reply(id, "read", &json!({"path": "none"}))
}

#[test]
fn print_and_json_mode_round_limit_exits_1() {
    for (args, limit) in [(["-p", "go", "--no-session"], 1), (["--mode", "json", "go"], 2)] {
        let place = TestHome::new((0..3).map(|n| read_call_reply(&format!("toolu_{n}"))).collect());
        let config = place.work().parent().unwrap().join("home/config");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("settings.toml"), format!("tool-rounds = {limit}\n")).unwrap();
        let (code, _, err) = place.run(&args);
        assert_eq!((code, place.server.requests().len()), (1, limit), "{err}");
        assert!(err.contains(&format!("stopped after {limit} round")), "{err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn json_mode_full_disk_exits_1() {
    let place = TestHome::new(vec![wire::text_reply("One.")]);
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = place.command(&["--mode", "json", "go"]).stdout(full).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(err.contains("cannot write the events") && err.contains("No space left"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn list_commands_full_disk_exit_1() {
    for args in [&["--list-models"][..], &["sessions", "stats"], &["tool", "--list"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = TestHome::new(Vec::new()).command(args).stdout(full).output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{args:?}: {err}");
        assert!(err.contains("cannot write the result: No space left"), "{args:?}: {err}");
    }
}

#[test]
fn print_mode_closed_pipe_exits_1() {
    let place = TestHome::new(vec![wire::text_reply("One.")]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = place.command(&["-p", "go"]).stdout(writer).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(err.contains("the answer cannot be written: Broken pipe"), "{err}");
}

#[test]
fn json_mode_closed_pipe_exits_1() {
    let place = TestHome::new(vec![wire::text_reply("One.")]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = place.command(&["--mode", "json", "go"]).stdout(writer).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{err}");
    assert!(err.contains("cannot write the events: Broken pipe"), "{err}");
}
