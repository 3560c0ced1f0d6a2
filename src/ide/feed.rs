//! What the first frame shows, being read while the rest of the program is still set up.
//!
//! Knows no state and no screen. Begun before theme and keys are read, it turns into the pump's
//! queue of events.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::effect::Effect;
use super::event::Event;
use super::options::OpenTarget;
use super::tasks::Tasks;
use super::worker::Worker;
use crate::exec::Environment;

/// Events of tasks that wait for the loop; a full queue holds the tasks up.
const EVENTS_MAX: usize = 1024;

/// Tasks at work and the queue into which they answer.
pub struct Feed {
    pub(super) env: Arc<dyn Environment>,
    pub(super) sender: mpsc::Sender<Event>,
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) worker: Worker,
    /// Whether a file is being opened.
    pub(super) opening: bool,
}

impl Feed {
    /// Begins to read the files to open, the first of which will be shown. Needs the loop's
    /// runtime; everything later runs on `tasks`.
    pub async fn start(env: Arc<dyn Environment>, tasks: Tasks, open: Vec<OpenTarget>) -> Self {
        let (sender, events) = mpsc::channel(EVENTS_MAX);
        let mut worker = Worker::new(env.clone(), sender.clone(), tasks);
        let opening = !open.is_empty();
        if opening {
            let files = open.into_iter().map(|target| (target.path, target.at)).collect();
            worker.perform(Effect::OpenAll(files));
            // Lets that task ask for the file; the thread that reads it runs beside what follows.
            tokio::task::yield_now().await;
        }
        Self { env, sender, events, worker, opening }
    }
}
