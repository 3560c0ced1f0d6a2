//! What answers lead to: of dialogs, and of one-line questions.

use crate::base::paths;
use crate::ide::core::context::Cx;
use crate::ide::core::overlay::{Answer, Overlay, Topic};
use crate::ide::core::panes::Focus;
use crate::ide::core::quit;
use crate::ide::editor::commands::panes;
use crate::ide::editor::commands::search;
use crate::ide::editor::modal::{line, picking, seek};
use crate::ide::features::file_tree;
use crate::ide::features::file_tree::steps::TreeJob;
use crate::ide::features::files;
use crate::ide::features::files::commands::{ask, save_buffer};
use crate::ide::features::files::save::{AfterSave, save_in, save_to};
use crate::ide::features::history_search;
use crate::ide::features::project_search;
use crate::ide::features::sessions;
use crate::ide::features::undo_store;
use crate::ide::features::{diff, git, undo_tree};
use crate::ide::features::{permissions, pipe, plugins, recovery, terminal};
use crate::ide::model::results::Asked;
use crate::text::position::Byte;
use crate::text::search::Needle;

/// A dialog was answered; it is gone from the screen already.
pub fn dialog(cx: &mut Cx<'_>, answer: &Answer) {
    match answer {
        Answer::Dismiss => {}
        Answer::Quit => quit::leave(cx),
        Answer::SaveAndQuit => {
            let ids: Vec<_> = cx.state.buffers.unsaved().map(|buffer| buffer.id).collect();
            if ids.is_empty() {
                quit::leave(cx);
            }
            for id in ids {
                save_buffer(cx, id, AfterSave::Quit, false);
            }
        }
        Answer::CloseTerminal(id) => terminal::events::close(cx, *id),
        Answer::Discard(id) => {
            undo_store::keep::keep(cx, *id);
            cx.state.close_buffer(*id);
        }
        Answer::SaveAndClose(id) => save_buffer(cx, *id, AfterSave::Close, false),
        Answer::Overwrite(id, path) => save_to(cx, *id, path.clone(), AfterSave::Stay, true),
        Answer::Reload(id) | Answer::TakeDisk(id) => files::disk::reread(cx, *id, true),
        Answer::ShowDisk(id) => files::disk::compare(cx, *id),
        Answer::KeepText(id) => files::disk::keep(cx, *id),
        Answer::ReadAs(id, encoding) => files::disk::reread_as(cx, *id, true, Some(*encoding)),
        Answer::SaveIn(id, encoding) => save_in(cx, *id, *encoding),
        Answer::Recover(number) => recovery::recover::recover(cx, *number),
        Answer::DiscardLeft(number) => recovery::recover::discard(cx, *number),
        Answer::Allow(_)
        | Answer::AllowAlways(_)
        | Answer::AllowLike(_)
        | Answer::Propose(_)
        | Answer::Lasting(_)
        | Answer::LastingAnywhere(_)
        | Answer::AskAgain(_)
        | Answer::EditCall(_)
        | Answer::Deny(_)
        | Answer::Refuse(_) => permissions::dialog::answered(cx, answer),
        Answer::RevertHunk => git::commands::revert(cx),
        Answer::Delete(path) => file_tree::events::ask(cx, TreeJob::Delete(path.clone()), None),
        Answer::DeleteSession(file) => sessions::trash::delete(cx, file.clone()),
        Answer::Trust(trusted) => plugins::run::answered(cx, *trusted),
        Answer::ApplyList => project_search::apply::accepted(cx),
        Answer::Confirm(answer) => line::confirm::answered(cx, *answer),
        Answer::ReplaceOne | Answer::ReplaceSkip | Answer::ReplaceAll | Answer::ReplaceStop => {
            search::continue_replacing(cx, answer);
        }
    }
    cx.state.damage.all();
}

/// A question was answered. It stays on the screen when the answer cannot be taken.
pub fn question(cx: &mut Cx<'_>) {
    let Some(Overlay::Question(question)) = cx.state.overlays.last() else { return };
    let (topic, answer) = (question.topic.clone(), question.answer.text().to_string());
    let unsearched = (question.seen != question.searched && !answer.is_empty()).then_some(question.seen);
    let taken = match &topic {
        Topic::GoToLine => search::go_to_line(cx, &answer),
        Topic::Earlier => undo_tree::commands::go_earlier(cx, &answer),
        Topic::Replace
        | Topic::SessionName
        | Topic::Open
        | Topic::DiffWith
        | Topic::Import
        | Topic::SaveAs(_)
        | Topic::Pipe(_)
        | Topic::Create
        | Topic::EditCall(_)
        | Topic::Move(_)
            if answer.trim().is_empty() =>
        {
            Err("nothing typed".to_string())
        }
        Topic::WorkspaceSearch | Topic::WorkspaceReplace => match Needle::new(&answer, cx.state.search_how) {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err("nothing typed".to_string()),
            Err(problem) => Err(problem.to_string()),
        },
        Topic::SaveAs(id) => match cx.state.buffers.by_path(&resolve(cx, &answer)) {
            Some(other) if other.id != *id => Err("that file is open already".to_string()),
            _ => Ok(()),
        },
        _ => Ok(()),
    };
    if let (Err(note), Some(Overlay::Question(question))) = (&taken, cx.state.overlays.last_mut()) {
        question.note.clone_from(note);
        cx.state.damage.all();
        return;
    }
    cx.state.pop_overlay();
    match topic {
        Topic::GoToLine | Topic::Earlier => {}
        Topic::Seek(forward) => seek::typed(cx, &answer, forward),
        Topic::Pick(how) => picking::pick(cx, &answer, how),
        Topic::Line => line::run::typed(cx, &answer),
        Topic::Find(from) => {
            search::leave(cx);
            cx.state.last_search = Some(answer);
            cx.state.accepted_search = unsearched.map(|seen| (from, seen));
        }
        Topic::Replace => {
            cx.state.last_search = Some(answer.clone());
            ask(cx, Topic::ReplaceWith(answer), "");
        }
        Topic::ReplaceWith(wanted) => {
            let from = cx.state.buffers.current().map_or(Byte(0), |b| b.area.selection.primary().start());
            search::offer_replacement(cx, &wanted, &answer, from);
        }
        Topic::SaveAs(id) => {
            let path = resolve(cx, &answer);
            save_to(cx, id, path, AfterSave::Stay, false);
        }
        Topic::Open => {
            let path = resolve(cx, &answer);
            cx.state.note_jump();
            files::open::open(cx, path, None);
            panes::focus(cx, Focus::Editor);
        }
        topic => beyond_file(cx, topic, answer),
    }
}

/// An answer about more than the file that is shown.
fn beyond_file(cx: &mut Cx<'_>, topic: Topic, answer: String) {
    match topic {
        Topic::Create => {
            let (path, is_folder) = (resolve(cx, &answer), answer.trim_end().ends_with('/'));
            file_tree::events::ask(cx, TreeJob::Create { path, is_folder }, None);
        }
        Topic::Move(from) => {
            let to = resolve(cx, &answer);
            if to != from {
                file_tree::events::ask(cx, TreeJob::Move { from, to }, None);
            }
        }
        Topic::Pipe(reads) => {
            cx.state.last_shell.clone_from(&answer);
            pipe::run::start(cx, answer, reads);
        }
        Topic::Label(number, id) => {
            let label = Some(answer.trim().to_string()).filter(|label| !label.is_empty());
            sessions::events::label(cx, number, id, label);
        }
        Topic::SummaryAbout => sessions::events::summarise(cx, &answer),
        Topic::TreeSearch => sessions::events::search(cx, answer.trim()),
        Topic::SessionName => sessions::events::rename(cx, answer.trim().to_string()),
        Topic::DiffWith => {
            let path = resolve(cx, &answer);
            diff::commands::with_path(cx, path);
        }
        Topic::Import => {
            let place = resolve(cx, &answer);
            cx.state.say(format!("taking over what is in {}…", place.display()));
            history_search::events::import(cx, place);
        }
        Topic::EditCall(_) | Topic::RefuseCall(_) => permissions::dialog::written(cx, &topic, answer),
        Topic::WorkspaceSearch => list(cx, answer, None),
        Topic::WorkspaceReplace => ask(cx, Topic::WorkspaceReplaceWith(answer), ""),
        Topic::WorkspaceReplaceWith(wanted) => list(cx, wanted, Some(answer)),
        _ => tracing::error!("an answer came to nobody"),
    }
}

/// Searches all files for a list.
fn list(cx: &mut Cx<'_>, wanted: String, replacement: Option<String>) {
    let how = cx.state.search_how;
    project_search::navigate::start(cx, Asked { wanted, how, replacement });
}

/// A typed path: `~` is the home, anything relative is in the workspace.
fn resolve(cx: &Cx<'_>, typed: &str) -> std::path::PathBuf {
    paths::typed(&cx.state.workspace, typed, &cx.state.home)
}
