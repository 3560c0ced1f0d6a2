//! The stash: messages that were put away from the prompt, each in a file of its own, so that several running programs
//! do not lose those of each other.

use std::sync::Arc;

use nucleo::Injector;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::drafts::events::{show, write_current};
use crate::ide::features::drafts::state::DRAFTS;
use crate::ide::features::drafts::store::DraftStore;
use crate::ide::model::age::age;
use crate::ide::model::draft::Draft;

/// Maximum characters of a message in a row.
const SHOWN_MAX: usize = 300;
/// Maximum characters of a message beside the list.
const PREVIEW_MAX: usize = 16 << 10;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("prompt.stash", "Stash or restore message", &["put away", "save draft"], stash)];

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "stashes",
    title: "Stashed messages",
    footer: "Enter restore  Delete remove",
    preview: Some(|_, pick| pick.get::<Stash>().map(|Stash(_, text)| PreviewTarget::text(Arc::clone(text)))),
    has_places: false,
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(Stash(name, _)) = pick.get() {
            restore(cx, name.clone());
        }
    },
    remove: Some(delete),
    ..PickerSpec::EMPTY
};

/// The name of a stash in the store, and the beginning of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stash(String, Arc<str>);

/// Puts the message away; with an empty prompt brings the stashed one back, or lists several.
fn stash(cx: &mut Cx<'_>) {
    if !cx.state.slots[DRAFTS].is_kept {
        return cx.state.set_status("Nothing is stashed with --no-session");
    }
    if cx.state.panes.focus != Focus::Agent {
        panes::focus(cx, Focus::Agent);
    }
    if !cx.state.prompt.is_empty() {
        return put_away(cx);
    }
    let store = Arc::clone(&cx.state.slots[DRAFTS].store);
    cx.tasks.spawn_blocking(
        "drafts.stashes",
        move || store.stashes(),
        |cx, names| match answer_or_error(cx, "list stashed messages", names) {
            Some(Ok(names)) => match &names[..] {
                [] => cx.state.set_status("No stashed messages"),
                [(only, _)] => restore(cx, only.clone()),
                _ => cx.defer_picker("stashes"),
            },
            Some(Err(error)) => cx.state.set_error(format!("Cannot list stashed messages: {error}")),
            None => {}
        },
    );
}

/// Empties the prompt once its message is written; a message that cannot be written comes back.
fn put_away(cx: &mut Cx<'_>) {
    cx.state.prompt.keep_shown();
    let draft = cx.state.prompt.draft();
    cx.state.prompt.set_draft(Draft::default(), cx.now_ms);
    cx.state.damage.add_all();
    let drafts = &mut cx.state.slots[DRAFTS];
    let number = drafts.next_number();
    let (store, now_ms, kept) = (Arc::clone(&drafts.store), cx.now_ms, draft.clone());
    cx.tasks.spawn_blocking(
        "drafts.stash",
        move || store.put(&store.stash_name(now_ms, number), draft, number),
        move |cx, written| {
            let failed = match written {
                Ok(Ok(())) => return cx.state.set_status("Message stashed. The same key brings it back"),
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            show(cx, kept);
            cx.state.set_error(format!("Cannot stash the message: {failed}"));
        },
    );
}

/// Brings a message back into the prompt; then it is in the stash no more.
fn restore(cx: &mut Cx<'_>, name: String) {
    let store = Arc::clone(&cx.state.slots[DRAFTS].store);
    let wanted = name.clone();
    cx.tasks.spawn_blocking(
        "drafts.unstash",
        move || store.get(&wanted),
        move |cx, found| match answer_or_error(cx, "read the stashed message", found) {
            Some(Ok(Some(_))) if !cx.state.prompt.is_empty() => {
                cx.state.set_status("Send or stash the message in the prompt first");
            }
            Some(Ok(Some(draft))) => {
                show(cx, draft);
                // As a draft it is written before it leaves the stash.
                write_current(cx);
                remove(cx, name, |_| {});
            }
            Some(Ok(None)) => cx.state.set_status("Stashed message not found: another window took it"),
            Some(Err(error)) => cx.state.set_error(format!("Cannot read the stashed message: {error}")),
            None => {}
        },
    );
}

/// Removes a message from the stash, then runs `done`.
fn remove(cx: &mut Cx<'_>, name: String, done: fn(&mut Cx<'_>)) {
    let drafts = &mut cx.state.slots[DRAFTS];
    let (store, number) = (Arc::clone(&drafts.store), drafts.next_number());
    cx.tasks.spawn_blocking(
        "drafts.drop",
        move || store.put(&name, Draft::default(), number),
        move |cx, removed| match answer_or_error(cx, "delete the stashed message", removed) {
            Some(Ok(())) => done(cx),
            Some(Err(error)) => cx.state.set_error(format!("Cannot delete the stashed message: {error}")),
            None => {}
        },
    );
}

/// Deletes a message of the list.
fn delete(cx: &mut Cx<'_>, pick: &Pick) {
    let Some(Stash(name, _)) = pick.get() else { return };
    remove(cx, name.clone(), |cx| {
        if cx.state.layers.top::<Picker>().is_some_and(|picker| picker.spec.id == PICKER.id) {
            cx.state.pop_layer();
            cx.defer_picker("stashes");
        }
    });
}

/// Adds the stashed messages to the picker of this number, the newest first.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64) {
    let (store, now_ms) = (Arc::clone(&cx.state.slots[DRAFTS].store), cx.now_ms);
    cx.tasks.spawn_blocking(
        "drafts.list",
        move || push_rows(&store, &injector, now_ms),
        move |cx, listed| {
            cx.state.finish_filling(picker);
            if let Some(Err(error)) = answer_or_error(cx, "list stashed messages", listed) {
                cx.state.set_error(format!("Cannot list stashed messages: {error}"));
            }
        },
    );
}

fn push_rows(store: &DraftStore, injector: &Injector<PickRow>, now_ms: u64) -> std::io::Result<()> {
    for (name, stashed_ms) in store.stashes()? {
        // One that was taken or is damaged must not hide the others.
        let (text, lines, start) = match store.get(&name) {
            Ok(Some(draft)) => {
                let start: String = draft.text.to_string().chars().take(PREVIEW_MAX).collect();
                let lines = pluralize(draft.text.line_count(), "line", "lines");
                let row: String = start.chars().take(SHOWN_MAX).collect();
                (visible(&row.replace('\n', "⏎")).into_owned(), lines, start)
            }
            Ok(None) => continue,
            Err(error) => {
                let problem = format!("(unreadable: {error})");
                (problem.clone(), String::new(), problem)
            }
        };
        let detail = format!("{lines}  {}", age(now_ms, stashed_ms));
        let pick = Pick::new(Stash(name, start.into()));
        push(injector, PickRow { text, aliases: Vec::new(), group: None, detail, pick });
    }
    Ok(())
}
