//! Where tasks run: threads beside the loop's, made when the first task needs them.
//!
//! Knows no task. The first frame comes sooner when no thread is made before it.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Handle, Runtime};

/// Threads for tasks; more than one, so that one long computation does not hold up the rest.
const THREADS: usize = 2;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Threads for tasks. Copies share them.
#[derive(Clone)]
pub struct Threads(Kind);

#[derive(Clone)]
enum Kind {
    Own(Arc<OnceLock<Runtime>>),
    Given(Handle),
}

impl Threads {
    /// Threads that are made at the first need.
    pub fn lazy() -> Self {
        Self(Kind::Own(Arc::default()))
    }

    /// Threads that are there already.
    pub fn on(handle: Handle) -> Self {
        Self(Kind::Given(handle))
    }

    /// Runs a task. Where the system refuses threads it runs on the caller's.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // One kind of task: what runs tasks would be in the program once for each kind, and there are many.
        self.run(Box::pin(task));
    }

    fn run(&self, task: Task) {
        match &self.0 {
            Kind::Given(handle) => handle.spawn(task),
            Kind::Own(runtime) => match runtime.get().map_or_else(|| make(runtime), Ok) {
                Ok(runtime) => runtime.spawn(task),
                Err(error) => {
                    tracing::error!("no threads for tasks: {error}");
                    tokio::spawn(task)
                }
            },
        };
    }

    /// Leaves tasks behind: a thread that still walks a folder or waits for a dead disk must
    /// not hold the exit up.
    pub fn abandon(self) {
        if let Kind::Own(runtime) = self.0
            && let Some(runtime) = Arc::into_inner(runtime).and_then(OnceLock::into_inner)
        {
            runtime.shutdown_background();
        }
    }
}

fn make(slot: &OnceLock<Runtime>) -> std::io::Result<&Runtime> {
    let made = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    Ok(slot.get_or_init(|| made))
}

/// Runs `work` where it may block. Its panic goes on in the caller.
pub async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(error) => std::panic::panic_any(error.to_string()),
        },
    }
}
