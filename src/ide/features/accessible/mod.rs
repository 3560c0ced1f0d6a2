//! Accessible mode: titles in words, announcements in one line, and a command that says where the caret is. Must not know
//! how other parts are drawn for screen readers: the canvas has signs and selected rows, the layout has the panes.

use crate::ide::core::context::{Command, command};
use crate::ide::core::feature::Feature;

pub mod announcement;
pub mod titles;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "view.read-position",
    "Show position and state",
    &["where am I", "read status", "say line", "screen reader", "accessible"],
    |cx| {
        let text = titles::position(cx.state);
        cx.state.set_status(text);
    },
)];

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[COMMANDS],
    slots: &[|_| Box::new(announcement::Held::default())],
    on_event: announcement::on_event,
    ..Feature::new("accessible")
};
