//! The tables of the program, combined for the kernel.

use crate::ide::core::catalog::{Catalog, CommandIndex};
use crate::ide::core::keys::keymap::Keymap;
use crate::ide::features::palette::keymaps;
use crate::ide::features::{FEATURES, files, image_files, previews};
use crate::ide::shell::commands::AREAS;
use crate::ide::shell::{input, retype};

/// All tables.
pub static CATALOG: Catalog = Catalog {
    areas: AREAS,
    features: FEATURES,
    index: CommandIndex::new(),
    open_file: files::open::open,
    open_files: files::open::go_to_all,
    draw_image: image_files::draw::draw,
    draw_preview: previews::draw::draw,
    run_command: input::run,
    press: input::key,
    retype: retype::retype,
};

/// Parses a key map for the existing commands. Also returns messages for the user about unusable rows.
pub fn read_keymap(origin: &str, text: &str) -> (Keymap, Vec<String>) {
    keymaps::read(&CATALOG, origin, text)
}
