//! Damaged sessions of other programs, damaged entries and questions of any kind.

use bowline::session::Session;
use bowline::session::import::parts::lines;
use bowline::session::import::{Source, claude, codex};
use bowline::session::search::{Query, entry_text, snippet};
use bowline::session::store::import;

use crate::fuzz::run_target;
use crate::source::root;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("tests/fixtures/import").join(name)).unwrap()
}

#[test]
fn fuzz_session_import_of_broken_files_is_consistent() {
    let whole = [fixture("claude.jsonl"), fixture("codex.jsonl")];
    let temp = tempfile::tempdir().unwrap();
    let clock = bowline::base::clock::SystemClock::shared();
    let ids = bowline::base::ids::RandomIds::shared();
    run_target("imports", |chance| {
        let mut bytes = whole[chance.below(2)].clone();
        chance.damage(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        for story in [claude::read(lines(&text), "x"), codex::read(lines(&text), "x")] {
            let ids: std::collections::HashSet<&str> =
                story.entries.iter().map(bowline::session::Entry::id).collect();
            assert_eq!(ids.len(), story.entries.len());
            let known = |parent: &str| ids.contains(parent);
            assert!(story.entries.iter().all(|entry| entry.parent_id().is_none_or(known)));
        }
        // What was taken over can be opened, and is not taken twice.
        let file = temp.path().join("x.jsonl");
        std::fs::write(&file, &bytes).unwrap();
        let sessions = tempfile::tempdir_in(temp.path()).unwrap();
        let take = || import::import(sessions.path(), &file, None, &clock, &ids);
        if let Ok(done) = take() {
            let session = Session::open_read_only(&done.path, clock.clone(), ids.clone()).unwrap();
            assert_eq!((session.problems(), session.entries().len()), (&[][..], done.added));
            assert_eq!(take().unwrap().added, 0);
        }
    });
}

#[test]
fn fuzz_search_snippets_have_valid_marks() {
    let lines = fixture("claude.jsonl");
    let pi = import_as_pi(&lines);
    run_target("harvest", |chance| {
        let mut line = pi[chance.below(pi.len())].clone().into_bytes();
        chance.damage(&mut line);
        let mut asked = b"file:a.rs \"both files\" -x log* since:7d role:user project:\"w\"".to_vec();
        chance.damage(&mut asked);
        let (line, asked) = (String::from_utf8_lossy(&line), String::from_utf8_lossy(&asked));
        let query = Query::parse(&asked, 1_763_681_411_042, chance.below(2) == 0);
        let Some(found) = entry_text::parse_line(&line) else { return };
        let shown = snippet::excerpt(&found.text(), &query);
        assert!(shown.text.chars().all(|c| !c.is_control()));
        for mark in shown.marks {
            assert!(shown.text.get(mark).is_some_and(|text| !text.is_empty()));
        }
    });
}

/// Lines of our format.
fn import_as_pi(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(Source::of(lines(&text)), Some(Source::Claude));
    let story = claude::read(lines(&text), "x");
    story.entries.iter().map(|entry| entry.line().unwrap().into_owned()).collect()
}
