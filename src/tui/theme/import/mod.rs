//! Themes of other programs: those of Helix, VS Code and pi, converted to the text of a theme of ours.
//!
//! Must not know files or who asks: a text goes in, and a caller reads the files that it refers to. [`source`] finds the
//! format, [`helix`], [`vscode`] and [`pi`] read one each into a [`draft`], [`textmate`] has the scopes of VS Code,
//! [`roles`] completes the colors and [`write`] writes the text.

pub mod draft;
pub mod helix;
pub mod json;
pub mod pi;
pub mod roles;
pub mod source;
pub mod textmate;
pub mod theme_file;
pub mod vscode;
pub mod write;

#[cfg(test)]
mod tests;

pub use source::{Conversion, convert, convert_pi};
pub use theme_file::{ImportError, Source};
