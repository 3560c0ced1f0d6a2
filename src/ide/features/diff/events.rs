//! Event handling of the diff view: comparing, comparing again after edits, taking over lines. Must not know
//! how it is drawn or how texts are read.

use std::time::{Duration, Instant};

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::editor::commands::{edit, panes};
use crate::ide::features::diff::view::{ComparisonResult, DiffView, Source};
use crate::ide::features::diff::{self, colors, compare};
use crate::ide::model::buffers::Buffer;
use crate::text::changes::ChangeSet;
use crate::text::position::Line;
use crate::text::rope::Text;
use crate::text::transaction::Transaction;

/// Number of views opened so far; it identifies a view.
#[derive(Debug, Default)]
pub struct ViewCount(u64);

/// Slot of the feature's state.
pub const VIEW_COUNT: Slot<ViewCount> = Slot::new();

/// Returns the view, if it is on top or covered by other layers.
pub fn view_of(state: &mut State) -> Option<&mut DiffView> {
    state.layers.all_mut::<DiffView>().next()
}

/// Returns the file that can be compared; otherwise reports why there is none.
pub fn comparable<'a>(cx: &'a mut Cx<'_>) -> Option<&'a Buffer> {
    let reason = match cx.state.buffers.current() {
        None => "No file open",
        Some(buffer) if buffer.results.is_some() => "Search results cannot be compared",
        Some(buffer) if buffer.loading.is_some() => "File is still loading",
        Some(buffer) if buffer.area.document.format().binary => "Binary files cannot be compared",
        Some(_) => return cx.state.buffers.current(),
    };
    cx.state.set_status(reason);
    None
}

/// Shows the differences of the shown file from another text, named `there`.
pub fn open(cx: &mut Cx<'_>, there: String, source: Source) {
    let Some((id, here)) = comparable(cx).map(|buffer| (buffer.id, buffer.name())) else { return };
    cx.state.layers.close::<DiffView>();
    panes::focus(cx, Focus::Editor);
    let opened = &mut cx.state.slots[VIEW_COUNT];
    opened.0 += 1;
    let mut view = DiffView::new(opened.0, id, (here, there), source.clone());
    // A screen reader reads across.
    view.layout_choice = cx.state.is_accessible().then_some(false);
    cx.state.push_layer(view);
    start_comparison(cx, source);
}

/// Compares the text of the view with another one.
fn start_comparison(cx: &mut Cx<'_>, source: Source) {
    let Some((number, id)) = view_of(cx.state).map(|view| (view.number, view.buffer)) else { return };
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let document = &buffer.area.document;
    let (text, version, format) = (document.text().clone(), document.version(), document.format());
    let (env, ours, begun) = (cx.env.clone(), text.clone(), Instant::now());
    let work =
        async move { (compare::compare_with_source(&*env, source, ours, format).await, begun.elapsed()) };
    cx.tasks.spawn("diff.compare", work, move |cx, compared| {
        let (other, cost) =
            compared.unwrap_or_else(|error| (Err(format!("Cannot compare: {error}")), begun.elapsed()));
        on_compared(cx, ComparisonResult { number, text, version, other, cost });
    });
}

/// Compares again from the source, since the other text may have changed.
pub fn recompare(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return cx.state.set_status(NOT_SHOWN) };
    let source = view.source.clone();
    if !std::mem::replace(&mut view.running, true) {
        start_comparison(cx, source);
    }
}

/// Starts a new comparison if the text was edited since the last one.
pub fn after_frame(cx: &mut Cx<'_>) {
    let now = cx.now;
    let Some((version, len)) = text_version(cx.state) else { return };
    if let Some(name) = view_of(cx.state).map(|view| view.new_name.clone()) {
        colors::request(cx, &name, |state| view_of(state).map(|view| &mut view.texts));
    }
    let Some(view) = view_of(cx.state) else { return };
    let Some(old) = view.old.clone() else { return };
    if view.needs_comparison(version, len, now) {
        start_comparison(cx, Source::Previous(old));
    }
}

/// Returns when the text in the view is compared again.
pub fn deadline(state: &State) -> Option<Duration> {
    let view = state.layers.all::<DiffView>().next()?;
    let buffer = state.buffers.all().iter().find(|buffer| buffer.id == view.buffer)?;
    view.deadline(buffer.area.text().end().0)
}

/// The version and the length of the text in the view.
fn text_version(state: &mut State) -> Option<(u64, usize)> {
    let id = view_of(state)?.buffer;
    let area = &state.buffers.get_mut(id)?.area;
    Some((area.document.version(), area.text().end().0))
}

/// Two texts were compared, or could not be.
fn on_compared(cx: &mut Cx<'_>, mut found: ComparisonResult) {
    let Some(view) = view_of(cx.state).filter(|view| view.number == found.number) else { return };
    let other = match std::mem::replace(&mut found.other, Err(String::new())) {
        Ok(other) => other,
        Err(error) => {
            view.running = false;
            if view.old.is_none() {
                close(cx);
            }
            cx.state.damage.add_all();
            return cx.state.set_error(error);
        }
    };
    if other.runs.is_empty() {
        let notes: String = other.notes.iter().flat_map(|note| ["; ", note.as_str()]).collect();
        let message = format!("{} is the same as {}{notes}", view.new_name, view.old_name);
        let has_shown = view.old.is_some();
        // A view in which the user has worked stays open, even without differences.
        if !has_shown {
            close(cx);
            cx.state.damage.add_all();
            return cx.state.set_status(message);
        }
        cx.state.set_status(message);
    }
    if let Some(view) = view_of(cx.state) {
        view.set_comparison(found, other);
    }
    scroll_to_selection(cx, true);
    cx.state.damage.add(Part::Overlay);
}

fn close(cx: &mut Cx<'_>) {
    cx.state.layers.close::<DiffView>();
}

/// The message where no diff is open.
pub const NOT_SHOWN: &str = "No diff shown";

/// Runs an action on the view; the selected row stays visible.
pub fn with_view(cx: &mut Cx<'_>, whole: bool, action: impl FnOnce(&mut DiffView, bool)) {
    let cols = cx.state.size.0;
    let Some(view) = view_of(cx.state) else { return cx.state.set_status(NOT_SHOWN) };
    let side_by_side = view.is_side_by_side(cols);
    action(view, side_by_side);
    scroll_to_selection(cx, whole);
    cx.state.damage.add(Part::Overlay);
}

fn scroll_to_selection(cx: &mut Cx<'_>, whole: bool) {
    let size = cx.state.size;
    if let Some(view) = view_of(cx.state) {
        let side_by_side = view.is_side_by_side(size.0);
        view.scroll_to_selection(diff::draw::height(size), side_by_side, whole);
    }
}

/// Goes to the next or the previous difference, and shows its number.
pub fn go_to_difference(cx: &mut Cx<'_>, forward: bool) {
    if view_of(cx.state).is_some_and(|view| view.old.is_none()) {
        return cx.state.set_status("Still comparing; try again");
    }
    with_view(cx, true, |view, side_by_side| {
        view.step(0, side_by_side);
        view.select_next(forward);
    });
    let Some(view) = view_of(cx.state) else { return };
    let (nth, count) = (view.difference_index() + 1, view.runs.len());
    if count > 0 {
        cx.state.set_status(format!("{nth} of {count} differences"));
    } else {
        cx.state.set_status("No differences");
    }
}

/// Closes the view and goes to its selected line in the text.
pub fn jump_to_line(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return cx.state.set_status(NOT_SHOWN) };
    let (id, line, is_there) = (view.buffer, view.new_line(), view.old.is_some());
    close(cx);
    cx.state.note_jump();
    if let Some(buffer) = cx.state.buffers.get_mut(id).filter(|_| is_there) {
        let last = buffer.area.text().last_line();
        buffer.area.go_to(buffer.area.text().line_start(Line(line).min(last)));
    }
    cx.state.damage.add_all();
}

/// The lines of the old text in the selected difference.
fn old_lines(view: &DiffView, lines: std::ops::Range<usize>) -> String {
    let Some(old) = &view.old else { return String::new() };
    old.slice(old.line_start(Line(lines.start))..old.line_start(Line(lines.end))).into_owned()
}

/// Returns whether the view matches the current text; otherwise reports that and compares at once.
fn is_current(cx: &mut Cx<'_>) -> bool {
    let Some((version, _)) = text_version(cx.state) else {
        cx.state.set_status(NOT_SHOWN);
        return false;
    };
    let Some(view) = view_of(cx.state) else { return false };
    let is_current = view.old.is_some() && view.version == version;
    if !is_current {
        view.skip_debounce(version);
        cx.state.set_status("Still comparing; try again");
    }
    is_current
}

/// Replaces the selected difference in the text by the lines of the old text.
pub fn take_old_lines(cx: &mut Cx<'_>) {
    if !is_current(cx) {
        return;
    }
    let Some(view) = view_of(cx.state) else { return };
    let Some(run) = view.selected_run() else { return cx.state.set_status("No difference on this line") };
    let lines = old_lines(view, run.old);
    let new = run.new;
    let done = with_buffer(cx, |cx| {
        edit::apply(cx, |text: &Text, _| {
            let range = text.line_start(Line(new.start))..text.line_start(Line(new.end));
            Transaction::new(ChangeSet::replace(text.end().0, [(range, lines)]))
        })
    });
    if done {
        skip_debounce(cx);
        cx.state.set_status("Reverted to other side. Undo: u");
    }
}

/// Undoes the last edit of the text.
pub fn undo_edit(cx: &mut Cx<'_>) {
    if view_of(cx.state).is_none() {
        return cx.state.set_status(NOT_SHOWN);
    }
    with_buffer(cx, |cx| {
        edit::undo_or_redo(cx, true);
        true
    });
    skip_debounce(cx);
}

/// Compares the last edit without waiting for a pause.
fn skip_debounce(cx: &mut Cx<'_>) {
    if let Some((version, _)) = text_version(cx.state)
        && let Some(view) = view_of(cx.state)
    {
        view.skip_debounce(version);
    }
    after_frame(cx);
}

/// Runs an action on the text below the view.
fn with_buffer(cx: &mut Cx<'_>, action: impl FnOnce(&mut Cx<'_>) -> bool) -> bool {
    let Some(id) = view_of(cx.state).map(|view| view.buffer) else { return false };
    if cx.state.buffers.current().map(|buffer| buffer.id) != Some(id) {
        cx.state.set_status("Another file is shown now");
        return false;
    }
    let over = std::mem::take(&mut cx.state.layers);
    panes::focus(cx, Focus::Editor);
    let done = action(cx);
    cx.state.layers = over;
    cx.state.damage.add_all();
    done
}

/// Copies the old text's lines of the selected difference, or the selected line.
pub fn copy(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return cx.state.set_status(NOT_SHOWN) };
    let copied = match view.selected_run() {
        Some(run) => old_lines(view, run.old),
        None => view.new.line(Line(view.new_line())).into_owned(),
    };
    if copied.is_empty() {
        return cx.state.set_status("No lines on the other side");
    }
    cx.state.kill_ring.copy(vec![copied.clone()]);
    cx.ui.clipboard = Some(copied);
    cx.state.set_status("Copied");
}
