//! Runs a search in an environment until the limit, the timeout or a cancellation.
//!
//! Must not know which tool requested it, nor the result format.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use crate::base::names;
use crate::exec::{EnvError, Environment, FileMatches, FindSpec, FoundPath, SearchSpec, SearchStats};
use crate::tools::contract::tool::Invocation;

/// Timeout, after which a search returns what it has.
const TIME_MAX: Duration = Duration::from_secs(30);
/// Grace period of a search after its timeout.
const GRACE: Duration = Duration::from_secs(1);
/// Maximum number of files and folders that are sorted.
const FOUND_MAX: usize = 500_000;

/// The results.
#[derive(Debug, Default)]
pub struct Gathered {
    /// By the order of paths, and the lines in theirs.
    pub files: Vec<FileMatches>,
    /// Number of matching lines.
    pub count: usize,
    /// Whether there are more than the limit.
    pub has_more: bool,
    /// Whether the time was up.
    pub timed_out: bool,
    /// What was skipped.
    pub done: SearchStats,
}

impl Gathered {
    /// Sorts the files: most recently changed first, then by path.
    pub fn newest_first(&mut self) {
        self.files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    }
}

/// Searches text; at most `most` matching lines, without a note if there are exactly as many.
pub async fn lines(call: &Invocation, mut spec: SearchSpec, most: usize) -> Result<Gathered, String> {
    let one_more = most.saturating_add(1);
    spec.max_per_file = Some(spec.max_per_file.unwrap_or(one_more).min(one_more));
    let around = (spec.before, spec.after);
    let state: Arc<Mutex<Gathered>> = Arc::default();
    let into = Arc::clone(&state);
    let sink = move |mut file: FileMatches| {
        let mut gathered = lock(&into);
        let room = most - gathered.count;
        if file.count > room {
            gathered.has_more = true;
            shorten(&mut file, room, around);
        }
        gathered.count += file.count;
        if file.count > 0 {
            gathered.files.push(file);
        }
        !gathered.has_more
    };
    let work = |cancel| call.env.search(spec, Box::new(sink), cancel);
    let (done, late) = with_timeout(call, work).await?;
    let gathered = std::mem::take(&mut *lock(&state));
    Ok(Gathered { timed_out: late, done, ..gathered })
}

/// Keeps the first matching lines, with their context.
fn shorten(file: &mut FileMatches, room: usize, (_, after): (usize, usize)) {
    file.count = room;
    if file.lines.is_empty() {
        return;
    }
    let mut seen = 0;
    let end = file.lines.iter().position(|line| {
        seen += usize::from(line.matches);
        seen > room
    });
    let end = end.unwrap_or(file.lines.len());
    // Context of the next match is not context of the last one.
    let last = file.lines[..end].iter().rposition(|line| line.matches);
    let keep = last.map_or(0, |last| {
        let number = file.lines[last].number;
        let is_context_after = |at: &usize| file.lines[*at].number <= number + after;
        (last + 1..end).take_while(is_context_after).count() + last + 1
    });
    file.lines.truncate(keep);
}

/// Finds files.
pub async fn paths(call: &Invocation, spec: FindSpec) -> Result<(Vec<FoundPath>, SearchStats, bool), String> {
    let state: Arc<Mutex<Vec<FoundPath>>> = Arc::default();
    let into = Arc::clone(&state);
    let sink = move |found| {
        let mut all = lock(&into);
        all.push(found);
        all.len() < FOUND_MAX
    };
    let (done, late) = with_timeout(call, |cancel| call.env.find(spec, Box::new(sink), cancel)).await?;
    let found = std::mem::take(&mut *lock(&state));
    Ok((found, done, late))
}

async fn with_timeout<'a, F>(
    call: &'a Invocation,
    work: impl FnOnce(CancellationToken) -> F,
) -> Result<(SearchStats, bool), String>
where
    F: Future<Output = Result<SearchStats, EnvError>> + 'a,
{
    let stop = call.cancel.child_token();
    let (done, late) = bounded(work(stop.clone()), &stop, TIME_MAX, GRACE).await;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    done.map(|done| (done, late)).map_err(|error| match error {
        EnvError::Pattern(pattern_error) => {
            format!("The pattern cannot be used: {}", pattern_error.trim_end())
        }
        EnvError::NotFound(_) => format!("{error}. List the folder above it to see what is there."),
        other => format!("{other}."),
    })
}

/// Returns the result of the work, and whether it timed out, which cancels it. A file that does not respond
/// at all is abandoned after `patience`.
async fn bounded(
    work: impl Future<Output = Result<SearchStats, EnvError>>,
    stop: &CancellationToken,
    time: Duration,
    timeout: Duration,
) -> (Result<SearchStats, EnvError>, bool) {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => (done, false),
        () = tokio::time::sleep(time) => {
            stop.cancel();
            let done = tokio::time::timeout(timeout, work).await;
            (done.unwrap_or_else(|_| Ok(SearchStats::default())), true)
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Returns notes on what a search skipped, each a sentence.
pub fn remarks(done: &SearchStats, late: bool) -> Vec<String> {
    let mut all = Vec::new();
    if late {
        all.push(format!(
            "Not everything was searched: {} s were over. Search a smaller folder or fewer files.",
            TIME_MAX.as_secs()
        ));
    }
    let were = |count| if count == 1 { "file was" } else { "files were" };
    if done.binary > 0 {
        all.push(format!(
            "{} binary {} not searched, or only up to the first NUL.",
            done.binary,
            were(done.binary)
        ));
    }
    if done.unreadable > 0 {
        let noun = if done.unreadable == 1 { "file or folder" } else { "files or folders" };
        all.push(format!("{} {noun} could not be read.", done.unreadable));
    }
    if done.unnamed > 0 {
        all.push(format!("{} names that are not UTF-8 were left out.", done.unnamed));
    }
    all
}

/// Returns a result with notes in brackets below it.
pub fn with_remarks(text: String, remarks: &[String]) -> String {
    if remarks.is_empty() { text } else { format!("{text}\n\n[{}]", remarks.join(" ")) }
}

/// Maximum characters of a line.
pub const LINE_CHARS: usize = 500;

/// Truncates a line; returns whether it was truncated.
pub fn cut_line(line: &str) -> (&str, bool) {
    line.char_indices().nth(LINE_CHARS).map_or((line, false), |(at, _)| (&line[..at], true))
}

/// Returns a name on one line.
pub fn on_one_line(name: &str) -> String {
    if name.contains(['\n', '\r']) {
        name.replace('\n', "\\n").replace('\r', "\\r")
    } else {
        name.to_string()
    }
}

/// Returns a path for models: relative to the workspace if inside, else absolute.
pub fn shown_path(env: &dyn Environment, path: &Path) -> String {
    on_one_line(&names::display(path.strip_prefix(env.root()).unwrap_or(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn search_ends_at_deadline() {
        let stop = CancellationToken::new();
        let never = std::future::pending();
        let (done, late) = bounded(never, &stop, Duration::ZERO, Duration::ZERO).await;
        assert_eq!((done.unwrap(), late, stop.is_cancelled()), (SearchStats::default(), true, true));
        let stop = CancellationToken::new();
        let told = stop.clone();
        let work = async move {
            told.cancelled().await;
            Ok(SearchStats { files: 3, ..SearchStats::default() })
        };
        let (done, late) = bounded(work, &stop, Duration::ZERO, Duration::from_hours(1)).await;
        assert_eq!((done.unwrap().files, late), (3, true));
        let ready = async { Ok(SearchStats { complete: true, ..SearchStats::default() }) };
        let (done, late) = bounded(ready, &CancellationToken::new(), Duration::ZERO, Duration::ZERO).await;
        assert!(done.unwrap().complete && !late);
    }

    #[test]
    fn search_remarks_list_skipped_files() {
        let done = SearchStats { binary: 1, unreadable: 2, ..SearchStats::default() };
        assert_eq!(
            remarks(&done, false),
            [
                "1 binary file was not searched, or only up to the first NUL.",
                "2 files or folders could not be read."
            ]
        );
        assert!(remarks(&SearchStats::default(), false).is_empty());
    }
}
