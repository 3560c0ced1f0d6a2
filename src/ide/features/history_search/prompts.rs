//! What was said before, in this folder and in others; picking one puts it into the prompt.

use nucleo::Injector;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answered};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{Load, Row};
use crate::ide::features::history_search::events::{line, put};

/// The table's row.
pub const PICKER: Row = Row {
    id: "prompts",
    title: "Prompt history",
    footer: "Enter insert into prompt",
    load: |_| Load::Task(list),
    accept: |cx, pick, _| {
        if let Some(text) = pick.get::<String>() {
            put(cx, text);
        }
    },
};

/// Puts the prompts of all folders into the picker of this number.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let Some(past) = cx.session.map(crate::runtime::Handle::past) else { return cx.state.filled(picker) };
    let listed = move || {
        for said in past.recall().into_iter().rev() {
            let detail = if said.here { String::new() } else { visible(&said.cwd).into_owned() };
            push(
                &injector,
                PickRow { text: line(&said.text), aliases: Vec::new(), detail, pick: Pick::new(said.text) },
            );
        }
    };
    cx.tasks.spawn_blocking("history_search.list-prompts", listed, move |cx, listed| {
        cx.state.filled(picker);
        answered(cx, "list prompts", listed);
    });
}
