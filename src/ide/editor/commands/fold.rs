//! Commands that fold and unfold lines.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::text_area::TextArea;
use crate::ide::model::view::folding::{FoldJob, FoldResult, FoldTarget};
use crate::text::position::Line;
use crate::text::selection::Range;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("fold.toggle", "Toggle fold", &["collapse", "expand"], toggle).when(condition::has_file),
    command("fold.all", "Fold all", &["collapse all"], |cx| start_fold(cx, FoldTarget::All))
        .when(condition::has_file),
    command("fold.open-all", "Unfold all", &["expand all"], open_all).when(condition::has_file),
    command("fold.level-one", "Fold level 1", &["collapse"], |cx| start_fold(cx, FoldTarget::Level(1)))
        .when(condition::has_file),
    command("fold.level-two", "Fold level 2", &["collapse"], |cx| {
        start_fold(cx, FoldTarget::Level(2));
    })
    .when(condition::has_file),
    command("fold.level-three", "Fold level 3", &["collapse"], |cx| start_fold(cx, FoldTarget::Level(3)))
        .when(condition::has_file),
];

fn toggle(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let mut lines: Vec<Line> = buffer.area.selection.ranges().iter().map(|r| text.line_of(r.head)).collect();
    lines.dedup();
    let folds = &mut buffer.area.per_view.folds;
    let opened = lines.iter().filter(|line| folds.open_at(text.line_end(**line))).count();
    if opened > 0 {
        return cx.state.damage.add_all();
    }
    start_fold(cx, FoldTarget::Around(lines));
}

/// Computes folds in the shown file and applies them.
fn start_fold(cx: &mut Cx<'_>, target: FoldTarget) {
    let usual = cx.state.text_options.tab_width;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let tab_width = buffer.tab_width(usual);
    buffer.highlighting.apply_changes(&mut buffer.area.document);
    buffer.servers.apply_changes(&mut buffer.area.document);
    let job = FoldJob {
        text: buffer.area.text().clone(),
        version: buffer.area.document.version(),
        language: buffer.highlighting.language(),
        tree: buffer.highlighting.tree().cloned(),
        known: buffer.servers.folds().to_vec(),
        tab_width,
        target,
    };
    let id = buffer.id;
    cx.tasks.spawn_blocking(
        "fold.find",
        move || job.run(),
        move |cx, folds| {
            if let Some(folds) = answer_or_error(cx, "find what to fold", folds) {
                on_found(cx, id, folds);
            }
        },
    );
}

/// Applies the computed folds.
fn on_found(cx: &mut Cx<'_>, id: BufferId, found: FoldResult) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if buffer.area.document.version() != found.version {
        return cx.state.set_status("Text changed meanwhile: nothing folded");
    }
    if found.hide.is_empty() {
        return cx.state.set_status("Nothing to fold here");
    }
    let folds = &mut buffer.area.per_view.folds;
    if matches!(found.target, FoldTarget::Level(_)) {
        folds.open_all();
    }
    folds.close(found.hide);
    unhide_cursors(&mut buffer.area);
    cx.state.damage.add_all();
}

/// Moves cursors out of folded lines to the visible line.
fn unhide_cursors(area: &mut TextArea) {
    let folds = &area.per_view.folds;
    let hides = |range: &Range| folds.fold_hiding(range.head).is_some();
    if area.selection.ranges().iter().any(hides) {
        let up = |range: Range| {
            if hides(&range) { Range::cursor(folds.nearest_visible(range.head)) } else { range }
        };
        area.selection = area.selection.transform(up);
    }
}

fn open_all(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    buffer.area.per_view.folds.open_all();
    cx.state.damage.add_all();
}
