//! Commands of the file tree.

use std::ops::Range;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::core::tree_job::TreeJob;
use crate::ide::features::file_tree;
use crate::ide::features::file_tree::filter;
use crate::ide::features::files;
use crate::ide::features::files::events::refresh_tree;
use crate::ide::features::files::list::list;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("files.open", "Open selected file", &["open folder"], open),
    command("files.expand", "Expand folder", &["unfold"], expand),
    command("files.collapse", "Collapse folder", &["fold", "parent folder"], collapse),
    command("files.create", "New file or folder", &["create file", "mkdir"], create),
    command("files.rename", "Rename file", &["move file"], rename),
    command("files.delete", "Delete file", &["remove", "trash"], delete),
    command("files.undo", "Undo file operation", &["undelete", "restore file"], file_tree::events::undo),
    command("files.reveal", "Show file in tree", &["reveal in explorer", "locate file"], reveal),
    command("files.filter", "Search file tree", &["filter files"], filter::open),
    command("files.refresh", "Refresh file tree", &["reload"], refresh),
];

fn open(cx: &mut Cx<'_>) {
    let Some(row) = cx.state.files.current().cloned() else { return };
    if row.entry.is_folder {
        if row.is_open {
            cx.state.files.fold(&row.path);
            cx.state.damage.add(Part::Files);
        } else {
            expand(cx);
        }
        return;
    }
    cx.state.note_jump();
    files::open::open(cx, row.path, None);
    crate::ide::editor::commands::panes::focus(cx, Focus::Editor);
}

fn expand(cx: &mut Cx<'_>) {
    let Some(row) = cx.state.files.current().filter(|row| row.entry.is_folder).cloned() else { return };
    if cx.state.files.unfold(&row.path) {
        list(cx, row.path);
    }
    cx.state.damage.add(Part::Files);
}

fn collapse(cx: &mut Cx<'_>) {
    let Some(row) = cx.state.files.current().cloned() else { return };
    if row.is_open {
        cx.state.files.fold(&row.path);
    } else if let Some(parent) = row.path.parent() {
        cx.state.files.select(parent);
    }
    cx.state.damage.add(Part::Files);
}

fn create(cx: &mut Cx<'_>) {
    let row = cx.state.files.current();
    let folder =
        row.and_then(|row| if row.entry.is_folder { Some(row.path.as_path()) } else { row.path.parent() });
    let shown = folder.map(|folder| cx.state.display_path(folder)).unwrap_or_default();
    let in_root = folder.is_none_or(|folder| folder == cx.state.workspace);
    let first = if in_root { String::new() } else { format!("{shown}/") };
    let prompt = Prompt::new("New file (folder: end with /)", |cx, answer| {
        let (path, is_folder) = (cx.state.resolve_typed_path(&answer), answer.trim_end().ends_with('/'));
        file_tree::events::start_job(cx, TreeJob::Create { path, is_folder }, None);
    });
    prompt.required().completing_paths().initial(first).open(cx);
}

fn rename(cx: &mut Cx<'_>) {
    let Some(row) = cx.state.files.current() else {
        return cx.state.set_status("No file selected in the tree");
    };
    let (path, is_folder) = (row.path.clone(), row.entry.is_folder);
    let shown = cx.state.display_path(&path);
    let prompt = Prompt::new("Rename or move to", move |cx, answer| {
        let to = cx.state.resolve_typed_path(&answer);
        if to != path {
            file_tree::events::start_job(cx, TreeJob::Move { from: path, to }, None);
        }
    });
    let selected = stem(&shown, is_folder);
    prompt.required().completing_paths().initial(shown).selecting(selected).open(cx);
}

/// Returns the bytes of a path that are the name without its extension, as it is mostly that which changes. A folder has no
/// extension, and neither has a name that begins with its only dot.
fn stem(path: &str, is_folder: bool) -> Range<usize> {
    let start = path.rfind('/').map_or(0, |at| at + 1);
    let dot = path[start..].rfind('.').filter(|at| *at > 0 && !is_folder);
    start..dot.map_or(path.len(), |at| start + at)
}

fn delete(cx: &mut Cx<'_>) {
    let Some(row) = cx.state.files.current() else {
        return cx.state.set_status("No file selected in the tree");
    };
    let (path, is_folder) = (row.path.clone(), row.entry.is_folder);
    let name = cx.state.display_path(&path);
    let below = |path: &std::path::Path| path.starts_with(&row.path);
    let unsaved =
        cx.state.buffers.unsaved().filter(|buffer| buffer.path.as_deref().is_some_and(below)).count();
    let mut lines = Vec::new();
    if is_folder {
        lines.push(format!("{name} and everything in it."));
    }
    if unsaved > 0 {
        lines.push(format!("{unsaved} unsaved: open files stay open."));
    }
    if lines.is_empty() {
        return file_tree::events::start_job(cx, TreeJob::Delete(path), None);
    }
    lines.push("It is kept for 30 days.".to_string());
    let dialog = Dialog::ask(format!("Delete {name}?"), lines)
        .choice('y', "Delete", |cx| file_tree::events::start_job(cx, TreeJob::Delete(path), None))
        .close('n', "Cancel");
    cx.state.push_layer(dialog);
}

/// Selects the shown file in the tree, which gets the keys.
fn reveal(cx: &mut Cx<'_>) {
    let Some(path) = cx.state.buffers.current().and_then(|buffer| buffer.path.clone()) else {
        return cx.state.set_status("No file open");
    };
    if !file_tree::events::reveal_file(cx, &path) {
        return cx.state.set_status("The file is outside of this folder");
    }
    crate::ide::editor::commands::panes::focus(cx, Focus::Files);
}

fn refresh(cx: &mut Cx<'_>) {
    refresh_tree(cx);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rename_selects_the_name_without_its_extension() {
        let selected = |path: &'static str, is_folder| &path[stem(path, is_folder)];
        assert_eq!([selected("src/a.test.rs", false), selected("Makefile", false)], ["a.test", "Makefile"]);
        assert_eq!([selected("a.d/.gitignore", false), selected("x/lib.d", true)], [".gitignore", "lib.d"]);
    }
}
