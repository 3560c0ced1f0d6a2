//! Conversion of other programs' sessions: detects the source program and maps its lines to entries.
//!
//! Pure: works on texts. Must not know files (`store::import` reads and writes them). Lines without an
//! equivalent are preserved as `custom` entries of type `bowline.imported`, so nothing of a readable line is
//! lost. Ids are derived from the source, so that the same source yields the same entries each time.

pub mod claude;
pub mod codex;
pub mod imported;
pub mod parts;
pub mod source;

pub use imported::ImportedSession;
pub use source::Source;
