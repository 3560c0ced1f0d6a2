//! Files and commands of one environment: this machine now, later a sandbox, a container, a host.
//!
//! Layer 1. May import `base`; must not know the domain: not tools, buffers or agents.
//! Environments compose: a wrapper may know open buffers and pass on what it does not.

#[doc(hidden)]
pub mod dumping;
#[doc(hidden)]
pub mod environment;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod facts;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod kept;
#[doc(hidden)]
pub mod local;
#[doc(hidden)]
pub mod process;
#[doc(hidden)]
pub mod replace;
#[doc(hidden)]
pub mod running;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod shelf;
#[doc(hidden)]
pub mod spill;
#[doc(hidden)]
pub mod subprocess;
#[doc(hidden)]
pub mod terminal;
#[doc(hidden)]
pub mod tree;
#[doc(hidden)]
pub mod trust;
#[doc(hidden)]
pub mod variables;
pub mod wrap;

pub use environment::{CommandSpec, Environment, Exit, OutputSink, PieceSink};
pub use error::EnvError;
pub use facts::{DirEntry, FileData, FileId, FileKind, FileStat, Stamp};
#[doc(hidden)]
pub use kept::KeptFiles;
pub use local::LocalEnvironment;
pub use running::{Input, Running, RunningControl, SpawnSpec};
pub use search::{
    FileMatches, FindSpec, FoundLine, FoundPath, LeftOut, MatchSink, PathSink, SearchSpec, Searched,
    Selection, Want,
};
#[doc(hidden)]
pub use shelf::Shelf;
#[doc(hidden)]
pub use spill::Spill;
pub use terminal::{Terminal, TerminalControl, TerminalSpec};
pub use variables::Inherit;
