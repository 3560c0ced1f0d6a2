//! Approval modes: the picker, and switching by name or to the next one. A change counts from the next call on.

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::tools::permissions::policy::Mode;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "approval-modes",
    title: "Approval mode",
    footer: "✓ in use  Enter use from the next call on",
    load: |state| RowSource::Rows(Mode::ALL.map(row).into(), vec![Pick::new(state.agent.approval_mode)]),
    accept: |cx, pick, _| {
        if let Some(mode) = pick.get() {
            switch(cx, *mode);
        }
    },
    ..PickerSpec::EMPTY
};

fn row(mode: Mode) -> PickRow {
    PickRow {
        text: mode.name().to_string(),
        aliases: Vec::new(),
        group: None,
        detail: description(mode).to_string(),
        pick: Pick::new(mode),
    }
}

/// Returns what a mode does.
pub fn description(mode: Mode) -> &'static str {
    match mode {
        Mode::Untrusted => "asks for edits and commands",
        Mode::OnRequest => "edits the workspace, asks for the rest",
        Mode::AutoEdit => "edits the workspace, refuses the rest",
        Mode::Full => "runs everything, asks nothing",
    }
}

fn switch(cx: &Cx<'_>, mode: Mode) {
    if let Some(session) = cx.session {
        session.set_approval_mode(mode);
    }
}

/// Switches to the next mode, without passing the ends. Nobody gets to the mode that runs everything by holding
/// a key: it must be chosen.
pub fn step(cx: &mut Cx<'_>, step: isize) {
    let modes = Mode::ALL;
    let at = modes.iter().position(|mode| *mode == cx.state.agent.approval_mode).unwrap_or(0);
    match modes.get(at.saturating_add_signed(step)) {
        Some(Mode::Full) if step > 0 => {
            cx.state.set_status("Enter chooses a mode that asks nothing");
        }
        Some(mode) => switch(cx, *mode),
        None => {}
    }
}

/// Switches to the mode of that name; without one, opens the picker.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) -> Result<(), String> {
    match Mode::parse(name) {
        _ if name.is_empty() => cx.defer_picker("approval-modes"),
        Some(mode) => switch(cx, mode),
        None => {
            let names = Mode::ALL.map(Mode::name).join(", ");
            return Err(format!("No approval mode {name}. One of {names}"));
        }
    }
    Ok(())
}
