//! Tasks of searches and of lists that change files: search, compute the changes of a list or of an undo, and
//! write files. Must not know how results are shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::{StreamExt, stream};
use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::panics::catch_async;
use crate::exec::{EnvError, Environment, FileData, Stamp};
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::project_search::job::{ChangedFile, FilePlan, OpenText, Plan, Target};
use crate::ide::features::project_search::search::PickerSearch;
use crate::ide::features::project_search::{apply, navigate, plan, search};
use crate::ide::model::buffers::BufferId;
use crate::ide::model::results::{KnownRows, Query, RowEdit};
use crate::text::file_format::format;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// How many files are written at once: each waits until it is on the disk, which serves several at a time.
pub const WRITES_AT_ONCE: usize = 8;

/// Searches for the picker of this number, until `cancel`; its rows go to `injector`.
pub fn search_for_picker(
    cx: &Cx<'_>,
    number: u64,
    query: Query,
    open: Vec<OpenText>,
    injector: Injector<PickRow>,
    cancel: CancellationToken,
) {
    let (env, tab_width) = (cx.env.clone(), cx.state.text_options.tab_width);
    let with_ignored = cx.state.files.with_ignored;
    let work = async move {
        let root = resolve_root(&*env, env.root().to_path_buf()).await;
        on_thread(move || {
            search::search_for_picker(
                root,
                PickerSearch { injector, asked: query, open, tab_width, with_ignored },
                &cancel,
            );
        })
        .await;
    };
    // After a panic no more rows come either.
    cx.tasks.spawn("project_search.pick", work, move |cx, _| cx.state.finish_filling(number));
}

/// Searches the workspace for a list, and adds results to it while the search runs.
pub fn search_for_list(
    cx: &Cx<'_>,
    list: BufferId,
    query: Query,
    open: Vec<OpenText>,
    cancel: CancellationToken,
) {
    let (env, tasks, root) = (cx.env.clone(), cx.tasks.clone(), cx.state.workspace.clone());
    let work = async move {
        let root = resolve_root(&*env, root).await;
        let found = move || {
            search::search_for_list(root, &query, open, &cancel, |batch| {
                tasks.post_blocking("project_search.found", move |cx| navigate::on_found(cx, list, batch));
            })
        };
        on_thread(found).await
    };
    cx.tasks.spawn("project_search.list", work, move |cx, answer| {
        navigate::on_searched(cx, list, answer.unwrap_or_else(|error| Err(error.to_string())));
    });
}

/// Computes the changes of a list whose text has this version.
pub fn plan_changes(
    cx: &Cx<'_>,
    (list, version): (BufferId, u64),
    text: Text,
    known: Arc<KnownRows>,
    open: Vec<OpenText>,
) {
    let (env, list_version) = (cx.env.clone(), Some((list, version)));
    let work = async move { Plan { list: list_version, ..plan_list(&*env, text, known, &open).await } };
    cx.tasks.spawn("project_search.compare", work, move |cx, answer| {
        let failed = |error: TaskError| Plan {
            list: list_version,
            skipped: vec![error.to_string()],
            ..Plan::default()
        };
        apply::on_planned(cx, answer.unwrap_or_else(failed));
    });
}

/// Computes the changes that undo a step over many files.
pub fn plan_undo(cx: &Cx<'_>, files: Vec<ChangedFile>, open: Vec<OpenText>) {
    let (env, retryable) = (cx.env.clone(), files.clone());
    let work = async move { plan_undo_files(&*env, files, &open).await };
    cx.tasks.spawn("project_search.reverse", work, move |cx, answer| {
        let failed =
            |error: TaskError| Plan { retryable, skipped: vec![error.to_string()], ..Plan::default() };
        apply::on_planned(cx, answer.unwrap_or_else(failed));
    });
}

/// Writes files, each by its index in the plan.
pub fn write_all(cx: &Cx<'_>, files: Vec<(usize, FilePlan)>) {
    let env = cx.env.clone();
    let all: Vec<_> = files.iter().map(|(number, file)| (*number, file.path.clone())).collect();
    let work = async move {
        let write_one = |(number, file): (usize, FilePlan)| {
            let env = env.clone();
            async move {
                let path = file.path.clone();
                let written = catch_async(write(&*env, file)).await;
                (number, written.unwrap_or_else(|message| Err(EnvError::internal(&path, message))))
            }
        };
        stream::iter(files).map(write_one).buffer_unordered(WRITES_AT_ONCE).collect::<Vec<_>>().await
    };
    cx.tasks.spawn("project_search.write", work, move |cx, answer| {
        let results = answer.unwrap_or_else(|TaskError::Panicked(message)| {
            let error =
                |(number, path): (usize, PathBuf)| (number, Err(EnvError::internal(&path, message.clone())));
            all.into_iter().map(error).collect()
        });
        apply::on_written(cx, results);
    });
}

/// Returns a folder, and its path with all links resolved.
async fn resolve_root(env: &dyn Environment, folder: PathBuf) -> search::Root {
    let real = env.resolve(&folder).await.unwrap_or_else(|_| folder.clone());
    (folder, real)
}

/// Text of a file, its line ending, and where a change of it is made.
pub type CurrentText = (Text, &'static str, Target);

/// Returns the current text of a file: its buffer, else the disk. Fails with a message if it cannot be
/// changed.
pub async fn current_text(
    env: &dyn Environment,
    path: &Path,
    open: &[OpenText],
) -> Result<CurrentText, String> {
    let real = env.resolve(path).await.unwrap_or_else(|_| path.to_path_buf());
    let is_it = |open: &&OpenText| open.path == path || open.real.as_ref() == Some(&real);
    if let Some(open) = open.iter().find(is_it) {
        let target = Target::Open(open.id, open.version);
        return open
            .read_only
            .map_or(Ok((open.text.clone(), "\n", target)), |reason| Err(reason.to_string()));
    }
    let FileData { bytes, stamp } = env.read(path).await.map_err(|error| match error {
        EnvError::NotFound(_) => "is gone".to_string(),
        error => error.to_string(),
    })?;
    let decoded = tokio::task::spawn_blocking(move || {
        let (text, format) = format::decode(&bytes);
        (Text::from(text.as_str()), format)
    });
    let (text, format) = decoded.await.map_err(|error| error.to_string())?;
    let target = Target::Closed(stamp, format);
    format.read_only().map_or(Ok((text, format.ending.text(), target)), |reason| Err(reason.to_string()))
}

/// Returns the changes of a list.
async fn plan_list(env: &dyn Environment, list: Text, known: Arc<KnownRows>, open: &[OpenText]) -> Plan {
    let mut plan = Plan::default();
    let read = {
        let known = known.clone();
        tokio::task::spawn_blocking(move || known.parse_edits(&list.to_string())).await
    };
    let (edits, problems) = match read {
        Ok(read) => read,
        Err(error) => (Vec::new(), vec![format!("a task of the program failed: {error}")]),
    };
    plan.skipped = problems;
    for edits in edits.chunk_by(|a, b| a.origin.file == b.origin.file) {
        let file = &known.files[edits[0].origin.file];
        match plan_file(env, edits, &known, open).await {
            Ok((planned, stale)) => {
                let not_so = |line| format!("{}:{line}: is not what was found any more", file.name);
                plan.skipped.extend(stale.into_iter().map(not_so));
                plan.files.extend(planned);
            }
            Err(problem) => plan.skipped.push(format!("{}: {problem}", file.name)),
        }
    }
    plan
}

/// Returns the planned change of one file, and the lines that differ from the results.
async fn plan_file(
    env: &dyn Environment,
    edits: &[RowEdit],
    known: &Arc<KnownRows>,
    open: &[OpenText],
) -> Result<(Option<FilePlan>, Vec<usize>), String> {
    let file = &known.files[edits[0].origin.file];
    let (before, ending, target) = current_text(env, &file.path, open).await?;
    let (text, all, edits) = (before.clone(), known.clone(), edits.to_vec());
    let made = tokio::task::spawn_blocking(move || plan::plan_edits(&all, &edits, &text, ending));
    let made = made.await.map_err(|error| error.to_string())?;
    let (path, name) = (file.path.clone(), file.name.clone());
    let edit_count = made.row_updates.len();
    let planned = FilePlan {
        path,
        name,
        before,
        changes: made.changes,
        edit_count,
        row_updates: made.row_updates,
        target,
    };
    if edit_count == 0 {
        return Ok((None, made.stale));
    }
    Ok((Some(check_encoding(planned).await?), made.stale))
}

/// Returns the plan, if the new text can be encoded in the file's encoding.
pub async fn check_encoding(file: FilePlan) -> Result<FilePlan, String> {
    let Target::Closed(_, format) = file.target else { return Ok(file) };
    let encoded = tokio::task::spawn_blocking(move || {
        let mut after = file.before.clone();
        file.changes.apply(&mut after);
        format::encode(after.chunks_from(Byte(0)), format).map(|_| file)
    });
    encoded.await.map_err(|error| error.to_string())?.map_err(|unfit| unfit.to_string())
}

/// Returns the changes that undo a step.
async fn plan_undo_files(env: &dyn Environment, files: Vec<ChangedFile>, open: &[OpenText]) -> Plan {
    let mut plan = Plan::default();
    for file in files {
        let name = file.name.clone();
        match plan_undo_file(env, &file, open).await {
            Ok(Some(planned)) => plan.files.push(planned),
            Ok(None) => plan.already_done.push(file),
            Err(error) => {
                plan.skipped.push(format!("{name}: {error}"));
                plan.retryable.push(file);
            }
        }
    }
    plan
}

async fn plan_undo_file(
    env: &dyn Environment,
    file: &ChangedFile,
    open: &[OpenText],
) -> Result<Option<FilePlan>, String> {
    let (before, _, target) = current_text(env, &file.path, open).await?;
    let (done, text) = (file.clone(), before.clone());
    let changes = tokio::task::spawn_blocking(move || plan::invert_change(&done, &text)).await;
    let changes = changes.map_err(|error| error.to_string())?.map_err(|overlap| overlap.to_string())?;
    let Some(changes) = changes else { return Ok(None) };
    let known =
        file.row_updates.iter().map(|(origin, old, new)| (*origin, new.clone(), old.clone())).collect();
    let (path, name, edit_count) = (file.path.clone(), file.name.clone(), file.edit_count);
    check_encoding(FilePlan { path, name, before, changes, edit_count, row_updates: known, target })
        .await
        .map(Some)
}

/// Writes a file that is still in the state for which the change was computed.
pub async fn write(env: &dyn Environment, file: FilePlan) -> Result<Stamp, EnvError> {
    let Target::Closed(stamp, format) = file.target else { return Err(EnvError::Cancelled) };
    let path = file.path;
    let encoded = tokio::task::spawn_blocking(move || {
        let mut after = file.before;
        file.changes.apply(&mut after);
        format::encode(after.chunks_from(Byte(0)), format)
    });
    match encoded.await {
        Ok(Ok(bytes)) => env.write(&path, bytes, Some(stamp)).await,
        Ok(Err(unfit)) => Err(EnvError::unencodable(&path, unfit)),
        Err(_) => Err(EnvError::Cancelled),
    }
}
