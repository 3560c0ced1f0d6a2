//! The providers that one can log in at.

use super::row::{Load, Row};
use crate::ide::access;
use crate::ide::state::overlay::Pick;

/// The table's row.
pub const PICKER: Row = Row {
    id: "logins",
    title: "log in at",
    footer: "Enter log in",
    load: |_| Load::Providers { kept: false },
    accept: |cx, pick, _| {
        if let Pick::Provider { id, name } = pick {
            access::begin(cx, id, name);
        }
    },
};
