//! Reads plugins, and whether the project's are trusted. Must not know the state.

use std::io;

use crate::config::plugins;
use crate::exec::storage::trust::{Trust, TrustState};
use crate::ide::features::plugins::state::{KnownProgram, PluginsJob, PluginsRead, TrustChange};
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
            read.decision = decided(trust.state_of(&job.workspace, &digest)?);
            read.programs = programs(job, &mut problems)?;
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

fn decided(state: TrustState) -> Option<bool> {
    match state {
        TrustState::Trusted => Some(true),
        TrustState::Refused => Some(false),
        TrustState::Undecided => None,
    }
}

/// Reads the programs that the project itself contains. One that cannot be read cannot be trusted.
fn programs(job: &PluginsJob, problems: &mut Vec<String>) -> io::Result<Vec<KnownProgram>> {
    let mut paths: Vec<_> = job.programs.iter().filter_map(|program| program.path.clone()).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut known = Vec::new();
    for path in paths {
        match ProjectProgram::read(path) {
            Ok(program) => {
                let decision = decided(job.program_trust.state_of(&program)?);
                known.push(KnownProgram { program, decision });
            }
            // It cannot be started either, until it is wanted again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => problems.push(format!("a program of this project cannot be trusted: {error}")),
        }
    }
    Ok(known)
}

/// Stores the user's decision.
fn store(job: &PluginsJob, trust: &Trust, change: &TrustChange) -> io::Result<()> {
    match change {
        TrustChange::Set { digest, programs, is_trusted } => {
            if let Some(digest) = digest {
                trust.answer(&job.workspace, digest, *is_trusted)?;
            }
            job.program_trust.answer(programs, *is_trusted)
        }
        TrustChange::Forget => job.program_trust.forget(),
    }
}
