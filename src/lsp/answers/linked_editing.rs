//! Ranges whose text is the same name and changes together, such as both tags of an element. Pure.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::lsp::answers::list::{as_list, items, take_field};
use crate::lsp::position::Range;

/// Maximum number of ranges of an answer.
const RANGES_MAX: usize = 1_000;
/// Maximum bytes of a compiled pattern.
const PATTERN_MAX: usize = 1 << 20;

/// What the ranges may contain.
#[derive(Debug, Clone)]
pub struct NamePattern(Option<Regex>);

impl NamePattern {
    /// Reads the pattern of a server. Without one, or with one that is written for another engine, names have letters,
    /// digits, and `_`, `-`, `.` and `:`.
    fn new(pattern: Option<&str>) -> Self {
        let compiled = pattern.map(|pattern| {
            let whole = format!("^(?:{pattern})$");
            RegexBuilder::new(&whole).size_limit(PATTERN_MAX).build()
        });
        Self(compiled.and_then(|compiled| {
            compiled.inspect_err(|error| tracing::debug!(%error, "the pattern of names is not read")).ok()
        }))
    }

    /// Whether a range may contain this. Empty is allowed: the user may type the name anew.
    pub fn allows(&self, name: &str) -> bool {
        let is_usual = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        name.is_empty()
            || self.0.as_ref().map_or_else(|| name.chars().all(is_usual), |known| known.is_match(name))
    }
}

/// Decodes the answer: the ranges, and what they may contain; `None` where fewer than two are linked.
pub fn decode(mut answer: Value) -> Option<(Vec<Range>, NamePattern)> {
    let list = as_list(take_field(&mut answer, "ranges")).into_iter().take(RANGES_MAX).collect();
    let ranges: Vec<Range> =
        items::<gen_lsp_types::Range>(list, "linked range").into_iter().map(Into::into).collect();
    let pattern = NamePattern::new(answer["wordPattern"].as_str());
    (ranges.len() > 1).then_some((ranges, pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range(line: u32) -> Value {
        json!({ "start": { "line": line, "character": 1 }, "end": { "line": line, "character": 3 } })
    }

    #[test]
    fn linked_ranges_are_read_with_their_pattern() {
        let (ranges, names) =
            decode(json!({ "ranges": [range(0), 5, range(2)], "wordPattern": "[a-z]+" })).unwrap();
        assert_eq!(ranges.iter().map(|range| range.start.line).collect::<Vec<_>>(), [0, 2]);
        assert!(names.allows("abc") && names.allows("") && !names.allows("a1") && !names.allows("a b"));
        for alone in [json!(null), json!({ "ranges": [range(0)] }), json!({ "ranges": 5 }), json!([])] {
            assert!(decode(alone).is_none());
        }
    }

    #[test]
    fn linked_ranges_without_a_readable_pattern_have_usual_names() {
        for pattern in [json!(null), json!("(?<=x)[a-z]+")] {
            let (_, names) =
                decode(json!({ "ranges": [range(0), range(1)], "wordPattern": pattern })).unwrap();
            assert!(names.allows("my-tag_1:x.y") && !names.allows("a b") && !names.allows("a>"));
        }
    }
}
