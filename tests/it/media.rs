//! Documents and sounds over every wire: sent as each wants them, refused before anything is asked
//! where a wire has no place for them, named in what was said before. And files that become parts.

use bowline::llm::model::{ErrorKind, KnownPart, Message, Part, Request, StreamEvent, UserMessage};
use bowline::llm::request::attach::{AttachContext, attach};
use bowline::llm::request::history;
use bowline::llm::request::media::{Kind, part};
use bowline::net::http::Http;
use futures::StreamExt;
use serde_json::{Value, json};

use crate::conformance::{adapter, collect_events, expect_done, request, request_body, to_pieces, user};
use crate::support::server::{Piece, Reply, Server};
use crate::support::wires::{Answer, AnswerPart, WIRES, Wire};

const PDF: &str = "JVBERi0xLjc=";
const WAV: &str = "UklGRiQAAABXQVZF";

fn pdf() -> Part {
    part(Kind::Document("application/pdf"), PDF.into(), Some("a report.pdf".into()))
}

fn wav() -> Part {
    part(Kind::Sound("audio/wav"), WAV.into(), None)
}

fn user_message(parts: Vec<Part>) -> Message {
    let mut message = UserMessage::text("see", 0);
    message.content.extend(parts);
    Message::User(message)
}

/// How a wire writes a document and a sound; `None` where it has no place for it.
fn expected_parts(api: &str) -> (Value, Option<Value>) {
    let url = format!("data:application/pdf;base64,{PDF}");
    let input = json!({"data": WAV, "format": "wav"});
    match api {
        "anthropic-messages" => {
            let source = json!({"type": "base64", "media_type": "application/pdf", "data": PDF});
            (json!({"type": "document", "source": source, "title": "a report.pdf"}), None)
        }
        "openai-responses" | "azure-openai-responses" | "openai-codex-responses" => {
            (json!({"type": "input_file", "filename": "a report.pdf", "file_data": url}), None)
        }
        "openai-completions" => (
            json!({"type": "file", "file": {"filename": "a report.pdf", "file_data": url}}),
            Some(json!({"type": "input_audio", "input_audio": input})),
        ),
        "mistral-conversations" => (
            json!({"type": "document_url", "document_url": url, "document_name": "a report.pdf"}),
            Some(json!({"type": "input_audio", "input_audio": WAV})),
        ),
        "bedrock-converse-stream" => (
            json!({"document": {"format": "pdf", "name": "a report", "source": {"bytes": PDF}}}),
            Some(json!({"audio": {"format": "wav", "source": {"bytes": WAV}}})),
        ),
        "google-generative-ai" | "google-vertex" => (
            json!({"inlineData": {"mimeType": "application/pdf", "data": PDF}}),
            Some(json!({"inlineData": {"mimeType": "audio/wav", "data": WAV}})),
        ),
        other => panic!("{other} has no line here"),
    }
}

/// Whether a value is somewhere within another, marks for caches left aside.
fn contains_value(all: &Value, wanted: &Value) -> bool {
    let mut bare = all.clone();
    if let Some(map) = bare.as_object_mut() {
        map.remove("cache_control");
    }
    let inner = |value: &Value| contains_value(value, wanted);
    bare == *wanted
        || match all {
            Value::Array(items) => items.iter().any(inner),
            Value::Object(map) => map.values().any(inner),
            _ => false,
        }
}

async fn assert_refused(wire: &dyn Wire, parts: Vec<Part>) {
    let server = Server::start(Vec::new());
    let wish = Request { messages: vec![user("before"), user_message(parts)], ..request(wire) };
    let events: Vec<_> = adapter(wire, &server.url).stream(wish).collect().await;
    let [StreamEvent::Error { error, .. }] = &events[..] else { panic!("{}: {events:?}", wire.api()) };
    assert_eq!((error.kind, error.retryable()), (ErrorKind::Media, false), "{}", wire.api());
    assert!(error.message.contains("takes no"), "{}: {error}", wire.api());
    assert!(server.requests().is_empty(), "{}: nothing is asked", wire.api());
}

#[tokio::test]
async fn media_unsupported_type_is_rejected_before_request() {
    for wire in WIRES {
        let (document, sound) = expected_parts(wire.api());
        let mut taken = vec![pdf()];
        if sound.is_some() {
            taken.push(wav());
        } else {
            assert_refused(*wire, vec![wav()]).await;
        }
        assert_refused(*wire, vec![part(Kind::Document("application/msword"), PDF.into(), None)]).await;
        let body =
            request_body(*wire, Request { messages: vec![user_message(taken)], ..request(*wire) }).await;
        for wanted in std::iter::once(document).chain(sound) {
            assert!(contains_value(&body, &wanted), "{}: {wanted} in {body}", wire.api());
        }
    }
}

#[tokio::test]
async fn media_in_history_unsupported_becomes_placeholder() {
    for wire in WIRES {
        let (_, sound) = expected_parts(wire.api());
        let answer = wire.encode_events(&Answer::new(vec![AnswerPart::Text(&["seen"])]));
        let answer = expect_done(*wire, &collect_events(*wire, to_pieces(answer)).await);
        let old = part(Kind::Document("application/msword"), "T0xE".into(), None);
        let messages = vec![user_message(vec![pdf(), wav(), old]), Message::Assistant(answer), user("go on")];
        let text = request_body(*wire, Request { messages, ..request(*wire) }).await.to_string();
        let name = wire.api();
        assert!(text.contains(PDF) && !text.contains("T0xE"), "{name}: {text}");
        assert_eq!(text.matches(history::NO_DOCUMENT).count(), 1, "{name}: {text}");
        assert_eq!(text.contains(WAV), sound.is_some(), "{name}: {text}");
        assert_eq!(text.contains(history::NO_SOUND), sound.is_none(), "{name}: {text}");
    }
}

#[tokio::test]
async fn bedrock_documents_get_text_and_unique_names() {
    let wire = WIRES.iter().find(|wire| wire.api() == "bedrock-converse-stream").unwrap();
    let mut alone = UserMessage::text("", 0);
    alone.content =
        vec![pdf(), pdf(), part(Kind::Document("application/pdf"), PDF.into(), Some("日本.pdf".into()))];
    let body = request_body(*wire, Request { messages: vec![Message::User(alone)], ..request(*wire) }).await;
    let content = body["messages"][0]["content"].as_array().unwrap();
    let names: Vec<_> = content.iter().filter_map(|block| block["document"]["name"].as_str()).collect();
    assert_eq!(names, ["a report", "a report 2", "document"]);
    assert!(content.iter().any(|block| block["text"] == "(see the document)"), "{body}");
}

#[tokio::test]
async fn attachment_url_is_fetched_and_sent() {
    let png = b"\x89PNG\r\n\x1a\nrest".to_vec();
    let missing = Reply::Status { code: 404, headers: Vec::new(), body: "no".into() };
    let server = Server::start(vec![Reply::Stream(vec![Piece::Raw(png)]), missing]);
    let http = Http::default();
    let means = AttachContext { http: &http, home: None };
    let url = format!("{}/charts/one.jpg?token=hidden", server.url);
    let image = attach(&url, &means).await.unwrap();
    let Part::Known(KnownPart::Image { data, mime_type }) = &image else { panic!("{image:?}") };
    assert_eq!((data.as_str(), mime_type.as_str()), ("iVBORw0KGgpyZXN0", "image/png"));
    let error = attach(&url, &means).await.unwrap_err().to_string();
    assert!(
        error.ends_with("/charts/one.jpg: its server answered 404") && !error.contains("hidden"),
        "{error}"
    );
    let offline = Http::new(bowline::net::http::Limits::default(), true);
    let error = attach("https://example.com/a.png", &AttachContext { http: &offline, home: None }).await;
    assert!(error.unwrap_err().to_string().contains("offline"));

    for wire in WIRES {
        let body = request_body(
            *wire,
            Request { messages: vec![user_message(vec![image.clone()])], ..request(*wire) },
        )
        .await;
        assert_eq!(wire.parse_request(&body).images, 1, "{}", wire.api());
        assert!(body.to_string().contains("iVBORw0KGgpyZXN0"), "{}", wire.api());
    }
}

#[tokio::test]
async fn attachment_path_is_read_and_sent() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("shot");
    std::fs::write(&path, b"GIF89a").unwrap();
    let http = Http::default();
    let image = attach("~/shot", &AttachContext { http: &http, home: Some(dir.path()) }).await.unwrap();
    assert_eq!(
        image,
        attach(path.to_str().unwrap(), &AttachContext { http: &http, home: None }).await.unwrap()
    );
    for wire in WIRES {
        let body = request_body(
            *wire,
            Request { messages: vec![user_message(vec![image.clone()])], ..request(*wire) },
        )
        .await;
        assert!(body.to_string().contains("R0lGODlh"), "{}: {body}", wire.api());
    }
}
