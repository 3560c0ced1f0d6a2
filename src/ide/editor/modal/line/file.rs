//! Command lines about files, what is shown, and options.

use crate::base::paths;
use crate::ide::core::context::Cx;
use crate::ide::core::effect::Effect;
use crate::ide::core::quit;
use crate::ide::editor::modal::line::given::Given;
use crate::ide::features::files;
use crate::ide::features::undo_store;
use crate::ide::features::undo_tree;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::display::Blanks;

/// Runs a command by its id.
pub fn run(cx: &mut Cx<'_>, id: &'static str) -> Result<(), String> {
    cx.effects.push(Effect::Run(id));
    Ok(())
}

/// Shows a picker.
pub fn picker(cx: &mut Cx<'_>, id: &'static str) -> Result<(), String> {
    cx.effects.push(Effect::Picker(id));
    Ok(())
}

fn current(cx: &Cx<'_>) -> Result<BufferId, String> {
    cx.state.buffers.current().map(|buffer| buffer.id).ok_or_else(|| "no file is open".to_string())
}

fn path(cx: &Cx<'_>, name: &str) -> std::path::PathBuf {
    paths::typed(&cx.state.workspace, name, &cx.state.home)
}

fn save(cx: &mut Cx<'_>, given: &Given<'_>, then: files::save::AfterSave) -> Result<(), String> {
    let id = current(cx)?;
    if given.lines.2 > 0 {
        return Err("only the whole file can be saved".to_string());
    }
    if given.rest.is_empty() {
        files::commands::save_buffer(cx, id, then, given.bang);
        return Ok(());
    }
    let path = path(cx, given.rest);
    if cx.state.buffers.by_path(&path).is_some_and(|other| other.id != id) {
        return Err("that file is open already".to_string());
    }
    files::save::save_to(cx, id, path, then, given.bang);
    Ok(())
}

/// Saves the file.
pub fn write(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    save(cx, given, files::save::AfterSave::Stay)
}

/// Saves the file, if there is something to save, and closes it; leaves when it is the only one.
pub fn write_quit(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    let only = cx.state.buffers.all().len() == 1;
    let unsaved = cx.state.buffers.current().is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
    if !unsaved && given.rest.is_empty() {
        return quit(cx, &Given { bang: true, ..*given });
    }
    save(cx, given, if only { files::save::AfterSave::Quit } else { files::save::AfterSave::Close })
}

/// Saves every file and leaves.
pub fn write_quit_all(cx: &mut Cx<'_>, _: &Given<'_>) -> Result<(), String> {
    let ids: Vec<BufferId> = cx.state.buffers.unsaved().map(|buffer| buffer.id).collect();
    if ids.is_empty() {
        return run(cx, "app.quit");
    }
    for id in ids {
        files::commands::save_buffer(cx, id, files::save::AfterSave::Quit, false);
    }
    Ok(())
}

/// Closes the file; leaves when it is the only one.
pub fn quit(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    if cx.state.buffers.all().len() > 1 {
        return close(cx, given);
    }
    let unsaved = cx.state.buffers.unsaved().next().is_some();
    if unsaved && !given.bang {
        return Err("not saved; q! closes it all the same".to_string());
    }
    if unsaved {
        quit::leave(cx);
        return Ok(());
    }
    run(cx, "app.quit")
}

/// Leaves.
pub fn quit_all(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    if given.bang {
        quit::leave(cx);
        return Ok(());
    }
    let unsaved = cx.state.buffers.unsaved().next().map(crate::ide::model::buffers::Buffer::name);
    match unsaved {
        Some(name) => Err(format!("{name} is not saved; qa! leaves all the same")),
        None => run(cx, "app.quit"),
    }
}

/// Closes the file.
pub fn close(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    let id = current(cx)?;
    let unsaved = cx.state.buffers.current().is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
    if unsaved && !given.bang {
        return Err("not saved; with ! it is closed all the same".to_string());
    }
    undo_store::keep::keep(cx, id);
    cx.state.close_buffer(id);
    cx.state.damage.all();
    Ok(())
}

/// Opens a file; without a name reads this one again.
pub fn edit(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    if !given.rest.is_empty() {
        cx.state.note_jump();
        let path = path(cx, given.rest);
        files::open::open(cx, path, None);
        return Ok(());
    }
    let id = current(cx)?;
    let unsaved = cx.state.buffers.current().is_some_and(crate::ide::model::buffers::Buffer::is_unsaved);
    if unsaved && !given.bang {
        return Err("not saved; e! reads it again all the same".to_string());
    }
    files::disk::reread(cx, id, true);
    Ok(())
}

/// Shows a file by its number, from 1, or a part of its name.
pub fn buffer(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    let all = cx.state.buffers.all();
    let found = match given.rest.parse::<usize>() {
        Ok(number) => number.checked_sub(1).and_then(|at| all.get(at)),
        Err(_) => all.iter().find(|buffer| {
            buffer.name().contains(given.rest)
                || buffer.path.as_ref().is_some_and(|path| path.to_string_lossy().contains(given.rest))
        }),
    };
    let id = found.map(|buffer| buffer.id).ok_or_else(|| format!("no open file is `{}`", given.rest))?;
    cx.state.note_jump();
    cx.state.buffers.show(id);
    cx.state.damage.all();
    Ok(())
}

/// Matches are not shown until the next search.
pub fn no_highlight(cx: &mut Cx<'_>, _: &Given<'_>) -> Result<(), String> {
    cx.state.highlight = None;
    cx.state.damage.all();
    Ok(())
}

/// Goes back to an earlier text.
pub fn earlier(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    undo_tree::commands::go_earlier(cx, if given.rest.is_empty() { "1" } else { given.rest })
}

/// Goes forward by steps.
pub fn later(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    let steps = if given.rest.is_empty() { Ok(1) } else { given.rest.parse::<usize>() };
    let steps = steps.map_err(|_| "a number of steps".to_string())?;
    cx.state.modal.count = Some(steps.max(1));
    run(cx, "vim.redo")
}

/// Sets options: those that there are.
pub fn set(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    if given.rest.is_empty() {
        let show = cx.state.show;
        let number = if cx.state.look.numbers { "number" } else { "nonumber" };
        cx.state.say(format!("{number} tabstop={} textwidth={}", show.tab_width, show.wrap_column));
        return Ok(());
    }
    for option in given.rest.split_whitespace() {
        one(cx, option)?;
    }
    cx.state.damage.all();
    Ok(())
}

fn one(cx: &mut Cx<'_>, option: &str) -> Result<(), String> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    let (plain, on) = match name.strip_prefix("no") {
        Some(plain) => (plain, false),
        None => (name, true),
    };
    let number = |low: usize, high: usize| {
        let value = value.and_then(|value| value.parse::<usize>().ok());
        value
            .filter(|n| (low..=high).contains(n))
            .ok_or_else(|| format!("{name} is a number from {low} to {high}"))
    };
    match (plain, value.is_some()) {
        ("number" | "nu", false) => cx.state.look.numbers = on,
        ("relativenumber" | "rnu", false) => cx.state.look.relative = on,
        ("wrap", false) => cx.state.look.wrap = on,
        ("cursorline" | "cul", false) => cx.state.look.caret_line = on,
        ("list", false) => cx.state.look.blanks = if on { Blanks::All } else { Blanks::Off },
        ("ignorecase" | "ic", false) => cx.state.modal.ignore_case.0 = on,
        ("smartcase" | "scs", false) => cx.state.modal.ignore_case.1 = on,
        ("hlsearch" | "hls", false) if !on => cx.state.highlight = None,
        ("tabstop" | "ts" | "shiftwidth" | "sw", true) => cx.state.show.tab_width = number(1, 16)?,
        ("textwidth" | "tw", true) => cx.state.show.wrap_column = number(1, 500)?,
        _ => return Err(format!("there is no option `{option}` here; settings.toml has the others")),
    }
    Ok(())
}
