//! Programs that format, as the table of language servers has them for a language: which one a text has, whether it may
//! run, and what it changes in a snapshot. Must not change texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::base::width::visible;
use crate::exec::commands::process::script::exec_script;
use crate::exec::{CommandSpec, Environment};
use crate::ide::core::context::Cx;
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::language_servers::start::first_line;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::pipe::command::{OUTPUT_MAX, collect};
use crate::ide::features::pipe::job::ShellProblem;
use crate::ide::features::plugins;
use crate::ide::features::plugins::state::{ProgramKind, WantedProgram};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::lsp::table::root::root_of;
use crate::lsp::table::{Formatter, Language, Pattern, program};
use crate::runtime::agent_setup::trust_requests::{ProgramTrust, ProjectProgram};
use crate::runtime::language_servers::find::{Candidate, installed};
use crate::runtime::language_servers::search::Disk;
use crate::text::changes::ChangeSet;
use crate::text::compare;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{self, Format, with_ending};
use crate::text::rope::Text;

/// How long a program may run. A save waits less.
const RUN_TIME: Duration = Duration::from_secs(20);

/// Stands for the file in arguments, as in Helix.
const FILE: &str = "%{buffer_name}";

/// Returns the row of the table for an open file.
pub fn language(state: &State, id: BufferId) -> Option<&Language> {
    let known = &state.slots[LANGUAGE_SERVERS];
    let table = known.table.as_ref().filter(|_| known.is_on)?;
    let buffer = state.buffers.all().iter().find(|buffer| buffer.id == id)?;
    let path = buffer.real_path().filter(|_| is_file(buffer))?;
    table.for_file(path, &first_line(buffer.area.text()))
}

/// Whether an open text is that of a file, and is loaded.
fn is_file(buffer: &Buffer) -> bool {
    let is_text = buffer.loading.is_none() && buffer.builtin.is_none() && !buffer.is_image;
    is_text && buffer.results.is_none()
}

/// Whether the shown text has a program that formats it.
pub fn has_program(state: &State) -> bool {
    let shown = state.buffers.current().and_then(|buffer| language(state, buffer.id));
    shown.is_some_and(|language| language.formatter.is_some())
}

/// A program that is to format a file.
pub struct Program {
    env: Arc<dyn Environment>,
    path: PathBuf,
    workspace: PathBuf,
    roots: Vec<Pattern>,
    formatter: Formatter,
    trust: ProgramTrust,
}

/// What became of a program.
pub enum Outcome {
    /// What it changes; nothing if the text is formatted already.
    Changes(ChangeSet),
    /// It is not installed.
    NotInstalled(String),
    /// The folder is not trusted, or this program of its own: it, without the name of the file. Even a program of the user may run
    /// what a project contains, such as the settings of prettier.
    Untrusted(WantedProgram),
}

impl Program {
    /// Returns the program for an open file, if the table has one.
    pub fn of(cx: &mut Cx<'_>, id: BufferId) -> Option<Self> {
        let language = language(cx.state, id)?;
        let formatter = language.formatter.clone()?;
        let roots = language.roots.clone();
        let trust = plugins::run::program_trust(cx.state);
        let buffer = cx.state.buffers.all().iter().find(|buffer| buffer.id == id)?;
        Some(Self {
            env: cx.env.clone(),
            path: buffer.real_path()?.to_path_buf(),
            workspace: cx.state.workspace.clone(),
            roots,
            formatter,
            trust,
        })
    }

    /// Returns its name for messages.
    pub fn name(&self) -> String {
        visible(&self.formatter.command).into_owned()
    }

    /// Runs it on a text whose lines end with `ending`.
    ///
    /// # Errors
    ///
    /// A message for the user: it cannot be run, fails, or answers what cannot be the text.
    pub async fn run(self, text: Text, ending: &'static str) -> Result<Outcome, String> {
        let name = self.name();
        let said = |problem: String| format!("{name}: {problem}");
        let (path, workspace, roots) = (self.path.clone(), self.workspace.clone(), self.roots.clone());
        let root = on_thread(move || root_of(&path, &workspace, &roots, &Disk)).await;
        let found = self.found(&root).await.map_err(said)?;
        let Some(program) = found else { return Ok(Outcome::NotInstalled(self.name())) };
        let words = self.words(program, &root);
        let (trust, program) = (self.trust.clone(), words[0].clone());
        if !on_thread(move || trust.may_start(&program)).await {
            let args = self.formatter.args.iter().map(String::as_str);
            let line: Vec<&str> = std::iter::once(words[0].as_str()).chain(args).collect();
            return Ok(Outcome::Untrusted(WantedProgram {
                kind: ProgramKind::Formatter,
                line: line.join(" "),
                path: ProjectProgram::path_of(&words[0], &self.workspace),
            }));
        }
        let plain = Format { encoding: Encoding::UTF8, bom: false, ..Format::default() };
        let input = format::encode(std::iter::once(text.to_string().as_str()), plain);
        let input = input.map_err(|error| said(error.to_string()))?;
        let output = self.output(words, root, input).await.map_err(said)?;
        if output.trim().is_empty() && !text.to_string().trim().is_empty() {
            return Err(said("its answer is empty".to_string()));
        }
        let changes = on_thread(move || {
            let after = Text::from(with_ending(&output, ending).as_str());
            compare::fine_change(&text, &after)
        });
        Ok(Outcome::Changes(changes.await))
    }

    /// Returns the program as it is run: a name in the search path, or a path.
    async fn found(&self, root: &Path) -> Result<Option<String>, String> {
        let candidates = program::candidates(&self.formatter.command, root, &self.workspace);
        let candidates: Vec<Candidate> =
            candidates.into_iter().map(|program| Candidate { program, check: Vec::new() }).collect();
        let answers = installed(&*self.env, &candidates, &self.workspace).await;
        Ok(answers.map_err(|error| error.to_string())?.into_iter().flatten().next())
    }

    /// Returns its command line. The file is named as seen from where the program runs.
    fn words(&self, program: String, root: &Path) -> Vec<String> {
        let file = self.path.strip_prefix(root).unwrap_or(&self.path).display().to_string();
        let args = self.formatter.args.iter().map(|arg| arg.replace(FILE, &file));
        std::iter::once(program).chain(args).collect()
    }

    async fn output(&self, words: Vec<String>, root: PathBuf, input: Vec<u8>) -> Result<String, String> {
        // What `Environment` ends by itself looks like an answer that is too long.
        let command =
            CommandSpec { script: exec_script(&words), cwd: root, timeout: None, env: BTreeMap::new() };
        let cancel = CancellationToken::new();
        let work = collect(&*self.env, command, input, (OUTPUT_MAX, &cancel));
        match tokio::time::timeout(RUN_TIME, work).await {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(ShellProblem::Failed(line, code))) => Err(format!("{line} (exit {code})")),
            Ok(Err(problem)) => Err(problem.to_string()),
            Err(_) => Err(format!("no answer within {} s", RUN_TIME.as_secs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LocalEnvironment;

    /// A program for `a/x.toy` in a trusted folder.
    fn program(root: &Path, command: &str, args: &[&str]) -> Program {
        let trust = ProgramTrust::new(root.to_path_buf(), &root.join("state"));
        trust.set_folder(true);
        Program {
            env: Arc::new(LocalEnvironment::new(root.to_path_buf(), std::iter::empty())),
            path: root.join("a/x.toy"),
            workspace: root.to_path_buf(),
            roots: Vec::new(),
            formatter: Formatter {
                command: command.to_string(),
                args: args.iter().map(|arg| (*arg).to_string()).collect(),
            },
            trust,
        }
    }

    /// What a program makes of a text, or why it makes nothing of it.
    async fn formatted(program: Program, text: &str) -> Result<String, String> {
        let mut text = Text::from(text);
        match program.run(text.clone(), "\r\n").await? {
            Outcome::Changes(changes) => {
                changes.apply(&mut text);
                Ok(text.to_string())
            }
            Outcome::NotInstalled(name) => Err(format!("not installed: {name}")),
            Outcome::Untrusted(wanted) => Err(format!("untrusted: {}", wanted.line)),
        }
    }

    #[tokio::test]
    async fn formatter_gets_the_text_and_its_answer_the_line_endings_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let script = "printf '%s\\n' \"$1\"; tr a-z A-Z";
        let found = formatted(program(&root, "sh", &["-c", script, "sh", FILE]), "one\r\ntwo\r\n").await;
        assert_eq!(found, Ok("a/x.toy\r\nONE\r\nTWO\r\n".to_string()));
    }

    #[tokio::test]
    async fn formatter_with_a_bad_answer_is_refused_with_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (script, expected) in [
            ("cat >/dev/null; echo; echo bad 1>&2; echo more 1>&2; exit 3", "sh: bad (exit 3)"),
            ("cat >/dev/null", "sh: its answer is empty"),
            ("cat >/dev/null; printf '\\377'", "sh: Output is not UTF-8: nothing changed"),
        ] {
            let found = formatted(program(&root, "sh", &["-c", script]), "one\n").await;
            assert_eq!(found, Err(expected.to_string()), "{script}");
        }
        assert_eq!(formatted(program(&root, "cat", &[]), "").await, Ok(String::new()));
        let absent = formatted(program(&root, "no-such-program-here", &[]), "a").await;
        assert_eq!(absent, Err("not installed: no-such-program-here".to_string()));
    }

    #[tokio::test]
    async fn formatter_runs_only_where_the_folder_is_trusted() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let file = root.join("node_modules/.bin/fmt-of-project");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "#!/bin/sh\ntr a-z A-Z\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let trust = ProgramTrust::new(root.clone(), &root.join("state"));
        let program = |is_trusted: bool| {
            trust.set_folder(is_trusted);
            Program { trust: trust.clone(), ..program(&root, "fmt-of-project", &[]) }
        };
        let untrusted = Err(format!("untrusted: {}", file.display()));
        assert_eq!(formatted(program(true), "one").await, untrusted, "the project's own program is not");
        trust.answer(&[ProjectProgram::read(file.clone()).unwrap()], true).unwrap();
        assert_eq!(formatted(program(false), "one").await, untrusted);
        assert_eq!(formatted(program(true), "one").await, Ok("ONE".to_string()));
        std::fs::write(&file, "#!/bin/sh\ntr A-Z a-z\n").unwrap();
        assert_eq!(formatted(program(true), "one").await, untrusted, "it has changed since");
        trust.trust_once(vec![ProjectProgram::read(file.clone()).unwrap()]);
        assert_eq!(formatted(program(true), "ONE").await, Ok("one".to_string()));
    }
}
