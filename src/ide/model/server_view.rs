//! What language servers know of an open text, and what they found in it. Must not know servers.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::ide::model::diagnostics::{Diagnostics, Mark, Source};
use crate::ide::model::line_notes::LineNotes;
use crate::ide::model::listeners::SERVERS;
use crate::ide::model::occurrences::Occurrences;
use crate::syntax::highlighting::overlay::overlay;
use crate::syntax::{HighlightedRange, Span};
use crate::text::changes::{ChangeSet, Side};
use crate::text::document::{ChangeRecord, Document};
use crate::text::position::Byte;

/// Maximum number of changes that wait to be sent; after more the whole text is sent.
const UNSENT_MAX: usize = 512;
/// Number of changes through which an answer about an earlier version is moved along.
const EARLIER_MAX: usize = 64;

/// Maximum number of edits in a change through which kinds of names are mapped.
const MAPPED_EDITS_MAX: usize = 20_000;

/// The state of a text with servers.
#[derive(Debug, Default)]
pub struct ServerView {
    /// What they found.
    pub diagnostics: Diagnostics,
    /// Uses of the name at the caret.
    pub occurrences: Occurrences,
    /// The scopes of names by their kinds; `None` where no server says them.
    tokens: Option<HighlightedRange>,
    /// Code lenses.
    pub lenses: LineNotes,
    /// Lines that can be folded: from a position in the first one to one in the last one.
    folds: Vec<Range<Byte>>,
    /// Whether a server is to hear of changes.
    is_followed: bool,
    /// Changes that no server has heard of; `None` if there were too many.
    unsent: Option<Vec<ChangeRecord>>,
    /// The last changes, each with the version that it made.
    earlier: VecDeque<(u64, ChangeSet)>,
    /// The version up to which changes were applied.
    version: u64,
    /// The last version that each server has looked at.
    seen: HashMap<u32, u64>,
}

impl ServerView {
    /// Begins to follow the changes of the text; all before are known.
    pub fn follow(&mut self, document: &mut Document) {
        document.record_changes(SERVERS);
        (self.is_followed, self.unsent) = (true, Some(Vec::new()));
        self.version = document.version();
        self.earlier.clear();
    }

    /// Whether it follows the changes.
    pub fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Maps what was found through the changes since the last call. Must be called before it is drawn or replaced.
    pub fn apply_changes(&mut self, document: &mut Document) {
        if !self.is_followed {
            return;
        }
        let Some(records) = document.take_changes(SERVERS) else {
            // Positions are lost; the servers say them again.
            self.diagnostics = Diagnostics::default();
            (self.tokens, self.lenses) = (None, LineNotes::default());
            self.folds.clear();
            self.unsent = None;
            self.earlier.clear();
            self.version = document.version();
            return document.record_changes(SERVERS);
        };
        let first = document.version().saturating_sub(records.len() as u64);
        if first != self.version {
            // Something else than an edit has counted as a version.
            self.earlier.clear();
        }
        self.version = document.version();
        for (n, record) in (1..).zip(records) {
            self.diagnostics.map(&record.changes);
            self.lenses.map(&record.changes);
            map_tokens(&mut self.tokens, &record.changes);
            self.folds = moved_through(&record.changes, std::mem::take(&mut self.folds)).collect();
            if self.earlier.len() == EARLIER_MAX {
                self.earlier.pop_front();
            }
            self.earlier.push_back((first + n, record.changes.clone()));
            if let Some(unsent) = &mut self.unsent {
                unsent.push(record);
            }
        }
        self.unsent.take_if(|unsent| unsent.len() > UNSENT_MAX);
    }

    /// Takes the changes that no server has heard of; `None` if there were too many to keep them.
    pub fn take_unsent(&mut self) -> Option<Vec<ChangeRecord>> {
        self.unsent.replace(Vec::new())
    }

    /// Returns where ranges of an earlier version of the text are now; `None` if the edits since are not known. The changes
    /// of the text must have been applied.
    pub fn moved(
        &self,
        version: u64,
        ranges: impl IntoIterator<Item = Range<Byte>>,
    ) -> Option<Vec<Range<Byte>>> {
        let mut moved: Vec<Range<Byte>> = ranges.into_iter().collect();
        for (_, changes) in self.since(version)? {
            moved = moved_through(changes, moved).collect();
        }
        Some(moved)
    }

    /// Returns the changes since an earlier version; `None` if they are not known.
    fn since(&self, version: u64) -> Option<impl Iterator<Item = &(u64, ChangeSet)>> {
        let is_known = version == self.version || self.earlier.iter().any(|(after, _)| *after == version + 1);
        is_known.then(|| self.earlier.iter().skip_while(move |(after, _)| *after <= version))
    }

    /// Returns the change since an earlier version, if there was exactly one. The changes of the text must have been applied.
    pub fn only_change_since(&self, version: u64) -> Option<&ChangeSet> {
        let mut since = self.since(version)?;
        let (_, only) = since.next()?;
        since.next().is_none().then_some(only)
    }

    /// Shows the scopes of names in a version of the text, moved along with the edits since. Returns `false` if these are not
    /// known; then nothing changes. The changes of the text must have been applied.
    pub fn show_tokens(&mut self, version: u64, tokens: HighlightedRange) -> bool {
        let mut tokens = Some(tokens);
        let Some(since) = self.since(version) else { return false };
        for (_, changes) in since {
            map_tokens(&mut tokens, changes);
        }
        self.tokens = tokens;
        true
    }

    /// Forgets the scopes of names; returns whether there were any.
    pub fn forget_tokens(&mut self) -> bool {
        self.tokens.take().is_some()
    }

    /// Returns the scopes of a part of the text: those of names over those of the syntax.
    pub fn scopes_over(&self, syntax: Vec<Span>, range: &Range<Byte>) -> Vec<Span> {
        let Some(tokens) = &self.tokens else { return syntax };
        let found: Vec<Span> = tokens.within(range).collect();
        if found.is_empty() { syntax } else { overlay(syntax, found) }
    }

    /// Shows which lines of a version of the text can be folded. Returns `false` if the edits since are not known.
    pub fn show_folds(&mut self, version: u64, folds: Vec<Range<Byte>>) -> bool {
        let Some(moved) = self.moved(version, folds) else { return false };
        self.folds = moved;
        true
    }

    /// Returns the lines that can be folded, each from a position in the first one to one in the last one.
    pub fn folds(&self) -> &[Range<Byte>] {
        &self.folds
    }

    /// Notes that a server has looked at a version, in which it found the same as before.
    pub fn note_seen(&mut self, server: u32, version: u64) {
        self.seen.insert(server, version);
    }

    /// Drops what a server has found, because it does not run any more.
    pub fn forget(&mut self, server: u32) {
        for is_pulled in [false, true] {
            self.diagnostics.set(Source { server, is_pulled }, []);
        }
        self.seen.remove(&server);
    }

    /// Returns the last version that a server has looked at.
    pub fn seen_by(&self, server: u32) -> Option<u64> {
        self.seen.get(&server).copied()
    }

    /// Shows what a server found in a version of the text, moved along with the edits since. Returns `false` if these are
    /// not known; then nothing changes.
    pub fn show(&mut self, source: Source, version: u64, found: Vec<Mark>) -> bool {
        let Some(since) = self.since(version) else { return false };
        let mut moved = Diagnostics::default();
        moved.set(source, found);
        for (_, changes) in since {
            moved.map(changes);
        }
        self.seen.insert(source.server, version);
        self.diagnostics.set(source, moved.all().cloned());
        true
    }
}

/// Moves ranges through a change.
fn moved_through(changes: &ChangeSet, ranges: Vec<Range<Byte>>) -> impl Iterator<Item = Range<Byte>> {
    ranges.into_iter().map(|range| {
        let start = changes.map(range.start, Side::After);
        start..changes.map(range.end, Side::Before).max(start)
    })
}

/// Moves the scopes of names through a change; they are forgotten if that would take too long.
fn map_tokens(tokens: &mut Option<HighlightedRange>, changes: &ChangeSet) {
    if tokens.is_some() && changes.edits().nth(MAPPED_EDITS_MAX).is_some() {
        *tokens = None;
    }
    if let Some(tokens) = tokens {
        tokens.map(changes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::answers::diagnostics;
    use crate::text::file_format::format::Format;
    use crate::text::selection::{Range as Selected, Selection};
    use crate::text::transaction::Transaction;

    fn insert(document: &mut Document, at: usize, text: &str) {
        let changes = ChangeSet::replace(document.text().end().0, [(Byte(at)..Byte(at), text.to_string())]);
        document.apply(Transaction::new(changes), &Selection::single(Selected::cursor(Byte(0))), 0);
    }

    const PUSHED: Source = Source { server: 1, is_pulled: false };

    /// A diagnostic of that range.
    fn mark(from: usize, to: usize) -> Mark {
        let list = crate::base::json::json!([{ "message": "m", "range": { "start": { "line": 0, "character": 0 },
            "end": { "line": 0, "character": 0 } } }]);
        let list = serde_json::value::to_raw_value(&list).unwrap();
        let (mut found, _) = diagnostics::decode(&list);
        Mark { range: Byte(from)..Byte(to), diagnostic: found.remove(0) }
    }

    fn shown(view: &ServerView) -> Vec<(usize, usize)> {
        view.diagnostics.all().map(|mark| (mark.range.start.0, mark.range.end.0)).collect()
    }

    #[test]
    fn server_view_moves_answer_about_earlier_version_along() {
        let mut document = Document::new("abcdef", Format::default());
        let mut view = ServerView::default();
        view.follow(&mut document);
        let asked = document.version();
        insert(&mut document, 0, "xx");
        insert(&mut document, 0, "y");
        view.apply_changes(&mut document);
        assert!(view.show(PUSHED, asked, vec![mark(1, 3)]));
        assert_eq!(shown(&view), [(4, 6)]);
        assert!(view.show(PUSHED, asked + 1, vec![mark(1, 3)]));
        assert_eq!(shown(&view), [(2, 4)]);
        assert!(view.show(PUSHED, asked + 2, vec![mark(1, 3)]));
        assert_eq!(shown(&view), [(1, 3)]);
        assert!(!view.show(PUSHED, asked + 3, vec![mark(5, 6)]), "a version that never was");
        let moved = |version| view.moved(version, [Byte(1)..Byte(3)]);
        assert_eq!(moved(asked), Some(vec![Byte(4)..Byte(6)]));
        assert_eq!(moved(asked + 2), Some(vec![Byte(1)..Byte(3)]));
        assert_eq!(moved(asked + 3), None);
        assert_eq!(shown(&view), [(1, 3)]);
    }

    #[test]
    fn server_view_keeps_what_was_sent_beside_what_was_asked_for() {
        let mut document = Document::new("abcdef", Format::default());
        let mut view = ServerView::default();
        view.follow(&mut document);
        let version = document.version();
        assert!(view.show(PUSHED, version, vec![mark(1, 3)]));
        assert!(view.show(Source { is_pulled: true, ..PUSHED }, version, vec![mark(4, 5)]));
        assert_eq!(shown(&view), [(1, 3), (4, 5)]);
        assert!(view.show(Source { is_pulled: true, ..PUSHED }, version, Vec::new()));
        assert_eq!(shown(&view), [(1, 3)], "an empty answer takes back only what was answered before");
        view.forget(1);
        assert!(shown(&view).is_empty());
    }

    #[test]
    fn server_view_gives_changes_once_and_the_whole_text_after_too_many() {
        let mut document = Document::new("", Format::default());
        let mut view = ServerView::default();
        view.apply_changes(&mut document);
        view.follow(&mut document);
        insert(&mut document, 0, "a");
        view.apply_changes(&mut document);
        assert_eq!(view.take_unsent().map(|records| records.len()), Some(1));
        assert_eq!(view.take_unsent().map(|records| records.len()), Some(0));
        let asked = document.version();
        for _ in 0..=UNSENT_MAX {
            insert(&mut document, 0, "a");
            view.apply_changes(&mut document);
        }
        assert!(view.take_unsent().is_none());
        assert!(!view.show(PUSHED, asked, vec![mark(0, 1)]), "too long ago");
        insert(&mut document, 0, "a");
        view.apply_changes(&mut document);
        assert_eq!(view.take_unsent().map(|records| records.len()), Some(1), "then it goes on");
    }

    fn scopes(
        view: &ServerView,
        syntax: &[(usize, usize, &'static str)],
    ) -> Vec<(usize, usize, &'static str)> {
        let span =
            |(from, to, scope): &(usize, usize, &'static str)| Span { range: Byte(*from)..Byte(*to), scope };
        let found = view.scopes_over(syntax.iter().map(span).collect(), &(Byte(0)..Byte(99)));
        found.into_iter().map(|span| (span.range.start.0, span.range.end.0, span.scope)).collect()
    }

    #[test]
    fn server_view_tokens_and_folds_move_with_edits_and_lie_over_the_syntax() {
        let mut document = Document::new("abc def\n ghi\n", Format::default());
        let mut view = ServerView::default();
        view.follow(&mut document);
        let asked = document.version();
        insert(&mut document, 0, "xx ");
        view.apply_changes(&mut document);
        let token = Span { range: Byte(4)..Byte(7), scope: "type" };
        let tokens = HighlightedRange::new(Byte(0)..Byte(13), vec![token]);
        assert!(view.show_tokens(asked, tokens.clone()));
        assert!(!view.show_tokens(asked + 9, tokens));
        assert!(view.show_folds(asked, vec![Byte(0)..Byte(9)]) && !view.show_folds(asked + 9, Vec::new()));
        assert_eq!(scopes(&view, &[(3, 10, "variable")]), [(3, 7, "variable"), (7, 10, "type")]);
        insert(&mut document, 10, "g");
        view.apply_changes(&mut document);
        assert_eq!(scopes(&view, &[]), [(7, 11, "type")], "a word that is typed keeps its color");
        assert_eq!(view.folds(), [Byte(3)..Byte(13)]);
        assert!(view.forget_tokens() && !view.forget_tokens());
        assert_eq!(scopes(&view, &[(1, 2, "type")]), [(1, 2, "type")]);
    }
}
