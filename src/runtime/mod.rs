//! One live session with its controls and its event stream: the face for every front end and
//! for embedding.
//!
//! Layer 6. May import layers 0 to 5 except `tui` and `text`; must not know who displays it.

pub mod accounts;
pub mod again;
pub mod builder;
pub mod checkpoints;
pub mod choice;
pub mod contents;
pub mod drive;
pub mod driven;
mod editing;
pub mod event;
mod facts;
mod going;
pub mod handle;
pub mod hub;
pub mod keyring;
pub mod live;
pub mod login;
pub mod moving;
pub mod observe;
pub mod offered;
pub mod once;
pub mod options;
pub mod outfit;
pub mod past;
mod permissions;
pub mod reach;
pub mod recorder;
mod recruits;
pub mod refresh;
mod relocating;
pub mod restoring;
pub mod shell;
pub mod shown;
pub mod start;
mod staying;
mod submit;
mod summaries;
pub mod talk;
pub mod ways;
pub mod wire;
pub mod wishes;

pub use builder::Builder;
pub use event::{Delivery, RuntimeEvent, Snapshot, Summary};
pub use handle::Handle;
pub use options::{Options, SessionChoice};
pub use outfit::Equipment;
pub use shown::Shown;
pub use start::{prompt_of, prompt_to_go_on, start};
