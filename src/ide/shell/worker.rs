//! Does the outside work that the loop asks for, each piece as a task whose result comes back
//! as an event. Must not know the state.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::panics::{Panicked, catch_async};
use crate::exec::{EnvError, Environment, KeptFiles, Stamp};
use crate::ide::core::context::Tasks;
use crate::ide::core::effect::{Effect, Found, Save, SearchFor};
use crate::ide::core::event::{Event, FileEvent, Opened, Reread, Saved, Tidied};
use crate::ide::core::threads::{Threads, on_thread};
use crate::ide::editor::modal::background_job::{Done, Work};
use crate::ide::features::files;
use crate::ide::features::files::open::Seen;
use crate::ide::features::git;
use crate::ide::features::undo_store::store::UndoShelf;
use crate::ide::model::buffers::{BufferId, Disk};
use crate::ide::model::hunks::GitText;
use crate::patch::diff::{self as lines, LineDiff};
use crate::runtime::Handle;
use crate::text::changes::ChangeSet;
use crate::text::diff;
use crate::text::encoding::Encoding;
use crate::text::format::{self, Format};
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::workspace::editorconfig;
use crate::workspace::watch::{Touches, Watcher};
use lane::Lane;
use lost::{failed, filled, internal, not_opened, not_saved};
use opened::OpenShelf;

mod diffing;
mod file_list;
mod keep;
mod lane;
mod listing;
mod looking;
mod lost;
mod offering;
mod opened;
mod plugins;
mod terminal;
mod tree;

/// Does outside work.
pub struct Worker {
    env: Arc<dyn Environment>,
    events: mpsc::Sender<Event>,
    tasks: Tasks,
    /// The session, once it is there.
    pub session: Option<Handle>,
    /// Where unsaved text is kept, once that is known.
    kept: Option<Arc<KeptFiles>>,
    /// Where the program keeps what must outlive it, once that is known.
    state: Option<PathBuf>,
    /// Where undo trees are kept, if they are.
    undo: Option<Arc<UndoShelf>>,
    /// Where what is open is kept.
    open: Option<Arc<OpenShelf>>,
    walk: CancellationToken,
    files: file_list::FileList,
    watcher: Arc<Mutex<Option<Watcher>>>,
    seen: Arc<Seen>,
    terminals: terminal::Terminals,
    parsing: Lane,
}

impl Worker {
    /// A worker for files of `env` that runs on `tasks` and answers to the loop listening to
    /// `events`.
    pub fn new(env: Arc<dyn Environment>, events: mpsc::Sender<Event>, threads: Threads) -> Self {
        let tasks = Tasks::new(threads, Arc::new(events.clone()));
        let walk = CancellationToken::new();
        Self {
            env,
            events,
            tasks,
            session: None,
            kept: None,
            state: None,
            undo: None,
            open: None,
            walk,
            files: file_list::FileList::default(),
            watcher: Arc::default(),
            seen: Arc::default(),
            terminals: terminal::Terminals::default(),
            parsing: Lane::default(),
        }
    }

    /// Keeps unsaved text, and undo trees where they are wanted, in the program's folder of state.
    pub fn keep_in(&mut self, state: &Path, undo: bool) {
        self.state = Some(state.to_path_buf());
        self.kept = Some(Arc::new(KeptFiles::new(state.join("swap"))));
        self.undo = undo.then(|| Arc::new(UndoShelf::new(state.join("undo"))));
    }

    /// Whether a task is still at work.
    pub fn is_busy(&self) -> bool {
        self.tasks.is_busy()
    }

    /// Starts one piece of work.
    pub fn perform(&mut self, effect: Effect) {
        match effect {
            effect
            @ (Effect::Open { .. } | Effect::Reread { .. } | Effect::Save(_) | Effect::Tidy { .. }) => {
                self.open_files(effect);
            }
            Effect::Undo(job) => self.undo(job),
            Effect::Rules(files) => self.blocking(failed("read .editorconfig"), move || {
                let found = files.into_iter().map(|(buffer, path)| (buffer, editorconfig::load(&path)));
                Event::Files(FileEvent::Rules(found.collect()))
            }),
            Effect::Search(search) => self.search(*search),
            Effect::Elsewhere(work) => self.elsewhere(work),
            Effect::Occurrences(asked) => self.blocking(failed("find occurrences"), move || {
                let found = crate::ide::editor::commands::select::run(&asked);
                Event::Occurrences(asked, found)
            }),
            Effect::Fold(buffer, job) => {
                self.blocking(failed("find what to fold"), move || {
                    Event::Folded(buffer, Box::new(job.run()))
                });
            }
            Effect::GitText { buffer, path, known } => {
                let env = self.env.clone();
                let lost = move |_| Event::GitText(buffer, GitText::Same);
                self.task(lost, async move {
                    Event::GitText(buffer, git::events::read(&*env, &path, known).await)
                });
            }
            Effect::Compare(buffer, job) => self.compare_with_git(buffer, *job),
            Effect::Survey(survey) => self.survey(*survey),
            Effect::Color(buffer, job) => self.color(buffer, job),
            Effect::Free(unused) => drop(tokio::task::spawn_blocking(move || drop(unused))),
            Effect::List(folder) => self.list(folder),
            Effect::CheckDisk(files) => self.check_disk(files),
            Effect::Watch(files, touches) => self.watch(files, touches),
            Effect::CompareDisk { buffer, path, text, encoding } => {
                let env = self.env.clone();
                self.task(failed("compare with the disk"), async move {
                    let result = differ(&*env, &path, text, encoding).await;
                    Event::Files(FileEvent::Compared { buffer, result })
                });
            }
            Effect::Keep(job) => self.keep(job),
            Effect::Walk(injector, picker, now) => self.start_walk(injector, picker, now),
            effect => self.beyond(effect),
        }
    }

    /// The same for reading and writing open files.
    fn open_files(&self, effect: Effect) {
        match effect {
            Effect::Open { path, at } => {
                let (env, events, seen) = (self.env.clone(), self.events.clone(), self.seen.clone());
                let lost = not_opened(path.clone(), (at, false));
                self.task(lost, async move {
                    Event::Opened(Box::new(
                        files::open::open(&*env, path, (at, false), (&events, &seen)).await,
                    ))
                });
            }
            Effect::Reread { buffer, path, text, version, forced, encoding, current } => {
                let (env, lost) = (self.env.clone(), internal(&path));
                let lost = move |why| {
                    Event::Reread(Reread { buffer, version, forced, encoding, result: Err(lost(why)) })
                };
                self.task(lost, async move {
                    let result = compare(&*env, &path, text, encoding, current).await;
                    Event::Reread(Reread { buffer, version, forced, encoding, result })
                });
            }
            Effect::Save(save) => {
                let env = self.env.clone();
                self.task(not_saved(&save), async move { write(&*env, *save).await });
            }
            Effect::Tidy { save, tidy, version, tries } => self.blocking(not_saved(&save), move || {
                let changes = tidy.change(&save.text, save.format.ending);
                Event::Files(FileEvent::Tidied(Box::new(Tidied { save: *save, version, tries, changes })))
            }),
            _ => tracing::error!("an effect of another kind came to the work on open files"),
        }
    }

    fn search(&self, search: SearchFor) {
        let search = Arc::new(search);
        let asked = search.clone();
        let lost = move |why: Panicked| {
            Event::Found(asked, Box::new(Found { problem: Some(why.to_string()), ..Found::default() }))
        };
        self.blocking(lost, move || {
            let found = crate::ide::editor::commands::search::run(&search);
            Event::Found(search, Box::new(found))
        });
    }

    fn elsewhere(&self, work: Work) {
        let Work { buffer, version, number, run } = work;
        let done = move |outcome| Event::Elsewhere(Done { buffer, version, number, outcome });
        self.blocking(move |why| done(Err(why)), move || done(Ok(run())));
    }

    /// The same for what concerns more than the open files.
    fn beyond(&mut self, effect: Effect) {
        match effect {
            Effect::Diff(ask) => self.diff(*ask),
            Effect::Listing(job) => self.list_work(*job),
            Effect::Grep(grep) => self.start_grep(*grep),
            Effect::Terminal(work) => self.terminal(work),
            Effect::EndWalk => self.stop_walk(),
            Effect::Symbols(injector, picker, job) => self.symbols(injector, picker, *job),
            effect => self.own_files(effect),
        }
    }

    /// The same for what concerns the person's own files of the program.
    fn own_files(&self, effect: Effect) {
        match effect {
            Effect::KeepOpen(content) => self.keep_open(content),
            Effect::Snippets(injector, picker, folders, names) => {
                self.snippets(injector, picker, folders, names);
            }
            Effect::ReadPlugins(job) => self.read_plugins(*job),
            Effect::Plugin(job) => self.run_plugin(*job),
            _ => tracing::error!("an effect of the loop itself reached the worker"),
        }
    }

    /// Opens files, of which `first` was read already; the first is shown. The only task on the
    /// loop's own thread: a start must not wait for other threads to be made, and this one only
    /// waits.
    pub(super) fn open_all(&self, first: Option<Opened>, files: Vec<(PathBuf, Option<(usize, usize)>)>) {
        let (env, events, seen) = (self.env.clone(), self.events.clone(), self.seen.clone());
        let running = self.tasks.running();
        tokio::spawn(async move {
            let mut behind = first.is_some();
            if let Some(first) = first {
                send(&events, Event::Opened(Box::new(first))).await;
            }
            for (path, at) in files {
                let lost = not_opened(path.clone(), (at, behind));
                let opened = files::open::open(&*env, path, (at, behind), (&events, &seen));
                let opened = catch_async(opened).await;
                send(&events, opened.map_or_else(lost, |opened| Event::Opened(Box::new(opened)))).await;
                behind = true;
            }
            send(&events, Event::AllOpened).await;
            drop(running);
        });
    }

    /// Runs a task whose result is an event. Where it panics, the event is that of `lost`, so that
    /// what waits for the result goes on.
    pub fn task(
        &self,
        lost: impl FnOnce(Panicked) -> Event + Send + 'static,
        work: impl Future<Output = Event> + Send + 'static,
    ) {
        let work = self.tasks.guard(work);
        let events = self.events.clone();
        self.tasks.run(async move { send(&events, work.await.unwrap_or_else(lost)).await });
    }

    fn blocking(
        &self,
        lost: impl FnOnce(Panicked) -> Event + Send + 'static,
        work: impl FnOnce() -> Event + Send + 'static,
    ) {
        // One kind of work, as with tasks.
        let work: Box<dyn FnOnce() -> Event + Send> = Box::new(work);
        self.task(lost, async move { on_thread(work).await });
    }

    /// What starts tasks.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Files and commands of the place that is worked in.
    pub fn env(&self) -> &Arc<dyn Environment> {
        &self.env
    }

    fn check_disk(&self, files: Vec<(BufferId, PathBuf, Stamp)>) {
        for (buffer, path, known) in files {
            let (env, seen) = (self.env.clone(), self.seen.clone());
            self.task(failed("look at an open file"), async move {
                let now = stamp_of(&*env, &path, &seen).await;
                let disk = match &now {
                    Ok(stamp) if *stamp == known => Disk::Same,
                    Ok(_) => Disk::Changed,
                    Err(EnvError::NotFound(_)) => Disk::Gone,
                    Err(EnvError::IsFolder(_)) => Disk::Folder,
                    Err(_) => Disk::Unreadable,
                };
                Event::Files(FileEvent::Stands { buffer, known, disk, now: now.ok() })
            });
        }
    }

    fn watch(&self, files: Vec<PathBuf>, touches: Arc<Touches>) {
        let (slot, events) = (self.watcher.clone(), self.events.clone());
        self.blocking(failed("watch open files"), move || {
            let wake = move || {
                if events.blocking_send(Event::Files(FileEvent::Touched)).is_err() {
                    tracing::debug!("the loop has ended before a file was touched");
                }
            };
            let mut watcher = slot.lock().unwrap_or_else(PoisonError::into_inner);
            let followed = match &mut *watcher {
                Some(watcher) => watcher.follow(files),
                None => Watcher::new(touches, wake).and_then(|made| watcher.insert(made).follow(files)),
            };
            let is_new = followed.unwrap_or_else(|error| {
                // They are looked at when the window gets the focus, and before they are saved.
                tracing::warn!("not every open file is watched: {error}");
                true
            });
            Event::Files(FileEvent::Watched { is_new })
        });
    }
}

async fn send(events: &mpsc::Sender<Event>, event: Event) {
    if events.send(event).await.is_err() {
        tracing::debug!("the loop has ended before a task's result");
    }
}

/// The state of a file. One that nobody has written since it was seen last is not read.
async fn stamp_of(env: &dyn Environment, path: &Path, seen: &Seen) -> Result<Stamp, EnvError> {
    let version = env.stat(path).await?.version;
    let lock = || seen.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((before, stamp)) = lock().get(path)
        && Some(*before) == version
    {
        return Ok(stamp.clone());
    }
    let stamp = env.read_pieces(path, Box::new(|_| true)).await?;
    if let Some(version) = version {
        lock().insert(path.to_path_buf(), (version, stamp.clone()));
    }
    Ok(stamp)
}

/// How a text differs from its file, by lines.
async fn differ(
    env: &dyn Environment,
    path: &Path,
    text: Text,
    encoding: Encoding,
) -> Result<(LineDiff, Stamp), EnvError> {
    let data = env.read(path).await?;
    let compared = tokio::task::spawn_blocking(move || {
        let (disk, _) = format::decode_like(&data.bytes, encoding);
        (lines::lines(&disk, &text.to_string()), data.stamp)
    });
    compared.await.map_err(|_| EnvError::Cancelled)
}

/// What makes the file's text out of `text`; the difference of large texts takes its time, so
/// it has a thread of its own.
async fn compare(
    env: &dyn Environment,
    path: &Path,
    text: Text,
    encoding: Option<Encoding>,
    current: Encoding,
) -> Result<Option<(ChangeSet, Format, Stamp)>, EnvError> {
    let data = match env.read(path).await {
        Ok(data) => data,
        Err(EnvError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let compared = tokio::task::spawn_blocking(move || {
        let decoded = match encoding {
            Some(encoding) => format::decode_as(&data.bytes, encoding).ok_or(encoding),
            None => Ok(format::decode_like(&data.bytes, current)),
        };
        decoded.map(|(new, format)| (diff::change(&text.to_string(), &new), format, data.stamp))
    });
    let wrong = |encoding: Encoding| {
        let why = format!("not {}: its bytes would not stay the same", encoding.name());
        EnvError::unfit(path, std::io::Error::other(why))
    };
    compared.await.map_err(|_| EnvError::Cancelled)?.map(Some).map_err(wrong)
}

async fn write(env: &dyn Environment, save: Save) -> Event {
    let (text, format) = (save.text, save.format);
    let encoded = tokio::task::spawn_blocking(move || format::encode(text.chunks_from(Byte(0)), format));
    let result = match encoded.await {
        Ok(Ok(bytes)) => env.write(&save.path, bytes, save.expected).await,
        Ok(Err(unfit)) => Err(EnvError::unfit(&save.path, unfit)),
        Err(_) => Err(EnvError::Cancelled),
    };
    let real = env.resolve(&save.path).await.unwrap_or_else(|_| save.path.clone());
    let Save { buffer, path, revision, then, .. } = save;
    Event::Saved(Saved { buffer, path, real, revision, format, result, then })
}
