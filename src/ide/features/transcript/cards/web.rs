//! The card of calls that read or search the web: the first lines of what came. Must not know other kinds of
//! calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::other;
use crate::ide::features::transcript::cards::rows::{PROSE, beginning};
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::tools::contract::view::{CallKind, ResultView};
use crate::tui::widgets::line::Line;

/// The table's row.
pub const CARD: Card = Card { has_short_form: |_| true, ..Card::new(CallKind::Web, body) };

/// Lines shown in short form.
const ROWS: usize = 3;

fn body(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    match (&call.result, call.status) {
        (Some(ResultView::Text(text)), CallStatus::Done(_)) if !form.is_full => {
            beginning(text, form, ROWS, PROSE)
        }
        _ => other::body(call, form),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::features::transcript::cards::card::lay_out;
    use crate::ide::features::transcript::cards::form::CardKeys;
    use crate::tools::contract::view::CallView;

    #[test]
    fn cards_of_web_show_first_lines() {
        let view =
            CallView { kind: CallKind::Web, title: "https://a.b/c".to_string(), ..CallView::default() };
        let mut call = Call::new(String::new(), "fetch".to_string(), view, CallStatus::Done(None));
        call.result = Some(ResultView::Text("# Title\n\nfirst\nsecond\nthird".to_string()));
        let keys = CardKeys { expand: "Ctrl-o".to_string() };
        let form = CardForm {
            width: 40,
            is_full: false,
            is_closed: false,
            is_accessible: false,
            image_cell: None,
            keys: &keys,
            colors: &[],
        };
        let text = |row: &Line| row.iter().map(|span| span.text.as_str()).collect::<String>();
        let rows: Vec<String> = lay_out(&call, &form).iter().map(text).collect();
        assert_eq!(rows[1..], ["  # Title", "  ", "  first", "  … 2 more · Ctrl-o"]);
        assert_eq!(rows[0], "▾ fetch  https://a.b/c                 ✓");
    }
}
