//! The table against a small session.

use std::path::Path;

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::CountingIds;
use crate::llm::model::{Message, UserMessage};
use crate::session::{EntryBody, context::editing};

fn user(text: &str) -> EntryBody {
    EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 5))) }
}

#[test]
fn context_table_lists_entries_and_counts_missing() {
    let mut session = Session::in_memory(Path::new("/w"), ManualClock::new(0), CountingIds::shared());
    let first = session.append(user("twelve chars")).unwrap();
    let second = session.append(user("gone")).unwrap();
    let third = session.append(user("kept")).unwrap();
    let body = EntryBody::Compaction {
        summary: "all of it".into(),
        first_kept_entry_id: second.clone(),
        tokens_before: 9,
        usage: None,
        details: None,
        from_hook: None,
        system_message: None,
    };
    session.append(body).unwrap();
    for edit in
        editing::edit_entries(&session.tree().path(), &second, &editing::ContextEdit::Exclude).unwrap()
    {
        session.append(edit).unwrap();
    }
    session.append(crate::session::context::pins::pin_entry(&third, true)).unwrap();
    let path = session.tree().path();
    let text = table(&session, &ContextReport::build(None, &path, false), false);
    let rows: Vec<&str> = text.lines().skip(2).collect();
    assert!(rows[0].contains("compactionSummary") && rows[0].contains("summary of one message"), "{text}");
    assert!(rows[1].contains("pinned, kept by the compaction") && rows[1].ends_with(": kept"), "{text}");
    assert!(rows[3].ends_with("tokens, estimated"), "{text}");
    assert_eq!(rows[4], "Messages that are not in it: 1 summarized, 1 excluded (--all shows them)");
    let text = table(&session, &ContextReport::build(None, &path, true), true);
    let rows: Vec<&str> = text.lines().skip(2).collect();
    assert!(rows[0].starts_with("   -        3  user") && rows[0].contains(&first), "{text}");
    assert!(rows[2].contains("excluded since"), "{text}");
    assert!(text.ends_with("Messages that are not in it: 1 summarized, 1 excluded"), "{text}");
}
