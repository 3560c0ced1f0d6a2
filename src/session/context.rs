//! What a model is told of a session: the messages on a path, with compaction and edits applied.
//!
//! Must not know files. Works on a path of entries from the root to a leaf, linear in its length.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::{Value, json};

use super::body::EntryBody;
use super::entry::Entry;
use super::message::AgentMessage;
use super::role::Role;
use crate::llm::model::{Message, Thinking};

/// Most threads that decode.
const THREADS_MAX: usize = 4;
/// Entries for which a thread of its own is worth its start.
const SHARE_MIN: usize = 1000;

/// A conversation as it stands at a leaf.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionContext {
    /// Oldest first.
    pub messages: Vec<Arc<AgentMessage>>,
    /// How many of the messages stood in the session before its last compaction, the summary included:
    /// what their answers say of the size of the context is no longer so.
    pub kept: usize,
    /// Provider and model id that answered or were chosen last.
    pub model: Option<(String, String)>,
    /// The level that was chosen last.
    pub thinking: Option<Thinking>,
}

/// Builds the context of a path.
pub fn build(path: &[&Entry]) -> SessionContext {
    build_from(path, kept_from(path))
}

/// The first entry of a path of which anything is told but by a summary: that which its last compaction keeps.
pub(super) fn kept_from(path: &[&Entry]) -> usize {
    let Some(at) = path.iter().rposition(|entry| entry.kind() == "compaction") else { return 0 };
    let EntryBody::Compaction { first_kept_entry_id: kept, .. } = path[at].body() else { return at };
    path[..at].iter().rposition(|entry| entry.id() == kept).unwrap_or(at)
}

/// Decodes what entries contribute, several at a time where there are many: who opens a long conversation
/// waits for little else.
pub(super) fn decode(path: &[&Entry]) {
    if path.len() < 2 * SHARE_MIN {
        return;
    }
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(THREADS_MAX);
    let share = path.len().div_ceil(threads).max(SHARE_MIN);
    let mut shares = path.chunks(share);
    // The first share is for whoever builds the context.
    shares.next();
    std::thread::scope(|scope| {
        for share in shares {
            scope.spawn(|| share.iter().for_each(|entry| drop(message_of(entry))));
        }
        path.iter().take(share).for_each(|entry| drop(message_of(entry)));
    });
}

/// Builds the context of a path from that entry on.
pub(super) fn build_from(path: &[&Entry], from: usize) -> SessionContext {
    let mut context = SessionContext::default();
    let edits = scan(path, &mut context);
    let mut out = Messages { edits, messages: Vec::new() };
    match path.iter().rposition(|entry| entry.kind() == "compaction") {
        None => path.iter().for_each(|entry| out.push(entry, false)),
        Some(at) => {
            out.push_compaction(path[at]);
            path[from..at].iter().for_each(|entry| out.push(entry, true));
            context.kept = out.messages.len();
            path[at + 1..].iter().for_each(|entry| out.push(entry, false));
        }
    }
    context.messages = out.messages;
    context
}

/// What each entry of a path from `from` on contributes by itself, with the edits of the whole path
/// applied; nothing for those that contribute nothing, compactions included.
pub fn each(path: &[&Entry], from: usize) -> Vec<Option<Arc<AgentMessage>>> {
    let mut out = Messages { edits: scan(path, &mut SessionContext::default()), messages: Vec::new() };
    let mut one = |entry: &&Entry| {
        out.push(entry, false);
        out.messages.pop()
    };
    path[from.min(path.len())..].iter().map(&mut one).collect()
}

/// Takes model and thinking level from the whole path and collects the edits, the latest of each target.
/// Reads from the end, and of what only the latest counts not more than that: what a compaction hides stays
/// where it is.
fn scan(path: &[&Entry], context: &mut SessionContext) -> HashMap<String, Option<Value>> {
    let mut edits = HashMap::new();
    let mut leveled = false;
    for entry in path.iter().rev() {
        match entry.kind() {
            "model_change" if context.model.is_none() => {
                if let EntryBody::ModelChange { provider, model_id } = entry.body() {
                    context.model = Some((provider, model_id));
                }
            }
            "thinking_level_change" if !leveled => {
                if let EntryBody::ThinkingLevelChange { thinking_level } = entry.body() {
                    (context.thinking, leveled) = (Thinking::parse(&thinking_level), true);
                }
            }
            "context_edit" => {
                if let EntryBody::ContextEdit { target_id, replacement } = entry.body() {
                    edits.entry(target_id).or_insert(replacement);
                }
            }
            "message" if context.model.is_none() && entry.role() == Role::Assistant => {
                if let Some(AgentMessage::Llm(Message::Assistant(answer))) = message_of(entry).as_deref() {
                    context.model = Some((answer.provider.clone(), answer.model.clone()));
                }
            }
            _ => {}
        }
    }
    edits
}

struct Messages {
    edits: HashMap<String, Option<Value>>,
    messages: Vec<Arc<AgentMessage>>,
}

impl Messages {
    /// Adds what an entry contributes, edited where an edit targets it.
    fn push(&mut self, entry: &Entry, without_system: bool) {
        let Some(message) = message_of(entry) else { return };
        if without_system && message.role() == "system" {
            return;
        }
        match self.edits.get(entry.id()) {
            None => self.messages.push(message),
            Some(None) => {}
            Some(Some(replacement)) => self.messages.push(with_content(message, replacement)),
        }
    }

    /// Adds the summary, and before it the system message that goes with it.
    fn push_compaction(&mut self, entry: &Entry) {
        let EntryBody::Compaction { summary, tokens_before, system_message, .. } = entry.body() else {
            return;
        };
        self.messages.extend(system_message.map(|value| Arc::new(AgentMessage::Other(value))));
        self.messages.push(Arc::new(AgentMessage::Other(json!({
            "role": "compactionSummary",
            "summary": summary,
            "tokensBefore": tokens_before,
            "timestamp": entry.time_ms(),
        }))));
    }
}

/// The message that an entry contributes by itself.
fn message_of(entry: &Entry) -> Option<Arc<AgentMessage>> {
    match entry.kind() {
        "message" => entry.message_or(|| entry.message()),
        "custom_message" => entry.message_or(|| custom(entry)),
        "branch_summary" => entry.message_or(|| branch_summary(entry)),
        _ => None,
    }
}

fn custom(entry: &Entry) -> Option<AgentMessage> {
    let EntryBody::CustomMessage { custom_type, content, display, details } = entry.body() else {
        return None;
    };
    let content = if content.is_null() { json!([]) } else { content };
    let mut value =
        json!({"role": "custom", "customType": custom_type, "content": content, "display": display});
    if let Some(details) = details {
        value["details"] = details;
    }
    value["timestamp"] = json!(entry.time_ms());
    Some(AgentMessage::Other(value))
}

fn branch_summary(entry: &Entry) -> Option<AgentMessage> {
    let EntryBody::BranchSummary { from_id, summary, .. } = entry.body() else { return None };
    (!summary.is_empty()).then(|| {
        AgentMessage::Other(json!({
            "role": "branchSummary",
            "summary": summary,
            "fromId": from_id,
            "timestamp": entry.time_ms(),
        }))
    })
}

/// What an edit can give another content; of everything else it can only take the message out.
const EDITED: [&str; 4] = ["user", "assistant", "toolResult", "custom"];

/// The message with another content; as it was when the replacement has none that fits.
fn with_content(message: Arc<AgentMessage>, replacement: &Value) -> Arc<AgentMessage> {
    if !EDITED.contains(&message.role()) {
        return message;
    }
    let Some(content) = replacement.get("content") else { return message };
    let Ok(mut value) = serde_json::to_value(&*message) else { return message };
    value["content"] = content.clone();
    serde_json::from_value(value).map_or(message, Arc::new)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::session::entry::{Lines, Place};
    use crate::session::tree::Tree;

    /// Entries `id kind-and-fields`, each following the one before; the context as
    /// `role:text` words.
    fn context(rows: &[(&str, &str)]) -> (String, SessionContext) {
        let mut tree = Tree::default();
        let mut parent = "null".to_string();
        for (id, fields) in rows {
            let line = format!(
                r#"{{"type":{fields},"id":"{id}","parentId":{parent},"timestamp":"1970-01-01T00:00:00.005Z"}}"#
            );
            tree.push(Entry::parse(&line).unwrap()).unwrap();
            parent = format!("\"{id}\"");
        }
        let context = build(&tree.path());
        let words: Vec<String> = context
            .messages
            .iter()
            .map(|message| {
                let value = serde_json::to_value(&**message).unwrap();
                let text = [&value["summary"], &value["content"][0]["text"], &value["content"]]
                    .into_iter()
                    .find_map(|found| found.as_str().map(str::to_string));
                format!("{}:{}", message.role(), text.unwrap_or_default())
            })
            .collect();
        (words.join(" "), context)
    }

    fn user(text: &str) -> String {
        format!(r#""message","message":{{"role":"user","content":"{text}","timestamp":1}}"#)
    }

    #[test]
    fn a_compaction_hides_what_it_sums_up() {
        let (one, two, three) = (user("one"), user("two"), user("three"));
        let compaction = r#""compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", compaction), ("d", &three)];
        assert_eq!(context(&rows).0, "compactionSummary:S user:two user:three");
        let own = r#""compaction","summary":"S","firstKeptEntryId":"c","tokensBefore":9"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", own), ("d", &three)];
        assert_eq!(context(&rows).0, "compactionSummary:S user:three");
    }

    #[test]
    fn the_last_compaction_counts_and_replaces_system_messages() {
        let (one, two) = (user("one"), user("two"));
        let system = r#""message","message":{"role":"system","content":"old"}"#;
        let first = r#""compaction","summary":"S1","firstKeptEntryId":"a","tokensBefore":9"#;
        let second = r#""compaction","summary":"S2","firstKeptEntryId":"b","tokensBefore":9,"systemMessage":{"role":"system","content":"new"}"#;
        let rows = [("a", one.as_str()), ("b", system), ("c", first), ("d", &two), ("e", second)];
        assert_eq!(context(&rows).0, "system:new compactionSummary:S2 user:two");
    }

    /// A text whose pieces are counted when they are read.
    struct Counted(String, AtomicUsize);

    impl Lines for Counted {
        fn read(&self, from: u64, length: u32) -> std::io::Result<String> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(self.0[from as usize..from as usize + length as usize].to_string())
        }
    }

    /// How many lines the context of a conversation of so many messages reads, of which all but the last four
    /// are summed up.
    fn lines_read(messages: usize) -> usize {
        let mut text = String::new();
        let mut spans = Vec::new();
        for n in 0..messages + 3 {
            let what = match n {
                0 => r#""thinking_level_change","thinkingLevel":"high""#.to_string(),
                1 => r#""model_change","provider":"q","modelId":"n""#.to_string(),
                n if n == messages => {
                    format!(r#""compaction","summary":"S","firstKeptEntryId":"{}","tokensBefore":9"#, n - 2)
                }
                n => user(&format!("m{n}")),
            };
            let parent = if n == 0 { "null".to_string() } else { format!("\"{}\"", n - 1) };
            let line = format!(r#"{{"type":{what},"id":"{n}","parentId":{parent},"timestamp":"t"}}"#);
            spans.push((text.len(), line.len()));
            text += &line;
        }
        let text = Arc::new(Counted(text, AtomicUsize::new(0)));
        let mut tree = Tree::default();
        for (from, length) in spans {
            let place = Place::parse(&text.0[from..from + length]).unwrap();
            tree.push(Entry::there(place, text.clone(), from as u64, length as u32)).unwrap();
        }
        let context = build(&tree.path());
        assert_eq!(context.messages.len(), 5, "the summary, two that are kept, two that followed");
        assert_eq!((context.model.unwrap().1.as_str(), context.thinking), ("n", Some(Thinking::High)));
        text.1.load(Ordering::Relaxed)
    }

    #[test]
    fn what_is_summed_up_is_not_read() {
        let few = lines_read(10);
        assert!(few <= 8, "{few}: four messages, the compaction twice, model and level");
        assert_eq!(lines_read(1_000), few);
    }

    #[test]
    fn edits_replace_and_remove_in_the_context_only() {
        let (one, two) = (user("one"), user("two"));
        let first = r#""context_edit","targetId":"a","replacement":null"#;
        let second =
            r#""context_edit","targetId":"a","replacement":{"content":[{"type":"text","text":"new"}]}"#;
        let third = r#""context_edit","targetId":"b","replacement":null"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", first), ("d", second), ("e", third)];
        assert_eq!(context(&rows).0, "user:new");
    }

    #[test]
    fn model_and_level_come_from_the_whole_path() {
        let answer = r#""message","message":{"role":"assistant","content":null,"api":"x","provider":"p","model":"m","stopReason":"stop"}"#;
        let change = r#""model_change","provider":"q","modelId":"n""#;
        let level = r#""thinking_level_change","thinkingLevel":"high""#;
        let compaction = r#""compaction","summary":"S","firstKeptEntryId":"none","tokensBefore":9"#;
        let (words, found) = context(&[("a", change), ("b", level), ("c", answer), ("d", compaction)]);
        assert_eq!(words, "compactionSummary:S");
        assert_eq!(found.model, Some(("p".to_string(), "m".to_string())));
        assert_eq!(found.thinking, Some(Thinking::High));
    }

    #[test]
    fn what_came_before_a_compaction_is_told_apart() {
        let (one, two, three) = (user("one"), user("two"), user("three"));
        let compaction = r#""compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", compaction), ("d", &three)];
        assert_eq!(context(&rows).1.kept, 2, "the summary and what it keeps");
        assert_eq!(context(&rows[..2]).1.kept, 0);
    }

    #[test]
    fn each_entry_has_its_part() {
        let answer = r#""message","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","stopReason":"stop","usage":{"input":7}}"#;
        let compaction =
            r#""compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9,"usage":{"input":20}"#;
        let usage = r#""usage","kind":"cache_warm","provider":"p","model":"m","usage":{"input":300}"#;
        let edit = r#""context_edit","targetId":"a","replacement":null"#;
        let mut tree = Tree::default();
        let one = user("one");
        let mut parent = "null".to_string();
        for (id, fields) in [("a", one.as_str()), ("b", answer), ("c", compaction), ("d", usage), ("e", edit)]
        {
            let line = format!(r#"{{"type":{fields},"id":"{id}","parentId":{parent},"timestamp":"t"}}"#);
            tree.push(Entry::parse(&line).unwrap()).unwrap();
            parent = format!("\"{id}\"");
        }
        let path = tree.path();
        let said = |from| each(&path, from).iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!(said(0), [false, true, false, false, false], "edits from behind count, too");
        assert_eq!(said(3), [false, false]);
        assert!(said(9).is_empty());
    }

    #[test]
    fn custom_messages_and_branch_summaries_are_in_the_context() {
        let custom = r#""custom_message","customType":"x","content":"hey","display":true"#;
        let data = r#""custom","customType":"x","data":1"#;
        let summary = r#""branch_summary","fromId":"z","summary":"left""#;
        let empty = r#""branch_summary","fromId":"z","summary":"""#;
        let rows = [("a", custom), ("b", data), ("c", summary), ("d", empty)];
        assert_eq!(context(&rows).0, "custom:hey branchSummary:left");
    }
}
