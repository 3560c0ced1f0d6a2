//! Main function of the program: parses arguments, resolves them, runs one mode, returns its exit code.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use tokio::runtime::Builder;

use crate::base::clock::SystemClock;
use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::cli::args;
use crate::cli::args::Cli;
use crate::cli::commands::Command;
use crate::cli::options::Args;
use crate::cli::process::{
    FAILED, NonInteractive, OK, USAGE, end_session, print_error, read_process, start_log, stdout, write_out,
};
use crate::cli::setup;
use crate::cli::setup::{Process, Setup};
use crate::cli::subprocess;
use crate::cli::{commands, headless, manual, models};
use crate::config::Settings;
use crate::exec::commands::dumpable;
use crate::exec::local::LocalEnvironment;
use crate::ide;
use crate::ide::core::tasks::threads::Threads;
use crate::ide::features::tutor::{project, steps};
use crate::ide::model::saved_windows::SavedWindows;
use crate::llm::model::Part;
use crate::modes::print;
use crate::runtime;
use crate::tools::Mode;
use crate::tui::images::protocol::ImageChoice;

/// Maximum bytes of a file that is read on the main thread before the first frame.
const SYNC_READ_MAX: u64 = 256 << 10;

/// Runs the program with the process's arguments; returns its exit code.
pub fn run() -> i32 {
    // First: commands run by agents must not be able to read the keys in this process's memory.
    let exposed = dumpable::disable().err();
    if let Some(done) = subprocess::serve(std::env::args_os()) {
        return if done { OK } else { FAILED };
    }
    let cli = match args::parse(std::env::args_os(), Path::exists) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors; clap knows which stream each goes to.
            if !error.use_stderr() {
                return if error.print().is_ok() { OK } else { FAILED };
            }
            // The message repeats arguments, which may contain terminal escape sequences.
            let text = visible_lines(&error.render().to_string());
            return if std::io::stderr().write_all(text.as_bytes()).is_ok() { USAGE } else { FAILED };
        }
    };
    if let Some(error) = exposed {
        print_error(&Report::caused("other processes of yours can read this one's memory", &error));
    }
    match start(&cli) {
        Ok(code) => code,
        Err((code, report)) => {
            print_error(&report);
            code
        }
    }
}

fn start(cli: &Cli) -> Result<i32, (i32, Report)> {
    let (usage, args) = (|report| (USAGE, report), &cli.args);
    if let Some(Command::Tutor) = &cli.command {
        return tutor(args);
    }
    if let Some(command) = &cli.command {
        if let Some(text) = manual::print(command) {
            return text.and_then(|text| write_out(&text, &mut *stdout())).map(|()| OK);
        }
        return commands::run(args, command);
    }
    reject_misspelled(args).map_err(usage)?;
    if let Some(mode) = headless::requested_mode(args).map_err(usage)? {
        return headless::run(args, mode);
    }
    let text = args.print || args.mode.is_some();
    let print = text || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal();
    let process = read_process(!print).map_err(usage)?;
    reject_reserved(args, &process).map_err(usage)?;
    if print && !text {
        reject_unknown(args, &process).map_err(usage)?;
    }
    open(args, process, print)
}

/// Opens the tutor in its own project, which is made anew.
fn tutor(args: &Args) -> Result<i32, (i32, Report)> {
    let usage = |report| (USAGE, report);
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(usage(Report::new("the tutor needs a terminal")));
    }
    let process = read_process(true).map_err(usage)?;
    let bare = Args { args: Vec::new(), ..args.clone() };
    let setup = setup::resolve(&bare, &process, false).map_err(usage)?;
    let ((origin, keys), _) = setup::keymap(&bare, &setup);
    // Problems of the key map are reported at the start.
    let (keymap, _) = ide::shell::catalog::read_keymap(&origin, &keys);
    let folder = project::folder(&setup.home.state);
    let text = steps::text(&keymap, &ide::shell::catalog::CATALOG, true);
    project::renew(&folder, &text).map_err(|error| {
        (FAILED, Report::caused(format!("cannot make the project in {}", folder.display()), &error))
    })?;
    let bare = Args { args: vec![folder.join(project::STEPS).into()], ..bare };
    open(&bare, Process { cwd: folder, ..process }, false)
}

/// Runs the IDE, or with `print` answers prompts.
fn open(args: &Args, process: Process, print: bool) -> Result<i32, (i32, Report)> {
    let usage = |report| (USAGE, report);
    check_terminal(&process, print).map_err(usage)?;
    let setup = setup::resolve(args, &process, print).map_err(usage)?;
    check_resume(args, &setup, print).map_err(usage)?;
    start_log(&setup.home.state, &process);
    let failed = |error| (FAILED, Report::caused("cannot start", &error));
    if let Some(search) = &args.list_models {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        return Ok(runtime.block_on(list_models(args, &setup, &process, search)));
    }
    let mut builder = if print { Builder::new_multi_thread() } else { Builder::new_current_thread() };
    let runtime = builder.enable_all().build().map_err(failed)?;
    let code = if print {
        runtime.block_on(run_print(args, setup, &process))
    } else {
        // The loop has its own thread that sleeps on the terminal: a key press wakes no other thread.
        let tasks = Threads::lazy();
        let code = runtime.block_on(run_ide(args, setup, process, tasks.clone()));
        tasks.abandon();
        code
    };
    // A thread that still walks a folder or waits for an unresponsive disk must not delay the exit.
    runtime.shutdown_background();
    code
}

/// Fails on a first argument that is probably a misspelled command: it would be opened as a new file, or sent as a
/// prompt.
fn reject_misspelled(args: &Args) -> Result<(), Report> {
    let Some((word, name)) = args::misspelled_command(args, Path::exists) else { return Ok(()) };
    Err(Report::new(format!("unknown command {word}; did you mean `{name}`?")).hint(format!(
        "To open a new file of that name: bowline ./{word}; to send it as a prompt: bowline -p {word}"
    )))
}

/// Fails on a single word without `-p` where there is no terminal: a command that does not exist would be sent to the
/// model. With piped text the word says what to do with it.
fn reject_unknown(args: &Args, process: &Process) -> Result<(), Report> {
    let [only] = &args.args[..] else { return Ok(()) };
    // Options of a conversation say that it is a prompt.
    if args.continue_ || args.session.is_some() || args.agent.model.is_some() {
        return Ok(());
    }
    let has_text = process.piped.as_ref().is_some_and(|text| !text.trim().is_empty());
    let Some(word) = args::plain_word(only, |path| process.cwd.join(path).exists()).filter(|_| !has_text)
    else {
        return Ok(());
    };
    let nearest = args::nearest_command(word);
    let proposed = nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    Err(Report::new(format!("unknown command {word}{proposed}"))
        .hint(format!("List commands: bowline --help; to send it as a prompt: bowline -p {word}")))
}

/// Words reserved for future commands: as a file or prompt they would change meaning later.
const RESERVED: [&str; 2] = ["config", "serve"];

/// Fails on a reserved word as the first argument, unless it is a file or clearly a prompt.
fn reject_reserved(args: &Args, process: &Process) -> Result<(), Report> {
    let first = args.args.first().and_then(|word| word.to_str()).filter(|_| !args.print);
    let Some(word) = first.filter(|word| RESERVED.contains(word)) else { return Ok(()) };
    if process.cwd.join(word).exists() {
        return Ok(());
    }
    Err(Report::new(format!("no such command: {word}"))
        .hint(format!("list commands: bowline --help; open a file: ./{word}; prompt: -p {word}")))
}

/// Fails on a terminal that declares itself unable to draw: escape sequences would be displayed as text.
fn check_terminal(process: &Process, print: bool) -> Result<(), Report> {
    match process.vars.get("TERM").map(String::as_str) {
        Some("dumb") if !print => Err(Report::new("this terminal cannot show a screen (TERM=dumb)")
            .hint("bowline -p \"…\" answers in lines; set TERM, such as TERM=xterm-256color, where it can")),
        _ => Ok(()),
    }
}

/// Fails if a session must be chosen without a screen, or if a prompt is given before the choice.
fn check_resume(args: &Args, setup: &Setup, print: bool) -> Result<(), Report> {
    match (args.resume, print, setup.initial_prompts.is_empty()) {
        (true, true, _) => Err(Report::new("--resume needs a terminal to choose the session in")
            .hint("use --continue for the newest, --session ID for another")),
        (true, false, false) => Err(Report::new("--resume takes no prompt")
            .hint("send it after choosing the session, or use --session ID")),
        _ => Ok(()),
    }
}

async fn run_ide(args: &Args, setup: Setup, process: Process, tasks: Threads) -> Result<i32, (i32, Report)> {
    let env = setup::environment(&setup);
    // Files named on the command line are opened alone; the open files of the last run stay recorded.
    let keep_open = setup.open.is_empty() && setup.loaded.settings.restore;
    let last = || ide::features::reopen::restore::read_last(&setup.home.state, &setup.workspace);
    let (open, restored) = match keep_open.then(last).flatten() {
        Some((open, restored)) => (open, Some(restored)),
        None => (setup.open.clone(), None),
    };
    let feed = ide::shell::preload::Preload::start(env, tasks, open, |path| {
        LocalEnvironment::read_small(path, SYNC_READ_MAX)
    });
    let options = ide_options(args, &setup, &process, (keep_open, restored));
    let term = process.vars.get("TERM").cloned();
    let options = ide::core::options::Options { connect: Some(connection(args, setup, process)), ..options };
    let exit =
        Box::pin(ide::shell::run::run(options, feed, term)).await.map_err(|report| (FAILED, report))?;
    if exit.code == OK && exit.has_messages && !args.no_session {
        write_out("Continue this session: bowline -c\n", &mut std::io::stdout())?;
    }
    Ok(exit.code)
}

/// Returns the options of the IDE without its session. `reopened` says whether open files are kept for the next start, and
/// has the windows of the last one.
fn ide_options(
    args: &Args,
    setup: &Setup,
    process: &Process,
    (keep_open, restored): (bool, Option<SavedWindows>),
) -> ide::core::options::Options {
    let ((origin, keys), keymap_problem) = setup::keymap(args, setup);
    let (keymap, key_problems) = ide::shell::catalog::read_keymap(&origin, &keys);
    let (colors, _) = setup::color_depth(process);
    let (is_dark_terminal, _) = setup::terminal_background(setup, process);
    let theme_choice = setup::theme_choice(args, setup);
    let (theme, theme_problem) = setup::theme(setup, theme_choice.name(colors, is_dark_terminal));
    let settings = setup.loaded.settings.clone();
    ide::core::options::Options {
        workspace: setup.workspace.clone(),
        home: setup.home.user.clone(),
        config: setup.home.config.clone(),
        state: setup.home.state.clone(),
        prompts: initial_prompts(setup),
        initial_command: args.resume.then_some("session.resume"),
        theme,
        theme_choice,
        is_dark_terminal,
        themes: setup::theme_source(setup),
        keymap,
        keymap_name: args.keymap.clone().unwrap_or_else(|| settings.keymap.clone()),
        keymaps: setup::keymap_source(&setup.home.config),
        settings: setup.loaded.clone(),
        overridden: setup::overridden(args),
        problems: problems(setup).chain(theme_problem).chain(keymap_problem).chain(key_problems).collect(),
        colors,
        language_servers: true,
        auto_completion: true,
        accessible: args.accessible || settings.accessible,
        tab_width: settings.tab_width,
        auto_pairs: settings.auto_pairs,
        wrap_column: settings.wrap_column,
        display: ide::model::view::display::DisplayOptions::from_settings(&settings),
        keep_open,
        restored,
        editor: setup::external_editor(process),
        keep_drafts: !args.no_session,
        keep_undo: settings.keep_undo,
        notify: ide::core::options::Notify::named(&settings.notify),
        images: images(args, &settings),
        first_image: fastrand::u16(..),
        clipboard: setup::clipboard_route(process),
        mouse: settings.mouse,
        approval_mode: approval_mode(args, settings.approval.as_deref()),
        connect: None,
        clock: SystemClock::shared(),
    }
}

/// Returns how images are shown: not at all to screen readers.
fn images(args: &Args, settings: &Settings) -> ImageChoice {
    if args.accessible || settings.accessible {
        ImageChoice::Off
    } else {
        ImageChoice::named(&settings.images)
    }
}

/// Returns the problems of the settings, for the user.
fn problems(setup: &Setup) -> impl Iterator<Item = String> {
    setup.loaded.problems.iter().map(ToString::to_string)
}

/// Returns the first messages to the agent.
fn initial_prompts(setup: &Setup) -> Vec<(String, Vec<Part>)> {
    setup.initial_prompts.iter().map(|prompt| (prompt.text.clone(), prompt.images.clone())).collect()
}

/// Returns the approval mode of the command line, else of the settings.
fn approval_mode(args: &Args, setting: Option<&str>) -> Mode {
    args.agent.approval.as_deref().or(setting).and_then(Mode::parse).unwrap_or_default()
}

/// Returns what starts the session of the IDE.
fn connection(args: &Args, setup: Setup, process: Process) -> ide::core::ports::Connect {
    let args = args.clone();
    Box::new(move |ports| {
        async move {
            let ide::core::ports::Ports { env, approval, questions, language_servers } = ports;
            let mut options =
                setup::session_options(&args, &setup, &process, Mode::OnRequest, env, approval)?;
            options.questions = Some(questions);
            options.language_servers = Some(language_servers);
            // A prompt that waits must not go to a model that nobody named.
            options.replaces_missing_model = setup.initial_prompts.is_empty();
            runtime::start(options).await
        }
        .boxed()
    })
}

async fn run_print(args: &Args, setup: Setup, process: &Process) -> Result<i32, (i32, Report)> {
    for problem in &setup.loaded.problems {
        print_error(&Report::new(problem.to_string()));
    }
    if setup.initial_prompts.is_empty() {
        let report = Report::new("no prompt").hint("bowline -p \"…\", or pipe a prompt in");
        return Err((USAGE, report));
    }
    let env = setup::environment(&setup);
    let options =
        setup::session_options(args, &setup, process, Mode::AutoEdit, env.clone(), Arc::new(NonInteractive));
    let mut options = options.map_err(|report| (USAGE, report))?;
    options.language_servers = setup::usable_servers(&setup, env);
    // The conversation ends here, so there is no compaction after the run.
    options.compaction.after_runs = false;
    let handle = runtime::start(options).await.map_err(|report| (FAILED, report))?;
    let prompts = setup
        .initial_prompts
        .into_iter()
        .map(|prompt| print::Prompt { text: prompt.text, images: prompt.images })
        .collect();
    let live = std::io::stdout().is_terminal();
    let mut stdout = stdout();
    let code = print::print(&handle, prompts, live, &mut *stdout, &mut std::io::stderr()).await;
    end_session(&handle).await;
    Ok(code)
}

async fn list_models(args: &Args, setup: &Setup, process: &Process, search: &str) -> i32 {
    let env = setup::environment(setup);
    let options =
        match setup::session_options(args, setup, process, Mode::AutoEdit, env, Arc::new(NonInteractive)) {
            Ok(options) => options,
            Err(report) => {
                print_error(&report);
                return USAGE;
            }
        };
    let (models, problems) = runtime::lifecycle::start::usable_models(&options).await;
    problems.iter().for_each(print_error);
    let lines = models::lines(models.iter().map(|model| &**model), Some(search));
    if lines.is_empty() {
        let message = format!("no available model matches `{search}`");
        print_error(
            &Report::new(message).hint("list them with `bowline --list-models`; add more: docs/providers.md"),
        );
        return FAILED;
    }
    // Names may come from the user's file or from a server.
    let visible =
        |line: &String| line.split('\t').map(crate::base::width::visible).collect::<Vec<_>>().join("\t");
    let text: String = lines.iter().map(|line| visible(line) + "\n").collect();
    match write_out(&text, &mut std::io::stdout()) {
        Ok(()) => OK,
        Err((code, report)) => {
            print_error(&report);
            code
        }
    }
}
