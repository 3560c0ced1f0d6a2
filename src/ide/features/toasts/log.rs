//! The log of messages: a picker of the last ones, which copies one.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("view.notifications", "Show notifications", &["messages", "log", "errors"], |cx| {
        cx.state.status.asked_ms = cx.now_ms;
        cx.defer_picker("notifications");
    })
    .when(has_message)];

/// A message was shown.
fn has_message(state: &State) -> Result<(), Reason> {
    condition::require(state.status.log().next().is_some(), Reason::new("No notifications yet"))
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "notifications",
    title: "Notifications",
    footer: "Enter copy",
    preview: Some(|_, pick| {
        pick.get::<(usize, String)>().map(|(_, text)| PreviewTarget::text(text.as_str()))
    }),
    has_places: false,
    load: |state| {
        let now_ms = state.status.asked_ms;
        let row = |(n, logged): (usize, &crate::ide::core::status::LoggedMessage)| PickRow {
            text: format!("{} {}", if logged.is_error { "✗" } else { "·" }, logged.text.replace('\n', " ")),
            aliases: Vec::new(),
            group: None,
            detail: logged.at_ms.map_or_else(String::new, |at| crate::ide::model::age::age(now_ms, at)),
            pick: Pick::new((n, logged.text.clone())),
        };
        RowSource::Rows(state.status.log().enumerate().map(row).collect(), Vec::new())
    },
    accept: |cx, pick, _| {
        if let Some((_, text)) = pick.get::<(usize, String)>() {
            cx.ui.clipboard = Some(text.clone());
            cx.state.kill_ring.copy(vec![text.clone()]);
            cx.state.set_status("Copied the notification");
        }
    },
    ..PickerSpec::EMPTY
};
