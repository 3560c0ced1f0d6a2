//! Profiles: which system prompt and tools the agent works with. The picker, and switching by name or to the next
//! one.

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::model::agent::AUTO_PROFILE;
use crate::runtime::Handle;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "profiles",
    title: "Agent profile",
    footer: "✓ in use  Enter use from the next request on",
    load: |state| RowSource::Rows(rows(state), vec![Pick::new(state.agent.requested_profile)]),
    accept: |cx, pick, _| {
        if let Some(name) = pick.get::<&'static str>() {
            switch(cx, name);
        }
    },
    ..PickerSpec::EMPTY
};

fn rows(state: &State) -> Vec<PickRow> {
    let row = |name: &'static str| PickRow {
        text: name.to_string(),
        aliases: Vec::new(),
        group: None,
        detail: match name {
            AUTO_PROFILE if state.agent.requested_profile == AUTO_PROFILE => {
                format!("follows the model: {}", state.agent.profile)
            }
            AUTO_PROFILE => "follows the model".to_string(),
            _ => format!("prompt and tools for {name}"),
        },
        pick: Pick::new(name),
    };
    Handle::profiles().map(row).collect()
}

/// Switches to the next profile, from the last to the first.
pub fn cycle(cx: &mut Cx<'_>, step: isize) {
    let names: Vec<&str> = Handle::profiles().collect();
    let at = names.iter().position(|name| *name == cx.state.agent.requested_profile).unwrap_or(0) as isize;
    switch(cx, names[(at + step).rem_euclid(names.len() as isize) as usize]);
}

/// Switches to the profile of that name; without one, opens the picker.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) -> Result<(), String> {
    if name.is_empty() {
        cx.defer_picker("profiles");
        return Ok(());
    }
    if !Handle::profiles().any(|known| known == name) {
        let names: Vec<&str> = Handle::profiles().collect();
        return Err(format!("No profile {name}. One of {}", names.join(", ")));
    }
    switch(cx, name);
    Ok(())
}

fn switch(cx: &Cx<'_>, name: &str) {
    if let Some(session) = cx.session {
        session.set_profile(name);
    }
}
