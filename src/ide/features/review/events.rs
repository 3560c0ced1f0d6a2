//! Opens and closes the review, and carries out the user's decisions. Must not know how it is drawn, how files are
//! compared, or how they are written.

use std::ops::Range;

use crate::base::plural::pluralize;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::diff;
use crate::ide::features::diff::rows::DiffRows;
use crate::ide::features::files::open;
use crate::ide::features::message_queue::take_back;
use crate::ide::features::review::apply::{self, Action, Job, UndoStep};
use crate::ide::features::review::file::{Body, Compared, ReviewedFile};
use crate::ide::features::review::message::{self, Remark};
use crate::ide::features::review::state::{Decision, Progress, REVIEW, Review};
use crate::ide::features::review::view::{Column, ReviewView, both_columns_from};
use crate::ide::features::review::{compute, draw, marks};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::llm::model::UserMessage;
use crate::runtime::Delivery;
use crate::runtime::restore::changes::ChangeScope;
use crate::text::position::Line;
use crate::workspace::checkpoint::Name;

/// Opens the review, or closes it.
pub fn toggle(cx: &mut Cx<'_>) {
    if cx.state.layers.top::<ReviewView>().is_some() {
        return close(cx);
    }
    if !is_ready(cx) {
        return;
    }
    cx.state.layers.close::<ReviewView>();
    cx.state.slots[REVIEW].chosen = None;
    cx.state.push_layer(ReviewView::new().stacked(cx.state.is_accessible()));
    if !cx.state.slots[REVIEW].files.is_empty() {
        // Shown until the new comparison is complete.
        on_compared(cx);
    }
    compute::start(cx);
}

fn is_ready(cx: &mut Cx<'_>) -> bool {
    let is_ready = cx.session.is_some() && cx.state.agent.connected;
    if !is_ready {
        cx.state.set_status("Session is starting; try again in a moment");
    }
    is_ready
}

/// Opens the review of the whole session at the first of the files that the agent has changed.
pub fn open_at(cx: &mut Cx<'_>, wanted: Vec<Name>) {
    if !is_ready(cx) {
        return;
    }
    cx.state.layers.close::<ReviewView>();
    cx.state.slots[REVIEW].chosen = Some(ChangeScope::Session);
    let mut view = ReviewView::new().stacked(cx.state.is_accessible());
    view.wanted = wanted;
    cx.state.push_layer(view);
    compute::start(cx);
}

/// Closes the review; the model learns of the decisions at the end of its turn, or at once if it is idle.
pub fn close(cx: &mut Cx<'_>) {
    cx.state.layers.close::<ReviewView>();
    cx.state.slots[REVIEW].chosen = None;
    cx.state.damage.add_all();
    send(cx, Delivery::FollowUp);
}

/// Sends the remarks now: to an agent that is working, after its running tool calls.
pub fn send_now(cx: &mut Cx<'_>) {
    if cx.state.slots[REVIEW].remarks.is_empty() {
        return cx.state.set_status("No rejections or comments to send");
    }
    send(cx, Delivery::Steer);
}

fn send(cx: &mut Cx<'_>, delivery: Delivery) {
    let Some(session) = cx.session else { return };
    let review = &mut cx.state.slots[REVIEW];
    if review.remarks.is_empty() {
        return;
    }
    let remarks: Vec<_> = std::mem::take(&mut review.remarks).into_iter().map(|(_, remark)| remark).collect();
    // What was sent cannot be taken back.
    review.undo.retain(|step| step.remarks.is_empty());
    session.prompt(message::message(&remarks), Vec::new(), delivery);
    let count = pluralize(remarks.len(), "remark", "remarks");
    let is_working = cx.state.agent.working_since.is_some();
    let when = if is_working && delivery == Delivery::FollowUp { "Queued" } else { "Sent" };
    cx.state.set_status(format!("{when}: review with {count}"));
    cx.state.damage.add_all();
}

/// Puts remarks that were not sent into the prompt, whose text outlives the program.
pub fn keep_unsent(state: &mut State, now_ms: u64) {
    let remarks = take_remarks(state);
    if !remarks.is_empty() {
        state.prompt.restore_messages(vec![UserMessage::text(message::message(&remarks), 0)], now_ms);
    }
}

fn take_remarks(state: &mut State) -> Vec<Remark> {
    let review = &mut state.slots[REVIEW];
    std::mem::take(&mut review.remarks).into_iter().map(|(_, remark)| remark).collect()
}

/// The conversation continues at another entry. In another session the remarks would reach the wrong agent, so
/// they go into the prompt.
pub fn on_conversation_replaced(cx: &mut Cx<'_>, is_other_session: bool) {
    if is_other_session {
        cx.state.layers.close::<ReviewView>();
        let remarks = take_remarks(cx.state);
        let review = &mut cx.state.slots[REVIEW];
        review.undo.clear();
        review.chosen = None;
        if !remarks.is_empty() {
            take_back::restore_to_prompt(cx, vec![UserMessage::text(message::message(&remarks), 0)]);
            cx.state.set_status("Review not sent: the session was switched. It is in the prompt");
        }
    }
    compute::start(cx);
}

/// Makes the hunks of open files those of their texts: a file may be opened, or read again, only after it was
/// compared. Returns whether there was such a text.
pub fn bind_open_files(cx: &mut Cx<'_>) -> bool {
    let mut has_bound = false;
    let state = &mut *cx.state;
    let review = &mut state.slots[REVIEW];
    review.has_unbound = false;
    for buffer in state.buffers.all().iter().filter(|buffer| buffer.loading.is_none()) {
        let file = review.files.iter_mut().find(|file| Some(&file.path) == buffer.real.as_ref());
        let Some(file) = file else { continue };
        let Compared::Disk(stamp) = &file.compared else { continue };
        let document = &buffer.area.document;
        if buffer.stamp.as_ref() == Some(stamp) && !document.is_modified() {
            file.compared = Compared::Open(buffer.id, document.version());
            has_bound = true;
        } else {
            review.has_unbound = true;
        }
    }
    has_bound
}

/// After a frame: open files that were read again meanwhile, and the colors of the texts.
pub fn after_frame(cx: &mut Cx<'_>) {
    if cx.state.slots[REVIEW].has_unbound && bind_open_files(cx) {
        marks::mark_open_files(cx);
    }
    let view = cx.state.layers.all::<ReviewView>().next();
    if let Some(name) = view.and_then(|view| view.name()).map(ToString::to_string) {
        diff::colors::request(cx, &name, shown_rows);
    }
}

fn shown_rows(state: &mut State) -> Option<&mut DiffRows> {
    state.layers.all_mut::<ReviewView>().next().map(|view| &mut view.rows)
}

/// A file was opened: its hunks are those of the text from now on, and marked in its gutter.
pub fn on_opened(cx: &mut Cx<'_>) {
    if bind_open_files(cx) {
        marks::mark_open_files(cx);
    }
}

/// A text is about to be closed: its hunks are those of the file from then on.
pub fn on_closing(cx: &mut Cx<'_>, id: BufferId) {
    let is_of = |file: &ReviewedFile| matches!(file.compared, Compared::Open(open, _) if open == id);
    if cx.state.slots[REVIEW].files.iter().any(is_of) {
        cx.defer(compute::start);
    }
}

/// Shows the result of a comparison in the open review.
pub fn on_compared(cx: &mut Cx<'_>) {
    let review = &mut cx.state.slots[REVIEW];
    let Some(view) = cx.state.layers.all_mut::<ReviewView>().next() else { return };
    let is_first = std::mem::take(&mut view.is_loading);
    if let Progress::Failed(report) = &review.progress {
        let report = report.to_string();
        cx.state.layers.close::<ReviewView>();
        cx.state.damage.add_all();
        cx.state.set_error(report);
        let has_marks = |buffer: &Buffer| !buffer.area.document.marks().all().is_empty();
        if cx.state.buffers.current().is_some_and(has_marks) {
            cx.defer_command("agent.next-edit");
        }
        return;
    }
    let is_empty = review.files.is_empty();
    if is_empty && is_first && review.chosen.is_none() {
        cx.state.layers.close::<ReviewView>();
        cx.state.damage.add_all();
        return cx.state.set_status("No changes of the agent to review");
    }
    // While it is open, the review keeps to one part of the conversation.
    review.chosen = review.chosen.or(review.found);
    view.update(review);
    let wanted = std::mem::take(&mut view.wanted);
    let at = wanted.iter().find_map(|name| review.index_of(name));
    if at.is_none() && !wanted.is_empty() {
        cx.state.layers.close::<ReviewView>();
        cx.state.damage.add_all();
        return cx.state.set_status("No changes of the agent in the files named here");
    }
    if is_first && !is_empty {
        let at = at.or_else(|| review.files.iter().position(|file| review.is_open(file)));
        view.select_file(review, at.unwrap_or(0));
    }
    cx.state.damage.add_all();
    scroll(cx);
}

/// Runs an action on the open review; the selection stays visible.
pub fn with_view(cx: &mut Cx<'_>, action: impl FnOnce(&mut ReviewView, &Review)) {
    let review = &cx.state.slots[REVIEW];
    let Some(view) = cx.state.layers.top_mut::<ReviewView>() else {
        return say_closed(cx);
    };
    action(view, review);
    scroll(cx);
    cx.state.damage.add_all();
}

fn scroll(cx: &mut Cx<'_>) {
    let (size, list) = (cx.state.size, draw::list_cols(&cx.state.slots[REVIEW]));
    let wide = both_columns_from(cx.state);
    if let Some(view) = cx.state.layers.all_mut::<ReviewView>().next() {
        let (cols, rows) = draw::hunk_area(size, wide, view.column, list);
        let side_by_side = view.is_side_by_side(cols);
        view.rows.scroll_to_selection(usize::from(rows), side_by_side, true);
    }
}

/// Moves in the focused column.
pub fn step(cx: &mut Cx<'_>, by: isize) {
    let (size, wide) = (cx.state.size, both_columns_from(cx.state));
    with_view(cx, |view, review| match view.column {
        Column::Files => view.select_file(review, view.selected.saturating_add_signed(by)),
        Column::Hunks => {
            let (cols, _) = draw::hunk_area(size, wide, view.column, draw::list_cols(review));
            view.rows.step(by, view.is_side_by_side(cols));
        }
    });
}

/// Goes to the hunks, and from there to the file.
pub fn accept_row(cx: &mut Cx<'_>) {
    match cx.state.layers.top::<ReviewView>().map(|view| view.column) {
        Some(Column::Files) => with_view(cx, |view, _| view.column = Column::Hunks),
        Some(Column::Hunks) => edit(cx),
        None => {}
    }
}

/// Goes back to the list, and from there closes the review.
pub fn escape(cx: &mut Cx<'_>) {
    match cx.state.layers.top::<ReviewView>().map(|view| view.column) {
        Some(Column::Hunks) => with_view(cx, |view, _| view.column = Column::Files),
        _ => close(cx),
    }
}

/// Selects the next or previous hunk without a decision.
pub fn go_to_hunk(cx: &mut Cx<'_>, forward: bool) {
    let mut has_open = true;
    with_view(cx, |view, review| {
        view.column = Column::Hunks;
        has_open = view.go_to_hunk(review, forward);
    });
    if !has_open {
        cx.state.set_status("All hunks are reviewed");
    }
}

/// Puts the texts side by side, or one below the other.
pub fn toggle_sides(cx: &mut Cx<'_>) {
    let (size, wide) = (cx.state.size, both_columns_from(cx.state));
    let mut has_room = true;
    with_view(cx, |view, review| {
        let (cols, _) = draw::hunk_area(size, wide, view.column, draw::list_cols(review));
        let side_by_side = view.is_side_by_side(cols);
        view.rows.step(0, side_by_side);
        view.rows.layout_choice = Some(!side_by_side);
        has_room = view.is_side_by_side(cols) != side_by_side;
    });
    if !has_room {
        cx.state.set_status("Window is too narrow for texts side by side");
    }
}

fn say_closed(cx: &mut Cx<'_>) {
    cx.state.set_status(format!("Open the review first: {}", cx.state.how_to("review.open")));
}

/// Chooses a narrower or wider part of the conversation.
pub fn change_scope(cx: &mut Cx<'_>, wider: bool) {
    if cx.state.layers.top::<ReviewView>().is_none() {
        return say_closed(cx);
    }
    let review = &mut cx.state.slots[REVIEW];
    let now = review.chosen.or(review.found).unwrap_or(ChangeScope::LastMessage);
    let at = ChangeScope::ALL.iter().position(|scope| *scope == now).unwrap_or(0);
    let at = if wider { (at + 1).min(ChangeScope::ALL.len() - 1) } else { at.saturating_sub(1) };
    review.chosen = Some(ChangeScope::ALL[at]);
    compute::start(cx);
    cx.state.damage.add_all();
}

/// Hunks that a command is about: their file and indices.
struct Target {
    file: ReviewedFile,
    hunks: Vec<usize>,
}

/// Returns the selected hunk of the review, or the one at the caret of the shown file; otherwise reports why
/// there is none.
fn target(cx: &mut Cx<'_>, whole_file: bool) -> Option<Target> {
    let review = &cx.state.slots[REVIEW];
    let found = match cx.state.layers.top::<ReviewView>() {
        Some(view) => view.file(review).zip(view.hunk(review)).ok_or("No hunk selected"),
        None => hunk_at_caret(cx),
    };
    match found {
        Ok((file, _)) if whole_file => {
            let hunks = (0..file.keys.len())
                .filter(|n| review.decision(&file.name, file.keys[*n]) == Decision::Open)
                .collect();
            Some(Target { file: file.clone(), hunks })
        }
        Ok((file, hunk)) => Some(Target { file: file.clone(), hunks: vec![hunk] }),
        Err(reason) => {
            cx.state.set_status(reason);
            None
        }
    }
}

const NO_HUNK: &str = "No change of the agent here";

fn hunk_at_caret<'a>(cx: &'a Cx<'_>) -> Result<(&'a ReviewedFile, usize), &'static str> {
    let review = &cx.state.slots[REVIEW];
    let buffer = cx.state.buffers.current().ok_or("No file open")?;
    let file = buffer.real.as_ref().and_then(|real| review.file_at(real)).ok_or(NO_HUNK)?;
    let Body::Text(pair) = &file.body else { return Err(NO_HUNK) };
    let document = &buffer.area.document;
    let is_compared = match &file.compared {
        Compared::Open(_, version) => *version == document.version(),
        Compared::Disk(_) => false,
    };
    if !is_compared {
        return Err(EDITED);
    }
    let line = document.text().line_of(buffer.area.caret()).0;
    let holds = |lines: &Range<usize>| lines.contains(&line) || lines.is_empty() && lines.start == line;
    let hunk = pair.runs.iter().position(|run| holds(&run.new)).ok_or(NO_HUNK)?;
    Ok((file, hunk))
}

/// Why a hunk at the caret is not known.
const EDITED: &str = "File was edited since it was compared; try again";

/// Compares again where the hunk at the caret is outdated.
fn refresh_if_edited(cx: &mut Cx<'_>) {
    if cx.state.status.message == EDITED {
        compute::start(cx);
    }
}

/// Shows the hunks where only the list of files is on the screen, since a hunk that is not seen cannot be decided
/// about. Returns whether they were shown before.
fn shows_hunks(cx: &mut Cx<'_>, verb: &str) -> bool {
    let (size, wide) = (cx.state.size, both_columns_from(cx.state));
    let Some(view) = cx.state.layers.top::<ReviewView>() else { return true };
    if view.column == Column::Hunks || draw::has_both_columns(size, wide) {
        return true;
    }
    with_view(cx, |view, _| view.column = Column::Hunks);
    cx.state.set_status(format!("This is the hunk. Press again to {verb} it"));
    false
}

/// Accepts the selected hunk, or all of the file.
pub fn accept(cx: &mut Cx<'_>, whole_file: bool) {
    if !whole_file && !shows_hunks(cx, "accept") {
        return;
    }
    let Some(Target { file, hunks }) = target(cx, whole_file) else { return refresh_if_edited(cx) };
    let keys: Vec<u64> = hunks.iter().map(|hunk| file.keys[*hunk]).collect();
    let review = &mut cx.state.slots[REVIEW];
    let changed = review.set_accepted(&file.name, &keys, true);
    if changed.is_empty() {
        return cx.state.set_status("Accepted already");
    }
    let count = pluralize(changed.len(), "hunk", "hunks");
    review.undo.push(UndoStep { name: file.name, action: Action::Accepted(changed), remarks: Vec::new() });
    cx.state.set_status(format!("Accepted {count}"));
    marks::mark_open_files(cx);
    go_on(cx);
    cx.state.damage.add_all();
}

/// Selects the next hunk without a decision, if there is one.
fn go_on(cx: &mut Cx<'_>) {
    let review = &cx.state.slots[REVIEW];
    if let Some(view) = cx.state.layers.top_mut::<ReviewView>()
        && review.totals().files > 0
    {
        view.go_to_hunk(review, true);
    }
    scroll(cx);
}

/// Rejects the selected hunk, or all of the file that are not accepted.
pub fn reject(cx: &mut Cx<'_>, whole_file: bool) {
    if !whole_file && !shows_hunks(cx, "reject") {
        return;
    }
    let Some(Target { file, hunks }) = target(cx, whole_file) else { return refresh_if_edited(cx) };
    if hunks.is_empty() {
        return cx.state.set_status("All hunks of this file are accepted");
    }
    let keys: Vec<u64> = hunks.iter().map(|hunk| file.keys[*hunk]).collect();
    apply::add_job(cx, Job::Reject(file.name, keys));
}

/// Asks for a comment on the selected hunk.
pub fn comment(cx: &mut Cx<'_>) {
    let Some(Target { file, hunks }) = target(cx, false) else { return refresh_if_edited(cx) };
    let Some(hunk) = hunks.first().copied() else { return };
    if let Some(view) = cx.state.layers.top_mut::<ReviewView>() {
        // The hunk is seen beside the comment.
        view.column = Column::Hunks;
        scroll(cx);
    }
    let known =
        cx.state.slots[REVIEW].remark(&file.name, file.keys[hunk]).and_then(|known| known.comment.clone());
    let initial = known.clone().unwrap_or_default();
    let prompt = Prompt::new(format!("Comment on {}", file.name), move |cx, answer| {
        let text = answer.trim().to_string();
        let comment = (!text.is_empty()).then_some(text);
        let is_there = comment.is_some();
        let before = cx.state.slots[REVIEW].remark_on(&file, hunk, |remark| remark.comment = comment);
        let id = (file.name.clone(), file.keys[hunk]);
        let step = UndoStep { name: file.name, action: Action::Commented, remarks: vec![(id, before)] };
        cx.state.slots[REVIEW].undo.push(step);
        let key = cx.state.keymap.keys_for(cx.state.key_context(), "review.send");
        let key = key.unwrap_or_else(|| cx.state.how_to("review.send"));
        let noted = format!("Comment noted. Send now: {key}");
        let removed = if known.is_some() { "Comment removed" } else { "No comment" }.to_string();
        cx.state.set_status(if is_there { noted } else { removed });
        cx.state.damage.add_all();
    });
    prompt.initial(initial).verb("keep comment").open(cx);
}

/// Undoes the last decision.
pub fn undo(cx: &mut Cx<'_>) {
    match cx.state.slots[REVIEW].undo.pop() {
        Some(step) => apply::add_job(cx, Job::Undo(Box::new(step))),
        None => cx.state.set_status("No decision to undo"),
    }
    on_compared(cx);
}

/// Opens the file at the selected hunk, and closes the review.
pub fn edit(cx: &mut Cx<'_>) {
    let Some(Target { file, hunks }) = target(cx, false) else { return };
    if file.letter == 'D' {
        return cx.state.set_status("File was deleted. Restore it: r");
    }
    let run = file.texts().zip(hunks.first()).and_then(|(pair, hunk)| pair.runs.get(*hunk));
    let line = run.map_or(0, |run| run.new.start);
    // Nothing is sent yet: the user goes on with the review later.
    cx.state.layers.close::<ReviewView>();
    cx.state.slots[REVIEW].chosen = None;
    go_to(cx, &file, line);
}

fn go_to(cx: &mut Cx<'_>, file: &ReviewedFile, line: usize) {
    cx.state.note_jump();
    panes::focus(cx, Focus::Editor);
    match cx.state.buffers.by_path(&file.path).map(|buffer| buffer.id) {
        Some(id) => {
            cx.state.buffers.show(id);
            if let Some(buffer) = cx.state.buffers.get_mut(id) {
                let last = buffer.area.text().last_line();
                buffer.area.go_to(buffer.area.text().line_start(Line(line).min(last)));
            }
            cx.state.damage.add_all();
        }
        None => open::open(cx, display_path(cx, &file.name), Some((line + 1, 1))),
    }
}

/// Returns a path as the workspace names it: its root may be a link.
fn display_path(cx: &Cx<'_>, name: &Name) -> std::path::PathBuf {
    name.under(&cx.state.workspace)
}
