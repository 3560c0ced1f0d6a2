//! Lifetime of the environment that a session works in: initialization and cleanup.
//!
//! Must not know which environments exist, nor what is done there.

use std::sync::Arc;

use crate::base::error::Report;
use crate::exec::Environment;
use crate::exec::wrap::{Counted, Wrapped};

/// An environment that is ready. The owner [leaves](Stay::leave) it when it is done; if the owner is dropped
/// and cannot wait, a separate task does it.
#[derive(Debug)]
pub(in crate::runtime) struct EnvironmentGuard {
    env: Arc<dyn Environment>,
    cleaned_up: bool,
}

impl EnvironmentGuard {
    /// Initializes an environment. The tools get a counted reference: a session that a tool starts there does
    /// not clean it up when it ends.
    pub(super) async fn initialize(environment: Arc<dyn Environment>) -> Result<Self, Report> {
        let env = Arc::new(Wrapped::new(environment, Counted::default()));
        match env.initialize().await {
            Ok(()) => Ok(Self { env, cleaned_up: false }),
            Err(error) => Err(Report::caused(format!("cannot work in {}", env.root().display()), &error)),
        }
    }

    /// Returns the environment to work in.
    pub(in crate::runtime) fn env(&self) -> Arc<dyn Environment> {
        Arc::clone(&self.env)
    }

    /// Cleans the environment up; returns the error if that fails.
    pub(in crate::runtime) async fn clean_up(mut self) -> Result<(), Report> {
        let env = self.env();
        // A failed cleanup is not repeated.
        self.cleaned_up = true;
        clean_up_environment(&*env).await
    }
}

impl Drop for EnvironmentGuard {
    fn drop(&mut self) {
        if self.cleaned_up {
            return;
        }
        let env = self.env();
        let Ok(tasks) = tokio::runtime::Handle::try_current() else {
            tracing::warn!("{} is not given back: nothing runs any more", env.root().display());
            return;
        };
        tasks.spawn(async move {
            if let Err(report) = clean_up_environment(&*env).await {
                tracing::warn!("{report}");
            }
        });
    }
}

async fn clean_up_environment(env: &dyn Environment) -> Result<(), Report> {
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

    async fn entered() -> (EnvironmentGuard, Receiver<()>) {
        let (tell, told) = channel(4);
        let machine = LocalEnvironment::new("/".into(), Vec::new());
        let place = Arc::new(Wrapped::new(Arc::new(machine), Tells(tell)));
        (EnvironmentGuard::initialize(place).await.unwrap(), told)
    }

    #[tokio::test]
    async fn environment_is_released_once() {
        let (stay, mut told) = entered().await;
        drop(stay);
        told.recv().await.expect("it is given back");
        assert!(told.recv().await.is_none(), "and let go");

        let (stay, mut told) = entered().await;
        stay.clean_up().await.unwrap();
        told.recv().await.expect("it is given back");
        assert!(told.recv().await.is_none(), "and let go");
    }
}
