//! What an empty conversation shows: what to do first, and the last sessions of the folder. Must not know what the
//! commands do, only their keys: each row has one that works from where the caret is.

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::sessions::last::{RECENT_KEYS, RECENT_SESSIONS};
use crate::ide::model::agent::is_demo;
use crate::runtime::Handle;
use crate::tui::canvas::Canvas;

/// Cells between a key and its text.
const GAP: u16 = 2;
/// Columns to the left where an editor is beside it.
const MARGIN: u16 = 2;
/// Minimum columns of keys and texts, so that rows that come and go do not move the others.
const COLS_MIN: u16 = 29;
/// Says that what answers is no model.
const NO_MODEL: &str = "No model is connected.";
/// What can be done nevertheless.
const DEMO: &str = "Until then a guide answers: type keys for a tour.";

/// A row: a command with its key from where the caret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WelcomeRow {
    /// The key.
    pub key: String,
    /// The command.
    pub command: &'static str,
    /// What it does.
    pub text: String,
}

/// A line of the screen.
enum WelcomeLine {
    Row(WelcomeRow),
    Text(&'static str, &'static str),
    Blank,
}

/// Returns the context of the keys. What comes and goes while keys are pressed does not change them: modes, the
/// beginning of a command, completions.
fn context(state: &State) -> KeyContext {
    match state.base_key_context() {
        _ if state.panes.focus == Focus::Editor => KeyContext::Editor,
        KeyContext::Completion => KeyContext::Prompt,
        context => context,
    }
}

fn row(state: &State, command: &'static str, text: impl Into<String>) -> Option<WelcomeRow> {
    let key = state.keymap.keys_for(context(state), command)?;
    Some(WelcomeRow { key, command, text: text.into() })
}

/// Returns what can be done first.
pub fn first_steps(state: &State) -> Vec<WelcomeRow> {
    let is_prompt = context(state) == KeyContext::Prompt;
    let has_model = has_model(state);
    let mut rows = Vec::new();
    if !is_prompt {
        rows.push(row(state, "view.focus-agent", "focus agent prompt"));
    } else if has_model {
        rows.push(row(state, "agent.send", "send"));
        rows.push(row(state, "edit.newline", "new line"));
    } else if state.agent.connected {
        rows.push(row(state, "agent.send", "log in, or paste an API key"));
    }
    if let Some(text) = local_server(state).filter(|_| !has_model) {
        rows.push(row(state, "agent.use-local-model", text));
    }
    let models = if has_model { "choose a model" } else { "list models and providers" };
    rows.push(row(state, "agent.model-picker", models));
    // Who has sessions here knows the program.
    if state.slots[RECENT_SESSIONS].as_ref().is_some_and(Vec::is_empty) {
        rows.push(row(state, "help.tutor", "learn bowline in ten steps"));
    }
    if state.areas.editor.is_none() {
        rows.push(row(state, "view.files-picker", "go to file"));
        rows.push(row(state, "app.palette", "show command palette"));
    }
    rows.into_iter().flatten().collect()
}

/// Returns rows for the last sessions of the folder.
pub fn recent_sessions(state: &State) -> Vec<WelcomeRow> {
    let recent = state.slots[RECENT_SESSIONS].iter().flatten().zip(RECENT_KEYS);
    let text = |title: &str, age: &str| format!("{title} · {age} ago");
    recent.filter_map(|(one, command)| row(state, command, text(&one.title, &one.age))).collect()
}

/// Returns whether a model is connected, or may be: before the session has started that is unknown.
pub fn has_model(state: &State) -> bool {
    !state.agent.model.as_deref().is_some_and(is_demo)
}

/// Says which server was found on this machine.
fn local_server(state: &State) -> Option<String> {
    let mut local = state.agent.models.iter().filter(|model| Handle::is_on_this_machine(model));
    let first = local.next()?;
    let others = local.filter(|model| model.provider == first.provider).count();
    let more = match others {
        0 => String::new(),
        count => format!(" (of {})", pluralize(count + 1, "model", "models")),
    };
    Some(format!("use {} of {} on this machine{more}", first.id, first.provider))
}

/// Returns the lines that fit in a number of rows: sessions give way first.
fn lines(state: &State, height: u16) -> Vec<WelcomeLine> {
    let mut lines = Vec::new();
    let has_model = has_model(state);
    if !has_model {
        lines.extend([WelcomeLine::Text(NO_MODEL, "warning"), WelcomeLine::Blank]);
    }
    lines.extend(first_steps(state).into_iter().map(WelcomeLine::Row));
    if !has_model {
        lines.extend([WelcomeLine::Blank, WelcomeLine::Text(DEMO, "ui.text.soft")]);
    }
    let height = usize::from(height);
    let sessions = recent_sessions(state);
    let room = height.saturating_sub(lines.len() + 2).min(sessions.len());
    if room > 0 {
        lines.extend([WelcomeLine::Blank, WelcomeLine::Text("Go on with a session:", "ui.text.soft")]);
        lines.extend(sessions.into_iter().take(room).map(WelcomeLine::Row));
    }
    if lines.len() > height {
        lines.retain(|line| matches!(line, WelcomeLine::Row(_) | WelcomeLine::Text(NO_MODEL, _)));
    }
    lines
}

/// Draws it. Where there is no editor, this is all of the program.
pub fn draw(canvas: &mut Canvas<'_>, state: &State) {
    let (cols, rows) = canvas.size();
    let lines = lines(state, rows);
    let of_rows =
        || lines.iter().filter_map(|line| if let WelcomeLine::Row(row) = line { Some(row) } else { None });
    let keys = of_rows().map(|row| text_width(&row.key)).max().unwrap_or(0) as u16;
    let texts = of_rows().map(|row| text_width(&row.text)).max().unwrap_or(0).min(usize::from(cols)) as u16;
    let (mut left, mut top) = (MARGIN, rows.saturating_sub(lines.len() as u16 + 1));
    if state.areas.editor.is_none() {
        let widest = (keys + GAP + texts).max(COLS_MIN);
        left = (cols.saturating_sub(widest) / 2).max(left);
        top = rows.saturating_sub(lines.len() as u16) / 2;
    }
    let (strong, soft) = (canvas.style("ui.key"), canvas.style("ui.text.soft"));
    for (line, y) in lines.iter().zip(top..rows) {
        match line {
            WelcomeLine::Row(row) => {
                canvas.text(left, y, &row.key, strong);
                let room = usize::from(cols.saturating_sub(left + keys + GAP));
                canvas.text(left + keys + GAP, y, &truncate(&row.text, room), soft);
            }
            WelcomeLine::Text(text, scope) => {
                let style = canvas.style(scope);
                canvas.text(left, y, &truncate(text, usize::from(cols.saturating_sub(left))), style);
            }
            WelcomeLine::Blank => {}
        }
    }
}
