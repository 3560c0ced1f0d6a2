//! Test support for stream readers: the events for given input. Must not know any dialect.

use serde_json::Value;

use crate::llm::model::{AssistantMessage, StreamEvent};
use crate::llm::stream::answer::StreamReader;
use crate::net::sse::Event;

/// Returns the events of a reader for this data; strings are sent verbatim, other values as JSON.
pub(in crate::llm) fn parse_events(reader: impl StreamReader, data: &[Value]) -> Vec<StreamEvent> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
    parse_named_events(reader, data.iter().map(|value| Event { name: String::new(), data: text(value) }))
}

/// The same for named events.
pub(in crate::llm) fn parse_named_events(
    mut reader: impl StreamReader,
    events: impl IntoIterator<Item = Event>,
) -> Vec<StreamEvent> {
    let mut out = Vec::new();
    for event in events {
        reader.read_event(&event, &mut out);
    }
    if !reader.has_ended() {
        reader.end(&mut out);
    }
    out
}

/// Returns the message of the final event.
pub(in crate::llm) fn last(events: &[StreamEvent]) -> AssistantMessage {
    match events.last() {
        Some(StreamEvent::Done { message } | StreamEvent::Error { message, .. }) => (**message).clone(),
        other => panic!("{other:?}"),
    }
}
