//! Lists on the loop: a search begins, brings lines, ends; the user goes through what was found.
//! Must not know how lists change files.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::files;
use crate::ide::features::project_search;
use crate::ide::features::project_search::job::{Batch, OpenText};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::results::{Asked, Listing, Running};
use crate::text::changes::ChangeSet;
use crate::text::display::columns;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::Needle;
use crate::workspace::grep::Grepped;

/// The open files, for a task.
pub fn open_texts(state: &State) -> Vec<OpenText> {
    let whole = state.buffers.all().iter().filter(|buffer| buffer.reading.is_none());
    let open = |buffer: &crate::ide::model::buffers::Buffer| {
        Some(OpenText {
            id: buffer.id,
            path: buffer.path.clone()?,
            real: buffer.real.clone(),
            text: buffer.area.text().clone(),
            version: buffer.area.document.version(),
            is_new: buffer.stamp.is_none(),
            read_only: buffer.read_only(),
        })
    };
    whole.filter_map(open).collect()
}

/// Opens a list and begins to search.
pub fn start(cx: &mut Cx<'_>, asked: Asked) {
    cx.state.note_jump();
    let open = open_texts(cx.state);
    // Lists in which nothing was edited are of no use once there is a new one.
    let old =
        cx.state.buffers.all().iter().filter(|buffer| buffer.listing.is_some() && !buffer.is_edited_list());
    let old: Vec<BufferId> = old.map(|buffer| buffer.id).collect();
    let cancel = CancellationToken::new();
    let list = cx.state.buffers.open_list(Listing::new(asked.clone(), Running(cancel.clone())));
    for id in old {
        cx.state.close_buffer(id);
    }
    cx.state.buffers.show(list);
    if asked.replacement.is_none() {
        cx.state.last_search = Some(asked.wanted.clone());
        // The expression was prepared before, by whoever took it.
        cx.state.highlight = Needle::new(&asked.wanted, asked.how).ok().flatten();
    }
    panes::focus(cx, Focus::Editor);
    cx.state.damage.all();
    cx.state.say("Searching … Escape ends it");
    project_search::tasks::list(cx, list, asked, open, cancel);
}

/// Looks for the query of the picker on top, in place of what it was looking for before.
pub fn look(cx: &mut Cx<'_>) {
    let (how, open) = (cx.state.search_how, open_texts(cx.state));
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    let injector = picker.renew();
    let wanted = picker.query.text().to_string();
    let problem = Needle::new(&wanted, how).err();
    picker.filling = !wanted.is_empty() && problem.is_none();
    let cancel = CancellationToken::new();
    picker.search = picker.filling.then(|| cancel.clone().drop_guard());
    let (is_wanted, number) = (picker.filling, picker.number);
    cx.state.damage.add(Part::Overlay);
    if let Some(problem) = problem {
        cx.state.fail(problem.to_string());
    }
    if is_wanted {
        let asked = Asked { wanted, how, replacement: None };
        project_search::tasks::pick(cx, number, asked, open, injector, cancel);
    }
}

/// More was found.
pub fn found(cx: &mut Cx<'_>, list: BufferId, batch: Batch) {
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let Some(listing) = buffer.list_mut() else { return };
    Arc::make_mut(&mut listing.known).add(batch.files, batch.places);
    let mut text = buffer.area.text().clone();
    let end = text.end();
    ChangeSet::replace(end.0, [(end..end, batch.text)]).apply(&mut text);
    buffer.area.document.grow(text);
    cx.state.damage.all();
}

/// A search is done.
pub fn searched(cx: &mut Cx<'_>, list: BufferId, done: Result<Grepped, String>) {
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let Some((listing, came_from)) = &mut buffer.listing else { return };
    listing.running = None;
    let (came_from, is_empty) = (*came_from, listing.known.is_empty());
    let was_shown = cx.state.buffers.current().is_some_and(|shown| shown.id == list);
    if is_empty {
        cx.state.close_buffer(list);
        if let Some(before) = came_from.filter(|_| was_shown) {
            cx.state.buffers.show(before);
        }
    }
    cx.state.damage.all();
    match done {
        Ok(done) => cx.state.say(project_search::search::told(&done)),
        Err(problem) => cx.state.fail(format!("Cannot search: {problem}")),
    }
}

/// Ends the search whose list is shown; tells whether there was one.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    let list = cx.state.buffers.current().and_then(|buffer| buffer.list());
    let Some(Running(cancel)) = list.and_then(|list| list.running.as_ref()) else { return false };
    cancel.cancel();
    cx.state.say("Ending search …");
    true
}

/// The list that commands are about: the one that is shown, else the newest.
pub fn current(state: &State) -> Option<BufferId> {
    let shown = state.buffers.current().filter(|buffer| buffer.listing.is_some());
    let newest = || state.buffers.all().iter().rev().find(|buffer| buffer.listing.is_some());
    shown.or_else(newest).map(|buffer| buffer.id)
}

/// Goes to the place of the line with the cursor.
pub fn go(cx: &mut Cx<'_>, list: BufferId) {
    let tab_width = cx.state.show.tab_width;
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let at = buffer.area.caret();
    let text = buffer.area.document.text();
    let Some((listing, _)) = &mut buffer.listing else { return };
    let Some((start, head)) = listing.at(text, at) else {
        return cx.state.say("No result on this line");
    };
    listing.visited = true;
    let file = &listing.known.files[head.origin.file];
    let line = file.now(head.origin.first);
    let found = listing.known.get(&head.origin);
    let before = found.map(|found| Text::from(&found.old[..found.at])).unwrap_or_default();
    let column = columns::column_of(&before, before.end(), tab_width).0 + 1;
    let path = file.path.clone();
    let number = place_of(listing, text, start);
    cx.state.note_jump();
    cx.state.say(number);
    files::open::open(cx, path, Some((line, column)));
    panes::focus(cx, Focus::Editor);
}

/// Which line of the list it is, in words.
fn place_of(listing: &Listing, text: &Text, start: Byte) -> String {
    let lines =
        text.line_count() - usize::from(text.end().0 == 0 || text.byte_at(text.end().back(1)) == Some(b'\n'));
    format!("line {} of {lines}: {}", text.line_of(start).0 + 1, listing.asked.wanted)
}

/// Goes to the place of the next line of the list, or of the one before.
pub fn step(cx: &mut Cx<'_>, forward: bool) {
    let Some(list) = current(cx.state) else {
        return cx.state.say("No search results: find in files first");
    };
    let Some(buffer) = cx.state.buffers.get_mut(list) else { return };
    let text = buffer.area.document.text().clone();
    let Some(listing) = buffer.list() else { return };
    let here = text.line_of(buffer.area.caret());
    let is_place = |line: &Line| {
        listing.at(&text, text.line_start(*line)).is_some_and(|(at, _)| text.line_of(at) == *line)
    };
    let first = (!listing.visited && forward).then_some(here).filter(is_place);
    let next = first.or_else(|| {
        if forward {
            (here.0 + 1..text.line_count()).map(Line).find(is_place)
        } else {
            (0..here.0).rev().map(Line).find(is_place)
        }
    });
    match next {
        Some(line) => {
            buffer.area.go_to(text.line_start(line));
            cx.state.damage.add(Part::Editor);
            go(cx, list);
        }
        None => cx.state.say(if forward { "At last result" } else { "At first result" }),
    }
}
