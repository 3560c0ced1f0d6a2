//! Documents: undo as people expect it, marks that travel, and a model of plain strings.

use proptest::prelude::*;

use super::*;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::LineEnding;
use crate::text::marked;
use crate::text::operations::edit;
use crate::text::position::Byte;
use crate::text::transaction::{Author, Grouping, agent_edit_name};

fn open(marked: &str) -> (Document, Selection) {
    let (text, selection) = marked::parse(marked);
    (Document::new(&text.to_string(), Format::default()), selection)
}

/// Types each character as a key of its own, `step_ms` apart.
fn type_keys(document: &mut Document, selection: &mut Selection, keys: &str, now: &mut u64, step_ms: u64) {
    for key in keys.chars() {
        *now += step_ms;
        let edit = edit::insert(document.text(), selection, &key.to_string()).group(Grouping::Typing);
        *selection = document.apply(edit, selection, *now).unwrap().selection;
    }
}

#[test]
fn undo_groups_typing_burst_until_pause() {
    let (mut document, mut selection) = open("|.");
    let mut now = 0;
    type_keys(&mut document, &mut selection, "one", &mut now, 100);
    type_keys(&mut document, &mut selection, " ", &mut now, 5_000);
    type_keys(&mut document, &mut selection, "two", &mut now, 100);
    assert_eq!(marked::show(document.text(), &selection), "one two|.");
    let step = document.undo().unwrap();
    assert_eq!(marked::show(document.text(), &step.selection), "one|.");
    let step = document.undo().unwrap();
    assert_eq!(marked::show(document.text(), &step.selection), "|.");
    assert_eq!(document.undo(), None);
    document.redo().unwrap();
    let step = document.redo().unwrap();
    assert_eq!(marked::show(document.text(), &step.selection), "one two|.");
    assert_eq!(document.redo(), None);
}

#[test]
fn undo_restores_file_format() {
    let (mut document, selection) = open("one|");
    let wide = Format { encoding: Encoding::UTF16LE, bom: true, ..Format::default() };
    let again = |document: &Document, text| edit::insert(document.text(), &selection, text);
    document.apply(again(&document, "x"), &selection, 0).unwrap();
    document.apply(again(&document, "y").format(wide), &selection, 0).unwrap();
    assert_eq!(document.format(), wide);
    document.apply(again(&document, "z"), &selection, 0).unwrap();
    document.undo().unwrap();
    assert_eq!(document.format(), wide);
    document.undo().unwrap();
    assert_eq!(document.format(), Format::default());
    document.redo().unwrap();
    assert_eq!(document.format(), wide);
    let newest = document.history().newest_first().next().unwrap().0;
    document.travel(document.history().root()).unwrap();
    assert_eq!(document.format(), Format::default());
    document.travel(newest).unwrap();
    assert_eq!(document.format(), wide);
    // Saved in another encoding: what is typed has none of its own.
    document.set_format(Format::default());
    document.undo().unwrap();
    assert_eq!(document.format(), Format::default());
}

#[test]
fn undo_cursor_move_ends_typing_burst() {
    let (mut document, mut selection) = open("|");
    let mut now = 0;
    type_keys(&mut document, &mut selection, "ab", &mut now, 10);
    selection = Selection::cursor(Byte(0));
    type_keys(&mut document, &mut selection, "c", &mut now, 10);
    document.undo().unwrap();
    assert_eq!(document.text().to_string(), "ab");
}

#[test]
fn undo_new_edit_keeps_old_branch() {
    let (mut document, selection) = open("|");
    for word in ["a", "b"] {
        let edit = edit::insert(document.text(), &selection, word);
        document.apply(edit, &selection, 0).unwrap();
        document.undo().unwrap();
    }
    assert_eq!(document.history().len(), 3, "root and two branches");
    document.redo().unwrap();
    assert_eq!(document.text().to_string(), "b", "redo follows the newest branch");
}

#[test]
fn undo_tree_remembers_saved_revision() {
    let (mut document, mut selection) = open("|");
    let mut now = 0;
    assert!(!document.is_modified());
    type_keys(&mut document, &mut selection, "a", &mut now, 10);
    document.mark_saved();
    type_keys(&mut document, &mut selection, "b", &mut now, 10);
    assert!(document.is_modified());
    document.undo().unwrap();
    assert!(!document.is_modified(), "typing after a save is a step of its own");
    document.undo().unwrap();
    assert!(document.is_modified());
}

#[test]
fn undo_agent_edit_is_one_marked_step() {
    let (mut document, selection) = open("one\ntwo|\nthree\n");
    let changes = crate::text::diff::change("one\ntwo\nthree\n", "ONE\ntwo\nthree\nfour\n");
    let edit = Transaction::new(changes).with_author(Author::Agent("t1".into()));
    let applied = document.apply(edit, &selection, 0).unwrap();
    assert_eq!(marked::show(document.text(), &applied.selection), "ONE\ntwo|\nthree\nfour\n");
    let marks: Vec<_> =
        document.marks().all().iter().map(|m| document.text().slice(m.range.clone()).into_owned()).collect();
    assert_eq!(marks, ["ONE", "four\n"]);
    // The user types above: the marks travel.
    let edit = edit::insert(document.text(), &Selection::cursor(Byte(0)), "zero\n");
    document.apply(edit, &applied.selection, 10).unwrap();
    assert_eq!(document.marks().all()[0].range, Byte(5)..Byte(8));
    document.undo().unwrap();
    document.undo().unwrap();
    assert_eq!(document.text().to_string(), "one\ntwo\nthree\n");
    assert!(document.marks().all().is_empty());
    document.redo().unwrap();
    assert_eq!(document.marks().all().len(), 2, "what comes back is marked again");
}

#[test]
fn document_detects_bom_and_crlf() {
    let document = Document::from_bytes(b"\xef\xbb\xbfa\r\nb\r\n");
    assert_eq!(document.format().ending, LineEnding::CrLf);
    assert_eq!(document.bytes().unwrap(), b"\xef\xbb\xbfa\r\nb\r\n");
}

#[derive(Debug, Clone)]
enum Act {
    Insert(usize, String),
    Delete(usize, usize),
    Undo,
    Redo,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        (0..40usize, "[aé漢\n]{1,3}").prop_map(|(at, text)| Act::Insert(at, text)),
        (0..40usize, 0..5usize).prop_map(|(at, n)| Act::Delete(at, n)),
        Just(Act::Undo),
        Just(Act::Redo),
    ];
    prop::collection::vec(act, 0..40)
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(128))]
    #[test]
    fn undo_tree_matches_list_of_strings(acts in acts()) {
        let mut document = Document::new("start", Format::default());
        let (mut past, mut future) = (vec!["start".to_string()], Vec::new());
        document.record_changes(Listener::ALL[0]);
        let mut before = Vec::new();
        for act in acts {
            let now = past.last().unwrap().clone();
            let version = document.version();
            before.push((version, now.clone()));
            let bounds: Vec<usize> = now.char_indices().map(|(at, _)| at).chain([now.len()]).collect();
            let at = |n: usize| Byte(bounds[n.min(bounds.len() - 1)]);
            let selection = Selection::cursor(Byte(0));
            let (range, text) = match act {
                Act::Insert(n, text) => (at(n)..at(n), text),
                Act::Delete(n, len) => (at(n)..at(n + len), String::new()),
                Act::Undo => {
                    let undone = document.undo().is_some();
                    prop_assert_eq!(undone, past.len() > 1);
                    if undone { future.push(past.pop().unwrap()); }
                    prop_assert_eq!(document.text().to_string(), past.last().unwrap().as_str());
                    continue;
                }
                Act::Redo => {
                    let redone = document.redo().is_some();
                    prop_assert_eq!(redone, !future.is_empty());
                    if redone { past.push(future.pop().unwrap()); }
                    prop_assert_eq!(document.text().to_string(), past.last().unwrap().as_str());
                    continue;
                }
            };
            let mut plain = now.clone();
            plain.replace_range(range.start.0..range.end.0, &text);
            let edit = Transaction::new(ChangeSet::replace(now.len(), [(range, text)]));
            // Some edits exchange the text for another one, others change it in place.
            let edit = if version.is_multiple_of(3) { edit.prepare(document.text()) } else { edit };
            if document.apply(edit, &selection, 0).is_some() {
                past.push(plain);
                future.clear();
            }
            prop_assert_eq!(document.text().to_string(), past.last().unwrap().as_str());
        }
        let heard = document.take_changes(Listener::ALL[0]).unwrap();
        let texts = ChangeRecord::texts_before(&heard, document.text());
        // What changed nothing made no version.
        before.dedup_by_key(|(version, _)| *version);
        before.retain(|(version, _)| *version < document.version());
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        prop_assert_eq!(texts, before.into_iter().map(|(_, text)| text).collect::<Vec<_>>());
    }
}

#[test]
fn document_typing_copies_only_shared_text() {
    let mut document = Document::new(&"a line of text\n".repeat(10_000), Format::default());
    let mut selection = Selection::cursor(Byte(70_000));
    let mut now = 0;
    document.record_changes(Listener::ALL[0]);
    // The first edit finds the text as it was built.
    type_keys(&mut document, &mut selection, "x", &mut now, 10);
    let place = |document: &Document| document.text().chunk_at(Byte(70_000)).0.as_ptr();
    let before = place(&document);
    type_keys(&mut document, &mut selection, "typed", &mut now, 10);
    assert_eq!(place(&document), before, "the piece of the text is the same");
    let held = document.text().clone();
    type_keys(&mut document, &mut selection, "more", &mut now, 10);
    assert_ne!(place(&document), before, "somebody holds the old one");
    assert!(held.to_string().contains("xtyped") && !held.to_string().contains("more"));
}

/// Inserts a text at a byte, by an author.
fn write(document: &mut Document, at: usize, cut: usize, new: &str, author: &Author, now: u64) {
    let range = Byte(at)..Byte(at + cut);
    let changes = ChangeSet::replace(document.text().end().0, [(range, new.to_string())]);
    let edit = Transaction::new(changes).with_author(author.clone());
    document.apply(edit, &Selection::cursor(Byte(0)), now).unwrap();
}

#[test]
fn undo_tree_travel_reaches_every_revision() {
    let (mut document, _) = open("|");
    let person = Author::User;
    write(&mut document, 0, 0, "a", &person, 10);
    write(&mut document, 1, 0, "b", &person, 20);
    document.undo().unwrap();
    write(&mut document, 1, 0, "é", &person, 30);
    write(&mut document, 0, 0, "漢", &Author::Agent("call".into()), 40);
    let texts = ["", "a", "ab", "aé", "漢aé"];
    let mut ids: Vec<RevisionId> = document.history().newest_first().map(|(id, _)| id).collect();
    ids.reverse();
    for from in 0..texts.len() {
        for to in 0..texts.len() {
            document.travel(ids[from]);
            assert_eq!(document.text().to_string(), texts[from]);
            let before = document.text().clone();
            if let Some(applied) = document.travel(ids[to]) {
                let mut mapped = before;
                applied.changes.apply(&mut mapped);
                assert_eq!(mapped.to_string(), texts[to], "from {from} to {to}");
            }
            assert_eq!(
                (document.history().current(), document.text().to_string()),
                (ids[to], texts[to].to_string())
            );
            assert_eq!(document.marks().all().len(), usize::from(to == 4));
        }
    }
    // Redo follows the branch that was visited last.
    document.travel(ids[2]);
    document.travel(ids[0]);
    document.redo().unwrap();
    document.redo().unwrap();
    assert_eq!(document.text().to_string(), "ab");
    assert_eq!(
        [5, 10, 29, 40, 99].map(|time| document.history().at_time(time)),
        [0, 1, 2, 4, 4].map(|n| ids[n])
    );
}

#[test]
fn undo_of_one_author_is_selective_or_refused() {
    let agent = Author::Agent("call".into());
    let (mut document, _) = open("|one two three");
    write(&mut document, 0, 3, "ONE", &agent, 1);
    write(&mut document, 13, 0, "!", &Author::User, 2);
    write(&mut document, 1, 1, "", &agent, 3);
    write(&mut document, 3, 3, "2", &Author::User, 4);
    assert_eq!(document.text().to_string(), "OE 2 three!");
    let edit = document.revert_agent_edits("call").unwrap().unwrap();
    document.apply(edit, &Selection::cursor(Byte(0)), 5).unwrap();
    assert_eq!(document.text().to_string(), "one 2 three!");
    assert!(document.revert_agent_edits("other").is_none());
    write(&mut document, 0, 3, "agent", &Author::Agent("late".into()), 6);
    write(&mut document, 2, 1, "E", &Author::User, 7);
    let refused = document.revert_agent_edits("late").unwrap().unwrap_err();
    assert_eq!(refused.at, Byte(2)..Byte(3));
}

#[test]
fn undo_of_agent_turn_skips_already_undone_edits() {
    let agents = |edit| Author::Agent(agent_edit_name(2, edit));
    let (mut document, _) = open("|one two three");
    write(&mut document, 0, 3, "é", &Author::Agent(agent_edit_name(1, 0)), 1);
    write(&mut document, 3, 3, "2", &agents(1), 2);
    write(&mut document, 5, 5, "3", &agents(2), 3);
    assert_eq!(document.text().to_string(), "é 2 3");
    let one = document.revert_agent_edits(&agent_edit_name(2, 2)).unwrap().unwrap();
    document.apply(one, &Selection::cursor(Byte(0)), 4).unwrap();
    write(&mut document, 0, 0, "mine ", &Author::User, 5);
    let turn = document.revert_agent_edits("run 2").unwrap().unwrap();
    document.apply(turn, &Selection::cursor(Byte(0)), 6).unwrap();
    assert_eq!(document.text().to_string(), "mine é two three");
    assert_eq!(document.agent_edits().collect::<Vec<_>>(), [agent_edit_name(1, 0)]);
    assert!(document.marks().all().iter().all(|mark| mark.by == agent_edit_name(1, 0)), "the marks go along");
    assert!(document.revert_agent_edits("run 2").is_none());
    document.undo();
    assert_eq!(document.agent_edits().count(), 2, "undone, it can be taken back again");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(64))]
    /// Without an author's edits a text is what the others alone had made of it, as long as
    /// nobody touches another's words.
    #[test]
    fn undo_of_agent_keeps_edits_of_others(
        edits in prop::collection::vec((0usize..4, prop::bool::ANY, "[a-z漢]{0,3}"), 1..12),
    ) {
        // Four fields, each of which belongs to one author.
        let (mut document, _) = open("|;;;;");
        let mut fields = vec![String::new(); 4];
        for (n, (field, _, new)) in edits.iter().enumerate() {
            let agents = || Author::Agent(agent_edit_name(7, n as u64));
            let author = if field % 2 == 0 { agents() } else { Author::User };
            let at: usize = fields[..*field].iter().map(|text| text.len() + 1).sum();
            if fields[*field] != *new {
                write(&mut document, at, fields[*field].len(), new, &author, n as u64);
            }
            fields[*field] = new.clone();
        }
        // Some of them are taken back alone first.
        let alone: Vec<String> = document.agent_edits().take(1).map(str::to_string).collect();
        for edit in alone {
            if let Some(Ok(edit)) = document.revert_agent_edits(&edit) {
                document.apply(edit, &Selection::cursor(Byte(0)), 98);
            }
        }
        if let Some(edit) = document.revert_agent_edits("run 7") {
            let edit = edit.unwrap();
            let _applied = document.apply(edit, &Selection::cursor(Byte(0)), 99);
            prop_assert!(document.revert_agent_edits("run 7").is_none());
            prop_assert_eq!(document.text().to_string(), format!(";{};;{};", fields[1], fields[3]));
        }
    }
}

#[test]
fn document_indents_follow_formatter_not_user() {
    let indents_after = |author: Author| {
        let mut document = Document::new("\ta\nb\n", Format::default());
        let edit = ChangeSet::replace(5, [(Byte(0)..Byte(5), "a\n  b\n".to_string())]);
        document.apply(Transaction::new(edit).with_author(author), &Selection::cursor(Byte(0)), 0);
        let made = document.indents();
        document.undo();
        (made, document.indents())
    };
    assert_eq!(indents_after(Author::User), (Some(IndentKind::Tabs), Some(IndentKind::Tabs)));
    assert_eq!(indents_after(Author::Formatter), (Some(IndentKind::Spaces), Some(IndentKind::Tabs)));
}
