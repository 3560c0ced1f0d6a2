//! Pickers: one shape, many sources. A picker is one file and one row here.

use crate::ide::core::layers::picker::Row;
use crate::ide::features;

/// Every picker, by file.
pub static PICKERS: &[&Row] = &[
    &features::files::all_files::PICKER,
    &features::project_search::grep::PICKER,
    &features::files::open_files::PICKER,
    &features::palette::picker::PICKER,
    &features::palette::keys::PICKER,
    &features::agent::models::PICKER,
    &features::login::login_picker::PICKER,
    &features::login::logout_picker::PICKER,
    &features::files::encodings::PICKER,
    &features::palette::keymaps::PICKER,
    &features::places::registers::PICKER,
    &features::places::marks::PICKER,
    &features::places::jumps::PICKER,
    &features::symbols::picker::PICKER,
    &features::agent::tools::PICKER,
    &features::sessions::picker::PICKER,
    &features::sessions::picker_anywhere::PICKER,
    &features::sessions::picker_delete::PICKER,
    &features::history_search::conversations::PICKER,
    &features::history_search::prompts::PICKER,
    &features::snippets::picker::PICKER,
    &features::plugins::results::PICKER,
];
