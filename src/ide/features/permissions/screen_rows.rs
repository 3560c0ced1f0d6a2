//! The rows of the permissions screen: what each stands for, its group, and what it says in words. Must not know what
//! keys do.

use std::sync::Arc;

use crate::base::width::visible;
use crate::ide::core::layers::picker::{Pick, PickRow};
use crate::ide::core::state::State;
use crate::ide::features::permissions::report::REPORT;
use crate::ide::features::permissions::requests::{CallKey, PERMISSION_REQUESTS};
use crate::runtime::controls::permission_report::PermissionReport;
use crate::tools::contract::registry::Registry;
use crate::tools::contract::tool::ToolClass;
use crate::tools::permissions::policy::{self, ModeDefault, Verdict};
use crate::tools::permissions::rules::listing::ListedRule;
use crate::tools::permissions::rules::{Author, OffReason, Ruling};

/// What a row stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// The approval mode.
    Mode,
    /// The agent's profile.
    Profile,
    /// Trying a command, a path or a host.
    Try,
    /// The user's file.
    UserFile,
    /// A problem in a file, by its index in the report.
    Problem(usize),
    /// What the mode does.
    Default(ModeDefault),
    /// A rule of a file.
    Rule(ListedRule),
    /// A rule allowed for this session, and its text.
    Grant(ListedRule, String),
    /// One call allowed until the program ends.
    Call(CallKey),
}

/// The groups with rules, in the order of the list.
const GROUPS: [&str; 6] = ["Read", "Edit", "Read and edit", "Run", "Reach", "Other tools"];

/// Returns all rows.
pub fn rows(state: &State) -> Vec<PickRow> {
    let mode = state.agent.approval_mode;
    let row = |group: &'static str, text: String, detail: String, entry: Entry| PickRow {
        text: visible(&text).into_owned(),
        aliases: Vec::new(),
        group: Some(Arc::from(group)),
        detail: visible(&detail).into_owned(),
        pick: Pick::new(entry),
    };
    let mut rows = vec![
        row("Session", "Approval mode".to_string(), mode.name().to_string(), Entry::Mode),
        row("Session", "Agent profile".to_string(), profile(state), Entry::Profile),
        row("Session", "Try a command, path or host".to_string(), String::new(), Entry::Try),
        row("Session", "Open your permissions.toml".to_string(), String::new(), Entry::UserFile),
    ];
    let report = state.slots[REPORT].report.as_ref();
    for (n, problem) in report.iter().flat_map(|report| report.problems.iter().enumerate()) {
        let line = problem.line.map(|line| format!("line {line}")).unwrap_or_default();
        rows.push(row("Problems", problem.message.clone(), line, Entry::Problem(n)));
    }
    let entries = entries(state, report);
    for group in GROUPS {
        for entry in entries.iter().filter(|entry| self::group(entry) == group) {
            let text = format!("{:<5} {}", effect(entry), pattern(entry));
            rows.push(row(group, text, source(entry, mode.name()), entry.clone()));
        }
    }
    rows
}

/// Returns the name of the agent's profile, and of the one that it follows.
fn profile(state: &State) -> String {
    let agent = &state.agent;
    if agent.is_profile_chosen() {
        agent.profile.to_string()
    } else {
        format!("follows the model: {}", agent.profile)
    }
}

/// Returns what decides about calls: rules of files, answers of this session, and what the mode does without them.
fn entries(state: &State, report: Option<&PermissionReport>) -> Vec<Entry> {
    let rules = report.iter().flat_map(|report| report.rules.iter().cloned().map(Entry::Rule));
    let grants = report.iter().flat_map(|report| report.grants.iter().cloned());
    let calls = state.slots[PERMISSION_REQUESTS].allowed().iter().cloned().map(Entry::Call);
    let defaults = policy::defaults(state.agent.approval_mode).into_iter().map(Entry::Default);
    rules.chain(grants.map(|(rule, text)| Entry::Grant(rule, text))).chain(calls).chain(defaults).collect()
}

/// Returns the rows that decided a call in this session.
pub fn used(state: &State) -> Vec<Pick> {
    let report = state.slots[REPORT].report.as_ref();
    let Some(report) = report else { return Vec::new() };
    let entries = entries(state, Some(report)).into_iter();
    let is_used =
        |entry: &Entry| description(entry).is_some_and(|description| report.uses.contains_key(description));
    entries.filter(is_used).map(Pick::new).collect()
}

/// Returns the name under which the session counts the uses of a row.
pub fn description(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::Rule(rule) | Entry::Grant(rule, _) => Some(&rule.description),
        Entry::Default(default) => reason(&default.verdict),
        Entry::Mode | Entry::Profile | Entry::Try | Entry::UserFile | Entry::Problem(_) | Entry::Call(_) => {
            None
        }
    }
}

fn reason(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Run => None,
        Verdict::Ask(reason) | Verdict::Refuse(reason) => Some(reason),
        Verdict::Forbid(rule) => Some(rule),
    }
}

fn group(entry: &Entry) -> &'static str {
    match entry {
        Entry::Default(default) => class_group(default.class),
        Entry::Call((tool, ..)) => tool_group(tool),
        Entry::Rule(rule) | Entry::Grant(rule, _) => match rule {
            _ if rule.command.is_some() => "Run",
            _ if rule.host.is_some() => "Reach",
            ListedRule { tool: Some(tool), .. } => tool_group(tool),
            _ if rule.path.is_some() => "Read and edit",
            _ => "Other tools",
        },
        Entry::Mode | Entry::Profile | Entry::Try | Entry::UserFile => "Session",
        Entry::Problem(_) => "Problems",
    }
}

fn class_group(class: ToolClass) -> &'static str {
    match class {
        ToolClass::Reads => "Read",
        ToolClass::Edits => "Edit",
        ToolClass::Runs => "Run",
    }
}

fn tool_group(tool: &str) -> &'static str {
    Registry::in_any_set(tool).first().map_or("Other tools", |row| class_group(row.tool.class()))
}

fn effect(entry: &Entry) -> &'static str {
    match entry {
        Entry::Rule(ListedRule { off: Some(_), .. }) => "off",
        Entry::Rule(rule) | Entry::Grant(rule, _) => ruling(rule.ruling),
        Entry::Default(default) => match default.verdict {
            Verdict::Run => "allow",
            Verdict::Ask(_) => "ask",
            Verdict::Refuse(_) | Verdict::Forbid(_) => "deny",
        },
        Entry::Call(_) => "allow",
        Entry::Mode | Entry::Profile | Entry::Try | Entry::UserFile | Entry::Problem(_) => "",
    }
}

fn ruling(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Allow => "allow",
        Ruling::Ask => "ask",
        Ruling::Deny => "deny",
    }
}

fn pattern(entry: &Entry) -> String {
    match entry {
        Entry::Rule(rule) | Entry::Grant(rule, _) => rule_pattern(rule),
        Entry::Default(default) => default.about.to_string(),
        Entry::Call((_, target, _)) => target.clone(),
        Entry::Mode | Entry::Profile | Entry::Try | Entry::UserFile | Entry::Problem(_) => String::new(),
    }
}

fn rule_pattern(rule: &ListedRule) -> String {
    let ListedRule { tool, command, host, path, .. } = rule;
    let target = match (command, host, path) {
        (Some(command), Some(host), _) => format!("{command} … to {host}"),
        (Some(command), None, _) => format!("{command} …"),
        (None, Some(text), _) | (None, None, Some(text)) => text.clone(),
        (None, None, None) => String::new(),
    };
    match (target.as_str(), tool) {
        ("", Some(tool)) => format!("all calls of {tool}"),
        ("", None) => "everything".to_string(),
        (_, Some(tool)) => format!("{target} ({tool})"),
        (_, None) => target,
    }
}

fn source(entry: &Entry, mode: &str) -> String {
    match entry {
        Entry::Rule(rule) => match rule.origin.author {
            Author::User => format!("yours, line {}", rule.origin.line),
            Author::Project { .. } => format!("project, line {}", rule.origin.line),
        },
        Entry::Grant(..) => "this session".to_string(),
        Entry::Call(_) => "until quit".to_string(),
        Entry::Default(ModeDefault { verdict: Verdict::Forbid(_), .. }) => "built in".to_string(),
        Entry::Default(_) => format!("mode {mode}"),
        Entry::Mode | Entry::Profile | Entry::Try | Entry::UserFile | Entry::Problem(_) => String::new(),
    }
}

/// Returns what a rule means.
pub fn meaning(rule: &ListedRule) -> String {
    let subject = match (&rule.command, &rule.host, &rule.path) {
        (Some(command), Some(host), _) => format!("commands that begin with `{command}` and talk to {host}"),
        (Some(command), None, _) => format!("commands that begin with `{command}`"),
        (None, Some(host), _) => format!("commands that talk to {host}"),
        (None, None, Some(path)) => format!("files that match {path}"),
        (None, None, None) => "all calls".to_string(),
    };
    let tool = rule.tool.as_ref().map(|tool| format!(" of the tool {tool}")).unwrap_or_default();
    format!("{}: {subject}{tool}", effect_in_words(rule.ruling))
}

fn effect_in_words(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Allow => "Allowed without asking",
        Ruling::Ask => "Asks you, except in mode full",
        Ruling::Deny => "Denied in every mode",
    }
}

/// Returns where a rule applies, or why it does not.
pub fn condition(rule: &ListedRule) -> String {
    match (rule.off, &rule.project) {
        (Some(OffReason::Untrusted), _) => {
            "Not applied: the project is not trusted, see “Show project trust”".to_string()
        }
        (Some(OffReason::BrokenFile), _) => "Not applied: its file has a mistake".to_string(),
        (None, Some(project)) => format!("Only in {project}"),
        (None, None) if rule.ruling == Ruling::Allow => "Deny and ask rules override it".to_string(),
        (None, None) if rule.ruling == Ruling::Ask => "Deny rules override it".to_string(),
        (None, None) => "Overrides all others".to_string(),
    }
}
