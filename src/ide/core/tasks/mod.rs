//! Work outside of the event loop: threads, one queue per kind of work, and dropping results that a newer request made
//! useless. `context` starts tasks.

pub mod fault;
pub mod lane;
pub mod latest;
pub mod threads;
