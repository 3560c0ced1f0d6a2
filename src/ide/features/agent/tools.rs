//! The agent's tools, to be switched on and off.

use crate::ide::core::overlay::{Pick, PickRow};
use crate::ide::core::picker::{Load, Row};
use crate::ide::core::state::State;

/// The table's row.
pub const PICKER: Row = Row {
    id: "tools",
    title: "tools the agent may use",
    footer: "Tab switch  Enter done",
    load: |state| Load::Rows(rows(state), state.agent.tools.iter().cloned().map(Pick::Tool).collect()),
    accept: |cx, _, marked| {
        let name = |pick: &Pick| match pick {
            Pick::Tool(name) => Some(name.clone()),
            _ => None,
        };
        let names: Vec<String> = marked.iter().filter_map(name).collect();
        cx.state.agent.tools.clone_from(&names);
        if let Some(session) = cx.session {
            session.set_tools(names);
        }
    },
};

fn rows(state: &State) -> Vec<PickRow> {
    let row = |tool: &std::sync::Arc<dyn crate::tools::tool::Tool>| {
        let name = tool.spec().name;
        PickRow { text: name.clone(), detail: tool.snippet().to_string(), pick: Pick::Tool(name) }
    };
    state.tools.tools().map(row).collect()
}
