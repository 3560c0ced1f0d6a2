//! The tables of the program, put together for the kernel.

use crate::ide::core::catalog::Catalog;
use crate::ide::features::{FEATURES, files};
use crate::ide::shell::commands::AREAS;

/// All of them.
pub static CATALOG: Catalog = Catalog { areas: AREAS, features: FEATURES, open_file: files::open::open };
