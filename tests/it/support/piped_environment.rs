//! A place as an outsider would make one: every file and every command is reached through a pipe to a
//! second process. It lists, reads, writes and runs; all else is what the trait makes of that.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bowline::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileKind, FileStat, OutputSink, Stamp,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The near end.
#[derive(Debug)]
pub struct RemoteEnvironment {
    root: PathBuf,
    /// For files. Commands have a process each, since they may take long.
    remote: Arc<Mutex<Option<RemoteProcess>>>,
}

/// The far end.
#[derive(Debug)]
struct RemoteProcess {
    _child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
}

impl RemoteProcess {
    fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/piped_environment.py");
        let mut child = Command::new("python3")
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { _child: child, to, from }
    }

    async fn send(&mut self, what: &Value) -> std::io::Result<()> {
        self.to.write_all(format!("{what}\n").as_bytes()).await
    }

    async fn receive(&mut self) -> std::io::Result<Value> {
        let line = self.from.next_line().await?.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        Ok(serde_json::from_str(&line).unwrap())
    }
}

fn failed(path: &Path, error: &Value) -> EnvError {
    match error.as_str().unwrap() {
        "missing" => EnvError::NotFound(path.into()),
        "folder" => EnvError::IsFolder(path.into()),
        "nofolder" => EnvError::NoWorkingFolder(path.into()),
        other => EnvError::Io { path: path.into(), source: std::io::Error::other(other.to_string()) },
    }
}

fn kind(value: &Value) -> FileKind {
    match value.as_str().unwrap() {
        "file" => FileKind::File,
        "folder" => FileKind::Folder,
        _ => FileKind::Other,
    }
}

impl RemoteEnvironment {
    pub fn new(root: PathBuf) -> Self {
        Self { root, remote: Arc::default() }
    }

    async fn request(&self, path: &Path, mut what: Value) -> Result<Value, EnvError> {
        what["path"] = json!(path.to_str().unwrap());
        let broken = |source| EnvError::Io { path: path.into(), source };
        let mut far = self.remote.lock().await;
        let far = far.as_mut().expect("the place was made ready first");
        far.send(&what).await.map_err(broken)?;
        let answer = far.receive().await.map_err(broken)?;
        match answer.get("error") {
            Some(error) => Err(failed(path, error)),
            None => Ok(answer),
        }
    }

    async fn bytes(&self, path: &Path) -> Result<Vec<u8>, EnvError> {
        let answer = self.request(path, json!({"do": "read"})).await?;
        Ok(STANDARD.decode(answer["bytes"].as_str().unwrap()).unwrap())
    }

    async fn check(&self, path: &Path, expected: Option<Stamp>) -> Result<(), EnvError> {
        let Some(expected) = expected else { return Ok(()) };
        let now = match self.bytes(path).await {
            Ok(bytes) => Stamp::of(&bytes),
            Err(EnvError::NotFound(_)) => Stamp::missing(),
            Err(error) => return Err(error),
        };
        if now == expected { Ok(()) } else { Err(EnvError::Stale(path.into())) }
    }
}

impl Environment for RemoteEnvironment {
    fn root(&self) -> &Path {
        &self.root
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        async move {
            *self.remote.lock().await = Some(RemoteProcess::start());
            Ok(())
        }
        .boxed()
    }

    fn cleanup(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        async move {
            *self.remote.lock().await = None;
            Ok(())
        }
        .boxed()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        async move {
            let answer = self.request(path, json!({"do": "resolve"})).await?;
            Ok(answer["path"].as_str().unwrap().into())
        }
        .boxed()
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        async move {
            let facts = self.request(path, json!({"do": "stat"})).await?;
            let (size, modified) = (facts["size"].as_u64().unwrap(), facts["modified"].as_u64());
            Ok(FileStat { kind: kind(&facts["kind"]), size, version: None, modified })
        }
        .boxed()
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        async move {
            let answer = self.request(path, json!({"do": "list"})).await?;
            let entry = |entry: &Value| DirEntry {
                name: entry["name"].as_str().unwrap().into(),
                kind: kind(&entry["kind"]),
            };
            Ok(answer["entries"].as_array().unwrap().iter().map(entry).collect())
        }
        .boxed()
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        async move {
            let bytes = self.bytes(path).await?;
            Ok(FileData { stamp: Stamp::of(&bytes), bytes })
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        async move {
            self.check(path, expected).await?;
            let stamp = Stamp::of(&bytes);
            self.request(path, json!({"do": "write", "bytes": STANDARD.encode(bytes)})).await?;
            Ok(stamp)
        }
        .boxed()
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        async move {
            self.check(path, expected).await?;
            self.request(path, json!({"do": "remove"})).await.map(drop)
        }
        .boxed()
    }

    fn run(
        &self,
        command: CommandSpec,
        mut output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        async move {
            if cancel.is_cancelled() {
                return Ok(Exit::Cancelled);
            }
            let mut far = RemoteProcess::start();
            let cwd = command.cwd.clone();
            let broken = |source| EnvError::Io { path: cwd.clone(), source };
            let ask = json!({"do": "run", "script": command.script, "cwd": cwd.to_str().unwrap(), "env": command.env});
            far.send(&ask).await.map_err(broken)?;
            let until = command.timeout.map(|limit| tokio::time::Instant::now() + limit);
            let mut ended = None;
            loop {
                let late = async {
                    match until {
                        Some(until) => tokio::time::sleep_until(until).await,
                        None => std::future::pending().await,
                    }
                };
                let said = tokio::select! {
                    biased;
                    () = cancel.cancelled(), if ended.is_none() => {
                        ended = Some(Exit::Cancelled);
                        None
                    }
                    () = late, if ended.is_none() => {
                        ended = Some(Exit::TimedOut);
                        None
                    }
                    said = far.receive() => Some(said.map_err(broken)?),
                };
                let Some(said) = said else {
                    far.send(&json!("stop")).await.map_err(broken)?;
                    continue;
                };
                if let Some(piece) = said["piece"].as_str() {
                    output(&STANDARD.decode(piece).unwrap());
                } else if let Some(error) = said.get("error") {
                    return Err(failed(&cwd, error));
                } else {
                    return Ok(ended.unwrap_or(Exit::Code(said["code"].as_i64().unwrap() as i32)));
                }
            }
        }
        .boxed()
    }
}
