//! Open texts in the units of language servers.

use std::sync::Arc;

use crate::lsp::document::{DocumentChange, DocumentText, Replacement, saturated};
use crate::lsp::position::{Encoding, Position, Range};
use crate::text::document::ChangeRecord;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::units::Units;

fn units(encoding: Encoding) -> Units {
    match encoding {
        Encoding::Utf8 => Units::Utf8,
        Encoding::Utf16 => Units::Utf16,
        Encoding::Utf32 => Units::Utf32,
    }
}

impl DocumentText for Text {
    fn text(&self) -> String {
        self.to_string()
    }

    fn offset(&self, position: Position, encoding: Encoding) -> usize {
        self.at_units(Line(position.line as usize), position.character as usize, units(encoding)).0
    }

    fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let (line, column) = self.units_before(Byte(offset), units(encoding));
        Position::new(saturated(line.0), saturated(column))
    }
}

/// Changes of an open text since a server last heard of it.
pub struct Changes {
    /// Each change.
    pub records: Vec<ChangeRecord>,
    /// The text after them.
    pub text: Text,
}

impl DocumentChange for Changes {
    fn replacements(&self, encoding: Encoding) -> Vec<Replacement> {
        let before = ChangeRecord::texts_before(&self.records, &self.text);
        // To the protocol a lone carriage return ends a line, to us (and to many servers) it does not: lines cannot be
        // relied on then.
        if before.iter().chain([&self.text]).any(has_lone_return) {
            return vec![Replacement { range: None, text: self.text.to_string() }];
        }
        // Nor between the two characters of a line's end, where no position of the protocol is.
        let splits_ending = |record: &ChangeRecord, text: &Text| {
            let is_within = |at: Byte| {
                text.byte_at(at) == Some(b'\n') && at.0 > 0 && text.byte_at(at.back(1)) == Some(b'\r')
            };
            record.changes.edits().any(|edit| is_within(edit.old.start) || is_within(edit.old.end))
        };
        if self.records.iter().zip(&before).any(|(record, text)| splits_ending(record, text)) {
            return vec![Replacement { range: None, text: self.text.to_string() }];
        }
        let mut replacements = Vec::new();
        for (record, text) in self.records.iter().zip(&before) {
            let edits: Vec<_> = record.changes.edits().collect();
            // From the last to the first, so that each range is right in the text that those before have left.
            for edit in edits.iter().rev() {
                let at = |byte: Byte| DocumentText::position(text, byte.0, encoding);
                let range = Range { start: at(edit.old.start), end: at(edit.old.end) };
                replacements.push(Replacement { range: Some(range), text: edit.text.to_string() });
            }
        }
        replacements
    }

    fn next(&self) -> Arc<dyn DocumentText> {
        Arc::new(self.text.clone())
    }
}

/// A whole text in place of changes that were not kept.
pub struct Replaced(pub Text);

impl DocumentChange for Replaced {
    fn replacements(&self, _: Encoding) -> Vec<Replacement> {
        vec![Replacement { range: None, text: self.0.to_string() }]
    }

    fn next(&self) -> Arc<dyn DocumentText> {
        Arc::new(self.0.clone())
    }
}

/// Whether a text has a carriage return that no line feed follows.
fn has_lone_return(text: &Text) -> bool {
    let mut is_after_return = false;
    for chunk in text.chunks_from(Byte(0)) {
        let bytes = chunk.as_bytes();
        if is_after_return && bytes.first().is_some_and(|byte| *byte != b'\n') {
            return true;
        }
        let mut returns = memchr::memchr_iter(b'\r', bytes);
        if returns.any(|at| bytes.get(at + 1).is_some_and(|next| *next != b'\n')) {
            return true;
        }
        is_after_return = if bytes.is_empty() { is_after_return } else { bytes.ends_with(b"\r") };
    }
    is_after_return
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::changes::ChangeSet;
    use crate::text::document::{Document, Listener};
    use crate::text::file_format::format::Format;
    use crate::text::selection::{self, Selection};
    use crate::text::transaction::Transaction;

    const LISTENER: Listener = Listener::ALL[1];

    /// A server's text: lines that end as the protocol says, columns in units.
    fn apply(text: &mut String, replacement: &Replacement, encoding: Encoding) {
        let Some(range) = replacement.range else {
            text.clone_from(&replacement.text);
            return;
        };
        let plain = crate::lsp::document::PlainText::new(text.clone());
        let offsets = plain.offsets(range, encoding);
        text.replace_range(offsets, &replacement.text);
    }

    fn floor(text: &str, at: usize) -> usize {
        text.floor_char_boundary(at % (text.len() + 1))
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]
        #[test]
        fn server_text_equals_ours_after_any_edits(
            start in "[aé漢🐚\r\n]{0,12}",
            edits in prop::collection::vec((0_usize..40, 0_usize..40, "[aé🐚\r\n]{0,4}", any::<u8>()), 1..12),
        ) {
            for encoding in Encoding::ALL {
                let mut document = Document::new(&start, Format::default());
                document.record_changes(LISTENER);
                let mut server = document.text().to_string();
                for (from, to, new, kind) in &edits {
                    if kind % 5 == 0 {
                        document.undo();
                    } else {
                        let text = document.text().to_string();
                        let (a, b) = (floor(&text, *from), floor(&text, *to));
                        let (a, b) = (a.min(b), a.max(b));
                        let edit = (Byte(a)..Byte(b), new.clone());
                        let changes = ChangeSet::replace(text.len(), [edit]);
                        document.apply(Transaction::new(changes), &Selection::single(selection::Range::cursor(Byte(0))), 0);
                    }
                    if kind % 3 == 0 {
                        let records = document.take_changes(LISTENER).unwrap();
                        let changes = Changes { records, text: document.text().clone() };
                        for replacement in changes.replacements(encoding) {
                            apply(&mut server, &replacement, encoding);
                        }
                        prop_assert_eq!(&server, &document.text().to_string());
                    }
                }
            }
        }
    }

    #[test]
    fn text_with_a_lone_return_is_sent_whole() {
        for (text, is_lone) in
            [("a\r\nb\r\n", false), ("a\rb", true), ("a\r", true), ("\r\r\n", true), ("", false)]
        {
            assert_eq!(has_lone_return(&Text::from(text)), is_lone, "{text:?}");
        }
        let long = format!("{}\r{}", "x".repeat(5_000), "y\r\n".repeat(3_000));
        assert!(has_lone_return(&Text::from(&*long)));
        assert!(!has_lone_return(&Text::from(&*long.replacen('\r', "", 1))));
    }
}
