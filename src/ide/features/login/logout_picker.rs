//! Picker of the providers with a stored key or login.

use nucleo::Injector;

use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource, push};
use crate::ide::features::login::events::log_out;

/// The provider that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
struct StoredProvider {
    id: String,
    name: String,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "logouts",
    title: "Log out of provider",
    footer: "Enter log out",
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(StoredProvider { id, name }) = pick.get() {
            log_out(cx, id.clone(), name.clone(), |_| {});
        }
    },
    ..PickerSpec::EMPTY
};

/// Adds the providers to the picker of this number.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let Some(session) = cx.session.cloned() else { return cx.state.finish_filling(picker) };
    let listed = async move {
        let choices = session.login_providers().await?.into_iter();
        for choice in choices.filter(|choice| !choice.credential_kind.is_empty()) {
            let detail = format!("{} kept", choice.credential_kind);
            let text = format!("{}  {}", choice.name, choice.id);
            let pick = Pick::new(StoredProvider { id: choice.id, name: choice.name });
            push(&injector, PickRow { text, aliases: Vec::new(), group: None, detail, pick });
        }
        Ok(())
    };
    cx.tasks.spawn("login.list-stored", listed, move |cx, listed| {
        cx.state.finish_filling(picker);
        success_or_error(cx, "list providers", listed);
    });
}
