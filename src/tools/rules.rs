//! What the person has said once for all calls like it: rules by tool, by command, by path.
//!
//! Pure; must not know files, front ends or modes. A refusal wins over a question, a question
//! over leave, whatever the order.

use std::fmt;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Deserialize;

use super::command::{self, Part, Script, Word};
use super::tool::ToolClass;

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// The call runs.
    Allow,
    /// Somebody decides.
    Ask,
    /// The call does not run.
    Deny,
}

/// Who wrote a file of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The person.
    Person,
    /// Whoever made the project: it can forbid and ask, and allows nothing.
    Project,
}

/// One rule as it stands in a file. All that it names must fit.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    decision: Ruling,
    tool: Option<String>,
    command: Option<String>,
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Written>,
}

#[derive(Debug, Clone)]
struct Rule {
    written: Written,
    /// The command's first words.
    words: Vec<String>,
    paths: Option<Gitignore>,
}

/// All rules of a session. None by default.
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<Rule>);

/// What the rules say about a call, and the rule that says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The decision.
    pub ruling: Ruling,
    /// The rule in words, such as `deny command "git push"`.
    pub rule: String,
}

impl Rules {
    /// Adds the rules of a file. `root` is the real path of the workspace, in which relative
    /// patterns are; `home` is what `~` means. Gives what is wrong: where something is, nothing
    /// of the file that allows is taken, and one that cannot be read at all makes everything ask.
    pub fn add(&mut self, text: &str, author: Author, root: &Path, home: &Path) -> Vec<String> {
        let file: File = match toml::from_str(text) {
            Ok(file) => file,
            Err(error) => {
                self.add_unreadable();
                let why = error.message().trim().replace('\n', ", ");
                return vec![format!("{why}; everything is asked about")];
            }
        };
        let mut problems = Vec::new();
        let mut taken = Vec::new();
        for written in file.rule {
            let shown = written.to_string();
            match Rule::new(written, root, home) {
                Err(why) => problems.push(format!("{shown}: {why}; ignored")),
                Ok(rule) if author == Author::Project && rule.written.decision == Ruling::Allow => {
                    problems.push(format!("{}: a project cannot allow anything; ignored", rule.written));
                }
                Ok(rule) => taken.push(rule),
            }
        }
        let broken = !problems.is_empty();
        self.0.extend(taken.into_iter().filter(|rule| !broken || rule.written.decision != Ruling::Allow));
        problems
    }

    /// Makes everything ask, because what a file would have forbidden is not known.
    pub fn add_unreadable(&mut self) {
        let written = Written { decision: Ruling::Ask, tool: None, command: None, path: None };
        self.0.push(Rule { written, words: Vec::new(), paths: None });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is said about a call of a tool that runs commands and has these names.
    pub fn command(&self, tool: &[&str], line: &str) -> Option<Said> {
        let mine = || self.0.iter().filter(|rule| rule.names(tool) && rule.paths.is_none());
        mine().next()?;
        let script = command::parse(line);
        let strict = mine().filter_map(|rule| rule.restricts(&script)).max_by_key(|said| said.ruling);
        strict.or_else(|| allowed(&mine().collect::<Vec<_>>(), &script))
    }

    /// What is said about a call of another tool. `paths` are the names of its file, the real one
    /// first: leave is given for that one only.
    pub fn file(&self, tool: &[&str], class: ToolClass, paths: &[&Path]) -> Option<Said> {
        let fits = |rule: &&Rule| {
            let about_files = rule.words.is_empty() && class != ToolClass::Runs;
            let paths =
                if rule.written.decision == Ruling::Allow { &paths[..paths.len().min(1)] } else { paths };
            let in_place = rule.paths.as_ref().is_none_or(|glob| {
                let under = |path: &&Path| {
                    path.is_absolute() && glob.matched_path_or_any_parents(path, false).is_ignore()
                };
                paths.iter().any(under)
            });
            about_files && rule.names(tool) && in_place
        };
        let strictest = self.0.iter().filter(fits).max_by_key(|rule| rule.written.decision);
        strictest.map(|rule| rule.said(rule.written.decision))
    }
}

/// Leave for a command line, when everything in it is allowed or only looks.
fn allowed(rules: &[&Rule], script: &Script) -> Option<Said> {
    let known = script.doubts.is_empty() && script.writes.is_empty() && !command::looks_elsewhere(script);
    let mut last = None;
    for part in &script.parts {
        let rule = rules.iter().find(|rule| {
            let grants = rule.written.decision == Ruling::Allow && !rule.words.is_empty();
            grants && part.sets.is_empty() && rule.begins(&part.words, false) == Fit::Yes
        });
        match rule {
            Some(rule) => last = Some(rule.said(Ruling::Allow)),
            None if command::part_is_read_only(part) => {}
            None => return None,
        }
    }
    last.filter(|_| known)
}

#[derive(PartialEq, Eq)]
enum Fit {
    Yes,
    /// It depends on what the shell makes of a word, or options stand between.
    Maybe,
    No,
}

impl Rule {
    fn new(written: Written, root: &Path, home: &Path) -> Result<Self, String> {
        if written.command.is_some() && written.path.is_some() {
            return Err("it names a command and a path".to_string());
        }
        if written.tool.is_none() && written.command.is_none() && written.path.is_none() {
            return Err("it names neither tool nor command nor path".to_string());
        }
        let words = match &written.command {
            None => Vec::new(),
            Some(text) => words_of(text).ok_or("the command is more than plain words")?,
        };
        let paths = written.path.as_deref().map(|pattern| glob(pattern, root, home)).transpose()?;
        Ok(Self { written, words, paths })
    }

    fn names(&self, tool: &[&str]) -> bool {
        self.written.tool.as_deref().is_none_or(|name| tool.contains(&name))
    }

    fn said(&self, ruling: Ruling) -> Said {
        Said { ruling, rule: self.written.to_string() }
    }

    /// What a rule that forbids or asks says about a command line.
    fn restricts(&self, script: &Script) -> Option<Said> {
        if self.written.decision == Ruling::Allow {
            return None;
        }
        if self.words.is_empty() {
            return Some(self.said(self.written.decision));
        }
        let fits: Vec<Fit> = script.parts.iter().map(|part: &Part| self.begins(&part.words, true)).collect();
        match () {
            () if fits.contains(&Fit::Yes) => Some(self.said(self.written.decision)),
            () if fits.contains(&Fit::Maybe) => Some(self.said(Ruling::Ask)),
            () => None,
        }
    }

    /// Whether a command begins with the rule's words. `anywhere`: by any path to the program.
    fn begins(&self, words: &[Word], anywhere: bool) -> Fit {
        for (n, wanted) in self.words.iter().enumerate() {
            let Some(word) = words.get(n) else { return Fit::No };
            let name = word.text.rsplit('/').next().unwrap_or_default();
            let same = word.text == *wanted || (n == 0 && anywhere && name == wanted);
            match () {
                () if !word.exact => return Fit::Maybe,
                () if same => {}
                () if n > 0 && word.text.starts_with('-') => return Fit::Maybe,
                () => return Fit::No,
            }
        }
        if self.words.is_empty() { Fit::No } else { Fit::Yes }
    }
}

/// The words of a rule's command, which are one plain command.
fn words_of(text: &str) -> Option<Vec<String>> {
    let script = command::parse(text);
    let part = script.parts.first()?;
    // Wrappers bring parts of their own; the first one is what was written.
    let plain = part.sets.is_empty() && script.writes.is_empty() && part.words.iter().all(|word| word.exact);
    let lone =
        text.split_whitespace().count() >= part.words.len() && !text.contains([';', '|', '&', '\n', '#']);
    let words = part.words.iter().map(|word| word.text.clone());
    (plain && lone && !part.words.is_empty()).then(|| words.collect())
}

fn glob(pattern: &str, root: &Path, home: &Path) -> Result<Gitignore, String> {
    let (base, below) = match pattern.strip_prefix("~/") {
        Some(below) => (home, below),
        None if pattern.starts_with('/') => (Path::new("/"), pattern.trim_start_matches('/')),
        None => (root, pattern.trim_start_matches("./")),
    };
    if below.is_empty() || below.starts_with(['!', '#']) {
        return Err("the pattern names nothing".to_string());
    }
    // A pattern without a folder fits in every folder below.
    let below = if below.trim_end_matches('/').contains('/') || base != root {
        below.to_string()
    } else {
        format!("**/{below}")
    };
    let base = base.to_str().ok_or("the folder's name is no UTF-8")?;
    let mut line = String::from("/");
    for c in base.trim_matches('/').chars() {
        if "*?[]{}\\".contains(c) {
            line.push('\\');
        }
        line.push(c);
    }
    if line.len() > 1 {
        line.push('/');
    }
    line.push_str(&below);
    let mut builder = GitignoreBuilder::new("/");
    builder.add_line(None, &line).map_err(|error| error.to_string())?;
    builder.build().map_err(|error| error.to_string())
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = match self.decision {
            Ruling::Allow => "allow",
            Ruling::Ask => "ask",
            Ruling::Deny => "deny",
        };
        f.write_str(decision)?;
        if self.tool.is_none() && self.command.is_none() && self.path.is_none() {
            f.write_str(" everything")?;
        }
        let named = [("tool", &self.tool), ("command", &self.command), ("path", &self.path)];
        for (what, value) in named {
            if let Some(value) = value {
                write!(f, " {what} {value:?}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
