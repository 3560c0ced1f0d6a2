//! The list of files that differ from the last commit, with their changes beside it. Must not know how the tree shows them.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;
use nucleo::Injector;

use crate::exec::Environment;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::file_tree::git_status;
use crate::ide::features::files::open::{go_to_all, open};
use crate::ide::features::git::commands::has_repository;
use crate::ide::features::git::run::{NO_REPOSITORY, run};
use crate::workspace::git;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "git.changed-files",
    "Go to changed file",
    &["git status", "modified files", "changed files"],
    |cx| cx.defer_picker("changed-files"),
)
.when(has_repository)];

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "changed-files",
    title: "Go to changed file",
    footer: "Enter open",
    has_path: |_| true,
    has_places: false,
    preview: Some(|_, pick| pick.get::<ChangedFile>().map(ChangedFile::preview)),
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(file) = pick.get::<ChangedFile>() {
            show(cx, file);
        }
    },
    accept_many: Some(|cx, marked| {
        let files = marked.iter().filter_map(Pick::get::<ChangedFile>).filter(|file| !file.is_deleted());
        let files: Vec<_> = files.map(|file| (file.path.clone(), None)).collect();
        if files.is_empty() {
            return cx.state.set_status("The marked files were deleted");
        }
        go_to_all(cx, files);
    }),
    ..PickerSpec::EMPTY
};

/// Shows the changes of a file since the last commit. What the repository's settings name as a program is not run.
const CHANGES: &str = r#"
if names_programs; then echo "The repository's settings name programs: compare in a terminal"; exit 1; fi
safe_git diff --no-ext-diff --no-textconv HEAD -- "$BOWLINE_NAME"
"#;
/// Maximum bytes shown of the changes.
const SHOWN_MAX: usize = 1 << 20;

/// A file that differs from the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ChangedFile {
    path: PathBuf,
    /// That of the tree: `M` modified, `A` added, `R` renamed, `D` deleted, `U` untracked, `!` in conflict.
    letter: char,
}

impl ChangedFile {
    fn is_deleted(&self) -> bool {
        self.letter == 'D'
    }

    /// Returns its changes, or all of a file that git does not know.
    fn preview(&self) -> PreviewTarget {
        match self.letter {
            'U' => PreviewTarget::file(&self.path, None),
            _ => PreviewTarget::made("changes.diff", self.path.display().to_string(), changes),
        }
    }

    fn state(&self) -> &'static str {
        match self.letter {
            'A' => "added",
            'R' => "renamed",
            'D' => "deleted",
            'U' => "untracked",
            '!' => "conflict",
            _ => "modified",
        }
    }
}

/// Returns the changes of a file.
fn changes(env: Arc<dyn Environment>, path: String) -> BoxFuture<'static, Result<String, String>> {
    Box::pin(async move {
        let changes = run(&*env, CHANGES, &path, SHOWN_MAX).await?;
        Ok(if changes.is_empty() { "No changes of its text".to_string() } else { changes })
    })
}

/// Adds the changed files to the picker of this number, by their paths.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let (env, workspace) = (cx.env.clone(), cx.state.workspace.clone());
    let work = async move {
        if git::root_of(&workspace).is_none() {
            return Err(NO_REPOSITORY);
        }
        let mut files: Vec<_> = git_status::read(&*env, &workspace).await?.into_iter().collect();
        files.sort();
        for (path, letter) in files {
            let inside = path.strip_prefix(&workspace).unwrap_or(&path);
            let file = ChangedFile { path: path.clone(), letter };
            push(
                &injector,
                PickRow {
                    text: inside.display().to_string(),
                    aliases: Vec::new(),
                    group: None,
                    detail: file.state().to_string(),
                    pick: Pick::new(file),
                },
            );
        }
        Ok(())
    };
    cx.tasks.spawn("file_tree.changed-files", work, move |cx, listed| {
        cx.state.finish_filling(number);
        if let Some(Err(problem)) = answer_or_error(cx, "list changed files", listed) {
            cx.state.set_error(problem);
        }
    });
}

fn show(cx: &mut Cx<'_>, file: &ChangedFile) {
    if file.is_deleted() {
        return cx.state.set_status("The file was deleted: there is nothing to open");
    }
    cx.state.note_jump();
    open(cx, file.path.clone(), None);
    panes::focus(cx, Focus::Editor);
}
