//! The line and column behind a colon in the query of a list of files: `main.rs:12:5`. Must not know how files are
//! opened.

use crate::base::paths;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, Picker};

/// Accepts a row at a one-based line and column.
pub type AcceptAt = fn(&mut Cx<'_>, &Pick, (usize, usize));

impl Picker {
    /// Returns the part of a query that the rows are matched with.
    pub(super) fn matched_part<'a>(&self, query: &'a str) -> &'a str {
        if self.spec.accept_at.is_some() { split(query).0 } else { query }
    }

    /// Returns the one-based line and column that the query names, in a list that can accept them.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.spec.accept_at?;
        split(&self.query.text().to_string()).1
    }
}

/// Splits a query into what is matched and the position behind it. A colon whose number is not typed yet is not matched
/// either, so that the list stays while the number is typed.
fn split(query: &str) -> (&str, Option<(usize, usize)>) {
    // Without a name the colon is all of the query.
    match paths::split_position(query.trim_end()) {
        (name, None) if name.len() == query.trim_end().len() => (query, None),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_position_is_behind_the_name_and_not_matched() {
        let cases = [
            ("", ("", None)),
            ("main", ("main", None)),
            ("main:", ("main", None)),
            ("main:12", ("main", Some((12, 1)))),
            ("main:12:", ("main", Some((12, 1)))),
            ("main:12:5", ("main", Some((12, 5)))),
            ("src main:7 ", ("src main", Some((7, 1)))),
            ("main ", ("main ", None)),
            ("a::b", ("a::b", None)),
            ("main:0", ("main:0", None)),
            ("main:99999999999999999999999", ("main:99999999999999999999999", None)),
        ];
        for (query, meaning) in cases {
            assert_eq!(split(query), meaning, "{query}");
        }
    }
}
