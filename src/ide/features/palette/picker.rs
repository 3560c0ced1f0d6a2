//! The palette: every command by its title, its other names and its id, with its key, or with
//! the reason why it cannot run now. What was used last comes first.

use std::sync::Arc;

use crate::ide::core::condition::Reason;
use crate::ide::core::context::{Command, Cx};
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::layers::picker::{self, Pick, PickRow, Picker, PickerSpec, RowSource};
use crate::ide::core::layers::rank::{self, Match, Names, rank};
use crate::ide::core::state::State;
use crate::ide::features::palette::recent::RECENT;
use crate::ide::features::palette::run::{PaletteTarget, run};
use crate::ide::features::plugins::state::{PLUGINS, PluginCommand};

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "commands",
    title: "Commands",
    footer: "Enter run",
    load: |_| RowSource::Live(String::new(), search),
    letters: Some(|query, row| rank::letters(query, &row.text)),
    keeps_text: true,
    is_dimmed: |pick| matches!(pick.get(), Some(PaletteTarget::Unavailable(..))),
    accept: run,
    ..PickerSpec::EMPTY
};

/// Columns of a window from which ids are shown.
const IDS_FROM: u16 = 90;
/// Columns of the keys behind an id.
const KEYS_COLS: usize = 14;
/// How long a key waits for the list, in milliseconds.
const MATCH_WAIT_MS: u64 = 10;
/// The heading of the commands that were used last.
const RECENT_GROUP: &str = "Used last";

/// A command of the program or of a plugin.
struct Entry<'a> {
    title: &'a str,
    aliases: Vec<&'a str>,
    id: &'a str,
    target: PaletteTarget,
}

impl Entry<'_> {
    /// Returns why it cannot run now.
    fn reason(&self) -> Option<Reason> {
        match &self.target {
            PaletteTarget::Unavailable(_, reason) => Some(*reason),
            PaletteTarget::Command(_) | PaletteTarget::Plugin(_) => None,
        }
    }
}

/// Returns all commands that have a meaning in the key map.
fn entries(state: &State) -> impl Iterator<Item = Entry<'_>> {
    let target = |command: &'static Command| match command.check(state) {
        Ok(()) => PaletteTarget::Command(command.id),
        Err(reason) => PaletteTarget::Unavailable(command.id, reason),
    };
    let ours = move |command: &'static Command| Entry {
        title: command.title,
        aliases: command.aliases.iter().chain(command.former_ids).copied().collect(),
        id: command.id,
        target: target(command),
    };
    let modes = state.keymap.modal_style();
    let is_listed = move |command: &&'static Command| match command.id.split_once('.') {
        Some(("vim", _)) => modes == ModalStyle::Vim,
        Some(("helix", _)) => modes == ModalStyle::Helix,
        _ => true,
    };
    let theirs = |known: &'_ Arc<PluginCommand>| -> PaletteTarget { PaletteTarget::Plugin(known.id.clone()) };
    let plugins = state.slots[PLUGINS].commands.iter().map(move |known| Entry {
        title: &known.command.title,
        aliases: Vec::new(),
        id: &known.id,
        target: theirs(known),
    });
    state.catalog.commands().filter(is_listed).map(ours).chain(plugins)
}

fn row(state: &State, entry: &Entry<'_>, group: Option<Arc<str>>) -> PickRow {
    // The palette is already on top: the keys of the context below it are relevant.
    let keys = state.keymap.keys_for(state.base_key_context(), entry.id).unwrap_or_default();
    let detail = match entry.reason() {
        Some(reason) => reason.text.to_string(),
        None if state.size.0 >= IDS_FROM => format!("{}  {keys:>KEYS_COLS$}", entry.id),
        None => keys,
    };
    PickRow {
        text: entry.title.to_string(),
        aliases: Vec::new(),
        group,
        detail,
        pick: Pick::new(entry.target.clone()),
    }
}

/// Lists the commands that the query means, the best one first; without a query all of them by area.
fn search(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top::<Picker>() else { return };
    let query = picker.query.text().to_string();
    let rows = if query.trim().is_empty() { by_area(cx.state) } else { ranked(cx.state, &query) };
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.restart();
        picker.fill(rows);
        picker.tick(MATCH_WAIT_MS);
    }
    picker::redraw(cx.state);
}

fn ranked(state: &State, query: &str) -> Vec<PickRow> {
    let recent = &state.slots[RECENT];
    let found = entries(state).filter_map(|entry| {
        let Match { score, .. } =
            rank(query, &Names { title: entry.title, aliases: &entry.aliases, id: entry.id, about: "" })?;
        Some((score, recent.position(entry.id), entry))
    });
    let mut found: Vec<_> = found.collect();
    // Of equal scores what can run, then what was used last, then the shorter title.
    found.sort_by_key(|(score, used, entry)| {
        (std::cmp::Reverse(*score), entry.reason().is_some(), *used, entry.title.len())
    });
    found.iter().map(|(.., entry)| row(state, entry, None)).collect()
}

/// Returns the rows of all commands: those that were used last, then the others by their areas.
pub fn by_area(state: &State) -> Vec<PickRow> {
    let recent = &state.slots[RECENT];
    let (mut used, mut others): (Vec<Entry<'_>>, Vec<Entry<'_>>) =
        entries(state).partition(|entry| recent.contains(entry.id));
    used.sort_by_key(|entry| recent.position(entry.id));
    let area = |id: &str| {
        let area = id.split('.').next().unwrap_or_default();
        let mut letters = area.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    let mut areas: Vec<String> = Vec::new();
    for entry in &others {
        let area = area(entry.id);
        if !areas.contains(&area) {
            areas.push(area);
        }
    }
    others.sort_by_key(|entry| {
        (areas.iter().position(|known| *known == area(entry.id)), entry.reason().is_some())
    });
    let used = used.iter().map(|entry| row(state, entry, Some(RECENT_GROUP.into())));
    used.chain(others.iter().map(|entry| row(state, entry, Some(area(entry.id).into())))).collect()
}
