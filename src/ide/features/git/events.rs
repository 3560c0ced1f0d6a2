//! Git's versions of the open files: read and compared in tasks, shown as marks. Must not access the
//! repository: git itself reads it, and nothing writes it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::exec::{CommandSpec, Environment, Exit};
use crate::ide::core::context::{Cx, TaskError, Tasks};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::view::hunks::{GitText, HunkJob, SIZE_MAX};
use crate::text::file_format::format;
use crate::text::rope::Text;
use crate::workspace::git;

/// Prints the text of a file in the index or in a commit, as it would be checked out. If the repository
/// defines its own programs, such as filters, the stored text.
const SCRIPT: &str = r#"
exec 2>/dev/null
[ -z "$BOWLINE_COMMIT" ] || safe_git rev-parse -q --verify "$BOWLINE_COMMIT" >/dev/null || exit 3
if names_programs; then as=blob; else as=--filters; fi
safe_git cat-file "$as" "$BOWLINE_COMMIT:./$BOWLINE_FILE"
"#;
/// Exit code of the script if there is no such commit.
const NO_COMMIT: i32 = 3;
/// Maximum bytes of git's version that are shown in a comparison requested by the user.
pub const SHOWN_MAX: usize = 256 << 20;
/// Time limit for git.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Requests what is missing for the shown files.
pub fn after_frame(cx: &mut Cx<'_>) {
    let state = &mut *cx.state;
    let views = state.visible_rows.iter().chain(&state.other_visible_rows);
    for id in views.map(|view| view.buffer) {
        let Some(buffer) = state.buffers.get_mut(id) else { continue };
        let Some(path) = &buffer.real else { continue };
        let version = buffer.area.document.version();
        let text = buffer.area.document.text();
        let hunks = &mut buffer.area.per_view.hunks;
        if let Some(known) = hunks.take_request() {
            let (env, path) = (cx.env.clone(), path.clone());
            let work = async move { read(&*env, &path, known).await };
            // If the task has no result, the known text is kept.
            let done = move |cx: &mut Cx<'_>, text: Result<GitText, TaskError>| {
                on_git_text(cx, id, text.unwrap_or(GitText::Unchanged));
            };
            cx.tasks.spawn("git.read", work, done);
        } else if let Some(job) = hunks.next_job(text, version, cx.now) {
            compare(cx.tasks, id, job);
        }
    }
}

/// Marks git's versions of all files as possibly changed.
pub fn invalidate_all(cx: &mut Cx<'_>) {
    for buffer in cx.state.buffers.all_mut() {
        buffer.area.per_view.hunks.invalidate();
    }
}

/// Handles the response of git.
fn on_git_text(cx: &mut Cx<'_>, id: BufferId, answer: GitText) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if buffer.area.per_view.hunks.set_git_text(answer) {
        cx.state.damage.add(Part::Editor);
        cx.state.damage.add(Part::Status);
    }
}

/// Compares a text with git's.
fn compare(tasks: &Tasks, id: BufferId, job: HunkJob) {
    tasks.spawn_blocking(
        "git.compare",
        move || job.run(),
        move |cx, compared| {
            let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
            let version = buffer.area.document.version();
            let hunks = &mut buffer.area.per_view.hunks;
            let Ok(compared) = compared else { return hunks.set_failed() };
            if hunks.set_result(compared, version) {
                cx.state.damage.add(Part::Editor);
                cx.state.damage.add(Part::Status);
            }
        },
    );
}

/// Why git has no text of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The file is in no repository.
    #[error("Not in a git repository")]
    NoRepository,
    /// There is no commit yet.
    #[error("No commit yet")]
    NoCommit,
    /// Git does not have the file there.
    #[error("Not tracked by git")]
    NoText,
    /// It exceeds the requested size.
    #[error("File too long to compare with git")]
    TooLong,
    /// Git could not be run.
    #[error("Cannot run git: {0}")]
    Failed(String),
}

/// Returns git's version of a file in its index. Having none is not an error: most files are in no
/// repository.
async fn read(env: &dyn Environment, path: &Path, known: Option<Arc<Text>>) -> GitText {
    let bytes = match bytes_of(env, path, "", SIZE_MAX).await {
        Ok(bytes) => bytes,
        Err(why) => {
            tracing::debug!(%why, "git has nothing");
            return GitText::Missing;
        }
    };
    let decoded = tokio::task::spawn_blocking(move || Text::from(format::decode(&bytes).0.as_str()));
    match decoded.await {
        Ok(text) if known.is_some_and(|known| *known == text) => GitText::Unchanged,
        Ok(text) => GitText::Changed(text),
        Err(error) => {
            tracing::error!("git's text could not be read: {error}");
            GitText::Missing
        }
    }
}

/// Returns at most `most` bytes of git's version of a file in a commit, or in the index if `commit` is empty.
pub async fn bytes_of(
    env: &dyn Environment,
    path: &Path,
    commit: &str,
    most: usize,
) -> Result<Vec<u8>, Missing> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(Missing::NoText);
    };
    if git::root_of(folder).is_none() {
        return Err(Missing::NoRepository);
    }
    let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
    let (sink, cancel) = (bytes.clone(), CancellationToken::new());
    let stop = cancel.clone();
    let output = Box::new(move |piece: &[u8]| {
        let mut bytes = sink.lock();
        bytes.extend_from_slice(piece);
        if bytes.len() > most {
            stop.cancel();
        }
    });
    let variable = |name: &str, value: &str| (name.to_string(), value.to_string());
    let command = CommandSpec {
        script: git::script(SCRIPT),
        cwd: folder.to_path_buf(),
        timeout: Some(TIMEOUT),
        env: [variable("BOWLINE_FILE", name), variable("BOWLINE_COMMIT", commit)].into(),
    };
    let exit = env.run(command, output, cancel).await;
    let bytes = std::mem::take(&mut *bytes.lock());
    match exit {
        _ if bytes.len() > most => Err(Missing::TooLong),
        Ok(Exit::Code(0)) => Ok(bytes),
        Ok(Exit::Code(NO_COMMIT)) => Err(Missing::NoCommit),
        Ok(Exit::Code(_)) => Err(Missing::NoText),
        Ok(exit) => Err(Missing::Failed(format!("{exit:?}"))),
        Err(error) => Err(Missing::Failed(error.to_string())),
    }
}

/// Returns when a shown text is compared again.
pub fn deadline(state: &State) -> Option<Duration> {
    let shown = state.visible_rows.iter().chain(&state.other_visible_rows).map(|view| view.buffer);
    let all = state.buffers.all().iter().filter(|buffer| shown.clone().any(|id| id == buffer.id));
    all.filter_map(|buffer| buffer.area.per_view.hunks.deadline(buffer.area.text())).min()
}
