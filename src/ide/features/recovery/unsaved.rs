//! Schedule of the recovery journal: which unsaved text is saved, and when the next is due. Must not write:
//! `ide::features::recovery::recover` does so in tasks.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::exec::{RunFiles, Stamp};
use crate::ide::core::slots::Slot;
use crate::ide::features::recovery::journal::JournalHeader;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::text::file_format::format::Format;
use crate::text::undo::change_journal::JournalSteps;

/// How long an edit may be unsaved in the journal. Writing takes time too, and what is older than a second
/// must be safe.
const DELAY: Duration = Duration::from_millis(500);
/// Size in bytes above which texts are rewritten less often.
const LARGE: usize = 4 << 20;
/// Additional delay for each [`LARGE`] of such a text's length, at most [`DELAY_MAX`].
const DELAY_PER_LARGE: Duration = Duration::from_secs(1);
/// The longest delay.
const DELAY_MAX: Duration = Duration::from_secs(15);
/// Delay of the next write after a failure, so as not to load a full disk.
const DELAY_FAILED: Duration = Duration::from_secs(5);

/// Steps are appended to a journal file until they reach this many bytes, or the size of the text.
const ADDED_MAX: usize = 1 << 20;

/// Journal state of one buffer.
#[derive(Debug, Default)]
struct Track {
    /// The text that is saved or being saved, and the bytes appended to it since.
    kept: Option<(JournalHeader, usize)>,
    /// When the current text must be saved.
    due: Option<Duration>,
    /// Whether a write or a removal is in progress.
    busy: bool,
    /// Whether the last write failed.
    failed: bool,
    /// Journal files that are obsolete once this buffer's text is saved again, in the journal or the file.
    names: Vec<String>,
    /// Those of them that the write in progress removes.
    replacing: Vec<String>,
    /// Those that a removal in progress removes.
    removing: Vec<String>,
}

/// An unsaved text of an earlier run.
#[derive(Debug, Clone)]
pub struct UnsavedText {
    /// Where it is kept.
    pub name: String,
    /// The open file that it belongs to; `None` for a text without a file.
    pub buffer: Option<BufferId>,
    /// The text.
    pub text: Arc<str>,
    /// Its format.
    pub format: Format,
    /// State of the file on which it is based.
    pub stamp: Option<Stamp>,
    /// When it was saved, in milliseconds since the epoch.
    pub time_ms: u64,
}

/// Slot of the feature's state.
pub const UNSAVED: Slot<Unsaved> = Slot::new();

/// Journal state of all buffers, and texts found from earlier runs.
#[derive(Debug)]
pub struct Unsaved {
    /// Where it is kept.
    pub files: Arc<RunFiles>,
    tracks: BTreeMap<BufferId, Track>,
    recoverable: BTreeMap<u64, UnsavedText>,
    next: u64,
    /// Whether the user was notified that saving fails.
    pub failure_reported: bool,
}

/// What has to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum JournalTask {
    /// This buffer's text is to be saved.
    Write(BufferId),
    /// These files are of no use any more.
    Remove(BufferId, Vec<String>),
}

impl Unsaved {
    /// Returns an empty state; the journal is in the folder of the program's persistent state.
    pub fn new(state: &Path) -> Self {
        let files = Arc::new(RunFiles::new(state.join("swap")));
        Self {
            files,
            tracks: BTreeMap::new(),
            recoverable: BTreeMap::new(),
            next: 0,
            failure_reported: false,
        }
    }

    /// Checks the buffers after an event: new edits get a deadline, and the journal files of saved or closed
    /// texts are to be removed. The cost is proportional to the number of open files.
    pub fn watch(&mut self, buffers: &[Buffer], now: Duration) -> Vec<JournalTask> {
        for buffer in buffers {
            if !buffer.is_unsaved() {
                if let Some(track) = self.tracks.get_mut(&buffer.id) {
                    (track.due, track.kept, track.failed) = (None, None, false);
                }
                continue;
            }
            let track = self.tracks.entry(buffer.id).or_default();
            if track.kept.as_ref().is_none_or(|(head, _)| !is_current(head, buffer)) {
                let anew = track.kept.is_some() && !buffer.area.document.has_journal_steps();
                let delay = if anew { delay(buffer.area.text().end().0) } else { DELAY };
                let delay = if track.failed { delay.max(DELAY_FAILED) } else { delay };
                track.due.get_or_insert(now + delay);
            }
        }
        let mut due = Vec::new();
        for (id, track) in &mut self.tracks {
            let unsaved = buffers.iter().any(|buffer| buffer.id == *id && buffer.is_unsaved());
            if !unsaved && !track.busy && !track.names.is_empty() {
                track.busy = true;
                track.removing = std::mem::take(&mut track.names);
                due.push(JournalTask::Remove(*id, track.removing.clone()));
            }
        }
        let open = |id: &BufferId| buffers.iter().any(|buffer| buffer.id == *id);
        self.tracks.retain(|id, track| track.busy || !track.names.is_empty() || open(id));
        due
    }

    /// Returns when the next text has to be saved.
    pub fn deadline(&self) -> Option<Duration> {
        self.tracks.values().filter(|track| !track.busy).filter_map(|track| track.due).min()
    }

    /// Returns the buffers whose text has to be saved now.
    pub fn due(&self, now: Duration) -> Vec<BufferId> {
        let is_due = |track: &Track| !track.busy && track.due.is_some_and(|due| due <= now);
        self.tracks.iter().filter(|(_, track)| is_due(track)).map(|(id, _)| *id).collect()
    }

    /// Returns the buffers whose current text is not saved yet. A write in progress may still fail.
    pub fn outdated(&self) -> Vec<BufferId> {
        let is_behind = |track: &Track| track.due.is_some() || track.busy || track.failed;
        self.tracks.iter().filter(|(_, track)| is_behind(track)).map(|(id, _)| *id).collect()
    }

    /// Returns whether appending these steps brings the journal file of this buffer up to date, and they are
    /// short enough.
    pub fn can_add(&self, id: BufferId, head: &JournalHeader, steps: &JournalSteps) -> bool {
        let Some(Track { kept: Some((kept, added)), busy: false, .. }) = self.tracks.get(&id) else {
            return false;
        };
        let about = |head: &JournalHeader| (head.path.clone(), head.stamp.clone(), head.format);
        kept.version == steps.from
            && about(kept) == about(head)
            && added + steps.bytes() <= ADDED_MAX.max(steps.length)
    }

    /// Starts to write a text, either whole or as steps; returns the files that it makes obsolete.
    pub fn begin_write(
        &mut self,
        id: BufferId,
        head: &JournalHeader,
        steps: Option<&JournalSteps>,
    ) -> Vec<String> {
        let track = self.tracks.entry(id).or_default();
        let before = track.kept.take().map_or(0, |(_, added)| added);
        let added = steps.map_or(0, |steps| before + steps.bytes());
        (track.kept, track.due, track.busy) = (Some((head.clone(), added)), None, true);
        track.replacing.append(&mut track.names);
        track.replacing.clone()
    }

    /// Handles the end of a write, with its file name or a failure; a failed one is tried again.
    pub fn end_write(&mut self, id: BufferId, name: Option<String>) {
        let track = self.tracks.entry(id).or_default();
        track.busy = false;
        let failed = std::mem::replace(&mut track.failed, name.is_none());
        if failed || track.failed {
            // The delay differs from the one before.
            track.due = None;
        }
        let replaced = std::mem::take(&mut track.replacing);
        if let Some(name) = name {
            track.names.push(name);
            self.failure_reported = false;
        } else {
            track.kept = None;
            track.names.extend(replaced);
        }
    }

    /// A removal ended.
    pub fn end_removal(&mut self, id: BufferId) {
        if let Some(track) = self.tracks.get_mut(&id) {
            track.busy = false;
            track.removing.clear();
        }
    }

    /// Returns the journal files that are obsolete on exit, including those whose removal may not finish.
    /// With `given_up` all unsaved texts are.
    pub fn obsolete_files(&self, given_up: bool) -> Vec<String> {
        let all = |track: &Track| [track.names.clone(), track.replacing.clone()].concat();
        let files_of =
            |track: &Track| [track.removing.clone(), if given_up { all(track) } else { Vec::new() }].concat();
        self.tracks.values().flat_map(files_of).collect()
    }

    /// Records that a journal file contains this buffer's current text.
    pub fn adopt(&mut self, id: BufferId, name: String) {
        self.tracks.entry(id).or_default().names.push(name);
    }

    /// Stores what an earlier run has left, until the user has decided.
    pub fn add_recoverable(&mut self, unsaved: UnsavedText) -> u64 {
        self.next += 1;
        self.recoverable.insert(self.next, unsaved);
        self.next
    }

    /// Returns the text with this number.
    pub fn get_recoverable(&self, number: u64) -> Option<&UnsavedText> {
        self.recoverable.get(&number)
    }

    /// Takes the text with this number.
    pub fn take_recoverable(&mut self, number: u64) -> Option<UnsavedText> {
        self.recoverable.remove(&number)
    }
}

/// Returns whether the metadata belongs to a buffer's current text: that of a moved file uses its new path.
fn is_current(head: &JournalHeader, buffer: &Buffer) -> bool {
    let document = &buffer.area.document;
    head.version == document.version()
        && head.path.as_deref() == buffer.real_path()
        && head.stamp == buffer.stamp
        && head.format == document.format()
}

/// Returns how long an edit of a text of that many bytes may wait.
fn delay(bytes: usize) -> Duration {
    (DELAY + DELAY_PER_LARGE * (bytes / LARGE) as u32).min(DELAY_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::model::buffers::Buffers;
    use crate::text::document::Document;
    use crate::text::operations::edit;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn head(version: u64) -> JournalHeader {
        JournalHeader { path: None, stamp: None, format: Format::default(), now_ms: 0, version }
    }

    fn typed() -> (Buffers, BufferId) {
        let mut buffers = Buffers::default();
        let id = buffers.open(None, Document::default_file(), None);
        type_x(&mut buffers, id);
        (buffers, id)
    }

    fn type_x(buffers: &mut Buffers, id: BufferId) {
        let area = &mut buffers.get_mut(id).unwrap().area;
        let edit = edit::insert(area.text(), &area.selection, "x");
        area.apply_external(edit, 0);
    }

    #[test]
    fn journal_files_being_removed_are_tracked() {
        let (mut buffers, id) = typed();
        let mut unsaved = Unsaved::new(Path::new("unused"));
        unsaved.adopt(id, "old.run.kept".to_string());
        unsaved.watch(buffers.all(), seconds(0));
        assert_eq!(unsaved.obsolete_files(false), [""; 0]);
        assert_eq!(unsaved.obsolete_files(true), ["old.run.kept"]);
        unsaved.begin_write(id, &head(1), None);
        assert_eq!(unsaved.obsolete_files(true), ["old.run.kept"], "the write may not come to its end");
        unsaved.end_write(id, Some("new.run.kept".to_string()));
        buffers.get_mut(id).unwrap().area.document.mark_saved();
        unsaved.watch(buffers.all(), seconds(1));
        assert_eq!(unsaved.obsolete_files(false), ["new.run.kept"], "nor may the removal");
        unsaved.end_removal(id);
        assert_eq!(unsaved.obsolete_files(true), [""; 0]);
    }

    #[test]
    fn journal_failed_write_is_retried_after_delay() {
        let (buffers, id) = typed();
        let mut unsaved = Unsaved::new(Path::new("unused"));
        unsaved.watch(buffers.all(), seconds(0));
        assert_eq!(unsaved.due(seconds(1)), [id]);
        unsaved.begin_write(id, &head(1), None);
        assert_eq!(unsaved.outdated(), [id], "it may fail");
        unsaved.watch(buffers.all(), seconds(1));
        unsaved.end_write(id, None);
        assert_eq!(unsaved.outdated(), [id], "it has failed");
        unsaved.failure_reported = true;
        unsaved.watch(buffers.all(), seconds(1));
        assert_eq!(unsaved.due(seconds(3)), []);
        assert_eq!(unsaved.due(seconds(7)), [id]);
        unsaved.begin_write(id, &head(1), None);
        unsaved.end_write(id, Some("a.run.kept".to_string()));
        unsaved.watch(buffers.all(), seconds(7));
        assert_eq!(
            (unsaved.outdated(), unsaved.deadline(), unsaved.failure_reported),
            (Vec::new(), None, false)
        );
    }

    #[test]
    fn journal_typing_during_failed_write_keeps_delay() {
        let (mut buffers, id) = typed();
        let mut unsaved = Unsaved::new(Path::new("unused"));
        unsaved.begin_write(id, &head(1), None);
        type_x(&mut buffers, id);
        unsaved.watch(buffers.all(), seconds(0));
        unsaved.end_write(id, None);
        unsaved.watch(buffers.all(), seconds(0));
        assert_eq!(unsaved.due(seconds(3)), []);
        unsaved.begin_write(id, &head(2), None);
        type_x(&mut buffers, id);
        unsaved.watch(buffers.all(), seconds(6));
        unsaved.end_write(id, Some("a.run.kept".to_string()));
        unsaved.watch(buffers.all(), seconds(6));
        assert_eq!(unsaved.due(seconds(7)), [id], "it works again");
    }

    #[test]
    fn journal_appends_steps_until_size_limit() {
        let (mut buffers, id) = typed();
        let mut unsaved = Unsaved::new(Path::new("unused"));
        let steps = |buffers: &mut Buffers| {
            let document = &mut buffers.get_mut(id).unwrap().area.document;
            (document.take_journal_steps(), head(document.version()))
        };
        let (none, first) = steps(&mut buffers);
        assert!(none.is_none(), "nobody has asked before");
        unsaved.begin_write(id, &first, None);
        type_x(&mut buffers, id);
        let (added, second) = steps(&mut buffers);
        let added = added.unwrap();
        assert!(!unsaved.can_add(id, &second, &added), "the first write may fail");
        unsaved.end_write(id, Some("a.run.kept".to_string()));
        assert!(unsaved.can_add(id, &second, &added));
        let moved = JournalHeader { path: Some("/a".into()), ..second.clone() };
        assert!(!unsaved.can_add(id, &moved, &added), "another file");
        unsaved.begin_write(id, &second, Some(&added));
        unsaved.end_write(id, Some("a.run.kept".to_string()));
        assert!(!unsaved.can_add(id, &second, &added), "they are there already");
        let area = &mut buffers.get_mut(id).unwrap().area;
        let much = edit::insert(area.text(), &area.selection, &"x".repeat(ADDED_MAX - 100));
        area.apply_external(much, 0);
        let (added, third) = steps(&mut buffers);
        assert!(unsaved.can_add(id, &third, added.as_ref().unwrap()));
        unsaved.begin_write(id, &third, added.as_ref());
        unsaved.end_write(id, None);
        type_x(&mut buffers, id);
        let (added, fourth) = steps(&mut buffers);
        assert!(!unsaved.can_add(id, &fourth, &added.unwrap()), "the file may be torn");
    }
}
