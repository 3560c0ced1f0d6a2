//! The name of a window, for all who only have to tell windows apart.

/// Identifies a window for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(pub u32);
