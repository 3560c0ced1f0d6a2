//! Where providers are asked: the variables that name another root, and the program without a network.

use crate::conformance::to_pieces;
use crate::print::TestHome;
use crate::support::server::Reply;
use crate::support::wires::{Answer, AnswerPart, WIRES};

/// `<NAME>_BASE_URL` of providers whose rows name no variable.
#[test]
fn base_url_variable_overrides_every_provider() {
    for (api, model, var) in [
        ("google-generative-ai", "google/gemini-4-argon", "GEMINI_BASE_URL"),
        ("mistral-conversations", "mistral/devstral-medium-latest", "MISTRAL_BASE_URL"),
        ("openai-completions", "deepseek/deepseek-v4-pro", "DEEPSEEK_BASE_URL"),
        ("openai-completions", "openrouter/moonshotai/kimi-k2.7-code", "OPENROUTER_BASE_URL"),
        ("openai-responses", "xai/grok-4.7", "XAI_BASE_URL"),
    ] {
        let wire = WIRES.iter().find(|wire| wire.api() == api).unwrap();
        let answer = Answer::new(vec![AnswerPart::Text(&["Here."])]);
        let place = TestHome::new(vec![Reply::Stream(to_pieces(wire.encode_events(&answer)))]);
        let mut command = place.command(&["-p", "hi", "--model", model]);
        let done = command.env(var, &place.server.url).output().unwrap();
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.status.code(), &*done.stdout), (Some(0), &b"Here.\n"[..]), "{var}: {err}");
        assert_eq!(place.server.requests().len(), 1, "{var}: {err}");
    }
}

#[test]
fn offline_with_api_key_reports_offline() {
    for (args, code, words) in [
        (&["-p", "hi", "--model", "anthropic/claude-opus-5-5"][..], 1, "cannot be asked: bowline is offline"),
        (
            &["--mode", "json", "hi", "--model", "anthropic/claude-opus-5-5"],
            1,
            "cannot be asked: bowline is offline",
        ),
        (&["-p", "hi"], 0, "bowline is offline, so this is the demo guide"),
        (&["--mode", "json", "hi"], 0, "bowline is offline, so this is the demo guide"),
    ] {
        let place = TestHome::new(Vec::new());
        let mut command = place.command(args);
        command.env_remove("ANTHROPIC_BASE_URL").env("ANTHROPIC_API_KEY", "k").env("BOWLINE_OFFLINE", "1");
        let done = command.output().unwrap();
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(code), "{args:?}: {err}");
        assert!(
            err.contains(words) && !err.contains("no key") && !err.contains("ANTHROPIC_API_KEY"),
            "{args:?}: {err}"
        );
    }
}
