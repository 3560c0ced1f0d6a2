//! Follows the terminal's background, and remembers it: the next start has the right colors before the terminal answers.

use std::path::Path;

use crate::base::error::Report;
use crate::exec::CacheFolder;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::features::themes::switch::{self, THEMES};

/// Name of the file with what the terminal had last.
const FILE: &str = "background";
/// Maximum bytes of the file.
const FILE_MAX: u64 = 16;

fn folder(state: &Path) -> CacheFolder {
    CacheFolder::new(state.join("terminal"))
}

/// Returns whether the background was dark when it was last known. An unreadable file is as none. Blocking.
pub fn last_known(state: &Path) -> Option<bool> {
    let bytes = folder(state).get(FILE, FILE_MAX).ok().flatten()?;
    match &bytes[..] {
        b"dark" => Some(true),
        b"light" => Some(false),
        _ => None,
    }
}

/// The terminal has said whether its background is dark, at the start or since it has changed.
pub fn on_background(cx: &mut Cx<'_>, is_dark: bool) {
    let themes = &mut cx.state.slots[THEMES];
    if std::mem::replace(&mut themes.is_dark, is_dark) == is_dark {
        return;
    }
    let (choice, folder) = (themes.choice.clone(), folder(&themes.state));
    switch::show(cx, &choice);
    let put = move || {
        let word: &[u8] = if is_dark { b"dark" } else { b"light" };
        folder.put(FILE, word).map_err(|error| Report::new(error.to_string()))
    };
    cx.tasks.spawn_blocking("themes.remember", put, |cx, done| {
        success_or_error(cx, "remember the background", done);
    });
}
