//! Picker of open files, files, symbols of the shown file and commands. A row is what it is in the list of its kind, and
//! accepted as there; its detail says the kind.

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::ide::core::condition::Reason;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::state::State;
use crate::ide::features::files::all_files::{self, FileStream};
use crate::ide::features::files::open_files;
use crate::ide::features::palette;
use crate::ide::features::palette::run::PaletteTarget;
use crate::ide::features::symbols;
use crate::ide::features::symbols::job::{SymbolLocation, SymbolsJob};
use crate::ide::model::buffers::BufferId;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "view.everywhere-picker",
    "Search everywhere",
    &["go to anything", "quick open", "files symbols commands"],
    |cx| {
        cx.defer_picker("everywhere");
    },
)];

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "everywhere",
    title: "Search everywhere",
    title_note: Some(all_files::ignored_note),
    footer: "Enter open or run",
    hints: &[("files.toggle-ignored", "ignored files")],
    commands: &["files.toggle-ignored"],
    prefixes: all_files::PREFIXES,
    preview: Some(|state, pick| {
        let preview = of_kind(pick)?.preview?;
        preview(state, pick)
    }),
    // A command is no place in a file.
    has_places: false,
    has_path: |pick| pick.get::<BufferId>().is_some() || pick.get::<String>().is_some(),
    is_dimmed: palette::picker::PICKER.is_dimmed,
    by_words: true,
    load: |_| RowSource::Task(fill),
    accept: |cx, pick, marked| {
        if let Some(kind) = of_kind(pick) {
            (kind.accept)(cx, pick, marked);
        }
    },
    accept_at: Some(|cx, pick, at| match of_kind(pick).map(|kind| (kind.accept_at, kind.accept)) {
        Some((Some(accept_at), _)) => accept_at(cx, pick, at),
        // What is no file has no lines.
        Some((None, accept)) => accept(cx, pick, &[]),
        None => {}
    }),
    ..PickerSpec::EMPTY
};

/// Returns the list of which a row is.
fn of_kind(pick: &Pick) -> Option<&'static PickerSpec> {
    match () {
        () if pick.get::<BufferId>().is_some() => Some(&open_files::PICKER),
        () if pick.get::<String>().is_some() => Some(&all_files::PICKER),
        () if pick.get::<SymbolLocation>().is_some() => Some(&symbols::picker::PICKER),
        () if pick.get::<PaletteTarget>().is_some() => Some(&palette::picker::PICKER),
        () => None,
    }
}

/// Returns a row with its kind, and without what only its own list can show.
fn labeled(row: PickRow, kind: &str) -> PickRow {
    PickRow { text: row.text.trim_start().to_string(), detail: kind.to_string(), group: None, ..row }
}

/// Returns why a command cannot run now.
fn reason(pick: &Pick) -> Option<Reason> {
    match pick.get() {
        Some(PaletteTarget::Unavailable(_, reason)) => Some(*reason),
        _ => None,
    }
}

fn open_rows(state: &State) -> impl Iterator<Item = PickRow> {
    let shown = state.buffers.current().map(|buffer| buffer.id);
    let rows = open_files::rows(state).into_iter();
    rows.filter(move |row| row.pick.get::<BufferId>().copied() != shown)
}

/// Adds the rows to the picker of this number: files last, since there may be very many.
fn fill(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let cancel = CancellationToken::new();
    let open: Vec<PickRow> = open_rows(cx.state).collect();
    let commands = palette::picker::by_area(cx.state);
    let job = cx.state.buffers.current().and_then(SymbolsJob::of);
    let files = FileStream::new(cx);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let work = move || {
        let add = |row: PickRow, kind: &str| push(&injector, labeled(row, kind));
        let is_open = |path: &String| open.iter().any(|row| row.text == *path);
        let mut recent = Vec::new();
        let others = files.pass_recent(|path| recent.push(path));
        for row in &open {
            add(row.clone(), "open file");
        }
        for path in recent.into_iter().filter(|path| !is_open(path)) {
            add(all_files::row(path), "file");
        }
        for row in job.map(SymbolsJob::run).unwrap_or_default() {
            add(row, "symbol");
        }
        for row in commands {
            let reason = reason(&row.pick).map(|reason| format!("command: {}", reason.text));
            add(row, reason.as_deref().unwrap_or("command"));
        }
        others.pass(&cancel, |path| {
            if !is_open(&path) {
                add(all_files::row(path), "file");
            }
        });
    };
    cx.tasks.spawn_blocking("everywhere.fill", work, move |cx, filled| {
        cx.state.finish_filling(number);
        answer_or_error(cx, "list files, symbols and commands", filled);
    });
}
