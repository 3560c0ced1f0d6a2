//! Context of a session: the messages on a path that a model gets, with compaction and edits applied.
//!
//! Must not know files. Works on a path of entries from the root to a leaf, linear in its length.

use std::sync::Arc;

use super::projection::{Edits, Projection, RowKind, message_of};
use crate::base::parallel;
use crate::llm::model::Thinking;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;

/// Minimum number of entries per thread.
const CHUNK_MIN: usize = 1000;

/// A conversation at a leaf.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionContext {
    /// Oldest first.
    pub messages: Vec<Arc<AgentMessage>>,
    /// Number of messages that precede the last compaction or edit, the summary included: their answers'
    /// token counts are outdated.
    pub kept: usize,
    /// Provider and model id of the last answer or model change.
    pub model: Option<(String, String)>,
    /// The last thinking level that was set.
    pub thinking: Option<Thinking>,
}

/// Returns the context of a path.
pub fn build(path: &[&Entry]) -> SessionContext {
    let projection = Projection::of_sent(path);
    let mut context = SessionContext::default();
    let edited = path.iter().rposition(|entry| entry.kind() == "context_edit").unwrap_or(0);
    for row in &projection.rows {
        let Some(message) = projection.message(row) else { continue };
        context.messages.push(message);
        if matches!(row.kind, RowKind::Kept | RowKind::Compaction) || row.at < edited {
            context.kept = context.messages.len();
        }
    }
    (context.model, context.thinking) = (projection.model, projection.thinking);
    context
}

/// Decodes the messages of entries, in parallel when there are many: this dominates the time to open a long
/// conversation.
pub(in crate::session) fn decode_messages(path: &[&Entry]) {
    if path.len() < 2 * CHUNK_MIN {
        return;
    }
    let share = path.len().div_ceil(parallel::threads()).max(CHUNK_MIN);
    parallel::map_chunks(path, share, |share| share.iter().for_each(|entry| drop(message_of(entry))));
}

/// Returns the message of each entry of a path from `from` on, with the edits of the whole path applied;
/// `None` for entries without one, compactions included.
pub fn edited_messages(path: &[&Entry], from: usize) -> Vec<Option<Arc<AgentMessage>>> {
    let edits = Edits::of(path);
    path[from.min(path.len())..].iter().map(|entry| edits.edited_message(entry)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::session::format::entry::{EntryHead, LineSource};
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
    fn compaction_hides_summarized_messages() {
        let (one, two, three) = (user("one"), user("two"), user("three"));
        let compaction = r#""compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", compaction), ("d", &three)];
        assert_eq!(context(&rows).0, "compactionSummary:S user:two user:three");
        let own = r#""compaction","summary":"S","firstKeptEntryId":"c","tokensBefore":9"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", own), ("d", &three)];
        assert_eq!(context(&rows).0, "compactionSummary:S user:three");
    }

    #[test]
    fn compaction_last_one_counts_and_replaces_system() {
        let (one, two) = (user("one"), user("two"));
        let system = r#""message","message":{"role":"system","content":"old"}"#;
        let first = r#""compaction","summary":"S1","firstKeptEntryId":"a","tokensBefore":9"#;
        let second = r#""compaction","summary":"S2","firstKeptEntryId":"b","tokensBefore":9,"systemMessage":{"role":"system","content":"new"}"#;
        let rows = [("a", one.as_str()), ("b", system), ("c", first), ("d", &two), ("e", second)];
        assert_eq!(context(&rows).0, "system:new compactionSummary:S2 user:two");
    }

    /// A text whose pieces are counted when they are read.
    struct Counted(String, AtomicUsize);

    impl LineSource for Counted {
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
            let place = EntryHead::parse(&text.0[from..from + length]).unwrap();
            tree.push(Entry::in_file(place, text.clone(), from as u64, length as u32)).unwrap();
        }
        let context = build(&tree.path());
        assert_eq!(context.messages.len(), 5, "the summary, two that are kept, two that followed");
        assert_eq!((context.model.unwrap().1.as_str(), context.thinking), ("n", Some(Thinking::High)));
        text.1.load(Ordering::Relaxed)
    }

    #[test]
    fn compaction_summarized_entries_are_not_read() {
        let few = lines_read(10);
        assert!(few <= 9, "{few}: four messages, the compaction three times, model and level");
        assert_eq!(lines_read(1_000), few);
    }

    #[test]
    fn context_edits_replace_and_remove_messages() {
        let (one, two) = (user("one"), user("two"));
        let first = r#""context_edit","targetId":"a","replacement":null"#;
        let second =
            r#""context_edit","targetId":"a","replacement":{"content":[{"type":"text","text":"new"}]}"#;
        let third = r#""context_edit","targetId":"b","replacement":null"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", first), ("d", second), ("e", third)];
        assert_eq!(context(&rows).0, "user:new");
    }

    #[test]
    fn context_model_and_level_come_from_full_path() {
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
    fn context_counts_messages_kept_from_compaction() {
        let (one, two, three) = (user("one"), user("two"), user("three"));
        let compaction = r#""compaction","summary":"S","firstKeptEntryId":"b","tokensBefore":9"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", compaction), ("d", &three)];
        assert_eq!(context(&rows).1.kept, 2, "the summary and what it keeps");
        assert_eq!(context(&rows[..2]).1.kept, 0);
        let edit = r#""context_edit","targetId":"a","replacement":null"#;
        let rows = [("a", one.as_str()), ("b", &two), ("c", edit), ("d", &three)];
        assert_eq!(context(&rows).1.kept, 1, "what was counted with what is left out now");
    }

    #[test]
    fn context_each_entry_maps_to_its_message() {
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
        let said = |from| edited_messages(&path, from).iter().map(Option::is_some).collect::<Vec<_>>();
        assert_eq!(said(0), [false, true, false, false, false], "edits from behind count, too");
        assert_eq!(said(3), [false, false]);
        assert!(said(9).is_empty());
    }

    #[test]
    fn context_has_custom_messages_and_branch_summaries() {
        let custom = r#""custom_message","customType":"x","content":"hey","display":true"#;
        let data = r#""custom","customType":"x","data":1"#;
        let summary = r#""branch_summary","fromId":"z","summary":"left""#;
        let empty = r#""branch_summary","fromId":"z","summary":"""#;
        let rows = [("a", custom), ("b", data), ("c", summary), ("d", empty)];
        assert_eq!(context(&rows).0, "custom:hey branchSummary:left");
    }
}
