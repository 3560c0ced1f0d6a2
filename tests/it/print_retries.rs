//! `bowline -p` against servers that break off in the middle of an answer: what is asked again, and what is printed.

use serde_json::json;

use crate::print::Place;
use crate::support::anthropic as wire;
use crate::support::server::{Piece, Reply};

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
