//! Environments: files and commands of this machine, or of a sandbox, container or remote host.
//!
//! Layer 1. May import `base`; must not know the domain: tools, buffers or agents. Environments compose: a
//! wrapper may handle open buffers and pass everything else on.

#[doc(hidden)]
pub mod clipboard;
#[doc(hidden)]
pub mod commands;
#[doc(hidden)]
pub mod disk;
#[doc(hidden)]
pub mod environment;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod file_info;
#[doc(hidden)]
pub mod local;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod storage;
pub mod wrap;

pub use commands::running::{Input, Running, RunningControl, SpawnSpec, Usage};
pub use commands::terminal::{Terminal, TerminalControl, TerminalSpec};
pub use commands::variables::Inherit;
pub use environment::{CommandSpec, Environment, Exit, MoveLock, OutputSink, PieceSink};
pub use error::EnvError;
pub use file_info::{DirEntry, FileData, FileId, FileKind, FileStat, Stamp};
pub use local::LocalEnvironment;
pub use search::{
    FileMatches, FindSpec, FoundLine, FoundPath, MatchSink, Omitted, PathSink, SearchSpec, SearchStats,
    Selection, Want,
};
#[doc(hidden)]
pub use storage::cache::CacheFolder;
#[doc(hidden)]
pub use storage::run_files::RunFiles;
#[doc(hidden)]
pub use storage::spill::Spill;
