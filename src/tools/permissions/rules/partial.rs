//! Rules of a text that is no file of rules: those without a mistake, and where the mistakes are. A rule in which a line is
//! wrong is left out as a whole, since without one of its conditions it would mean more calls. Must not know what follows
//! from a mistake.

use toml::de::DeValue;

use super::{RuleEntry, RuleProblem, Ruling, line_of};
use crate::base::partial_toml;

/// Returns the rules without a mistake, each with its position, and the mistakes.
pub(super) fn parse(text: &str) -> (Vec<(usize, RuleEntry)>, Vec<RuleProblem>) {
    let mut repaired = String::new();
    let (table, mistakes) = partial_toml::parse(text, &mut repaired);
    let problem = |line: usize, message: String| RuleProblem { line, message };
    let mut problems: Vec<RuleProblem> =
        mistakes.iter().map(|mistake| problem(mistake.line, mistake.message.clone())).collect();
    let mut entries = Vec::new();
    for (key, value) in &table {
        let line = line_of(text, key.span().start);
        let rows = match (key.get_ref().as_ref(), value.get_ref()) {
            ("rule", DeValue::Array(rows)) => rows,
            ("rule", _) => {
                problems.push(problem(line, "rules are written [[rule]]".to_string()));
                continue;
            }
            (other, _) => {
                problems.push(problem(line, format!("unknown key {other:?}")));
                continue;
            }
        };
        let first_lines: Vec<usize> = rows.iter().map(|row| line_of(text, row.span().start)).collect();
        for (n, row) in rows.iter().enumerate() {
            let lines = first_lines[n]..first_lines.get(n + 1).copied().unwrap_or(usize::MAX);
            if mistakes.iter().any(|mistake| lines.contains(&mistake.line)) {
                continue;
            }
            match entry(row.get_ref()) {
                Ok(entry) => entries.push((row.span().start, entry)),
                Err((at, message)) => {
                    let at = at.map_or(first_lines[n], |at| line_of(text, at));
                    problems.push(problem(at, message));
                }
            }
        }
    }
    problems.sort_by_key(|problem| problem.line);
    (entries, problems)
}

/// Returns a rule as it is written. The error says what is wrong, and at which position if it is known.
fn entry(row: &DeValue<'_>) -> Result<RuleEntry, (Option<usize>, String)> {
    let DeValue::Table(row) = row else { return Err((None, "a rule is a table".to_string())) };
    let known = ["decision", "tool", "command", "host", "path", "project"];
    if let Some((key, _)) = row.iter().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
        return Err((Some(key.span().start), format!("unknown key {:?}", key.get_ref())));
    }
    let text = |key: &str| match row.get(key) {
        None => Ok(None),
        Some(value) => match value.get_ref() {
            DeValue::String(text) => Ok(Some((value.span().start, text.to_string()))),
            _ => Err((Some(value.span().start), format!("{key} must be a text"))),
        },
    };
    let words = |key: &str| Ok(text(key)?.map(|(_, text)| text));
    let decision = match text("decision")? {
        None => return Err((None, "a rule needs a decision".to_string())),
        Some((at, word)) => match &*word {
            "allow" => Ruling::Allow,
            "ask" => Ruling::Ask,
            "deny" => Ruling::Deny,
            _ => return Err((Some(at), format!("{word:?} is none of allow, ask, deny"))),
        },
    };
    Ok(RuleEntry {
        decision,
        tool: words("tool")?,
        command: words("command")?,
        host: words("host")?,
        path: words("path")?,
        project: words("project")?,
    })
}
