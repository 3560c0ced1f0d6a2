//! Searches of the workspace and terminals, each piece a task whose results come back as events; all other work is
//! started where its answer is used (`core::context::Tasks`). Must not know the state.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::panics::Panicked;
use crate::exec::Environment;
use crate::ide::core::context::Tasks;
use crate::ide::core::effect::Effect;
use crate::ide::core::event::Event;
use crate::ide::core::threads::Threads;
use crate::runtime::Handle;
use lost::{failed, filled};

mod listing;
mod lost;
mod terminal;

/// What work beside the loop needs: files and commands, the session, tasks.
pub struct Worker {
    env: Arc<dyn Environment>,
    events: mpsc::Sender<Event>,
    tasks: Tasks,
    /// The session, once it is there.
    pub session: Option<Handle>,
    walk: CancellationToken,
    terminals: terminal::Terminals,
}

impl Worker {
    /// A worker for files of `env` that runs on `tasks` and answers to the loop listening to
    /// `events`.
    pub fn new(env: Arc<dyn Environment>, events: mpsc::Sender<Event>, threads: Threads) -> Self {
        let tasks = Tasks::new(threads, Arc::new(events.clone()));
        let walk = CancellationToken::new();
        Self { env, events, tasks, session: None, walk, terminals: terminal::Terminals::default() }
    }

    /// Whether a task is still at work.
    pub fn is_busy(&self) -> bool {
        self.tasks.is_busy()
    }

    /// Starts one piece of work.
    pub fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Listing(job) => self.list_work(*job),
            Effect::Grep(grep) => self.start_grep(*grep),
            Effect::Terminal(work) => self.terminal(work),
            Effect::EndWalk => self.walk.cancel(),
            _ => tracing::error!("an effect of the loop itself reached the worker"),
        }
    }

    /// Runs a task whose result is an event. Where it panics, the event is that of `lost`, so that
    /// what waits for the result goes on.
    pub fn task(
        &self,
        lost: impl FnOnce(Panicked) -> Event + Send + 'static,
        work: impl Future<Output = Event> + Send + 'static,
    ) {
        let work = self.tasks.guard(work);
        let events = self.events.clone();
        self.tasks.run(async move { send(&events, work.await.unwrap_or_else(lost)).await });
    }

    /// What starts tasks.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Files and commands of the place that is worked in.
    pub fn env(&self) -> &Arc<dyn Environment> {
        &self.env
    }
}

async fn send(events: &mpsc::Sender<Event>, event: Event) {
    if events.send(event).await.is_err() {
        tracing::debug!("the loop has ended before a task's result");
    }
}
