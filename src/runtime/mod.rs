//! One live session with its controls and its event stream: the face for every front end and
//! for embedding.
//!
//! Layer 6. May import layers 0 to 5 except `tui` and `text`; must not know who displays it.

#[doc(hidden)]
pub mod accounts;
#[doc(hidden)]
pub mod again;
#[doc(hidden)]
pub mod builder;
#[doc(hidden)]
pub mod checkpoints;
#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod contents;
pub mod drive;
#[doc(hidden)]
pub mod driven;
#[doc(hidden)]
pub mod earlier;
mod editing;
#[doc(hidden)]
pub mod event;
mod facts;
mod going;
#[doc(hidden)]
pub mod handle;
pub mod hub;
#[doc(hidden)]
pub mod keyring;
#[doc(hidden)]
pub mod live;
pub mod login;
pub mod moving;
pub mod observe;
#[doc(hidden)]
pub mod offered;
#[doc(hidden)]
pub mod once;
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod outfit;
#[doc(hidden)]
pub mod past;
mod permissions;
#[doc(hidden)]
pub mod reach;
#[doc(hidden)]
pub mod recorder;
mod recruits;
pub mod refresh;
mod relocating;
#[doc(hidden)]
pub mod restoring;
pub mod sayable;
pub mod shell;
#[doc(hidden)]
pub mod shown;
#[doc(hidden)]
pub mod start;
mod staying;
mod submit;
mod summaries;
pub mod talk;
pub mod ways;
#[doc(hidden)]
pub mod wire;
#[doc(hidden)]
pub mod wishes;

pub use builder::Builder;
pub use event::{Delivery, RuntimeEvent, Snapshot, Summary};
pub use handle::Handle;
pub use options::{Options, SessionChoice};
pub use outfit::Equipment;
pub use shown::Shown;
pub use start::start;
#[doc(hidden)]
pub use start::{prompt_of, prompt_to_go_on};
