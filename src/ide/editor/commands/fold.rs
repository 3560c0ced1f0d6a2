//! Commands that fold lines away and open them again.

use crate::ide::core::context::{Command, Cx, answered, command};
use crate::ide::model::area::Area;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::view::folding::{FoldJob, FoldTarget, FoldsFound};
use crate::text::position::Line;
use crate::text::selection::Range;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("fold.toggle", "Toggle fold", &["collapse", "expand"], toggle),
    command("fold.all", "Fold all", &["collapse all"], |cx| find(cx, FoldTarget::All)),
    command("fold.open-all", "Unfold all", &["expand all"], open_all),
    command("fold.level-one", "Fold level 1", &["collapse"], |cx| find(cx, FoldTarget::Level(1))),
    command("fold.level-two", "Fold level 2", &["collapse"], |cx| {
        find(cx, FoldTarget::Level(2));
    }),
    command("fold.level-three", "Fold level 3", &["collapse"], |cx| find(cx, FoldTarget::Level(3))),
];

fn toggle(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let mut lines: Vec<Line> = buffer.area.selection.ranges().iter().map(|r| text.line_of(r.head)).collect();
    lines.dedup();
    let folds = &mut buffer.area.per_view.folds;
    let opened = lines.iter().filter(|line| folds.open_at(text.line_end(**line))).count();
    if opened > 0 {
        return cx.state.damage.all();
    }
    find(cx, FoldTarget::Around(lines));
}

/// Finds what of the file that is shown is to be folded, and folds it.
fn find(cx: &mut Cx<'_>, wish: FoldTarget) {
    let usual = cx.state.show.tab_width;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let tab_width = buffer.tab_width(usual);
    buffer.coloring.hear(&mut buffer.area.document);
    let job = FoldJob {
        text: buffer.area.text().clone(),
        version: buffer.area.document.version(),
        language: buffer.coloring.language(),
        tree: buffer.coloring.tree().cloned(),
        tab_width,
        wish,
    };
    let id = buffer.id;
    cx.tasks.spawn_blocking(
        "fold.find",
        move || job.run(),
        move |cx, folds| {
            if let Some(folds) = answered(cx, "find what to fold", folds) {
                found(cx, id, folds);
            }
        },
    );
}

/// It was found.
fn found(cx: &mut Cx<'_>, id: BufferId, found: FoldsFound) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if buffer.area.document.version() != found.version {
        return cx.state.say("Text changed meanwhile: nothing folded");
    }
    if found.hide.is_empty() {
        return cx.state.say("Nothing to fold here");
    }
    let folds = &mut buffer.area.per_view.folds;
    if matches!(found.wish, FoldTarget::Level(_)) {
        folds.open_all();
    }
    folds.close(found.hide);
    surface(&mut buffer.area);
    cx.state.damage.all();
}

/// Cursors that are folded away go to the line that is left.
fn surface(area: &mut Area) {
    let folds = &area.per_view.folds;
    let hides = |range: &Range| folds.hiding(range.head).is_some();
    if area.selection.ranges().iter().any(hides) {
        let up = |range: Range| if hides(&range) { Range::cursor(folds.shown(range.head)) } else { range };
        area.selection = area.selection.transform(up);
    }
}

fn open_all(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    buffer.area.per_view.folds.open_all();
    cx.state.damage.all();
}
