//! The transaction of an edit, and where cursors stand in the text after it. Must not know what is edited.

use std::ops::Range as ByteRange;

use crate::text::changes::ChangeSet;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// The text after a change, for finding out where cursors stand in it.
fn text_after(text: &Text, changes: &ChangeSet) -> Text {
    let mut after = text.clone();
    changes.apply(&mut after);
    after
}

/// A transaction whose cursors are found in the text after it.
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

/// Edits without those that put in what stands there already: a text is not modified by them.
pub(in crate::text::modal) fn drop_unchanged(
    page: ModalText<'_>,
    edits: impl IntoIterator<Item = (ByteRange<Byte>, String)>,
) -> impl Iterator<Item = (ByteRange<Byte>, String)> {
    edits.into_iter().filter(move |(span, new)| *page.text.slice(span.clone()) != **new)
}
