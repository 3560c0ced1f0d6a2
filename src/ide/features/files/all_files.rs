//! Picker of the workspace's files, streamed in by a walk that respects ignore rules. Those that were shown before come
//! first, and without a query in the order of their use.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::names;
use crate::exec::storage::cache;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::prefix::Prefix;
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::layers::raised::Bonuses;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::open::open;
use crate::ide::features::files::recent;
use crate::ide::model::file_list::{self, FileWalk};
use crate::workspace::walk::{self, Scope};

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "files",
    preview: Some(|state, pick| {
        let path = state.workspace.join(names::parse(pick.get::<String>()?));
        Some(PreviewTarget::file(path, None))
    }),
    has_path: |_| true,
    prefixes: PREFIXES,
    title: "Go to file",
    title_note: Some(ignored_note),
    footer: "Enter open",
    hints: &[("files.toggle-ignored", "ignored files")],
    commands: &["files.toggle-ignored"],
    load: |_| RowSource::Task(walk),
    accept: |cx, pick, _| accept(cx, pick, None),
    accept_at: Some(|cx, pick, at| accept(cx, pick, Some(at))),
    ..PickerSpec::EMPTY
};

/// Opens the file of a row, at a line and column if they are known.
fn accept(cx: &mut Cx<'_>, pick: &Pick, at: Option<(usize, usize)>) {
    let Some(path) = pick.get::<String>() else { return };
    let path = cx.state.workspace.join(names::parse(path));
    cx.state.note_jump();
    open(cx, path, at);
    panes::focus(cx, Focus::Editor);
}

/// The signs that lead to other lists.
pub const PREFIXES: &[Prefix] = &[
    Prefix { sign: '>', command: "app.palette", name: "commands" },
    Prefix { sign: '@', command: "view.outline-picker", name: "symbols" },
    Prefix { sign: '&', command: "view.buffers-picker", name: "open files" },
    Prefix { sign: '#', command: "view.project-symbols-picker", name: "project symbols" },
    Prefix { sign: '%', command: "workspace.grep-picker", name: "text" },
    Prefix { sign: ':', command: "search.go-to-line", name: "line" },
];

/// Says in titles that ignored files are listed, too.
pub fn ignored_note(state: &State) -> Option<&'static str> {
    state.files.with_ignored.then_some("with ignored files")
}

/// A file of the workspace that was shown before: its path and its name in the list, and its bonus.
struct RecentFile {
    path: PathBuf,
    name: String,
    bonus: u32,
}

/// The workspace's files for a list: those that were shown before, then those of a recent walk or of a new one.
pub struct FileStream {
    recent: Vec<RecentFile>,
    known: Option<Arc<str>>,
    walked: FileWalk,
    root: PathBuf,
    with_ignored: bool,
}

impl FileStream {
    /// Returns the files as they are shown now.
    pub fn new(cx: &Cx<'_>) -> Self {
        let file = |file: &recent::UsedFile| {
            let name = names::display(file.path.strip_prefix(&cx.state.workspace).ok()?).into_owned();
            Some(RecentFile { path: file.path.clone(), name, bonus: file.bonus(cx.now_ms) })
        };
        let (list, with_ignored) = (&cx.state.files.file_list, cx.state.files.with_ignored);
        Self {
            recent: recent::others(cx.state).filter_map(file).collect(),
            known: list.fresh(with_ignored, cx.now),
            walked: list.begin_walk(with_ignored, cx.now),
            root: cx.env.root().to_path_buf(),
            with_ignored,
        }
    }

    /// Returns the bonuses of those that were shown before, by their names.
    pub fn bonuses(&self) -> Bonuses {
        Arc::new(self.recent.iter().map(|file| (file.name.clone(), file.bonus)).collect())
    }

    /// Passes on those that were shown before and still exist; returns the others. Blocking.
    pub fn pass_recent(self, mut sink: impl FnMut(String)) -> OtherFiles {
        let recent = self.recent.into_iter().filter(|file| cache::is_file(&file.path));
        let recent: HashSet<String> =
            recent.map(|file| file.name).inspect(|name| sink(name.clone())).collect();
        let (known, walked, root) = (self.known, self.walked, self.root);
        OtherFiles { recent, known, walked, root, with_ignored: self.with_ignored }
    }
}

/// The files that were not passed on before the others.
pub struct OtherFiles {
    recent: HashSet<String>,
    known: Option<Arc<str>>,
    walked: FileWalk,
    root: PathBuf,
    with_ignored: bool,
}

impl OtherFiles {
    /// Passes them on as they are found, until `cancel`. Blocking.
    pub fn pass(self, cancel: &CancellationToken, mut sink: impl FnMut(String)) {
        let Self { recent, known, mut walked, root, with_ignored } = self;
        if let Some(known) = known {
            let known = file_list::paths(&known).take_while(|_| !cancel.is_cancelled());
            return known.filter(|path| !recent.contains(*path)).for_each(|path| sink(path.to_string()));
        }
        let end = walk::walk(Scope::from(&*root).with_ignored(with_ignored), cancel, |paths| {
            for path in paths {
                walked.push(&path);
                if !recent.contains(&path) {
                    sink(path);
                }
            }
        });
        if !end.cancelled {
            walked.end();
        }
    }
}

/// Returns the row of a file.
pub fn row(path: String) -> PickRow {
    PickRow {
        text: path.clone(),
        aliases: Vec::new(),
        group: None,
        detail: String::new(),
        pick: Pick::new(path),
    }
}

/// Adds the workspace's files to the picker of this number. The walk ends with the picker.
fn walk(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let cancel = CancellationToken::new();
    let files = FileStream::new(cx);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
        picker.set_bonuses(files.bonuses());
    }
    let work = move || {
        let others = files.pass_recent(|path| push(&injector, row(path)));
        others.pass(&cancel, |path| push(&injector, row(path)));
    };
    cx.tasks.spawn_blocking("files.walk", work, move |cx, walked| {
        cx.state.finish_filling(number);
        answer_or_error(cx, "list files", walked);
    });
}
