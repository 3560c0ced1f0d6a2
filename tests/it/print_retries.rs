//! `bowline -p` against servers that fail or break off in the middle of an answer: what is asked again, how often, and
//! what is printed.

use serde_json::json;

use crate::print::TestHome;
use crate::support::anthropic as wire;
use crate::support::server::{Piece, Reply};

/// A place whose settings hold these lines.
fn with_settings(settings: &str, replies: Vec<Reply>) -> TestHome {
    let place = TestHome::new(replies);
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), settings).unwrap();
    place
}

/// An overload, a server's failure and a lost connection are retried alike, five times by default.
#[test]
fn print_mode_retries_any_transient_error_five_times() {
    let overloaded = || wire::error_reply(529, "overloaded_error", "Overloaded");
    let failed = || wire::error_reply(500, "api_error", "Internal server error");
    let lost = || Reply::Stream(vec![Piece::Cut]);
    let replies = vec![overloaded(), failed(), lost(), overloaded(), failed(), wire::text_reply("here")];
    let place = with_settings("retry-wait-max = 0\n", replies);
    let (code, out, err) = place.run(&["-p", "hi"]);
    assert_eq!((code, out.as_str(), place.server.requests().len()), (0, "here\n", 6), "{err}");
    assert_eq!(err.matches(" of 5 in ").count(), 5, "{err}");
}

#[test]
fn print_mode_retries_setting_limits_requests() {
    let overloaded = || wire::error_reply(529, "overloaded_error", "Overloaded");
    let settings = "retries = 1\nretry-wait-max = 0\n";
    let place = with_settings(settings, vec![overloaded(), overloaded(), wire::text_reply("never")]);
    let (code, out, err) = place.run(&["-p", "hi"]);
    assert_eq!((code, out.as_str(), place.server.requests().len()), (1, "", 2), "{err}");
    assert!(err.contains("try 1 of 1"), "{err}");
}

/// A provider that asks for more time than the setting allows ends the run at once.
#[test]
fn print_mode_retry_after_above_maximum_exits_1() {
    let later = Reply::Status { code: 429, headers: vec![("retry-after", "2".into())], body: String::new() };
    let place = with_settings("retry-wait-max = 1\n", vec![later, wire::text_reply("never")]);
    let (code, _, err) = place.run(&["-p", "hi"]);
    assert_eq!((code, place.server.requests().len()), (1, 1), "{err}");
    assert!(err.contains("asks to wait 2 s, more than retry-wait-max allows"), "{err}");
}

/// Reset, clean end and an overload in the middle of text, thinking or arguments: asked again, and nothing of the
/// broken answer is printed, run or sent back.
#[test]
fn print_mode_retries_broken_reply_without_its_output() {
    let started = |id: &str| wire::tool_call(0, id, "write", &json!({"path": "made.txt", "content": "x"}));
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let cut_inside = vec![Piece::Raw(b"event: content_block_delta\ndata: {\"type\":\"content_bl".to_vec())];
    let cases: Vec<Vec<Piece>> = vec![
        [wire::open(), wire::text(0, &["Half"]), vec![Piece::Cut]].concat(),
        [wire::open(), wire::text(0, &["Half"])].concat(),
        [wire::open(), wire::text(0, &["Half"]), cut_inside].concat(),
        [wire::open(), started("toolu_1"), vec![Piece::Cut]].concat(),
        [wire::open(), wire::text(0, &["Half"]), vec![Piece::Event(overloaded)]].concat(),
    ];
    for broken in cases {
        let place = TestHome::new(vec![Reply::Stream(broken), wire::text_reply("Whole.")]);
        let (code, stdout, stderr) = place.run(&["-p", "--approval", "full", "go"]);
        assert_eq!((code, stdout.as_str()), (0, "Whole.\n"), "{stderr}");
        assert!(!place.work().join("made.txt").exists(), "a call of a broken answer ran");
        let request = place.server.requests()[1].body.clone();
        assert_eq!(request["messages"].as_array().unwrap().len(), 1, "{request}");
        let entries = place.entries();
        let replaced: Vec<_> = entries.iter().filter(|entry| entry["message"]["replaced"] == true).collect();
        assert_eq!(replaced.len(), 1, "{entries:?}");
    }
}
