//! Positions as servers count them: lines, and columns in units that both sides agree on. Must not know texts.

use serde::{Deserialize, Serialize};

/// The unit of columns. The names are those of `PositionEncodingKind` (LSP 3.17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: what a server counts in that says nothing.
    #[default]
    Utf16,
    /// Code points.
    Utf32,
}

impl Encoding {
    /// All, the preferred one first.
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf32, Self::Utf16];

    /// Returns its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// Returns the encoding of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name() == name)
    }
}

/// A position between two characters. Positions may lie beyond the end of a line, which then counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 0.
    pub line: u32,
    /// Column in units of the encoding, from 0.
    pub character: u32,
}

impl Position {
    /// Creates it.
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

impl From<gen_lsp_types::Position> for Position {
    fn from(position: gen_lsp_types::Position) -> Self {
        Self::new(position.line, position.character)
    }
}

/// From one position to another one, which may come before it if a server is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Range {
    /// Its start.
    pub start: Position,
    /// Its end, exclusive.
    pub end: Position,
}

impl From<gen_lsp_types::Range> for Range {
    fn from(range: gen_lsp_types::Range) -> Self {
        Self { start: range.start.into(), end: range.end.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_names_are_those_of_the_protocol() {
        for encoding in Encoding::ALL {
            assert_eq!(Encoding::named(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::named("utf-7"), None);
        assert_eq!(Encoding::default(), Encoding::Utf16);
    }
}
