//! A hermetic ide: a temporary workspace and home, a scripted model, and the IDE without a
//! terminal. Its clock moves only when a test moves it.

mod screen;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::ManualClock;
use bowline::base::ids::CountingIds;
use bowline::base::paths::Home;
use bowline::cli::setup::keymap_source;
use bowline::config::load;
use bowline::ide::core::options::{OpenTarget, Options};
use bowline::ide::core::ports::{Connect, Ports};
use bowline::ide::core::state::State;
use bowline::ide::core::tasks::threads::Threads;
use bowline::ide::features::files::watch::FILE_WATCH;
use bowline::ide::features::reopen;
use bowline::ide::shell::catalog::read_keymap;
use bowline::ide::shell::event_source::EventSource;
use bowline::ide::shell::headless::Headless;
use bowline::ide::shell::preload::Preload;
use bowline::llm::model::Model;
use bowline::llm::provider::Injected;
use bowline::llm::providers::scripted::{Scripted, Turn};
use bowline::runtime;
use bowline::runtime::lifecycle::options::{Options as SessionOptions, SessionChoice};
use bowline::tools::Mode;
use bowline::tools::contract::tool_selection::ToolFlags;
use bowline::tui::images::protocol::ImageChoice;
use bowline::tui::input::Input;
use bowline::tui::theme::ColorDepth;
use futures::FutureExt;
use tempfile::TempDir;

use super::task_orders;
use super::test_environment::{InjectedFaults, TestEnvironment};

const KEYMAP: &str = include_str!("../../../keymaps/default.toml");

/// What a ide is set up with.
pub struct IdeSetup {
    temp: TempDir,
    open: Vec<OpenTarget>,
    turns: Vec<Turn>,
    size: (u16, u16),
    colors: ColorDepth,
    policy: Mode,
    session: SessionChoice,
    settings_problems: Vec<String>,
    keymap: String,
    models: Vec<&'static str>,
    faults: Arc<InjectedFaults>,
    undo_store: bool,
    requested_model: Option<String>,
    restore_session: bool,
    tools: Option<Vec<String>>,
    profile: Option<String>,
    checkpoints: bool,
    startup_command: Option<&'static str>,
    early_keys: &'static str,
    images: ImageChoice,
    accessible: bool,
    language_servers: bool,
    auto_completion: bool,
    vars: HashMap<String, String>,
    discover: bool,
    check_keys: bool,
}

impl IdeSetup {
    /// An empty workspace, 80x24, a model without a script.
    pub fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    fn in_folder(temp: TempDir) -> Self {
        std::fs::create_dir_all(temp.path().join("work")).unwrap();
        Self {
            temp,
            open: Vec::new(),
            turns: Vec::new(),
            size: (80, 24),
            colors: ColorDepth::True,
            policy: Mode::OnRequest,
            session: SessionChoice::New,
            settings_problems: Vec::new(),
            keymap: KEYMAP.to_string(),
            models: vec!["script"],
            faults: Arc::default(),
            undo_store: true,
            requested_model: None,
            restore_session: false,
            tools: None,
            profile: None,
            checkpoints: false,
            startup_command: None,
            early_keys: "",
            images: ImageChoice::default(),
            accessible: false,
            language_servers: false,
            auto_completion: false,
            vars: HashMap::new(),
            discover: false,
            check_keys: false,
        }
    }

    /// A variable of the environment.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_string(), value.to_string());
        self
    }

    /// Looks for servers on this machine. Of those of the catalog only the one at `url`, which is an Ollama, can be
    /// reached.
    #[must_use]
    pub fn local_server(mut self, url: &str) -> Self {
        self.discover = true;
        // Nothing listens on port 1.
        let nowhere = "http://127.0.0.1:1";
        self.variable("OLLAMA_HOST", url)
            .variable("LLAMA_BASE_URL", nowhere)
            .variable("LM_STUDIO_BASE_URL", nowhere)
            .variable("VLLM_BASE_URL", nowhere)
    }

    /// Language servers are started for open files.
    #[must_use]
    pub fn language_servers(mut self) -> Self {
        self.language_servers = true;
        self
    }

    /// Completions are shown while text is typed into files.
    #[must_use]
    pub fn completions(mut self) -> Self {
        self.auto_completion = true;
        self
    }

    /// Tries keys that are typed at a login.
    #[must_use]
    pub fn check_keys(mut self) -> Self {
        self.check_keys = true;
        self
    }

    /// Uses the tools of a profile.
    #[must_use]
    pub fn profile(mut self, name: &str) -> Self {
        self.profile = Some(name.to_string());
        self
    }

    /// The agent has only these tools.
    #[must_use]
    pub fn tools(mut self, names: &[&str]) -> Self {
        self.tools = Some(names.iter().map(ToString::to_string).collect());
        self
    }

    /// The states of the workspace are recorded.
    #[must_use]
    pub fn checkpoints(mut self) -> Self {
        self.checkpoints = true;
        self
    }

    /// Undo trees are not kept.
    #[must_use]
    pub fn without_undo_store(mut self) -> Self {
        self.undo_store = false;
        self
    }

    /// What was open comes back where nothing else is opened, and is kept for the next time.
    #[must_use]
    pub fn restore_session(mut self) -> Self {
        self.restore_session = true;
        self
    }

    /// Puts a file into the workspace.
    #[must_use]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.temp.path().join("work").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// The workspace.
    pub fn workspace_dir(&self) -> PathBuf {
        self.temp.path().join("work")
    }

    /// Puts a file where the user keeps those of the program.
    #[must_use]
    pub fn config_file(self, path: &str, content: &str) -> Self {
        self.home_file("config", path, content)
    }

    /// Puts a file where the program keeps what must outlive it.
    #[must_use]
    pub fn state_file(self, path: &str, content: &str) -> Self {
        self.home_file("state", path, content)
    }

    fn home_file(self, folder: &str, path: &str, content: &str) -> Self {
        let path = self.temp.path().join("home").join(folder).join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// A path in the workspace.
    pub fn path(&self, path: &str) -> PathBuf {
        self.temp.path().join("work").join(path)
    }

    /// Opens a path at the start.
    #[must_use]
    pub fn open(mut self, path: &str) -> Self {
        let path = self.temp.path().join("work").join(path);
        self.open.push(OpenTarget { path, at: None });
        self
    }

    /// Opens a path at a line and column from 1.
    #[must_use]
    pub fn open_at(mut self, path: &str, line: usize, column: usize) -> Self {
        let path = self.path(path);
        self.open.push(OpenTarget { path, at: Some((line, column)) });
        self
    }

    /// Puts a file into the workspace and opens it.
    #[must_use]
    pub fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.file(path, content).open(path)
    }

    /// Makes the workspace a repository with everything in its first commit; `None` where there
    /// is no git, which is said.
    pub fn git_committed(self) -> Option<Self> {
        let work = self.temp.path().join("work");
        let commands: [&[&str]; 3] = [&["init", "-q"], &["add", "."], &["commit", "-q", "-m", "first"]];
        commands.iter().all(|args| super::git::git(&work, args)).then_some(self)
    }

    /// What the model will answer.
    #[must_use]
    pub fn turns(mut self, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.turns.extend(turns);
        self
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(mut self, cols: u16, rows: u16) -> Self {
        self.size = (cols, rows);
        self
    }

    /// How many colors the terminal has.
    #[must_use]
    pub fn colors(mut self, colors: ColorDepth) -> Self {
        self.colors = colors;
        self
    }

    /// The screen is drawn for screen readers.
    #[must_use]
    pub fn accessible(mut self, is_accessible: bool) -> Self {
        self.accessible = is_accessible;
        self
    }

    /// How images are shown.
    #[must_use]
    pub fn images(mut self, images: ImageChoice) -> Self {
        self.images = images;
        self
    }

    /// Which tool calls run unasked.
    #[must_use]
    pub fn policy(mut self, policy: Mode) -> Self {
        self.policy = policy;
        self
    }

    /// Goes on with the newest conversation.
    #[must_use]
    pub fn continue_session(mut self) -> Self {
        self.session = SessionChoice::Continue;
        self
    }

    /// Goes on with a conversation that is in a file with this text.
    #[must_use]
    pub fn session_file(mut self, text: &str) -> Self {
        let path = self.temp.path().join("session.jsonl");
        std::fs::write(&path, text).unwrap();
        self.session = SessionChoice::Open(path);
        self
    }

    /// Runs a command once the session is there.
    #[must_use]
    pub fn startup_command(mut self, command: &'static str) -> Self {
        self.startup_command = Some(command);
        self
    }

    /// Keys that are pressed before the session has started.
    #[must_use]
    pub fn early_keys(mut self, keys: &'static str) -> Self {
        self.early_keys = keys;
        self
    }

    /// A desktop whose browser writes the address of a page into the file `opened`.
    #[must_use]
    pub fn browser(self) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let name = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let bin = self.temp.path().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        // It may end after the command that starts it.
        let script = "#!/bin/sh\necho \"$1\" > opened.part && mv opened.part opened\n";
        std::fs::write(bin.join(name), script).unwrap();
        std::fs::set_permissions(bin.join(name), PermissionsExt::from_mode(0o755)).unwrap();
        self
    }

    /// What was wrong with settings.
    #[must_use]
    pub fn settings_problem(mut self, problem: &str) -> Self {
        self.settings_problems.push(problem.to_string());
        self
    }

    /// Another key map than the default one.
    #[must_use]
    pub fn keymap(mut self, text: &str) -> Self {
        self.keymap = text.to_string();
        self
    }

    /// More models beside `script`.
    #[must_use]
    pub fn model(mut self, id: &'static str) -> Self {
        self.models.push(id);
        self
    }

    /// The session starts with this model, if there is one.
    #[must_use]
    pub fn requested_model(mut self, name: &str) -> Self {
        self.requested_model = Some(name.to_string());
        self
    }

    /// The system will refuse to read this path.
    #[must_use]
    pub fn unreadable(self, path: &str) -> Self {
        self.faults.reads.lock().unwrap().push(self.temp.path().join("work").join(path));
        self
    }

    /// The system will refuse to write this path.
    #[must_use]
    pub fn unwritable(self, path: &str) -> Self {
        self.faults.writes.lock().unwrap().push(self.temp.path().join("work").join(path));
        self
    }

    /// How the IDE starts its session.
    fn connect(
        &mut self,
        home: Home,
        cwd: PathBuf,
        script: Arc<Scripted>,
        clock: Arc<ManualClock>,
    ) -> Connect {
        let model =
            |id: &&str| Arc::new(Model { reasoning: true, ..Model::unknown("scripted", id, "scripted", "") });
        let injected = Injected { provider: script, models: self.models.iter().map(model).collect() };
        let model = self.requested_model.take();
        let (policy, session, checkpoints) = (self.policy, self.session.clone(), self.checkpoints);
        let (vars, discover, check_keys) = (std::mem::take(&mut self.vars), self.discover, self.check_keys);
        let (has_servers, profile) = (self.language_servers, self.profile.take());
        let tool_flags = ToolFlags { only: self.tools.take(), ..ToolFlags::default() };
        Box::new(move |ports| {
            let Ports { env, approval, questions, language_servers } = ports;
            async move {
                runtime::start(SessionOptions {
                    approval_mode: policy,
                    model,
                    replaces_missing_model: true,
                    session,
                    providers: vec![injected],
                    clock,
                    ids: CountingIds::shared(),
                    questions: Some(questions),
                    language_servers: has_servers.then_some(language_servers),
                    profile,
                    tool_flags,
                    checkpoints,
                    vars,
                    discover,
                    check_keys,
                    ..SessionOptions::new(home, cwd, env, approval)
                })
                .await
            }
            .boxed()
        })
    }

    /// Starts the IDE.
    pub async fn start(mut self) -> TestIde {
        let work = self.temp.path().join("work");
        let clock = ManualClock::new(1_763_681_400_000);
        let script = Arc::new(Scripted::new("scripted", std::mem::take(&mut self.turns)));
        let home = self.temp.path().join("home");
        let root = home.display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let (state, config, user) = (home.state.clone(), home.config.clone(), home.user.clone());
        let env = TestEnvironment::new(&work, self.faults.clone());
        let connect = self.connect(home, work.clone(), script.clone(), clock.clone());
        let tasks = Threads::from_handle(tokio::runtime::Handle::current());
        let keep_open = self.restore_session && self.open.is_empty();
        let last = || reopen::restore::read_last(&state, &work);
        let (open, restored) =
            keep_open.then(last).flatten().map_or((self.open, None), |(open, last)| (open, Some(last)));
        let feed = Preload::start(Arc::new(env), tasks, open, |_| None);
        let (keymap, problems) = read_keymap("keymaps/test.toml", &self.keymap);
        let files = [config.join("settings.toml"), work.join(".bowline/settings.toml")];
        let settings = load::load(Some(&files[0]), Some(&files[1]));
        let options = Options {
            home: user,
            settings,
            keymaps: keymap_source(&config),
            config,
            state,
            initial_command: self.startup_command,
            keymap,
            problems: self.settings_problems.into_iter().chain(problems).collect(),
            colors: self.colors,
            wrap_column: 40,
            keep_open,
            restored,
            editor: Some("an-editor --wait".to_string()),
            keep_drafts: true,
            keep_undo: self.undo_store,
            images: self.images,
            accessible: self.accessible,
            language_servers: self.language_servers,
            auto_completion: self.auto_completion,
            approval_mode: self.policy,
            connect: Some(connect),
            clock: clock.clone(),
            ..Options::new(work, self.temp.path().into())
        };
        let headless =
            Box::pin(Headless::start(options, feed, self.size, task_orders::seed(), self.early_keys)).await;
        TestIde { temp: self.temp, headless, clock, script, faults: self.faults }
    }
}

/// A running IDE and what is around it.
pub struct TestIde {
    temp: TempDir,
    /// The IDE.
    pub headless: Headless,
    /// Its time.
    pub clock: Arc<ManualClock>,
    /// Its model.
    pub script: Arc<Scripted>,
    /// What the system refuses.
    pub faults: Arc<InjectedFaults>,
}

impl TestIde {
    /// A path in the workspace.
    pub fn path(&self, path: &str) -> PathBuf {
        self.temp.path().join("work").join(path)
    }

    /// A path in the folders of the program: `config`, `data`, `state`, `cache`.
    pub fn home(&self, path: &str) -> PathBuf {
        self.temp.path().join("home").join(path)
    }

    /// The bytes of a file in the workspace.
    pub fn file_bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.path(path)).unwrap()
    }

    /// The text of a file in the workspace.
    pub fn file_text(&self, path: &str) -> String {
        String::from_utf8(self.file_bytes(path)).unwrap()
    }

    /// Writes a file behind the IDE's back.
    pub fn write_file(&self, path: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(path), content).unwrap();
    }

    /// The lines of the only session file.
    pub fn session(&self) -> Vec<serde_json::Value> {
        let root = self.temp.path().join("home/data/sessions");
        let mut files = Vec::new();
        // What is derived from the sessions lies beside their folders.
        let folders = std::fs::read_dir(root).unwrap().map(|folder| folder.unwrap().path());
        for folder in folders.filter(|folder| folder.is_dir()) {
            files.extend(std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
        assert_eq!(files.len(), 1, "{files:?}");
        let text = std::fs::read_to_string(&files[0]).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Ends this run, as a crash would, and plans another at the same ide.
    pub fn restart(self) -> IdeSetup {
        drop(self.headless);
        IdeSetup::in_folder(self.temp)
    }

    /// Everything that the IDE knows.
    pub fn state(&mut self) -> &mut State {
        &mut self.headless.app().state
    }

    /// The text of the file that is shown.
    pub fn text(&mut self) -> String {
        self.state().buffers.current().expect("a file is open").area.text().to_string()
    }

    /// The name of the file that is shown.
    pub fn current_file_name(&mut self) -> String {
        self.state().buffers.current().expect("a file is open").name()
    }

    /// What is selected in the file that is shown.
    pub fn selected_texts(&mut self) -> Vec<String> {
        self.state().buffers.current().expect("a file is open").area.selected()
    }

    /// The cursor of the file that is shown: line and column from 1.
    pub fn cursor(&mut self) -> (usize, usize) {
        let (line, column) = self.state().buffers.current().expect("a file is open").cursor(4);
        (line.0 + 1, column.0 + 1)
    }

    /// The message in the last line.
    pub fn status_message(&mut self) -> String {
        self.state().status.message.clone()
    }

    /// Presses keys and waits until nothing is under way.
    pub async fn keys(&mut self, keys: &str) {
        self.headless.keys(keys).await;
    }

    /// Types a text and waits until nothing is under way.
    pub async fn type_in(&mut self, text: &str) {
        self.headless.text(text).await;
    }

    /// Types a text and waits for nothing, not even the agent.
    pub fn type_without_settling(&mut self, text: &str) {
        for c in text.chars() {
            self.headless.press(if c == ' ' { "Space".to_string() } else { c.to_string() }.as_str());
        }
    }

    /// Says something to the agent and waits for nothing but that it begins.
    pub async fn send_prompt(&mut self, text: &str) {
        let runs = self.state().agent.run;
        self.headless.press("Alt-3");
        self.type_without_settling(text);
        self.headless.press("Enter");
        self.headless.until("the run", move |pump| pump.app.state.agent.run > runs).await;
    }

    /// Says something to the agent and waits until it is done.
    pub async fn prompt(&mut self, text: &str) {
        self.send_prompt(text).await;
        self.headless.idle().await;
    }

    /// Runs until the screen shows a text.
    pub async fn wait_for_text(&mut self, text: &str) {
        self.headless.shows(text).await;
    }

    /// Runs until a condition holds.
    pub async fn wait_for(&mut self, what: &str, holds: impl Fn(&State) -> bool) {
        self.headless.until(what, |pump: &EventSource| holds(&pump.app.state)).await;
    }

    /// Moves the clock on and does what is due.
    pub fn advance(&mut self, time: Duration) {
        self.clock.advance(time);
        self.headless.tick();
    }

    /// Waits until the system tells that open files were touched, then until they are looked at.
    pub async fn wait_for_file_watch(&mut self) {
        self.wait_for("a touch", |state| state.slots[FILE_WATCH].deadline().is_some()).await;
        while self.state().slots[FILE_WATCH].deadline().is_some() {
            self.clock.advance(Duration::from_millis(100));
            self.headless.idle().await;
        }
    }

    /// The window gets the focus, so that the IDE looks at its files again.
    pub async fn focus_window(&mut self) {
        self.headless.input(Input::Focus(true));
        self.headless.idle().await;
    }
}
