//! Writes that go through the environment of the open files, as those of the agent do.

use std::future::Future;
use std::sync::Arc;

use bowline::exec::Environment;
use bowline::exec::local::LocalEnvironment;
use bowline::ide::core::context::Tasks;
use bowline::ide::core::event::Event;
use bowline::ide::core::tasks::threads::Threads;
use bowline::ide::features::files::environment::BufferEnvironment;
use tokio::sync::mpsc;

use super::test_ide::TestIde;

/// The environment of the open files, and what it asks of the IDE.
pub fn environment(ide: &TestIde) -> (BufferEnvironment, mpsc::Receiver<Event>) {
    environment_over(Arc::new(LocalEnvironment::new(ide.path(""), std::iter::empty())))
}

/// The same with the real files in another environment.
pub fn environment_over(files: Arc<dyn Environment>) -> (BufferEnvironment, mpsc::Receiver<Event>) {
    let (sender, events) = mpsc::channel(8);
    let tasks = Tasks::new(Threads::from_handle(tokio::runtime::Handle::current()), Arc::new(sender));
    (BufferEnvironment::new(files, tasks), events)
}

/// Lets the IDE answer what an environment asks until its work is done; `after` runs after each answer.
pub async fn serve<T>(
    ide: &mut TestIde,
    events: &mut mpsc::Receiver<Event>,
    work: impl Future<Output = T>,
    mut after: impl FnMut(&mut TestIde),
) -> T {
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            Some(event) = events.recv() => {
                ide.headless.app().handle(event);
                after(ide);
            }
        }
    };
    while let Ok(event) = events.try_recv() {
        ide.headless.app().handle(event);
    }
    done
}
