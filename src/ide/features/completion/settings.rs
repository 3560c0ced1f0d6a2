//! The setting that shows completions while typing.

use crate::ide::core::feature::SettingSpec;
use crate::ide::features::completion::state::COMPLETIONS;

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec::new("auto-completion", |cx, new| {
    let known = &mut cx.state.slots[COMPLETIONS];
    known.is_on = known.is_allowed && new.auto_completion;
})];
