//! Computes changes of texts from an edited list, and the changes that undo a step. Pure and possibly slow:
//! must not be called on the event loop.

use crate::ide::features::project_search::job::ChangedFile;
use crate::ide::model::results::{KnownRows, Origin, RowEdit};
use crate::text::changes::ChangeSet;
use crate::text::diff;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::undo::rebase::{RebaseConflict, rebase, trim};

/// The planned changes of a text.
#[derive(Debug, Default)]
pub struct PlannedEdits {
    /// The changes.
    pub changes: ChangeSet,
    /// New data of the list: location, old text, new text.
    pub row_updates: Vec<(Origin, String, String)>,
    /// The listed lines whose text in the file differs from the result.
    pub stale: Vec<usize>,
}

/// Returns the changes that apply edits of the list to the text of their file; `ending` is the line ending
/// where the text does not determine it. The edits are sorted.
pub fn plan_edits(known: &KnownRows, row_edits: &[RowEdit], text: &Text, ending: &str) -> PlannedEdits {
    let before = text.to_string();
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', before.as_bytes()).map(|at| at + 1)).collect();
    let mut made = PlannedEdits::default();
    let mut edits = Vec::new();
    let mut end = 0;
    for RowEdit { origin, new } in row_edits {
        let old = known.get(origin).map(|found| found.old.as_str()).unwrap_or_default();
        let first = known.files[origin.file].current_line(origin.first);
        let line_bytes = line_range(&before, &starts, first, old.split('\n').count());
        match line_bytes.filter(|line_bytes| {
            line_bytes.start >= end && before[line_bytes.clone()].replace("\r\n", "\n") == old
        }) {
            None => made.stale.push(origin.first),
            Some(line_bytes) => {
                let rest = &before[line_bytes.start..];
                let line = rest.find('\n').map(|at| &rest[..=at]);
                let ending = line.map_or(ending, |line| if line.ends_with("\r\n") { "\r\n" } else { "\n" });
                end = line_bytes.end;
                edits.push((Byte(line_bytes.start)..Byte(line_bytes.end), new.replace('\n', ending)));
                made.row_updates.push((*origin, old.to_string(), new.clone()));
            }
        }
    }
    made.changes = trim(&ChangeSet::replace(before.len(), edits), text);
    made
}

/// Returns the range of `count` lines from one on, without the ending of the last one.
fn line_range(text: &str, starts: &[usize], first: usize, count: usize) -> Option<std::ops::Range<usize>> {
    let start = *starts.get(first.checked_sub(1)?)?;
    let last = *starts.get(first + count - 2)?;
    let line = &text[last..starts.get(first + count - 1).copied().unwrap_or(text.len())];
    let line = line.strip_suffix('\n').unwrap_or(line);
    Some(start..last + line.strip_suffix('\r').unwrap_or(line).len())
}

/// Returns the changes that undo a change in the current text; `None` if it already has the old content.
/// Fails if the same location was changed since.
pub fn invert_change(changed: &ChangedFile, now: &Text) -> Result<Option<ChangeSet>, RebaseConflict> {
    if *now == changed.before {
        return Ok(None);
    }
    let back = changed.changes.invert(&changed.before);
    if *now == changed.after {
        return Ok(Some(back));
    }
    let later = diff::change(&changed.after.to_string(), &now.to_string());
    // A diff may split one word: text replaced beside the change is the same location. Text only inserted
    // beside it stays.
    let replaced: Vec<_> = later.edits().filter(|edit| !edit.old.is_empty()).collect();
    for ours in back.edits() {
        let next = replaced.partition_point(|edit| edit.old.end < ours.old.start);
        if let Some(edit) = replaced.get(next).filter(|edit| edit.old.start <= ours.old.end) {
            return Err(RebaseConflict { at: edit.new.clone() });
        }
    }
    rebase(&back, &later).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::model::results::{FoundText, ListedFile};

    /// One file with these lines found in it.
    fn known(found: &[(usize, usize, &str)]) -> KnownRows {
        let mut known = KnownRows::default();
        let file = ListedFile { path: "f".into(), name: "f".into(), shifts: Vec::new() };
        let place = |(first, last, old): &(usize, usize, &str)| {
            (Origin { file: 0, first: *first, last: *last }, FoundText { old: (*old).to_string(), at: 0 })
        };
        known.add(vec![file], found.iter().map(place));
        known
    }

    /// The text after the wishes of a list, and the lines that are not as they were found.
    fn apply(known: &KnownRows, list: &str, text: &str) -> (String, Vec<usize>) {
        let (wishes, problems) = known.parse_edits(list);
        assert_eq!(problems, [""; 0]);
        let mut after = Text::from(text);
        let made = plan_edits(known, &wishes, &after, "\n");
        made.changes.apply(&mut after);
        (after.to_string(), made.stale)
    }

    #[test]
    fn results_edits_keep_line_endings() {
        let found = known(&[(1, 1, "é"), (2, 3, "b\nc"), (4, 4, "d")]);
        let text = "é\r\nb\r\nc\r\nd";
        assert_eq!(apply(&found, "f:1:漢\n:x\nf:2-3:bc\nf:4:D\n:E", text).0, "漢\r\nx\r\nbc\r\nD\nE");
        assert_eq!(apply(&found, "f:4:", text).0, "é\r\nb\r\nc\r\n");
        assert_eq!(apply(&found, "", text).0, text);
    }

    #[test]
    fn results_stale_lines_are_skipped() {
        let found = known(&[(1, 1, "a"), (2, 2, "b"), (9, 9, "z")]);
        let list = "f:1:A\nf:2:B\nf:9:Z";
        assert_eq!(apply(&found, list, "a\nB?\n"), ("A\nB?\n".to_string(), vec![2, 9]));
        assert_eq!(apply(&found, list, ""), (String::new(), vec![1, 2, 9]));
    }

    fn changed(before: &str, list: &str, found: &[(usize, usize, &str)]) -> ChangedFile {
        let known = known(found);
        let (before, wishes) = (Text::from(before), known.parse_edits(list).0);
        let made = plan_edits(&known, &wishes, &before, "\n");
        let mut after = before.clone();
        made.changes.apply(&mut after);
        let (path, name, known) = ("f".into(), "f".to_string(), made.row_updates);
        ChangedFile {
            path,
            name,
            before,
            changes: made.changes,
            after,
            edit_count: wishes.len(),
            row_updates: known,
            revision: None,
        }
    }

    #[test]
    fn results_change_is_undone_beside_later_edits() {
        let done = changed("one\ntwo\nthree\n", "f:1:ONE\nf:3:three!", &[(1, 1, "one"), (3, 3, "three")]);
        assert_eq!(done.after.to_string(), "ONE\ntwo\nthree!\n");
        let back = |now: &str| {
            let mut text = Text::from(now);
            invert_change(&done, &text).map(|changes| {
                if let Some(changes) = changes {
                    changes.apply(&mut text);
                }
                text.to_string()
            })
        };
        assert_eq!(back("ONE\ntwo\nthree!\n").unwrap(), "one\ntwo\nthree\n");
        assert_eq!(back("new\nONE\n2\nthree!\n").unwrap(), "new\none\n2\nthree\n");
        assert_eq!(back("one\ntwo\nthree\n").unwrap(), "one\ntwo\nthree\n", "it is so already");
        assert!(back("uno\ntwo\nthree!\n").is_err());
    }

    #[test]
    fn results_undo_refuses_partly_changed_word() {
        let done = changed("let foo;\n", "f:1:let fob;", &[(1, 1, "let foo;")]);
        let back = |now: &str| invert_change(&done, &Text::from(now));
        assert!(back("let ab;\n").is_err(), "not `ao`");
        assert!(back("let fobar;\n").is_ok_and(|changes| changes.is_some()));
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        /// What a list says stands in the file afterwards, whatever was typed, and all of it comes
        /// back; what is not in the list stays.
        #[test]
        fn results_edits_apply_and_invert(
            lines in proptest::collection::vec("[a:é1-]{0,4}", 1..8),
            wanted in proptest::collection::vec(proptest::option::of("[a:é1-]{0,3}(\n[a:]{0,2}){0,2}"), 8),
            ending in proptest::sample::select(vec!["\n", "\r\n"]),
        ) {
            let found: Vec<_> = lines.iter().enumerate().map(|(n, line)| (n + 1, n + 1, line.as_str())).collect();
            let list: String = wanted.iter().zip(&found).filter_map(|(new, (line, ..))| {
                new.as_ref().map(|new| crate::ide::model::results::format_row("f", *line, *line, new))
            }).collect();
            let expected: Vec<String> = wanted.iter().zip(&lines).map(|(new, old)| {
                new.as_ref().unwrap_or(old).replace('\n', ending)
            }).collect();
            let before = lines.join(ending);
            let known = known(&found);
            let (wishes, problems) = known.parse_edits(&list);
            proptest::prop_assert!(problems.is_empty());
            let mut text = Text::from(before.as_str());
            let made = plan_edits(&known, &wishes, &text, ending);
            proptest::prop_assert!(made.stale.is_empty());
            let back = made.changes.invert(&text);
            made.changes.apply(&mut text);
            proptest::prop_assert_eq!(text.to_string(), expected.join(ending));
            back.apply(&mut text);
            proptest::prop_assert_eq!(text.to_string(), before);
        }
    }

    #[test]
    fn results_later_lines_shift_after_line_count_change() {
        let mut found = known(&[(1, 1, "a"), (3, 3, "c")]);
        let mut text = Text::from("a\nb\nc\n");
        plan_edits(&found, &found.parse_edits("f:1:a\n:a2").0, &text, "\n").changes.apply(&mut text);
        found.set(Origin { file: 0, first: 1, last: 1 }, "a\na2");
        found.files[0].shifts.push((1, 1));
        assert_eq!(apply(&found, "f:1:A\nf:3:C", &text.to_string()), ("A\nb\nC\n".to_string(), vec![]));
    }
}
