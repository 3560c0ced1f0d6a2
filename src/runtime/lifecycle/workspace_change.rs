//! Moves a session to another environment between two runs.
//!
//! Must not know which environments exist, nor who requests the move.

use std::path::Path;
use std::sync::Arc;

use super::environment::EnvironmentGuard;
use super::owner::{COMMANDS_GRACE, LiveSession, end_servers};
use super::start;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::runtime::agent_setup::permissions;
use crate::runtime::controls::client::{ClientRequest, MoveOutcome};
use crate::runtime::controls::handle::Handle;
use crate::runtime::events::event::RuntimeEvent;
use crate::runtime::history::navigation::agent_busy;
use crate::tools::interaction::delegate::Delegate;

impl Handle {
    /// Moves the tools to another environment from the next run on; the conversation continues. Background
    /// commands and subagents in the old environment end. Approvals for the session applied there, and are
    /// requested again; rules apply relative to the new root. Refused while the agent works, and when
    /// checkpoints are recorded and the root would change.
    ///
    /// The new environment is initialized first ([`Environment::initialize`]); if that fails, or the move is
    /// refused, the session stays where it is. The old one is cleaned up ([`Environment::cleanup`]) after the
    /// move; a failure of that is reported as [`RuntimeEvent::Failed`].
    pub async fn set_environment(&self, env: Arc<dyn Environment>) -> Result<(), Report> {
        let root = env.root().to_path_buf();
        // Checked first, so that an environment is not initialized in vain. The session works on while it is.
        self.client_request(|reply| ClientRequest::CheckMove(root, reply)).await??;
        let stay = Box::new(EnvironmentGuard::initialize(env).await?);
        let MoveOutcome { moved, to_clean_up: to_leave } =
            self.client_request(|reply| ClientRequest::Move(stay, reply)).await?;
        if let Some(stay) = to_leave
            && let Err(report) = stay.clean_up().await
        {
            self.hub.send(RuntimeEvent::Failed(report)).await;
        }
        moved
    }
}

impl LiveSession {
    pub(in crate::runtime) fn check_move(&mut self, root: &Path) -> Result<(), Report> {
        if self.driver.is_working() {
            return Err(agent_busy());
        }
        if self.driver.listener().checkpoints().is_some() && root != self.driver.tools().env.root() {
            let message = "the session cannot move: states of its workspace are recorded";
            return Err(Report::new(message).hint("start another session there, or one without checkpoints"));
        }
        Ok(())
    }

    pub(in crate::runtime) async fn change_environment(&mut self, stay: EnvironmentGuard) -> MoveOutcome {
        let env = stay.env();
        // The agent may have started to work since the check.
        if let Err(report) = self.check_move(env.root()) {
            return MoveOutcome { moved: Err(report), to_clean_up: Some(stay) };
        }
        let checkpoints = self.driver.listener().checkpoints();
        if let Some(subagents) = &self.subagents {
            subagents.close_all().await;
        }
        self.driver.tools().shared.jobs.end_all(COMMANDS_GRACE).await;
        // Those of the old environment know other files.
        end_servers(&self.driver.tools().shared).await;
        self.reloader.set_environment(env.clone());
        let options = self.reloader.current_options();
        let id = self.driver.listener().session().id().to_string();
        // No file was read there yet, and no call was approved there.
        let jobs = self.driver.tools().shared.jobs.published().clone();
        self.driver.tools().shared = start::shared(&options, &id, self.subagents.clone(), checkpoints, jobs);
        self.driver.tools().rules.set(permissions::load(&options, None).await.rules);
        self.driver.tools().env = env.clone();
        let (tools, root) = (self.driver.tools().shared.clone(), env.root().to_path_buf());
        self.driver.listener().watch_errors(tools, root);
        let root = env.root().to_path_buf();
        self.toolset.set_environment(env, options.clock.clone());
        self.prompt_current = false;
        self.hub.send(RuntimeEvent::EnvironmentChanged { root }).await;
        MoveOutcome { moved: Ok(()), to_clean_up: self.environment.replace(stay) }
    }
}
