//! How full the context is, and when to warn about it. Pure.
//!
//! Must not know the reaction.

use super::compaction::estimate;
use crate::llm::model::{Message, StopReason};

/// Share of the window above which a warning is sent, in percent.
const WARN_PERCENT: u64 = 80;

/// Remembers whether the warning was sent.
#[derive(Debug, Default)]
pub struct Fullness {
    warned: bool,
}

impl Fullness {
    /// Whether to warn now about this many tokens of a window: above four fifths, once until the level drops
    /// below. A window of 0 is unknown.
    pub fn should_warn(&mut self, tokens: u64, window: u64) -> bool {
        let is_full = window > 0 && tokens.saturating_mul(100) > window.saturating_mul(WARN_PERCENT);
        !std::mem::replace(&mut self.warned, is_full) && is_full
    }
}

/// Returns the estimated tokens of the next request: the provider's count at the last answer, plus an
/// estimate by characters for later messages; without a count, an estimate for everything, the prompt
/// included.
pub fn tokens(history: &[Message], prompt_chars: usize) -> u64 {
    let mut since = 0;
    for message in history.iter().rev() {
        if let Some(counted) = counted_tokens(message) {
            return counted.saturating_add(since);
        }
        since += estimate::of_message(message);
    }
    since + estimate::of_chars(prompt_chars as u64)
}

fn counted_tokens(message: &Message) -> Option<u64> {
    let Message::Assistant(answer) = message else { return None };
    let is_complete = !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted);
    Some(answer.usage.total_tokens).filter(|tokens| is_complete && *tokens > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Model, UserMessage};
    use crate::llm::stream::accumulate::Accumulator;

    #[test]
    fn context_fullness_warns_once_until_freed() {
        let mut fullness = Fullness::default();
        let told = [80, 81, 95, 40, 81].map(|tokens| fullness.should_warn(tokens, 100));
        assert_eq!(told, [false, true, false, false, true]);
        assert!(!fullness.should_warn(u64::MAX, 0));
    }

    #[test]
    fn context_fullness_estimates_uncounted_messages() {
        let user = |count: usize| Message::User(UserMessage::text("é".repeat(count), 0));
        let answer = |tokens, stop| {
            let mut message = Accumulator::new(&Model::unknown("p", "m", "a", ""), 0).finish();
            message.usage.total_tokens = tokens;
            message.stop_reason = stop;
            Message::Assistant(message)
        };
        assert_eq!(tokens(&[user(40)], 60), 25);
        assert_eq!(tokens(&[user(40), answer(1000, StopReason::Stop), user(40)], 60), 1010);
        assert_eq!(tokens(&[answer(1000, StopReason::Error), user(40)], 0), 10);
        assert_eq!(tokens(&[answer(0, StopReason::Stop), user(40)], 0), 10);
    }
}
