//! What a session is served over RPC with.
//!
//! Must not know what is done with it.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::sync::Arc;

use futures::future::{BoxFuture, pending};
use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use super::host::HostCommand;
use super::host_ui::HostUi;
use crate::base::error::Report;
use crate::base::json::json;
use crate::modes::lines::{self, Line, Out, Written};
use crate::runtime::Handle;

/// What [`serve`](super::serve) works with.
pub struct Ports {
    /// The session.
    pub(crate) handle: Handle,
    /// Where the user is asked.
    pub(crate) desk: HostUi,
    /// What comes in, and what says that its end was read.
    pub(crate) input: (Receiver<Line>, CancellationToken),
    /// Where lines go.
    pub(crate) out: Out,
    /// The end of what writes them, where nobody else waits for that.
    pub(crate) written: Option<Written>,
    /// The settings in force.
    pub(crate) settings: Value,
    /// Commands of the host.
    pub(crate) commands: Vec<Arc<dyn HostCommand>>,
    /// Ends it.
    pub(crate) until: BoxFuture<'static, ()>,
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ports").finish_non_exhaustive()
    }
}

impl Ports {
    /// Commands are read from `from` and lines are written to `to`, each on a thread of its own: pipes, or both ends
    /// of a socket (`UnixStream::try_clone`). The thread that reads ends with `from`, so a host that stops by itself
    /// closes that. The session asks at `desk` where it was given that; one desk serves one client.
    ///
    /// Fails where `from` cannot be watched.
    pub fn new(
        session: Handle,
        desk: HostUi,
        from: impl Read + AsFd + Send + 'static,
        to: impl Write + Send + 'static,
    ) -> Result<Self, Report> {
        let input = lines::read_to_end(from);
        let input = input.map_err(|error| Report::caused("cannot read what a client says", &error))?;
        let (out, written) = Out::start(to);
        Ok(Self { written: Some(written), ..Self::over(session, desk, input, out) })
    }

    /// The same with streams that are open already.
    pub(crate) fn over(
        handle: Handle,
        desk: HostUi,
        input: (Receiver<Line>, CancellationToken),
        out: Out,
    ) -> Self {
        let (settings, commands) = (json!({}), Vec::new());
        Self { handle, desk, input, out, written: None, settings, commands, until: Box::pin(pending()) }
    }

    /// What `get_settings` gives besides what the session itself knows: an object. Anything else is as if it were empty.
    #[must_use]
    pub fn settings(self, settings: Value) -> Self {
        let settings = if settings.is_object() { settings } else { json!({}) };
        Self { settings, ..self }
    }

    /// A command of the host's own, beside those before.
    #[must_use]
    pub fn command(mut self, command: impl HostCommand + 'static) -> Self {
        self.commands.push(Arc::new(command));
        self
    }

    /// Stops serving when this is ready, as the program does at a signal. Without it only the client ends it.
    #[must_use]
    pub fn until(self, over: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { until: Box::pin(over), ..self }
    }
}
