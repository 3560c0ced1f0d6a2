//! RPC mode: another program controls a session with JSON lines. A host serves its own session with
//! [`serve`].

#[doc(hidden)]
pub mod answer;
#[doc(hidden)]
pub mod background;
#[doc(hidden)]
pub mod command;
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod host_ui;
#[doc(hidden)]
pub mod inline;
#[doc(hidden)]
pub mod jobs;
#[doc(hidden)]
pub mod outbox;
#[doc(hidden)]
pub mod pending;
#[doc(hidden)]
pub mod ports;
#[doc(hidden)]
pub mod serve;
#[doc(hidden)]
pub mod snapshot;
#[doc(hidden)]
pub mod ui;
#[doc(hidden)]
pub mod user_requests;

pub use host::HostCommand;
pub use host_ui::HostUi;
pub use ports::Ports;
pub use serve::serve;
pub use ui::{NotifyType, Placement};
