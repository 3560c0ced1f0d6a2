//! Commands of the file tree.

use super::command::{Command, Cx, command};
use crate::ide::effect::Effect;
use crate::ide::state::damage::Part;
use crate::ide::state::panes::Focus;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("files.open", "Open the file, unfold or fold the folder", open),
    command("files.expand", "Unfold the folder", expand),
    command("files.collapse", "Fold the folder, or go to the one around", collapse),
    command("files.refresh", "Read the unfolded folders again", refresh),
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
    cx.effects.push(Effect::Open { path: row.path, at: None });
    super::view::focus(cx, Focus::Editor);
}

fn expand(cx: &mut Cx<'_>) {
    let Some(row) = cx.state.files.current().filter(|row| row.entry.is_folder).cloned() else { return };
    if cx.state.files.unfold(&row.path) {
        cx.effects.push(Effect::List(row.path));
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

fn refresh(cx: &mut Cx<'_>) {
    let folders: Vec<_> = cx.state.files.open_folders().map(|f| Effect::List(f.to_path_buf())).collect();
    cx.effects.extend(folders);
}
