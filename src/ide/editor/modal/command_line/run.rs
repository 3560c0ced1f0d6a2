//! Command lines: parsing, running by the table, history.

use crate::ide::core::command_line::{LineArgs, LineCommand, line_command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::editor::modal::command_line;
use crate::ide::editor::modal::command_line::range::Addresses;
use crate::ide::editor::modal::{background, cursors, search, visual};

use crate::ide::core::catalog::Catalog;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::text::anchors::named_positions::PositionName;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::pattern;
use crate::text::position::Line;
use crate::text::selection::{Range, Selection};

/// Commands on the text and on options; features add others.
pub static LINE_COMMANDS: &[LineCommand] = &[
    line_command("wa", "wall", "save all files", |cx, _| command_line::options::run(cx, "file.save-all")),
    line_command("ene", "enew", "new file", |cx, _| command_line::options::run(cx, "file.new")),
    line_command("bn", "bnext", "show next file", |cx, _| command_line::options::run(cx, "file.next")),
    line_command("bp", "bprevious", "show previous file", |cx, _| {
        command_line::options::run(cx, "file.previous")
    }),
    line_command("bN", "bNext", "show previous file", |cx, _| {
        command_line::options::run(cx, "file.previous")
    }),
    line_command("ls", "ls", "show open files", |cx, _| command_line::options::picker(cx, "buffers")),
    line_command("sp", "split", "split window below", |cx, _| {
        command_line::options::run(cx, "window.split-below")
    }),
    line_command("vs", "vsplit", "split window right", |cx, _| {
        command_line::options::run(cx, "window.split-right")
    }),
    line_command("clo", "close", "close the window", |cx, _| command_line::options::run(cx, "window.close")),
    line_command("on", "only", "close other windows", |cx, _| command_line::options::run(cx, "window.only")),
    line_command("reg", "registers", "show registers", |cx, _| {
        command_line::options::picker(cx, "registers")
    }),
    line_command("di", "display", "show registers", |cx, _| command_line::options::picker(cx, "registers")),
    line_command("marks", "marks", "show marks", |cx, _| command_line::options::picker(cx, "marks")),
    line_command("ju", "jumps", "show jump list", |cx, _| command_line::options::picker(cx, "jumps")),
    line_command("noh", "nohlsearch", "clear search highlight", command_line::options::no_highlight),
    line_command("se", "set", "set an option", command_line::options::set),
    line_command("u", "undo", "undo", |cx, _| command_line::options::run(cx, "vim.undo")),
    line_command("red", "redo", "redo", |cx, _| command_line::options::run(cx, "vim.redo")),
    line_command("lat", "later", "redo steps", command_line::options::later),
    line_command("norm", "normal", "run Normal commands on a range", command_line::normal::normal),
    line_command("s", "substitute", "replace a pattern in lines", command_line::text::substitute),
    line_command("&", "&&", "repeat last substitution", command_line::text::repeat_substitution),
    line_command("g", "global", "run a command on matching lines", global),
    line_command("v", "vglobal", "run a command on other lines", global_inverted),
    line_command("d", "delete", "delete lines", command_line::text::delete),
    line_command("y", "yank", "copy lines into a register", command_line::text::yank),
    line_command("pu", "put", "paste lines", command_line::text::paste),
    line_command("m", "move", "move lines after a line", command_line::text::move_lines),
    line_command("t", "t", "copy lines after a line", command_line::text::copy),
    line_command("co", "copy", "copy lines after a line", command_line::text::copy),
    line_command("j", "join", "join lines", command_line::text::join),
    line_command(">", ">>>>", "indent lines", command_line::shift::indent),
    line_command("<", "<<<<", "dedent lines", command_line::shift::dedent),
    line_command("sor", "sort", "sort lines", command_line::text::sort),
    line_command("k", "k", "set a mark", command_line::text::mark),
    line_command("ma", "mark", "set a mark", command_line::text::mark),
];

/// Opens the prompt for a command line; with the range of the selection or of the count.
pub fn begin(cx: &mut Cx<'_>) {
    let count = cx.state.modal.take_count();
    let first = match (cx.state.modal.mode.is_visual(), count) {
        (true, _) => {
            visual::end_visual(cx);
            "'<,'>".to_string()
        }
        (false, Some(count)) if count > 1 => format!(".,.+{}", count - 1),
        (false, Some(_)) => ".".to_string(),
        (false, None) => String::new(),
    };
    cx.state.modal.line_shown = None;
    cx.state.modal.reset_pending();
    Prompt::new(":", |cx, line| run_typed(cx, &line)).with_id(PROMPT_KIND, 0).initial(first).open(cx);
}

/// Shows an older history line in the prompt, or a newer one if negative.
pub fn step_history(cx: &mut Cx<'_>, older: isize) {
    let now_ms = cx.now_ms;
    let lines = &cx.state.modal.line_history;
    let Some(prompt) = cx.state.layers.top_mut::<Prompt>().filter(|prompt| prompt.has_kind(PROMPT_KIND))
    else {
        return;
    };
    let shown = cx.state.modal.line_shown.map_or(-1, |n| n as isize) + older;
    let text =
        usize::try_from(shown).ok().map(|n| lines.len().checked_sub(n + 1).map(|at| lines[at].clone()));
    match text {
        Some(Some(text)) => {
            prompt.answer.set(&text, now_ms);
            cx.state.modal.line_shown = Some(shown as usize);
        }
        Some(None) => {}
        None => {
            prompt.answer.set("", now_ms);
            cx.state.modal.line_shown = None;
        }
    }
    cx.state.damage.add(Part::Overlay);
}

/// Runs a typed line and adds it to the history.
fn run_typed(cx: &mut Cx<'_>, line: &str) {
    let line = line.trim().trim_start_matches(':');
    if line.is_empty() {
        return;
    }
    cx.state.modal.line_history.retain(|known| known != line);
    cx.state.modal.line_history.push(line.to_string());
    if cx.state.modal.line_history.len() > LINES_MAX {
        cx.state.modal.line_history.remove(0);
    }
    run(cx, line);
}

/// Kind of the command line prompt.
pub const PROMPT_KIND: &str = "line";

/// Maximum number of lines in the history.
const LINES_MAX: usize = 200;

/// Runs a line as one step. Reports errors.
pub fn run(cx: &mut Cx<'_>, line: &str) {
    cursors::begin_undo_group(cx.state);
    if let Err(problem) = execute(cx, line) {
        cx.state.modal.failed = true;
        cx.state.set_error(problem);
    }
    cursors::end_undo_group(cx.state);
    cx.state.damage.add(Part::Editor);
}

/// Runs a line.
pub fn execute(cx: &mut Cx<'_>, line: &str) -> Result<(), String> {
    let Addresses { lines, rest } = command_line::range::read(cx, line)?;
    let rest = rest.trim_start();
    if rest.is_empty() {
        go(cx, lines.1);
        return Ok(());
    }
    let (row, after) = find(cx.state.catalog, rest).ok_or_else(|| format!("No such command: {rest}"))?;
    let (bang, after) = match after.strip_prefix('!') {
        Some(after) => (true, after),
        None => (false, after),
    };
    (row.run)(cx, &LineArgs { lines, bang, rest: after.trim_start() })
}

/// Returns the command at the start of a line, and the text after its name.
pub fn find<'a>(catalog: &Catalog, line: &'a str) -> Option<(&'static LineCommand, &'a str)> {
    let rows =
        || LINE_COMMANDS.iter().chain(catalog.features.iter().flat_map(|feature| feature.line_commands));
    let letters = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    if letters == 0 {
        let row = rows().find(|row| line.starts_with(row.short))?;
        return Some((row, &line[1..]));
    }
    let name = &line[..letters];
    let named = |name: &str| rows().find(|row| row.long.starts_with(name) && name.starts_with(row.short));
    if let Some(row) = named(name) {
        return Some((row, &line[letters..]));
    }
    // `s` takes its flags, and a few commands their argument, without a space between.
    let glued = ["s", "g", "v", "m", "t", "k", "d", "y", "j"];
    glued.iter().find_map(|short| {
        let after = line.strip_prefix(short)?;
        let plain = *short != "k" && after.starts_with(|c: char| c.is_ascii_alphabetic());
        named(short).filter(|_| !plain).map(|row| (row, after))
    })
}

/// Runs a command on every line that matches a pattern.
fn global(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    run_on_matching(cx, given, !given.bang)
}

/// A command on every line that does not.
fn global_inverted(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    run_on_matching(cx, given, false)
}

fn run_on_matching(cx: &mut Cx<'_>, given: &LineArgs<'_>, holding: bool) -> Result<(), String> {
    let sign = given.rest.chars().next().ok_or("Which lines?")?;
    let (mut line_pattern, rest) = pattern::split_at_sign(&given.rest[sign.len_utf8()..], sign);
    let command = rest.unwrap_or_default().trim();
    if line_pattern.is_empty() {
        line_pattern = cx.state.modal.last_search.clone().map(|(last, _)| last).ok_or("No search yet")?;
    }
    cx.state.modal.last_search = Some((line_pattern.clone(), true));
    if let Some((pattern, ..)) = &mut cx.state.modal.last_substitution {
        // `&` repeats with this pattern from now on.
        pattern.clone_from(&line_pattern);
    }
    let needle =
        search::needle(cx, &line_pattern).ok_or_else(|| format!("Invalid pattern: {line_pattern}"))?;
    let (text, tab_width) = (command_line::text::editable_text(cx)?, cx.state.tab_width());
    let page = ModalText::new(&text, tab_width);
    let (first, last) =
        if given.lines.2 == 0 { (Line(0), page.last_line()) } else { (given.lines.0, given.lines.1) };
    let (row, after) =
        find(cx.state.catalog, command).ok_or_else(|| format!("No such command: {command}"))?;
    let (command, after) = (command.to_string(), after.trim().to_string());
    background::run(cx, page.end(last) - page.start(first), move || {
        let page = ModalText::new(&text, tab_width);
        let mut held: Vec<Line> = needle
            .matches(&text, page.start(first)..page.lines(first, last).end)
            .filter(|found| found.start <= page.end(last))
            .map(|found| page.line(found.start))
            .collect();
        held.dedup();
        let lines: Vec<Line> = if holding {
            held
        } else {
            (first.0..=last.0).map(Line).filter(|line| held.binary_search(line).is_err()).collect()
        };
        if lines.is_empty() {
            let holds = if holding { "holds" } else { "is missing" };
            return Box::new(move |_| Err(format!("No line {holds} {line_pattern}")));
        }
        Box::new(move |cx| run_on_lines(cx, lines, row, (&command, &after)))
    })
}

/// Runs a command with its arguments on lines.
fn run_on_lines(
    cx: &mut Cx<'_>,
    lines: Vec<Line>,
    row: &LineCommand,
    typed: (&str, &str),
) -> Result<(), String> {
    let (command, after) = typed;
    let (Some(first), Some(last)) = (lines.first().copied(), lines.last().copied()) else { return Ok(()) };
    match row.long {
        "normal" => command_line::normal::on_lines(cx, &lines, after),
        "delete" if after.is_empty() => command_line::text::delete_all(cx, lines),
        "substitute" => {
            let given = LineArgs { lines: (first, last, 0), bang: false, rest: after };
            let substitution = command_line::text::read_substitution(cx, &given)?;
            command_line::text::replace_in(
                cx,
                substitution,
                lines.into_iter().map(|line| (line, line)).collect(),
                true,
            )
        }
        "delete" | "yank" | "move" | "t" | "copy" | "join" | ">>>>" | "<<<<" | "put" | "k" | "mark" => {
            one_by_one(cx, &lines, command)
        }
        other => Err(format!("Cannot run on every line: {other}")),
    }
}

/// Maximum number of lines on which a command runs one by one.
const ONE_BY_ONE_MAX: usize = 20_000;

fn one_by_one(cx: &mut Cx<'_>, lines: &[Line], command: &str) -> Result<(), String> {
    if lines.len() > ONE_BY_ONE_MAX {
        return Err(format!("Too many lines: {}", lines.len()));
    }
    let (text, goal) = (command_line::text::editable_text(cx)?, cursors::goal_column(cx));
    if let Some(buffer) = cx.state.buffers.current_mut() {
        for (n, line) in lines.iter().enumerate() {
            buffer.area.document.positions_mut().set(PositionName::Line(n), text.line_start(*line));
        }
    }
    let joins = find(cx.state.catalog, command).is_some_and(|(row, _)| row.long == "join");
    let mut result = Ok(());
    for n in 0..lines.len() {
        let Some(buffer) = cx.state.buffers.current_mut() else { break };
        let Some(at) = buffer.area.document.positions().get(PositionName::Line(n)) else { continue };
        buffer.area.document.positions_mut().remove(PositionName::Line(n));
        if joins && let Some(buffer) = cx.state.buffers.current_mut() {
            // A line that was joined to this one no longer exists.
            let (text, next) = (buffer.area.text().clone(), PositionName::Line(n + 1));
            let below = buffer.area.document.positions().get(next).map(|at| text.line_of(at).0);
            if below == Some(text.line_of(at).0 + 1) {
                buffer.area.document.positions_mut().remove(next);
            }
        }
        if result.is_ok() {
            // The column that the cursor aimed at before is aimed at on every line.
            cursors::set_selection(cx, Selection::single(Range { goal: Some(goal), ..Range::cursor(at) }));
            result = execute(cx, command);
        }
    }
    result
}

/// Goes to a line.
fn go(cx: &mut Cx<'_>, line: Line) {
    cx.state.note_jump();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let column = page.goal_column(&buffer.area.selection.primary());
    let at = page.at(line.min(page.last_line()), column);
    cursors::set_selection(cx, Selection::single(Range { goal: Some(column), ..Range::cursor(at) }));
}
