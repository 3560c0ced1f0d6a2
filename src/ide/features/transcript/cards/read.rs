//! The card of read calls. Must not know other kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::other;
use crate::tools::contract::view::CallKind;

/// The table's row.
pub const CARD: Card = Card::new(CallKind::Read, other::body);
