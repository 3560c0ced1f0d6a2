//! Threads that run tasks beside the event loop, created when the first task needs them.
//!
//! Must not know any task. The first frame appears sooner when no thread is created before it.

use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

/// Number of threads; more than one, so that one long computation does not delay the rest.
const THREADS: usize = 2;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Threads for tasks. Clones share them.
#[derive(Clone)]
pub struct Threads(Kind);

#[derive(Clone)]
enum Kind {
    Own(Arc<Mutex<OwnRuntime>>),
    Given(Handle),
}

/// Threads of the program's own.
#[derive(Default)]
enum OwnRuntime {
    #[default]
    NotStarted,
    Started(Runtime),
    /// Abandoned: no more tasks start.
    Abandoned,
}

impl OwnRuntime {
    /// Returns the runtime of the tasks, creating it if needed; `None` once abandoned.
    fn handle(&mut self) -> std::io::Result<Option<Handle>> {
        if matches!(self, Self::NotStarted) {
            *self = Self::Started(Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?);
        }
        Ok(if let Self::Started(runtime) = self { Some(runtime.handle().clone()) } else { None })
    }
}

impl Threads {
    /// Returns threads that are created on first use.
    pub fn lazy() -> Self {
        Self(Kind::Own(Arc::default()))
    }

    /// Returns threads of an existing runtime.
    pub fn from_handle(handle: Handle) -> Self {
        Self(Kind::Given(handle))
    }

    /// Runs a task. If the system refuses to create threads, it runs on the caller's runtime.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // Boxed: otherwise the code would be compiled once for each of the many task types.
        self.run(Box::pin(task));
    }

    fn run(&self, task: Task) {
        let handle = match &self.0 {
            Kind::Given(handle) => Ok(Some(handle.clone())),
            Kind::Own(own) => own.lock().handle(),
        };
        match handle {
            Ok(Some(handle)) => drop(handle.spawn(task)),
            Ok(None) => tracing::debug!("a task came after the threads were left behind"),
            Err(error) => {
                tracing::error!("no threads for tasks: {error}");
                tokio::spawn(task);
            }
        }
    }

    /// Abandons running tasks: a thread that still walks a folder or waits for a dead disk must not delay
    /// exit. Tasks may hold clones of this: the threads still end, and never on one of themselves.
    pub fn abandon(self) {
        let Kind::Own(own) = self.0 else { return };
        let own = std::mem::replace(&mut *own.lock(), OwnRuntime::Abandoned);
        if let OwnRuntime::Started(runtime) = own {
            runtime.shutdown_background();
        }
    }
}

/// Runs `work` where it may block. Its panic is propagated to the caller.
pub async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(error) => std::panic::panic_any(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn threads_abandon_drops_running_tasks() {
        let threads = Threads::lazy();
        let (alive, ended) = mpsc::channel::<()>();
        let (copy, later) = (threads.clone(), threads.clone());
        threads.spawn(async move {
            std::future::pending::<()>().await;
            drop((alive, copy));
        });
        threads.abandon();
        assert_eq!(ended.recv(), Err(mpsc::RecvError), "the task is dropped");
        let (alive, ended) = mpsc::channel::<()>();
        later.spawn(async move {
            alive.send(()).ok();
        });
        assert_eq!(ended.recv(), Err(mpsc::RecvError), "no task begins any more");
    }
}
