//! Files and commands of one place: this machine now, later a sandbox, a container, a host.
//!
//! Layer 1. May import `base`; must not know the domain: not tools, buffers or agents.
//! Environments compose: a wrapper may know open buffers and pass on what it does not.

pub mod environment;
pub mod files;
pub mod kept;
pub mod local;
pub mod process;
pub mod replace;
pub mod shelf;
pub mod spill;
pub mod terminal;
pub mod tree;
pub mod trust;

pub use environment::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileKind, FileStat, OutputSink, PieceSink,
    Stamp,
};
pub use kept::KeptFiles;
pub use local::LocalEnvironment;
pub use shelf::Shelf;
pub use spill::Spill;
pub use terminal::{Terminal, TerminalControl, TerminalSpec};
