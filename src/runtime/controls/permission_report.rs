//! What a session may read, write, run and reach: its rules with their sources, the answers given for it, and what
//! would happen to a call.
//!
//! Must not know how a call is judged, nor who displays it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::client::{ClientRequest, ToolContext};
use super::handle::Handle;
use crate::base::error::Report;
use crate::llm::model::ToolCall;
use crate::runtime::agent_setup::permissions::{self, RulesProblem};
use crate::runtime::agent_setup::trust_requests;
use crate::tools::contract::shared::RuleUse;
use crate::tools::permissions::rules::listing::ListedRule;
use crate::tools::permissions::rules::{Author, Rules};
use crate::tools::{self, Intent, Judgement, Mode, Registry};

/// A patch that changes one line of a file, for families that edit by patches.
const PATCH: (&str, &str) = ("*** Begin Patch\n*** Update File: ", "\n@@\n-a\n+b\n*** End Patch");

/// What runs, asks or is denied.
#[derive(Debug, Clone)]
pub struct PermissionReport {
    /// The approval mode.
    pub mode: Mode,
    /// The rules of the files.
    pub rules: Vec<ListedRule>,
    /// The rules that the user allowed for this session, with their texts.
    pub grants: Vec<(ListedRule, String)>,
    /// Problems in the files.
    pub problems: Vec<RulesProblem>,
    /// How often a rule or a reason decided, by its description.
    pub uses: BTreeMap<String, RuleUse>,
    /// The user's file.
    pub user_file: PathBuf,
    /// The project's.
    pub project_file: PathBuf,
}

/// What is to be judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// A command line.
    Command(String),
    /// Reading a file.
    Read(String),
    /// Changing a file.
    Edit(String),
    /// Creating or overwriting a file.
    Write(String),
}

/// The judgement of a trial. The error says why there is none.
pub type TrialResult = (Trial, Result<Judgement, String>);

impl Trial {
    /// Returns what a model would have to intend, in the order in which tools are looked for.
    fn intents(&self) -> Vec<Intent> {
        match self.clone() {
            Self::Command(command) => {
                vec![Intent::Run { command, folder: None, timeout: None, background: false }]
            }
            Self::Read(path) => vec![Intent::Read { path, first: None, lines: None }],
            Self::Write(path) => vec![Intent::Write { path, content: String::new() }],
            Self::Edit(path) => {
                let edits = Intent::Patch { patch: format!("{}{path}{}", PATCH.0, PATCH.1) };
                let swaps =
                    vec![tools::contract::intent::TextReplacement { old: "a".into(), new: "b".into() }];
                vec![Intent::Edit { path, swaps, everywhere: false }, edits]
            }
        }
    }

    /// Returns the call with which a model would do it, if a tool can.
    fn call(&self, tools: &Registry) -> Option<ToolCall> {
        let call = |intent: Intent| {
            let kind = intent.kind();
            let of_kind = |own: bool| {
                let entries = tools.entries().iter();
                let mut fitting = entries.filter(move |row| (row.tool.kind() == kind) == own);
                fitting.find_map(|row| Some((row.spec.name.clone(), row.tool.args_for(&intent)?)))
            };
            let (name, arguments) = of_kind(true).or_else(|| of_kind(false))?;
            Some(ToolCall { id: "trial".to_string(), name, arguments, thought_signature: None })
        };
        self.intents().into_iter().find_map(call)
    }
}

impl Handle {
    /// Reads the files of rules again, which counts from the next call on, and returns what is allowed.
    #[doc(hidden)]
    pub async fn permission_report(&self) -> Result<PermissionReport, Report> {
        let options = self.reloader.current_options();
        let trust = self.trust.lock().clone();
        let loaded = permissions::load(&options, trust.as_deref()).await;
        let rules = loaded.rules.list();
        self.rules.set(loaded.rules);
        let ToolContext { context, .. } = self.client_request(ClientRequest::ToolContext).await?;
        Ok(PermissionReport {
            mode: context.mode.get(),
            rules,
            grants: context.shared.grant_list().iter().flat_map(|text| listed_grant(text)).collect(),
            problems: loaded.problems,
            uses: context.shared.rule_uses(),
            user_file: options.home.config.join(trust_requests::RULES),
            project_file: trust_requests::rules_path(&options.cwd),
        })
    }

    /// Takes back a rule that the user allowed for this session; returns whether there was one.
    #[doc(hidden)]
    pub async fn revoke_grant(&self, rule: &str) -> Result<bool, Report> {
        let ToolContext { context, .. } = self.client_request(ClientRequest::ToolContext).await?;
        Ok(context.shared.revoke(rule))
    }

    /// Removes a rule from its file, with comments kept; returns a sentence for the user. It counts once the files are
    /// read again.
    #[doc(hidden)]
    pub async fn remove_rule(&self, rule: &ListedRule) -> Result<String, Report> {
        permissions::remove_rule(self.reloader.options(), rule).await
    }

    /// Returns what would happen to calls that a model made now. Nothing runs, and no user is asked.
    #[doc(hidden)]
    pub async fn judge(&self, trials: Vec<Trial>) -> Result<Vec<TrialResult>, Report> {
        let ToolContext { tools, context } = self.client_request(ClientRequest::ToolContext).await?;
        let mut results = Vec::new();
        for trial in trials {
            let judged = match trial.call(&tools) {
                Some(call) => tools::foresee(&tools, &context, &call).await,
                None => Err("no tool of this session can do it".to_string()),
            };
            results.push((trial, judged));
        }
        Ok(results)
    }
}

/// Returns the rules of an answer for this session, each with its text.
fn listed_grant(text: &str) -> Vec<(ListedRule, String)> {
    let mut rules = Rules::default();
    let problems = rules.add(text, Author::User, Path::new("/"), Path::new("/"));
    if !problems.is_empty() {
        tracing::warn!(?problems, "a rule for the session cannot be listed");
    }
    rules.list().into_iter().map(|rule| (rule, text.to_string())).collect()
}
