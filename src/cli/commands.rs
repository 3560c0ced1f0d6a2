//! Words in the place of a file or a prompt that are work of their own: `login`, `logout`,
//! `models refresh`, `prompt --show`, `sessions`, `export`, `import`, `tool`.
//!
//! Must not know how the work is done.

pub mod import;
pub mod login;
pub mod prompt;
pub mod sessions;
pub mod tool;

use crate::base::names;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::process::{FAILED, Nobody, OK, USAGE, keep_log, process, tell, write_out};
use super::{
    commands::sessions::{context, list, restore},
    setup,
};
use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::runtime::Options;
use crate::runtime::models::refresh;
use crate::tools::Mode;

/// Such work.
#[derive(Debug, PartialEq, Eq)]
pub enum Errand {
    /// Keep a key or a login.
    Login(Option<String>),
    /// Forget it.
    Logout(Option<String>),
    /// Ask providers for their models.
    Refresh(Option<String>),
    /// Show the system prompt; in JSON, or as text.
    Prompt(bool),
    /// Tell what is stored; in JSON, or as text.
    Sessions(list::Wanted, bool),
    /// What the next request of a session would hold; in JSON, or as text.
    Contents(context::Wanted, bool),
    /// Something with all of what is stored; in JSON, or as text.
    Stored(import::Wanted, bool),
    /// Bring files back, or tidy what that needs; in JSON, or as text.
    Restore(restore::Wanted, bool),
    /// Make a document of a session: which, in what form, into which file.
    Export(String, Option<String>, Option<String>),
    /// Something with one tool; in JSON, or as text.
    Tool(tool::Wanted, bool),
}

impl Errand {
    /// Whether its answer is a document or data, which a program may read.
    fn is_data(&self) -> bool {
        match self {
            Self::Export(..) => true,
            Self::Prompt(json)
            | Self::Sessions(_, json)
            | Self::Contents(_, json)
            | Self::Stored(_, json)
            | Self::Restore(_, json)
            | Self::Tool(_, json) => *json,
            Self::Login(_) | Self::Logout(_) | Self::Refresh(_) => false,
        }
    }
}

/// The work that the arguments name. A file of that name is a file.
pub fn wanted(args: &Args) -> Option<Errand> {
    let shown: Vec<_> = args.args.iter().map(|arg| names::shown_name(arg)).collect();
    let words: Vec<&str> = shown.iter().map(|word| &**word).collect();
    let (make, rest): (fn(Option<String>) -> Errand, _) = match &words[..] {
        ["login", rest @ ..] => (Errand::Login, rest),
        ["logout", rest @ ..] => (Errand::Logout, rest),
        ["prompt"] if args.show => {
            let file = Path::new("prompt").exists() || args.print;
            return (!file).then_some(Errand::Prompt(args.json));
        }
        ["sessions", rest @ ..] => {
            let file = Path::new("sessions").exists() || args.print;
            let take = args.take.as_deref();
            let wanted = restore::wanted(rest, args.dry_run, args.with_conversation, take).filter(|_| !file);
            if let Some(wanted) = wanted {
                return Some(Errand::Restore(wanted, args.json));
            }
            if let Some(wanted) = context::wanted(rest, args).filter(|_| !file) {
                return Some(Errand::Contents(wanted, args.json));
            }
            let wanted = list::wanted(rest).filter(|_| !file);
            let other = || import::wanted(rest, args).filter(|_| !file);
            return wanted
                .map(|wanted| Errand::Sessions(wanted, args.json))
                .or_else(|| other().map(|wanted| Errand::Stored(wanted, args.json)));
        }
        ["tool", rest @ ..] => {
            let file = Path::new("tool").exists() || args.print;
            return tool::wanted(rest, args.list)
                .filter(|_| !file)
                .map(|wanted| Errand::Tool(wanted, args.json));
        }
        ["import", files @ ..] if !files.is_empty() => {
            let is_file = Path::new("import").exists() || args.print;
            let files = args.args[words.len() - files.len()..].iter().map(PathBuf::from).collect();
            let wanted = import::Wanted::Import(files, args.from.clone());
            return (!is_file).then_some(Errand::Stored(wanted, args.json));
        }
        ["export", id, file @ ..] if file.len() <= 1 => {
            let file = file.first().map(ToString::to_string);
            let is_file = Path::new("export").exists() || args.print;
            return (!is_file).then(|| Errand::Export((*id).to_string(), args.format.clone(), file));
        }
        ["models", "refresh", rest @ ..] => (Errand::Refresh, rest),
        _ => return None,
    };
    let file = Path::new(words[0]).exists();
    (!args.print && !file && rest.len() <= 1).then(|| make(rest.first().map(ToString::to_string)))
}

/// Does it; gives the exit code.
pub fn run(args: &Args, errand: &Errand) -> Result<i32, (i32, Report)> {
    // What is piped in answers questions; it is no prompt.
    let process = process(true).map_err(|report| (USAGE, report))?;
    let bare = Args { args: Vec::new(), ..args.clone() };
    let setup = setup::resolve(&bare, &process, false).map_err(|report| (USAGE, report))?;
    let env = setup::environment(&setup);
    let options = setup::session(&bare, &setup, &process, Mode::AutoEdit, env, Arc::new(Nobody));
    let options = options.map_err(|report| (USAGE, report))?;
    if let Errand::Tool(wanted, json) = errand {
        keep_log(&setup.home.state, &process);
        setup.loaded.problems.iter().for_each(|problem| tell(&Report::new(problem.to_string())));
        return tool(options, wanted, args.env.as_deref(), *json);
    }
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| (FAILED, Report::caused("cannot start", &error)))?;
    let talk = login::Terminal::default();
    let said = runtime.block_on(async {
        // What changes files says itself how far it came.
        if let Errand::Restore(wanted, json) = errand {
            return restored(&options, wanted, *json).await;
        }
        tokio::select! {
            said = perform(&options, errand, &talk) => said,
            _ = tokio::signal::ctrl_c() => Err(Report::new("given up; nothing is changed")),
        }
    });
    talk.show();
    // A thread may wait for a line that never comes.
    runtime.shutdown_background();
    let (text, code) = said.map_err(|report| (FAILED, report))?;
    // Documents and data go into a file or a pipe as they are; a terminal gets none of their control characters.
    let as_it_is = errand.is_data() && !std::io::stdout().is_terminal();
    let text = format!("{text}\n");
    let text = if as_it_is { text } else { visible_lines(&text.replace('\t', "    ")) };
    write_out(&text, &mut std::io::stdout()).map(|()| code)
}

/// Something with one tool, which has the threads that it has for a model.
fn tool(
    options: Options,
    wanted: &tool::Wanted,
    place: Option<&str>,
    json: bool,
) -> Result<i32, (i32, Report)> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| (FAILED, Report::caused("cannot start", &error)))?;
    let code = runtime.block_on(tool::run(options, wanted, place, json));
    // A thread that waits for a dead disk must not hold the exit up.
    runtime.shutdown_background();
    code
}

/// Brings files back. An interruption ends it before the first file has changed; then it goes on to its end.
async fn restored(options: &Options, wanted: &restore::Wanted, json: bool) -> Result<(String, i32), Report> {
    let cancel = CancellationToken::new();
    let (options, wanted, ending) = (options.clone(), wanted.clone(), cancel.clone());
    let mut done = tokio::task::spawn_blocking(move || restore::answer(&options, &wanted, json, &ending));
    let done = tokio::select! {
        done = &mut done => done,
        _ = tokio::signal::ctrl_c() => {
            cancel.cancel();
            done.await
        }
    };
    let (text, whole) = done.map_err(|error| Report::caused("the work was ended", &error))??;
    Ok((text, if whole { OK } else { FAILED }))
}

async fn perform(
    options: &Options,
    errand: &Errand,
    talk: &login::Terminal,
) -> Result<(String, i32), Report> {
    match errand {
        Errand::Login(provider) => Ok((login::login(options, provider.as_deref(), talk).await?, OK)),
        Errand::Logout(provider) => Ok((login::logout(options, provider.as_deref()).await?, OK)),
        Errand::Sessions(wanted, json) => {
            Ok((list::answer(&options.session_root(), &options.cwd, wanted, *json)?, OK))
        }
        Errand::Contents(wanted, json) => Ok((context::show(options, wanted, *json).await?, OK)),
        Errand::Stored(wanted, json) => {
            let (root, trash) = (options.session_root(), options.home.trash());
            let places = import::Places { root: &root, cwd: &options.cwd, trash: &trash };
            let (text, whole) = import::answer(&places, wanted, *json)?;
            Ok((text, if whole { OK } else { FAILED }))
        }
        Errand::Restore(wanted, json) => restored(options, wanted, *json).await,
        // It was done where the others are only chosen.
        Errand::Tool(..) => Ok((String::new(), OK)),
        Errand::Export(id, form, file) => {
            let root = options.session_root();
            let said = list::export(&root, &options.cwd, id, form.as_deref(), file.as_deref())?;
            Ok((said, OK))
        }
        Errand::Prompt(json) => Ok((prompt::show(options, *json).await?, OK)),
        Errand::Refresh(provider) => {
            let told = refresh::refresh(options, provider.as_deref()).await?;
            let code = if told.iter().all(|told| told.outcome.is_ok()) { OK } else { FAILED };
            let lines: Vec<String> = told.iter().map(refresh::Told::sentence).collect();
            Ok((lines.join("\n"), code))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn words_that_are_work() {
        let parse = |words: &[&str]| {
            let all = std::iter::once("bowline").chain(words.iter().copied());
            wanted(&Args::try_parse_from(all).unwrap())
        };
        assert_eq!(parse(&["prompt", "--show"]), Some(Errand::Prompt(false)));
        assert_eq!(parse(&["prompt", "--show", "--json"]), Some(Errand::Prompt(true)));
        assert_eq!(parse(&["prompt"]), None);
        let context = context::Wanted { session: Some("x".into()), leaf: Some("y".into()), all: false };
        let words = ["sessions", "context", "x", "--leaf", "y", "--json"];
        assert_eq!(parse(&words), Some(Errand::Contents(context, true)));
        let latest = context::Wanted { all: true, ..context::Wanted::default() };
        assert_eq!(parse(&["sessions", "context", "--all"]), Some(Errand::Contents(latest, false)));
        assert_eq!(parse(&["sessions"]), Some(Errand::Sessions(list::Wanted::List, false)));
        assert_eq!(parse(&["sessions", "nonsense"]), None);
        let search = import::Wanted::Search("login loop".into());
        assert_eq!(parse(&["sessions", "search", "login", "loop"]), Some(Errand::Stored(search, false)));
        let stats = import::Wanted::Stats(Some("tool".into()), Some("7d".into()));
        let words = ["sessions", "stats", "--by", "tool", "--since", "7d", "--json"];
        assert_eq!(parse(&words), Some(Errand::Stored(stats, true)));
        let import = import::Wanted::Import(vec!["a".into(), "b".into()], Some("codex".into()));
        assert_eq!(parse(&["import", "a", "b", "--from", "codex"]), Some(Errand::Stored(import, false)));
        let export = Errand::Export("x".into(), None, Some("a.md".into()));
        assert_eq!(parse(&["export", "x", "a.md"]), Some(export));
        let export = Errand::Export("x".into(), Some("html".into()), None);
        assert_eq!((parse(&["export", "x", "--format", "html"]), parse(&["export"])), (Some(export), None));
        let errand = |words: &[&str]| {
            let all = std::iter::once("bowline").chain(words.iter().copied());
            wanted(&Args::try_parse_from(all).unwrap())
        };
        assert_eq!(errand(&["login"]), Some(Errand::Login(None)));
        assert_eq!(errand(&["logout", "xai"]), Some(Errand::Logout(Some("xai".into()))));
        assert_eq!(errand(&["models", "refresh"]), Some(Errand::Refresh(None)));
        assert_eq!(errand(&["models", "refresh", "xai"]), Some(Errand::Refresh(Some("xai".into()))));
        for words in [&["models"][..], &["models", "refresh", "a", "b"], &["-p", "login"], &["refresh"]] {
            assert_eq!(errand(words), None, "{words:?}");
        }
    }
}
