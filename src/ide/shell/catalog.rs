//! The tables of the program, put together for the kernel.

use crate::ide::core::catalog::Catalog;
use crate::ide::features::{FEATURES, files};
use crate::ide::shell::commands::AREAS;
use crate::ide::shell::pickers::PICKERS;

/// All of them.
pub static CATALOG: Catalog =
    Catalog { commands: AREAS, pickers: PICKERS, features: FEATURES, open_file: files::open::open };
