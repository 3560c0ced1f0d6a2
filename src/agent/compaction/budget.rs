//! Token budgets of compaction: when a context window counts as full, and how much of a conversation is kept.
//! Plain data and derived values. Must not know settings files.

use std::collections::BTreeMap;

use crate::llm::model::Model;

/// Tokens of the window that stay free, as in pi.
pub const RESERVE: u64 = 16_384;
/// Tokens at the end of a conversation that are kept, as in pi.
pub const KEEP: u64 = 20_000;

/// Settings of automatic compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether it is enabled. Manual compaction is always possible.
    pub enabled: bool,
    /// Tokens of the window that stay free.
    pub reserve: u64,
    /// Tokens at the end that are kept.
    pub keep: u64,
    /// Overrides for models, by `provider/id`.
    pub models: BTreeMap<String, Override>,
    /// Whether the context is checked when a run ends, too. Off for hosts where the conversation ends with
    /// the run.
    pub after_runs: bool,
}

/// Overrides for one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Override {
    /// Overrides the reserve.
    pub reserve: Option<u64>,
    /// Overrides the tokens that are kept.
    pub keep: Option<u64>,
}

/// Budget for one context window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Size of the window in tokens; 0 when unknown.
    pub window: u64,
    /// Tokens of it that stay free.
    pub reserve: u64,
    /// Tokens at the end that are kept.
    pub keep: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { enabled: true, reserve: RESERVE, keep: KEEP, models: BTreeMap::new(), after_runs: true }
    }
}

impl Settings {
    /// Returns the budget for a model. For a small window the values are reduced: at most half of it stays
    /// free, and at most half of the rest is kept.
    #[doc(hidden)]
    pub fn budget(&self, model: &Model) -> Budget {
        let own = self.models.get(&format!("{}/{}", model.provider, model.id)).copied().unwrap_or_default();
        let (reserve, keep) = (own.reserve.unwrap_or(self.reserve), own.keep.unwrap_or(self.keep));
        let window = model.context_window;
        if window == 0 {
            return Budget { window, reserve, keep };
        }
        let reserve = reserve.min(window / 2);
        Budget { window, reserve, keep: keep.min((window - reserve) / 2) }
    }
}

impl Budget {
    /// Whether this number of tokens exceeds the budget.
    pub fn is_full(self, tokens: u64) -> bool {
        self.window > 0 && tokens > self.window - self.reserve.min(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(window: u64) -> Model {
        Model { context_window: window, ..Model::unknown("p", "m", "a", "") }
    }

    #[test]
    fn compaction_budget_is_full_below_reserve() {
        let budget = Settings::default().budget(&model(200_000));
        assert_eq!((budget.reserve, budget.keep), (16_384, 20_000));
        assert!(!budget.is_full(183_616) && budget.is_full(183_617));
        assert!(!Settings::default().budget(&model(0)).is_full(u64::MAX), "nothing is known of the window");
    }

    #[test]
    fn compaction_budget_shrinks_for_small_windows() {
        let of = |window| {
            let budget = Settings::default().budget(&model(window));
            (budget.reserve, budget.keep)
        };
        assert_eq!(of(64_000), (16_384, 20_000));
        assert_eq!(of(32_000), (16_000, 8_000));
        assert_eq!(of(8_000), (4_000, 2_000));
        assert_eq!(of(1), (0, 0));
    }

    #[test]
    fn compaction_budget_can_be_set_per_model() {
        let own = Override { reserve: Some(50_000), keep: None };
        let settings = Settings { models: [("p/m".to_string(), own)].into(), ..Settings::default() };
        assert_eq!(settings.budget(&model(200_000)).reserve, 50_000);
        let other = Model { id: "n".into(), ..model(200_000) };
        assert_eq!(settings.budget(&other).reserve, RESERVE);
    }
}
