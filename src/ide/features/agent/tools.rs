//! Picker that enables and disables the agent's tools.

use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "tools",
    title: "Agent tools",
    footer: "Tab switch  Enter done",
    load: |state| RowSource::Rows(rows(state), state.agent.tools.iter().cloned().map(Pick::new).collect()),
    accept: |cx, _, marked| {
        let names: Vec<String> = marked.iter().filter_map(|pick| pick.get().cloned()).collect();
        cx.state.agent.tools.clone_from(&names);
        if let Some(session) = cx.session {
            session.set_tools(names);
        }
    },
};

fn rows(state: &State) -> Vec<PickRow> {
    let row = |tool: &std::sync::Arc<dyn crate::tools::contract::tool::Tool>| {
        let name = tool.spec().name;
        PickRow {
            text: name.clone(),
            aliases: Vec::new(),
            detail: tool.snippet().to_string(),
            pick: Pick::new(name),
        }
    };
    state.tools.tools().map(row).collect()
}
