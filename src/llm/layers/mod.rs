//! The layers that come with the program: what is said of calls, what they may cost, how many
//! there may be. Each is one file; `llm::client` takes them in any order.

pub mod budget;
pub mod journal;
#[doc(hidden)]
pub mod layer;
pub mod rate;

pub use budget::Budget;
pub use journal::Journal;
pub use rate::Rate;
