//! Picker of the providers with a stored key or login.

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::login::events::log_out;
use crate::ide::features::login::login_picker::Provider;
use crate::ide::features::login::login_picker::list;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "logouts",
    title: "Log out of provider",
    footer: "Enter log out",
    load: |_| RowSource::Task(|cx, injector, picker| list(cx, injector, picker, true)),
    accept: |cx, pick, _| {
        if let Some(Provider { id, name }) = pick.get() {
            log_out(cx, id.clone(), name.clone());
        }
    },
    ..PickerSpec::EMPTY
};
