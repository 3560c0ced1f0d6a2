//! Command lines for files: save, open, close, quit.

use crate::base::paths;
use crate::ide::core::command_line::{LineArgs, LineCommand, line_command};
use crate::ide::core::context::Cx;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::quit;
use crate::ide::editor::modal::command_line::options;
use crate::ide::features::files;
use crate::ide::model::buffers::BufferId;

/// The feature's rows.
pub const LINES: &[LineCommand] = &[
    line_command("w", "write", "save, as a name if given", write),
    line_command("wq", "wq", "Save and close", write_quit),
    line_command("x", "xit", "Save and close", write_quit),
    line_command("wqa", "wqall", "save all files and quit", write_quit_all),
    line_command("xa", "xall", "save all files and quit", write_quit_all),
    line_command("q", "quit", "close file, or quit with the last", quit),
    line_command("qa", "qall", "leave", quit_all),
    line_command("e", "edit", "open a file (!: reload this one)", edit),
    line_command("bd", "bdelete", "close the file", close),
    line_command("b", "buffer", "show a file by number or name", buffer),
];

fn current(cx: &Cx<'_>) -> Result<BufferId, String> {
    cx.state.buffers.current().map(|buffer| buffer.id).ok_or_else(|| "No file open".to_string())
}

fn path(cx: &Cx<'_>, name: &str) -> std::path::PathBuf {
    paths::parse_typed(&cx.state.workspace, name, &cx.state.home)
}

fn save(cx: &mut Cx<'_>, given: &LineArgs<'_>, then: files::save::AfterSave) -> Result<(), String> {
    let id = current(cx)?;
    if given.lines.2 > 0 {
        return Err("Only the whole file can be saved".to_string());
    }
    if given.rest.is_empty() {
        files::commands::save_buffer(cx, id, then, given.bang);
        return Ok(());
    }
    let path = path(cx, given.rest);
    if cx.state.buffers.by_path(&path).is_some_and(|other| other.id != id) {
        return Err("File is already open".to_string());
    }
    files::save::save_to(cx, id, path, then, given.bang);
    Ok(())
}

/// Saves the file.
fn write(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    save(cx, given, files::save::AfterSave::Stay)
}

/// Saves the file, if there is something to save, and closes it; quits if it is the only one.
fn write_quit(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let only = cx.state.buffers.all().len() == 1;
    let unsaved = cx.state.buffers.current().is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
    if !unsaved && given.rest.is_empty() {
        return quit(cx, &LineArgs { bang: true, ..*given });
    }
    save(cx, given, if only { files::save::AfterSave::Quit } else { files::save::AfterSave::Close })
}

/// Saves every file and quits.
fn write_quit_all(cx: &mut Cx<'_>, _: &LineArgs<'_>) -> Result<(), String> {
    let ids: Vec<BufferId> = cx.state.buffers.unsaved().map(|buffer| buffer.id).collect();
    if ids.is_empty() {
        return options::run(cx, "app.quit");
    }
    for id in ids {
        files::commands::save_buffer(cx, id, files::save::AfterSave::Quit, false);
    }
    Ok(())
}

/// Closes the file; quits if it is the only one.
fn quit(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    if cx.state.buffers.all().len() > 1 {
        return close(cx, given);
    }
    let unsaved = cx.state.buffers.unsaved().next().is_some();
    if unsaved && !given.bang {
        return Err("Unsaved changes (:q! discards)".to_string());
    }
    if unsaved {
        quit::quit(cx);
        return Ok(());
    }
    options::run(cx, "app.quit")
}

/// Quits.
fn quit_all(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    if given.bang {
        quit::quit(cx);
        return Ok(());
    }
    let unsaved = cx.state.buffers.unsaved().next().map(crate::ide::model::buffers::Buffer::name);
    match unsaved {
        Some(name) => Err(format!("Unsaved changes in {name} (:qa! discards)")),
        None => options::run(cx, "app.quit"),
    }
}

/// Closes the file.
fn close(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let id = current(cx)?;
    let unsaved = cx.state.buffers.current().is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
    if unsaved && !given.bang {
        return Err("Unsaved changes (! discards)".to_string());
    }
    feature::notify(cx, FeatureEvent::Closing(id));
    cx.state.close_buffer(id);
    cx.state.damage.add_all();
    Ok(())
}

/// Opens a file; without a name reads the current one again.
fn edit(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    if !given.rest.is_empty() {
        cx.state.note_jump();
        let path = path(cx, given.rest);
        files::open::open(cx, path, None);
        return Ok(());
    }
    let id = current(cx)?;
    let unsaved = cx.state.buffers.current().is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
    if unsaved && !given.bang {
        return Err("Not saved. Reload without saving: e!".to_string());
    }
    files::disk::reload(cx, id, true);
    Ok(())
}

/// Shows a file by its one-based number, or by a part of its name.
fn buffer(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let all = cx.state.buffers.all();
    let found = match given.rest.parse::<usize>() {
        Ok(number) => number.checked_sub(1).and_then(|at| all.get(at)),
        Err(_) => all.iter().find(|buffer| {
            buffer.name().contains(given.rest)
                || buffer.path.as_ref().is_some_and(|path| path.to_string_lossy().contains(given.rest))
        }),
    };
    let id = found.map(|buffer| buffer.id).ok_or_else(|| format!("No open file: {}", given.rest))?;
    cx.state.note_jump();
    cx.state.buffers.show(id);
    cx.state.damage.add_all();
    Ok(())
}
