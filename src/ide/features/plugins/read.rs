//! Reads plugins, and whether the project's are trusted. Must not know the state.

use crate::config::plugins;
use crate::exec::storage::trust::{Trust, TrustState};
use crate::ide::features::plugins::state::{PluginsJob, PluginsRead, TrustChange};
use crate::runtime::agent_setup::trust_requests::{self, TrustRequests};

/// Stores the user's decision about the project's plugins, if any, then reads all plugins. Blocking.
pub fn read(job: &PluginsJob) -> PluginsRead {
    let (own, mut wrong) = plugins::read(&job.own);
    let (project, more) = plugins::read(&trust_requests::plugins_folder(&job.workspace));
    let TrustRequests { allows, digest } = TrustRequests::read(&job.workspace, &job.home);
    wrong.extend(more);
    let mut problems: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    let forgotten = job.trust_change == Some(TrustChange::Forget);
    let mut read = PluginsRead {
        own,
        project,
        allows,
        asked: job.asked,
        trust_forgotten: forgotten,
        ..PluginsRead::default()
    };
    let trust = Trust::new(&job.state);
    let runs = read.project.iter().any(|plugin| !plugin.commands.is_empty());
    let wants = runs || job.wants_programs || !read.allows.is_empty();
    let known = || -> std::io::Result<()> {
        match &job.trust_change {
            Some(TrustChange::Set(digest, trusted)) => trust.answer(&job.workspace, digest, *trusted)?,
            Some(TrustChange::Forget) => trust.forget(&job.workspace)?,
            None => {}
        }
        if wants {
            let digest = digest?;
            read.decision = match trust.state_of(&job.workspace, &digest)? {
                TrustState::Trusted => Some(true),
                TrustState::Refused => Some(false),
                TrustState::Undecided => None,
            };
            read.digest = Some(digest.into());
        }
        Ok(())
    };
    if let Err(error) = known() {
        problems.push(format!("the plugins of this project cannot be trusted: {error}"));
        read.project.clear();
        read.allows.clear();
        read.digest = None;
    }
    read.problems = problems;
    read
}
