//! Permission rules of the user: by tool, command, host, or path.
//!
//! Pure; must not know files, front ends or modes. Deny takes precedence over ask, and ask over allow,
//! regardless of order.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::Gitignore;
use parking_lot::RwLock;
use serde::Deserialize;
use toml::Spanned;

use self::protected_paths::ProtectedPaths;
use crate::tools::command::{self, HostPattern, NetworkTargets, Script, SimpleCommand, Word};
use crate::tools::contract::tool::ToolClass;

#[doc(hidden)]
pub mod listing;
mod partial;
pub(in crate::tools) mod pattern;
#[doc(hidden)]
pub mod protected_paths;
#[doc(hidden)]
pub mod removal;

/// Effect of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// The call runs.
    Allow,
    /// The user decides.
    Ask,
    /// The call does not run.
    Deny,
}

/// Author of a rule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The user.
    User,
    /// The project's author: allow rules apply only if the user trusts the project.
    Project {
        /// Whether the user trusts it.
        trusted: bool,
    },
}

/// Where a rule is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOrigin {
    /// The file; `None` for a rule of the session.
    pub file: Option<Arc<Path>>,
    /// Whose file it is.
    pub author: Author,
    /// One-based line at which it begins.
    pub line: usize,
}

/// A mistake in a file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProblem {
    /// One-based line.
    pub line: usize,
    /// What is wrong, and what follows from it.
    pub message: String,
}

/// Why a rule is not applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffReason {
    /// The user does not trust the project.
    Untrusted,
    /// Its file has a mistake, and allows nothing.
    BrokenFile,
}

/// One rule in a file. All of its conditions must match.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    decision: Ruling,
    tool: Option<String>,
    command: Option<String>,
    host: Option<String>,
    path: Option<String>,
    /// The resolved path of the only workspace to which the rule applies.
    project: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    #[serde(default)]
    rule: Vec<Spanned<RuleEntry>>,
}

#[derive(Debug, Clone)]
struct Rule {
    entry: RuleEntry,
    /// The first words of the command.
    words: Vec<String>,
    hosts: Option<HostPattern>,
    /// An absolute path pattern, and its compiled form.
    paths: Option<(String, Gitignore)>,
    origin: RuleOrigin,
}

/// The names by which rules refer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolNames {
    any: BTreeSet<String>,
    all: BTreeSet<String>,
}

impl ToolNames {
    /// `any`: names matched by deny and ask rules; `all`: names matched by allow rules.
    pub fn new(any: BTreeSet<String>, all: BTreeSet<String>) -> Self {
        Self { any, all }
    }

    /// Creates names that are the same for all rules.
    pub fn plain(names: &[&str]) -> Self {
        let names: BTreeSet<String> = names.iter().map(ToString::to_string).collect();
        Self { any: names.clone(), all: names }
    }

    /// Returns the union.
    #[must_use]
    pub(in crate::tools) fn or(&self, other: &Self) -> Self {
        let both = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.union(b).cloned().collect();
        Self { any: both(&self.any, &other.any), all: both(&self.all, &other.all) }
    }

    /// Whether a deny or ask rule refers to the call.
    pub fn matches_restriction(&self, tool: &str) -> bool {
        self.any.contains(tool)
    }

    /// Whether an allow rule refers to it.
    pub fn matches_grant(&self, tool: &str) -> bool {
        self.all.contains(tool)
    }
}

/// All rules of a session. Empty by default.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    active: Vec<Rule>,
    /// Those that are not applied.
    off: Vec<(Rule, OffReason)>,
}

/// The rules of a session, shared by all of its agents. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SharedRules(Arc<RwLock<Arc<Rules>>>);

impl From<Rules> for SharedRules {
    fn from(rules: Rules) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(rules))))
    }
}

impl SharedRules {
    /// The rules now.
    pub fn get(&self) -> Arc<Rules> {
        self.0.read().clone()
    }

    /// Sets the rules for all agents from the next call on.
    pub fn set(&self, rules: Rules) {
        *self.0.write() = Arc::new(rules);
    }
}

/// The rule that applies to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    /// The decision.
    pub ruling: Ruling,
    /// A description of the rule, such as `deny command "git push"`.
    pub rule: String,
}

impl Rules {
    /// Adds the rules of a text. `root` is the resolved path of the workspace, for relative patterns; `home`
    /// is what `~` expands to. Returns the problems: if there are any, the text's allow rules are not applied,
    /// and a rule that cannot be read makes every call need approval. The others that deny or ask are applied.
    pub fn add(&mut self, text: &str, author: Author, root: &Path, home: &Path) -> Vec<String> {
        let problems = self.add_file(None, text, author, root, home);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    /// The same for the text of a file, whose path and lines [`Rules::list`] returns.
    pub fn add_file(
        &mut self,
        path: Option<&Path>,
        text: &str,
        author: Author,
        root: &Path,
        home: &Path,
    ) -> Vec<RuleProblem> {
        let path: Option<Arc<Path>> = path.map(Arc::from);
        let origin = |at: usize| RuleOrigin { file: path.clone(), author, line: line_of(text, at) };
        let (rows, mut problems) = rows_of(text);
        if let Some(first) = problems.first() {
            // A rule that cannot be read may have been one that denies or asks.
            self.add_unreadable(RuleOrigin { line: first.line, ..origin(0) });
        }
        let mut taken = Vec::new();
        for (at, written) in rows {
            let origin = origin(at);
            let line = origin.line;
            let shown = written.to_string();
            let elsewhere = written.project.as_ref().is_some_and(|project| Path::new(project) != root);
            let foreign = written.project.is_some() && author != Author::User;
            let mut reject = |why: &str| {
                problems.push(RuleProblem { line, message: format!("{shown}: {why}; ignored") });
            };
            match Rule::new(written, origin, root, home) {
                _ if foreign => reject("only your own rules name a project"),
                Err(message) => reject(&message),
                Ok(_) if elsewhere => {}
                Ok(rule) => taken.push(rule),
            }
        }
        problems.sort_by_key(|problem| problem.line);
        let off = match author {
            _ if !problems.is_empty() => Some(OffReason::BrokenFile),
            Author::Project { trusted: false } => Some(OffReason::Untrusted),
            Author::User | Author::Project { trusted: true } => None,
        };
        for rule in taken {
            match off.filter(|_| rule.entry.decision == Ruling::Allow) {
                Some(reason) => self.off.push((rule, reason)),
                None => self.active.push(rule),
            }
        }
        problems
    }

    /// Returns the allow rules of a file, each described in words; empty if it has problems.
    pub fn allowed_by(text: &str, root: &Path, home: &Path) -> Vec<String> {
        let mut rules = Self::default();
        if !rules.add(text, Author::User, root, home).is_empty() {
            return Vec::new();
        }
        let allows = rules.active.iter().filter(|rule| rule.entry.decision == Ruling::Allow);
        allows.map(|rule| rule.entry.to_string()).collect()
    }

    /// Returns the strictest decision on all calls of a tool with one of these names, whatever they do.
    pub fn for_tool(&self, names: &[&str]) -> Option<Ruling> {
        let is_meant = |entry: &&RuleEntry| {
            let is_narrower = entry.command.is_some() || entry.host.is_some() || entry.path.is_some();
            !is_narrower && entry.tool.as_deref().is_none_or(|tool| names.contains(&tool))
        };
        self.active.iter().map(|rule| &rule.entry).filter(is_meant).map(|entry| entry.decision).max()
    }

    /// Makes every call need approval, because the file's deny rules are unknown.
    pub fn add_unreadable(&mut self, origin: RuleOrigin) {
        let written = RuleEntry {
            decision: Ruling::Ask,
            tool: None,
            command: None,
            host: None,
            path: None,
            project: None,
        };
        self.active.push(Rule { entry: written, words: Vec::new(), hosts: None, paths: None, origin });
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Returns the rule for a call of a command tool with these names.
    pub fn command(&self, tool: &ToolNames, line: &str) -> Option<RuleMatch> {
        let mine = || self.active.iter().filter(|rule| rule.names(tool) && rule.paths.is_none());
        mine().next()?;
        let script = command::parse(line);
        let network = if mine().any(|rule| rule.hosts.is_some()) {
            LineNetwork::of(&script)
        } else {
            LineNetwork::default()
        };
        let strict =
            mine().filter_map(|rule| rule.restricts(&script, &network)).max_by_key(|found| found.ruling);
        strict.or_else(|| allowed(&mine().collect::<Vec<_>>(), &script, &network))
    }

    /// Returns the rule for a call of another tool. `paths` are the names of its file, the resolved one
    /// first: only that one can be allowed.
    pub fn file(&self, tool: &ToolNames, class: ToolClass, paths: &[&Path]) -> Option<RuleMatch> {
        let fits = |rule: &&Rule| {
            let about_files = rule.words.is_empty() && rule.hosts.is_none() && class != ToolClass::Runs;
            let paths =
                if rule.entry.decision == Ruling::Allow { &paths[..paths.len().min(1)] } else { paths };
            let in_place = rule.paths.as_ref().is_none_or(|(_, glob)| {
                let under = |path: &&Path| {
                    path.is_absolute() && glob.matched_path_or_any_parents(path, false).is_ignore()
                };
                paths.iter().any(under)
            });
            about_files && rule.names(tool) && in_place
        };
        let strictest = self.active.iter().filter(fits).max_by_key(|rule| rule.entry.decision);
        strictest.map(|rule| rule.matched(rule.entry.decision))
    }
}

impl Rules {
    /// Returns the rule for a call without targets: only rules for its tool apply.
    pub fn tool(&self, tool: &ToolNames) -> Option<RuleMatch> {
        let is_unconditional =
            |rule: &&Rule| rule.words.is_empty() && rule.hosts.is_none() && rule.paths.is_none();
        let restricts = |rule: &&Rule| rule.entry.decision != Ruling::Allow && rule.names(tool);
        let strictest = self
            .active
            .iter()
            .filter(is_unconditional)
            .filter(restricts)
            .max_by_key(|rule| rule.entry.decision);
        strictest.map(|rule| rule.matched(rule.entry.decision))
    }

    /// Returns the deny and ask rules with paths, for a call with these names.
    pub fn protected_paths(&self, tool: &ToolNames) -> Vec<ProtectedPaths> {
        let strict = |rule: &&Rule| rule.entry.decision != Ruling::Allow && rule.names(tool);
        let barrier = |rule: &Rule| {
            let (_, paths) = rule.paths.clone()?;
            Some(ProtectedPaths::new(rule.entry.to_string(), paths))
        };
        self.active.iter().filter(strict).filter_map(barrier).collect()
    }

    /// Returns the rule that might deny a command line whose commands or hosts cannot be resolved. In modes
    /// that ask no user, such a call is refused.
    pub fn unresolved(&self, tool: &ToolNames, line: &str) -> Option<RuleMatch> {
        let strict = |rule: &&Rule| {
            let about_commands = !rule.words.is_empty() || rule.hosts.is_some();
            rule.entry.decision == Ruling::Deny && about_commands && rule.names(tool)
        };
        let mut rules = self.active.iter().filter(strict).peekable();
        rules.peek()?;
        let script = command::parse(line);
        let network = LineNetwork::of(&script);
        let may = |rule: &&Rule| {
            script.is_unresolved()
                || rule.restricts(&script, &network).is_some_and(|found| found.ruling == Ruling::Ask)
        };
        rules.find(may).map(|rule| rule.matched(Ruling::Deny))
    }

    /// Returns patterns of the paths that a call with these names must not see, as in `.gitignore`, from the
    /// root of the file system.
    pub fn denied_paths(&self, tool: &ToolNames) -> Vec<String> {
        let forbids = |rule: &&Rule| rule.entry.decision == Ruling::Deny && rule.names(tool);
        let rules = self.active.iter().filter(forbids);
        rules.filter_map(|rule| rule.paths.as_ref().map(|(line, _)| line.clone())).collect()
    }
}

/// Returns the rules of a text, each with its position, and the problems of those that cannot be read.
fn rows_of(text: &str) -> (Vec<(usize, RuleEntry)>, Vec<RuleProblem>) {
    let error = match toml::from_str::<RulesFile>(text) {
        Ok(file) => {
            let row = |row: Spanned<RuleEntry>| (row.span().start, row.into_inner());
            return (file.rule.into_iter().map(row).collect(), Vec::new());
        }
        Err(error) => error,
    };
    let (rows, mut problems) = partial::parse(text);
    if problems.is_empty() {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
        problems.push(RuleProblem { line, message: error.message().trim().replace('\n', ", ") });
    }
    for problem in &mut problems {
        problem.message.push_str("; everything is asked about");
    }
    (rows, problems)
}

/// Returns the one-based line of a position.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The network targets of a command line.
#[derive(Default)]
struct LineNetwork {
    /// The targets of each part.
    parts: Vec<NetworkTargets>,
    writes: NetworkTargets,
}

impl LineNetwork {
    fn of(script: &Script) -> Self {
        let parts = script.commands.iter().map(command::network_targets).collect();
        Self { parts, writes: command::network_targets_of_writes(script) }
    }
}

/// Returns the allow rule for a command line, if everything in it is allowed or read-only.
fn allowed(rules: &[&Rule], script: &Script, network: &LineNetwork) -> Option<RuleMatch> {
    let known =
        script.unresolved.is_empty() && script.writes.is_empty() && !command::runs_git_elsewhere(script);
    let grants: Vec<&Rule> =
        rules.iter().copied().filter(|rule| rule.entry.decision == Ruling::Allow).collect();
    let mut last = None;
    for (n, part) in script.commands.iter().enumerate() {
        let targets = network.parts.get(n);
        let rule = grants.iter().find(|rule| {
            part.sets.is_empty()
                && rule.covers(part)
                && rule
                    .hosts
                    .as_ref()
                    .is_none_or(|hosts| targets.is_some_and(|targets| all_match(&[hosts], targets)))
        });
        let by_host = || {
            // A rule for a host allows only commands that do nothing but connect to it.
            let targets = targets.filter(|targets| targets.network_only)?;
            let host_rules = grants.iter().filter(|rule| rule.words.is_empty());
            let hosts: Vec<&HostPattern> =
                host_rules.clone().filter_map(|rule| rule.hosts.as_ref()).collect();
            let mut named =
                host_rules.filter(|rule| rule.hosts.as_ref().is_some_and(|own| any_match(own, targets)));
            if all_match(&hosts, targets) { named.next() } else { None }
        };
        match rule.or_else(by_host) {
            Some(rule) => last = Some(rule.matched(Ruling::Allow)),
            None if command::part_is_read_only(part) => {}
            None => return None,
        }
    }
    last.filter(|_| known)
}

/// Whether every target host is matched, and there is at least one.
fn all_match(rules: &[&HostPattern], targets: &NetworkTargets) -> bool {
    let meant = |host| rules.iter().any(|hosts| hosts.matches(host) == Some(true));
    !targets.is_unresolved && !targets.hosts.is_empty() && targets.hosts.iter().all(meant)
}

/// Whether a target host is matched.
fn any_match(hosts: &HostPattern, targets: &NetworkTargets) -> bool {
    targets.hosts.iter().any(|host| hosts.matches(host) == Some(true))
}

/// From certain to not at all.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum MatchCertainty {
    Yes,
    /// It depends on a shell expansion, or options stand between the words.
    Maybe,
    No,
}

impl Rule {
    fn new(written: RuleEntry, origin: RuleOrigin, root: &Path, home: &Path) -> Result<Self, String> {
        let of_command = written.command.is_some() || written.host.is_some();
        if of_command && written.path.is_some() {
            return Err("it names a path beside a command or a host".to_string());
        }
        if written.tool.is_none() && !of_command && written.path.is_none() {
            return Err("it names neither tool nor command nor host nor path".to_string());
        }
        let words = match &written.command {
            None => Vec::new(),
            Some(text) => pattern::words_of(text).ok_or("the command is more than plain words")?,
        };
        let hosts = written.host.as_deref().map(HostPattern::parse).transpose()?;
        let paths = written.path.as_deref().map(|pattern| pattern::glob(pattern, root, home)).transpose()?;
        Ok(Self { entry: written, words, hosts, paths, origin })
    }

    /// Whether a command starts with the rule's words and does no more than they say. For programs that may
    /// be read-only the options matter, so for these it covers the read-only calls, and the options that the
    /// rule itself names.
    fn covers(&self, part: &SimpleCommand) -> bool {
        if self.match_prefix(&part.words, false) != MatchCertainty::Yes {
            return false;
        }
        let table = |words: &[Word]| command::is_in_table(words);
        let read_only =
            |words: Vec<Word>| command::part_is_read_only(&SimpleCommand { sets: Vec::new(), words });
        if !table(&part.words) || read_only(part.words.clone()) {
            return true;
        }
        let own: Vec<Word> = self.words.iter().map(Word::plain).collect();
        let program = usize::from(self.words.first().is_some_and(|name| name == "git")) + 1;
        let rest = part.words.iter().take(program).chain(part.words.iter().skip(self.words.len()));
        table(&own) && !read_only(own) && read_only(rest.cloned().collect())
    }

    fn names(&self, tool: &ToolNames) -> bool {
        let Some(name) = self.entry.tool.as_deref() else { return true };
        if self.entry.decision == Ruling::Allow {
            tool.matches_grant(name)
        } else {
            tool.matches_restriction(name)
        }
    }

    fn matched(&self, ruling: Ruling) -> RuleMatch {
        RuleMatch { ruling, rule: self.entry.to_string() }
    }

    /// Returns whether a deny or ask rule matches a command line.
    fn restricts(&self, script: &Script, network: &LineNetwork) -> Option<RuleMatch> {
        if self.entry.decision == Ruling::Allow {
            return None;
        }
        if self.words.is_empty() && self.hosts.is_none() {
            return Some(self.matched(self.entry.decision));
        }
        let part = |(n, part): (usize, &SimpleCommand)| {
            let begins = if self.words.is_empty() {
                MatchCertainty::Yes
            } else {
                self.match_prefix(&part.words, true)
            };
            begins.max(self.network_fit(network.parts.get(n)))
        };
        let mut fits: Vec<MatchCertainty> = script.commands.iter().enumerate().map(part).collect();
        if self.words.is_empty() {
            fits.push(self.network_fit(Some(&network.writes)));
        }
        match () {
            () if fits.contains(&MatchCertainty::Yes) => Some(self.matched(self.entry.decision)),
            () if fits.contains(&MatchCertainty::Maybe) => Some(self.matched(Ruling::Ask)),
            () => None,
        }
    }

    /// Whether a host of the rule is among the targets. A rule without a host matches all.
    fn network_fit(&self, targets: Option<&NetworkTargets>) -> MatchCertainty {
        let Some(hosts) = &self.hosts else { return MatchCertainty::Yes };
        let Some(targets) = targets else { return MatchCertainty::No };
        let depends = || targets.hosts.iter().any(|host| hosts.matches(host).is_none());
        match () {
            () if any_match(hosts, targets) => MatchCertainty::Yes,
            () if targets.is_unresolved || depends() => MatchCertainty::Maybe,
            () => MatchCertainty::No,
        }
    }

    /// Whether a command starts with the rule's words. `anywhere`: with any path to the program.
    fn match_prefix(&self, words: &[Word], anywhere: bool) -> MatchCertainty {
        let skipped = if anywhere && self.words.len() > 1 { command::git_options(words) } else { 0 };
        if skipped > 0 {
            // Options between the words are skipped, and what follows may be another command.
            let bare: Vec<Word> = words.iter().take(1).chain(&words[skipped + 1..]).cloned().collect();
            return self.match_prefix(&bare, anywhere).max(MatchCertainty::Maybe);
        }
        for (n, expected) in self.words.iter().enumerate() {
            let Some(word) = words.get(n) else { return MatchCertainty::No };
            let name = word.text.rsplit('/').next().unwrap_or_default();
            let same = word.text == *expected || (n == 0 && anywhere && name == expected);
            match () {
                () if !word.is_exact => return MatchCertainty::Maybe,
                () if same => {}
                () if n > 0 && word.text.starts_with('-') => return MatchCertainty::Maybe,
                () => return MatchCertainty::No,
            }
        }
        if self.words.is_empty() { MatchCertainty::No } else { MatchCertainty::Yes }
    }
}

impl fmt::Display for RuleEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = match self.decision {
            Ruling::Allow => "allow",
            Ruling::Ask => "ask",
            Ruling::Deny => "deny",
        };
        f.write_str(decision)?;
        let named = [
            ("tool", &self.tool),
            ("command", &self.command),
            ("host", &self.host),
            ("path", &self.path),
            ("project", &self.project),
        ];
        if named[..4].iter().all(|(_, value)| value.is_none()) {
            f.write_str(" everything")?;
        }
        for (key, value) in named {
            if let Some(value) = value {
                write!(f, " {key} {value:?}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
