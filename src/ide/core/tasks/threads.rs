//! Where tasks run: threads beside the loop's, made when the first task needs them.
//!
//! Knows no task. The first frame comes sooner when no thread is made before it.

use std::pin::Pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

/// Threads for tasks; more than one, so that one long computation does not hold up the rest.
const THREADS: usize = 2;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Threads for tasks. Copies share them.
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
    /// Left behind: no task begins any more.
    Abandoned,
}

impl OwnRuntime {
    /// What runs tasks, made if need be; `None` once it is left behind.
    fn handle(&mut self) -> std::io::Result<Option<Handle>> {
        if matches!(self, Self::NotStarted) {
            *self = Self::Started(Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?);
        }
        Ok(if let Self::Started(runtime) = self { Some(runtime.handle().clone()) } else { None })
    }
}

impl Threads {
    /// Threads that are made at the first need.
    pub fn lazy() -> Self {
        Self(Kind::Own(Arc::default()))
    }

    /// Threads that are there already.
    pub fn from_handle(handle: Handle) -> Self {
        Self(Kind::Given(handle))
    }

    /// Runs a task. Where the system refuses threads it runs on the caller's.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // One kind of task: what runs tasks would be in the program once for each kind, and there are many.
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

    /// Leaves tasks behind: a thread that still walks a folder or waits for a dead disk must
    /// not hold the exit up. Tasks may hold copies of this: the threads end all the same, and not on one of themselves.
    pub fn abandon(self) {
        let Kind::Own(own) = self.0 else { return };
        let own = std::mem::replace(&mut *own.lock(), OwnRuntime::Abandoned);
        if let OwnRuntime::Started(runtime) = own {
            runtime.shutdown_background();
        }
    }
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
