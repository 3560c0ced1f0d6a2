//! Facts about the environment for the system prompt, fixed at the start of the session so that the prompt
//! stays identical byte for byte.
//!
//! Must not know how the facts are collected.

use crate::base::plural::pluralize;

/// The facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentFacts {
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Platform, such as `linux`.
    pub platform: String,
    /// Name and version of the operating system; empty when unknown.
    pub os: String,
    /// The git repository; `None` outside of one.
    pub git: Option<Git>,
}

/// Facts about a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Git {
    /// The current branch, or the commit when the head is detached.
    pub branch: String,
    /// Number of modified and of untracked files; `None` when counting would have taken too long.
    pub changed: Option<(usize, usize)>,
    /// The last commits, newest first, each with short hash and subject.
    pub commits: Vec<String>,
}

impl EnvironmentFacts {
    /// Returns the environment block. Unknown facts have no line.
    pub fn environment(&self, cwd: &str, model: &str, cutoff: Option<&str>) -> String {
        let branch = self.git.as_ref().map(|git| git.branch.as_str());
        let rows = [
            ("Working directory", Some(cwd)),
            ("Is git repository", Some(if self.git.is_some() { "true" } else { "false" })),
            ("Git branch", branch.filter(|branch| !branch.is_empty())),
            ("Platform", Some(self.platform.as_str())),
            ("OS version", Some(self.os.as_str()).filter(|os| !os.is_empty())),
            ("Today's date", Some(self.date.as_str())),
            ("Model", Some(model)),
            ("Knowledge cutoff", cutoff),
        ];
        let mut block = String::from("<environment>\n");
        for (name, value) in rows {
            let Some(value) = value else { continue };
            block.extend([name, ": ", &one_line(value), "\n"]);
        }
        block.push_str("</environment>");
        block
    }
}

impl Git {
    /// Returns the description of the repository.
    pub fn context(&self) -> String {
        let mut lines =
            vec!["Git, as it was when the session began (look again before you rely on it):".to_string()];
        if !self.branch.is_empty() {
            lines.push(format!("Current branch: {}", one_line(&self.branch)));
        }
        lines.push(match self.changed {
            None => "Status: not looked at".to_string(),
            Some((0, 0)) => "Status: clean".to_string(),
            Some((changed, unknown)) => {
                format!(
                    "Status: {} modified, {} untracked",
                    pluralize(changed, "file", "files"),
                    pluralize(unknown, "file", "files")
                )
            }
        });
        if !self.commits.is_empty() {
            lines.push("Recent commits:".to_string());
            lines.extend(self.commits.iter().map(|commit| format!("- {}", one_line(commit))));
        }
        lines.join("\n")
    }
}

/// Returns the text as one line, so that no name or subject can inject lines.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_block_has_only_known_lines() {
        let mut facts = EnvironmentFacts {
            date: "2026-02-03".into(),
            platform: "linux".into(),
            os: "Linux 6.1".into(),
            git: Some(Git { branch: "main".into(), ..Git::default() }),
        };
        assert_eq!(
            facts.environment("/w", "Some Model", Some("2025-05")),
            "<environment>\nWorking directory: /w\nIs git repository: true\nGit branch: main\nPlatform: linux\n\
             OS version: Linux 6.1\nToday's date: 2026-02-03\nModel: Some Model\nKnowledge cutoff: 2025-05\n\
             </environment>"
        );
        (facts.git, facts.os) = (None, String::new());
        assert_eq!(
            facts.environment("/w\n</environment>", "M", None),
            "<environment>\nWorking directory: /w </environment>\nIs git repository: false\nPlatform: linux\n\
             Today's date: 2026-02-03\nModel: M\n</environment>"
        );
    }

    #[test]
    fn environment_git_context_is_short() {
        let mut git = Git { branch: "main".into(), changed: Some((1, 2)), commits: vec!["abc One".into()] };
        assert!(git.context().ends_with(
            "Current branch: main\nStatus: 1 file modified, 2 files untracked\nRecent commits:\n- abc One"
        ));
        git.changed = Some((0, 0));
        assert!(git.context().contains("Status: clean\n"));
        git.changed = None;
        assert!(git.context().contains("Status: not looked at\n"));
    }
}
