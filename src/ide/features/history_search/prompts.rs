//! Picker of earlier prompts, in this folder and in others; accepting one puts it into the prompt.

use nucleo::Injector;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::features::history_search::events::{one_line, put_into_prompt};

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "prompts",
    title: "Prompt history",
    footer: "Enter insert into prompt",
    preview: Some(|_, pick| pick.get::<String>().map(|text| PreviewTarget::text(text.as_str()))),
    has_places: false,
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(text) = pick.get::<String>() {
            put_into_prompt(cx, text);
        }
    },
    ..PickerSpec::EMPTY
};

/// Adds the prompts of all folders to the picker of this number.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let Some(past) = cx.session.map(crate::runtime::Handle::history_search) else {
        return cx.state.finish_filling(picker);
    };
    let listed = move || {
        for prompt in past.recall().into_iter().rev() {
            let detail =
                if prompt.in_session_folder { String::new() } else { visible(&prompt.cwd).into_owned() };
            push(
                &injector,
                PickRow {
                    text: one_line(&prompt.text),
                    aliases: Vec::new(),
                    group: None,
                    detail,
                    pick: Pick::new(prompt.text),
                },
            );
        }
    };
    cx.tasks.spawn_blocking("history_search.list-prompts", listed, move |cx, listed| {
        cx.state.finish_filling(picker);
        answer_or_error(cx, "list prompts", listed);
    });
}
