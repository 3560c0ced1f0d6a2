//! `bowline -p` against servers that fail, break off and are overloaded: what is asked again, and what is printed.

use serde_json::json;

use crate::print::Place;
use crate::support::anthropic as wire;
use crate::support::server::{Piece, Reply};

#[test]
fn print_retries_setting_bounds_the_calls() {
    let overloaded = || wire::status(529, "overloaded_error", "Overloaded");
    let place = Place::new(vec![overloaded(), overloaded(), wire::says("never")]);
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), "retries = 1\nretry-wait-max = 1\n").unwrap();
    let (code, out, err) = place.run(&["-p", "hi"]);
    assert_eq!((code, out.as_str(), place.server.seen().len()), (1, "", 2), "{err}");
    assert!(err.contains("try 1 of 1"), "{err}");
    // A provider that asks for more time than the setting allows ends the run at once.
    let later = Reply::Status { code: 429, headers: vec![("retry-after", "2".into())], body: String::new() };
    let place = Place::new(vec![later, wire::says("never")]);
    let config = place.dir.path().join("home/config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), "retry-wait-max = 1\n").unwrap();
    assert_eq!((place.run(&["-p", "hi"]).0, place.server.seen().len()), (1, 1));
}

/// Reset, clean end and an overload in the middle of text, thinking or arguments: asked again, and nothing of the
/// broken answer is printed, run or sent back.
#[test]
fn print_broken_answer_is_asked_again() {
    let started = |id: &str| wire::call(0, id, "write", &json!({"path": "made.txt", "content": "x"}));
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
        let place = Place::new(vec![Reply::Stream(broken), wire::says("Whole.")]);
        let (code, stdout, stderr) = place.run(&["-p", "--approval", "full", "go"]);
        assert_eq!((code, stdout.as_str()), (0, "Whole.\n"), "{stderr}");
        assert!(!place.work().join("made.txt").exists(), "a call of a broken answer ran");
        let request = place.server.seen()[1].body.clone();
        assert_eq!(request["messages"].as_array().unwrap().len(), 1, "{request}");
        let entries = place.entries();
        let replaced: Vec<_> = entries.iter().filter(|entry| entry["message"]["replaced"] == true).collect();
        assert_eq!(replaced.len(), 1, "{entries:?}");
    }
}
