//! Picker of the functions, types and headings of all files of the project. Language servers that run find them; where none
//! does, files are found, read and parsed in tasks, and their symbols are listed while others are read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nucleo::Injector;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::names;
use crate::base::width::visible;
use crate::exec::{Environment, FileData};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Location, Pick, PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::files::place_list::PLACES;
use crate::ide::features::symbols::server_search::{self, FoundSymbol};
use crate::syntax::Syntax;
use crate::syntax::languages::detect;
use crate::text::display::columns;
use crate::text::rope::Text;
use crate::workspace::walk;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "project-symbols",
    title: "Go to symbol in project",
    placeholder: "Type the name of a symbol",
    preview: Some(|_, pick| match (pick.get::<Location>(), pick.get::<FoundSymbol>()) {
        (Some(place), _) => Some(PreviewTarget::from(place)),
        (None, Some(found)) => Some(PreviewTarget::file(found.symbol.path.clone(), found.line())),
        (None, None) => None,
    }),
    load: |state| {
        if server_search::is_available(state) {
            RowSource::Live(String::new(), server_search::search)
        } else {
            RowSource::Task(find)
        }
    },
    accept: |cx, pick, marked| match pick.get::<FoundSymbol>() {
        Some(found) => server_search::go_to(cx, vec![found.clone()]),
        None => (PLACES.accept)(cx, pick, marked),
    },
    accept_many: Some(|cx, marked| {
        let found: Vec<FoundSymbol> = marked.iter().filter_map(Pick::get).cloned().collect();
        if !found.is_empty() {
            server_search::go_to(cx, found);
        } else if let Some(accept) = PLACES.accept_many {
            accept(cx, marked);
        }
    }),
    ..PLACES
};

/// Maximum bytes of a file that is read: longer ones are made by programs.
const FILE_MAX: u64 = 512 << 10;
/// Maximum symbols that are listed.
const SYMBOLS_MAX: usize = 200_000;
/// Files that are parsed at once, between two looks at whether the list was closed.
const BATCH: usize = 16;
/// Time limit for a file.
const BUDGET: Duration = Duration::from_secs(1);
/// Batches of paths that wait for being read.
const WAITING_MAX: usize = 4;

/// A file that was read: its path, its name for the user, and its text.
type ReadFile = (PathBuf, String, Text);

/// Adds the symbols of the project to the picker of this number. The search ends with the picker.
fn find(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let cancel = CancellationToken::new();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let whole = cx.state.buffers.all().iter().filter(|buffer| buffer.loading.is_none());
    let open = whole.filter_map(|buffer| Some((buffer.path.clone()?, buffer.area.text().clone()))).collect();
    let search = Search {
        env: cx.env.clone(),
        open,
        injector,
        tab_width: cx.state.text_options.tab_width,
        cancel: cancel.clone(),
    };
    let root = cx.env.root().to_path_buf();
    let work = async move {
        let (paths, waiting) = mpsc::channel(WAITING_MAX);
        let walked = on_thread(move || {
            walk::walk(&*root, &cancel, |found| {
                if paths.blocking_send(found).is_err() {
                    cancel.cancel();
                }
            })
        });
        tokio::join!(walked, search.run(waiting));
    };
    cx.tasks.spawn("symbols.find-all", work, move |cx, found| {
        cx.state.finish_filling(number);
        answer_or_error(cx, "find symbols", found);
    });
}

/// A search for the symbols of a project.
struct Search {
    env: Arc<dyn Environment>,
    /// The texts of the open files.
    open: HashMap<PathBuf, Text>,
    injector: Injector<PickRow>,
    tab_width: usize,
    cancel: CancellationToken,
}

impl Search {
    /// Reads and parses the files of a walk.
    async fn run(self, mut waiting: mpsc::Receiver<Vec<String>>) {
        let (mut batch, mut count) = (Vec::new(), 0);
        while let Some(paths) = waiting.recv().await {
            for name in paths {
                batch.extend(self.read(name).await);
                if batch.len() >= BATCH {
                    count += self.list(std::mem::take(&mut batch)).await;
                }
                if self.cancel.is_cancelled() || count >= SYMBOLS_MAX {
                    return self.cancel.cancel();
                }
            }
        }
        self.list(batch).await;
    }

    /// Reads a file whose name is that of a language.
    async fn read(&self, name: String) -> Option<ReadFile> {
        detect::detect(file_name(&name), "")?;
        let path = self.env.root().join(names::parse(&name));
        let text = if let Some(text) = self.open.get(&path) {
            text.clone()
        } else {
            let size = self.env.stat(&path).await.ok()?.size;
            if size > FILE_MAX {
                return None;
            }
            let FileData { bytes, .. } = self.env.read(&path).await.ok()?;
            Text::from(&*String::from_utf8_lossy(&bytes))
        };
        Some((path, visible(&name).into_owned(), text))
    }

    /// Adds the symbols of files; returns their number.
    async fn list(&self, files: Vec<ReadFile>) -> usize {
        let (injector, tab_width) = (self.injector.clone(), self.tab_width);
        on_thread(move || files.iter().map(|file| list_file(&injector, file, tab_width)).sum()).await
    }
}

fn file_name(name: &str) -> &str {
    Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Adds the symbols of a file; returns their number.
fn list_file(injector: &Injector<PickRow>, (path, name, text): &ReadFile, tab_width: usize) -> usize {
    let parsed = detect::detect(file_name(name), "")
        .and_then(|language| Syntax::parse(language, text, None, BUDGET).ok());
    let Some(syntax) = parsed else { return 0 };
    let symbols = syntax.symbols(text);
    for symbol in &symbols {
        let line = text.line_of(symbol.at).0 + 1;
        let column = columns::column_of(text, symbol.at, tab_width).0 + 1;
        push(
            injector,
            PickRow {
                text: visible(&symbol.name).into_owned(),
                aliases: Vec::new(),
                group: None,
                detail: format!("{} {name}:{line}", symbol.kind),
                pick: Pick::new(Location { path: path.clone(), line, column }),
            },
        );
    }
    symbols.len()
}
