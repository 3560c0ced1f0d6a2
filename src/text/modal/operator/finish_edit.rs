//! Transaction of an edit with cursors in the resulting text. Must not know the edit.

use std::ops::Range as ByteRange;

use crate::text::changes::ChangeSet;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Returns the text after a change, for computing cursors.
fn text_after(text: &Text, changes: &ChangeSet) -> Text {
    let mut after = text.clone();
    changes.apply(&mut after);
    after
}

/// Returns a transaction whose cursors are computed from the text after it.
pub(in crate::text::modal) fn into_transaction(
    page: ModalText<'_>,
    changes: ChangeSet,
    cursors: impl FnOnce(ModalText<'_>, &ChangeSet) -> Vec<Byte>,
) -> Transaction {
    let after = text_after(page.text, &changes);
    let cursors = cursors(ModalText::new(&after, page.tab_width), &changes);
    let ranges = cursors.into_iter().map(Range::cursor).collect::<Vec<_>>();
    if ranges.is_empty() {
        return Transaction::new(changes);
    }
    Transaction::new(changes).select(Selection::new(ranges, 0))
}

/// Returns edits without those that insert what is already there: they do not modify the text.
pub(in crate::text::modal) fn drop_unchanged(
    page: ModalText<'_>,
    edits: impl IntoIterator<Item = (ByteRange<Byte>, String)>,
) -> impl Iterator<Item = (ByteRange<Byte>, String)> {
    edits.into_iter().filter(move |(span, new)| *page.text.slice(span.clone()) != **new)
}
