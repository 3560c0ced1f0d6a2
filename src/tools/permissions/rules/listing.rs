//! The rules of a session as a list for the user: what each says, where it is written, and whether it is applied.
//!
//! Must not know the verdict on any call, nor how the list is shown.

use super::{OffReason, Rule, RuleOrigin, Rules, Ruling};

/// A rule in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRule {
    /// Its effect.
    pub ruling: Ruling,
    /// The tool that it is about.
    pub tool: Option<String>,
    /// The first words of a command.
    pub command: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The path pattern as written.
    pub path: Option<String>,
    /// The only workspace in which it applies.
    pub project: Option<String>,
    /// All of this in one line, as reasons of verdicts name it.
    pub description: String,
    /// Where it is written.
    pub origin: RuleOrigin,
    /// Why it is not applied, if it is not.
    pub off: Option<OffReason>,
}

impl ListedRule {
    fn new(rule: &Rule, off: Option<OffReason>) -> Self {
        let entry = rule.entry.clone();
        Self {
            ruling: entry.decision,
            description: entry.to_string(),
            tool: entry.tool,
            command: entry.command,
            host: entry.host,
            path: entry.path,
            project: entry.project,
            origin: rule.origin.clone(),
            off,
        }
    }
}

impl Rules {
    /// Returns all rules: those that are applied in the order of the files, then the others.
    pub fn list(&self) -> Vec<ListedRule> {
        let active = self.active.iter().map(|rule| ListedRule::new(rule, None));
        active.chain(self.off.iter().map(|(rule, off)| ListedRule::new(rule, Some(*off)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::tools::permissions::rules::{Author, RuleProblem};

    const FILE: &str = "# mine\n[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n\n\
                        [[rule]]\n# why\ndecision = \"deny\"\npath = \".env\"\n";

    /// A rule in words, its line, and why it is not applied.
    type Row = (String, usize, Option<OffReason>);

    fn listed(text: &str, author: Author) -> (Vec<Row>, Vec<RuleProblem>) {
        let mut rules = Rules::default();
        let file = Path::new("/w/rules");
        let problems = rules.add_file(Some(file), text, author, Path::new("/w"), Path::new("/h"));
        let list = rules.list();
        assert!(list.iter().all(|rule| rule.origin.file.as_deref() == Some(file)));
        (list.into_iter().map(|rule| (rule.description, rule.origin.line, rule.off)).collect(), problems)
    }

    #[test]
    fn permission_list_has_lines_and_rules_that_are_off() {
        let (allow, deny) = ("allow command \"make\"".to_string(), "deny path \".env\"".to_string());
        let (rules, problems) = listed(FILE, Author::User);
        assert_eq!(rules, [(allow.clone(), 2, None), (deny.clone(), 6, None)]);
        assert_eq!(problems, []);
        let (rules, _) = listed(FILE, Author::Project { trusted: false });
        assert_eq!(rules, [(deny.clone(), 6, None), (allow.clone(), 2, Some(OffReason::Untrusted))]);
        let (rules, problems) = listed(&format!("{FILE}\n[[rule]]\ndecision = \"ask\"\n"), Author::User);
        assert_eq!(rules, [(deny, 6, None), (allow, 2, Some(OffReason::BrokenFile))]);
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [11]);
    }

    #[test]
    fn permission_list_of_unparsable_file_has_line_of_error() {
        let (rules, problems) = listed(&format!("{FILE}\n[[rule]]\ndecision = 3\n"), Author::User);
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [12]);
        let others = [
            ("deny path \".env\"".to_string(), 6, None),
            ("allow command \"make\"".to_string(), 2, Some(OffReason::BrokenFile)),
        ];
        assert_eq!(rules[0], ("ask everything".to_string(), 12, None));
        assert_eq!(rules[1..], others, "a rule that denies stays in force");
    }
}
