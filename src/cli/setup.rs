//! Resolves raw arguments to ready objects: folders, settings, theme, key map, files to open, prompts.
//! Reports every error in the arguments.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crate::agent::compaction;
use crate::agent::prompt::PromptTexts;
use crate::base::error::Report;
use crate::base::paths::Home;
use crate::cli::attach;
use crate::cli::options::Args;
use crate::cli::target::{Target, classify};
use crate::config::kind::TokenBudget;
use crate::config::load::{self, LoadedSettings};
use crate::config::resources::{Resource, Resources};
use crate::config::settings::Settings;
use crate::exec::clipboard::ClipboardRoute;
use crate::exec::local::LocalEnvironment;
use crate::ide::core::keys::keymap::BUILTIN as KEYMAPS;
use crate::ide::core::options::OpenTarget;
use crate::ide::core::options::{KeymapSource, ThemeSource};
use crate::ide::features::themes::background;
use crate::llm::model::{Part, Thinking};
use crate::llm::retry::Policy;
use crate::net::cassette::Cassette;
use crate::net::certificates::Roots;
use crate::net::http::Transport;
use crate::runtime::language_servers::session::{SessionOptions as ServersOptions, SessionServers};
use crate::runtime::lifecycle::options::{Options as SessionOptions, SessionChoice};
use crate::tools::contract::tool_selection::ToolFlags;
use crate::tools::files::state::ReadFirst;
use crate::tools::interaction::language_servers::LanguageServers;
use crate::tools::output::truncation::LimitOverride;
use crate::tools::{Approval, Mode, Registry, ToolSelection};
use crate::tui::theme::choice::is_dark_by_variable;
use crate::tui::theme::color::DepthReason;
use crate::tui::theme::scheme::BUILTIN as THEMES;
use crate::tui::theme::{ColorDepth, Theme, ThemeChoice, import};

/// Inputs of the process other than its arguments.
#[derive(Debug, Clone)]
pub struct Process {
    /// The environment.
    pub vars: HashMap<String, String>,
    /// The working folder.
    pub cwd: PathBuf,
    /// Whether standard input and output are terminals.
    pub interactive: bool,
    /// Piped input.
    pub piped: Option<String>,
}

/// One prompt with its images.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InitialPrompt {
    /// The text.
    pub text: String,
    /// Images.
    pub images: Vec<Part>,
}

/// The resolved arguments.
pub struct Setup {
    /// Folders for bowline's files.
    pub home: Home,
    /// The workspace folder.
    pub workspace: PathBuf,
    /// Files to open.
    pub open: Vec<OpenTarget>,
    /// The first prompts.
    pub initial_prompts: Vec<InitialPrompt>,
    /// Settings, and their problems.
    pub loaded: LoadedSettings,
}

/// Resolves folders, settings and arguments. With `print` every argument is a prompt.
pub fn resolve(args: &Args, process: &Process, print: bool) -> Result<Setup, Report> {
    let home = Home::find(|name| process.vars.get(name).cloned())
        .ok_or_else(|| Report::new("no home folder").hint("set HOME or BOWLINE_HOME"))?;
    let mut setup = Setup {
        home,
        workspace: process.cwd.clone(),
        open: Vec::new(),
        initial_prompts: Vec::new(),
        loaded: LoadedSettings::default(),
    };
    let mut attached = InitialPrompt::default();
    let mut folder = None;
    for argument in &args.args {
        let attached_path = argument.as_bytes().strip_prefix(b"@").filter(|path| !path.is_empty());
        let target = match attached_path {
            Some(path) if print => Target::Attachment(process.cwd.join(OsStr::from_bytes(path))),
            _ if print => Target::Prompt(argument.to_string_lossy().into_owned()),
            _ => classify(argument, &process.cwd, is_folder),
        };
        match target {
            Target::Folder(path) if folder.is_none() => folder = Some(path),
            Target::Folder(path) => {
                return Err(Report::new(format!("{}: there is a folder to work on already", path.display())));
            }
            Target::File(file) if argument.as_bytes().ends_with(b"/") => {
                return Err(Report::new(format!("{}: no such folder", file.path.display()))
                    .hint("create it, or check the path"));
            }
            Target::File(file) => setup.open.push(file),
            Target::Prompt(text) => setup.initial_prompts.push(InitialPrompt { text, images: Vec::new() }),
            Target::Attachment(path) => match attach::read(&path)? {
                Ok(text) => attached.text.push_str(&text),
                Err(image) => attached.images.push(image),
            },
        }
    }
    setup
        .initial_prompts
        .extend(args.message.iter().map(|text| InitialPrompt { text: text.clone(), images: Vec::new() }));
    prepend_inputs(&mut setup.initial_prompts, attached, process.piped.as_deref());
    setup.initial_prompts.retain(|prompt| !prompt.text.trim().is_empty() || !prompt.images.is_empty());
    if let Some(folder) = folder {
        setup.workspace = folder;
    }
    let (user, project) = setup.settings_files();
    setup.loaded = load::load(Some(&user), Some(&project));
    Ok(setup)
}

impl Setup {
    /// Returns the paths of the user's and the project's settings; either may be missing.
    pub fn settings_files(&self) -> (PathBuf, PathBuf) {
        (self.home.config.join("settings.toml"), self.workspace.join(".bowline/settings.toml"))
    }
}

/// Whether a path is a folder; `None` when it does not exist.
fn is_folder(path: &Path) -> Option<bool> {
    std::fs::metadata(path).ok().map(|meta| meta.is_dir())
}

/// Puts piped input and attachments before the first prompt.
fn prepend_inputs(prompts: &mut Vec<InitialPrompt>, attached: InitialPrompt, piped: Option<&str>) {
    let piped = piped.map(str::trim_end).filter(|text| !text.is_empty());
    if piped.is_none() && attached == InitialPrompt::default() {
        return;
    }
    if prompts.is_empty() {
        prompts.push(InitialPrompt::default());
    }
    let parts = [piped.unwrap_or_default(), attached.text.trim_end(), prompts[0].text.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    prompts[0].text = parts.join("\n\n");
    prompts[0].images = attached.images;
}

/// Returns the choice of the command line, or else of the settings.
pub fn theme_choice(args: &Args, setup: &Setup) -> ThemeChoice {
    ThemeChoice::parse(args.theme.as_ref().unwrap_or(&setup.loaded.settings.theme))
}

/// What says whether the terminal's background is dark, before the terminal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackgroundSource {
    /// `COLORFGBG`.
    Variable,
    /// The terminal of an earlier run.
    LastRun,
    /// Nothing: most terminals are dark.
    Assumed,
}

/// Returns whether the terminal's background is probably dark, and what says so; its own answer comes after the
/// first frame.
pub fn terminal_background(setup: &Setup, process: &Process) -> (bool, BackgroundSource) {
    let by_variable = process.vars.get("COLORFGBG").and_then(|value| is_dark_by_variable(value));
    if let Some(is_dark) = by_variable {
        return (is_dark, BackgroundSource::Variable);
    }
    match background::last_known(&setup.home.state) {
        Some(is_dark) => (is_dark, BackgroundSource::LastRun),
        None => (true, BackgroundSource::Assumed),
    }
}

/// Returns how many colors the terminal shows by its environment variables, and which of them decides it.
pub fn color_depth(process: &Process) -> (ColorDepth, DepthReason) {
    let var = |name: &str| process.vars.get(name).map(String::as_str);
    ColorDepth::detect_with_reason(var("TERM"), var("COLORTERM"), var("NO_COLOR"))
}

/// Returns the way to the user's clipboards.
pub fn clipboard_route(process: &Process) -> ClipboardRoute {
    ClipboardRoute::of(|name| process.vars.get(name).is_some_and(|value| !value.is_empty()))
}

/// Returns the command line of the user's own editor, by the environment variables that name it.
pub fn external_editor(process: &Process) -> Option<String> {
    let named = ["VISUAL", "EDITOR"].iter().filter_map(|name| process.vars.get(*name));
    named.into_iter().find(|command| !command.trim().is_empty()).cloned()
}

/// Returns the theme of that name, or the default one with an error message.
pub fn theme(setup: &Setup, name: &str) -> (Theme, Option<String>) {
    match load_theme(&themes(setup), name) {
        Ok(theme) => {
            let problem = theme.problem();
            (theme, problem)
        }
        Err(problem) => (Theme::builtin(), Some(format!("{problem}; the default theme is used"))),
    }
}

/// Returns the themes that can be chosen.
pub fn theme_source(setup: &Setup) -> ThemeSource {
    let (named, loaded) = (themes(setup), themes(setup));
    ThemeSource::new(move || named.names().into_iter().collect(), move |name| load_theme(&loaded, name))
}

/// Returns the locations of themes.
pub fn themes(setup: &Setup) -> Resources {
    Resources {
        kind_name: "theme",
        project: Some(setup.workspace.join(".bowline/themes")),
        user: Some(setup.home.config.join("themes")),
        plugins: Some((setup.home.config.join("plugins"), "themes")),
        // A file of pi is read as it is.
        extensions: &["toml", "json"],
        builtin: &THEMES,
    }
}

/// Returns the theme of that name; the error is for the user.
pub fn load_theme(themes: &Resources, name: &str) -> Result<Theme, String> {
    let found = find_theme(themes, name)?;
    let parent = |name: &str| find_theme(themes, name).map(|found| found.text);
    Theme::parse_with(&found.name, &found.text, &parent).map_err(|error| error.to_string())
}

/// Returns a theme whose text is in our format.
fn find_theme(themes: &Resources, name: &str) -> Result<Resource, String> {
    let mut found = themes.find(name).map_err(|problem| problem.to_string())?;
    if let Some(file) = found.file.as_ref().filter(|file| file.extension().is_some_and(|end| end == "json")) {
        let converted = import::convert_pi(&file.display().to_string(), &found.text);
        found.text = converted.map_err(|error| error.to_string())?.text;
    }
    Ok(found)
}

/// Returns the text and the path of the requested key map, or the default one with an error message. Project
/// settings do not apply: keys can run anything.
pub fn keymap(args: &Args, setup: &Setup) -> ((String, String), Option<String>) {
    let name = args.keymap.as_ref().unwrap_or(&setup.loaded.settings.keymap);
    match load_keymap(&keymaps(&setup.home.config), name) {
        Ok(found) => (found, None),
        Err(problem) => {
            let default = ("default".to_string(), KEYMAPS[0].1.to_string());
            (default, Some(format!("{problem}; the default keys are used")))
        }
    }
}

/// Returns the key maps that can be chosen, with those in a folder of the user's configuration.
pub fn keymap_source(config: &Path) -> KeymapSource {
    let (named, loaded) = (keymaps(config), keymaps(config));
    KeymapSource::new(move || named.names().into_iter().collect(), move |name| load_keymap(&loaded, name))
}

fn keymaps(config: &Path) -> Resources {
    Resources {
        kind_name: "key map",
        project: None,
        user: Some(config.join("keymaps")),
        plugins: Some((config.join("plugins"), "keymaps")),
        extensions: &["toml"],
        builtin: &KEYMAPS,
    }
}

/// Returns the origin of a key map, for messages, and its text.
fn load_keymap(keymaps: &Resources, name: &str) -> Result<(String, String), String> {
    let found = keymaps.find(name).map_err(|problem| problem.to_string())?;
    let origin = found.file.map_or(found.name, |file| file.display().to_string());
    Ok((origin, found.text))
}

/// Returns the settings for which the command line has another value.
pub fn overridden(args: &Args) -> Vec<&'static str> {
    let agent = &args.agent;
    let given = [
        ("theme", args.theme.is_some()),
        ("keymap", args.keymap.is_some()),
        ("accessible", args.accessible),
        ("approval", agent.approval.is_some()),
        ("profile", agent.profile.is_some()),
        ("model", agent.model.is_some()),
        ("provider", agent.provider.is_some()),
        ("thinking", agent.thinking.is_some()),
    ];
    given.into_iter().filter_map(|(key, is_given)| is_given.then_some(key)).collect()
}

/// Returns the session options. `mode` is the approval mode when neither flag nor setting has one.
pub fn session_options(
    args: &Args,
    setup: &Setup,
    process: &Process,
    mode: Mode,
    env: Arc<dyn crate::exec::Environment>,
    approval: Arc<dyn Approval>,
) -> Result<SessionOptions, Report> {
    let opened_cassette = cassette(args, &process.cwd)?;
    let flags = tool_flags(args);
    ToolSelection::new(flags.clone(), &Registry::new()).map_err(|error| {
        Report::new(error.to_string()).hint("`bowline prompt --show` lists the tools on offer")
    })?;
    let settings = &setup.loaded.settings;
    let requested = args.agent.approval.as_deref().or(settings.approval.as_deref()).and_then(Mode::parse);
    let session_root = args.global.session_dir.as_ref().map(|folder| process.cwd.join(folder));
    let session =
        session_choice(args, &session_root.clone().unwrap_or_else(|| setup.home.sessions()), process)?;
    Ok(SessionOptions {
        approval_mode: requested.unwrap_or(mode),
        session,
        session_root,
        session_name: args.name.clone(),
        provider: args.agent.provider.clone(),
        model: args.agent.model.clone(),
        thinking: args.agent.thinking.as_deref().and_then(Thinking::parse),
        default_provider: settings.provider.clone(),
        default_model: settings.model.clone(),
        default_thinking: settings.thinking.as_deref().and_then(Thinking::parse),
        profile: Some(args.agent.profile.clone().unwrap_or_else(|| settings.profile.clone())),
        tool_flags: flags,
        prompt_texts: prompt_texts(args, &process.cwd)?,
        no_documents: args.agent.no_context_files,
        steering: queue_mode(&settings.steering_mode),
        follow_up: queue_mode(&settings.follow_up_mode),
        api_key: args.agent.api_key.clone(),
        vars: process.vars.clone(),
        offline: args.global.offline,
        tool_rounds_max: u32::try_from(settings.tool_rounds).unwrap_or(u32::MAX),
        budget: (settings.budget > 0).then_some(settings.budget as f64),
        retry: retry_policy(settings),
        cassette: opened_cassette,
        transport: Transport::parse(&settings.transport).unwrap_or_default(),
        roots: roots(settings, process, &setup.home.user),
        keyring: settings.keyring,
        discover: true,
        check_keys: true,
        read_first: ReadFirst::from_setting(&settings.read_before_write),
        // A session that is not stored cannot be restored.
        checkpoints: settings.checkpoints && !args.no_session,
        tools_config: tools_config(settings),
        compaction: compaction(settings),
        ..SessionOptions::new(setup.home.clone(), setup.workspace.clone(), env, approval)
    })
}

/// Returns the language servers of a session without a screen.
pub fn session_servers(setup: &Setup, env: Arc<dyn crate::exec::Environment>) -> SessionServers {
    let settings = &setup.loaded.settings;
    SessionServers::new(ServersOptions {
        env,
        workspace: setup.workspace.clone(),
        config: setup.home.config.clone(),
        state: setup.home.state.clone(),
        home: setup.home.user.clone(),
        is_on: settings.language_servers,
        reports_edits: settings.diagnostics_after_edit,
        memory_max: Arc::new(AtomicU64::new(settings.server_display.memory_max())),
    })
}

/// Returns the same for a session with a model, if they would be started: else the model does not hear of them. Reads files.
pub fn usable_servers(
    setup: &Setup,
    env: Arc<dyn crate::exec::Environment>,
) -> Option<Arc<dyn LanguageServers>> {
    let servers = session_servers(setup, env);
    servers.may_start().then(|| Arc::new(servers) as Arc<dyn LanguageServers>)
}

/// Returns the session that the flags select.
fn session_choice(args: &Args, root: &Path, process: &Process) -> Result<SessionChoice, Report> {
    let located = |name: &str| crate::cli::session_lookup::find_session_file(root, &process.cwd, name);
    Ok(match (&args.session, &args.fork) {
        (Some(name), _) => SessionChoice::Open(located(name)?),
        (None, Some(name)) => SessionChoice::Fork(located(name)?),
        (None, None) if args.continue_ => SessionChoice::Continue,
        (None, None) if args.no_session => SessionChoice::Memory,
        (None, None) => SessionChoice::New,
    })
}

/// Returns the tool flags.
fn tool_flags(args: &Args) -> ToolFlags {
    let trimmed = |words: &[String]| -> Vec<String> {
        words.iter().map(|word| word.trim().to_string()).filter(|word| !word.is_empty()).collect()
    };
    ToolFlags {
        only: args.agent.tools.as_deref().map(trimmed),
        without: trimmed(&args.agent.exclude_tools),
        no_builtin: args.agent.no_builtin_tools,
        none: args.agent.no_tools,
    }
}

/// Returns the system prompt flags.
fn prompt_texts(args: &Args, cwd: &Path) -> Result<PromptTexts, Report> {
    let read = |given: &String| {
        let path = cwd.join(given);
        if given.is_empty() || !path.is_file() {
            return Ok(given.clone());
        }
        std::fs::read_to_string(&path)
            .map_err(|error| Report::caused(format!("cannot read {}", path.display()), &error))
    };
    let append = args.agent.append_system_prompt.iter().map(read).collect::<Result<_, _>>()?;
    Ok(PromptTexts { base: args.agent.system_prompt.as_ref().map(read).transpose()?, append })
}

/// Returns the tool settings, with the path of the program.
fn tools_config(settings: &Settings) -> crate::tools::contract::config::ToolConfig {
    let mut config = crate::tools::contract::config::ToolConfig::default();
    for (name, limit) in &settings.tool_limits {
        config.limits.set(name, LimitOverride { chars: limit.chars, lines: limit.lines });
    }
    let time = |ms: usize| (ms > 0).then(|| std::time::Duration::from_millis(ms as u64));
    config.command_timeout = time(settings.command_timeout_ms);
    config.command_timeout_max = time(settings.command_timeout_max_ms);
    config.program = program_path();
    config
}

/// Returns the retry settings.
fn retry_policy(settings: &Settings) -> Policy {
    Policy {
        retries: settings.retries as u32,
        max: Duration::from_secs(settings.retry_wait_max as u64),
        ..Policy::default()
    }
}

/// Returns the compaction settings.
fn compaction(settings: &Settings) -> compaction::Settings {
    let tokens = |count: usize| count as u64;
    let own = |(model, budget): (&String, &TokenBudget)| {
        let reserve = budget.reserve_tokens.map(tokens);
        (model.clone(), compaction::budget::Override { reserve, keep: budget.keep_recent_tokens.map(tokens) })
    };
    compaction::Settings {
        enabled: settings.compaction,
        reserve: tokens(settings.compaction_reserve_tokens),
        keep: tokens(settings.compaction_keep_recent_tokens),
        models: settings.compaction_models.iter().map(own).collect(),
        ..compaction::Settings::default()
    }
}

/// Returns this program's file. On Linux the path stays valid when another version replaces it.
fn program_path() -> Option<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() { Some(own) } else { std::env::current_exe().ok() }
}

fn queue_mode(name: &str) -> crate::agent::queue::QueueMode {
    use crate::agent::queue::QueueMode;
    if name == "all" { QueueMode::All } else { QueueMode::One }
}

/// Returns the certificate files: the user's own, and the one that environment variables name for other
/// programs.
fn roots(settings: &Settings, process: &Process, user: &Path) -> Roots {
    let mut roots = Roots::default();
    if let Some(file) = settings.ca_file.as_deref().filter(|file| !file.is_empty()) {
        let path = file.strip_prefix("~/").map_or_else(|| process.cwd.join(file), |below| user.join(below));
        roots = roots.with("the setting `ca-file`", path);
    }
    if let Some(file) = process.vars.get("SSL_CERT_FILE").filter(|file| !file.is_empty()) {
        roots = roots.with("SSL_CERT_FILE", process.cwd.join(file));
    }
    roots
}

/// Returns where exchanges with models are recorded or replayed.
fn cassette(args: &Args, cwd: &Path) -> Result<Option<Cassette>, Report> {
    let (path, opened, action) = match (&args.global.record, &args.global.replay) {
        (Some(path), _) => (path, Cassette::record(&cwd.join(path)), "record into"),
        (None, Some(path)) => (path, Cassette::replay(&cwd.join(path)), "play"),
        (None, None) => return Ok(None),
    };
    opened.map(Some).map_err(|error| Report::new(format!("cannot {action} {}: {error}", path.display())))
}

/// Returns the environment of this machine.
pub fn environment(setup: &Setup) -> Arc<LocalEnvironment> {
    Arc::new(LocalEnvironment::new(setup.workspace.clone(), std::env::vars_os()))
}
