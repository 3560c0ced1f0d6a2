//! Thinking levels: the picker, and switching by name or to the next one. Only levels that the model has.

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::model::agent::{Agent, thousands};
use crate::llm::model::Thinking;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "thinking",
    title: "Thinking level",
    footer: "✓ in use  Enter use",
    load: |state| RowSource::Rows(rows(state), vec![Pick::new(current(&state.agent))]),
    accept: |cx, pick, _| {
        if let (Some(level), Some(session)) = (pick.get(), cx.session) {
            session.set_thinking(*level);
        }
    },
    ..PickerSpec::EMPTY
};

/// Returns the levels of the model.
pub fn levels(agent: &Agent) -> Vec<Thinking> {
    let has = |level: &Thinking| agent.model.as_ref().is_none_or(|model| model.has_level(*level));
    Thinking::ALL.into_iter().filter(has).collect()
}

/// Returns the level that the model uses.
pub fn current(agent: &Agent) -> Thinking {
    agent.model.as_ref().map_or(agent.thinking, |model| model.nearest_level(agent.thinking))
}

fn rows(state: &State) -> Vec<PickRow> {
    let by_budget = state.agent.model.as_ref().is_some_and(|model| model.thinking_level_map.is_empty());
    let row = |level: Thinking| PickRow {
        text: level.name().to_string(),
        aliases: Vec::new(),
        group: None,
        detail: if by_budget && level != Thinking::Off {
            format!("up to {} tokens", thousands(level.budget()))
        } else {
            String::new()
        },
        pick: Pick::new(level),
    };
    levels(&state.agent).into_iter().map(row).collect()
}

/// Switches to the next level, from the last to the first.
pub fn cycle(cx: &mut Cx<'_>, step: isize) {
    let levels = levels(&cx.state.agent);
    if levels.len() < 2 {
        return cx.state.set_status("This model has no thinking levels");
    }
    let now = current(&cx.state.agent);
    let at = levels.iter().position(|level| *level == now).unwrap_or(0) as isize;
    if let Some(session) = cx.session {
        session.set_thinking(levels[(at + step).rem_euclid(levels.len() as isize) as usize]);
    }
}

/// Switches to the level of that name; without one, opens the picker.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) -> Result<(), String> {
    if name.is_empty() {
        cx.defer_picker("thinking");
        return Ok(());
    }
    let levels = levels(&cx.state.agent);
    let Some(level) = levels.iter().find(|level| level.name() == name) else {
        let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
        return Err(format!("No thinking level {name}. This model has {}", names.join(", ")));
    };
    if let Some(session) = cx.session {
        session.set_thinking(*level);
    }
    Ok(())
}
