//! Bundled layers: logging, budget, and rate limit of calls. One file each; `llm::client` accepts them in any
//! order.

pub mod budget;
pub mod journal;
#[doc(hidden)]
pub mod layer;
pub mod rate;

pub use budget::Budget;
pub use journal::Journal;
pub use rate::Rate;
