//! Picker of the workspace's files, streamed in by a walk that respects ignore rules.

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::names;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::prefix::Prefix;
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::open::{open, open_all};
use crate::ide::model::file_list;
use crate::workspace::walk;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "files",
    preview: Some(|state, pick| {
        let path = state.workspace.join(names::parse(pick.get::<String>()?));
        Some(PreviewTarget::file(path, None))
    }),
    has_paths: true,
    prefixes: &[
        Prefix { sign: '>', command: "app.palette", name: "commands" },
        Prefix { sign: '@', command: "view.outline-picker", name: "symbols" },
        Prefix { sign: '#', command: "view.project-symbols-picker", name: "project symbols" },
        Prefix { sign: '%', command: "workspace.grep-picker", name: "text" },
        Prefix { sign: ':', command: "search.go-to-line", name: "line" },
    ],
    title: "Go to file",
    footer: "Enter open",
    load: |_| RowSource::Task(walk),
    accept: |cx, pick, _| {
        if let Some(path) = pick.get::<String>() {
            let path = cx.state.workspace.join(names::parse(path));
            cx.state.note_jump();
            open(cx, path, None);
            panes::focus(cx, Focus::Editor);
        }
    },
    accept_many: Some(|cx, marked| {
        let path = |path: &String| cx.state.workspace.join(names::parse(path));
        let paths = marked.iter().filter_map(Pick::get::<String>).map(path);
        let files = paths.map(|path| (path, None)).collect();
        cx.state.note_jump();
        open_all(cx, files);
        panes::focus(cx, Focus::Editor);
    }),
    ..PickerSpec::EMPTY
};

/// Adds the workspace's files to the picker of this number: those of a recent walk, or of a new one. The walk
/// ends with the picker.
fn walk(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let cancel = CancellationToken::new();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let row = |path: String| PickRow {
        text: path.clone(),
        aliases: Vec::new(),
        group: None,
        detail: String::new(),
        pick: Pick::new(path),
    };
    let (known, walked) =
        (cx.state.files.file_list.fresh(cx.now), cx.state.files.file_list.begin_walk(cx.now));
    let root = cx.env.root().to_path_buf();
    let work = move || {
        if let Some(known) = known {
            let known = file_list::paths(&known).take_while(|_| !cancel.is_cancelled());
            return known.for_each(|path| push(&injector, row(path.to_string())));
        }
        let mut walked = walked;
        let end = walk::walk(&root, &cancel, |paths| {
            for path in paths {
                walked.push(&path);
                push(&injector, row(path));
            }
        });
        if !end.cancelled {
            walked.end();
        }
    };
    cx.tasks.spawn_blocking("files.walk", work, move |cx, walked| {
        cx.state.finish_filling(number);
        answer_or_error(cx, "list files", walked);
    });
}
