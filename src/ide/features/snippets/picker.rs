//! Picker of the user's snippets for the language of the file.

use std::path::PathBuf;

use nucleo::Injector;

use crate::config;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::plugins::state::PLUGINS;
use crate::ide::features::snippets;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "snippets",
    title: "Insert snippet",
    footer: "Enter paste",
    load: |_| RowSource::Task(read),
    accept: |cx, pick, _| {
        if let Some(body) = pick.get::<String>() {
            snippets::commands::insert_snippet(cx, body);
        }
    },
    ..PickerSpec::EMPTY
};

/// Adds the snippets for the languages of the shown file to the picker of this number. The status line
/// reports problems with their files, or that there are none.
fn read(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let mut folders = vec![cx.state.config.join("snippets")];
    folders.extend(cx.state.slots[PLUGINS].snippets.iter().cloned());
    let names = snippets::commands::languages(cx.state);
    let work = move || fill(&injector, &folders, &names);
    cx.tasks.spawn_blocking("snippets.read", work, move |cx, problem| {
        cx.state.finish_filling(picker);
        if let Some(problem) = answer_or_error(cx, "read snippets", problem).flatten() {
            cx.state.set_error(problem);
        }
    });
}

/// Reads the snippets in folders for a language with these names into a picker. Returns a message for the
/// user. Blocking.
fn fill(injector: &Injector<PickRow>, folders: &[PathBuf], names: &[&'static str]) -> Option<String> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for folder in folders {
        let (some, wrong) = config::snippets::read(folder, names);
        found.extend(some);
        problems.extend(wrong);
    }
    let none = found.is_empty().then(|| {
        let language = names.last().map(|name| format!(" for {name}")).unwrap_or_default();
        let folder = folders.first().map(|folder| folder.display().to_string()).unwrap_or_default();
        format!("No snippets{language} in {folder}")
    });
    for snippet in found {
        let short = [snippet.prefix, snippet.name].into_iter().filter(|part| !part.is_empty());
        let text = short.collect::<Vec<_>>().join("  ");
        push(
            injector,
            PickRow {
                text,
                aliases: Vec::new(),
                group: None,
                detail: snippet.description,
                pick: Pick::new(snippet.body),
            },
        );
    }
    problems.first().map(ToString::to_string).or(none)
}
