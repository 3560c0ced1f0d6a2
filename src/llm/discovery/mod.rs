//! Discovery of the models that a server lists.

#[doc(hidden)]
pub mod discover;
#[doc(hidden)]
pub mod refresh;
