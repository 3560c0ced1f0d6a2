//! What keys do with the selected row of a list beside choosing it: mark, remove, reset, test. Must not know what its
//! rows represent.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::{Pick, Picker, PickerSpec, catch_up, show_selected};

/// Toggles the mark of the selected row of the topmost picker, and selects the next row or the previous one.
pub fn toggle(cx: &mut Cx<'_>, step: i64) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    let toggle = picker.spec.toggle.as_ref();
    if toggle.is_none() && !picker.spec.accepts_many() {
        return;
    }
    // The matches may have changed, perhaps to none.
    picker.catch_up();
    cx.state.damage.add(Part::Overlay);
    let Some(pick) = picker.current().map(|row| row.pick.clone()) else { return };
    let before = picker.marked.iter().position(|marked| *marked == pick);
    match before {
        Some(at) => {
            picker.marked.remove(at);
        }
        None => picker.marked.push(pick.clone()),
    }
    picker.step(step);
    match toggle {
        Some(toggle) => (toggle.on_toggle)(cx, &pick, before.is_none()),
        None => show_selected(cx),
    }
}

/// Removes what the selected row of the topmost picker stands for; returns whether its rows can be removed.
pub fn remove(cx: &mut Cx<'_>) -> bool {
    with_selected(cx, |spec| spec.remove)
}

/// Gives what the selected row of the topmost picker stands for its default back; returns whether its rows have one.
pub fn reset(cx: &mut Cx<'_>) -> bool {
    with_selected(cx, |spec| spec.reset)
}

/// Tries what the selected row of the topmost picker stands for; returns whether its rows can be tried.
pub fn test(cx: &mut Cx<'_>) -> bool {
    with_selected(cx, |spec| spec.test)
}

/// What a key does with a row.
type RowAction = fn(&mut Cx<'_>, &Pick);

/// Runs an action of the topmost picker, if it has that one, on its selected row.
fn with_selected(cx: &mut Cx<'_>, action: fn(&PickerSpec) -> Option<RowAction>) -> bool {
    let Some(picker) = cx.state.layers.top::<Picker>() else { return false };
    let Some(action) = action(picker.spec) else { return false };
    catch_up(cx.state);
    let picker = cx.state.layers.top::<Picker>();
    if let Some(pick) = picker.and_then(Picker::current).map(|row| row.pick.clone()) {
        action(cx, &pick);
    }
    true
}
