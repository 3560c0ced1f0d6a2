//! Commands that compare a text with another one, and commands of the diff view.

use std::path::PathBuf;

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::state::State;
use crate::ide::features::diff;
use crate::ide::features::diff::view::DiffView;
use crate::ide::features::diff::view::Source;
use crate::ide::features::undo_tree;
use crate::ide::features::undo_tree::view::UndoView;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("diff.with-head", "Compare with last commit", &["git diff", "HEAD"], |cx| {
        compare_with_git(cx, true);
    })
    .when(condition::has_file),
    command("diff.with-index", "Compare with staged version", &["git diff", "index"], |cx| {
        compare_with_git(cx, false);
    })
    .when(condition::has_file),
    command("diff.with-disk", "Compare with file on disk", &["diff"], compare_with_disk)
        .when(condition::has_file),
    command("diff.with-saved", "Compare with last save", &["diff", "unsaved changes"], compare_with_saved)
        .when(condition::has_file),
    command(
        "diff.with-revision",
        "Compare with undo revision",
        &["diff", "undo tree"],
        compare_with_revision,
    )
    .when(has_undo_tree),
    command("diff.with-file", "Compare with another file", &["diff"], ask_file).when(condition::has_file),
    command("diff.next", "Go to next difference", &["next change", "next hunk"], |cx| {
        diff::events::go_to_difference(cx, true);
    })
    .when(has_view),
    command("diff.previous", "Go to previous difference", &["previous change", "previous hunk"], |cx| {
        diff::events::go_to_difference(cx, false);
    })
    .when(has_view),
    command(
        "diff.take",
        "Revert to other side",
        &["diffget", "accept change", "copy from other side"],
        diff::events::take_old_lines,
    )
    .when(has_view),
    command("diff.undo", "Undo in diff view", &[], diff::events::undo_edit).when(has_view),
    command("diff.copy", "Copy lines of other side", &[], diff::events::copy).when(has_view),
    command("diff.toggle-fold", "Toggle unchanged region", &["collapse", "expand context"], toggle)
        .when(has_view),
    command("diff.toggle-folds", "Toggle all unchanged regions", &["collapse", "expand context"], |cx| {
        diff::events::with_view(cx, false, |view, beside| {
            view.step(0, beside);
            view.toggle_all();
        });
    })
    .when(has_view),
    command("diff.toggle-sides", "Toggle side-by-side view", &["inline", "unified", "split"], |cx| {
        diff::events::with_view(cx, false, |view, beside| view.layout_choice = Some(!beside));
    })
    .when(has_view),
    command("diff.reload", "Reload diff", &["refresh"], diff::events::recompare)
        .when(has_view)
        .with_former_ids(&["diff.again"]),
    command("diff.left", "Scroll diff left", &[], |cx| scroll(cx, -COLUMNS)).when(has_view),
    command("diff.right", "Scroll diff right", &[], |cx| scroll(cx, COLUMNS)).when(has_view),
];

/// A diff is shown.
fn has_view(state: &State) -> Result<(), Reason> {
    condition::layer::<DiffView>(state, Reason::new(diff::events::NOT_SHOWN))
}

/// The undo tree is shown, in which a revision is selected.
fn has_undo_tree(state: &State) -> Result<(), Reason> {
    condition::layer::<UndoView>(
        state,
        Reason::new("Undo tree is not shown").with_remedy("Show it", "history.tree"),
    )
}

/// Columns by which texts are scrolled sidewards.
const COLUMNS: isize = 8;

fn scroll(cx: &mut Cx<'_>, by: isize) {
    diff::events::with_view(cx, false, |view, _| view.left = view.left.saturating_add_signed(by));
}

fn toggle(cx: &mut Cx<'_>) {
    let mut done = true;
    diff::events::with_view(cx, false, |view, side_by_side| {
        view.step(0, side_by_side);
        done = view.toggle();
    });
    if !done {
        cx.state.set_status("No folded lines here");
    }
}

fn compare_with_git(cx: &mut Cx<'_>, head: bool) {
    let Some(path) = diff::events::comparable(cx).map(|buffer| buffer.real.clone()) else { return };
    let Some(path) = path else { return cx.state.set_status("Not saved to a file yet") };
    let there = if head { "git HEAD" } else { "git index" };
    diff::events::open(cx, there.to_string(), Source::Git { path, head });
}

fn compare_with_disk(cx: &mut Cx<'_>) {
    let Some(buffer) = diff::events::comparable(cx) else { return };
    let encoding = buffer.area.document.format().encoding;
    let Some(path) = buffer.path.clone() else { return cx.state.set_status("Not saved to a file yet") };
    diff::events::open(cx, "disk".to_string(), Source::File(path, Some(encoding)));
}

fn compare_with_saved(cx: &mut Cx<'_>) {
    let Some(buffer) = diff::events::comparable(cx) else { return };
    let document = &buffer.area.document;
    let Some(steps) = document.saved().and_then(|saved| document.history().path_to(saved)) else {
        return cx.state.set_status("Last save is unknown");
    };
    let source = Source::Text(document.text().clone(), steps, document.format());
    diff::events::open(cx, "last save".to_string(), source);
}

/// Compares with the selected revision of the undo tree on top; the text itself returns to its revision
/// before.
fn compare_with_revision(cx: &mut Cx<'_>) {
    let Some(view) = cx.state.layers.top::<UndoView>() else {
        return cx.state.set_status("Select a revision in the undo tree first");
    };
    let (id, revision) = (view.buffer, view.rows.get(view.selected).map_or(view.origin, |row| row.revision));
    if revision == view.origin {
        return cx.state.set_status("That is the current text; select another revision");
    }
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let document = &buffer.area.document;
    let source = Source::Text(document.text().clone(), Vec::new(), document.format());
    if let Some(view) = cx.state.layers.pop_as::<UndoView>() {
        undo_tree::commands::cancel(cx, &view);
    }
    diff::events::open(cx, format!("revision {revision}"), source);
}

fn ask_file(cx: &mut Cx<'_>) {
    if diff::events::comparable(cx).is_none() {
        return;
    }
    // The other file is most often the one that was opened next to this one.
    let current = cx.state.buffers.current().map(|buffer| buffer.id);
    let others = cx.state.buffers.all().iter().filter(|buffer| Some(buffer.id) != current);
    let paths: Vec<&PathBuf> = others.filter_map(|buffer| buffer.path.as_ref()).collect();
    let first = match paths[..] {
        [path] => cx.state.display_path(path),
        _ => String::new(),
    };
    let prompt = Prompt::new("Compare with which file?", |cx, answer| {
        let path = cx.state.resolve_typed_path(&answer);
        compare_with_path(cx, path);
    });
    prompt.required().completing_paths().initial(first).open(cx);
}

/// Compares with a file, open or not.
pub fn compare_with_path(cx: &mut Cx<'_>, path: PathBuf) {
    let Some(id) = diff::events::comparable(cx).map(|buffer| buffer.id) else { return };
    let there = cx.state.display_path(&path);
    let source = match cx.state.buffers.by_path(&path) {
        Some(other) if other.id == id => return cx.state.set_status("That is this file"),
        Some(other) if other.area.document.format().binary => {
            return cx.state.set_error(format!("Binary file: {there}"));
        }
        Some(other) if other.loading.is_none() => {
            let document = &other.area.document;
            Source::Text(document.text().clone(), Vec::new(), document.format())
        }
        _ => Source::File(path, None),
    };
    diff::events::open(cx, there, source);
}
