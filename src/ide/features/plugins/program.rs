//! Runs the programs of plugin commands in tasks. Must not know the state.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::config::plugins::{Input, Output};
use crate::exec::commands::process::script::exec_script;
use crate::exec::{CommandSpec, Environment};
use crate::ide::features::pipe::command::{self, OUTPUT_MAX};
use crate::ide::features::pipe::job::ShellProblem;
use crate::ide::features::plugins::protocol as talk;
use crate::ide::features::plugins::state::{PluginJob, PluginProblem, PluginResult, PluginText};
use crate::runtime::agent_setup::trust_requests::TrustRequests;
use crate::text::changes::ChangeSet;
use crate::text::diff;
use crate::text::position::Byte;
use crate::text::selection;
use crate::text::transaction::{Author, Transaction};

/// Maximum bytes shown of a message.
const MESSAGE_MAX: usize = 64 << 10;

/// Runs a command; returns its result.
pub async fn run(env: &dyn Environment, job: PluginJob) -> Result<PluginResult, PluginProblem> {
    if let Some(trusted) = job.command.trusted.clone() {
        let (workspace, home) = (job.workspace.clone(), job.home.clone());
        let now = tokio::task::spawn_blocking(move || TrustRequests::read(&workspace, &home).digest).await;
        if !matches!(now, Ok(Ok(now)) if *now == *trusted) {
            return Err(PluginProblem::Changed);
        }
    }
    let command = &job.command.command;
    match (command.output, &job.shown) {
        (Output::Replace, Some(shown)) => replace_selections(env, &job, shown).await,
        (Output::Insert, Some(shown)) => insert_at_selections(env, &job, shown).await,
        (Output::Edits, Some(shown)) => {
            let answer = run_for_selections(env, &job, OUTPUT_MAX).await?;
            let edits = talk::edits(&shown.text, &answer, shown.format.ending);
            Ok(edit(&job, shown, edits.map_err(PluginProblem::Answer)?, false))
        }
        (Output::List, _) => {
            let answer = run_for_selections(env, &job, OUTPUT_MAX).await?;
            talk::locations(&job.workspace, &answer)
                .map(PluginResult::Locations)
                .map_err(PluginProblem::Answer)
        }
        _ => {
            let mut output = run_for_selections(env, &job, OUTPUT_MAX).await?;
            output.truncate(output.floor_char_boundary(MESSAGE_MAX));
            Ok(PluginResult::Message(output))
        }
    }
}

/// Returns the selections as ranges of the text.
fn selected_ranges(shown: &PluginText) -> Vec<Range<Byte>> {
    shown.selection.ranges().iter().map(selection::Range::span).collect()
}

/// Runs the program once, with all its input.
async fn run_for_selections(
    env: &dyn Environment,
    job: &PluginJob,
    most: usize,
) -> Result<String, PluginProblem> {
    let ranges = job.shown.as_ref().map(selected_ranges).unwrap_or_default();
    run_program(env, job, &ranges, most).await
}

async fn replace_selections(
    env: &dyn Environment,
    job: &PluginJob,
    shown: &PluginText,
) -> Result<PluginResult, PluginProblem> {
    if job.command.command.input == Input::Text {
        let output = run_for_selections(env, job, OUTPUT_MAX).await?;
        let (old, new) = (shown.text.to_string(), talk::sanitized(&output, shown.format.ending));
        // The smallest change, so that cursors and marks stay in place.
        let changes = diff::change(&old, &new);
        return Ok(plugin_edit(job, shown, Transaction::new(changes)));
    }
    let mut edits = Vec::new();
    if job.command.command.input == Input::None {
        let output = talk::sanitized(&run_for_selections(env, job, OUTPUT_MAX).await?, shown.format.ending);
        edits.extend(selected_ranges(shown).into_iter().map(|range| (range, output.clone())));
        return Ok(edit(job, shown, edits, true));
    }
    let mut remaining = OUTPUT_MAX;
    for range in selected_ranges(shown) {
        let output = run_program(env, job, std::slice::from_ref(&range), remaining).await?;
        remaining -= output.len();
        let read = shown.text.slice(range.clone());
        // Programs end their last line; that must not break a part of a line.
        let output =
            if read.ends_with('\n') { output.as_str() } else { command::without_final_newline(&output) };
        edits.push((range, talk::sanitized(output, shown.format.ending)));
    }
    Ok(edit(job, shown, edits, true))
}

async fn insert_at_selections(
    env: &dyn Environment,
    job: &PluginJob,
    shown: &PluginText,
) -> Result<PluginResult, PluginProblem> {
    let output = run_for_selections(env, job, OUTPUT_MAX / shown.selection.ranges().len().max(1)).await?;
    let output = talk::sanitized(command::without_final_newline(&output), shown.format.ending);
    let at = |range: &selection::Range| (range.head..range.head, output.clone());
    Ok(edit(job, shown, shown.selection.ranges().iter().map(at).collect(), false))
}

/// Returns a step of edits; with `selects` the inserted text is selected.
fn edit(
    job: &PluginJob,
    shown: &PluginText,
    edits: Vec<(Range<Byte>, String)>,
    selects: bool,
) -> PluginResult {
    let mut ranges = Vec::new();
    let (mut added, mut removed) = (0, 0);
    for (range, new) in edits.iter().filter(|_| selects) {
        let start = Byte(range.start.0 + added - removed);
        ranges.push(selection::Range::new(start, start + new.len()));
        added += new.len();
        removed += range.end - range.start;
    }
    let made = Transaction::new(ChangeSet::replace(shown.text.end().0, edits));
    let primary = shown.selection.primary_index();
    let made = if ranges.len() > primary && !shown.selection.is_empty() {
        made.select(selection::Selection::new(ranges, primary))
    } else {
        made
    };
    plugin_edit(job, shown, made)
}

fn plugin_edit(job: &PluginJob, shown: &PluginText, made: Transaction) -> PluginResult {
    let made = made.with_author(Author::Plugin(job.command.plugin.clone())).prepare(&shown.text);
    PluginResult::Edit(Box::new(made))
}

/// Runs the program once.
async fn run_program(
    env: &dyn Environment,
    job: &PluginJob,
    ranges: &[Range<Byte>],
    most: usize,
) -> Result<String, PluginProblem> {
    let (command, input) = (&job.command, job.command.command.input);
    let request = talk::request(&command.id, &job.workspace, job.shown.as_ref(), input, ranges);
    let request = request.map_err(|error| ShellProblem::NotRun(error.to_string()))?;
    let spec = CommandSpec {
        script: exec_script(&command.command.command_line(&command.folder)),
        cwd: env.root().to_path_buf(),
        timeout: None,
        env: BTreeMap::new(),
    };
    Ok(command::collect(env, spec, request, (most, &job.cancel)).await?)
}
