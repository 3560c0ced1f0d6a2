//! Rows of a tree: links of an entry and the location of its line, without the entry. In memory, and as bytes
//! of a fixed width that are read in place.
//!
//! Must not know files, nor the content of entries. Bytes come from outside: whatever they hold, a row refers
//! only to valid indices, and every traversal terminates.

use crate::session::format::role::Role;

/// No entry.
pub(in crate::session) const NO_ENTRY: u32 = u32::MAX;
/// Bytes of a row before its id.
const FIXED_BYTES: usize = 36;

/// Links to other entries, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) struct Links {
    /// Its parent.
    pub(in crate::session) parent: u32,
    /// Its latest child.
    pub(in crate::session) last_child: u32,
    /// Its previous sibling; for a root the previous root.
    pub(in crate::session) previous_sibling: u32,
    /// The nearest ancestor that determines what a model gets.
    pub(in crate::session) context_ancestor: u32,
    /// The previous entry of the same type, on any branch.
    pub(in crate::session) previous_same_kind: u32,
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) struct Row {
    pub(in crate::session) links: Links,
    /// Byte offset of its line in the file.
    pub(in crate::session) from: u64,
    /// Length of its line in bytes.
    pub(in crate::session) length: u32,
    /// The number of its type.
    pub(in crate::session) kind: u32,
    pub(in crate::session) role: Role,
}

/// Widths of the texts in rows, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(in crate::session) struct Widths {
    pub(in crate::session) id: u8,
    pub(in crate::session) timestamp: u8,
}

/// Returns the index, unless it is the marker for no entry.
pub(in crate::session) fn some_index(index: u32) -> Option<u32> {
    (index != NO_ENTRY).then_some(index)
}

const ROLES: [Role; 5] = [Role::None, Role::User, Role::Assistant, Role::Tool, Role::Other];

impl Widths {
    /// Bytes of a row.
    pub(in crate::session) fn row(self) -> usize {
        FIXED_BYTES + usize::from(self.id) + usize::from(self.timestamp)
    }

    /// Returns widths that fit these texts, too; `None` if they are too long for rows.
    pub(in crate::session) fn with(self, id: &str, timestamp: &str) -> Option<Self> {
        let wide = |text: &str, now: u8| u8::try_from(text.len()).ok().map(|length| now.max(length));
        Some(Self { id: wide(id, self.id)?, timestamp: wide(timestamp, self.timestamp)? })
    }

    /// Appends a row whose texts fit.
    pub(in crate::session) fn write(self, row: &Row, id: &str, timestamp: &str, out: &mut Vec<u8>) {
        let end = out.len() + self.row();
        let Links {
            parent,
            last_child: first,
            previous_sibling: next,
            context_ancestor: steering,
            previous_same_kind: same,
        } = row.links;
        for link in [parent, first, next, steering, same, row.length] {
            out.extend(link.to_le_bytes());
        }
        out.extend(row.from.to_le_bytes());
        let role = ROLES.iter().position(|role| *role == row.role).unwrap_or_default();
        out.extend([row.kind as u8, role as u8, id.len() as u8, timestamp.len() as u8]);
        out.extend(id.as_bytes());
        out.extend(timestamp.as_bytes());
        out.resize(end, 0);
    }
}

/// A row as bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) struct RowBytes<'a>(pub(in crate::session) &'a [u8]);

impl<'a> RowBytes<'a> {
    fn word(self, n: usize) -> u32 {
        let bytes = self.0.get(n * 4..).and_then(|rest| rest.first_chunk());
        bytes.map_or(NO_ENTRY, |bytes| u32::from_le_bytes(*bytes))
    }

    fn byte(self, n: usize) -> u8 {
        self.0.get(n).copied().unwrap_or_default()
    }

    /// Returns the row's numbers, validated for its index, the number of rows, and the number of types.
    pub(in crate::session) fn row(self, at: u32, count: u32, kinds: u32) -> Row {
        let before = |n: usize| if self.word(n) < at { self.word(n) } else { NO_ENTRY };
        let first = self.word(1);
        let links = Links {
            parent: before(0),
            last_child: if first > at && first < count { first } else { NO_ENTRY },
            previous_sibling: before(2),
            context_ancestor: before(3),
            previous_same_kind: before(4),
        };
        Row {
            links,
            from: u64::from(self.word(6)) | u64::from(self.word(7)) << 32,
            length: self.word(5),
            kind: u32::from(self.byte(32)).min(kinds.saturating_sub(1)),
            role: ROLES.get(usize::from(self.byte(33))).copied().unwrap_or_default(),
        }
    }

    fn text(self, from: usize, length: u8) -> &'a str {
        let bytes = self.0.get(from..from + usize::from(length));
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// Returns its id.
    pub(in crate::session) fn id(self) -> &'a str {
        self.text(FIXED_BYTES, self.byte(34))
    }

    /// Returns its timestamp.
    pub(in crate::session) fn timestamp(self) -> &'a str {
        self.text(FIXED_BYTES + usize::from(self.byte(34)), self.byte(35))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tree_row_roundtrips() {
        let links = Links {
            parent: 4,
            last_child: 9,
            previous_sibling: NO_ENTRY,
            context_ancestor: 0,
            previous_same_kind: 3,
        };
        let row = Row { links, from: 1 << 40 | 7, length: 12, kind: 2, role: Role::Tool };
        let widths = Widths::default().with("an id", "t").unwrap().with("x", "time").unwrap();
        let mut bytes = Vec::new();
        widths.write(&row, "an id", "t", &mut bytes);
        widths.write(&row, "x", "time", &mut bytes);
        assert_eq!(bytes.len(), 2 * widths.row());
        for (bytes, id, timestamp) in
            [(&bytes[..widths.row()], "an id", "t"), (&bytes[widths.row()..], "x", "time")]
        {
            let bytes = RowBytes(bytes);
            assert_eq!((bytes.row(5, 10, 3), bytes.id(), bytes.timestamp()), (row, id, timestamp));
        }
        assert_eq!(Widths::default().with(&"x".repeat(256), ""), None);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn tree_row_any_bytes_have_valid_links(bytes in prop::collection::vec(any::<u8>(), 0..80), at in 0u32..9) {
            let bytes = RowBytes(&bytes);
            let row = bytes.row(at, 9, 3);
            let Links { parent, last_child, previous_sibling, context_ancestor, previous_same_kind } = row.links;
            prop_assert!([parent, previous_sibling, context_ancestor, previous_same_kind].iter().all(|link| *link == NO_ENTRY || *link < at));
            prop_assert!(last_child == NO_ENTRY || (last_child > at && last_child < 9));
            prop_assert!(row.kind < 3);
            let _texts = (bytes.id(), bytes.timestamp());
        }
    }
}
