//! The list of all commands with their keys, to change them.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::picker::{self, Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::rank::{self, Names};
use crate::ide::core::state::State;
use crate::ide::features::key_editor::recorder::{Recorder, Target};
use crate::ide::features::key_editor::store::{self, KeyChange};
use crate::tui::input::Key;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "key-bindings",
    title: "Edit keyboard shortcuts",
    footer: "Enter change  Delete remove  Ctrl-r reset",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    rank: Some(rank),
    letters: Some(|query, row| rank::letters(query, &row.text)),
    stays_open: true,
    accept: |cx, pick, _| {
        if let Some(target) = pick.get::<Target>() {
            let target = target.clone();
            cx.state.push_layer(Recorder::for_command(target));
        }
    },
    remove: Some(remove),
    reset: Some(|cx, pick| {
        if let Some(target) = pick.get::<Target>() {
            let (command, title) = (target.command, target.title);
            store::change(cx, KeyChange::Reset { command, title }, refresh);
        }
    }),
    ..PickerSpec::EMPTY
};

fn rank(query: &str, row: &PickRow) -> Option<u32> {
    let others: Vec<&str> = row.aliases.iter().map(String::as_str).collect();
    let names = Names { title: &row.text, aliases: &others, ..Names::default() };
    rank::rank(query, &names).map(|found| found.score)
}

fn remove(cx: &mut Cx<'_>, pick: &Pick) {
    let Some(target) = pick.get::<Target>().cloned() else { return };
    match target.keys {
        None => cx.state.set_status("This command has no key"),
        Some(old) => {
            let Target { command, title, context, .. } = target;
            store::change(cx, KeyChange::Set { command, title, context, old: Some(old), new: None }, refresh);
        }
    }
}

/// Returns a row for each key of each command, and one for each command without a key.
fn rows(state: &State) -> Vec<PickRow> {
    let bound: Vec<(KeyContext, Vec<(String, String)>)> =
        KeyContext::ALL.into_iter().map(|context| (context, state.keymap.bindings(context))).collect();
    let mut rows = Vec::new();
    for command in state.catalog.commands() {
        let before = rows.len();
        for (context, bindings) in &bound {
            for (keys, _) in bindings.iter().filter(|(_, id)| id == command.id) {
                let parsed: Result<Vec<Key>, _> = keys.split_whitespace().map(str::parse).collect();
                let target = Target {
                    command: command.id,
                    title: command.title,
                    context: *context,
                    keys: parsed.ok(),
                };
                rows.push(row(target, format!("{keys}  {}", context.name()), command.aliases));
            }
        }
        if rows.len() == before {
            let context = KeyContext::Global;
            let target = Target { command: command.id, title: command.title, context, keys: None };
            rows.push(row(target, "no key".to_string(), command.aliases));
        }
    }
    rows
}

fn row(target: Target, detail: String, aliases: &[&str]) -> PickRow {
    let ids = [target.command.to_string(), detail.clone()];
    PickRow {
        text: target.title.to_string(),
        aliases: ids.into_iter().chain(aliases.iter().map(ToString::to_string)).collect(),
        group: None,
        detail,
        pick: Pick::new(target),
    }
}

/// Shows the current keys, if the list is open.
pub fn refresh(cx: &mut Cx<'_>) {
    let rows = rows(cx.state);
    picker::refresh(cx.state, PICKER.id, &rows, &[]);
}
