//! Conversations over every dialect: carried from any to any other in the middle of their tools, and
//! growing only at their end, so that a provider's cache holds.

use bowline::llm::model::{Message, Part, Request};
use futures::StreamExt;
use serde_json::Value;

use crate::conformance::{
    adapter, collect_events, expect_done, image_part, request, request_body, rich_answer, to_pieces,
    tool_result, user,
};
use crate::support::server::{Reply, Server};
use crate::support::wires::{Feature, WIRES};

/// Every conversation goes on with every other dialect, in the middle of its tools, and back.
#[tokio::test]
async fn history_translates_between_all_dialects() {
    for from in WIRES {
        let answer =
            expect_done(*from, &collect_events(*from, to_pieces(from.encode_events(&rich_answer()))).await);
        let ids: Vec<_> = answer.tool_calls().map(|call| call.id.clone()).collect();
        for to in WIRES {
            let messages = vec![
                user("hi"),
                Message::Assistant(answer.clone()),
                tool_result(&ids[0], vec![Part::text("one")]),
                // The second was never run: the user interrupted.
                user("go on"),
            ];
            let going = Request { messages, ..request(*to) };
            let body = request_body(*to, going.clone()).await;
            let facts = to.parse_request(&body);
            let names = format!("{} to {}", from.api(), to.api());
            assert_eq!(facts.calls.len(), 2, "{names}: {body}");
            assert_eq!(facts.calls, facts.results, "{names}: {body}");
            let legal = |id: &String| {
                let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                id.len() <= 64 && id.chars().all(legal)
            };
            assert!(facts.calls.iter().all(legal), "{names}: {:?}", facts.calls);
            let signed = body.to_string().contains("c2lnbmF0dXJl");
            assert_eq!(
                signed,
                from.api() == to.api() && from.supports(Feature::Signatures),
                "{names}: {body}"
            );
            let kept = from.api() != to.api() || from.supports(Feature::Signatures);
            assert!(!kept || body.to_string().contains("let me s"), "{names}: what was thought is known");

            // And back, with what the other said.
            let reply = to.encode_events(&rich_answer());
            let server = Server::start(vec![Reply::Stream(to_pieces(reply))]);
            let events: Vec<_> = adapter(*to, &server.url).stream(going.clone()).collect().await;
            let mut messages = going.messages;
            messages.push(Message::Assistant(expect_done(*to, &events)));
            let facts =
                from.parse_request(&request_body(*from, Request { messages, ..request(*from) }).await);
            assert_eq!((facts.calls.len(), &facts.calls), (4, &facts.results), "{names} and back");
        }
    }
}

/// What was sent is the beginning of what is sent next: the provider's cache holds.
#[tokio::test]
async fn request_prefix_is_stable_across_turns() {
    for wire in WIRES {
        let answer =
            expect_done(*wire, &collect_events(*wire, to_pieces(wire.encode_events(&rich_answer()))).await);
        let ids: Vec<_> = answer.tool_calls().map(|call| call.id.clone()).collect();
        let turns = [
            vec![user("hi")],
            vec![
                Message::Assistant(answer),
                tool_result(&ids[0], vec![Part::text("one")]),
                tool_result(&ids[1], vec![image_part()]),
            ],
            vec![user("and now?")],
        ];
        let mut messages = Vec::new();
        let mut before: Option<Value> = None;
        for turn in turns {
            messages.extend(turn);
            let body = request_body(*wire, Request { messages: messages.clone(), ..request(*wire) }).await;
            if let Some(before) = &before {
                let (old, new) = (wire.parse_request(before), wire.parse_request(&body));
                assert_eq!((&old.system, &old.tools), (&new.system, &new.tools), "{}", wire.api());
                let (old, new) = (old.messages, new.messages);
                let prefix = old.len() - 1;
                assert_eq!(old[..prefix], new[..prefix], "{}", wire.api());
                // The last message may have grown at its end, where roles are merged.
                let (grown, last) = (new[prefix].to_string(), old[prefix].to_string());
                let common = grown.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
                assert!(common + 4 >= last.len(), "{}: {last} became {grown}", wire.api());
            }
            before = Some(body);
        }
    }
}
