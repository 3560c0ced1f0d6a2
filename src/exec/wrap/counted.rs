//! Reference counting of an environment's initialization: initialized for the first user, cleaned up after
//! the last.
//!
//! Must not know the users.

use futures::future::BoxFuture;
use tokio::sync::Mutex;

use super::layer::Layer;
use crate::exec::environment::Environment;
use crate::exec::error::EnvError;

/// Counts users that have called [`Environment::initialize`] and not yet [`Environment::cleanup`].
///
/// ```
/// use std::sync::Arc;
///
/// use bowline::exec::wrap::{Counted, ReadOnly, Wrapped};
/// use bowline::exec::{Environment, LocalEnvironment};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let machine = LocalEnvironment::new(folder.path().to_path_buf(), std::env::vars_os());
/// let shared: Arc<dyn Environment> = Arc::new(Wrapped::new(Arc::new(machine), Counted::default()));
/// // One session writes there, another one looks; the environment goes with the later of them.
/// let for_looking = Wrapped::new(shared.clone(), ReadOnly::new(|_| false));
/// # drop(for_looking);
/// ```
#[derive(Debug, Default)]
pub struct Counted {
    // Held during initialization and cleanup: the next user waits for the result.
    users: Mutex<usize>,
}

impl Layer for Counted {
    fn initialize<'a>(&'a self, inner: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(async move {
            let mut users = self.users.lock().await;
            if *users == 0 {
                inner.initialize().await?;
            }
            *users += 1;
            Ok(())
        })
    }

    fn cleanup<'a>(&'a self, inner: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(async move {
            let mut users = self.users.lock().await;
            match *users {
                0 => Ok(()),
                1 => {
                    *users = 0;
                    inner.cleanup().await
                }
                _ => {
                    *users -= 1;
                    Ok(())
                }
            }
        })
    }
}
