//! Reads plugins, and whether the project's are trusted. Must not know the state.

use std::io;

use crate::config::plugins;
use crate::exec::storage::trust::{Trust, TrustState};
use crate::ide::features::plugins::state::{PluginsJob, PluginsRead, TrustChange};
use crate::runtime::agent_setup::trust_requests::{self, ProjectProgram, TrustRequests};

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
    let wants = runs || !job.programs.is_empty() || !read.allows.is_empty();
    let known = || -> io::Result<()> {
        if let Some(change) = &job.trust_change {
            store(job, &trust, change)?;
        }
        if wants {
            let digest = digest?;
            let paths = job.programs.iter().filter_map(|program| program.path.clone());
            let programs = paths.map(ProjectProgram::read);
            // One that is gone cannot be started.
            let is_there =
                |read: &io::Result<_>| !matches!(read, Err(error) if error.kind() == io::ErrorKind::NotFound);
            read.programs = programs.filter(is_there).collect::<Result<_, _>>()?;
            let of_programs = read.programs.iter().map(|program| program.decision(&trust));
            let decisions: Vec<TrustState> = std::iter::once(trust.state_of(&job.workspace, &digest))
                .chain(of_programs)
                .collect::<Result<_, _>>()?;
            read.decision = if decisions.contains(&TrustState::Refused) {
                Some(false)
            } else {
                (!decisions.contains(&TrustState::Undecided)).then_some(true)
            };
            read.digest = Some(digest.into());
        }
        Ok(())
    };
    if let Err(error) = known() {
        problems.push(format!("this project cannot be trusted: {error}"));
        read.project.clear();
        read.allows.clear();
        read.digest = None;
    }
    read.problems = problems;
    read
}

/// Stores the user's decision.
fn store(job: &PluginsJob, trust: &Trust, change: &TrustChange) -> io::Result<()> {
    match change {
        TrustChange::Set { digest, programs, is_trusted } => {
            for program in programs {
                trust.answer(&program.path, &program.digest, *is_trusted)?;
            }
            trust.answer(&job.workspace, digest, *is_trusted)
        }
        TrustChange::Forget => {
            for path in job.programs.iter().filter_map(|program| program.path.as_ref()) {
                trust.forget(path)?;
            }
            trust.forget(&job.workspace)
        }
    }
}
