//! Commands on sessions: the tree of the one that is open, and going on with others.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::Effect;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::editor::commands::edit;
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::sessions::picker::SessionFile;
use crate::ide::features::sessions::trash;
use crate::runtime::Summary;
use crate::runtime::history::navigation::{Change, Spot};
use crate::text::edit::Reach;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("view.session-tree", "Go to another place of the conversation", sessions::open),
    command("session.new", "Begin a new session", |cx| sessions::replace(cx, Change::New(None))),
    command("session.resume", "Go on with another session", |cx| cx.effects.push(Effect::Picker("sessions"))),
    command("session.resume-anywhere", "Go on with a session of any folder", |cx| {
        cx.effects.push(Effect::Picker("sessions-anywhere"));
    }),
    command("session.copy", "Go on in a copy of the session", |cx| {
        sessions::replace(cx, Change::Copy);
    }),
    command("session.rename", "Give the session a name", rename),
    command("session.delete", "Move a session into the trash", delete),
    command("session.undelete", "Bring the session back that was deleted last", trash::undelete),
    command("session.branch", "Say something else behind the selected entry", |cx| {
        sessions::at_row(cx, |cx, _, id| sessions::go(cx, Spot::Behind(id), Summary::None));
    }),
    command("session.new-root", "Begin anew in the same session", |cx| {
        sessions::go(cx, Spot::Root, Summary::None);
    }),
    command("session.go-with-summary", "Go to the selected entry with a summary of what is left", |cx| {
        sessions::at_row(cx, |cx, _, _| {
            Prompt::new("the summary is about (nothing: all)", |cx, about| sessions::summarise(cx, &about))
                .open(cx);
        });
    }),
    command("session.fork", "Go on from the selected entry in a session of its own", |cx| {
        sessions::at_row(cx, |cx, _, id| sessions::replace(cx, Change::Fork(id)));
    }),
    command("session.label", "Give the selected entry a label", label),
    command("session.search-tree", "Show only the entries that say something", |cx| {
        let text = sessions::view_of(cx.state).map(|view| view.found.as_ref().map(|(text, _)| text.clone()));
        match text {
            Some(text) => Prompt::new("show what says", |cx, text| sessions::search(cx, text.trim()))
                .first(text.unwrap_or_default())
                .open(cx),
            None => sessions::open(cx),
        }
    }),
    command("session.next-filter", "Show other kinds of entries in the session tree", sessions::filter),
    command("session.fold", "Hide what follows the selected entry", |cx| {
        sessions::with(cx, |view| view.fold(true));
    }),
    command("session.unfold", "Show what follows the selected entry", |cx| {
        sessions::with(cx, |view| view.fold(false));
    }),
    command("session.next-branch", "To the next place where the conversation parts", |cx| {
        sessions::with(cx, |view| view.leap(1));
    }),
    command("session.previous-branch", "To the place before where the conversation parts", |cx| {
        sessions::with(cx, |view| view.leap(-1));
    }),
];

fn rename(cx: &mut Cx<'_>) {
    let now = cx.state.agent.name.clone().unwrap_or_default();
    let prompt = Prompt::new("call the session", |cx, name| sessions::rename(cx, name.trim().to_string()));
    prompt.required().first(now).open(cx);
}

fn label(cx: &mut Cx<'_>) {
    sessions::at_row(cx, |cx, number, id| {
        let row = sessions::view_of(cx.state).and_then(|view| view.selected_row());
        let now = row.and_then(|row| row.label.as_ref()).map(ToString::to_string).unwrap_or_default();
        let prompt = Prompt::new("label (nothing takes it away)", move |cx, label| {
            let label = Some(label.trim().to_string()).filter(|label| !label.is_empty());
            sessions::label(cx, number, id, label);
        });
        prompt.first(now).open(cx);
    });
}

/// Deletes the session that is selected in a picker, or asks for one. In a picker of something else the key
/// does what it does in a text.
fn delete(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top::<Picker>() else {
        return cx.effects.push(Effect::Picker("sessions-delete"));
    };
    let row =
        picker.current().and_then(|row| Some((row.pick.get::<SessionFile>()?.clone(), row.text.clone())));
    match row {
        Some((SessionFile(path), title)) => trash::ask_to_delete(cx, path, &title),
        None => edit::erase(cx, Reach::Grapheme),
    }
}
