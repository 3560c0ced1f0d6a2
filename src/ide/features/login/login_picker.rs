//! Picker of the providers with a login.

use nucleo::Injector;

use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::login;

/// The provider that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "logins",
    title: "Log in to provider",
    footer: "Enter log in",
    load: |_| RowSource::Task(|cx, injector, picker| list(cx, injector, picker, false)),
    accept: |cx, pick, _| {
        if let Some(Provider { id, name }) = pick.get() {
            login::events::begin(cx, id, name);
        }
    },
    ..PickerSpec::EMPTY
};

/// Adds providers to the picker of this number; with `kept` only those with stored credentials.
pub fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64, kept: bool) {
    let Some(session) = cx.session.cloned() else { return cx.state.finish_filling(picker) };
    let listed = async move {
        let choices = session.login_providers().await?.into_iter();
        for choice in choices.filter(|choice| !kept || !choice.credential_kind.is_empty()) {
            let detail = if choice.credential_kind.is_empty() {
                String::new()
            } else {
                format!("{} kept", choice.credential_kind)
            };
            let text = format!("{}  {}", choice.name, choice.id);
            let pick = Pick::new(Provider { id: choice.id, name: choice.name });
            push(&injector, PickRow { text, aliases: Vec::new(), group: None, detail, pick });
        }
        Ok(())
    };
    cx.tasks.spawn("login.list-providers", listed, move |cx, listed| {
        cx.state.finish_filling(picker);
        success_or_error(cx, "list providers", listed);
    });
}
