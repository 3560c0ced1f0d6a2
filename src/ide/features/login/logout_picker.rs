//! The providers that a key or a login is kept for.

use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::login::work::Work;

/// The table's row.
pub const PICKER: Row = Row {
    id: "logouts",
    title: "forget what is kept for",
    footer: "Enter forget",
    load: |_| Load::Providers { kept: true },
    accept: |cx, pick, _| {
        if let Pick::Provider { id, name } = pick {
            cx.effects.push(Effect::Access(Work::Logout(id.clone(), name.clone())));
        }
    },
};
