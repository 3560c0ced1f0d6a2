//! Takes a rule out of the text of a file of rules. Comments, order and layout of the rest stay.
//!
//! Must not know files, nor what a rule does.

use std::ops::Range;

use toml_edit::{Document, Item, Table};

use super::{RuleEntry, RulesFile, line_of};

/// Why a rule cannot be removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoveError {
    /// The file is not a file of rules.
    #[error("line {line}: {message}")]
    File {
        /// One-based line.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// The file has no such rule.
    #[error("the rule is not in the file any more")]
    Missing,
    /// The rules are not tables of their own.
    #[error("the rules are written as one list")]
    List,
}

/// Returns the text without the rule of that description. Of several, the one nearest to `line` is removed: the
/// file may have changed since it was read. Lines with only a comment stay.
pub fn remove(text: &str, description: &str, line: usize) -> Result<String, RemoveError> {
    let entries = entries(text)?;
    let same = entries.iter().enumerate().filter(|(_, (entry, _))| entry.to_string() == description);
    let (index, _) = same.min_by_key(|(_, (_, at))| at.abs_diff(line)).ok_or(RemoveError::Missing)?;
    let document = Document::parse(text).map_err(|error| RemoveError::File {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_string(),
    })?;
    let table = match document.get("rule") {
        Some(Item::ArrayOfTables(tables)) => tables.get(index).ok_or(RemoveError::Missing)?,
        _ => return Err(RemoveError::List),
    };
    let without = without_lines(text, &spans(table));
    // Proof that nothing else has changed.
    let rest = self::entries(&without)?.into_iter().map(|(entry, _)| entry);
    let others = entries.into_iter().enumerate().filter(|(n, _)| *n != index).map(|(_, (entry, _))| entry);
    if rest.eq(others) { Ok(without) } else { Err(RemoveError::List) }
}

/// Returns the rules of a text, and the line of each.
fn entries(text: &str) -> Result<Vec<(RuleEntry, usize)>, RemoveError> {
    let file: RulesFile = toml::from_str(text).map_err(|error| RemoveError::File {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().trim().replace('\n', ", "),
    })?;
    let entry = |rule: toml::Spanned<RuleEntry>| {
        let line = line_of(text, rule.span().start);
        (rule.into_inner(), line)
    };
    Ok(file.rule.into_iter().map(entry).collect())
}

/// Returns where the head of a table and its values are.
fn spans(table: &Table) -> Vec<Range<usize>> {
    let head = table.span().map(|span| span.start..span.start);
    let value = |(name, item): (&str, &Item)| {
        let key = table.key(name)?.span()?;
        Some(key.start..item.span()?.end)
    };
    head.into_iter().chain(table.iter().filter_map(value)).collect()
}

/// Returns the text without the lines that these ranges touch. An empty line that they leave beside another one, or at
/// the beginning, goes with them.
fn without_lines(text: &str, ranges: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let (mut start, mut removes, mut before_is_blank) = (0, false, true);
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let is_removed =
            ranges.iter().any(|range| range.start < end && range.end.max(range.start + 1) > start);
        let is_blank = line.trim().is_empty();
        let is_spare = removes && is_blank && before_is_blank;
        if !is_removed && !is_spare {
            kept.push_str(line);
            before_is_blank = is_blank;
            removes = false;
        }
        removes |= is_removed;
        start = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAKE: &str = "allow command \"make\"";

    #[test]
    fn permission_removal_keeps_comments_and_other_rules() {
        let text = "# All of mine.\n\n# Builds.\n[[rule]] # first\ndecision = \"allow\" # yes\n# It is safe.\n\
                    command = \"make\"\n\n# Never.\n[[rule]]\ndecision = \"deny\"\ncommand = \"rm\" # why\n";
        let without = "# All of mine.\n\n# Builds.\n# It is safe.\n\n# Never.\n[[rule]]\ndecision = \"deny\"\n\
                       command = \"rm\" # why\n";
        assert_eq!(remove(text, MAKE, 4).unwrap(), without);
        let last = "# All of mine.\n\n# Builds.\n[[rule]] # first\ndecision = \"allow\" # yes\n# It is safe.\n\
                    command = \"make\"\n\n# Never.\n";
        assert_eq!(remove(text, "deny command \"rm\"", 1).unwrap(), last);
        assert_eq!(remove(text, "deny command \"ls\"", 1), Err(RemoveError::Missing));
    }

    #[test]
    fn permission_removal_of_several_takes_nearest() {
        let one = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
        let text = format!("# a\n{one}\n# b\n{one}\n# c\n{one}");
        assert_eq!(remove(&text, MAKE, 8).unwrap(), format!("# a\n{one}\n# b\n\n# c\n{one}"));
        assert_eq!(remove(one, MAKE, 90).unwrap(), "");
    }

    #[test]
    fn permission_removal_keeps_crlf_and_long_strings() {
        let text = "[[rule]]\r\ndecision = \"allow\"\r\ncommand = '''\r\nmake'''\r\n\r\n# x\r\n[[rule]]\r\n\
                    decision = \"deny\"\r\npath = \"\u{e4}\"\r\n";
        let rest = "# x\r\n[[rule]]\r\ndecision = \"deny\"\r\npath = \"\u{e4}\"\r\n";
        assert_eq!(remove(text, MAKE, 1).unwrap(), rest);
    }

    #[test]
    fn permission_removal_leaves_what_it_cannot_edit() {
        let list = "rule = [{ decision = \"allow\", command = \"make\" }]\n";
        assert_eq!(remove(list, MAKE, 1), Err(RemoveError::List));
        let broken = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n[[rule]]\ndecision = 3\n";
        assert!(matches!(remove(broken, MAKE, 1), Err(RemoveError::File { line: 5, .. })));
    }
}
