//! What the session is connected with: how it is started, and the ports by which it reaches the user and the open
//! files. Must not know who answers them.

use std::sync::Arc;

use futures::future::BoxFuture;

use crate::base::error::Report;
use crate::exec::Environment;
use crate::runtime::Handle;
use crate::tools::interaction::questions::Questions;
use crate::tools::permissions::approval::Approval;

/// Starts the session once the first frame is drawn.
pub type Connect = Box<dyn FnOnce(Ports) -> BoxFuture<'static, Result<Handle, Report>> + Send>;

/// How the session reaches the user and the open files.
pub struct Ports {
    /// Files and commands; what is open is read and written as it is open.
    pub env: Arc<dyn Environment>,
    /// Who answers when a call needs leave.
    pub approval: Arc<dyn Approval>,
    /// Who answers the agent's questions.
    pub questions: Arc<dyn Questions>,
}
