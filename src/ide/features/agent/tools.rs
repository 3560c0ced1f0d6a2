//! Picker that enables and disables the agent's tools, one by one or by a preset, with what each costs and whether
//! its calls run.

use std::sync::Arc;

use nucleo::Injector;

use crate::base::width::{text_width, truncate};
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, Toggle, push};
use crate::ide::core::state::State;
use crate::ide::model::agent::thousands;
use crate::runtime::Handle;
use crate::tools::contract::registry::Registry;
use crate::tools::contract::tool::{Tool, ToolClass};

/// Width of the columns after the description: tokens and permission.
const FACTS_COLS: usize = 21;
/// Cells of a picker's frame and margins.
const FRAME_COLS: usize = 6;
/// How long filling in the rows may delay the frame, in milliseconds.
const FILL_WAIT_MS: u64 = 10;
/// Maximum width of a picker.
const PICKER_COLS: usize = 96;

/// A set of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preset {
    All,
    Default,
    ReadOnly,
    None,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "tools",
    title: "Agent tools",
    footer: "Space ✓ on or off  Enter apply",
    toggle: Some(Toggle { by_space: true, on_toggle: toggle }),
    load: |_| RowSource::Task(|cx, injector, number| fill(cx, &injector, number)),
    accept: |cx, pick, marked| {
        let names = match pick.get::<Preset>() {
            Some(preset) => preset.tools(&cx.state.tools),
            None => marked.iter().filter_map(|pick| pick.get().cloned()).collect(),
        };
        if let Some(session) = cx.session {
            session.set_tools(names);
        }
    },
    ..PickerSpec::EMPTY
};

impl Preset {
    const ALL: [Self; 4] = [Self::All, Self::Default, Self::ReadOnly, Self::None];

    fn name(self) -> &'static str {
        match self {
            Self::All => "all tools",
            Self::Default => "default tools",
            Self::ReadOnly => "read-only tools",
            Self::None => "no tools",
        }
    }

    fn tools(self, all: &Registry) -> Vec<String> {
        match self {
            Self::All => all.names().map(String::from).collect(),
            Self::Default => all.default_names().map(String::from).collect(),
            Self::ReadOnly => {
                let reads = all.tools().filter(|tool| tool.class() == ToolClass::Reads);
                reads.map(|tool| tool.spec().name).collect()
            }
            Self::None => Vec::new(),
        }
    }
}

/// A preset on which the key toggles marks its tools instead.
fn toggle(cx: &mut Cx<'_>, pick: &Pick, _: bool) {
    let Some(preset) = pick.get::<Preset>() else { return };
    let names = preset.tools(&cx.state.tools);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.marked = names.into_iter().map(Pick::new).collect();
    }
}

/// Fills in the tools, and the presets after them, so that Enter at once changes nothing.
fn fill(cx: &mut Cx<'_>, injector: &Injector<PickRow>, number: u64) {
    for row in cx.session.map(|session| rows(cx.state, session)).unwrap_or_default() {
        push(injector, row);
    }
    let marked = cx.state.agent.tools.iter().cloned().map(Pick::new).collect();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.marked = marked;
        picker.tick(FILL_WAIT_MS);
    }
    cx.state.finish_filling(number);
}

fn rows(state: &State, session: &Handle) -> Vec<PickRow> {
    let group: Arc<str> = format!("profile {}", state.agent.profile).into();
    let cols = usize::from(state.size.0).saturating_sub(4).min(PICKER_COLS).saturating_sub(FRAME_COLS);
    let about_cols = (cols / 2).saturating_sub(FACTS_COLS);
    let row = |tool: &Arc<dyn Tool>| {
        let name = tool.spec().name;
        let facts = session.tool_facts(&**tool, state.agent.approval_mode);
        let about = truncate(tool.snippet(), about_cols).into_owned();
        let pad = " ".repeat(about_cols.saturating_sub(text_width(&about)));
        PickRow {
            text: name.clone(),
            aliases: Vec::new(),
            group: Some(group.clone()),
            detail: format!("{about}{pad}  {:>5} tokens  {:<5}", thousands(facts.tokens), facts.permission),
            pick: Pick::new(name),
        }
    };
    let presets: Arc<str> = "presets".into();
    let preset = |preset: Preset| PickRow {
        text: preset.name().to_string(),
        aliases: Vec::new(),
        group: Some(presets.clone()),
        detail: format!("{} of {}", preset.tools(&state.tools).len(), state.tools.names().count()),
        pick: Pick::new(preset),
    };
    state.tools.tools().map(row).chain(Preset::ALL.map(preset)).collect()
}
