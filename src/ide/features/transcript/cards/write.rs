//! The card of calls that write a whole file: of a new one its beginning, else the differences. Must not know
//! other kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::{edit, other};
use crate::ide::features::transcript::items::Call;
use crate::tools::contract::view::{CallKind, DiffLine};

/// The table's row.
pub const CARD: Card = Card { code: edit::code, ..Card::new(CallKind::Write, other::body) };

/// Lines shown of a new file in short form.
pub const ROWS: usize = 10;

/// Returns whether these differences are all lines of a file that had none.
pub fn is_new_file(call: &Call, lines: &[Option<DiffLine>]) -> bool {
    let mut all = lines.iter().enumerate();
    call.view.kind == CallKind::Write
        && !lines.is_empty()
        && all.all(|(n, line)| line.as_ref().is_some_and(|line| line.sign == '+' && line.number == n + 1))
}

/// Returns a number of lines in words.
pub fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_string() } else { format!("{count} lines") }
}
