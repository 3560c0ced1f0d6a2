//! Another place to work in, between two runs of a session.
//!
//! Must not know places, nor who wants to go there.

use std::sync::Arc;

use super::drive::Drive;
use super::handle::Handle;
use super::live::{COMMANDS_LEAVE, Live};
use super::moving::busy;
use super::{permissions, start};
use crate::base::error::Report;
use crate::exec::Environment;
use crate::tools::delegate::Delegate;

impl Handle {
    /// Lets the tools work elsewhere from the next run on; the conversation goes on. What was left running in
    /// the place before ends: commands, and agents that the agent has started. What was allowed for the
    /// session was allowed there, and is asked about again; rules count from the new place's root. Refused
    /// while the agent works, and where states of the workspace are recorded and the root would be another.
    ///
    /// The place must be ready ([`Environment::initialize`]). Whoever made the place before gives it back.
    pub async fn set_environment(&self, env: Arc<dyn Environment>) -> Result<(), Report> {
        self.drive(|reply| Drive::Move(env, reply)).await?
    }
}

impl Live {
    pub(super) async fn move_to(&mut self, env: Arc<dyn Environment>) -> Result<(), Report> {
        if self.driver.working() {
            return Err(busy());
        }
        let checkpoints = self.driver.listener().checkpoints();
        if checkpoints.is_some() && env.root() != self.driver.tools().env.root() {
            let what = "the session cannot move: states of its workspace are recorded";
            return Err(Report::new(what).hint("start another session there, or one without checkpoints"));
        }
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
        self.outfit.move_to(env, options.clock.clone());
        self.prompted = false;
        Ok(())
    }
}
