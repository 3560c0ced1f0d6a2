//! Editor plugins, and whether those of the project may run. This is the event loop's part: tasks read them
//! and run their programs. Must not access the disk.

use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::config::plugins::{Input, Output, Plugin};
use crate::ide::core::context::{self, Cx};
use crate::ide::core::damage::Part;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::keys::keymap::{KeyContext, Lookup};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::state::State;
use crate::ide::features::permissions;
use crate::ide::features::pipe::job::ShellProblem;
use crate::ide::features::plugins::state::PLUGINS;
use crate::ide::features::plugins::state::{
    Permit, PluginCommand, PluginJob, PluginProblem, PluginResult, PluginText, PluginsJob, PluginsRead,
    ProgramKind, Trust, TrustChange, WantedProgram,
};
use crate::ide::features::plugins::{program, read};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::runtime::agent_setup::trust_requests::{ProgramTrust, ProjectProgram};
use crate::tui::input::Key;

/// Prefix of the ids of plugin commands.
const ID_PREFIX: &str = "plugin.";

/// Returns whether an id can be that of a plugin command; whether it exists is known later.
pub fn is_id(id: &str) -> bool {
    id.strip_prefix(ID_PREFIX)
        .and_then(|rest| rest.split_once('.'))
        .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
}

/// Returns the command with this id, if a plugin provides it.
pub fn find<'s>(state: &'s State, id: &str) -> Option<&'s Arc<PluginCommand>> {
    state.slots[PLUGINS].commands.iter().find(|known| known.id == id)
}

/// Reads all plugins in a task; stores the decision `say` first.
pub fn read(cx: &mut Cx<'_>, requested: bool, say: Option<TrustChange>) {
    let (own, workspace) = (cx.state.config.join("plugins"), cx.state.workspace.clone());
    let home = cx.state.home.clone();
    let state = cx.state.slots[PLUGINS].state.clone();
    let programs = cx.state.slots[PLUGINS].programs.clone();
    let (count, is_decided) = (programs.len(), say.is_some());
    let program_trust = program_trust(cx.state);
    let job = PluginsJob {
        own,
        workspace,
        home,
        programs,
        state,
        program_trust,
        asked: requested,
        trust_change: say,
    };
    cx.tasks.spawn_blocking(
        "plugins.read",
        move || read::read(&job),
        move |cx, read| {
            let Some(read) = context::answer_or_error(cx, "read plugins", read) else { return };
            let is_outdated = cx.state.slots[PLUGINS].programs.len() != count;
            match is_outdated {
                false => on_loaded(cx, read),
                // Programs were wanted meanwhile, so that trust may be needed where this found nothing that needs it.
                true if requested || is_decided => self::read(cx, requested, None),
                // The reading that began then says it.
                true => {}
            }
        },
    );
}

/// Handles the connection of the session, which has read the rules of the project, possibly before the user
/// trusted them, and does not know what is trusted only until the program ends.
pub fn on_connected(cx: &mut Cx<'_>) {
    let plugins = &cx.state.slots[PLUGINS];
    if matches!(plugins.trusted, Trust::Always | Trust::Session) && !plugins.read.allows.is_empty() {
        permissions::rules::reload(cx, plugins.session_trust.clone());
    }
}

/// Whether programs that run what the folder contains may be started.
pub fn is_trusted(state: &State) -> bool {
    matches!(state.slots[PLUGINS].trusted, Trust::Always | Trust::Session)
}

/// Returns what the user has said about the project's own programs.
pub fn program_trust(state: &mut State) -> ProgramTrust {
    let (workspace, is_trusted) = (state.workspace.clone(), is_trusted(state));
    let plugins = &mut state.slots[PLUGINS];
    let begin = || {
        let trust = ProgramTrust::new(workspace, &plugins.state);
        trust.set_folder(is_trusted);
        trust
    };
    plugins.program_trust.get_or_insert_with(begin).clone()
}

/// Returns whether a program may be started as far as is known; [`request_programs`] asks. A program of the project may have
/// changed since, which is known only right before its start.
pub fn permit(state: &State, program: &str) -> Permit {
    let known = &state.slots[PLUGINS].read.programs;
    let own = ProjectProgram::path_of(program, &state.workspace);
    let of_own =
        |path| known.iter().find(|known| known.program.path == path).and_then(|known| known.decision);
    match own.map(of_own) {
        _ if !is_trusted(state) => Permit::Unknown,
        None | Some(Some(true)) => Permit::Given,
        Some(Some(false)) => Permit::Refused,
        Some(None) => Permit::Unknown,
    }
}

/// Asks for trust in the folder, and in programs that it contains itself, because open files want programs that run what it
/// contains, unless the user has decided.
pub fn request_programs(cx: &mut Cx<'_>, wanted: Vec<WantedProgram>) {
    let is_asked = cx.state.slots[PLUGINS].trusted == Trust::Undecided || !undecided(cx.state).is_empty();
    let plugins = &mut cx.state.slots[PLUGINS];
    let is_known = |program: &WantedProgram| plugins.programs.contains(program);
    let are_known = wanted.iter().all(is_known);
    // The program of a trusted folder that has changed, or was missing, is read again.
    let may_have_changed = !is_asked && wanted.iter().any(|program| program.path.is_some());
    if plugins.trusted == Trust::Never || are_known && !may_have_changed {
        return;
    }
    let new: Vec<WantedProgram> = wanted.into_iter().filter(|program| !is_known(program)).collect();
    plugins.programs.extend(new);
    read(cx, false, None);
}

/// Handles plugins that were read.
fn on_loaded(cx: &mut Cx<'_>, read: PluginsRead) {
    let plugins = &mut cx.state.slots[PLUGINS];
    let for_now = plugins.session_trust.is_some() && plugins.session_trust == read.digest;
    let before = plugins.trusted;
    plugins.trusted = match (&read.digest, read.decision) {
        (None, _) => Trust::NotNeeded,
        (Some(_), Some(true)) => Trust::Always,
        (Some(_), _) if for_now => Trust::Session,
        (Some(_), Some(false)) => Trust::Never,
        (Some(_), None) => Trust::Undecided,
    };
    if let Some(known) = &plugins.program_trust {
        known.set_folder(matches!(plugins.trusted, Trust::Always | Trust::Session));
    }
    let runs = matches!(plugins.trusted, Trust::NotNeeded | Trust::Always | Trust::Session);
    let project = if runs { read.project.as_slice() } else { &[] };
    let own = read.own.iter().map(|plugin| (plugin, None));
    let all: Vec<(&Plugin, Option<Arc<str>>)> =
        own.chain(project.iter().map(|plugin| (plugin, read.digest.clone()))).collect();
    plugins.snippets = all.iter().map(|(plugin, _)| plugin.folder.join("snippets")).collect();
    let mut commands: Vec<Arc<PluginCommand>> = Vec::new();
    for (plugin, trusted) in &all {
        for command in &plugin.commands {
            let id = format!("{ID_PREFIX}{}.{}", plugin.name, command.name);
            // The user's own win over the project's.
            if commands.iter().all(|known| known.id != id) {
                let (plugin, folder, command) = (plugin.name.clone(), plugin.folder.clone(), command.clone());
                commands.push(Arc::new(PluginCommand {
                    id,
                    plugin,
                    folder,
                    command,
                    trusted: trusted.clone(),
                }));
            }
        }
    }
    plugins.commands = commands;
    let mut problems = read.problems.clone();
    let (requested, forgotten) = (read.asked, read.trust_forgotten);
    let allows = !read.allows.is_empty() || !plugins.read.allows.is_empty();
    plugins.read = read;
    if requested && allows && plugins.trusted != before {
        let for_now = plugins.session_trust.clone();
        permissions::rules::reload(cx, for_now);
    }
    close_trust_dialogs(cx.state);
    problems.extend(bind(cx.state));
    for problem in &problems {
        tracing::warn!("{problem}");
    }
    report_problems(cx, requested, &problems);
    // Also if the plugins were changed between the question and its answer.
    match cx.state.slots[PLUGINS].trusted {
        Trust::Undecided if !forgotten => ask_for_trust(cx),
        Trust::Always | Trust::Session if !undecided(cx.state).is_empty() => ask_for_programs(cx),
        _ => {}
    }
    feature::notify(cx, FeatureEvent::TrustChanged);
}

fn report_problems(cx: &mut Cx<'_>, requested: bool, problems: &[String]) {
    let count = cx.state.slots[PLUGINS].commands.len();
    match (problems, cx.state.slots[PLUGINS].trusted) {
        // The session reports disabled rules.
        ([], Trust::Never) if !cx.state.slots[PLUGINS].read.project.is_empty() => {
            let details = cx.state.how_to("trust.show");
            cx.state.set_status(format!("Project is not trusted. Details: {details}"));
        }
        // There are no plugins to report: trust was asked for language servers or formatters.
        ([], trusted) if requested && count == 0 && !cx.state.slots[PLUGINS].programs.is_empty() => {
            let is_trusted = matches!(trusted, Trust::Always | Trust::Session);
            cx.state.set_status(if is_trusted { "Project is trusted" } else { "Project is not trusted" });
        }
        ([], _) if requested => {
            cx.state.set_status(format!("{} of plugins", pluralize(count, "command", "commands")));
        }
        ([], _) => {}
        (problems, _) => cx.state.set_errors(problems),
    }
}

/// Binds the commands to their preferred keys if these are free. Returns the keys that are not.
pub fn bind(state: &mut State) -> Vec<String> {
    let mut problems = Vec::new();
    for known in &state.slots[PLUGINS].commands {
        let Some(wanted) = &known.command.key else { continue };
        let keys: Result<Vec<Key>, _> = wanted.split_whitespace().map(str::parse).collect();
        let describe = |problem: &str| format!("{}: the key {wanted} {problem}", known.id);
        match keys {
            Ok(keys) if !keys.is_empty() && keys[0].typed().is_none() => {
                let taken = (1..=keys.len()).find_map(|n| {
                    match state.keymap.lookup(KeyContext::Editor, &keys[..n]) {
                        Lookup::Command(id) => Some(id),
                        Lookup::Pending(_) if n == keys.len() => Some("longer keys".to_string()),
                        _ => None,
                    }
                });
                match taken {
                    Some(id) if id == known.id => {}
                    Some(id) => {
                        problems.push(describe(&format!("is that of {id}; a key map can change that")));
                    }
                    None => state.keymap.add(KeyContext::Editor, &keys, known.id.clone()),
                }
            }
            Ok(_) => problems.push(describe("types a character")),
            Err(_) => problems.push(describe("is no key")),
        }
    }
    problems
}

/// Kind of the dialog about trusting the project.
const TRUST: &str = "trust";

/// Closes dialogs about the project: an answer to one that shows an earlier version would count for the
/// current one.
fn close_trust_dialogs(state: &mut State) {
    if state.layers.close_where::<Dialog>(|dialog| dialog.number_of(TRUST).is_some()) {
        state.damage.add_all();
    }
}

/// Returns descriptions of what the project wants to run and to allow.
fn trust_requests(state: &State) -> Vec<String> {
    let to_request = |plugin: &Plugin| {
        let folder = state.display_path(&plugin.folder);
        let line = move |command: &crate::config::plugins::Command| {
            let words = command.command_line(Path::new(&folder)).join(" ");
            format!("  {folder} ({}): {}", command.title, visible(&words))
        };
        plugin.commands.iter().map(line).collect::<Vec<_>>()
    };
    let read = &state.slots[PLUGINS].read;
    let section = |what: &str, lines: Vec<String>| {
        let head = (!lines.is_empty()).then(|| what.to_string());
        head.into_iter().chain(lines).collect::<Vec<_>>()
    };
    let commands = read.project.iter().flat_map(to_request).collect();
    let programs = &state.slots[PLUGINS].programs;
    let of_kind = |kind: ProgramKind| {
        let programs = programs.iter().filter(|program| program.kind == kind);
        programs.map(|program| format!("  {}", visible(&program.line))).collect::<Vec<_>>()
    };
    let (servers, formatters) = (of_kind(ProgramKind::Server), of_kind(ProgramKind::Formatter));
    let rules = read.allows.iter().map(|rule| format!("  {}", visible(rule))).collect();
    let mut lines = section("This project has commands that run programs when you call them:", commands);
    lines.extend(section("Language servers run build scripts and settings of this project:", servers));
    lines.extend(section("Formatters run settings and plugins of this project:", formatters));
    lines.extend(section("This project wants the agent to do these without asking:", rules));
    lines
}

/// Opens the dialog, since there is no decision about the project's plugins or rules yet.
fn ask_for_trust(cx: &mut Cx<'_>) {
    let mut lines = trust_requests(cx.state);
    let read = &cx.state.slots[PLUGINS].read;
    if !read.allows.is_empty() {
        lines.push("If anything of it changes, you are asked again.".to_string());
    } else if read.project.iter().any(|plugin| !plugin.commands.is_empty()) {
        lines.push("If anything in .bowline/plugins changes, you are asked again.".to_string());
    }
    if !read.programs.is_empty() {
        lines.push(OWN_PROGRAMS.to_string());
    }
    let dialog = Dialog::ask("Trust this project?", lines)
        .uninvited(TRUST, 0)
        .choice_after_scroll('y', "Trust", |cx| on_trust_answered(cx, Some(true)))
        .choice_after_scroll('o', "Trust once", |cx| on_trust_answered(cx, None))
        .short_label("Once")
        .choice('n', "Do not trust", |cx| on_trust_answered(cx, Some(false)))
        .short_label("No");
    // Below everything else, so that the user's current layer keeps the keys.
    cx.state.layers.push_below(dialog);
    cx.state.damage.add_all();
}

/// What a question says about programs that the project itself contains.
const OWN_PROGRAMS: &str = "If the file of one of the project's own programs changes, you are asked again.";

/// Returns the project's own programs about which the user has said nothing.
fn undecided(state: &State) -> Vec<ProjectProgram> {
    let known = state.slots[PLUGINS].read.programs.iter().filter(|known| known.decision.is_none());
    known.map(|known| known.program.clone()).collect()
}

/// Opens the dialog about programs that a trusted project itself contains, new ones or changed ones.
fn ask_for_programs(cx: &mut Cx<'_>) {
    let unknown = undecided(cx.state);
    let mut lines =
        vec!["These programs of this project are new, or were changed since you trusted them:".to_string()];
    let wanted = cx.state.slots[PLUGINS].programs.iter();
    let of_unknown = |program: &&WantedProgram| {
        unknown.iter().any(|unknown| program.path.as_deref() == Some(unknown.path.as_path()))
    };
    lines.extend(wanted.filter(of_unknown).map(|program| format!("  {}", visible(&program.line))));
    lines.push(OWN_PROGRAMS.to_string());
    let answer = |answer: Option<bool>| {
        let programs = unknown.clone();
        move |cx: &mut Cx<'_>| on_programs_answered(cx, programs, answer)
    };
    let dialog = Dialog::ask("Trust these programs?", lines)
        .uninvited(TRUST, 0)
        .choice_after_scroll('y', "Trust", answer(Some(true)))
        .choice_after_scroll('o', "Trust once", answer(None))
        .short_label("Once")
        .choice('n', "Do not trust", answer(Some(false)))
        .short_label("No");
    cx.state.layers.push_below(dialog);
    cx.state.damage.add_all();
}

/// Handles the user's answer about programs of the project; `None` means until the program ends.
fn on_programs_answered(cx: &mut Cx<'_>, programs: Vec<ProjectProgram>, answer: Option<bool>) {
    let Some(is_trusted) = answer else {
        program_trust(cx.state).trust_once(programs);
        return read(cx, true, None);
    };
    read(cx, true, Some(TrustChange::Set { digest: None, programs, is_trusted }));
}

/// Handles the user's answer; `None` means until the program ends.
pub fn on_trust_answered(cx: &mut Cx<'_>, answer: Option<bool>) {
    let plugins = &mut cx.state.slots[PLUGINS];
    let Some(digest) = plugins.read.digest.clone() else {
        return cx.state.set_status("This project needs no trust");
    };
    let programs: Vec<ProjectProgram> =
        plugins.read.programs.iter().map(|known| known.program.clone()).collect();
    let Some(is_trusted) = answer else {
        plugins.session_trust = Some(digest);
        program_trust(cx.state).trust_once(programs);
        return read(cx, true, None);
    };
    plugins.session_trust = None;
    // Nothing is started in a folder that is not trusted.
    let programs = if is_trusted { programs } else { Vec::new() };
    read(cx, true, Some(TrustChange::Set { digest: Some(digest), programs, is_trusted }));
}

/// Forgets the decision; the project's plugins and rules are then disabled.
pub fn forget_trust(cx: &mut Cx<'_>) {
    cx.state.slots[PLUGINS].session_trust = None;
    read(cx, true, Some(TrustChange::Forget));
}

/// Shows what the project wants to run, and whether it may.
pub fn show_trust(cx: &mut Cx<'_>) {
    let state = match cx.state.slots[PLUGINS].trusted {
        Trust::NotNeeded => return cx.state.set_status("This project needs no trust"),
        Trust::Always => "Trusted.",
        Trust::Session => "Trusted until you quit.",
        Trust::Never => "Not trusted: these are off.",
        Trust::Undecided => "Not decided: these are off.",
    };
    let mut lines = vec![state.to_string()];
    lines.extend(trust_requests(cx.state));
    let dialog = Dialog::ask("Project trust", lines)
        .with_id(TRUST, 0)
        .close('\n', "Close")
        .choice_after_scroll('y', "Trust", |cx| on_trust_answered(cx, Some(true)))
        .choice_after_scroll('o', "Trust once", |cx| on_trust_answered(cx, None))
        .short_label("Once")
        .choice('n', "Do not trust", |cx| on_trust_answered(cx, Some(false)))
        .short_label("No");
    cx.state.push_layer(dialog);
}

/// Runs a command of a plugin.
pub fn run(cx: &mut Cx<'_>, id: &str) {
    cx.state.kill_ring.interrupt();
    let Some(command) = find(cx.state, id).cloned() else {
        return cx.state.set_error(format!("No such plugin command: {id}"));
    };
    if cx.state.slots[PLUGINS].running.is_some() {
        return cx.state.set_status("A plugin command is running already. Escape ends it");
    }
    let buffer = cx.state.buffers.current();
    let edits = matches!(command.command.output, Output::Replace | Output::Insert | Output::Edits);
    if buffer.is_none() && (edits || command.command.input != Input::None) {
        return cx.state.set_status("No file open");
    }
    if let Some(reason) = buffer.and_then(Buffer::read_only).filter(|_| edits) {
        return cx.state.set_error(reason);
    }
    let shown = buffer.map(|buffer| PluginText {
        buffer: buffer.id,
        version: buffer.area.document.version(),
        text: buffer.area.text().clone(),
        format: buffer.area.document.format(),
        selection: buffer.area.selection.clone(),
        path: buffer.path.clone(),
        language: buffer.highlighting.names().first().copied(),
    });
    let cancel = CancellationToken::new();
    cx.state.slots[PLUGINS].running = Some(cancel.clone());
    cx.state.set_status(format!("{}: running … Escape ends it", command.plugin));
    let workspace = cx.state.workspace.clone();
    let home = cx.state.home.clone();
    let text = shown.as_ref().map(|shown| (shown.buffer, shown.version));
    let (env, ran) = (cx.env.clone(), command.clone());
    let job = PluginJob { command, shown, workspace, home, cancel };
    cx.tasks.spawn("plugins.run", async move { program::run(&*env, job).await }, move |cx, result| {
        let result = result.unwrap_or_else(|error| Err(ShellProblem::NotRun(error.to_string()).into()));
        on_done(cx, &ran.plugin, text, result);
    });
}

/// Stops the running program; returns whether there was one.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    let Some(cancel) = &cx.state.slots[PLUGINS].running else { return false };
    cancel.cancel();
    cx.state.set_status("Ending command …");
    true
}

/// A command was run.
fn on_done(
    cx: &mut Cx<'_>,
    name: &str,
    text: Option<(BufferId, u64)>,
    result: Result<PluginResult, PluginProblem>,
) {
    cx.state.slots[PLUGINS].running = None;
    match result {
        Err(problem) => cx.state.set_error(format!("{name}: {problem}")),
        Ok(PluginResult::Message(text)) => show_message(cx, name, &text),
        Ok(PluginResult::Locations(rows)) if rows.is_empty() => {
            cx.state.set_status(format!("{name}: no results"));
        }
        Ok(PluginResult::Locations(rows)) => {
            cx.state.slots[PLUGINS].locations = (name.to_string(), rows);
            cx.state.set_status("");
            cx.defer_picker("plugin-places");
        }
        Ok(PluginResult::Edit(edit)) => {
            let now_ms = cx.now_ms;
            let Some((id, version)) = text else { return };
            let Some(buffer) = cx.state.buffers.get_mut(id) else {
                return cx.state.set_error(format!("{name}: file closed before the command finished"));
            };
            if buffer.area.document.version() != version {
                let error = "Text changed meanwhile: nothing changed";
                return cx.state.set_error(format!("{name}: {error}"));
            }
            if let Some(reason) = buffer.read_only() {
                return cx.state.set_error(reason);
            }
            buffer.area.document.seal();
            let changed = buffer.area.edit(now_ms, |_, _| *edit).is_some();
            let message = if changed { String::new() } else { format!("{name}: nothing to change") };
            cx.state.set_status(message);
            cx.state.damage.add(Part::Editor);
        }
    }
}

fn show_message(cx: &mut Cx<'_>, name: &str, text: &str) {
    let lines: Vec<String> = text.trim_end().lines().map(|line| visible(line).into_owned()).collect();
    match lines.as_slice() {
        [] => cx.state.set_status(format!("{name}: done")),
        [line] => cx.state.set_status(format!("{name}: {line}")),
        _ => {
            cx.state.set_status("");
            cx.state.push_layer(Dialog::message(name, lines));
        }
    }
}
