//! Commands on sessions: the tree of the open one, and continuing others.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::editor::commands::edit;
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::sessions::forest_events;
use crate::ide::features::sessions::last;
use crate::ide::features::sessions::picker::SessionFile;
use crate::ide::features::sessions::search_line;
use crate::ide::features::sessions::trash;
use crate::runtime::BranchSummaryChoice;
use crate::runtime::history::navigation::{NavigationTarget, SessionSwitch};
use crate::text::operations::edit::DeleteTarget;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "view.session-tree",
        "Show session tree",
        &["session", "rewind", "go back", "branches", "/tree"],
        sessions::open,
    )
    .when(condition::has_session),
    command("session.new", "New session", &["new chat", "clear", "reset"], |cx| {
        sessions::replace(cx, SessionSwitch::New(None));
    })
    .when(condition::has_session),
    command("session.resume", "Resume session", &["continue", "open session", "history"], |cx| {
        cx.defer_picker("sessions");
    }),
    command("session.resume-last", "Go to last session", &["continue", "resume"], last::resume),
    command("session.resume-first", "Resume latest session", &["continue", "recent", "start screen"], |cx| {
        last::resume_recent(cx, 0);
    }),
    command(
        "session.resume-second",
        "Resume second latest session",
        &["continue", "recent", "start screen"],
        |cx| {
            last::resume_recent(cx, 1);
        },
    ),
    command(
        "session.resume-third",
        "Resume third latest session",
        &["continue", "recent", "start screen"],
        |cx| {
            last::resume_recent(cx, 2);
        },
    ),
    command(
        "session.resume-fourth",
        "Resume fourth latest session",
        &["continue", "recent", "start screen"],
        |cx| {
            last::resume_recent(cx, 3);
        },
    ),
    command(
        "session.resume-fifth",
        "Resume fifth latest session",
        &["continue", "recent", "start screen"],
        |cx| {
            last::resume_recent(cx, 4);
        },
    ),
    command(
        "session.resume-anywhere",
        "Resume session from any folder",
        &["continue", "all sessions"],
        |cx| {
            cx.defer_picker("sessions-anywhere");
        },
    ),
    command("session.copy", "Copy session", &["clone", "duplicate"], |cx| {
        sessions::replace(cx, SessionSwitch::Copy);
    })
    .when(condition::has_session),
    command("session.rename", "Rename session", &["name", "title"], rename),
    command("session.delete", "Delete session", &["trash", "remove"], delete),
    command("session.undelete", "Restore deleted session", &["undelete", "trash"], trash::undelete),
    command("session.branch", "Branch from selected entry", &["continue from answer", "rewind"], |cx| {
        if sessions::is_forest(cx.state) {
            return forest_events::resume(cx);
        }
        sessions::branch_from_selected(cx);
    }),
    command("session.new-root", "Start over in session", &["clear", "new root"], |cx| {
        sessions::go_to_entry(cx, NavigationTarget::Root, BranchSummaryChoice::None);
    })
    .when(condition::has_session),
    command("session.go-with-summary", "Go to entry with summary", &["branch summary"], |cx| {
        sessions::with_selected_entry(cx, |cx, _, _| {
            Prompt::new("Focus of the summary (empty: all)", |cx, about| {
                sessions::go_with_summary(cx, &about);
            })
            .open(cx);
        });
    }),
    command("session.fork", "Fork session from entry", &["clone", "new session"], |cx| {
        sessions::with_selected_entry(cx, |cx, _, id| sessions::replace(cx, SessionSwitch::Fork(id)));
    }),
    command("session.label", "Label selected entry", &["bookmark", "tag"], label),
    command("session.search-tree", "Search session tree", &["filter entries"], search_line::open),
    command(
        "session.next-filter",
        "Cycle session tree filter",
        &["show all", "hide tools", "turns", "answers", "tools", "labelled", "user only"],
        |cx| sessions::cycle_filter(cx, 1),
    ),
    command(
        "session.previous-filter",
        "Cycle session tree filter backwards",
        &["show all", "hide tools", "turns", "answers", "tools", "labelled", "user only"],
        |cx| sessions::cycle_filter(cx, -1),
    ),
    command("session.fold", "Fold session entry", &["collapse"], |cx| {
        fold(cx, true);
    }),
    command("session.unfold", "Unfold session entry", &["expand"], |cx| {
        fold(cx, false);
    }),
    command(
        "session.toggle-hidden",
        "Hide or show branch",
        &["collapse branch", "unhide"],
        sessions::toggle_hidden,
    ),
    command("session.next-branch", "Go to next branch point", &["next fork"], |cx| {
        sessions::with_view(cx, |view| view.step_to_branch(1));
    }),
    command("session.previous-branch", "Go to previous branch point", &["previous fork"], |cx| {
        sessions::with_view(cx, |view| view.step_to_branch(-1));
    }),
];

fn fold(cx: &mut Cx<'_>, closes: bool) {
    if sessions::is_forest(cx.state) {
        return forest_events::fold(cx, closes);
    }
    sessions::with_view(cx, |view| view.fold(closes));
}

fn rename(cx: &mut Cx<'_>) {
    let now = cx.state.agent.name.clone().unwrap_or_default();
    let prompt = Prompt::new("Rename session", |cx, name| sessions::rename(cx, name.trim().to_string()));
    prompt.required().initial(now).open(cx);
}

fn label(cx: &mut Cx<'_>) {
    sessions::with_selected_entry(cx, |cx, number, id| {
        let row = sessions::view_of(cx.state).and_then(|view| view.selected_row());
        let now = row.and_then(|row| row.label.as_ref()).map(ToString::to_string).unwrap_or_default();
        let prompt = Prompt::new("Label (empty removes it)", move |cx, label| {
            let label = Some(label.trim().to_string()).filter(|label| !label.is_empty());
            sessions::label(cx, number, id, label);
        });
        prompt.initial(now).open(cx);
    });
}

/// Deletes the session selected in a picker, or opens a picker for one. In another picker the key edits the
/// query.
fn delete(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top::<Picker>() else {
        return cx.defer_picker("sessions-delete");
    };
    let row =
        picker.current().and_then(|row| Some((row.pick.get::<SessionFile>()?.clone(), row.text.clone())));
    match row {
        Some((SessionFile(path), title)) => trash::ask_to_delete(cx, path, &title),
        None => edit::erase(cx, DeleteTarget::Grapheme),
    }
}
