//! New rows for a list that is open. Must not know what they represent.

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{PickRow, Picker, redraw, show_selected};

/// How long the first matches among new rows are waited for, in milliseconds.
const FILL_WAIT_MS: u64 = 10;

/// Replaces the rows of the picker of this number, which keeps its query, and its selected row where that is listed again.
pub fn replace_rows(cx: &mut Cx<'_>, number: u64, rows: Vec<PickRow>) {
    let Some(picker) = cx.state.layers.all_mut::<Picker>().find(|picker| picker.number == number) else {
        return;
    };
    let (selected, pick) = (picker.selected, picker.current().map(|row| row.pick.clone()));
    picker.replace(rows);
    picker.tick(FILL_WAIT_MS);
    picker.select_again(selected, pick);
    redraw(cx.state);
    show_selected(cx);
}
