//! Preview of an edit for approval: the tool runs in an environment that records its writes without
//! performing them.
//!
//! Must not know any tool.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileKind, FileStat, OutputSink, Stamp,
};
use crate::llm::model::ToolCall;
use crate::llm::model::message::join_text;
use crate::tools::contract::context::Context;
use crate::tools::contract::shared::AgentToolState;
use crate::tools::contract::tool::{Invocation, Tool, ToolClass};
use crate::tools::contract::view::ResultView;
use crate::tools::files::state::ReadFirst;

/// Returns the change that a call of an edit tool would make; `None` if it would fail.
pub(in crate::tools) async fn preview_call(
    tool: &dyn Tool,
    cx: &Context,
    call: &ToolCall,
    args: &Value,
    cancel: &CancellationToken,
) -> Option<ResultView> {
    if tool.class() != ToolClass::Edits {
        return None;
    }
    let rehearsal = Invocation {
        folder: None,
        call_id: call.id.clone(),
        args: args.clone(),
        env: Arc::new(DryRunEnvironment { inner: Arc::clone(&cx.env), written: Mutex::default() }),
        cancel: cancel.clone(),
        progress: Arc::new(|_| {}),
        // The session's state must not record what did not happen.
        shared: Arc::new(AgentToolState::new(PathBuf::new()).with_read_first(ReadFirst::Off)),
    };
    let run = std::panic::AssertUnwindSafe(async { tool.run(rehearsal).await }).catch_unwind();
    let outcome = run.await.ok().filter(|outcome| !outcome.is_error)?;
    let view = tool.result_view(&join_text(&outcome.content), outcome.details.as_ref());
    matches!(view, ResultView::Diff { .. } | ResultView::Diffs(_)).then_some(view)
}

/// Reads existing files, records writes, runs no commands.
#[derive(Debug)]
struct DryRunEnvironment {
    inner: Arc<dyn Environment>,
    /// New contents of files; `None` for deleted ones.
    written: Mutex<HashMap<PathBuf, Option<Vec<u8>>>>,
}

impl DryRunEnvironment {
    fn written(&self) -> MutexGuard<'_, HashMap<PathBuf, Option<Vec<u8>>>> {
        self.written.lock()
    }

    fn planned(&self, path: &Path) -> Option<Result<Vec<u8>, EnvError>> {
        let content = self.written().get(path).cloned()?;
        Some(content.ok_or_else(|| EnvError::NotFound(path.to_path_buf())))
    }
}

impl Environment for DryRunEnvironment {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.inner.resolve(path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        match self.planned(path) {
            Some(Ok(bytes)) => {
                let stat = FileStat {
                    kind: FileKind::File,
                    size: bytes.len() as u64,
                    version: None,
                    modified: None,
                };
                std::future::ready(Ok(stat)).boxed()
            }
            Some(Err(error)) => std::future::ready(Err(error)).boxed(),
            None => self.inner.stat(path),
        }
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.inner.list(path)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        match self.planned(path) {
            Some(content) => {
                let data = content.map(|bytes| FileData { stamp: Stamp::of(&bytes), bytes });
                std::future::ready(data).boxed()
            }
            None => self.inner.read(path),
        }
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        _expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        let stamp = Stamp::of(&bytes);
        self.written().insert(path.to_path_buf(), Some(bytes));
        std::future::ready(Ok(stamp)).boxed()
    }

    fn remove<'a>(&'a self, path: &'a Path, _expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        self.written().insert(path.to_path_buf(), None);
        std::future::ready(Ok(())).boxed()
    }

    fn run(
        &self,
        command: CommandSpec,
        _output: OutputSink,
        _cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        let source = std::io::ErrorKind::Unsupported.into();
        std::future::ready(Err(EnvError::Io { path: command.cwd, source })).boxed()
    }
}
