//! Which files of the project were shown or opened, and how much they are used. Kept for the next start, and read and written in
//! tasks. Must not know the lists that it sorts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::names;
use crate::exec::CacheFolder;
use crate::exec::storage::cache::Limits;
use crate::ide::core::context::Cx;
use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::recovery::journal::key_of;
use crate::ide::features::reopen::state::REOPEN;
use crate::ide::features::tutor::commands::TUTOR_FOLDER;

/// Files that are kept for a project.
const KEPT_MAX: usize = 200;
/// Maximum bytes of the file that is read; what is written is shorter unless paths are very long.
const FILE_MAX: u64 = 1 << 20;
/// Limits of the files of all projects.
const LIMITS: Limits = Limits { bytes: 8 << 20, age: Duration::from_hours(365 * 24) };
/// Time in which a use loses half of its worth.
const HALF_LIFE: Duration = Duration::from_hours(7 * 24);
/// A file that is shown again within this time is used once: going to and fro between two files is one use of both.
const ONE_USE: Duration = Duration::from_mins(1);
/// Maximum bonus in a list: less than a letter that matches counts there.
const BONUS_MAX: f64 = 12.0;

/// Slot of the files.
pub const RECENT_FILES: Slot<RecentFiles> = Slot::new();

/// A file that was shown.
#[derive(Debug, Clone, PartialEq)]
pub struct UsedFile {
    /// Where it is.
    pub path: PathBuf,
    /// When it was shown last, in milliseconds since the epoch.
    pub last_ms: u64,
    /// How much it was used, as of then.
    score: f64,
}

impl UsedFile {
    /// Returns how much it is used: every use counts 1 and decays exponentially, as in Firefox. Unlike with steps of age,
    /// as in zoxide, no file overtakes another one while neither is used, and one number holds all uses. Where the clock
    /// was set back, nothing decays until it has caught up.
    fn score(&self, now_ms: u64) -> f64 {
        let age = Duration::from_millis(now_ms.saturating_sub(self.last_ms));
        self.score * 0.5_f64.powf(age.as_secs_f64() / HALF_LIFE.as_secs_f64())
    }

    /// Returns what is added to its score in a list: it rises with the logarithm of the uses.
    pub fn bonus(&self, now_ms: u64) -> u32 {
        (4.0 * (1.0 + self.score(now_ms)).log2()).min(BONUS_MAX).round() as u32
    }
}

/// The files of a project, the last shown first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsedFiles(Vec<UsedFile>);

impl UsedFiles {
    /// Reads the stored form: a line `["path",1763681400000,1.5]` a file. Lines that are damaged are left out.
    fn parse(text: &str) -> Self {
        let parse = |line: &str| {
            let (path, last_ms, score): (String, u64, f64) = serde_json::from_str(line).ok()?;
            let path = names::parse(&path).into_owned();
            let is_sound = path.is_absolute() && score.is_finite() && score >= 0.0;
            is_sound.then_some(UsedFile { path, last_ms, score })
        };
        let mut files = Self(text.lines().filter_map(parse).collect());
        let mut known = std::collections::HashSet::new();
        files.0.retain(|file| known.insert(file.path.clone()));
        files.0.truncate(KEPT_MAX);
        files
    }

    fn serialize(&self) -> Result<String, serde_json::Error> {
        let line =
            |file: &UsedFile| serde_json::to_string(&(names::display(&file.path), file.last_ms, file.score));
        let lines: Result<Vec<String>, _> = self.0.iter().map(line).collect();
        Ok(lines?.into_iter().flat_map(|line| [line, "\n".to_string()]).collect())
    }

    /// Records that a file is shown. Their order is that of use, whatever the clock says.
    fn note(&mut self, path: &Path, now_ms: u64) {
        let known = self.0.iter().position(|file| file.path == path).map(|at| self.0.remove(at));
        let is_one_use = |file: &UsedFile| now_ms.saturating_sub(file.last_ms) < ONE_USE.as_millis() as u64;
        let score = match &known {
            // Not after the clock was set back: then the time of the last use is unknown.
            Some(file) if is_one_use(file) && file.last_ms <= now_ms => file.score(now_ms),
            Some(file) => file.score(now_ms) + 1.0,
            None => 1.0,
        };
        self.0.insert(0, UsedFile { path: path.to_path_buf(), last_ms: now_ms, score });
        if self.0.len() > KEPT_MAX {
            // The least used one makes room, but not the new one.
            let scores = self.0.iter().enumerate().skip(1).map(|(at, file)| (at, file.score(now_ms)));
            let least = scores.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at);
            self.0.remove(least.unwrap_or(KEPT_MAX));
        }
    }
}

/// The files of this project, and their storage.
#[derive(Debug)]
pub struct RecentFiles {
    files: UsedFiles,
    /// Uses that are not written yet.
    unwritten: Vec<(PathBuf, u64)>,
    is_writing: bool,
    /// The file that was shown when it was looked at last.
    shown: Option<PathBuf>,
    /// Folder and name of the file.
    folder: PathBuf,
    name: String,
}

impl RecentFiles {
    /// None yet.
    pub fn new(options: &Options) -> Self {
        Self {
            files: UsedFiles::default(),
            unwritten: Vec::new(),
            is_writing: false,
            shown: None,
            folder: options.state.join("recent-files"),
            name: key_of(&options.workspace),
        }
    }
}

/// Returns the files without the shown one, the last shown first. Some may be gone.
pub fn others(state: &State) -> impl Iterator<Item = &UsedFile> {
    let shown = state.buffers.current().and_then(|buffer| buffer.path.as_deref());
    state.slots[RECENT_FILES].files.0.iter().filter(move |file| Some(file.path.as_path()) != shown)
}

/// Records the shown file, once it is another one.
pub fn note_shown(cx: &mut Cx<'_>) {
    // What is no file yet is noted when it is saved.
    let shown = cx.state.buffers.current().filter(|buffer| buffer.stamp.is_some());
    let Some(path) = shown.and_then(|buffer| buffer.path.as_ref()) else { return };
    if cx.state.slots[RECENT_FILES].shown.as_ref() == Some(path)
        || cx.state.slots[TUTOR_FOLDER].is_visited(path, &cx.state.workspace)
    {
        return;
    }
    let path = path.clone();
    let recent = &mut cx.state.slots[RECENT_FILES];
    recent.shown = Some(path.clone());
    recent.files.note(&path, cx.now_ms);
    recent.unwritten.push((path, cx.now_ms));
    synchronize(cx);
}

/// Records a file that was opened behind the shown one. Files that are open again from the last run were not chosen.
pub fn note_behind(cx: &mut Cx<'_>, path: &Path) {
    let is_reopening = cx.state.slots[REOPEN].restored.is_some();
    if is_reopening || cx.state.slots[TUTOR_FOLDER].is_visited(path, &cx.state.workspace) {
        return;
    }
    let recent = &mut cx.state.slots[RECENT_FILES];
    recent.files.note(path, cx.now_ms);
    recent.unwritten.push((path.to_path_buf(), cx.now_ms));
    // The shown one is noted again, after it: it stays the last one that was used.
    recent.shown = None;
    synchronize(cx);
}

/// Adds the uses that are not written yet to the stored ones, and takes over those that other windows have added. They
/// are read, changed and replaced as a whole: if two programs do so at the same moment, the use of one is lost.
pub fn synchronize(cx: &mut Cx<'_>) {
    let recent = &mut cx.state.slots[RECENT_FILES];
    if std::mem::replace(&mut recent.is_writing, true) {
        return;
    }
    let uses = std::mem::take(&mut recent.unwritten);
    let kept = uses.clone();
    let (folder, name) = (CacheFolder::new(recent.folder.clone()), recent.name.clone());
    let work = move || -> std::io::Result<UsedFiles> {
        let stored = folder.get(&name, FILE_MAX)?.unwrap_or_default();
        let mut files = UsedFiles::parse(&String::from_utf8_lossy(&stored));
        for (path, at_ms) in &uses {
            files.note(path, *at_ms);
        }
        if !uses.is_empty() {
            folder.put(&name, files.serialize()?.as_bytes())?;
            folder.clean(LIMITS)?;
        }
        Ok(files)
    };
    cx.tasks.spawn_blocking("files.recent", work, move |cx, stored| {
        let recent = &mut cx.state.slots[RECENT_FILES];
        recent.is_writing = false;
        match stored
            .map_err(|error| error.to_string())
            .and_then(|read| read.map_err(|error| error.to_string()))
        {
            Ok(files) => recent.files = files,
            Err(error) => {
                tracing::warn!(%error, "recent files could not be kept");
                // They are written with the next use.
                let mut uses = kept;
                uses.append(&mut recent.unwritten);
                uses.drain(..uses.len().saturating_sub(KEPT_MAX));
                recent.unwritten = uses;
                return;
            }
        }
        for (path, at_ms) in recent.unwritten.clone() {
            recent.files.note(&path, at_ms);
        }
        if !recent.unwritten.is_empty() {
            synchronize(cx);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 3_600_000;
    const NOW: u64 = 20_000 * DAY;

    fn names(files: &UsedFiles) -> Vec<&str> {
        files.0.iter().map(|file| file.path.to_str().unwrap()).collect()
    }

    #[test]
    fn recent_files_score_rises_with_use_and_halves_in_a_week() {
        let mut files = UsedFiles::default();
        for minutes in [0, 2, 4] {
            files.note(Path::new("/a"), NOW + minutes * 60_000);
        }
        files.note(Path::new("/a"), NOW + 4 * 60_000 + 10);
        files.note(Path::new("/b"), NOW + 5 * 60_000);
        let score =
            |files: &UsedFiles, at: u64| (files.0[at as usize].score(NOW + 5 * 60_000) * 10.0).round() as u32;
        assert_eq!((names(&files), score(&files, 0), score(&files, 1)), (vec!["/b", "/a"], 10, 30));
        let later = files.0[1].score(NOW + 7 * DAY);
        assert!((1.4..1.6).contains(&later), "{later}");
        assert!(files.0[1].bonus(NOW) > files.0[0].bonus(NOW));
        assert_eq!(files.0[1].bonus(NOW + 365 * DAY), 0);
        files.0[1].score = 1e9;
        assert_eq!(files.0[1].bonus(NOW), BONUS_MAX as u32);
    }

    #[test]
    fn recent_files_keep_order_and_decay_when_clock_is_set_back() {
        let mut files = UsedFiles::default();
        files.note(Path::new("/a"), NOW);
        files.note(Path::new("/b"), NOW - 900 * DAY);
        assert_eq!(names(&files), ["/b", "/a"], "the last one shown is first");
        files.note(Path::new("/a"), NOW - 899 * DAY);
        assert_eq!((names(&files), files.0[0].score), (vec!["/a", "/b"], 2.0));
        assert!(files.0[0].score(NOW - 885 * DAY) < 1.0, "it decays from the new time on");
    }

    #[test]
    fn recent_files_drop_the_least_used_but_not_the_new_one() {
        let mut files = UsedFiles::default();
        files.note(Path::new("/much"), NOW);
        files.note(Path::new("/much"), NOW + DAY);
        for n in 0..2 * KEPT_MAX as u64 {
            files.note(Path::new(&format!("/{n}")), NOW + 2 * DAY + n);
        }
        assert_eq!(files.0.len(), KEPT_MAX);
        assert!(names(&files).contains(&"/much"));
        assert_eq!(names(&files)[0], format!("/{}", 2 * KEPT_MAX - 1));
    }

    #[test]
    fn recent_files_stored_form_keeps_odd_names_and_survives_damage() {
        use std::os::unix::ffi::OsStrExt;
        let mut files = UsedFiles::default();
        for name in [&b"/a\nb"[..], b"/\xff\"", b"/plain"] {
            files.note(Path::new(std::ffi::OsStr::from_bytes(name)), NOW);
        }
        let text = files.serialize().unwrap();
        assert_eq!(UsedFiles::parse(&text), files);
        let torn =
            format!("\0\u{1b}[\n[\"/x\",-1,2]\n[\"rel\",1,2]\n[\"/y\",1,1e999]\n{}", &text[..text.len() - 4]);
        let found = UsedFiles::parse(&torn);
        assert_eq!(found.0, files.0[..2], "whole lines count");
    }
}
