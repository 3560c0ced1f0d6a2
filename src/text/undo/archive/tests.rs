//! Trees that were kept and come back; archives that were damaged.

use proptest::prelude::*;

use super::*;
use crate::text::document::Document;
use crate::text::file_format::format::{Format, LineEnding};
use crate::text::transaction::Transaction;

const ROOMY: usize = 1 << 20;

/// One step of a made-up history: an edit at a place, or a journey to a revision.
#[derive(Debug, Clone)]
enum Act {
    Edit(usize, usize, String, u8),
    Travel(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0usize..40, 0usize..4, "[aé漢\n]{0,4}", 0u8..6).prop_map(|(at, cut, new, who)| Act::Edit(at, cut, new, who)),
        1 => (0usize..12).prop_map(Act::Travel),
    ]
}

/// The id of the revision at a position, or of the newest one.
fn id_at(history: &History, position: usize) -> RevisionId {
    let ids: Vec<RevisionId> = history.newest_first().map(|(id, _)| id).collect();
    ids[ids.len() - 1 - position.min(ids.len() - 1)]
}

fn perform(document: &mut Document, acts: &[Act]) {
    for (time, act) in (1..).zip(acts) {
        match act {
            Act::Travel(to) => {
                document.travel(id_at(document.history(), *to));
            }
            Act::Edit(at, cut, new, who) => {
                let text = document.text();
                let start = text.char_floor(Byte(*at).min(text.end()));
                let end = text.char_floor((start + *cut).min(text.end())).max(start);
                let changes = ChangeSet::replace(text.end().0, [(start..end, new.clone())]);
                let author = match who {
                    0 => Author::Agent("call".into()),
                    1 => Author::External,
                    2 => Author::Revert("call".into()),
                    3 => Author::Formatter,
                    _ => Author::User,
                };
                let format = Format { ending: LineEnding::CrLf, ..document.format() };
                let edit = Transaction::new(changes).with_author(author);
                let edit = if *who == 5 { edit.format(format) } else { edit };
                document.apply(edit, &Selection::single(Range::new(end, start)), time);
            }
        }
    }
}

/// Everything that one sees of a tree: each revision with its text, found by going there.
fn seen(document: &mut Document) -> Vec<(usize, String, u64, Author, String)> {
    let all = document.history().len();
    let of = |document: &mut Document, n: usize| {
        let selection = document.travel(id_at(document.history(), n)).map(|applied| applied.selection);
        let text = document.text().to_string();
        let revision = document.history().at(n);
        let (parent, time, author) =
            revision.map_or((0, 0, Author::User), |r| (r.parent, r.time_ms, r.author.clone()));
        (parent, text, time, author, format!("{selection:?} {:?}", document.format()))
    };
    (0..all).map(|n| of(document, n)).collect()
}

/// A document with the text that another one has in its file, and that one's tree.
fn reopened(document: &Document, archive: &str) -> Document {
    let mut again = Document::new(&document.text().to_string(), document.format());
    again.adopt(read(archive, again.text()).unwrap());
    again
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn undo_archive_roundtrips_tree(first in "[abé\n]{0,20}", acts in proptest::collection::vec(act(), 0..14)) {
        let mut document = Document::new(&first, Format::default());
        perform(&mut document, &acts);
        let at = document.history().current();
        let Some(archive) = write(document.history(), document.text(), at, ROOMY) else {
            prop_assert!(document.history().is_empty());
            return Ok(());
        };
        let mut again = reopened(&document, &archive);
        let position = |document: &Document, id| document.history().position(id);
        prop_assert_eq!(position(&again, again.history().current()), position(&document, at));
        prop_assert!(!again.is_modified());
        // Undo and redo first, while both are where they were.
        let steps = |document: &mut Document| {
            let mut texts = Vec::new();
            while document.undo().is_some() {
                texts.push(document.text().to_string());
            }
            texts
        };
        prop_assert_eq!(steps(&mut document), steps(&mut again));
        prop_assert_eq!(seen(&mut document), seen(&mut again));
    }

    #[test]
    fn undo_archive_over_budget_keeps_newest_steps(
        acts in proptest::collection::vec(act(), 1..14), budget in 0usize..2_000,
    ) {
        let mut document = Document::new("abc\ndef\n", Format::default());
        perform(&mut document, &acts);
        let at = document.history().current();
        let Some(archive) = write(document.history(), document.text(), at, budget) else { return Ok(()) };
        let mut again = reopened(&document, &archive);
        while again.undo().is_some() {
            prop_assert!(document.undo().is_some());
            prop_assert_eq!(again.text(), document.text());
        }
    }

    /// Whatever becomes of an archive, it is refused or what it makes fits the text.
    #[test]
    fn undo_archive_damage_is_detected(
        acts in proptest::collection::vec(act(), 1..8), cut in 0.0f64..1.0, place in 0.0f64..1.0, byte: u8,
    ) {
        let mut document = Document::new("abc é\n", Format::default());
        perform(&mut document, &acts);
        let at = document.history().current();
        let Some(archive) = write(document.history(), document.text(), at, ROOMY) else { return Ok(()) };
        let torn = String::from_utf8_lossy(&archive.as_bytes()[..(archive.len() as f64 * cut) as usize]).into_owned();
        prop_assert!(read(&torn, document.text()).is_err());
        let mut changed = archive.clone().into_bytes();
        changed[(archive.len() as f64 * place) as usize] ^= byte | 1;
        let changed = String::from_utf8_lossy(&changed).into_owned();
        if let Ok(history) = read(&changed, document.text()) {
            let mut again = Document::new(&document.text().to_string(), document.format());
            again.adopt(history);
            seen(&mut again);
        }
    }

    #[test]
    fn undo_archive_any_text_is_safe(archive in "\\PC*", text in "[ab\n]{0,9}") {
        prop_assert!(read(&archive, &Text::from(text.as_str())).is_err());
    }

    /// Lines whose hash is right, but that make no tree.
    #[test]
    fn undo_archive_invalid_lines_are_refused_or_harmless(
        parents in proptest::collection::vec(0usize..5, 1..5),
        places in proptest::collection::vec((0usize..12, 0usize..12, "[é]{0,1}"), 4),
        at in 0usize..6, redo in proptest::option::of(0usize..9), primary in 0usize..2,
    ) {
        let text = Text::from("aé漢b\n");
        let mut lines = String::new();
        for (n, parent) in parents.iter().enumerate() {
            let line = Line {
                parent: *parent, redo, time_ms: 0, author: None, edits: vec![places[n % 4].clone()],
                before: Ranges(primary, vec![(3, 1000)]), after: Ranges(0, vec![(2, 1)]), formats: None,
            };
            lines += &(serde_json::to_string(&line).unwrap() + "\n");
        }
        let head = Head {
            undo_tree: VERSION, length: text.end().0, text: hash_of(&text), at, count: parents.len(),
            lines: hash(lines.as_bytes()),
        };
        let archive = serde_json::to_string(&head).unwrap() + "\n" + &lines;
        if let Ok(history) = read(&archive, &text) {
            let mut document = Document::new(&text.to_string(), Format::default());
            document.adopt(history);
            seen(&mut document);
        }
    }
}

#[test]
fn undo_archive_other_text_or_version_is_refused() {
    let mut document = Document::new("one\n", Format::default());
    perform(&mut document, &[Act::Edit(0, 0, "x".into(), 9)]);
    let archive = write(document.history(), document.text(), document.history().current(), ROOMY).unwrap();
    assert!(read(&archive, document.text()).is_ok());
    assert_eq!(read(&archive, &Text::from("xone!")).unwrap_err(), ArchiveError::OtherText);
    let newer = archive.replacen("\"undo_tree\":1", "\"undo_tree\":2", 1);
    assert_eq!(read(&newer, document.text()).unwrap_err(), ArchiveError::Version);
    assert_eq!(read("", document.text()).unwrap_err(), ArchiveError::Damaged);
}

#[test]
fn undo_archive_loads_below_newer_edits() {
    let mut before = Document::new("one", Format::default());
    perform(
        &mut before,
        &[Act::Edit(3, 0, " two".into(), 9), Act::Edit(0, 1, "O".into(), 9), Act::Travel(1)],
    );
    let archive = write(before.history(), before.text(), before.history().current(), ROOMY).unwrap();
    let mut now = Document::new("one two", Format::default());
    perform(&mut now, &[Act::Edit(7, 0, "!".into(), 9)]);
    now.mark_saved_at(now.history().root());
    now.adopt(read(&archive, &Text::from("one two")).unwrap());
    assert!(now.is_modified());
    let mut texts = vec![now.text().to_string()];
    while now.undo().is_some() {
        texts.push(now.text().to_string());
        if texts.len() == 2 {
            assert!(!now.is_modified(), "what the file holds");
        }
    }
    assert_eq!(texts, ["one two!", "one two", "one"]);
    while now.redo().is_some() {}
    assert_eq!(now.text().to_string(), "one two!");
    now.travel(id_at(now.history(), 2));
    assert_eq!(now.text().to_string(), "One two", "branches of the earlier run are there");
}
