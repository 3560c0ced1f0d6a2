//! What was open in a folder comes back with the next start there.

pub mod restore;
pub mod state;
pub mod store;
