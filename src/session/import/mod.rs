//! Sessions of other programs, told as ours: whose a text is, and what its lines say.
//!
//! Pure: works on texts. Must not know files (`store::import` reads and writes them). What has no like here is
//! kept as a `custom` entry of the type `bowline.imported`, so nothing of a line is lost that was read at all.
//! Ids follow from the source, so that the same source gives the same entries each time.

pub mod claude;
pub mod codex;
pub mod imported;
pub mod parts;
pub mod source;

pub use imported::ImportedSession;
pub use source::Source;
