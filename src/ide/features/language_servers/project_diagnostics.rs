//! Diagnostics of files that are not open: what servers send of them by themselves, and what they answer when they are asked
//! for all files of the project. Only what a list shows is kept, and not too much of it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::language_servers::questions::{client, note_problems};
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, ServedText};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::diagnostic_counts::Change;
use crate::ide::model::diagnostics::{Counts, Mark, Source};
use crate::lsp::answers::diagnostics::{BriefDiagnostic, Severity};
use crate::lsp::client::QuestionError;
use crate::lsp::client::incoming::FileReport;
use crate::lsp::client::pulled::WORKSPACE;
use crate::lsp::document::DocumentText;
use crate::lsp::position::Encoding;
use crate::lsp::table::Feature;
use crate::text::position::Byte;

/// Maximum number that are kept of all servers.
const KEPT_MAX: usize = 100_000;
/// From this many on they are dropped by a task.
const DROPPED_MAX: usize = 500;

/// Maximum number of a file that are shown when it is opened.
const SHOWN_MAX: usize = 500;

/// Those of a file: sent, and asked for.
type OfFile = [Vec<BriefDiagnostic>; 2];

/// Those of a server, by file.
#[derive(Debug, Default)]
struct OfServer {
    /// By the bytes of paths: comparing paths compares their parts, which takes several times as long.
    files: BTreeMap<OsString, OfFile>,
    count: usize,
    /// The unit of columns.
    encoding: Encoding,
}

/// All of them, by server.
#[derive(Debug, Default)]
pub struct ProjectDiagnostics {
    servers: BTreeMap<u32, OfServer>,
}

impl ProjectDiagnostics {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.servers.values().all(|server| server.count == 0)
    }

    /// Returns those of a severity, by server and file, with the unit of their columns.
    pub fn of_severity(
        &self,
        severity: Severity,
    ) -> impl Iterator<Item = (&Path, &BriefDiagnostic, Encoding)> {
        let servers = self.servers.values();
        let files = servers.flat_map(|server| server.files.iter().map(|file| (file, server.encoding)));
        let all = files.flat_map(|((path, found), encoding)| {
            found.iter().flatten().map(move |one| (Path::new(path), one, encoding))
        });
        all.filter(move |(_, one, _)| one.severity == severity)
    }

    fn count(&self) -> usize {
        self.servers.values().map(|server| server.count).sum()
    }

    /// Whether any of a server are known of a file.
    fn has(&self, server: u32, path: &Path) -> bool {
        self.servers.get(&server).is_some_and(|known| known.files.contains_key(path.as_os_str()))
    }

    /// Replaces those of a file; returns those before, or the new ones if they are too many.
    fn set(&mut self, server: u32, is_pulled: bool, report: FileReport) -> Result<Replaced, Replaced> {
        let FileReport { path, diagnostics, encoding } = report;
        let total = self.count();
        let known = self.servers.entry(server).or_default();
        known.encoding = encoding;
        let path = path.into_os_string();
        let found = known.files.get_mut(&path);
        let before = found.as_ref().map_or(0, |found| found[usize::from(is_pulled)].len());
        if total - before + diagnostics.len() > KEPT_MAX {
            return Err(diagnostics);
        }
        known.count = known.count - before + diagnostics.len();
        let Some(found) = found else {
            if !diagnostics.is_empty() {
                let mut new = OfFile::default();
                new[usize::from(is_pulled)] = diagnostics;
                known.files.insert(path, new);
            }
            return Ok(Vec::new());
        };
        let old = std::mem::replace(&mut found[usize::from(is_pulled)], diagnostics);
        if found.iter().all(Vec::is_empty) {
            known.files.remove(&path);
        }
        Ok(old)
    }

    /// Drops those of a path and all below it; returns what has changed, by server.
    fn remove_below(&mut self, path: &Path) -> Vec<(u32, Vec<Change>)> {
        let mut by_server = Vec::new();
        for (number, server) in &mut self.servers {
            let begin = path.as_os_str();
            let below = server.files.range::<OsStr, _>((Bound::Included(begin), Bound::Unbounded));
            // Beside what is below a folder `a` there is `a.rs`.
            let below = below
                .map(|(found, _)| found.clone())
                .take_while(|found| found.as_encoded_bytes().starts_with(begin.as_encoded_bytes()))
                .filter(|found| Path::new(found).starts_with(path));
            let mut changes = Vec::new();
            for path in below.collect::<Vec<_>>() {
                let found = server.files.remove(&path).unwrap_or_default();
                server.count -= found.iter().map(Vec::len).sum::<usize>();
                let before = counts(&found[0]).with(counts(&found[1]));
                changes.push(Change { path: path.into(), before, after: Counts::default() });
            }
            by_server.push((*number, changes));
        }
        by_server
    }
}

/// What is not kept any more.
type Replaced = Vec<BriefDiagnostic>;

/// Takes in what a server has found in files. Once no text asks it for diagnostics, only files that are known already get new
/// ones: what is kept of them would be outdated.
pub fn take_in(cx: &mut Cx<'_>, number: u32, is_pulled: bool, reports: Vec<FileReport>) {
    let workspace = cx.state.workspace.clone();
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    let asks = |text: &ServedText| {
        let mut servers = text.servers.iter();
        servers.any(|one| one.server == number && one.features.contains(Feature::Diagnostics))
    };
    let is_asked = known.texts.values().any(asks);
    let (mut dropped, mut is_full) = (Vec::new(), false);
    // Libraries have diagnostics that the user cannot do anything about.
    let reports = reports.into_iter().filter(|report| report.path.starts_with(&workspace));
    let mut changes = Vec::new();
    for report in reports {
        if !is_asked && !report.diagnostics.is_empty() && !known.project.has(number, &report.path) {
            continue;
        }
        let (path, after) = (report.path.clone(), counts(&report.diagnostics));
        match known.project.set(number, is_pulled, report) {
            Ok(old) => {
                changes.push(Change { path, before: counts(&old), after });
                dropped.push(old);
            }
            Err(new) => {
                is_full = true;
                dropped.push(new);
            }
        }
    }
    if let Some(server) = known.server_mut(number).filter(|_| is_full) {
        server.note(format!(
            "more than {KEPT_MAX} diagnostics of files that are not open; the rest is dropped"
        ));
    }
    if dropped.iter().map(Vec::len).sum::<usize>() > DROPPED_MAX {
        cx.tasks.spawn_blocking("language-servers.drop", move || drop(dropped), |_, _| {});
    }
    count(cx, number, changes);
}

fn counts(found: &[BriefDiagnostic]) -> Counts {
    Counts::of(found.iter().map(|one| one.severity))
}

/// Counts what has changed in files, for the tree and the status line.
fn count(cx: &mut Cx<'_>, number: u32, changes: Vec<Change>) {
    if cx.state.files.diagnostics.change(number, &cx.state.workspace, changes) {
        cx.state.damage.add(Part::Files);
        cx.state.damage.add(Part::Status);
    }
}

/// Forgets what was found in a file, or below a folder, that does not exist any more. Not every server takes that back.
pub fn forget_path(cx: &mut Cx<'_>, path: &Path) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.servers.iter().any(|server| server.offers(WORKSPACE)) {
        known.forgotten_reports.push(path.to_path_buf());
    }
    for (number, changes) in known.project.remove_below(path) {
        count(cx, number, changes);
    }
}

/// Has servers report anew what was forgotten since the last call: a file that returns has no diagnostics if its server says
/// that they are as before.
pub fn flush_forgotten(cx: &mut Cx<'_>) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.forgotten_reports.is_empty() {
        return;
    }
    let paths = std::mem::take(&mut known.forgotten_reports);
    let clients: Vec<_> =
        known.servers.iter().filter(|server| server.offers(WORKSPACE)).map(client).collect();
    let work = async move {
        // One that has ended knows no reports.
        for client in futures::future::join_all(clients).await.into_iter().flatten() {
            client.forget_reports(&paths);
        }
    };
    cx.tasks.spawn("language-servers.forget-reports", work, |cx, done| {
        answer_or_error(cx, "forget reports of language servers", done);
    });
}

/// A text was opened: shows what was found in its file before, until its servers look at it as it is. Some send that only
/// once.
pub fn show_known(cx: &mut Cx<'_>, id: BufferId) {
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(served) = known.texts.get(&id) else { return };
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let asked = served.servers.iter().filter(|serving| serving.features.contains(Feature::Diagnostics));
    for (server, found) in asked.filter_map(|one| Some((one.server, known.project.servers.get(&one.server)?)))
    {
        let Some(of_file) = found.files.get(served.path.as_os_str()) else { continue };
        for (is_pulled, briefs) in [false, true].into_iter().zip(of_file) {
            let text = buffer.area.text();
            let mark = |brief: &BriefDiagnostic| {
                let range = text.offsets(brief.range, found.encoding);
                Mark { range: Byte(range.start)..Byte(range.end), diagnostic: brief.whole() }
            };
            let marks: Vec<Mark> = briefs.iter().take(SHOWN_MAX).map(mark).collect();
            buffer.servers.diagnostics.set(Source { server, is_pulled }, marks);
        }
    }
    cx.state.damage.add(Part::Editor);
    cx.state.damage.add(Part::Status);
}

/// Forgets what a server has found, because it does not run any more.
pub fn forget(cx: &mut Cx<'_>, number: u32) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if let Some(server) = known.server_mut(number) {
        server.project_pull = None;
    }
    let gone = known.project.servers.remove(&number);
    let counts = cx.state.files.diagnostics.take(number);
    if counts.is_some() {
        cx.state.damage.add(Part::Files);
    }
    if let Some(gone) = gone.filter(|gone| gone.count > DROPPED_MAX) {
        cx.tasks.spawn_blocking("language-servers.drop", move || drop((gone, counts)), |_, _| {});
    }
}

/// Asks a server for the diagnostics of all files, if it offers that. A question that it has not answered yet is taken
/// back.
pub fn pull(cx: &mut Cx<'_>, number: u32) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    let Some(server) = known.server_mut(number).filter(|server| server.offers(WORKSPACE)) else { return };
    let cancel = CancellationToken::new();
    server.project_pull = Some(cancel.clone().drop_guard());
    let mine = cancel.clone();
    let client = client(server);
    let tasks = cx.tasks.clone();
    // A server may answer only when something changes: nothing waits for that.
    cx.tasks.detach(async move {
        let asked = async { Some(client.await?.pull_project().await) };
        let Some(found) = cancel.run_until_cancelled(asked).await.flatten() else { return };
        let taken_in = move |cx: &mut Cx<'_>| {
            // One that is taken back has been followed by another.
            if !mine.is_cancelled() {
                on_pulled(cx, number, found);
            }
        };
        tasks.post("language-servers.project-diagnostics", taken_in).await;
    });
}

fn on_pulled(cx: &mut Cx<'_>, number: u32, found: Result<Vec<FileReport>, QuestionError>) {
    if let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
        server.project_pull = None;
    }
    match found {
        Ok(reports) => take_in(cx, number, true, reports),
        Err(QuestionError::NotOffered) => {}
        Err(error) => note_problems(cx.state, "diagnostics of the project", vec![(number, error)]),
    }
}

/// A text was saved: asks its servers again, unless they still have not answered.
pub fn on_saved(cx: &mut Cx<'_>, id: BufferId) {
    let servers = cx.state.slots[LANGUAGE_SERVERS].for_feature(id, Feature::Diagnostics).into_iter();
    let idle: Vec<u32> =
        servers.filter(|server| server.project_pull.is_none()).map(|server| server.number).collect();
    for number in idle {
        pull(cx, number);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::lsp::position::Range;

    fn report(path: &str, severities: &[Severity]) -> FileReport {
        let one = |severity: &Severity| BriefDiagnostic {
            range: Range::default(),
            severity: *severity,
            message: "m".into(),
            origin: "".into(),
        };
        FileReport {
            path: PathBuf::from(path),
            diagnostics: severities.iter().map(one).collect(),
            encoding: Encoding::Utf8,
        }
    }

    #[test]
    fn project_diagnostics_of_a_file_replace_those_of_the_same_kind() {
        let mut all = ProjectDiagnostics::default();
        let (error, hint) = (Severity::Error, Severity::Hint);
        all.set(1, false, report("/b", &[error, hint])).unwrap();
        all.set(1, true, report("/b", &[error])).unwrap();
        all.set(2, true, report("/a", &[error])).unwrap();
        let paths = |all: &ProjectDiagnostics, severity| {
            all.of_severity(severity).map(|(path, ..)| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(paths(&all, error), ["/b", "/b", "/a"]);
        assert_eq!(paths(&all, hint), ["/b"]);
        assert_eq!(all.set(1, false, report("/b", &[])).unwrap().len(), 2);
        assert_eq!((paths(&all, error).len(), paths(&all, hint).len(), all.count()), (2, 0, 2));
        all.set(1, true, report("/b", &[])).unwrap();
        all.set(2, true, report("/a", &[])).unwrap();
        assert!(all.is_empty() && all.servers.values().all(|server| server.files.is_empty()));
    }

    #[test]
    fn project_diagnostics_below_a_removed_path_are_forgotten_and_no_others() {
        let mut all = ProjectDiagnostics::default();
        for path in ["/a", "/a-b", "/a/x", "/a/y/z", "/ab"] {
            all.set(1, false, report(path, &[Severity::Error])).unwrap();
        }
        let removed = all.remove_below(Path::new("/a"));
        let paths = removed[0].1.iter().map(|change| change.path.display().to_string());
        assert_eq!(paths.collect::<Vec<_>>(), ["/a", "/a/x", "/a/y/z"]);
        assert_eq!(all.count(), 2);
        let left = all.of_severity(Severity::Error).map(|(path, ..)| path.display().to_string());
        assert_eq!(left.collect::<Vec<_>>(), ["/a-b", "/ab"]);
    }

    #[test]
    fn project_diagnostics_are_bounded() {
        let mut all = ProjectDiagnostics::default();
        let many = vec![Severity::Error; KEPT_MAX - 1];
        all.set(1, true, report("/a", &many)).unwrap();
        assert!(all.set(2, true, report("/b", &[Severity::Error; 2])).is_err());
        assert_eq!(all.count(), KEPT_MAX - 1);
        assert!(all.set(1, true, report("/a", &[Severity::Error])).is_ok());
        assert!(all.set(2, true, report("/b", &[Severity::Error; 2])).is_ok());
    }
}
