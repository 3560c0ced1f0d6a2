//! The place that a session works in, from when it is made ready to when it is given back.
//!
//! Must not know places, nor what is done there.

use std::sync::Arc;

use crate::base::error::Report;
use crate::exec::Environment;
use crate::exec::wrap::{Counted, Wrapped};

/// A place that is ready. Whoever has it [leaves](Stay::leave) it; where that cannot be waited for, because the
/// work was dropped, it is left on a task of its own.
#[derive(Debug)]
pub(in crate::runtime) struct Stay {
    env: Arc<dyn Environment>,
    left: bool,
}

impl Stay {
    /// Makes a place ready. What tools see of it is counted: a session that a tool starts there does not take
    /// the place along when it ends.
    pub(super) async fn enter(place: Arc<dyn Environment>) -> Result<Self, Report> {
        let env = Arc::new(Wrapped::new(place, Counted::default()));
        match env.initialize().await {
            Ok(()) => Ok(Self { env, left: false }),
            Err(error) => Err(Report::caused(format!("cannot work in {}", env.root().display()), &error)),
        }
    }

    /// The place, as it is to be worked in.
    pub(in crate::runtime) fn env(&self) -> Arc<dyn Environment> {
        Arc::clone(&self.env)
    }

    /// Gives the place back; tells what went wrong.
    pub(in crate::runtime) async fn leave(mut self) -> Result<(), Report> {
        let env = self.env();
        // What cannot be given back is not tried again.
        self.left = true;
        give_back(&*env).await
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        if self.left {
            return;
        }
        let env = self.env();
        let Ok(tasks) = tokio::runtime::Handle::try_current() else {
            tracing::warn!("{} is not given back: nothing runs any more", env.root().display());
            return;
        };
        tasks.spawn(async move {
            if let Err(report) = give_back(&*env).await {
                tracing::warn!("{report}");
            }
        });
    }
}

async fn give_back(env: &dyn Environment) -> Result<(), Report> {
    let failed = |error| Report::caused(format!("{} could not be given back", env.root().display()), &error);
    env.cleanup().await.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::wrap::Layer;
    use crate::exec::{EnvError, LocalEnvironment};
    use futures::future::BoxFuture;
    use tokio::sync::mpsc::{Receiver, Sender, channel};

    /// Tells when it is given back.
    #[derive(Debug)]
    struct Tells(Sender<()>);

    impl Layer for Tells {
        fn cleanup<'a>(&'a self, _: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
            Box::pin(async move {
                self.0.send(()).await.unwrap();
                Ok(())
            })
        }
    }

    async fn entered() -> (Stay, Receiver<()>) {
        let (tell, told) = channel(4);
        let machine = LocalEnvironment::new("/".into(), Vec::new());
        let place = Arc::new(Wrapped::new(Arc::new(machine), Tells(tell)));
        (Stay::enter(place).await.unwrap(), told)
    }

    #[tokio::test]
    async fn environment_is_released_once() {
        let (stay, mut told) = entered().await;
        drop(stay);
        told.recv().await.expect("it is given back");
        assert!(told.recv().await.is_none(), "and let go");

        let (stay, mut told) = entered().await;
        stay.leave().await.unwrap();
        told.recv().await.expect("it is given back");
        assert!(told.recv().await.is_none(), "and let go");
    }
}
