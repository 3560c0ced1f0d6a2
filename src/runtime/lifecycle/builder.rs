//! Builder of a live session from a folder, for programs that embed bowline.
//!
//! Must not know the host. Reads no environment variables by itself: a host that wants the user's keys and
//! programs passes them ([`Builder::variables`]).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::options::{Options, SessionChoice};
use super::start::start;
use crate::base::error::Report;
use crate::base::paths::Home;
use crate::exec::{Environment, FileKind, LocalEnvironment};
use crate::llm::model::{Model, Thinking};
use crate::llm::provider::Injected;
use crate::llm::provider::Provider;
use crate::runtime::controls::handle::Handle;
use crate::tools::interaction::questions::Questions;
use crate::tools::{Approval, Ask, Decision, Mode, Tool};

/// A change to the options, applied last.
type Change = Box<dyn FnOnce(&mut Options) + Send>;

/// Builder of a live session. Everything but the folder has a default: a conversation that is not stored, no
/// user files, the tools of the model's profile on this machine, and every approval refused.
///
/// ```
/// use bowline::llm::providers::scripted::{Scripted, Turn};
/// use bowline::runtime::Builder;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), bowline::base::error::Report> {
/// # let folder = tempfile::tempdir().unwrap();
/// // Answers from a script; a real model needs `.variables(std::env::vars_os())` or `.api_key(…)`.
/// let (_, provider) = Scripted::injected(vec![Turn::text("Hello.")]);
/// let session = Builder::new(folder.path()).inject(provider).start().await?;
/// let answer = session.submit("Say hello").await?;
/// assert_eq!(answer.text(), "Hello.");
/// session.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub struct Builder {
    folder: PathBuf,
    home: Option<Home>,
    session: Option<SessionChoice>,
    env: Option<Arc<dyn Environment>>,
    variables: Vec<(OsString, OsString)>,
    approval: Arc<dyn Approval>,
    changes: Vec<Change>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Builder {
    /// Creates a session that works in this folder of this machine. The path must be absolute.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            home: None,
            session: None,
            env: None,
            variables: Vec::new(),
            approval: Arc::new(refuse),
            changes: Vec::new(),
        }
    }

    /// Creates a session that works in an environment of the host, in its root. The environment is
    /// initialized at the start and cleaned up at the end. Several sessions in one environment share one
    /// [`Counted`](crate::exec::wrap::Counted).
    pub fn at(env: Arc<dyn Environment>) -> Self {
        let root = env.root().to_path_buf();
        Self { env: Some(env), ..Self::new(root) }
    }

    /// Uses the user's files: model settings, keys, rules, and stored sessions. [`Home::below`] makes a home
    /// of a folder, [`Home::find`] finds the one of the program `bowline`.
    #[must_use]
    pub fn home(self, home: Home) -> Self {
        Self { home: Some(home), ..self }
    }

    /// Sets the conversation. The default is a new one, which is stored when there is a home.
    #[must_use]
    pub fn session(self, session: SessionChoice) -> Self {
        Self { session: Some(session), ..self }
    }

    /// Sets the environment variables: keys are read from them, and commands get those that do not look like
    /// secrets. Usually `std::env::vars_os()`.
    #[must_use]
    pub fn variables(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.variables.extend(variables);
        self
    }

    /// Sets the model: an id or `provider/id`, either with an optional `:level` suffix.
    #[must_use]
    pub fn model(self, model: impl Into<String>) -> Self {
        let model = model.into();
        self.options(move |options| options.model = Some(model))
    }

    /// Sets the thinking level.
    #[must_use]
    pub fn thinking(self, level: Thinking) -> Self {
        self.options(move |options| options.thinking = Some(level))
    }

    /// Sets the key for the provider of [`Builder::model`].
    #[must_use]
    pub fn api_key(self, key: impl Into<String>) -> Self {
        let key = key.into();
        self.options(move |options| options.api_key = Some(key))
    }

    /// Adds a provider of the host with its models. The default model is the first of the first provider.
    #[must_use]
    pub fn provider(self, provider: Arc<dyn Provider>, models: Vec<Model>) -> Self {
        self.inject(Injected { provider, models: models.into_iter().map(Arc::new).collect() })
    }

    /// Adds a provider in the form that bowline's own constructors return.
    #[must_use]
    pub fn inject(self, provider: Injected) -> Self {
        self.options(move |options| options.providers.push(provider))
    }

    /// Sets who approves calls: a function of an [`Ask`], or any other [`Approval`]. Without it every call
    /// that needs approval is refused, and the model gets the reason.
    #[must_use]
    pub fn approval(self, approval: impl Approval + 'static) -> Self {
        Self { approval: Arc::new(approval), ..self }
    }

    /// Sets which calls need approval; the default is [`Mode::OnRequest`].
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        self.options(move |options| options.approval_mode = mode)
    }

    /// Sets who asks the user on behalf of the agent.
    #[must_use]
    pub fn questions(self, questions: Arc<dyn Questions>) -> Self {
        self.options(move |options| options.questions = Some(questions))
    }

    /// Adds a tool to those of the model's profile, or replaces the one with the same name.
    #[must_use]
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.options(move |options| options.tools.push(Arc::new(tool)))
    }

    /// Removes the profile's tools: only those of [`Builder::tool`] remain.
    #[must_use]
    pub fn only_own_tools(self) -> Self {
        self.options(|options| options.tool_flags.no_builtin = true)
    }

    /// Allows only these tools, by name or by name of their kind; `*` is a wildcard.
    #[must_use]
    pub fn only_tools<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.options(move |options| options.tool_flags.only = Some(names))
    }

    /// Sets the profile for tools and prompt, in place of the one that fits the model.
    #[must_use]
    pub fn profile(self, id: impl Into<String>) -> Self {
        let id = id.into();
        self.options(move |options| options.profile = Some(id))
    }

    /// Replaces the profile's instructions.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.options(move |options| options.prompt_texts.base = Some(text))
    }

    /// Appends a text to the system prompt; it comes last and so has the most weight.
    #[must_use]
    pub fn append_instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.options(move |options| options.prompt_texts.append.push(text))
    }

    /// Disables documents of the project (such as `AGENTS.md`).
    #[must_use]
    pub fn no_documents(self) -> Self {
        self.options(|options| options.no_documents = true)
    }

    /// Allows no network requests beyond this machine.
    #[must_use]
    pub fn offline(self) -> Self {
        self.options(|options| options.offline = true)
    }

    /// Changes options that no other method covers. The closures run when the session is started, in the
    /// order of the calls.
    #[must_use]
    pub fn options(mut self, change: impl FnOnce(&mut Options) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// Starts the session on its own task.
    pub async fn start(self) -> Result<Handle, Report> {
        start(self.finish().await?).await
    }

    /// Returns the options that the session starts with.
    async fn finish(self) -> Result<Options, Report> {
        let Self { folder, home, session, env, variables, approval, changes } = self;
        let vars = variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?.to_string(), value.to_str()?.to_string())));
        let vars = vars.collect();
        let env = match env {
            Some(env) => env,
            None => Arc::new(local_environment(&folder, variables).await?),
        };
        let (scratch, home, choice) = if let Some(home) = home {
            (None, home, SessionChoice::New)
        } else {
            let failed = |error| Report::caused("no folder can be made for what the session keeps", &error);
            let scratch = tempfile::tempdir().map_err(failed)?;
            let home = Home::below(scratch.path(), scratch.path().to_path_buf());
            (Some(Arc::new(scratch)), home, SessionChoice::Memory)
        };
        let mut options = Options {
            vars,
            scratch,
            session: session.unwrap_or(choice),
            ..Options::new(home, folder, env, approval)
        };
        for change in changes {
            change(&mut options);
        }
        Ok(options)
    }
}

/// The default approval: refuses.
async fn refuse(ask: Ask) -> Decision {
    Decision::Deny(format!("nobody is there to allow it (rule: {})", ask.rule))
}

async fn local_environment(
    folder: &Path,
    variables: Vec<(OsString, OsString)>,
) -> Result<LocalEnvironment, Report> {
    let cannot = || format!("cannot work in {}", folder.display());
    if !folder.is_absolute() {
        return Err(Report::new(format!("{}: the path is not absolute", cannot()))
            .hint("join it to the folder of the process"));
    }
    let env = LocalEnvironment::new(folder.to_path_buf(), variables);
    match env.stat(folder).await {
        Ok(info) if info.kind == FileKind::Folder => Ok(env),
        Ok(_) => Err(Report::new(format!("{}: it is no folder", cannot()))),
        Err(error) => Err(Report::caused(cannot(), &error)),
    }
}
