//! A file that agents changed, compared with its content without these changes: its hunks, and the text without
//! some of them. Must not know where files are read or written, nor what the user decided.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::exec::Stamp;
use crate::ide::model::buffers::BufferId;
use crate::runtime::restore::changes::BaseContent;
use crate::text::changes::ChangeSet;
use crate::text::compare::{self, ChangedLines, line_count};
use crate::text::file_format::format::{self, Format};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::workspace::checkpoint::Name;

/// Maximum bytes of a file whose hunks are shown.
pub const SHOWN_MAX: usize = 4 << 20;

/// The state of the file that was compared: it is not written in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// An open file: its buffer, and the version of the text.
    Open(BufferId, u64),
    /// A file on disk, or none.
    Disk(Stamp),
}

/// A present text.
#[derive(Debug, Clone)]
pub struct PresentText {
    /// The text.
    pub text: Text,
    /// Its format.
    pub format: Format,
}

/// Two texts and their hunks.
#[derive(Debug, Clone)]
pub struct TextPair {
    /// Without the agents' changes.
    pub old: Arc<Text>,
    /// The present one.
    pub new: Text,
    /// Format of the present one.
    pub format: Format,
    /// The hunks, in order.
    pub runs: Vec<ChangedLines>,
}

/// What can be shown of a file.
#[derive(Debug, Clone)]
pub enum Body {
    /// Its hunks.
    Text(TextPair),
    /// Nothing, and why. The change as a whole counts as one hunk.
    Other(&'static str),
}

/// A file that agents changed.
#[derive(Debug, Clone)]
pub struct ReviewedFile {
    /// Its path in the workspace.
    pub name: Name,
    /// Its absolute path.
    pub path: PathBuf,
    /// The change as git's status letter.
    pub letter: char,
    /// Its content without the agents' changes.
    pub base: BaseContent,
    /// Which state was compared.
    pub compared: Compared,
    /// What can be shown.
    pub body: Body,
    /// Identifies each hunk by its content and the lines around it.
    pub keys: Vec<u64>,
    /// Whether the file has changed since it was compared.
    pub is_outdated: bool,
}

/// A file without some of its hunks.
pub struct Reverted {
    /// The file, with the hunks that are left.
    pub file: ReviewedFile,
    /// The change of its text; `None` for a file that is not shown as text.
    pub changes: Option<ChangeSet>,
    /// The content to write; `Ok(None)` if there is no file any more. Fails with a message.
    pub content: Result<Option<Arc<[u8]>>, String>,
}

impl ReviewedFile {
    /// Compares a file; `None` if nothing of the agents' changes is left. `now` is the present text, or why
    /// it is not shown; `bytes` the present content, `None` without a file. Slow for long texts.
    pub fn compare(
        (name, path): (Name, PathBuf),
        base: BaseContent,
        bytes: Option<&[u8]>,
        now: Result<PresentText, &'static str>,
        compared: Compared,
    ) -> Option<Self> {
        let is_same = match (&base, bytes) {
            (BaseContent::Missing, None) => now.is_ok(),
            (BaseContent::File(base), Some(now)) => **base == *now,
            _ => false,
        };
        if is_same {
            return None;
        }
        let letter = match (&base, bytes) {
            (BaseContent::Missing, _) => 'A',
            (_, None) if now.is_ok() => 'D',
            _ => 'M',
        };
        let body = match now.and_then(|now| pair(&base, now)) {
            Ok(pair) => Body::Text(pair),
            Err(reason) => Body::Other(reason),
        };
        let keys = match &body {
            Body::Text(pair) => pair.keys(),
            Body::Other(_) => vec![hash(&(base_bytes(&base), bytes))],
        };
        Some(Self { name, path, letter, base, compared, body, keys, is_outdated: false })
    }

    /// Returns the two texts, if they are shown.
    pub fn texts(&self) -> Option<&TextPair> {
        match &self.body {
            Body::Text(pair) => Some(pair),
            Body::Other(_) => None,
        }
    }

    /// Returns the numbers of added and removed lines in those hunks that `counts` selects by key.
    pub fn counts(&self, counts: impl Fn(u64) -> bool) -> (usize, usize) {
        let Body::Text(pair) = &self.body else { return (0, 0) };
        let meant = pair.runs.iter().zip(&self.keys).filter(|(_, key)| counts(**key));
        meant.fold((0, 0), |(added, removed), (run, _)| (added + run.new.len(), removed + run.old.len()))
    }

    /// Drops the texts; the change counts as one hunk from then on.
    pub fn omit_text(&mut self) {
        self.keys = vec![hash(&self.keys)];
        self.body = Body::Other(TOO_LARGE);
    }

    /// Returns the file without the hunks of these indices.
    pub fn without(&self, hunks: &[usize]) -> Reverted {
        let base = || match &self.base {
            BaseContent::Missing => Ok(None),
            BaseContent::File(bytes) => Ok(Some(Arc::clone(bytes))),
            BaseContent::Other => {
                Err("It cannot be restored: its previous state was not recorded".to_string())
            }
        };
        let mut file = self.clone();
        let Body::Text(pair) = &mut file.body else {
            file.keys.clear();
            return Reverted { file, changes: None, content: base() };
        };
        let changes = pair.revert(hunks);
        let mut n = 0;
        file.keys.retain(|_| {
            n += 1;
            !hunks.contains(&(n - 1))
        });
        let content =
            if pair.runs.is_empty() { base() } else { pair.bytes().map(|bytes| Some(bytes.into())) };
        Reverted { changes: Some(changes), content, file }
    }
}

impl TextPair {
    fn bytes(&self) -> Result<Vec<u8>, String> {
        format::encode(self.new.chunks_from(Byte(0)), self.format).map_err(|error| error.to_string())
    }

    /// Returns the lines of a hunk in the old and in the new text.
    pub fn lines(&self, run: &ChangedLines) -> (String, String) {
        (slice(&self.old, &run.old).into(), slice(&self.new, &run.new).into())
    }

    /// Returns the keys of all hunks. Hunks that are alike differ by their place in the old text.
    fn keys(&self) -> Vec<u64> {
        let mut keys: Vec<u64> = self.runs.iter().map(|run| self.key(run)).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for key in &keys {
            *counts.entry(*key).or_default() += 1;
        }
        for (key, run) in keys.iter_mut().zip(&self.runs) {
            if counts[key] > 1 {
                *key = hash(&(*key, run.old.start));
            }
        }
        keys
    }

    /// Returns the key of a hunk. The lines next to it are equal in both texts, so that decisions about other
    /// hunks do not change it.
    fn key(&self, run: &ChangedLines) -> u64 {
        let before = self.new.line(Line(run.new.start.saturating_sub(1)));
        let before = if run.new.start == 0 { "".into() } else { before };
        let is_last = run.new.end >= line_count(&self.new);
        let after = if is_last { "".into() } else { self.new.line(Line(run.new.end)) };
        hash(&(self.lines(run), before, after))
    }

    /// Replaces hunks by their old lines; returns the change.
    fn revert(&mut self, hunks: &[usize]) -> ChangeSet {
        let edit = |run: &ChangedLines| (bytes_of(&self.new, &run.new), slice(&self.old, &run.old).into());
        let edits: Vec<(Range<Byte>, String)> =
            hunks.iter().filter_map(|at| self.runs.get(*at)).map(edit).collect();
        let changes = ChangeSet::replace(self.new.end().0, edits);
        changes.apply(&mut self.new);
        let mut kept = Vec::with_capacity(self.runs.len());
        // Lines by which the text before is longer, or (wrapped) shorter.
        let mut moved = 0_usize;
        for (at, mut run) in std::mem::take(&mut self.runs).into_iter().enumerate() {
            if hunks.contains(&at) {
                moved = moved.wrapping_add(run.old.len()).wrapping_sub(run.new.len());
                continue;
            }
            run.new = run.new.start.wrapping_add(moved)..run.new.end.wrapping_add(moved);
            run.pairs.iter_mut().flatten().for_each(|(_, new)| *new = new.wrapping_add(moved));
            kept.push(run);
        }
        self.runs = kept;
        changes
    }
}

fn base_bytes(base: &BaseContent) -> Option<&[u8]> {
    match base {
        BaseContent::File(bytes) => Some(bytes),
        BaseContent::Missing | BaseContent::Other => None,
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the bytes of lines.
pub fn bytes_of(text: &Text, lines: &Range<usize>) -> Range<Byte> {
    text.line_start(Line(lines.start))..text.line_start(Line(lines.end))
}

fn slice<'a>(text: &'a Text, lines: &Range<usize>) -> std::borrow::Cow<'a, str> {
    text.slice(bytes_of(text, lines))
}

/// Compares a text with its base.
fn pair(base: &BaseContent, now: PresentText) -> Result<TextPair, &'static str> {
    let PresentText { text: new, format } = now;
    let old = match base {
        BaseContent::Missing => Text::default(),
        BaseContent::Other => return Err("Symbolic link, or a file that was not recorded"),
        BaseContent::File(bytes) if bytes.len() > SHOWN_MAX => return Err(TOO_LARGE),
        BaseContent::File(bytes) => {
            let (text, was) = format::decode_like(bytes, format.encoding);
            if was.binary {
                return Err(BINARY);
            }
            Text::from(text.as_str())
        }
    };
    if format.binary {
        return Err(BINARY);
    }
    let runs = compare::runs(&old, &new);
    if runs.is_empty() && new.is_empty() {
        return Err("Empty file");
    }
    if runs.is_empty() {
        return Err("Only the encoding or the byte-order mark differs");
    }
    Ok(TextPair { old: Arc::new(old), new, format, runs })
}

/// Why a binary file has no hunks.
pub const BINARY: &str = "Binary file";
/// Why a large file has no hunks.
pub const TOO_LARGE: &str = "Too large to show";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compared(old: Option<&str>, new: Option<&str>) -> Option<ReviewedFile> {
        let base = old.map_or(BaseContent::Missing, |old| BaseContent::File(old.as_bytes().into()));
        let (text, format) = format::decode(new.unwrap_or_default().as_bytes());
        let now = PresentText { text: Text::from(text.as_str()), format };
        let name = Name::from_bytes(b"a").unwrap();
        let state = Compared::Disk(Stamp::missing());
        ReviewedFile::compare((name, "/w/a".into()), base, new.map(str::as_bytes), Ok(now), state)
    }

    fn content(reverted: &Reverted) -> Option<String> {
        let bytes = reverted.content.as_ref().unwrap().as_ref()?;
        Some(String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[test]
    fn review_file_letter_follows_presence() {
        let letter = |old, new| compared(old, new).map(|file| file.letter);
        assert_eq!(letter(None, Some("a\n")), Some('A'));
        assert_eq!(letter(Some("a\n"), None), Some('D'));
        assert_eq!(letter(Some("a\n"), Some("b\n")), Some('M'));
        assert_eq!(letter(Some("a\n"), Some("a\n")), None);
        assert_eq!(letter(None, None), None);
    }

    #[test]
    fn review_file_without_hunk_keeps_keys_of_others() {
        let old = "1\n2\n3\n4\n5\n6\n";
        let file = compared(Some(old), Some("one\n2\n3\nx\ny\n4\n5\nsix\n")).unwrap();
        assert_eq!(file.keys.len(), 3);
        let reverted = file.without(&[0]);
        assert_eq!(content(&reverted).as_deref(), Some("1\n2\n3\nx\ny\n4\n5\nsix\n"));
        assert_eq!(reverted.file.keys, file.keys[1..]);
        let again = compared(Some(old), content(&reverted).as_deref()).unwrap();
        assert_eq!(again.keys, reverted.file.keys);
        assert_eq!(again.texts().unwrap().runs, reverted.file.texts().unwrap().runs);
        let all = file.without(&[0, 1, 2]);
        assert_eq!(content(&all).as_deref(), Some(old));
    }

    #[test]
    fn review_file_hunks_that_are_alike_have_keys_of_their_own() {
        let old = "{\n1\n}\n{\n1\n}\n";
        let file = compared(Some(old), Some("{\n2\n}\n{\n2\n}\n")).unwrap();
        assert_eq!(file.keys.len(), 2);
        assert_ne!(file.keys[0], file.keys[1]);
        assert_eq!(content(&file.without(&[1])).as_deref(), Some("{\n2\n}\n{\n1\n}\n"));
        assert_eq!(content(&file.without(&[0, 1])).as_deref(), Some(old));
    }

    #[test]
    fn review_file_reverted_creation_removes_file() {
        assert_eq!(content(&compared(None, Some("a\nb")).unwrap().without(&[0])), None);
        assert_eq!(content(&compared(Some("a\nb"), None).unwrap().without(&[0])).as_deref(), Some("a\nb"));
    }

    #[test]
    fn review_file_binary_and_large_files_are_one_hunk() {
        let file = compared(Some("a\0b"), Some("a\0c")).unwrap();
        assert!(matches!(file.body, Body::Other(BINARY)));
        assert_eq!((file.keys.len(), content(&file.without(&[0])).as_deref()), (1, Some("a\0b")));
        let long = "x\n".repeat(SHOWN_MAX);
        let file = compared(Some(&long), Some("x\n")).unwrap();
        assert!(matches!(file.body, Body::Other(TOO_LARGE)));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn review_file_without_any_hunks_compares_equal(
            old in "([ab\r]\n?){0,9}",
            new in "([ab\r]\n?){0,9}",
            which in any::<u16>(),
        ) {
            let Some(file) = compared(Some(&old), Some(&new)) else { return Ok(()) };
            let hunks: Vec<usize> = (0..file.keys.len()).filter(|n| which & (1 << (n % 16)) != 0).collect();
            let reverted = file.without(&hunks);
            let text = content(&reverted);
            prop_assert_eq!(reverted.file.texts().map(|pair| pair.new.to_string()), text.clone());
            if reverted.file.keys.is_empty() {
                prop_assert_eq!(text, Some(old));
            } else {
                // Fewer hunks may be aligned differently, but never into an equal text.
                prop_assert!(compared(Some(&old), text.as_deref()).is_some());
            }
        }
    }
}
