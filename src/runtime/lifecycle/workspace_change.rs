//! Moves a session to another environment between two runs.
//!
//! Must not know which environments exist, nor who requests the move.

use std::path::Path;
use std::sync::Arc;

use super::environment::Stay;
use super::owner::{COMMANDS_LEAVE, Live};
use super::start;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::runtime::agent_setup::permissions;
use crate::runtime::controls::client::{ClientRequest, Relocated};
use crate::runtime::controls::handle::Handle;
use crate::runtime::events::event::RuntimeEvent;
use crate::runtime::history::navigation::busy;
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
        self.drive(|reply| ClientRequest::MayMove(root, reply)).await??;
        let stay = Box::new(Stay::enter(env).await?);
        let Relocated { moved, to_leave } = self.drive(|reply| ClientRequest::Move(stay, reply)).await?;
        if let Some(stay) = to_leave
            && let Err(report) = stay.leave().await
        {
            self.hub.tell(RuntimeEvent::Failed(report)).await;
        }
        moved
    }
}

impl Live {
    pub(in crate::runtime) fn may_move(&mut self, root: &Path) -> Result<(), Report> {
        if self.driver.working() {
            return Err(busy());
        }
        if self.driver.listener().checkpoints().is_some() && root != self.driver.tools().env.root() {
            let what = "the session cannot move: states of its workspace are recorded";
            return Err(Report::new(what).hint("start another session there, or one without checkpoints"));
        }
        Ok(())
    }

    pub(in crate::runtime) async fn move_to(&mut self, stay: Stay) -> Relocated {
        let env = stay.env();
        // The agent may have started to work since the check.
        if let Err(report) = self.may_move(env.root()) {
            return Relocated { moved: Err(report), to_leave: Some(stay) };
        }
        let checkpoints = self.driver.listener().checkpoints();
        if let Some(team) = &self.team {
            team.close_all().await;
        }
        self.driver.tools().shared.jobs.end_all(COMMANDS_LEAVE).await;
        self.again.set_place(env.clone());
        let options = self.again.here();
        let id = self.driver.listener().session().id().to_string();
        // No file was read there yet, and no call was approved there.
        self.driver.tools().shared = start::shared(&options, &id, self.team.clone(), checkpoints);
        self.driver.tools().rules.set(permissions::load(&options, None).await.rules);
        self.driver.tools().env = env.clone();
        let root = env.root().to_path_buf();
        self.toolset.move_to(env, options.clock.clone());
        self.prompted = false;
        self.hub.tell(RuntimeEvent::PlaceChanged { root }).await;
        Relocated { moved: Ok(()), to_leave: self.stay.replace(stay) }
    }
}
