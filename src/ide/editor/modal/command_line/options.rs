//! Command lines that run commands by id, and those for options.

use crate::ide::core::command_line::LineArgs;
use crate::ide::core::context::Cx;
use crate::ide::model::view::display::{SoftWrap, WhitespaceDisplay};

/// Runs a command by its id.
pub fn run(cx: &mut Cx<'_>, id: &'static str) -> Result<(), String> {
    cx.defer_command(id);
    Ok(())
}

/// Opens a picker.
pub fn picker(cx: &mut Cx<'_>, id: &'static str) -> Result<(), String> {
    cx.defer_picker(id);
    Ok(())
}

/// Hides the matches until the next search.
pub fn no_highlight(cx: &mut Cx<'_>, _: &LineArgs<'_>) -> Result<(), String> {
    cx.state.search.highlight = None;
    cx.state.damage.add_all();
    Ok(())
}

/// Redoes a number of steps.
pub fn later(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let steps = if given.rest.is_empty() { Ok(1) } else { given.rest.parse::<usize>() };
    let steps = steps.map_err(|_| "Steps must be a number".to_string())?;
    cx.state.modal.count = Some(steps.max(1));
    run(cx, "vim.redo")
}

/// Sets options.
pub fn set(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    if given.rest.is_empty() {
        let show = cx.state.text_options;
        let number = if cx.state.display.numbers { "number" } else { "nonumber" };
        cx.state.set_status(format!("{number} tabstop={} textwidth={}", show.tab_width, show.wrap_column));
        return Ok(());
    }
    for option in given.rest.split_whitespace() {
        set_option(cx, option)?;
    }
    cx.state.damage.add_all();
    Ok(())
}

fn set_option(cx: &mut Cx<'_>, option: &str) -> Result<(), String> {
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
            .ok_or_else(|| format!("{name} must be from {low} to {high}"))
    };
    match (plain, value.is_some()) {
        ("number" | "nu", false) => cx.state.display.numbers = on,
        ("relativenumber" | "rnu", false) => cx.state.display.relative = on,
        ("wrap", false) => cx.state.display.wrap = SoftWrap::always(on),
        ("cursorline" | "cul", false) => cx.state.display.caret_line = on,
        ("list", false) => {
            cx.state.display.whitespace = if on { WhitespaceDisplay::All } else { WhitespaceDisplay::Off }
        }
        ("ignorecase" | "ic", false) => cx.state.modal.ignore_case.0 = on,
        ("smartcase" | "scs", false) => cx.state.modal.ignore_case.1 = on,
        ("hlsearch" | "hls", false) if !on => cx.state.search.highlight = None,
        ("tabstop" | "ts" | "shiftwidth" | "sw", true) => cx.state.text_options.tab_width = number(1, 16)?,
        ("textwidth" | "tw", true) => cx.state.text_options.wrap_column = number(1, 500)?,
        _ => return Err(format!("No such option: {option}. See settings.toml")),
    }
    Ok(())
}
