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
    replace(picker, rows);
    redraw(cx.state);
    show_selected(cx);
}

fn replace(picker: &mut Picker, rows: Vec<PickRow>) {
    let (selected, pick) = (picker.selected, picker.current().map(|row| row.pick.clone()));
    picker.replace(rows);
    picker.tick(FILL_WAIT_MS);
    picker.select_again(selected, pick);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ide::core::layers::picker::{Pick, PickerSpec};

    fn rows(names: &[&str]) -> Vec<PickRow> {
        let row = |name: &&str| PickRow {
            text: (*name).to_string(),
            aliases: Vec::new(),
            group: None,
            detail: String::new(),
            pick: Pick::new((*name).to_string()),
        };
        names.iter().map(row).collect()
    }

    fn settle(picker: &mut Picker) {
        while !picker.is_settled {
            picker.tick(10);
        }
    }

    #[test]
    fn picker_with_replaced_rows_keeps_its_query_and_selected_row() {
        let mut picker = Picker::new(&PickerSpec::EMPTY, 1, Arc::new(|| {}));
        picker.fill(rows(&["fna", "fnb", "fnc", "x"]));
        picker.query.set("fn", 0);
        picker.refilter();
        settle(&mut picker);
        picker.step(1);
        let chosen = picker.current().expect("a row is selected").text.clone();
        replace(&mut picker, rows(&["y", "fnd", "fna", "fnb", "fnc"]));
        settle(&mut picker);
        assert_eq!((picker.query.text().to_string().as_str(), picker.matches()), ("fn", 4));
        assert_eq!(picker.current().expect("a row is selected").text, chosen);
        // Where it is gone the row in its place is selected.
        replace(&mut picker, rows(&["fnx", "fny", "fnz"]));
        settle(&mut picker);
        assert_eq!(picker.selected, 2);
    }
}
