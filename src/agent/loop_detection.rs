//! Detects repeating tool calls of a model. Pure.

use std::collections::VecDeque;

use crate::llm::model::ToolCall;

/// Number of consecutive calls that must repeat.
pub const WINDOW: usize = 10;
/// Longest pattern that is detected.
const PATTERN_MAX: usize = 3;

/// The latest calls.
#[derive(Debug, Clone, Default)]
pub struct Repetition {
    window: Option<usize>,
    calls: VecDeque<String>,
}

impl Repetition {
    /// Creates a detector with a window of this many calls; `None` disables it.
    pub fn new(window: Option<usize>) -> Self {
        Self { window: window.filter(|window| *window > 1), calls: VecDeque::new() }
    }

    /// Records a call.
    pub fn record(&mut self, call: &ToolCall) {
        let Some(window) = self.window else { return };
        if self.calls.len() == window {
            self.calls.pop_front();
        }
        self.calls.push_back(format!("{}\0{}", call.name, call.arguments));
    }

    /// Returns a warning for the model when the whole window repeats one pattern; then the window is cleared,
    /// so that the model is warned once and has as many calls to change its approach.
    pub fn take_warning(&mut self) -> Option<String> {
        let window = self.window?;
        if self.calls.len() < window || !(1..=PATTERN_MAX).any(|length| self.repeats(length)) {
            return None;
        }
        self.calls.clear();
        Some(format!(
            "Loop detected: the last {window} tool calls follow a repeating pattern. Try a different approach."
        ))
    }

    /// Whether the largest multiple of `length` at the window's end repeats its first part. A single
    /// occurrence is no repetition.
    fn repeats(&self, length: usize) -> bool {
        let (all, from) = (self.calls.len(), self.calls.len() % length);
        from + length < all && (from + length..all).all(|at| self.calls[at] == self.calls[at - length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn detected(pattern: &str) -> Option<usize> {
        let mut repetition = Repetition::new(Some(WINDOW));
        pattern.chars().position(|c| {
            let arguments = json!({"c": c.to_string()});
            repetition.record(&ToolCall {
                id: "x".into(),
                name: "t".into(),
                arguments,
                thought_signature: None,
            });
            repetition.take_warning().is_some()
        })
    }

    #[test]
    fn loop_detection_finds_patterns_up_to_three() {
        assert_eq!(detected("aaaaaaaaaa"), Some(9));
        assert_eq!(detected("ababababab"), Some(9));
        assert_eq!(detected("xabcabcabc"), Some(9));
        assert_eq!(detected("aaaaaaaaa"), None);
        assert_eq!(detected("aaaaabaaaa"), None);
        assert_eq!(detected("abcdabcdabcd"), None);
        assert_eq!(detected("zzaaaaaaaaaa"), Some(10));
    }

    #[test]
    fn loop_detection_window_is_configurable() {
        let call = |name: &str| ToolCall {
            id: "x".into(),
            name: name.into(),
            arguments: json!({}),
            thought_signature: None,
        };
        let told = |window, calls: usize| {
            let mut repetition = Repetition::new(window);
            (0..calls).for_each(|_| repetition.record(&call("t")));
            repetition.take_warning()
        };
        assert!(told(Some(4), 4).unwrap().starts_with("Loop detected: the last 4 tool calls"));
        assert_eq!([told(Some(4), 3), told(None, 100), told(Some(1), 5)], [None, None, None]);
        let mut three = Repetition::new(Some(3));
        for name in ["a", "b", "c"] {
            three.record(&call(name));
        }
        assert_eq!(three.take_warning(), None, "three different calls are no pattern");
    }
}
