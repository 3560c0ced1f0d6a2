//! An environment that several use: it is made ready for the first of them, and given back after the last.
//!
//! Must not know who uses it.

use futures::future::BoxFuture;
use tokio::sync::Mutex;

use super::layer::Layer;
use crate::exec::environment::Environment;
use crate::exec::error::EnvError;

/// Counts who has [`Environment::initialize`] to his name and no [`Environment::cleanup`] yet.
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
    // Held while the environment is made ready or given back: the next one waits for how that ends.
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
