//! Inputs and outputs for serving a session over RPC.
//!
//! Must not know how they are used.

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
use crate::modes::lines::{self, Line, LineWriter, WriterThread};
use crate::runtime::Handle;

/// Inputs and outputs of [`serve`](super::serve).
pub struct Ports {
    /// The session.
    pub(crate) handle: Handle,
    /// The host UI bridge.
    pub(crate) ui: HostUi,
    /// The incoming lines, and a token that is cancelled when their end was read.
    pub(crate) input: (Receiver<Line>, CancellationToken),
    /// The outgoing lines.
    pub(crate) out: LineWriter,
    /// The result of the writer thread, unless another owner awaits it.
    pub(crate) written: Option<WriterThread>,
    /// The settings in force.
    pub(crate) settings: Value,
    /// Host commands.
    pub(crate) commands: Vec<Arc<dyn HostCommand>>,
    /// Stops serving when it resolves.
    pub(crate) until: BoxFuture<'static, ()>,
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ports").finish_non_exhaustive()
    }
}

impl Ports {
    /// Reads commands from `from` and writes lines to `to`, each on its own thread: pipes, or both ends of a
    /// socket (`UnixStream::try_clone`). The reader thread ends with `from`, so a host that stops on its own
    /// closes that. The session uses `desk` for its questions if it was given that; one bridge serves one
    /// client.
    ///
    /// Fails if `from` cannot be polled.
    pub fn new(
        session: Handle,
        ui: HostUi,
        from: impl Read + AsFd + Send + 'static,
        to: impl Write + Send + 'static,
    ) -> Result<Self, Report> {
        let input = lines::read_to_end(from);
        let input = input.map_err(|error| Report::caused("cannot read what a client says", &error))?;
        let (out, written) = LineWriter::start(to);
        Ok(Self { written: Some(written), ..Self::from_streams(session, ui, input, out) })
    }

    /// The same with streams that are already open.
    pub(crate) fn from_streams(
        handle: Handle,
        ui: HostUi,
        input: (Receiver<Line>, CancellationToken),
        out: LineWriter,
    ) -> Self {
        let (settings, commands) = (json!({}), Vec::new());
        Self { handle, ui, input, out, written: None, settings, commands, until: Box::pin(pending()) }
    }

    /// Sets an object that `get_settings` returns in addition to the session's own values. Other JSON types
    /// count as empty.
    #[must_use]
    pub fn settings(self, settings: Value) -> Self {
        let settings = if settings.is_object() { settings } else { json!({}) };
        Self { settings, ..self }
    }

    /// Adds a host command.
    #[must_use]
    pub fn command(mut self, command: impl HostCommand + 'static) -> Self {
        self.commands.push(Arc::new(command));
        self
    }

    /// Stops serving when this future resolves, as the program does on a signal. Without it only the client
    /// ends the service.
    #[must_use]
    pub fn until(self, over: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { until: Box::pin(over), ..self }
    }
}
