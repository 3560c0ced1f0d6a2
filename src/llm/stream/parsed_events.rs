//! Test support for stream readers: the events for given input. Must not know any dialect.

use serde_json::Value;

use crate::llm::model::{AssistantMessage, StreamEvent};
use crate::llm::stream::answer::Reader;
use crate::net::sse::Event;

/// Returns the events of a reader for this data; strings are sent verbatim, other values as JSON.
pub(in crate::llm) fn heard(reader: impl Reader, data: &[Value]) -> Vec<StreamEvent> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
    heard_events(reader, data.iter().map(|value| Event { name: String::new(), data: text(value) }))
}

/// The same for named events.
pub(in crate::llm) fn heard_events(
    mut reader: impl Reader,
    events: impl IntoIterator<Item = Event>,
) -> Vec<StreamEvent> {
    let mut out = Vec::new();
    for event in events {
        reader.take(&event, &mut out);
    }
    if !reader.ended() {
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
