//! The setting that colors names by what servers know.

use crate::ide::core::feature::SettingSpec;
use crate::ide::features::semantic_tokens::state::SEMANTIC_TOKENS;
use crate::ide::features::semantic_tokens::tokens;

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec::new("semantic-tokens", |cx, new| {
    cx.state.slots[SEMANTIC_TOKENS].is_on = new.server_display.semantic_tokens;
    if !new.server_display.semantic_tokens {
        tokens::clear(cx);
    }
})];
