//! Reads what the first frame shows while the rest of the program is being set up.
//!
//! Must not know state or screen. Started before theme and keys are loaded; it becomes the queue of the event
//! source.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::base::panics::catch_async;
use crate::exec::{Environment, FileData};
use crate::ide::core::context::{Cx, Tasks};
use crate::ide::core::event::Event;
use crate::ide::core::options::OpenTarget;
use crate::ide::core::tasks::threads::Threads;
use crate::ide::features::files::open::{self, OpenedFile};
use crate::ide::features::{recovery, reopen};
use crate::text::document::Document;

/// Capacity of the queue of events from tasks; a full queue blocks the tasks.
const EVENTS_MAX: usize = 1024;

/// Running threads and the queue for their results.
pub struct Preload {
    pub env: Arc<dyn Environment>,
    pub sender: mpsc::Sender<Event>,
    pub events: mpsc::Receiver<Event>,
    pub tasks: Tasks,
    /// Whether a file is being opened.
    pub opening: bool,
}

impl Preload {
    /// Starts reading the files to open, the first of which will be shown. Needs the event loop's runtime;
    /// later work runs on `threads`. `read_now` returns the content of a file that is read faster than a
    /// thread could be created for it, otherwise `None`.
    pub fn start(
        env: Arc<dyn Environment>,
        threads: Threads,
        open: Vec<OpenTarget>,
        read_now: impl FnOnce(&Path) -> Option<(PathBuf, FileData)>,
    ) -> Self {
        let (sender, events) = mpsc::channel(EVENTS_MAX);
        let tasks = Tasks::new(threads, Arc::new(sender.clone()));
        let opening = !open.is_empty();
        let read = open.first().and_then(|first| read_now(&first.path));
        let mut files: VecDeque<_> = open.into_iter().map(|target| (target.path, target.at)).collect();
        let shown = read.and_then(|read| files.pop_front().zip(Some(read)));
        let first = shown.map(|((path, at), (real, data))| {
            let result = Ok(Some((Document::from_bytes(&data.bytes), data.stamp)));
            OpenedFile { path, real, version: None, result, at, in_background: false }
        });
        open_all(env.clone(), &tasks, first, files.into());
        Self { env, sender, events, tasks, opening }
    }
}

/// Opens files. `first` was already read; the first file is shown. The only task on the event loop's thread:
/// startup must not wait until other threads are created, and this one only waits.
fn open_all(
    env: Arc<dyn Environment>,
    tasks: &Tasks,
    first: Option<OpenedFile>,
    files: Vec<(PathBuf, Option<(usize, usize)>)>,
) {
    let (tasks, running) = (tasks.clone(), tasks.count_task());
    tokio::spawn(async move {
        let mut in_background = first.is_some();
        if let Some(first) = first {
            tasks.post("files.open", |cx| open::on_opened(cx, first)).await;
        }
        for (path, at) in files {
            let open_options = (at, in_background);
            let read = catch_async(open::read(&*env, &tasks, path.clone(), open_options)).await;
            let opened = read.unwrap_or_else(|error| OpenedFile::failed(path, open_options, error.into()));
            tasks.post("files.open", |cx| open::on_opened(cx, opened)).await;
            in_background = true;
        }
        tasks.post("files.open-all", all_opened).await;
        drop(running);
    });
}

/// Handles the end of opening: every file requested at the start is open.
fn all_opened(cx: &mut Cx<'_>) {
    reopen::restore::restore_windows(cx);
    recovery::recover::on_all_opened(cx);
}
