//! The providers that one can log in at.

use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::login;

/// The table's row.
pub const PICKER: Row = Row {
    id: "logins",
    title: "log in at",
    footer: "Enter log in",
    load: |_| Load::Providers { kept: false },
    accept: |cx, pick, _| {
        if let Pick::Provider { id, name } = pick {
            login::events::begin(cx, id, name);
        }
    },
};
