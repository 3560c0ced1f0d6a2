//! What stands around the editor: lists over a million files, what is shown beside them, themes.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bowline::ide::core::layers::layer::Layer;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::core::state::State;

use crate::completion::paths;
use crate::conversation::write_session;
use crate::open_session::OpenSession;
use crate::{Effort, percentile, report};

/// Queries, typed letter by letter: one that many files match, one that few do, one that none does.
const QUERIES: [&str; 3] = ["parser", "src/model_3", "zzq"];
/// How long a list may take to be filled.
const FILLED_MAX: Duration = Duration::from_mins(2);

/// Writes so many empty files in a folder, and one with text.
fn write_files(root: &Path, count: usize) {
    let mut last = "";
    let all = paths(count);
    for path in all.split_terminator('\0') {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder != last {
            fs::create_dir_all(root.join(folder)).unwrap();
            last = folder;
        }
        fs::File::create(root.join(path)).unwrap();
    }
    fs::write(root.join("shown.rs"), "fn shown() {}\n".repeat(100)).unwrap();
}

fn top(state: &State) -> Option<&Picker> {
    state.layers.top::<Picker>()
}

/// The list of files: first rows, each key of a query, and the file beside the list.
pub fn picker(effort: Effort) {
    let count = if effort.quick { 2_000 } else { 1_000_000 };
    let mut session = OpenSession::new(|folder| {
        write_files(&folder.join("work"), count);
        write_session(folder, 10)
    });
    let has_rows = |state: &State| top(state).is_some_and(|picker| picker.matches() > 0);
    let first = session.press_until("Ctrl-p", has_rows, FILLED_MAX);
    report("1 M files: first rows after the key", first.wall, "ms", None, "<= 16 ms");
    let is_full = |state: &State| top(state).is_some_and(|picker| picker.total() as usize >= count);
    let filled = session.wait_until(is_full, FILLED_MAX);
    report("1 M files: listed, none known", filled.wall, "ms", None, "");
    let mut longest = first.longest.max(filled.longest);
    session.longest_step();
    session.longest_of("Escape");
    let again = session.press_until("Ctrl-p", has_rows, FILLED_MAX);
    longest = longest.max(again.longest);
    report("1 M files: first rows, list known", again.wall, "ms", None, "<= 16 ms");
    longest = longest.max(session.wait_until(is_full, FILLED_MAX).longest);
    longest = longest.max(session.longest_step());
    let (mut keys, mut complete) = (Vec::new(), Vec::new());
    for query in QUERIES {
        for n in 1..=query.len() {
            let key = query[n - 1..n].to_string();
            let first =
                session.press_until(&key, |state| top(state).is_some_and(Picker::shows_query), FILLED_MAX);
            keys.push(first.wall);
            let all = session.wait_until(
                |state| top(state).is_some_and(|picker| picker.shows_query() && !picker.is_busy()),
                FILLED_MAX,
            );
            longest = longest.max(first.longest).max(all.longest);
            complete.push(first.wall + all.wall);
        }
        for _ in 0..query.len() {
            longest = longest.max(session.longest_of("Backspace"));
        }
    }
    report("1 M files: first matches of a key, p50", percentile(&mut keys, 0.5), "ms", None, "<= 16 ms");
    report("1 M files: first matches of a key, max", percentile(&mut keys, 1.0), "ms", None, "<= 16 ms");
    report("1 M files: all matches of a key, p50", percentile(&mut complete, 0.5), "ms", None, "");
    report("1 M files: all matches of a key, max", percentile(&mut complete, 1.0), "ms", None, "");
    for letter in ["s", "h", "o", "w", "n"] {
        longest = longest.max(session.longest_of(letter));
    }
    session.longest_of("Up");
    session.longest_of("Escape");
    report("1 M files: a step on the loop, max", longest, "ms", None, "<= 16 ms");
}

/// From a key that selects a file to its text beside the list.
pub fn preview(effort: Effort) {
    let mut session = OpenSession::new(|folder| {
        let root = folder.join("work");
        for n in 0..20 {
            let text = format!("fn function_{n}() {{ let text = \"words\"; }}\n").repeat(1_000);
            fs::write(root.join(format!("file{n:02}.rs")), text).unwrap();
        }
        write_session(folder, 10)
    });
    session.longest_of("Ctrl-p");
    let (mut walls, mut longest) = (Vec::new(), 0.0_f64);
    for n in 1..=effort.times(10) {
        let shown = format!("fn function_{n}()");
        let done = session.press_until_text("Down", &shown, FILLED_MAX);
        walls.push(done.wall);
        longest = longest.max(done.longest);
    }
    report("file beside a list, max", percentile(&mut walls, 1.0), "ms", None, "<= 50 ms");
    report("file beside a list: a step on the loop, max", longest, "ms", None, "<= 16 ms");
}

/// Each theme, shown as its row is selected.
pub fn themes(effort: Effort) {
    let mut session = OpenSession::new(|folder| {
        fs::write(folder.join("work/a.rs"), "fn function() { let text = \"words\"; }\n".repeat(10_000))
            .unwrap();
        write_session(folder, 1_000)
    });
    session.longest_of("Ctrl-p");
    session.longest_of("Enter");
    session.longest_of("F1");
    for key in ["C", "h", "o", "o", "s", "e", " ", "t", "h", "e", "m", "e"] {
        session.longest_of(if key == " " { "Space" } else { key });
    }
    session.longest_of("Enter");
    assert!(top(&session.source.app.state).is_some(), "the list of themes is open");
    let mut steps: Vec<f64> = (0..effort.times(24)).map(|_| session.longest_of("Down")).collect();
    report("theme switch, max", percentile(&mut steps, 1.0), "ms", None, "<= 16 ms");
}
