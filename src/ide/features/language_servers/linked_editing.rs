//! Names that change together, such as both tags of an element: a server says which, once the caret has rested in one, and
//! what is typed in it is done in the others as well, in the same undo step. Any other edit ends it.

use std::ops::Range;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::features::language_servers::highlight::{Place, REST, place};
use crate::ide::features::language_servers::questions::{asked, note_problems};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::lsp::answers::linked_editing::NamePattern;
use crate::lsp::client::ranges::{LINKED_EDITING, Linked};
use crate::lsp::table::Feature;
use crate::text::changes::ChangeSet;
use crate::text::movement::motion::is_word;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::transaction::{Grouping, Transaction};

/// What is known of the names at the caret.
#[derive(Default)]
pub struct Linking {
    /// Where the caret was seen last.
    seen: Option<Place>,
    /// When it has rested long enough, on the monotonic clock.
    pub ask_at: Option<Duration>,
    /// Ends the question about it on drop.
    question: Option<DropGuard>,
    names: Option<Names>,
}

/// Names that change together, in a version of a text.
struct Names {
    buffer: BufferId,
    version: u64,
    /// All of the same length, in order.
    ranges: Vec<Range<Byte>>,
    pattern: NamePattern,
}

impl Linking {
    /// Whether names are linked.
    pub fn is_linked(&self) -> bool {
        self.names.is_some()
    }
}

impl Names {
    fn is_at(&self, (buffer, version, caret): Place) -> bool {
        let holds = |range: &Range<Byte>| range.start <= caret && caret <= range.end;
        self.buffer == buffer && self.version == version && self.ranges.iter().any(holds)
    }

    /// Returns what a change within one of the names changes in the others, in the text after it; `None` for any other
    /// change.
    fn mirrored(&self, changes: &ChangeSet, after: &Text) -> Option<ChangeSet> {
        let edits: Vec<_> = changes.edits().collect();
        let first = edits.first()?;
        let is_within =
            |old: &Range<Byte>, name: &Range<Byte>| name.start <= old.start && old.end <= name.end;
        let at = self.ranges.iter().position(|name| is_within(&first.old, name))?;
        let edited = &self.ranges[at];
        if !edits.iter().all(|edit| is_within(&edit.old, edited)) {
            return None;
        }
        let (added, removed) = sizes(changes);
        let length = edited.end - edited.start + added - removed;
        if !self.pattern.allows(&after.slice(edited.start..edited.start + length)) {
            return None;
        }
        let others = self.ranges.iter().enumerate().filter(|(n, _)| *n != at);
        let replaced = others.flat_map(|(n, name)| {
            let start = if n > at { (name.start + added).back(removed) } else { name.start };
            edits.iter().map(move |edit| {
                let from = start + (edit.old.start - edited.start);
                (from..from + (edit.old.end - edit.old.start), edit.text.to_string())
            })
        });
        Some(ChangeSet::replace(after.end().0, replaced.collect::<Vec<_>>()))
    }

    /// Returns them after each has changed in the same way.
    fn after(mut self, version: u64, changes: &ChangeSet) -> Self {
        let (added, removed) = sizes(changes);
        for (n, name) in self.ranges.iter_mut().enumerate() {
            name.start = (name.start + n * added).back(n * removed);
            name.end = (name.end + (n + 1) * added).back((n + 1) * removed);
        }
        self.version = version;
        self
    }
}

/// Returns how many bytes a change inserts, and how many it removes.
fn sizes(changes: &ChangeSet) -> (usize, usize) {
    changes.edits().fold((0, 0), |(added, removed), edit| {
        (added + edit.text.len(), removed + (edit.old.end - edit.old.start))
    })
}

/// Does in the other names what a key has changed in one.
pub fn after_key(cx: &mut Cx<'_>) {
    let now_ms = cx.now_ms;
    let linked = &mut cx.state.slots[LANGUAGE_SERVERS].linked;
    let Some(names) = linked.names.take() else { return };
    let is_replayed = cx.state.macros.replaying;
    let Some(buffer) = cx.state.buffers.current_mut().filter(|buffer| buffer.id == names.buffer) else {
        return;
    };
    if buffer.area.document.version() == names.version {
        cx.state.slots[LANGUAGE_SERVERS].linked.names = Some(names);
        return;
    }
    if is_replayed || buffer.area.selection.ranges().len() != 1 {
        return;
    }
    buffer.servers.apply_changes(&mut buffer.area.document);
    let Some(changes) = buffer.servers.only_change_since(names.version).cloned() else { return };
    let Some(others) = names.mirrored(&changes, buffer.area.text()) else { return };
    buffer.area.edit(now_ms, |_, _| Transaction::new(others).group(Grouping::Joined));
    let names = names.after(buffer.area.document.version(), &changes);
    cx.state.slots[LANGUAGE_SERVERS].linked.names = Some(names);
    cx.state.damage.add(Part::Editor);
}

/// Forgets the names when the caret leaves them, and lets it rest anew. Called after every event.
pub fn update(cx: &mut Cx<'_>) {
    if !cx.state.slots[LANGUAGE_SERVERS].links_names {
        return;
    }
    let now = place(cx.state);
    let linked = &mut cx.state.slots[LANGUAGE_SERVERS].linked;
    if linked.seen == now {
        // Nearly always; every event comes here.
        return;
    }
    let names = linked.names.take().filter(|names| now.is_some_and(|now| names.is_at(now)));
    let is_known = names.is_some();
    *linked = Linking { seen: now, names, ..Linking::default() };
    let Some((id, _, caret)) = now.filter(|_| !is_known) else { return };
    let is_name = cx.state.buffers.current().is_some_and(|buffer| {
        let text = buffer.area.text();
        [text.char_at(caret), text.char_before(caret)].into_iter().flatten().any(is_word)
    });
    if is_name && cx.state.slots[LANGUAGE_SERVERS].offers(id, Feature::LinkedEditing, LINKED_EDITING) {
        cx.state.slots[LANGUAGE_SERVERS].linked.ask_at = Some(cx.now + REST);
    }
}

/// Asks for the names that are linked with the one at the caret, if it has rested long enough.
pub fn ask_when_rested(cx: &mut Cx<'_>) {
    let now = cx.now;
    let linked = &mut cx.state.slots[LANGUAGE_SERVERS].linked;
    if linked.ask_at.take_if(|at| *at <= now).is_none() {
        return;
    }
    let Some(place @ (id, version, caret)) = linked.seen else { return };
    let cancel = CancellationToken::new();
    linked.question = Some(cancel.clone().drop_guard());
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(path) = known.texts.get(&id).map(|served| served.path.clone()) else { return };
    let mut servers = known.for_feature(id, Feature::LinkedEditing).into_iter();
    let Some(server) = servers.find(|server| server.offers(LINKED_EDITING)).map(asked) else { return };
    let number = server.number;
    let work = async move {
        let asked = async {
            let Some(client) = server.client.await else { return Ok(None) };
            let (found, text) = client.linked_ranges(&path, caret.0).await?;
            Ok(found.filter(|_| text.version == version))
        };
        cancel.run_until_cancelled(asked).await
    };
    cx.tasks.spawn("language-servers.linked-editing", work, move |cx, answer| {
        match answer_or_error(cx, "ask language servers", answer).flatten() {
            Some(Ok(Some(found))) => take_in(cx, place, found),
            Some(Err(error)) => note_problems(cx.state, "linked names", vec![(number, error)]),
            Some(Ok(None)) | None => {}
        }
    });
}

/// Links names, if the caret still rests where it was.
fn take_in(cx: &mut Cx<'_>, place: Place, (ranges, pattern): Linked) {
    let (id, version, _) = place;
    let linked = &mut cx.state.slots[LANGUAGE_SERVERS].linked;
    let Some(buffer) = cx.state.buffers.get_mut(id).filter(|_| linked.seen == Some(place)) else { return };
    let mut ranges: Vec<_> = ranges.into_iter().map(|range| Byte(range.start)..Byte(range.end)).collect();
    ranges.sort_by_key(|range| range.start);
    let names = Names { buffer: id, version, ranges, pattern };
    if names.is_at(place) && are_same(buffer, &names) {
        linked.names = Some(names);
    }
}

/// Whether all names are the same, and none overlaps another one.
fn are_same(buffer: &Buffer, names: &Names) -> bool {
    let text = buffer.area.text();
    let all = &names.ranges;
    let name = |range: &Range<Byte>| text.slice(range.clone());
    let first = name(&all[0]);
    names.pattern.allows(&first)
        && all.windows(2).all(|pair| pair[0].end <= pair[1].start)
        && all.iter().all(|range| name(range) == first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::lsp::answers::linked_editing;

    /// The names of `<ab></ab>`.
    fn names() -> Names {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
        let (_, pattern) = linked_editing::decode(json!({ "ranges": [range, range] })).unwrap();
        let ranges = vec![Byte(1)..Byte(3), Byte(6)..Byte(8)];
        Names { buffer: BufferId(1), version: 1, ranges, pattern }
    }

    /// The text after a change and what it brings about, and the names in it.
    fn changed(from: usize, to: usize, new: &str) -> Option<(String, Vec<String>)> {
        let mut text = Text::from("<ab></ab>");
        let changes = ChangeSet::replace(9, [(Byte(from)..Byte(to), new.to_string())]);
        changes.apply(&mut text);
        names().mirrored(&changes, &text)?.apply(&mut text);
        let names = names().after(3, &changes);
        let found = names.ranges.iter().map(|range| text.slice(range.clone()).into_owned()).collect();
        Some((text.to_string(), found))
    }

    #[test]
    fn linked_names_change_together_in_either() {
        let done = |text: &str, name: &str| Some((text.to_string(), vec![name.to_string(); 2]));
        assert_eq!(changed(2, 2, "xy"), done("<axyb></axyb>", "axyb"));
        assert_eq!(changed(8, 8, "c"), done("<abc></abc>", "abc"));
        assert_eq!(changed(6, 7, ""), done("<b></b>", "b"));
        assert_eq!(changed(1, 3, ""), done("<></>", ""));
        assert_eq!(changed(1, 3, "div"), done("<div></div>", "div"));
    }

    #[test]
    fn linked_names_end_with_any_other_change() {
        assert_eq!(changed(3, 3, " "), None, "no name");
        assert_eq!(changed(0, 0, "x"), None, "outside");
        assert_eq!(changed(2, 4, ""), None, "across the end");
    }
}
