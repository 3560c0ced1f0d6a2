//! The rules of a session, from the person's file and the project's.
//!
//! Must not know what a rule means.

use std::path::Path;

use super::options::Options;
use crate::base::error::Report;
use crate::config::load::read_text;
use crate::exec::{EnvError, Environment, LocalEnvironment, Stamp};
use crate::tools::rules::{Author, Rules};

/// The file of rules, in the folder of settings and in a project's `.bowline`.
const FILE: &str = "permissions.toml";

/// Reads both files and tells what is wrong with them. Either may be missing.
pub(super) async fn load(options: &Options) -> (Rules, Vec<Report>) {
    let root = options.env.resolve(options.env.root()).await;
    // The root is asked about again with every edit, which then fails by itself.
    let root = root.unwrap_or_else(|_| options.env.root().to_path_buf());
    let user = options.home.user.clone();
    let files = [
        (options.home.config.join(FILE), Author::Person),
        (options.cwd.join(".bowline").join(FILE), Author::Project),
    ];
    let read = move || {
        let (mut rules, mut problems) = (Rules::default(), Vec::new());
        for (path, author) in files {
            let wrong = add(&mut rules, &path, author, &root, &user);
            problems.extend(wrong.into_iter().map(|why| Report::new(format!("{}: {why}", path.display()))));
        }
        (rules, problems)
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| {
        let mut rules = Rules::default();
        rules.add_unreadable();
        (rules, vec![Report::new("the files of rules could not be read; everything is asked about")])
    })
}

/// Tries, when somebody else writes the file meanwhile.
const TRIES: usize = 3;

/// Writes a rule to the end of the person's file. What stands there stays as it is; a file with a
/// mistake in it is not touched.
pub(super) async fn remember(options: &Options, rule: &str) -> Result<String, Report> {
    let path = options.home.config.join(FILE);
    let files = LocalEnvironment::new(options.home.config.clone(), []);
    for _ in 0..TRIES {
        let (text, stamp) = match files.read(&path).await {
            Ok(data) => {
                let text = String::from_utf8(data.bytes);
                (text.map_err(|error| Report::caused("the rules are no text", &error))?, data.stamp)
            }
            Err(EnvError::NotFound(_)) => (String::new(), Stamp::missing()),
            Err(error) => return Err(Report::caused("cannot read the rules", &error)),
        };
        let text = with(&text, rule)
            .map_err(|why| Report::new(format!("the rule was not written: {}: {why}", path.display())))?;
        let Some(text) = text else { return Ok("the rule is there already".to_string()) };
        match files.write(&path, text.into_bytes(), Some(stamp)).await {
            Ok(_) => return Ok(format!("the rule is in {}", path.display())),
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Err(Report::caused("the rule was not written", &error)),
        }
    }
    Err(Report::new(format!("the rule was not written: {} changes all the time", path.display())))
}

/// A file with one rule more; `None` where it is there already.
fn with(text: &str, rule: &str) -> Result<Option<String>, String> {
    let check = |text: &str| {
        let wrong = Rules::default().add(text, Author::Person, Path::new("/"), Path::new("/"));
        wrong.into_iter().next().map_or(Ok(()), Err)
    };
    check(text)?;
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

fn add(rules: &mut Rules, path: &Path, author: Author, root: &Path, user: &Path) -> Vec<String> {
    match read_text(path) {
        Ok(None) => Vec::new(),
        Ok(Some(text)) => rules.add(&text, author, root, user),
        Err(error) => {
            rules.add_unreadable();
            vec![format!("it cannot be read ({error}); everything is asked about")]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::rules::Ruling;
    use std::fs;

    #[test]
    fn a_rule_goes_to_the_end_and_all_else_stays() {
        let rule = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
        assert_eq!(with("", rule).unwrap().unwrap(), rule);
        let own = "# mine\n[[rule]] # and why\ndecision = \"deny\"\ncommand = \"rm\"";
        let longer = with(own, rule).unwrap().unwrap();
        assert_eq!(longer, format!("{own}\n\n{rule}"));
        assert_eq!(with(&longer, rule), Ok(None), "it is there once");
        assert!(with("[[rule]]\ndecision = 3\n", rule).is_err(), "a mistake is not written on");
        assert!(with("rule = []\n", rule).is_err(), "a list of another form");
    }

    #[test]
    fn files_are_read_as_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let file = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n\
                    [[rule]]\ndecision = \"deny\"\ncommand = \"make clean\"\n";
        fs::write(place("rules"), file).unwrap();
        fs::create_dir(place("folder")).unwrap();
        let said = |author, name: &str, line: &str| {
            let mut rules = Rules::default();
            let wrong = add(&mut rules, &place(name), author, Path::new("/w"), Path::new("/h"));
            (rules.command(&["bash"], line).map(|said| said.ruling), wrong.len())
        };
        assert_eq!(said(Author::Person, "rules", "make"), (Some(Ruling::Allow), 0));
        assert_eq!(said(Author::Person, "rules", "make clean"), (Some(Ruling::Deny), 0));
        assert_eq!(said(Author::Project, "rules", "make"), (None, 1));
        assert_eq!(said(Author::Project, "rules", "make clean"), (Some(Ruling::Deny), 1));
        assert_eq!(said(Author::Person, "absent", "make"), (None, 0));
        assert_eq!(said(Author::Person, "folder", "make"), (Some(Ruling::Ask), 1));
    }
}
