//! Finds the files that agents changed and compares them, in a task: at the end of tools and turns, and while the
//! review is open. Must not know how the review is drawn.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures::StreamExt;

use crate::base::error::Report;
use crate::exec::{EnvError, Environment, FileKind, Stamp};
use crate::ide::core::context::{Cx, answer_or_report};
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::review::file::{Compared, PresentText, ReviewedFile, SHOWN_MAX, TOO_LARGE};
use crate::ide::features::review::state::{Progress, REVIEW};
use crate::ide::features::review::{events, marks};
use crate::ide::model::buffers::BufferId;
use crate::runtime::Handle;
use crate::runtime::restore::changes::{BaseContent, ChangeScope, ChangedPath, Changes};
use crate::text::file_format::format::{self, Format};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Files that are read at the same time.
const AT_ONCE: usize = 8;
/// Bytes of texts that one comparison keeps; further files are not shown.
const KEPT_MAX: usize = 128 << 20;

/// An open file.
#[derive(Clone)]
struct OpenFile {
    id: BufferId,
    text: Text,
    format: Format,
    version: u64,
    /// State of the file that the text is equal to; `None` with unsaved changes.
    saved: Option<Stamp>,
}

type OpenFiles = Arc<HashMap<PathBuf, OpenFile>>;

/// The result: the part of the conversation, and its changed files.
type Found = (ChangeScope, Vec<ReviewedFile>);

/// Compares the changed files, or notes that this must be done once the running comparison is complete.
pub fn start(cx: &mut Cx<'_>) {
    let Some(session) = cx.session.cloned() else { return };
    let review = &mut cx.state.slots[REVIEW];
    if review.is_running {
        review.is_stale = true;
        return;
    }
    (review.is_running, review.is_stale) = (true, false);
    let (writes, chosen) = (review.writes, review.chosen);
    let scopes = chosen.map_or_else(|| ChangeScope::ALL.to_vec(), |scope| vec![scope]);
    let (env, open) = (cx.env.clone(), open_files(cx));
    let work = async move { find(&session, &env, &open, &scopes).await };
    cx.tasks.spawn("review.compare", work, move |cx, found| {
        let review = &mut cx.state.slots[REVIEW];
        review.is_running = false;
        let is_current = review.writes == writes && review.chosen == chosen && !review.is_stale;
        if !is_current {
            return start(cx);
        }
        on_found(cx, answer_or_report("compare the agent's changes", found));
    });
}

fn open_files(cx: &Cx<'_>) -> OpenFiles {
    let open = cx.state.buffers.all().iter().filter(|buffer| buffer.loading.is_none());
    let file = open.filter_map(|buffer| {
        let document = &buffer.area.document;
        let (text, format, version) = (document.text().clone(), document.format(), document.version());
        let saved = buffer.stamp.clone().filter(|_| !document.is_modified());
        Some((buffer.real.clone()?, OpenFile { id: buffer.id, text, format, version, saved }))
    });
    Arc::new(file.collect())
}

fn on_found(cx: &mut Cx<'_>, found: Result<Found, Report>) {
    let review = &mut cx.state.slots[REVIEW];
    match found {
        Ok((scope, files)) => review.set_files(scope, files),
        Err(report) => {
            let had_files = !std::mem::take(&mut review.files).is_empty();
            review.update_totals();
            review.progress = Progress::Failed(report);
            if !had_files {
                // Nothing of it is on the screen, unless the review waits for it.
                return events::on_compared(cx);
            }
        }
    }
    events::bind_open_files(cx);
    marks::mark_open_files(cx);
    events::on_compared(cx);
    cx.state.damage.add_all();
}

/// Returns the changes of the first part of the conversation that has any.
async fn find(
    session: &Handle,
    env: &Arc<dyn Environment>,
    open: &OpenFiles,
    scopes: &[ChangeScope],
) -> Result<Found, Report> {
    let mut last = ChangeScope::LastMessage;
    for scope in scopes {
        let changes = session.changes(*scope).await?;
        let files = compare_all(&changes, env, open).await;
        if !files.is_empty() {
            return Ok((*scope, files));
        }
        last = *scope;
    }
    Ok((last, Vec::new()))
}

/// Compares changed files of which none is open.
#[doc(hidden)]
pub async fn compare_closed(changes: &Changes, env: &Arc<dyn Environment>) -> Vec<ReviewedFile> {
    compare_all(changes, env, &OpenFiles::default()).await
}

async fn compare_all(changes: &Changes, env: &Arc<dyn Environment>, open: &OpenFiles) -> Vec<ReviewedFile> {
    let one = |at: usize| {
        let (changes, env, open) = (changes.clone(), Arc::clone(env), Arc::clone(open));
        async move { compare(changes, at, &*env, &open).await }
    };
    let mut compared = futures::stream::iter(0..changes.paths.len()).map(one).buffered(AT_ONCE);
    let (mut files, mut kept) = (Vec::new(), 0_usize);
    while let Some(file) = compared.next().await {
        let Some(mut file) = file else { continue };
        if let Some(pair) = file.texts() {
            kept += pair.old.end().0 + pair.new.end().0;
        }
        if kept > KEPT_MAX {
            file.omit_text();
        }
        files.push(file);
    }
    files
}

/// The present content of a path.
struct Present {
    bytes: Option<Vec<u8>>,
    /// The text, or why it is not shown.
    text: Result<PresentText, &'static str>,
    compared: Compared,
}

impl Present {
    /// Something whose content is not shown.
    fn other(reason: &'static str, stamp: Stamp) -> Self {
        Self { bytes: None, text: Err(reason), compared: Compared::Disk(stamp) }
    }
}

async fn compare(
    changes: Changes,
    at: usize,
    env: &dyn Environment,
    open: &OpenFiles,
) -> Option<ReviewedFile> {
    let name = changes.paths[at].name.clone();
    let path = name.under(changes.root());
    let present = match open.get(&path) {
        // With unsaved changes, the text is what counts.
        Some(open) if open.saved.is_none() => Read::Open(open.clone()),
        // The text of an open file may lag behind a command that has just written it.
        Some(open) => match read(env, &path, &changes.paths[at]).await {
            Read::File(_, stamp) if open.saved.as_ref() == Some(&stamp) => Read::Open(open.clone()),
            other => other,
        },
        None => read(env, &path, &changes.paths[at]).await,
    };
    let compared = on_thread(move || {
        let present = present.decode();
        let base = changes.base(&changes.paths[at], present.bytes.as_deref());
        let base = base.unwrap_or_else(|report| {
            tracing::warn!(%report, "a recorded file is not compared");
            BaseContent::Other
        });
        ReviewedFile::compare((name, path), base, present.bytes.as_deref(), present.text, present.compared)
    });
    compared.await
}

/// A path as read.
enum Read {
    Open(OpenFile),
    File(Vec<u8>, Stamp),
    Missing,
    Other(&'static str, Stamp),
}

impl Read {
    /// Slow for long texts.
    fn decode(self) -> Present {
        match self {
            Self::Other(reason, stamp) => Present::other(reason, stamp),
            Self::Missing => Present {
                bytes: None,
                text: Ok(PresentText { text: Text::default(), format: Format::default() }),
                compared: Compared::Disk(Stamp::missing()),
            },
            Self::Open(OpenFile { id, text, format, version, .. }) => Present {
                bytes: format::encode(text.chunks_from(Byte(0)), format).ok(),
                text: if text.end().0 > SHOWN_MAX {
                    Err(TOO_LARGE)
                } else {
                    Ok(PresentText { text, format })
                },
                compared: Compared::Open(id, version),
            },
            Self::File(bytes, stamp) => {
                let text = if bytes.len() > SHOWN_MAX {
                    Err(TOO_LARGE)
                } else {
                    let (text, format) = format::decode(&bytes);
                    Ok(PresentText { text: Text::from(text.as_str()), format })
                };
                Present { bytes: Some(bytes), text, compared: Compared::Disk(stamp) }
            }
        }
    }
}

/// Maximum bytes of a file that is read at all: larger ones are not recorded either.
const READ_MAX: u64 = 10 << 20;

async fn read(env: &dyn Environment, path: &std::path::Path, changed: &ChangedPath) -> Read {
    if changed.is_link() {
        return Read::Other("Symbolic link", Stamp::missing());
    }
    let stat = match env.stat(path).await {
        Ok(stat) => stat,
        Err(EnvError::NotFound(_)) => return Read::Missing,
        Err(_) => return Read::Other("Cannot be read", Stamp::missing()),
    };
    if stat.kind != FileKind::File {
        return Read::Other("Not a regular file", Stamp::missing());
    }
    if stat.size > READ_MAX {
        return Read::Other(TOO_LARGE, Stamp::missing());
    }
    match env.read(path).await {
        Ok(data) => Read::File(data.bytes, data.stamp),
        Err(EnvError::NotFound(_)) => Read::Missing,
        Err(_) => Read::Other("Cannot be read", Stamp::missing()),
    }
}
