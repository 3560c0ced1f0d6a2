//! Running commands, for every tool that starts some: start, output, end.
//!
//! Must not know any tool's texts. Commands are started only through the environment.

pub mod job_name;
#[doc(hidden)]
pub mod jobs;
pub mod launch;
pub mod live;
pub mod report;
pub mod show;
#[cfg(test)]
pub mod tests;
pub mod times;
pub mod waiting;
pub mod words;

pub use launch::{LaunchRequest, start};
pub use live::{End, Live};
pub use report::{Frame, LIMITS, report};
pub use waiting::{Until, Waited, wait};
