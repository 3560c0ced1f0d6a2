//! Bundled layers: logging, budget, and rate limit of calls. One file each; `llm::client` accepts them in any
//! order.

pub mod budget;
#[doc(hidden)]
pub mod layer;
pub mod rate;
pub mod request_log;

pub use budget::Budget;
pub use rate::Rate;
pub use request_log::RequestLog;
