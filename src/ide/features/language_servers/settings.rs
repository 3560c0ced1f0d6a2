//! The settings of language servers.

use std::sync::atomic::Ordering;

use crate::ide::core::feature::SettingSpec;
use crate::ide::features::language_servers::linked_editing::Linking;
use crate::ide::features::language_servers::start;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] = &[
    SettingSpec::new("language-servers", |cx, new| {
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
    }),
    SettingSpec::new("language-server-memory", |cx, new| {
        let memory_max = &cx.state.slots[LANGUAGE_SERVERS].memory_max;
        memory_max.store(new.server_display.memory_max(), Ordering::Relaxed);
    }),
    SettingSpec::new("format-on-save", |cx, new| {
        cx.state.slots[LANGUAGE_SERVERS].formats_on_save = new.format_on_save;
    }),
    SettingSpec::new("format-on-type", |cx, new| {
        cx.state.slots[LANGUAGE_SERVERS].formats_on_type = new.server_display.typing.format_on_type;
    }),
    SettingSpec::new("linked-editing", |cx, new| {
        let known = &mut cx.state.slots[LANGUAGE_SERVERS];
        (known.links_names, known.linked) = (new.server_display.typing.linked_editing, Linking::default());
    }),
    SettingSpec::new("diagnostics-after-edit", |cx, new| {
        cx.state.slots[LANGUAGE_SERVERS].reports_to_agent = new.diagnostics_after_edit;
    }),
];
