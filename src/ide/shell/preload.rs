//! What the first frame shows, being read while the rest of the program is still set up.
//!
//! Knows no state and no screen. Begun before theme and keys are read, it turns into the pump's
//! queue of events.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::exec::{Environment, FileData};
use crate::ide::core::event::{Event, Opened};
use crate::ide::core::options::OpenTarget;
use crate::ide::core::threads::Threads;
use crate::ide::shell::worker::Worker;
use crate::text::document::Document;

/// Events of tasks that wait for the loop; a full queue holds the tasks up.
const EVENTS_MAX: usize = 1024;

/// Threads at work and the queue into which they answer.
pub struct Feed {
    pub env: Arc<dyn Environment>,
    pub sender: mpsc::Sender<Event>,
    pub events: mpsc::Receiver<Event>,
    pub worker: Worker,
    /// Whether a file is being opened.
    pub opening: bool,
}

impl Feed {
    /// Begins to read the files to open, the first of which will be shown. Needs the loop's
    /// runtime; everything later runs on `tasks`. `read_now` gives a file that is read sooner
    /// than a thread is made for it, else nothing.
    pub fn start(
        env: Arc<dyn Environment>,
        tasks: Threads,
        open: Vec<OpenTarget>,
        read_now: impl FnOnce(&Path) -> Option<(PathBuf, FileData)>,
    ) -> Self {
        let (sender, events) = mpsc::channel(EVENTS_MAX);
        let worker = Worker::new(env.clone(), sender.clone(), tasks);
        let opening = !open.is_empty();
        let read = open.first().and_then(|first| read_now(&first.path));
        let mut files: VecDeque<_> = open.into_iter().map(|target| (target.path, target.at)).collect();
        let shown = read.and_then(|read| files.pop_front().zip(Some(read)));
        let first = shown.map(|((path, at), (real, data))| {
            let result = Ok(Some((Document::from_bytes(&data.bytes), data.stamp)));
            Opened { path, real, result, at, behind: false }
        });
        worker.open_all(first, files.into());
        Self { env, sender, events, worker, opening }
    }
}
