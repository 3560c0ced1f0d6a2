//! Tools that take free text on servers that know functions only.

use serde_json::json;

use crate::conformance::to_pieces;
use crate::print::TestHome;
use crate::support::server::Reply;
use crate::support::wires::{Answer, AnswerPart, WIRES};

const PATCH: &str = "*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch";

/// gpt-5 behind another server: the patch is the arguments themselves.
#[test]
fn apply_patch_raw_text_as_function_arguments_is_applied() {
    for api in ["openai-completions", "openai-responses", "mistral-conversations"] {
        let wire = WIRES.iter().find(|wire| wire.api() == api).unwrap();
        let call = AnswerPart::Call { id: "call_a1b2", name: "apply_patch", args: vec![PATCH.to_string()] };
        let answers = [Answer::new(vec![call]), Answer::new(vec![AnswerPart::Text(&["Done."])])];
        let place = TestHome::new(
            answers.map(|answer| Reply::Stream(to_pieces(wire.encode_events(&answer)))).to_vec(),
        );
        let config = place.dir.path().join("home/config");
        std::fs::create_dir_all(&config).unwrap();
        let row =
            json!({"baseUrl": place.server.url, "apiKey": "secret", "api": api, "models": [{"id": "gpt-5"}]});
        std::fs::write(config.join("models.json"), json!({"providers": {"acme": row}}).to_string()).unwrap();
        let flags = [
            "-p",
            "go",
            "--provider",
            "acme",
            "--model",
            "gpt-5",
            "--profile",
            "openai",
            "--approval",
            "full",
        ];
        let (code, out, err) = place.run(&flags);
        assert_eq!((code, out.as_str()), (0, "Done.\n"), "{api}: {err}");
        assert_eq!(std::fs::read_to_string(place.work().join("made.txt")).unwrap(), "one\n", "{api}");
        let sent = place.server.requests()[1].text.clone();
        assert!(sent.contains("*** Add File: made.txt"), "{api}: the call goes back: {sent}");
    }
}
