//! What servers have to do with files that the user creates, moves and deletes: they are asked what changes elsewhere because
//! of it, which is offered to the user together with the operation, and they hear when it is done. Must not know where the
//! user does it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use parking_lot::Mutex;

use crate::base::width::visible;
use crate::exec::{Environment, FileKind};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::feature::{DiskChange, JobStep, Prepared};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::tree_job::TreeJob;
use crate::ide::features::file_tree::steps::TREE_STEPS;
use crate::ide::features::files::jobs::FILE_JOBS;
use crate::ide::features::language_servers::edit_plan::{self, EditPlan, JobPlan};
use crate::ide::features::language_servers::questions::{self, asked};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::{apply_edit, limited, sync, watched_files};
use crate::ide::features::project_search::navigate::open_texts;
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::lsp::client::edits::ServerEdit;
use crate::lsp::client::files::{FileOperation, OperatedFile};

/// How long an operation waits for servers.
const WAIT: Duration = Duration::from_secs(2);

/// What servers answer, by name.
type Answers = Vec<(String, Result<Option<ServerEdit>, QuestionError>)>;

/// A job as servers hear of it.
#[derive(Clone)]
struct Operated {
    operation: FileOperation,
    path: PathBuf,
    to: Option<PathBuf>,
    /// Whether it is a folder, if that is known.
    is_folder: Option<bool>,
}

impl Operated {
    /// What comes out of the trash folder is created for them.
    fn of(job: &TreeJob, trash: &Path) -> Self {
        match job {
            TreeJob::Create { path, is_folder } => Self {
                operation: FileOperation::Create,
                path: path.clone(),
                to: None,
                is_folder: Some(*is_folder),
            },
            TreeJob::Move { from, to } if from.starts_with(trash) => {
                Self { operation: FileOperation::Create, path: to.clone(), to: None, is_folder: None }
            }
            TreeJob::Move { from, to } => Self {
                operation: FileOperation::Rename,
                path: from.clone(),
                to: Some(to.clone()),
                is_folder: None,
            },
            TreeJob::Delete(path) => {
                Self { operation: FileOperation::Delete, path: path.clone(), to: None, is_folder: None }
            }
        }
    }

    /// Returns the file; `at` is where it is now.
    async fn file(self, env: &dyn Environment, at: &Path) -> OperatedFile {
        let is_folder = match self.is_folder {
            Some(is_folder) => is_folder,
            None => env.stat(at).await.is_ok_and(|stat| stat.kind == FileKind::Folder),
        };
        OperatedFile { path: self.path, to: self.to, is_folder }
    }
}

/// Asks the servers that want that before a job on files. Returns the rest of the job if there are none.
pub fn before(cx: &mut Cx<'_>, job: &TreeJob, rest: JobStep) -> Option<JobStep> {
    let operated = Operated::of(job, &cx.state.slots[TREE_STEPS].trash);
    let operation = operated.operation;
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let wanting = known.servers.iter().filter(|server| server.offers(operation.before()));
    let servers: Vec<_> = wanting.map(asked).collect();
    if servers.is_empty() {
        return Some(rest);
    }
    let names: Vec<String> = servers.iter().map(|server| visible(&server.name).into_owned()).collect();
    let env = cx.env.clone();
    let work = async move {
        let at = operated.path.clone();
        let files = [operated.file(&*env, &at).await];
        let all = servers.into_iter().map(async |server| {
            let answer = server.client.await?.before_operation(operation, &files).await;
            Some((server.name, answer))
        });
        join_all(all).await.into_iter().flatten().collect::<Answers>()
    };
    let job = job.clone();
    limited::ask_within(cx, "language-servers.before-job", WAIT, work, move |cx, answers| {
        let Some(answers) = answers else {
            let problem = format!("{}: no answer within {} s", names.join(", "), WAIT.as_secs());
            return rest(cx, Prepared::Go { problem: Some(problem) });
        };
        on_answers(cx, job, answers, rest);
    });
    None
}

/// Offers what the servers change; what does not fit to the edits before it is left out.
fn on_answers(cx: &mut Cx<'_>, job: TreeJob, answers: Answers, rest: JobStep) {
    let (mut edits, mut problem) = (Vec::new(), None);
    for (name, answer) in answers {
        let name = visible(&name).into_owned();
        match answer {
            Ok(Some(found)) if !found.edit.steps.is_empty() => edits.push((name, found)),
            Ok(_) | Err(QuestionError::NotOffered) => {}
            Err(error) => problem = Some(format!("{name}: {}", visible(&error.to_string()))),
        }
    }
    if edits.is_empty() {
        return rest(cx, Prepared::Go { problem });
    }
    let names: Vec<String> = edits.iter().map(|(name, _)| name.clone()).collect();
    let (env, workspace, open) = (cx.env.clone(), cx.state.workspace.clone(), open_texts(cx.state));
    let work = edit_plan::plan_job(env, workspace, open, edits, job.clone());
    cx.tasks.spawn("language-servers.check-edit", work, move |cx, planned| {
        match planned.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(JobPlan { plan, servers, left_out }) => {
                let left_out = left_out.iter().map(|(server, reason)| left_out_line(server, reason));
                let problems: Vec<String> = left_out.chain(problem).collect();
                if plan.step.files.is_empty() && plan.step.operations.len() == 1 {
                    let problem = (!problems.is_empty()).then(|| problems.join(". "));
                    return rest(cx, Prepared::Go { problem });
                }
                offer(cx, &job, plan, (servers.join(", "), problems), rest);
            }
            Err(reason) => {
                let problem = Some(left_out_line(&names.join(", "), &reason));
                rest(cx, Prepared::Go { problem });
            }
        }
    });
}

/// Says that edits are not made, and why.
fn left_out_line(server: &str, reason: &str) -> String {
    format!("The edits of {server} are left out: {}", visible(reason))
}

/// The rest of a job, which two answers of a dialog can take.
type Shared = Arc<Mutex<Option<JobStep>>>;

/// Shows what changes with the job, and what of it is left out, and asks the user.
fn offer(
    cx: &mut Cx<'_>,
    job: &TreeJob,
    mut plan: EditPlan,
    (servers, problems): (String, Vec<String>),
    rest: JobStep,
) {
    // While the user decides nothing is being changed.
    cx.state.slots[FILE_JOBS].is_tree_running = false;
    let what = edit_plan::operation_line(job, &cx.state.workspace);
    let title = format!("{what}: change {}?", apply_edit::summary(&plan));
    let lines = problems.into_iter().chain(std::mem::take(&mut plan.preview)).collect();
    let shared: Shared = Arc::new(Mutex::new(Some(rest)));
    let alone = shared.clone();
    let run = |cx: &mut Cx<'_>, shared: &Shared, prepared: Prepared| {
        let rest = shared.lock().take();
        if let Some(rest) = rest {
            rest(cx, prepared);
        }
    };
    let apply = move |cx: &mut Cx<'_>| {
        let then = move |cx: &mut Cx<'_>, is_applied| {
            run(cx, &shared, if is_applied { Prepared::Done } else { Prepared::Canceled });
        };
        apply_edit::apply_plan(cx, plan, servers, Box::new(then));
    };
    let dialog = Dialog::difference(title, lines)
        .choice('y', "Apply", apply)
        .choice('w', "Without the changes", move |cx| run(cx, &alone, Prepared::Go { problem: None }))
        .close('n', "Cancel");
    let shown = &mut cx.state.slots[LANGUAGE_SERVERS].shown_edits;
    *shown += 1;
    let number = *shown;
    // The server may have taken a moment.
    cx.state.push_layer(dialog.uninvited("server-edit", number));
}

/// Lets servers know that a job is done; `path` is where what was moved or deleted is now.
pub fn after(cx: &mut Cx<'_>, job: &TreeJob, path: &Path) {
    let operated = Operated::of(job, &cx.state.slots[TREE_STEPS].trash);
    let operation = operated.operation;
    match (operation, &operated.to) {
        (FileOperation::Create, _) => watched_files::note(cx, &operated.path, DiskChange::Created),
        (_, Some(to)) => watched_files::note_moved(cx, &operated.path, to),
        // It is in the trash folder.
        (_, None) => watched_files::note_deleted(cx, &operated.path, path),
    }
    // Texts are closed under their old names before.
    sync::reopen_moved(cx);
    announce(cx, operated, path);
}

/// A text was saved as a file that was not there before.
pub fn on_created(cx: &mut Cx<'_>, id: BufferId) {
    let Some(path) = cx.state.buffers.get_mut(id).and_then(|buffer| buffer.path.clone()) else { return };
    let operated = Operated { operation: FileOperation::Create, path, to: None, is_folder: Some(false) };
    let path = operated.path.clone();
    announce(cx, operated, &path);
}

/// Lets the servers that want that know of an operation; `path` is where the file is now.
fn announce(cx: &mut Cx<'_>, operated: Operated, path: &Path) {
    let operation = operated.operation;
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let wanting = known.servers.iter().filter(|server| server.offers(operation.after()));
    let clients: Vec<_> = wanting.map(questions::client).collect();
    if clients.is_empty() {
        return;
    }
    let (env, at) = (cx.env.clone(), path.to_path_buf());
    let work = async move {
        let files = [operated.file(&*env, &at).await];
        for client in clients {
            if let Some(client) = client.await
                && let Err(error) = client.after_operation(operation, &files)
            {
                let path = files[0].path.display();
                tracing::debug!(%error, %path, "a language server does not hear of a file operation");
            }
        }
    };
    cx.tasks.spawn("language-servers.after-job", work, |cx, done| {
        answer_or_error(cx, "tell language servers of a file operation", done);
    });
}
