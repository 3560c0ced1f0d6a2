//! Picker of the files that were shown before, the last one first.

use std::path::PathBuf;

use nucleo::Injector;

use crate::exec::storage::cache;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::open::open;
use crate::ide::features::files::recent;
use crate::ide::model::age::age;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "recent-files",
    title: "Go to recent file",
    footer: "Enter open",
    preview: Some(|_, pick| Some(PreviewTarget::file(pick.get::<PathBuf>()?.clone(), None))),
    has_path: |_| true,
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| accept(cx, pick, None),
    accept_at: Some(|cx, pick, at| accept(cx, pick, Some(at))),
    ..PickerSpec::EMPTY
};

/// Opens the file of a row, at a line and column if they are known.
fn accept(cx: &mut Cx<'_>, pick: &Pick, at: Option<(usize, usize)>) {
    let Some(path) = pick.get::<PathBuf>() else { return };
    cx.state.note_jump();
    open(cx, path.clone(), at);
    panes::focus(cx, Focus::Editor);
}

/// Adds the files that still exist to the picker of this number.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let row = |file: &recent::UsedFile| PickRow {
        text: cx.state.display_path(&file.path),
        aliases: Vec::new(),
        group: None,
        detail: age(cx.now_ms, file.last_ms),
        pick: Pick::new(file.path.clone()),
    };
    let rows: Vec<(PathBuf, PickRow)> =
        recent::others(cx.state).map(|file| (file.path.clone(), row(file))).collect();
    let work = move || {
        for (_, row) in rows.into_iter().filter(|(path, _)| cache::is_file(path)) {
            push(&injector, row);
        }
    };
    cx.tasks.spawn_blocking("files.list-recent", work, move |cx, listed| {
        cx.state.finish_filling(number);
        answer_or_error(cx, "list recent files", listed);
    });
}
