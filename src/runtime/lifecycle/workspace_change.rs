//! Another place to work in, between two runs of a session.
//!
//! Must not know places, nor who wants to go there.

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
    /// Lets the tools work elsewhere from the next run on; the conversation goes on. What was left running in
    /// the place before ends: commands, and agents that the agent has started. What was allowed for the
    /// session was allowed there, and is asked about again; rules count from the new place's root. Refused
    /// while the agent works, and where states of the workspace are recorded and the root would be another.
    ///
    /// The new place is made ready first ([`Environment::initialize`]); where that fails, or the move is refused,
    /// the session stays where it is. The place before is given back ([`Environment::cleanup`]) behind the move;
    /// should that fail, it is told as [`RuntimeEvent::Failed`].
    pub async fn set_environment(&self, env: Arc<dyn Environment>) -> Result<(), Report> {
        let root = env.root().to_path_buf();
        // A place is not made ready for nothing. The session does other things while it is.
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
        // It may have begun to work since it was asked.
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
        // Nobody has read anything there, and nothing was allowed there.
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
