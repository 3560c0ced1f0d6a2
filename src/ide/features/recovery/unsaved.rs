//! Which unsaved text is kept safe against the end of the program, and when the next is due.
//! Must not write: `ide::features::recovery::recover` does, in tasks.

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

/// How long an edit may be without being kept. The write itself takes its time too, and what
/// is older than a second must be safe.
const DELAY: Duration = Duration::from_millis(500);
/// Texts longer than this are written anew less often, in bytes.
const LARGE: usize = 4 << 20;
/// How much longer such a text waits for each [`LARGE`] of its length, at most [`DELAY_MAX`].
const DELAY_PER_LARGE: Duration = Duration::from_secs(1);
/// The longest delay.
const DELAY_MAX: Duration = Duration::from_secs(15);
/// How long after a failure the next write waits: a full disk is not to be hammered.
const DELAY_FAILED: Duration = Duration::from_secs(5);

/// Steps are added to a kept text until they take so many bytes, or as many as the text.
const ADDED_MAX: usize = 1 << 20;

/// What is kept of one buffer.
#[derive(Debug, Default)]
struct Track {
    /// The text that is kept or on its way, and how many bytes were added to it since.
    kept: Option<(JournalHeader, usize)>,
    /// When the text as it is must be kept.
    due: Option<Duration>,
    /// Whether a write or a removal is on its way.
    busy: bool,
    /// Whether the last write failed.
    failed: bool,
    /// Kept files that are of no use once this buffer's text is kept anew, or saved.
    names: Vec<String>,
    /// Those among them that the write on its way removes.
    replacing: Vec<String>,
    /// Those that a removal on its way removes.
    removing: Vec<String>,
}

/// A text that a run which is no more had not saved.
#[derive(Debug, Clone)]
pub struct UnsavedText {
    /// Where it is kept.
    pub name: String,
    /// The open file that it belongs to; none for a text without a file.
    pub buffer: Option<BufferId>,
    /// The text.
    pub text: Arc<str>,
    /// Its format.
    pub format: Format,
    /// The state of the file that it was made from.
    pub stamp: Option<Stamp>,
    /// When it was kept, in milliseconds since the epoch.
    pub time_ms: u64,
}

/// Where it is in the state.
pub const UNSAVED: Slot<Unsaved> = Slot::new();

/// What is kept of all buffers, and what was found of runs before.
#[derive(Debug)]
pub struct Unsaved {
    /// Where it is kept.
    pub files: Arc<RunFiles>,
    tracks: BTreeMap<BufferId, Track>,
    recoverable: BTreeMap<u64, UnsavedText>,
    next: u64,
    /// Whether the user has been told that keeping fails.
    pub failure_reported: bool,
}

/// What has to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum JournalTask {
    /// This buffer's text is to be kept.
    Write(BufferId),
    /// These files are of no use any more.
    Remove(BufferId, Vec<String>),
}

impl Unsaved {
    /// Nothing kept yet; it will be in the program's folder of state.
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

    /// Looks at the buffers after something happened: new edits get a time, and kept files of
    /// what is saved or closed are to be removed. The cost is that of the open files' number.
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

    /// When the next text has to be kept.
    pub fn deadline(&self) -> Option<Duration> {
        self.tracks.values().filter(|track| !track.busy).filter_map(|track| track.due).min()
    }

    /// The buffers whose text has to be kept by now.
    pub fn due(&self, now: Duration) -> Vec<BufferId> {
        let is_due = |track: &Track| !track.busy && track.due.is_some_and(|due| due <= now);
        self.tracks.iter().filter(|(_, track)| is_due(track)).map(|(id, _)| *id).collect()
    }

    /// The buffers whose text is not kept as it is, as far as is known: a write on its way may
    /// still fail.
    pub fn outdated(&self) -> Vec<BufferId> {
        let is_behind = |track: &Track| track.due.is_some() || track.busy || track.failed;
        self.tracks.iter().filter(|(_, track)| is_behind(track)).map(|(id, _)| *id).collect()
    }

    /// Whether steps are all that what is kept of this buffer lacks, and short enough.
    pub fn can_add(&self, id: BufferId, head: &JournalHeader, steps: &JournalSteps) -> bool {
        let Some(Track { kept: Some((kept, added)), busy: false, .. }) = self.tracks.get(&id) else {
            return false;
        };
        let about = |head: &JournalHeader| (head.path.clone(), head.stamp.clone(), head.format);
        kept.version == steps.from
            && about(kept) == about(head)
            && added + steps.bytes() <= ADDED_MAX.max(steps.length)
    }

    /// A write of a text begins, of the whole or of steps to it; returns the files that it makes
    /// useless.
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

    /// A write ended, under this name or not at all; a failed one is tried again.
    pub fn end_write(&mut self, id: BufferId, name: Option<String>) {
        let track = self.tracks.entry(id).or_default();
        track.busy = false;
        let failed = std::mem::replace(&mut track.failed, name.is_none());
        if failed || track.failed {
            // Another delay than that which was begun with.
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

    /// Kept files of no use at the end, also those whose removal may not come to its end.
    /// `given_up`: so is everything that is unsaved.
    pub fn obsolete_files(&self, given_up: bool) -> Vec<String> {
        let all = |track: &Track| [track.names.clone(), track.replacing.clone()].concat();
        let of =
            |track: &Track| [track.removing.clone(), if given_up { all(track) } else { Vec::new() }].concat();
        self.tracks.values().flat_map(of).collect()
    }

    /// A kept file holds what this buffer's text is now.
    pub fn adopt(&mut self, id: BufferId, name: String) {
        self.tracks.entry(id).or_default().names.push(name);
    }

    /// Remembers what a run before has left, until the user has decided.
    pub fn add_recoverable(&mut self, left: UnsavedText) -> u64 {
        self.next += 1;
        self.recoverable.insert(self.next, left);
        self.next
    }

    /// What was found under this number.
    pub fn get_recoverable(&self, number: u64) -> Option<&UnsavedText> {
        self.recoverable.get(&number)
    }

    /// Takes what was found under this number.
    pub fn take_recoverable(&mut self, number: u64) -> Option<UnsavedText> {
        self.recoverable.remove(&number)
    }
}

/// Whether that is known about a buffer's text as it is: a file that was moved is offered where it
/// is now.
fn is_current(head: &JournalHeader, buffer: &Buffer) -> bool {
    let document = &buffer.area.document;
    head.version == document.version()
        && head.path.as_deref() == buffer.real_path()
        && head.stamp == buffer.stamp
        && head.format == document.format()
}

/// How long an edit of a text of that many bytes may wait.
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
