//! Reads the permission rules of a session, from the user's file and the project's, and writes these files.
//!
//! Must not know what a rule means.

use std::io;
use std::path::{Path, PathBuf};

use super::trust_requests::{self, TrustRequests};
use crate::base::error::Report;
use crate::config::load::read_text;
use crate::exec::{EnvError, Environment, LocalEnvironment, Stamp};
use crate::runtime::lifecycle::options::Options;
use crate::tools::permissions::rules::listing::ListedRule;
use crate::tools::permissions::rules::removal::{self, RemoveError};
use crate::tools::permissions::rules::{Author, RuleOrigin, Rules, SharedRules};

/// Message for the user when a project is not trusted.
pub(in crate::runtime) const RULES_UNTRUSTED: &str =
    "Project rules are off: not trusted. Details: “Show project trust” in the palette";

/// A problem in a file of rules, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesProblem {
    /// The file, if it is about one.
    pub file: Option<PathBuf>,
    /// One-based line, if known.
    pub line: Option<usize>,
    /// What is wrong, and what follows from it.
    pub message: String,
}

impl RulesProblem {
    /// Returns it as a notice. Where the message does not quote the rule, the line leads there.
    pub(in crate::runtime) fn report(&self) -> Report {
        match &self.file {
            Some(file) => Report::new(format!("{}: {}", file.display(), self.message)),
            None => Report::new(self.message.clone()),
        }
    }
}

/// The rules that were read.
#[derive(Debug, Default)]
pub(in crate::runtime) struct LoadedRules {
    /// The rules in force.
    pub rules: Rules,
    /// Problems found in the files.
    pub problems: Vec<RulesProblem>,
    /// Whether the project's allow rules are in force; `None` when the project has none.
    pub trusted: Option<bool>,
}

impl LoadedRules {
    fn add_problem(&mut self, path: &Path, line: Option<usize>, problem: &str) {
        let file = Some(path.to_path_buf());
        self.problems.push(RulesProblem { file, line, message: problem.to_string() });
    }

    /// Returns the rules for a new session and the notices for its user: problems in the files, and that the
    /// project is not trusted.
    pub(in crate::runtime) fn into_session_rules(mut self, options: &Options) -> (SharedRules, Vec<Report>) {
        if self.trusted == Some(false) {
            self.add_problem(&trust_requests::rules_path(&options.cwd), None, RULES_UNTRUSTED);
        }
        let notices = self.problems.iter().map(RulesProblem::report).collect();
        (self.rules.into(), notices)
    }
}

/// Reads both files and collects their problems. Either may be missing. `now` is the digest of the project
/// that the user trusts until the program ends.
pub(in crate::runtime) async fn load(options: &Options, now: Option<&str>) -> LoadedRules {
    let root = options.env.resolve(options.env.root()).await;
    // Every edit resolves the root again, and fails by itself when that fails.
    let root = root.unwrap_or_else(|_| options.env.root().to_path_buf());
    let (home, cwd, now) = (options.home.clone(), options.cwd.clone(), now.map(str::to_string));
    let read = move || {
        let mut loaded = LoadedRules::default();
        loaded.add_file(
            &home.config.join(trust_requests::RULES),
            read_text(&home.config.join(trust_requests::RULES)),
            Author::User,
            &root,
            &home.user,
        );
        let path = trust_requests::rules_path(&cwd);
        let text = read_text(&path);
        let trust_requests =
            TrustRequests::from_rules(text.as_ref().ok().and_then(Option::as_deref), &cwd, &home.user);
        if !trust_requests.allows.is_empty() {
            let trusted = trust_requests.are_trusted(&cwd, &home.state, now.as_deref());
            if let Err(error) = &trusted {
                loaded.add_problem(
                    &path,
                    None,
                    &format!("what it wants to allow cannot be trusted: {error}"),
                );
            }
            loaded.trusted = Some(trusted.unwrap_or(false));
        }
        let author = Author::Project { trusted: loaded.trusted == Some(true) };
        loaded.add_file(&path, text, author, &root, &home.user);
        loaded
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
        let mut loaded = LoadedRules::default();
        loaded.rules.add_unreadable(RuleOrigin { file: None, author: Author::User, line: 1 });
        let message = "the files of rules could not be read; everything is asked about".to_string();
        loaded.problems = vec![RulesProblem { file: None, line: None, message }];
        loaded
    })
}

impl LoadedRules {
    fn add_file(
        &mut self,
        path: &Path,
        text: io::Result<Option<String>>,
        author: Author,
        root: &Path,
        user: &Path,
    ) {
        match text {
            Ok(None) => {}
            Ok(Some(text)) => {
                for problem in self.rules.add_file(Some(path), &text, author, root, user) {
                    self.add_problem(path, Some(problem.line), &problem.message);
                }
            }
            Err(error) => {
                self.rules.add_unreadable(RuleOrigin { file: Some(path.into()), author, line: 1 });
                let message = format!("it cannot be read ({error}); everything is asked about");
                self.add_problem(path, None, &message);
            }
        }
    }
}

/// Attempts when another process writes the file at the same time.
const WRITE_TRIES: usize = 3;

/// Appends a rule to the user's file. The existing text is unchanged; a file with a syntax error is not
/// written.
pub(in crate::runtime) async fn remember_rule(options: &Options, rule: &str) -> Result<String, Report> {
    let path = options.home.config.join(trust_requests::RULES);
    let change = |text: &str| {
        append_rule(text, rule).map_err(|write_error| {
            Report::new(format!("cannot write the rule: {}: {write_error}", path.display()))
        })
    };
    Ok(if change_file(&path, change).await? {
        format!("rule added to {}", path.display())
    } else {
        "rule exists already".to_string()
    })
}

/// Removes a rule from its file; comments stay. Returns a sentence for the user.
pub(in crate::runtime) async fn remove_rule(options: &Options, rule: &ListedRule) -> Result<String, Report> {
    let files = [options.home.config.join(trust_requests::RULES), trust_requests::rules_path(&options.cwd)];
    let listed = rule.origin.file.as_deref();
    let Some(path) = files.iter().find(|file| listed == Some(file.as_path())) else {
        return Err(Report::new(format!("{} is in no file of rules", rule.description)));
    };
    let change = |text: &str| {
        removal::remove(text, &rule.description, rule.origin.line).map(Some).map_err(|error| {
            let hint = match error {
                RemoveError::File { .. } => "correct the file first",
                RemoveError::Missing | RemoveError::List => "edit the file",
            };
            Report::caused(format!("cannot remove the rule from {}", path.display()), &error).hint(hint)
        })
    };
    change_file(path, change).await?;
    Ok(format!("Removed {} from {}", rule.description, path.display()))
}

/// Changes the text of a file of rules; returns whether there was anything to change.
async fn change_file(
    path: &Path,
    change: impl Fn(&str) -> Result<Option<String>, Report>,
) -> Result<bool, Report> {
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    let files = LocalEnvironment::new(folder.to_path_buf(), []);
    for _ in 0..WRITE_TRIES {
        let (text, stamp) = match files.read(path).await {
            Ok(data) => {
                let text = String::from_utf8(data.bytes);
                (text.map_err(|error| Report::caused("the rules are no text", &error))?, data.stamp)
            }
            Err(EnvError::NotFound(_)) => (String::new(), Stamp::missing()),
            Err(error) => return Err(Report::caused("cannot read the rules", &error)),
        };
        let Some(text) = change(&text)? else { return Ok(false) };
        match files.write(path, text.into_bytes(), Some(stamp)).await {
            Ok(_) => return Ok(true),
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Err(Report::caused("cannot write the rules", &error)),
        }
    }
    Err(Report::new(format!("cannot write the rules: {} keeps changing", path.display())))
}

/// Returns the file's text with the rule appended, or `None` when the rule is already there.
fn append_rule(text: &str, rule: &str) -> Result<Option<String>, String> {
    let check = |text: &str| {
        let wrong = Rules::default().add(text, Author::User, Path::new("/"), Path::new("/"));
        wrong.into_iter().next().map_or(Ok(()), Err)
    };
    check(text)?;
    // Checked on its own, so that it cannot become part of the rule above it.
    check(rule)?;
    let holds = toml::from_str::<toml::Table>(rule).map_err(|error| error.message().to_string())?;
    if holds.get("rule").and_then(toml::Value::as_array).is_none_or(Vec::is_empty) {
        return Err("it holds no [[rule]]".to_string());
    }
    if text.contains(rule.trim()) {
        return Ok(None);
    }
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let longer = format!("{text}{gap}{}\n", rule.trim_end());
    check(&longer)?;
    Ok(Some(longer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::permissions::rules::{Ruling, ToolNames};
    use std::fs;

    #[test]
    fn permission_rule_is_appended_once() {
        let rule = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
        assert_eq!(append_rule("", rule).unwrap().unwrap(), rule);
        let own = "# mine\n[[rule]] # and why\ndecision = \"deny\"\ncommand = \"rm\"";
        let longer = append_rule(own, rule).unwrap().unwrap();
        assert_eq!(longer, format!("{own}\n\n{rule}"));
        assert_eq!(append_rule(&longer, rule), Ok(None), "it is there once");
        assert!(append_rule("[[rule]]\ndecision = 3\n", rule).is_err(), "a mistake is not written on");
        assert!(append_rule("rule = []\n", rule).is_err(), "a list of another form");
    }

    #[test]
    fn permission_files_are_loaded_by_author() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let file = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n\
                    [[rule]]\ndecision = \"deny\"\ncommand = \"make clean\"\n";
        fs::write(place("rules"), file).unwrap();
        fs::create_dir(place("folder")).unwrap();
        let said = |author, name: &str, line: &str| {
            let (mut loaded, path) = (LoadedRules::default(), place(name));
            loaded.add_file(&path, read_text(&path), author, Path::new("/w"), Path::new("/h"));
            let said = loaded.rules.command(&ToolNames::plain(&["bash"]), line);
            (said.map(|said| said.ruling), loaded.problems.len())
        };
        assert_eq!(said(Author::User, "rules", "make"), (Some(Ruling::Allow), 0));
        assert_eq!(said(Author::User, "rules", "make clean"), (Some(Ruling::Deny), 0));
        let project = |trusted| Author::Project { trusted };
        assert_eq!(said(project(false), "rules", "make"), (None, 0));
        assert_eq!(said(project(true), "rules", "make"), (Some(Ruling::Allow), 0));
        assert_eq!(said(project(false), "rules", "make clean"), (Some(Ruling::Deny), 0));
        assert_eq!(said(Author::User, "absent", "make"), (None, 0));
        assert_eq!(said(Author::User, "folder", "make"), (Some(Ruling::Ask), 1));
    }
}
