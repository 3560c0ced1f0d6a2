//! Id of a window, for code that only has to distinguish windows.

/// Id of a window, unique while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WindowId(pub u32);
