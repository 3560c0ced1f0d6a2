//! Notices when the tool calls of a model go round in circles. Pure.

use std::collections::VecDeque;

use crate::llm::model::ToolCall;

/// How many calls in a row must repeat themselves.
const WINDOW: usize = 10;
/// Longest pattern that is looked for.
const PATTERN_MAX: usize = 3;

/// What the model is told.
pub const WARNING: &str = "The last ten tool calls repeat the same pattern, so repeating it once more will not help. \
                           Stop, think about what the results have in common, and try a different approach; \
                           if there is none, say what is missing.";

/// The latest calls.
#[derive(Debug, Clone, Default)]
pub struct Repetition {
    calls: VecDeque<String>,
}

impl Repetition {
    /// Notes a call.
    pub fn note(&mut self, call: &ToolCall) {
        if self.calls.len() == WINDOW {
            self.calls.pop_front();
        }
        self.calls.push_back(format!("{}\0{}", call.name, call.arguments));
    }

    /// Whether the window is one pattern over and over; if so it starts anew, so that the
    /// model is told once and then has ten calls to do better.
    pub fn take(&mut self) -> bool {
        let found = self.calls.len() == WINDOW && (1..=PATTERN_MAX).any(|length| self.repeats(length));
        if found {
            self.calls.clear();
        }
        found
    }

    /// Whether the largest multiple of `length` at the window's end repeats its first part.
    fn repeats(&self, length: usize) -> bool {
        let from = WINDOW % length;
        (from + length..WINDOW).all(|at| self.calls[at] == self.calls[at - length])
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.calls.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn detected(pattern: &str) -> Option<usize> {
        let mut repetition = Repetition::default();
        pattern.chars().position(|c| {
            let arguments = json!({"c": c.to_string()});
            repetition.note(&ToolCall {
                id: "x".into(),
                name: "t".into(),
                arguments,
                thought_signature: None,
            });
            repetition.take()
        })
    }

    #[test]
    fn patterns_of_one_two_and_three() {
        assert_eq!(detected("aaaaaaaaaa"), Some(9));
        assert_eq!(detected("ababababab"), Some(9));
        assert_eq!(detected("xabcabcabc"), Some(9));
        assert_eq!(detected("aaaaaaaaa"), None);
        assert_eq!(detected("aaaaabaaaa"), None);
        assert_eq!(detected("abcdabcdabcd"), None);
        assert_eq!(detected("zzaaaaaaaaaa"), Some(10));
    }
}
