//! The row above the conversation: the session's title, what the agent does, and for how long.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::accessible::titles;
use crate::ide::features::permissions::answers;
use crate::ide::features::status_line::right::SIGNS;
use crate::ide::model::age::duration;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::AgentTitle, layer: 0, make: || Box::new(AgentTitlePane) };

/// Cells before the title, the first of which is the border to the editor.
const MARGIN: u16 = 2;
/// Minimum cells between title and activity.
const GAP: usize = 2;

struct AgentTitlePane;

impl Component<State> for AgentTitlePane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, _) = canvas.size();
        let ground = canvas.style("ui.panel");
        canvas.fill(Rect::new(0, 0, cols, 1), ground);
        if canvas.is_accessible() {
            let style = canvas.style("ui.title.focus");
            canvas.content(0, 0, &truncate(&titles::agent(state), usize::from(cols)), style);
            return;
        }
        let on_panel = |style: ratatui::style::Style| ratatui::style::Style { bg: ground.bg, ..style };
        if state.areas.agent_title.is_some_and(|area| area.x > 0) {
            let border = on_panel(canvas.style("ui.border"));
            canvas.text(0, 0, "│", border);
        }
        let (activity, scope) = activity(state);
        let width = text_width(&activity);
        let room = usize::from(cols.saturating_sub(MARGIN + 1)).saturating_sub(width + GAP);
        let title_scope = if state.panes.focus == Focus::Agent { "ui.title.focus" } else { "ui.title" };
        let title_style = on_panel(canvas.style(title_scope));
        canvas.text(MARGIN, 0, &truncate(state.agent.title().unwrap_or("New session"), room), title_style);
        let style = on_panel(canvas.style(scope));
        canvas.text(cols.saturating_sub(width as u16 + 1), 0, &activity, style);
    }
}

/// Returns what the agent does, or how its last turn ended, with the scope of its color.
fn activity(state: &State) -> (String, &'static str) {
    let agent = &state.agent;
    if let Some(since) = agent.working_since {
        let time = duration(Duration::from_secs(agent.now.saturating_sub(since).as_secs()));
        if answers::shown(state).is_some() {
            return (format!("? asks · {time}"), "warning");
        }
        let sign = SIGNS[agent.spinner_frame % SIGNS.len()];
        return (format!("{sign} {time}"), "ui.text.soft");
    }
    match (agent.worked_for, agent.has_failed) {
        (Some(time), true) => (format!("✗ failed · {}", duration(time)), "error"),
        (Some(time), false) if agent.was_interrupted => {
            (format!("interrupted · {}", duration(time)), "ui.text.soft")
        }
        (Some(time), false) if time.as_secs() == 0 => ("✓".to_string(), "ui.text.soft"),
        (Some(time), false) => (format!("✓ {}", duration(time)), "ui.text.soft"),
        (None, _) => (String::new(), "ui.text.soft"),
    }
}
