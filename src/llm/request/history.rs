//! A history as something that can be sent: calls and results paired, ids legal and unique,
//! foreign thinking and empty parts left out. Pure; must not know any wire format.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{
    AssistantMessage, KnownPart, Message, Model, Part, StopReason, ToolCall, ToolResultMessage,
};
use crate::llm::request::media::Takes;
use crate::llm::request::pictures;

/// What stands in for the result of a call that never got one.
pub const NO_RESULT: &str = "No result: the call was interrupted before it ended.";
/// What stands in for an image that the model cannot see.
pub const NO_VISION: &str = "(an image was left out: this model reads text only)";
/// What stands in for an image for which there is no room.
pub const TOO_MANY: &str = "(an image was left out: there are more than this model takes)";
/// What stands in for a document that the wire has no place for.
pub const NO_DOCUMENT: &str = "(a document was left out: it cannot be sent to this model)";
/// What stands in for a sound that the wire has no place for.
pub const NO_SOUND: &str = "(a sound was left out: it cannot be sent to this model)";
/// What stands in for a result without content.
pub const NO_OUTPUT: &str = "(no output)";

/// The longest name of a tool, in bytes.
const NAME_MAX: usize = 64;

/// One message, ready for a wire.
#[derive(Debug, PartialEq)]
pub enum Turn<'a> {
    /// From the user; never empty.
    User(Vec<Shown<'a>>),
    /// From the model, with the results of its calls; has text or calls.
    Answer {
        /// Whether the very model that is asked now made it: then what it signed may go back.
        own: bool,
        /// In order.
        said: Vec<Said<'a>>,
        /// One for each call, in the calls' order.
        results: Vec<Outcome<'a>>,
    },
}

/// A part of what a model is shown.
#[derive(Debug, PartialEq)]
pub enum Shown<'a> {
    /// Not blank.
    Text(&'a str),
    /// Only for models that see.
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
        /// What it is called, where it has a name.
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

impl<'a> Shown<'a> {
    /// The text of a text.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image { .. } | Self::Document { .. } | Self::Sound { .. } => None,
        }
    }
}

/// A part of an answer.
#[derive(Debug, PartialEq)]
pub enum Said<'a> {
    /// Blank only where it carries a signature.
    Text {
        /// The text; the thinking of another model, too.
        text: &'a str,
        /// What must go back with it, for the model's own.
        signature: Option<&'a str>,
    },
    /// By the very model that is asked now.
    Thinking {
        /// Empty when redacted.
        text: &'a str,
        /// As it came.
        signature: Option<&'a str>,
        /// Whether the signature is all there is.
        redacted: bool,
    },
    /// A tool call.
    Call {
        /// As it is sent.
        id: String,
        /// As it was made.
        call: &'a ToolCall,
    },
}

/// What a call gave.
#[derive(Debug, PartialEq)]
pub struct Outcome<'a> {
    /// The call's id as it is sent.
    pub id: String,
    /// The tool's name, for wires that pair by it.
    pub name: &'a str,
    /// Never empty.
    pub shown: Vec<Shown<'a>>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// The turns of a history for a model; call ids are at most `id_max` bytes of
/// `[a-zA-Z0-9_-]`, 16 at least. What the wire does not take of a user's documents and sounds is
/// named instead.
pub fn turns<'a>(history: &'a [Message], model: &Model, id_max: usize, takes: &Takes) -> Vec<Turn<'a>> {
    let mut ids = Ids { taken: HashSet::new(), repeated: HashMap::new(), max: id_max.max(16) };
    let mut out = Vec::new();
    for (at, message) in history.iter().enumerate() {
        match message {
            Message::User(user) => {
                let shown = shown(&user.content, model, takes);
                out.extend((!shown.is_empty()).then_some(Turn::User(shown)));
            }
            Message::Assistant(answer) => out.extend(turn(answer, &history[at + 1..], model, &mut ids)),
            // Results were placed behind their calls; one without a call has no place.
            Message::ToolResult(_) => {}
        }
    }
    fit(&mut out, model);
    out
}

/// Puts words in the place of the images that the model's limits leave no room for.
fn fit(turns: &mut [Turn], model: &Model) {
    if model.input_limits.is_none() {
        return;
    }
    let mut slots: Vec<Vec<&mut Shown>> = turns.iter_mut().map(images).collect();
    let size = |slot: &&mut Shown| if let Shown::Image { data, .. } = slot { data.len() as u64 } else { 0 };
    let sizes: Vec<Vec<u64>> = slots.iter().map(|slots| slots.iter().map(size).collect()).collect();
    let gone = pictures::left_out(&sizes, model).into_iter().flatten();
    for (slot, _) in slots.iter_mut().flatten().zip(gone).filter(|(_, gone)| *gone) {
        **slot = Shown::Text(TOO_MANY);
    }
}

/// The images of a turn, in the order in which they are sent.
fn images<'t, 'a>(turn: &'t mut Turn<'a>) -> Vec<&'t mut Shown<'a>> {
    let is_image = |shown: &&mut Shown| matches!(shown, Shown::Image { .. });
    match turn {
        Turn::User(parts) => parts.iter_mut().filter(is_image).collect(),
        Turn::Answer { results, .. } => {
            results.iter_mut().flat_map(|outcome| &mut outcome.shown).filter(is_image).collect()
        }
    }
}

/// A call's arguments as the object that wires want, even where the model wrote broken JSON.
pub fn arguments(call: &ToolCall) -> Cow<'_, Value> {
    if call.arguments.is_object() {
        Cow::Borrowed(&call.arguments)
    } else {
        Cow::Owned(json!({"unparsed": call.arguments}))
    }
}

/// A tool's name as every wire takes it: `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. Models call tools that there
/// are none of, by names that would be refused with every request that follows.
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
    // Signatures of what broke off may be cut, and wires refuse that.
    let whole = !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    let mut said = Vec::new();
    let mut calls = Vec::new();
    for part in &answer.content {
        let Part::Known(part) = part else { continue };
        match part {
            KnownPart::Text { text, text_signature } => {
                let signature = text_signature.as_deref().filter(|_| own && whole);
                // What goes back with a text is missed even where the text itself is empty.
                if signature.is_some() || !text.trim().is_empty() {
                    said.push(Said::Text { text, signature });
                }
            }
            KnownPart::Thinking { thinking, thinking_signature, redacted } if own && whole => {
                let signature = thinking_signature.as_deref();
                said.push(Said::Thinking { text: thinking, signature, redacted: *redacted });
            }
            // What another model thought is known to nobody else; its signature would be refused.
            KnownPart::Thinking { thinking, redacted: false, .. }
                if !own && whole && !thinking.trim().is_empty() =>
            {
                said.push(Said::Text { text: thinking, signature: None });
            }
            KnownPart::ToolCall(call) => {
                // Some wires name a call and its item; before the bar is what results refer to.
                let id = ids.encode(call.id.split('|').next().unwrap_or_default());
                calls.push((call, id.clone()));
                said.push(Said::Call { id, call });
            }
            _ => {}
        }
    }
    // Thinking alone, from an answer that broke off, says nothing and is refused.
    if said.iter().all(|part| matches!(part, Said::Thinking { .. })) {
        return None;
    }
    Some(Turn::Answer { own, said, results: results(calls, rest, model) })
}

/// The results of an answer's calls in the calls' order, looked for up to the next answer.
fn results<'a>(calls: Vec<(&'a ToolCall, String)>, rest: &'a [Message], model: &Model) -> Vec<Outcome<'a>> {
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
            return Outcome { id, name, shown: vec![Shown::Text(NO_RESULT)], is_error: true };
        };
        let mut shown = shown(&result.content, model, &Takes::NOTHING);
        if shown.is_empty() {
            shown.push(Shown::Text(NO_OUTPUT));
        }
        Outcome { id, name, shown, is_error: result.is_error }
    });
    outcomes.collect()
}

fn shown<'a>(parts: &'a [Part], model: &Model, takes: &Takes) -> Vec<Shown<'a>> {
    let shown = parts.iter().filter_map(|part| match part {
        Part::Known(KnownPart::Text { text, .. }) => (!text.trim().is_empty()).then_some(Shown::Text(text)),
        Part::Known(KnownPart::Image { data, mime_type }) if model.sees() => {
            Some(Shown::Image { data, mime_type })
        }
        Part::Known(KnownPart::Image { .. }) => Some(Shown::Text(NO_VISION)),
        Part::Known(KnownPart::Document { data, mime_type, name }) => Some(if takes.document(mime_type) {
            Shown::Document { data, mime_type, name: name.as_deref() }
        } else {
            Shown::Text(NO_DOCUMENT)
        }),
        Part::Known(KnownPart::Audio { data, mime_type }) => {
            let fits = takes.sound(mime_type);
            Some(if fits { Shown::Sound { data, mime_type } } else { Shown::Text(NO_SOUND) })
        }
        _ => None,
    });
    shown.collect()
}

/// Call ids in use, as they are sent.
struct Ids {
    taken: HashSet<String>,
    /// How often an id came again: some servers give every call the same one.
    repeated: HashMap<String, u32>,
    max: usize,
}

impl Ids {
    /// A legal id that no earlier call has.
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
        for turn in turns(history, &model, id_max, &Takes::NOTHING) {
            let Turn::Answer { said, results, .. } = turn else { panic!("{turn:?}") };
            let calls = said.iter().map(|part| match part {
                Said::Call { id, .. } => id.clone(),
                other => panic!("{other:?}"),
            });
            let calls: Vec<_> = calls.collect();
            assert!(results.iter().map(|outcome| &outcome.id).eq(&calls));
            assert!(results.iter().all(|o| o.is_error && o.shown == [Shown::Text(NO_RESULT)]));
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
        let mut turns = turns(&history, &model, 64, &Takes::NOTHING);
        assert_eq!(turns[0], Turn::User(vec![Shown::Text(TOO_MANY)]));
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
        let said =
            |model: &str| match turns(&history, &Model::unknown("p", model, "a", ""), 64, &Takes::NOTHING)
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
