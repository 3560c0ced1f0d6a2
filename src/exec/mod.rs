//! Files and commands of one place: this machine now, later a sandbox, a container, a host.
//!
//! Layer 1. May import `base`; must not know the domain: not tools, buffers or agents.
//! Environments compose: a wrapper may know open buffers and pass on what it does not.

pub mod apart;
pub mod environment;
pub mod error;
pub mod facts;
pub mod files;
pub mod kept;
pub mod local;
pub mod process;
pub mod replace;
pub mod running;
pub mod search;
pub mod shelf;
pub mod spill;
pub mod terminal;
pub mod tree;
pub mod trust;
pub mod variables;
pub mod wrap;

pub use environment::{CommandSpec, Environment, Exit, OutputSink, PieceSink};
pub use error::EnvError;
pub use facts::{DirEntry, FileData, FileKind, FileStat, Stamp};
pub use kept::KeptFiles;
pub use local::LocalEnvironment;
pub use running::{Input, Running, RunningControl, SpawnSpec};
pub use search::{
    FileMatches, FindSpec, FoundLine, FoundPath, LeftOut, MatchSink, PathSink, SearchSpec, Searched,
    Selection, Want,
};
pub use shelf::Shelf;
pub use spill::Spill;
pub use terminal::{Terminal, TerminalControl, TerminalSpec};
pub use variables::Inherit;
