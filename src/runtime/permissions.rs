//! The rules of a session, from the person's file and the project's.
//!
//! Must not know what a rule means.

use std::path::Path;

use super::options::Options;
use crate::base::error::Report;
use crate::config::load::read_text;
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
            (rules.command("bash", line).map(|said| said.ruling), wrong.len())
        };
        assert_eq!(said(Author::Person, "rules", "make"), (Some(Ruling::Allow), 0));
        assert_eq!(said(Author::Person, "rules", "make clean"), (Some(Ruling::Deny), 0));
        assert_eq!(said(Author::Project, "rules", "make"), (None, 1));
        assert_eq!(said(Author::Project, "rules", "make clean"), (Some(Ruling::Deny), 1));
        assert_eq!(said(Author::Person, "absent", "make"), (None, 0));
        assert_eq!(said(Author::Person, "folder", "make"), (Some(Ruling::Ask), 1));
    }
}
