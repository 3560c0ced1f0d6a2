//! The tables of the program, combined for the kernel.

use crate::ide::core::catalog::Catalog;
use crate::ide::features::{FEATURES, files};
use crate::ide::shell::commands::AREAS;

/// All tables.
pub static CATALOG: Catalog = Catalog { areas: AREAS, features: FEATURES, open_file: files::open::open };
