//! The toolset of a session: profile, tools and system prompt. It follows the model; the user's choice of
//! tools is preserved.
//!
//! Must not know the conversation, nor who displays it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use super::facts;
use super::prompt_report::PromptReport;
use crate::agent::profile;
use crate::agent::profiles::Profile;
use crate::agent::prompt;
use crate::agent::prompt::PromptTexts;
use crate::agent::request::environment::EnvironmentFacts;
use crate::base::clock::SharedClock;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::llm::model::Model;
use crate::runtime::lifecycle::options::Options;
use crate::tools::{Kind, Registry, SharedToolSelection, Tool, ToolSelection};
use crate::workspace;

/// The tools of a session at one moment.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ActiveTools {
    /// The profile's id.
    pub profile: &'static str,
    /// The requested profile's id, or `auto` where it follows the model.
    pub requested_profile: &'static str,
    /// All tools that could be available.
    #[doc(hidden)]
    pub all: Registry,
    /// The names of the available tools.
    pub available: BTreeSet<String>,
}

/// The toolset. Clones share the user's choice of tools.
#[derive(Clone)]
#[doc(hidden)]
pub struct Toolset {
    /// The profile that the user requested, whatever the model is.
    requested_profile: Option<&'static Profile>,
    profile: &'static Profile,
    custom: Vec<Arc<dyn Tool>>,
    /// Whether there are language servers to ask.
    has_servers: bool,
    all: Registry,
    choice: SharedToolSelection,
    prompt_texts: PromptTexts,
    cwd: PathBuf,
    /// The folder whose documents are read, wherever the agent works.
    project_folder: PathBuf,
    /// The user's own instructions; `None` when no documents are to be read.
    user_instructions: Option<PathBuf>,
    /// Documents by profile id, read on first use.
    documents: BTreeMap<&'static str, Vec<(PathBuf, String)>>,
    facts: Shared<BoxFuture<'static, EnvironmentFacts>>,
}

/// Returns the profile of that name; `None` for `auto`. Fails on an unknown one, with a message that lists
/// the known ones.
fn requested_profile(name: &str) -> Result<Option<&'static Profile>, Report> {
    if name == profile::AUTO {
        return Ok(None);
    }
    let unknown = || {
        let known = profile::names().collect::<Vec<_>>().join(", ");
        Report::new(format!("no such profile: {name}")).hint(format!("one of {known}"))
    };
    profile::find(name).map(Some).ok_or_else(unknown)
}

/// Returns the tools of a profile; the one for language servers only where there are some.
fn tools(profile: &Profile, custom: &[Arc<dyn Tool>], has_servers: bool) -> Registry {
    let mut all = profile.tools(custom);
    if !has_servers {
        let servers = all.names_in_any_set(|tool| tool.kind() == Kind::LanguageServers);
        all.retain(|name| !servers.contains(name));
    }
    all
}

impl Toolset {
    /// Creates the toolset of a new session with this model. Fails on an unknown profile or tool in the
    /// options, with a message that lists the known ones.
    pub fn new(options: &Options, model: &Model) -> Result<Self, Report> {
        let requested = requested_profile(options.profile.as_deref().unwrap_or(profile::AUTO))?;
        let profile = requested.unwrap_or_else(|| profile::for_model(model));
        let has_servers = options.language_servers.is_some();
        let all = tools(profile, &options.tools, has_servers);
        let choice = ToolSelection::new(options.tool_flags.clone(), &all).map_err(|error| {
            let names = all.names().collect::<Vec<_>>().join(", ");
            let hint = format!("profile {} has {names}; names of kinds are understood, too", profile.id);
            Report::new(error.to_string()).hint(hint)
        })?;
        // Collected when the first prompt needs them: the start must not wait for git.
        let facts = facts::gather(options.env.clone(), options.clock.clone()).boxed().shared();
        Ok(Self {
            requested_profile: requested,
            profile,
            custom: options.tools.clone(),
            has_servers,
            all,
            choice: choice.into(),
            prompt_texts: options.prompt_texts.clone(),
            cwd: options.cwd.clone(),
            project_folder: options.cwd.clone(),
            user_instructions: (!options.no_documents).then(|| options.home.config.join("AGENTS.md")),
            documents: BTreeMap::new(),
            facts,
        })
    }

    /// The current profile.
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// Switches to the profile of a model; returns whether the profile changed.
    pub fn set_model(&mut self, model: &Model) -> bool {
        let profile = self.requested_profile.unwrap_or_else(|| profile::for_model(model));
        let other = profile.id != self.profile.id;
        if other {
            self.profile = profile;
            self.all = tools(profile, &self.custom, self.has_servers);
        }
        other
    }

    /// Switches to a profile, whatever the model is; `auto` follows the model. Fails on an unknown name.
    pub fn request_profile(&mut self, name: &str, model: &Model) -> Result<bool, Report> {
        self.requested_profile = requested_profile(name)?;
        Ok(self.set_model(model))
    }

    /// Changes the working folder that the prompt names. The documents stay the project's.
    pub fn set_cwd(&mut self, folder: &Path) {
        self.cwd = folder.to_path_buf();
    }

    /// Changes the environment that the prompt describes from now on.
    pub fn set_environment(&mut self, env: Arc<dyn Environment>, clock: SharedClock) {
        self.set_cwd(env.root());
        self.facts = facts::gather(env, clock).boxed().shared();
    }

    /// Removes the tools whose kinds fail the predicate, until the profile changes.
    pub fn retain_kinds(&mut self, keep: impl Fn(Kind) -> bool) {
        let names = self.all.names_in_any_set(|tool| keep(tool.kind()));
        self.all.retain(|name| names.contains(name));
    }

    /// Selects exactly these tools, as the user's choice.
    pub fn select_tools(&mut self, names: &[String]) {
        self.choice.select(self.profile.id, &self.all, names);
    }

    /// Number of times that the user has changed the choice of tools.
    pub fn selection_changes(&self) -> u64 {
        self.choice.changes()
    }

    /// Returns the current tools.
    pub fn active_tools(&self) -> ActiveTools {
        let available = self.choice.available(self.profile.id, &self.all);
        let requested_profile = self.requested_profile.map_or(profile::AUTO, |profile| profile.id);
        ActiveTools { profile: self.profile.id, requested_profile, all: self.all.clone(), available }
    }

    /// Reads the profile's documents unless they are loaded; returns the problems of those that cannot be
    /// read.
    pub async fn read_documents(&mut self) -> Vec<Report> {
        let Some(own) =
            self.user_instructions.clone().filter(|_| !self.documents.contains_key(self.profile.id))
        else {
            return Vec::new();
        };
        let (cwd, names) = (self.project_folder.clone(), self.profile.documents);
        let reading =
            tokio::task::spawn_blocking(move || workspace::documents::load(&cwd, names, Some(&own)));
        let Ok(documents) = reading.await else {
            return vec![Report::new("the project's instructions could not be read")];
        };
        let found = documents.found.into_iter().map(|d| (d.path, d.text)).collect();
        self.documents.insert(self.profile.id, found);
        let unread = documents.problems.into_iter();
        unread.map(|(path, error)| Report::new(format!("cannot read {}: {error}", path.display()))).collect()
    }

    /// Returns the prompt for a model, and the problems found in the documents.
    pub async fn prompt(&mut self, model: &Arc<Model>) -> (PromptReport, Vec<Report>) {
        let problems = self.read_documents().await;
        let none = EnvironmentFacts::default();
        let facts = if self.profile.environment { &self.facts.clone().await } else { &none };
        let ActiveTools { mut all, available, .. } = self.active_tools();
        all.retain(|name| available.contains(name));
        let parts = prompt::parts(prompt::PromptInputs {
            profile: self.profile,
            model,
            tools: &all.snippets(),
            documents: self.documents.get(self.profile.id).map_or(&[], Vec::as_slice),
            cwd: &self.cwd,
            facts,
            texts: &self.prompt_texts,
        });
        let documents = self.documents.get(self.profile.id).cloned().unwrap_or_default();
        let shown = PromptReport {
            profile: self.profile.id,
            model: model.clone(),
            parts,
            documents,
            tools: all.specs(),
        };
        (shown, problems)
    }
}
