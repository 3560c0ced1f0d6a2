//! The commands that were run from the palette last, kept for the next start. Must not know what they do.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::base::error::Report;
use crate::exec::CacheFolder;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;

/// Commands that are kept.
const KEPT_MAX: usize = 8;
/// Name of the file: an id a line, the last used first.
const FILE: &str = "recent-commands";
/// Maximum bytes of the file.
const FILE_MAX: u64 = 16 << 10;

/// Slot of the commands.
pub const RECENT: Slot<RecentCommands> = Slot::new();

/// The commands, the last used first.
#[derive(Debug, Default)]
pub struct RecentCommands {
    ids: VecDeque<String>,
    folder: PathBuf,
}

impl RecentCommands {
    /// None yet.
    pub fn new(options: &Options) -> Self {
        Self { ids: VecDeque::new(), folder: options.state.join("palette") }
    }

    /// Returns whether a command is among them.
    pub fn contains(&self, id: &str) -> bool {
        self.ids.iter().any(|known| known == id)
    }

    /// Returns the place of a command; those that are not among them come last.
    pub fn position(&self, id: &str) -> usize {
        self.ids.iter().position(|known| known == id).unwrap_or(usize::MAX)
    }

    fn add(&mut self, id: &str) {
        self.ids.retain(|known| known != id);
        self.ids.push_front(id.to_string());
        self.ids.truncate(KEPT_MAX);
    }
}

/// Reads the commands of earlier runs.
pub fn load(cx: &mut Cx<'_>) {
    let folder = CacheFolder::new(cx.state.slots[RECENT].folder.clone());
    let read = move || folder.get(FILE, FILE_MAX).map_err(|error| Report::new(error.to_string()));
    cx.tasks.spawn_blocking("palette.load", read, |cx, read| {
        let Some(bytes) = success_or_error(cx, "read the last commands", read).flatten() else { return };
        let text = String::from_utf8_lossy(&bytes);
        let recent = &mut cx.state.slots[RECENT];
        // What was run meanwhile stays first.
        let known: Vec<String> = text.lines().filter(|id| !recent.contains(id)).map(str::to_string).collect();
        recent.ids.extend(known);
        recent.ids.truncate(KEPT_MAX);
    });
}

/// Records that a command was run.
pub fn note(cx: &mut Cx<'_>, id: &str) {
    let recent = &mut cx.state.slots[RECENT];
    recent.add(id);
    let text = recent.ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect::<String>();
    let folder = CacheFolder::new(recent.folder.clone());
    let write = move || folder.put(FILE, text.as_bytes()).map_err(|error| Report::new(error.to_string()));
    cx.tasks.spawn_blocking("palette.save", write, |cx, written| {
        success_or_error(cx, "keep the last commands", written);
    });
}
