//! From a folder to a live session in a few lines, for programs that embed bowline.
//!
//! Must not know who embeds it. Reads no variables of the process by itself: who wants the user's keys and
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

/// What is changed in the options last.
type Change = Box<dyn FnOnce(&mut Options) + Send>;

/// A live session in the making. Everything but the folder has a default: a conversation that is not kept, no
/// files of the user, the tools of the model's profile on this machine, and nobody who allows anything.
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
    /// A session that works in this folder of this machine. The path is absolute.
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

    /// A session that works in a place of the host's own, in its root. It makes the place ready when it starts and
    /// gives it back when it ends. Where several sessions work, they share one [`Counted`](crate::exec::wrap::Counted).
    pub fn at(env: Arc<dyn Environment>) -> Self {
        let root = env.root().to_path_buf();
        Self { env: Some(env), ..Self::new(root) }
    }

    /// With the user's files: settings of models, keys, rules, and sessions, which are kept there from now
    /// on. [`Home::below`] makes one of a folder, [`Home::find`] finds the one of the program `bowline`.
    #[must_use]
    pub fn home(self, home: Home) -> Self {
        Self { home: Some(home), ..self }
    }

    /// Which conversation. Without this it is a new one, which is kept where there is a home.
    #[must_use]
    pub fn session(self, session: SessionChoice) -> Self {
        Self { session: Some(session), ..self }
    }

    /// The variables that keys are looked for in and that commands get, without those that look like secrets.
    /// Mostly `std::env::vars_os()`.
    #[must_use]
    pub fn variables(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.variables.extend(variables);
        self
    }

    /// The model to ask: an id, `provider/id`, either with `:level` behind it.
    #[must_use]
    pub fn model(self, model: impl Into<String>) -> Self {
        let model = model.into();
        self.options(move |options| options.model = Some(model))
    }

    /// How hard it thinks.
    #[must_use]
    pub fn thinking(self, level: Thinking) -> Self {
        self.options(move |options| options.thinking = Some(level))
    }

    /// The key for the provider of [`Builder::model`].
    #[must_use]
    pub fn api_key(self, key: impl Into<String>) -> Self {
        let key = key.into();
        self.options(move |options| options.api_key = Some(key))
    }

    /// A provider of the host's own with its models. The first model of the first one answers, unless another is
    /// asked for.
    #[must_use]
    pub fn provider(self, provider: Arc<dyn Provider>, models: Vec<Model>) -> Self {
        self.inject(Injected { provider, models: models.into_iter().map(Arc::new).collect() })
    }

    /// The same, as providers that come with bowline make it.
    #[must_use]
    pub fn inject(self, provider: Injected) -> Self {
        self.options(move |options| options.providers.push(provider))
    }

    /// Who answers when a call needs leave: a function of an [`Ask`], or anything else that is an [`Approval`].
    /// Without it every such call is refused, and the model is told why.
    #[must_use]
    pub fn approval(self, approval: impl Approval + 'static) -> Self {
        Self { approval: Arc::new(approval), ..self }
    }

    /// Which calls need leave; without this [`Mode::OnRequest`].
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        self.options(move |options| options.policy = mode)
    }

    /// Who asks the user for the agent.
    #[must_use]
    pub fn questions(self, questions: Arc<dyn Questions>) -> Self {
        self.options(move |options| options.questions = Some(questions))
    }

    /// A tool beside those of the model's profile, or in place of the one that has its name.
    #[must_use]
    pub fn tool(self, tool: impl Tool + 'static) -> Self {
        self.options(move |options| options.tools.push(Arc::new(tool)))
    }

    /// None of the profile's tools: only those of [`Builder::tool`].
    #[must_use]
    pub fn only_own_tools(self) -> Self {
        self.options(|options| options.tool_flags.no_builtin = true)
    }

    /// Only these tools, by names or by those of their kinds; `*` stands for anything.
    #[must_use]
    pub fn only_tools<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.options(move |options| options.tool_flags.only = Some(names))
    }

    /// The profile whose tools and prompt the model gets, in place of the one that fits it.
    #[must_use]
    pub fn profile(self, id: impl Into<String>) -> Self {
        let id = id.into();
        self.options(move |options| options.profile = Some(id))
    }

    /// A text in place of the profile's instructions.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.options(move |options| options.words.base = Some(text))
    }

    /// A text behind everything else that the model is told; it counts most.
    #[must_use]
    pub fn append_instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.options(move |options| options.words.append.push(text))
    }

    /// Leaves documents of the project (`AGENTS.md` and its like) alone.
    #[must_use]
    pub fn no_documents(self) -> Self {
        self.options(|options| options.no_documents = true)
    }

    /// Asks nobody but this machine.
    #[must_use]
    pub fn offline(self) -> Self {
        self.options(|options| options.offline = true)
    }

    /// Changes what no other method of this changes. It is called when the session is started, in the order of
    /// the calls.
    #[must_use]
    pub fn options(mut self, change: impl FnOnce(&mut Options) + Send + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// Starts the session, on a task of its own.
    pub async fn start(self) -> Result<Handle, Report> {
        start(self.finish().await?).await
    }

    /// What the session is to be started with.
    async fn finish(self) -> Result<Options, Report> {
        let Self { folder, home, session, env, variables, approval, changes } = self;
        let vars = variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?.to_string(), value.to_str()?.to_string())));
        let vars = vars.collect();
        let env = match env {
            Some(env) => env,
            None => Arc::new(on_this_machine(&folder, variables).await?),
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

/// The answer where nobody is there.
async fn refuse(ask: Ask) -> Decision {
    Decision::Deny(format!("nobody is there to allow it (rule: {})", ask.rule))
}

async fn on_this_machine(
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
        Ok(facts) if facts.kind == FileKind::Folder => Ok(env),
        Ok(_) => Err(Report::new(format!("{}: it is no folder", cannot()))),
        Err(error) => Err(Report::caused(cannot(), &error)),
    }
}
