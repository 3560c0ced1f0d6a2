//! Connection of the session: how it is started, and the ports by which it reaches the user and the open
//! files. Must not know their implementations.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::base::error::Report;
use crate::exec::Environment;
use crate::runtime::Handle;
use crate::tools::interaction::language_servers::LanguageServers;
use crate::tools::interaction::questions::Questions;
use crate::tools::permissions::approval::Approval;

/// Starts the session once the first frame is drawn.
pub type Connect = Box<dyn FnOnce(Ports) -> BoxFuture<'static, Result<Handle, Report>> + Send>;

/// Ports by which the session reaches the user and the open files.
pub struct Ports {
    /// Files and commands; open files are read and written through their buffers.
    pub env: Arc<dyn Environment>,
    /// Answers permission requests.
    pub approval: Arc<dyn Approval>,
    /// Answers the agent's questions.
    pub questions: Arc<dyn Questions>,
    /// The language servers of the open files.
    pub language_servers: Arc<dyn LanguageServers>,
}
