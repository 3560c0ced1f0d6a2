//! Pieces of conversations beside the contexts of the same trees.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::session::context::messages;
use crate::session::format::entry::{EntryHead as EntryPlace, LineSource};

/// A line of a kind, behind another one; `other` is an id that it may name.
fn line(n: usize, parent: Option<usize>, kind: usize, other: usize) -> String {
    let parent = parent.map_or("null".to_string(), |parent| format!("\"{parent}\""));
    let answer = |model: &str, more: &str| {
        format!(
            r#""message","message":{{"role":"assistant","content":[{{"type":"text","text":"answer {n}"}}],"api":"a","provider":"p","model":"{model}","stopReason":"stop"{more}}}"#
        )
    };
    let rest = match kind {
        0 | 1 => format!(r#""message","message":{{"role":"user","content":"said {n}","timestamp":1}}"#),
        2 => answer(&format!("m{n}"), r#","usage":{"totalTokens":7}"#),
        3 => answer("<synthetic>", ""),
        4 | 5 => format!(
            r#""message","message":{{"role":"toolResult","toolCallId":"c","toolName":"t","content":"result {n}","isError":false}}"#
        ),
        6 => format!(r#""message","message":{{"role":"system","content":"system {n}"}}"#),
        7 => format!(r#""custom_message","customType":"x","content":"note {n}","display":true"#),
        8 => format!(
            r#""branch_summary","fromId":"0","summary":"{}""#,
            if other.is_multiple_of(2) { "" } else { "left" }
        ),
        9 => r#""custom","customType":"x","data":1"#.to_string(),
        10 => format!(r#""model_change","provider":"q","modelId":"chosen {n}""#),
        11 => format!(
            r#""thinking_level_change","thinkingLevel":"{}""#,
            ["high", "low", "unheard of"][other % 3]
        ),
        12 => format!(r#""context_edit","targetId":"{other}","replacement":null"#),
        13 => format!(r#""context_edit","targetId":"{other}","replacement":{{"content":"edited by {n}"}}"#),
        14 => format!(
            r#""compaction","summary":"summary {n}","firstKeptEntryId":"{other}","tokensBefore":9,"systemMessage":{{"role":"system","content":"new"}}"#
        ),
        _ => format!(r#""compaction","summary":"summary {n}","firstKeptEntryId":"{n}","tokensBefore":9"#),
    };
    format!(r#"{{"type":{rest},"id":"{n}","parentId":{parent},"timestamp":"t"}}"#)
}

/// The tokens that an answer names.
fn tokens(message: &AgentMessage) -> Option<u64> {
    match message {
        AgentMessage::Llm(Message::Assistant(answer)) => {
            Some(answer.usage.total_tokens).filter(|tokens| *tokens > 0)
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(300))]
    #[test]
    fn recent_pieces_add_up_to_context(
        rows in prop::collection::vec((0usize..12, 0usize..16, 0usize..30), 1..60),
        bound in 1usize..7,
        many in any::<bool>(),
    ) {
        let mut tree = Tree::default();
        for (n, (back, kind, other)) in rows.iter().enumerate() {
            let parent = match back {
                0 => None,
                back if *back < 4 => n.checked_sub(*back),
                _ => n.checked_sub(1),
            };
            let other = n.saturating_sub(*other);
            tree.push(Entry::parse(&line(n, parent, *kind, other)).unwrap()).unwrap();
        }
        let bound = if many { PageLimit { messages: bound, bytes: u64::MAX } } else { PageLimit { messages: 99, bytes: bound as u64 * 150 } };
        let mut counts: Vec<(u32, usize)> = Vec::new();
        for leaf in 0..rows.len() as u32 {
            let path = tree.path_to(tree.entry(leaf).id());
            let wanted = messages::build(&path);
            let (mut pieces, mut said) = (vec![last_page(&tree, leaf, bound)], Vec::new());
            while let Some(earlier) = pieces.last().and_then(|piece| piece.earlier.clone()) {
                prop_assert!(!pieces.last().unwrap().messages.is_empty());
                if said.is_empty() {
                    said = user_messages_before(&tree, &earlier, PageLimit { messages: 2, bytes: u64::MAX });
                    let before: Vec<Arc<AgentMessage>> = {
                        let whole = page_before(&tree, &earlier, PageLimit { messages: usize::MAX, bytes: u64::MAX }).messages;
                        whole.into_iter().filter(|message| message.role() == "user").collect()
                    };
                    prop_assert_eq!(&said[..], &before[before.len().saturating_sub(2)..]);
                }
                pieces.push(page_before(&tree, &earlier, bound));
            }
            let all: Vec<Arc<AgentMessage>> = pieces.iter().rev().flat_map(|piece| piece.messages.iter().cloned()).collect();
            prop_assert_eq!(&all, &wanted.messages, "leaf {}", leaf);
            for piece in &pieces[..pieces.len() - 1] {
                prop_assert!(piece.messages[0].role() != "toolResult", "a result without its answer");
            }
            let chosen = model_choice(&tree, leaf);
            prop_assert_eq!((&chosen.model, chosen.thinking), (&wanted.model, wanted.thinking));
            let counted = wanted.messages[wanted.kept..].iter().rev().find_map(|message| tokens(message));
            prop_assert_eq!(find_latest(&tree, leaf, tokens), counted);
            prop_assert_eq!(count_messages(&tree, leaf, None), wanted.messages.len());
            prop_assert_eq!(count_messages(&tree, leaf, counts.last().copied()), wanted.messages.len());
            counts.push((leaf, wanted.messages.len()));
        }
    }
}

/// A text whose pieces are counted when they are read.
struct Counted(String, AtomicUsize);

impl LineSource for Counted {
    fn read(&self, from: u64, length: u32) -> std::io::Result<String> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Ok(self.0[from as usize..from as usize + length as usize].to_string())
    }
}

/// A conversation of so many messages in a file, and who counts what is read of it.
fn conversation(messages: usize) -> (Tree, Arc<Counted>) {
    let mut text = String::new();
    let mut spans = Vec::new();
    for n in 0..messages {
        let kind = [10, 11].get(n).copied().unwrap_or([0, 2, 4, 2][n % 4]);
        let line = line(n, n.checked_sub(1), kind, 0);
        spans.push((text.len(), line.len()));
        text += &line;
    }
    let text = Arc::new(Counted(text, AtomicUsize::new(0)));
    let mut tree = Tree::default();
    tree.set_line_source(text.clone());
    for (from, length) in spans {
        let place = EntryPlace::parse(&text.0[from..from + length]).unwrap();
        let sum = tree.id_hasher().hash(&place.id);
        tree.push_in_file(place, sum, (from as u64, length as u32), false).unwrap();
    }
    (tree, text)
}

#[test]
fn recent_messages_read_only_what_is_shown() {
    let bound = PageLimit { messages: 20, bytes: u64::MAX };
    for messages in [100, 5_000] {
        let (tree, text) = conversation(messages);
        let leaf = messages as u32 - 1;
        let piece = last_page(&tree, leaf, bound);
        assert!(piece.earlier.is_some());
        assert!(model_choice(&tree, leaf).model.is_some());
        assert_eq!(find_latest(&tree, leaf, tokens), Some(7));
        let read = text.1.load(Ordering::Relaxed);
        assert!(read <= 30, "{read} lines of {messages} messages are read");
        assert!(tree.created_count() <= 30, "{} entries of {messages} are made", tree.created_count());
        assert!(!tree.entry(leaf).is_decoded(), "what was decoded is not kept");
    }
}

#[test]
fn recent_count_reads_only_new_entries() {
    let (tree, text) = conversation(500);
    assert_eq!(count_messages(&tree, 489, None), 488, "without the choice of model and level");
    let before = text.1.load(Ordering::Relaxed);
    assert_eq!(count_messages(&tree, 499, Some((489, 488))), 498);
    assert_eq!(text.1.load(Ordering::Relaxed) - before, 10);
}

#[test]
fn recent_piece_of_other_session_is_empty() {
    let (tree, _) = conversation(50);
    let earlier = PagePosition { leaf: "49".into(), first: "unknown".into() };
    assert_eq!(page_before(&tree, &earlier, PageLimit { messages: 5, bytes: 999 }), MessagePage::default());
}
