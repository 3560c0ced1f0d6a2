//! The setting that turns language servers on and off.

use crate::ide::core::feature::SettingSpec;
use crate::ide::features::language_servers::start;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec::new("language-servers", |cx, new| {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    let is_on = known.is_allowed && new.language_servers;
    if known.is_on == is_on {
        return;
    }
    known.is_on = is_on;
    if is_on {
        start::read_table(cx);
    } else {
        start::stop_all(cx);
    }
})];
