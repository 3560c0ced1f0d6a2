//! Normalizes a history for sending: calls and results paired, ids valid and unique, foreign thinking and
//! empty parts removed. Pure; must not know any wire format.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{
    AssistantMessage, KnownPart, Message, Model, Part, StopReason, ToolCall, ToolResultMessage,
};
use crate::llm::request::image_limits;
use crate::llm::request::media::SupportedMedia;

/// Result of a call that never got one.
pub const NO_RESULT: &str = "No result: the call was interrupted before it ended.";
/// Placeholder for an image that the model cannot read.
pub const NO_VISION: &str = "(an image was left out: this model reads text only)";
/// Placeholder for an image beyond the model's limit.
pub const TOO_MANY_IMAGES: &str = "(an image was left out: there are more than this model takes)";
/// Placeholder for a document that the wire format does not support.
pub const NO_DOCUMENT: &str = "(a document was left out: it cannot be sent to this model)";
/// Placeholder for audio that the wire format does not support.
pub const NO_SOUND: &str = "(a sound was left out: it cannot be sent to this model)";
/// Placeholder for an empty result.
pub const NO_OUTPUT: &str = "(no output)";

/// Maximum length of a tool name, in bytes.
const NAME_MAX: usize = 64;

/// A normalized message.
#[derive(Debug, PartialEq)]
pub enum Turn<'a> {
    /// A user message; never empty.
    User(Vec<ContentPart<'a>>),
    /// An answer with the results of its calls; has text or calls.
    Answer {
        /// Whether the same model made it: then its signatures may be sent back.
        own: bool,
        /// The parts in order.
        said: Vec<AnswerPart<'a>>,
        /// The results, in the order of the calls.
        results: Vec<CallResult<'a>>,
    },
}

/// A part of a user message or result.
#[derive(Debug, PartialEq)]
pub enum ContentPart<'a> {
    /// Text, not blank.
    Text(&'a str),
    /// An image; only for models that support them.
    Image {
        /// Base64.
        data: &'a str,
        /// Such as `image/png`.
        mime_type: &'a str,
    },
    /// Only from a user, and where the wire takes its type.
    Document {
        /// Base64.
        data: &'a str,
        /// Such as `application/pdf`.
        mime_type: &'a str,
        /// Its name, if it has one.
        name: Option<&'a str>,
    },
    /// Only from a user, and where the wire takes its type.
    Sound {
        /// Base64.
        data: &'a str,
        /// Such as `audio/wav`.
        mime_type: &'a str,
    },
}

impl<'a> ContentPart<'a> {
    /// Returns the text of a text part.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image { .. } | Self::Document { .. } | Self::Sound { .. } => None,
        }
    }
}

/// A part of an answer.
#[derive(Debug, PartialEq)]
pub enum AnswerPart<'a> {
    /// Text; blank only if it has a signature.
    Text {
        /// The text, or thinking of another model.
        text: &'a str,
        /// The signature to send back, for the model's own text.
        signature: Option<&'a str>,
    },
    /// Thinking of the same model.
    Thinking {
        /// The text; empty when redacted.
        text: &'a str,
        /// The original signature.
        signature: Option<&'a str>,
        /// Whether the signature is the only content.
        redacted: bool,
    },
    /// A tool call.
    Call {
        /// The id as it is sent.
        id: String,
        /// The original call.
        call: &'a ToolCall,
    },
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub struct CallResult<'a> {
    /// The call's id as it is sent.
    pub id: String,
    /// The tool's name, for wire formats that match by name.
    pub name: &'a str,
    /// The content; never empty.
    pub content: Vec<ContentPart<'a>>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// Returns the turns of a history for a model; call ids are at most `id_max` bytes (16 or more) of
/// `[a-zA-Z0-9_-]`. Documents and audio of unsupported types are replaced by a description.
pub fn turns<'a>(
    history: &'a [Message],
    model: &Model,
    id_max: usize,
    takes: &SupportedMedia,
) -> Vec<Turn<'a>> {
    let mut ids = Ids { taken: HashSet::new(), repeated: HashMap::new(), max: id_max.max(16) };
    let mut out = Vec::new();
    for (at, message) in history.iter().enumerate() {
        match message {
            Message::User(user) => {
                let shown = content_parts(&user.content, model, takes);
                out.extend((!shown.is_empty()).then_some(Turn::User(shown)));
            }
            Message::Assistant(answer) => out.extend(turn(answer, &history[at + 1..], model, &mut ids)),
            // Results were attached to their calls; one without a call is dropped.
            Message::ToolResult(_) => {}
        }
    }
    replace_excess_images(&mut out, model);
    out
}

/// Replaces images beyond the model's limits with placeholders.
fn replace_excess_images(turns: &mut [Turn], model: &Model) {
    if model.input_limits.is_none() {
        return;
    }
    let mut slots: Vec<Vec<&mut ContentPart>> = turns.iter_mut().map(images).collect();
    let size = |slot: &&mut ContentPart| {
        if let ContentPart::Image { data, .. } = slot { data.len() as u64 } else { 0 }
    };
    let sizes: Vec<Vec<u64>> = slots.iter().map(|slots| slots.iter().map(size).collect()).collect();
    let gone = image_limits::excluded_images(&sizes, model).into_iter().flatten();
    for (slot, _) in slots.iter_mut().flatten().zip(gone).filter(|(_, gone)| *gone) {
        **slot = ContentPart::Text(TOO_MANY_IMAGES);
    }
}

/// Returns the images of a turn, in the order in which they are sent.
fn images<'t, 'a>(turn: &'t mut Turn<'a>) -> Vec<&'t mut ContentPart<'a>> {
    let is_image = |shown: &&mut ContentPart| matches!(shown, ContentPart::Image { .. });
    match turn {
        Turn::User(parts) => parts.iter_mut().filter(is_image).collect(),
        Turn::Answer { results, .. } => {
            results.iter_mut().flat_map(|outcome| &mut outcome.content).filter(is_image).collect()
        }
    }
}

/// Returns a call's arguments as an object, even if the model wrote invalid JSON.
pub fn arguments(call: &ToolCall) -> Cow<'_, Value> {
    if call.arguments.is_object() {
        Cow::Borrowed(&call.arguments)
    } else {
        Cow::Owned(json!({"unparsed": call.arguments}))
    }
}

/// Returns a tool name in a form that every wire format accepts: `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. Models call
/// tools that do not exist, with names that providers would reject in every following request.
pub fn name(name: &str) -> Cow<'_, str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins && name.len() <= NAME_MAX && name.chars().all(legal) {
        return Cow::Borrowed(name);
    }
    let before = if begins { "" } else { "_" };
    let fitting = name.chars().map(|c| if legal(c) { c } else { '_' });
    Cow::Owned(before.chars().chain(fitting).take(NAME_MAX).collect())
}

fn turn<'a>(
    answer: &'a AssistantMessage,
    rest: &'a [Message],
    model: &Model,
    ids: &mut Ids,
) -> Option<Turn<'a>> {
    let own = answer.model == model.id && answer.provider == model.provider && answer.api == model.api;
    // Signatures of a partial answer may be truncated, which providers reject.
    let whole = !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    let mut said = Vec::new();
    let mut calls = Vec::new();
    for part in &answer.content {
        let Part::Known(part) = part else { continue };
        match part {
            KnownPart::Text { text, text_signature } => {
                let signature = text_signature.as_deref().filter(|_| own && whole);
                // A signature must be sent back even if the text is empty.
                if signature.is_some() || !text.trim().is_empty() {
                    said.push(AnswerPart::Text { text, signature });
                }
            }
            KnownPart::Thinking { thinking, thinking_signature, redacted } if own && whole => {
                let signature = thinking_signature.as_deref();
                said.push(AnswerPart::Thinking { text: thinking, signature, redacted: *redacted });
            }
            // Thinking of another model is sent as text; its signature would be rejected.
            KnownPart::Thinking { thinking, redacted: false, .. }
                if !own && whole && !thinking.trim().is_empty() =>
            {
                said.push(AnswerPart::Text { text: thinking, signature: None });
            }
            KnownPart::ToolCall(call) => {
                // Some wire formats join the ids of a call and its item; results refer to the part before the
                // bar.
                let id = ids.encode(call.id.split('|').next().unwrap_or_default());
                calls.push((call, id.clone()));
                said.push(AnswerPart::Call { id, call });
            }
            _ => {}
        }
    }
    // A partial answer with only thinking is rejected.
    if said.iter().all(|part| matches!(part, AnswerPart::Thinking { .. })) {
        return None;
    }
    Some(Turn::Answer { own, said, results: results(calls, rest, model) })
}

/// Returns the results of an answer's calls in their order, searched up to the next answer.
fn results<'a>(
    calls: Vec<(&'a ToolCall, String)>,
    rest: &'a [Message],
    model: &Model,
) -> Vec<CallResult<'a>> {
    let until = rest.iter().position(|m| matches!(m, Message::Assistant(_))).unwrap_or(rest.len());
    let mut found: HashMap<&str, Vec<&ToolResultMessage>> = HashMap::new();
    for message in rest[..until].iter().rev() {
        if let Message::ToolResult(result) = message {
            found.entry(&result.tool_call_id).or_default().push(result);
        }
    }
    let outcomes = calls.into_iter().map(|(call, id)| {
        let name = call.name.as_str();
        let Some(result) = found.get_mut(call.id.as_str()).and_then(Vec::pop) else {
            return CallResult { id, name, content: vec![ContentPart::Text(NO_RESULT)], is_error: true };
        };
        let mut shown = content_parts(&result.content, model, &SupportedMedia::NONE);
        if shown.is_empty() {
            shown.push(ContentPart::Text(NO_OUTPUT));
        }
        CallResult { id, name, content: shown, is_error: result.is_error }
    });
    outcomes.collect()
}

fn content_parts<'a>(parts: &'a [Part], model: &Model, takes: &SupportedMedia) -> Vec<ContentPart<'a>> {
    let shown = parts.iter().filter_map(|part| match part {
        Part::Known(KnownPart::Text { text, .. }) => {
            (!text.trim().is_empty()).then_some(ContentPart::Text(text))
        }
        Part::Known(KnownPart::Image { data, mime_type }) if model.supports_images() => {
            Some(ContentPart::Image { data, mime_type })
        }
        Part::Known(KnownPart::Image { .. }) => Some(ContentPart::Text(NO_VISION)),
        Part::Known(KnownPart::Document { data, mime_type, name }) => Some(if takes.document(mime_type) {
            ContentPart::Document { data, mime_type, name: name.as_deref() }
        } else {
            ContentPart::Text(NO_DOCUMENT)
        }),
        Part::Known(KnownPart::Audio { data, mime_type }) => {
            let fits = takes.sound(mime_type);
            Some(if fits { ContentPart::Sound { data, mime_type } } else { ContentPart::Text(NO_SOUND) })
        }
        _ => None,
    });
    shown.collect()
}

/// The call ids in use, as they are sent.
struct Ids {
    taken: HashSet<String>,
    /// How often an id was repeated: some servers give every call the same one.
    repeated: HashMap<String, u32>,
    max: usize,
}

impl Ids {
    /// Returns a valid id that no earlier call has.
    fn encode(&mut self, id: &str) -> String {
        let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let base: String = id.chars().map(legal).take(self.max).collect();
        let base = if base.is_empty() { "call".to_string() } else { base };
        if self.taken.insert(base.clone()) {
            return base;
        }
        let short = &base[..base.len().min(self.max - 8)];
        let n = self.repeated.entry(short.to_string()).or_insert(1);
        loop {
            *n += 1;
            let name = format!("{short}_{n}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{ImageLimits, InputLimits, UserMessage};
    use crate::llm::stream::accumulate::Accumulator;

    fn answer(ids: &[&str]) -> Message {
        let mut message = Accumulator::new(&Model::unknown("p", "m", "a", ""), 0).finish();
        let call = |id: &&str| {
            let (id, arguments) = ((*id).to_string(), json!("{\"broken"));
            Part::Known(KnownPart::ToolCall(ToolCall {
                id,
                name: "read".into(),
                arguments,
                thought_signature: None,
            }))
        };
        message.content = ids.iter().map(call).collect();
        Message::Assistant(message)
    }

    /// Ids in the order of the calls; results have the same ones.
    fn sent(history: &[Message], id_max: usize) -> Vec<String> {
        let model = Model::unknown("p", "m", "a", "");
        let mut sent = Vec::new();
        for turn in turns(history, &model, id_max, &SupportedMedia::NONE) {
            let Turn::Answer { said, results, .. } = turn else { panic!("{turn:?}") };
            let calls = said.iter().map(|part| match part {
                AnswerPart::Call { id, .. } => id.clone(),
                other => panic!("{other:?}"),
            });
            let calls: Vec<_> = calls.collect();
            assert!(results.iter().map(|outcome| &outcome.id).eq(&calls));
            assert!(results.iter().all(|o| o.is_error && o.content == [ContentPart::Text(NO_RESULT)]));
            sent.extend(calls);
        }
        sent
    }

    #[test]
    fn history_call_ids_are_truncated_and_unique() {
        let long = "x".repeat(50);
        let history = [answer(&[&long, &long, "toolu_01", ""]), answer(&["toolu_01"])];
        let cut = format!("{}_2", "x".repeat(32));
        assert_eq!(sent(&history, 40), [&"x".repeat(40), &cut, "toolu_01", "call", "toolu_01_2"]);
        assert_eq!(sent(&history[..1], 64)[0], long);
    }

    #[test]
    fn history_many_equal_call_ids_are_fast() {
        let history = [answer(&vec!["call"; 100_000])];
        let all = sent(&history, 64);
        assert_eq!(
            (all[0].as_str(), all[1].as_str(), all[99_999].as_str()),
            ("call", "call_2", "call_100000")
        );
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 100_000);
    }

    #[test]
    fn history_tool_names_are_made_legal() {
        let long = "x".repeat(70);
        for (given, sent) in [
            ("read", "read"),
            ("mcp__a-b", "mcp__a-b"),
            ("multi_tool_use.parallel", "multi_tool_use_parallel"),
            ("", "_"),
            ("3d", "_3d"),
            ("é x", "___x"),
            (long.as_str(), &long[..64]),
        ] {
            assert_eq!(name(given), sent, "{given}");
        }
    }

    #[test]
    fn history_images_beyond_limit_become_text() {
        let image = || Part::Known(KnownPart::Image { data: "AAAA".into(), mime_type: "image/png".into() });
        let user = |content| Message::User(UserMessage { content, ..UserMessage::text("", 0) });
        let result = ToolResultMessage {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            content: vec![Part::text("seen"), image()],
            details: None,
            is_error: false,
            timestamp: 0,
            extra: serde_json::Map::new(),
        };
        let history = [user(vec![image()]), answer(&["c"]), Message::ToolResult(result), user(vec![image()])];
        let images = ImageLimits { max_per_request: Some(2), ..ImageLimits::default() };
        let limits = InputLimits { images: Some(images), ..InputLimits::default() };
        let model = Model { input_limits: Some(limits), ..Model::unknown("p", "m", "a", "") };
        let mut turns = turns(&history, &model, 64, &SupportedMedia::NONE);
        assert_eq!(turns[0], Turn::User(vec![ContentPart::Text(TOO_MANY_IMAGES)]));
        assert_eq!(turns.iter_mut().map(|turn| super::images(turn).len()).collect::<Vec<_>>(), [0, 1, 1]);
    }

    #[test]
    fn history_empty_text_is_sent_only_with_signature() {
        let mut message = Accumulator::new(&Model::unknown("p", "m", "a", ""), 0).finish();
        let text = |signature: Option<&str>| {
            let text_signature = signature.map(str::to_string);
            Part::Known(KnownPart::Text { text: String::new(), text_signature })
        };
        message.content = vec![text(None), text(Some("sig"))];
        let history = [Message::Assistant(message)];
        let said = |model: &str| match turns(
            &history,
            &Model::unknown("p", model, "a", ""),
            64,
            &SupportedMedia::NONE,
        )
        .pop()
        {
            Some(Turn::Answer { said, .. }) => format!("{said:?}"),
            _ => String::new(),
        };
        assert_eq!(said("m"), r#"[Text { text: "", signature: Some("sig") }]"#);
        assert_eq!(said("other"), "");
    }

    #[test]
    fn history_broken_arguments_become_object() {
        let broken = ToolCall {
            id: String::new(),
            name: String::new(),
            arguments: json!("{\"a"),
            thought_signature: None,
        };
        assert_eq!(*arguments(&broken), json!({"unparsed": "{\"a"}));
    }
}
