//! Which models a server offers, by its own list.

#[doc(hidden)]
pub mod discover;
#[doc(hidden)]
pub mod refresh;
