//! Work outside of the event loop: threads, one queue per kind of work, and dropping results that a newer request made
//! useless. `context` starts tasks.

pub mod fault_injection;
pub mod latest_request;
pub mod threads;
pub mod work_thread;
