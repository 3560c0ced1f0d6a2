//! Whatever a path leads to, a tool that shows files answers: it says what it is, within bounds.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileStat, LocalEnvironment, OutputSink,
    PieceSink, Stamp,
};
use bowline::llm::model::message::join_text;
use bowline::tools::{AgentToolState, Invocation, Outcome, Registry};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The tools of all families that show one file, and what they call its path.
const TOOLS: [(&str, &str, &str); 5] = [
    ("pi", "read", "path"),
    ("openai", "read_file", "file_path"),
    ("openai", "view_image", "path"),
    ("anthropic", "Read", "file_path"),
    ("gemini", "read_file", "file_path"),
];

async fn call_tool(
    env: Arc<dyn Environment>,
    (set, tool, name): (&str, &str, &str),
    path: &str,
    cancel: &CancellationToken,
) -> Outcome {
    let registry = Registry::of(set);
    let tool = registry.get(tool).unwrap();
    let schema = bowline::base::schema::Schema::new(&tool.spec().parameters);
    let args = Value::Object([(name.to_string(), json!(path))].into_iter().collect());
    let outputs = env.root().join("outputs");
    let args = schema.check(tool.prepare(args)).unwrap();
    let mut call = Invocation::new(args, env, Arc::new(AgentToolState::new(outputs)));
    call.cancel = cancel.clone();
    tool.run(call).await
}

/// What every tool says of a path; all of them refuse it.
async fn refusals(folder: &Path, path: &str) -> Vec<String> {
    let mut all = Vec::new();
    for tool in TOOLS {
        let env = Arc::new(LocalEnvironment::new(folder.to_path_buf(), []));
        let outcome = call_tool(env, tool, path, &CancellationToken::new()).await;
        let text = join_text(&outcome.content);
        assert!(outcome.is_error, "{path} {tool:?}: {text}");
        assert!(text.ends_with('.') && text.len() < 6000, "{path} {tool:?}: {text}");
        all.push(text);
    }
    all
}

#[tokio::test]
async fn read_tools_reject_non_regular_files() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    fs::create_dir_all(at("folder.pdf")).unwrap();
    symlink("b", at("a")).unwrap();
    symlink("a", at("b")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    for name in ["zero.ipynb", "zero.png", "zero.pdf"] {
        symlink("/dev/zero", at(name)).unwrap();
    }
    let mut paths =
        ["pipe", "socket", "folder.pdf", ".", "a", "b/c", "dangling", "/dev/zero", "/dev/null", "/dev/tty"]
            .map(String::from)
            .to_vec();
    paths.extend(
        ["zero.ipynb", "zero.png", "zero.pdf", "a\0b", "", "none/below", "pipe/below"].map(String::from),
    );
    paths.push("long/".repeat(1000));
    paths.push("n".repeat(300));
    for path in paths {
        refusals(place.path(), &path).await;
    }
    for said in refusals(place.path(), "pipe").await {
        assert!(said.contains("not a regular file") || said.contains("no picture"), "{said}");
    }
}

#[tokio::test]
async fn read_tools_reject_huge_files() {
    let place = tempfile::tempdir().unwrap();
    // Holes: no byte of it is on the disk.
    for (name, head) in [("a.pdf", &b"%PDF-1.7\n"[..]), ("a.png", b"\x89PNG\r\n\x1a\n\0"), ("a.bin", b"\0\0")]
    {
        let file = fs::File::create(place.path().join(name)).unwrap();
        std::io::Write::write_all(&mut &file, head).unwrap();
        file.set_len(1 << 40).unwrap();
        let said = refusals(place.path(), name).await;
        assert!(said.iter().any(|said| said.contains("1048576.0MB")), "{said:?}");
    }
}

#[tokio::test]
async fn read_tools_read_proc_files() {
    let place = tempfile::tempdir().unwrap();
    symlink("/proc/self/status", place.path().join("status.ipynb")).unwrap();
    for tool in TOOLS.into_iter().filter(|(_, tool, _)| *tool != "view_image") {
        for path in ["/proc/self/status", "status.ipynb"] {
            if Path::new("/proc/self/status").exists() {
                let env = Arc::new(LocalEnvironment::new(place.path().to_path_buf(), []));
                let outcome = call_tool(env, tool, path, &CancellationToken::new()).await;
                assert!(join_text(&outcome.content).contains("Name:"), "{tool:?} {outcome:?}");
            }
        }
    }
}

#[tokio::test]
async fn read_tool_detects_type_by_content_not_extension() {
    let place = tempfile::tempdir().unwrap();
    let env = || Arc::new(LocalEnvironment::new(place.path().to_path_buf(), []));
    let show = async |name: &str, bytes: &[u8]| {
        fs::write(place.path().join(name), bytes).unwrap();
        let outcome = call_tool(env(), ("pi", "read", "path"), name, &CancellationToken::new()).await;
        (outcome.is_error, join_text(&outcome.content))
    };
    assert_eq!(show("empty.pdf", b"").await, (false, String::new()));
    assert_eq!(show("text.pdf", b"only text\n").await, (false, "only text\n".into()));
    assert_eq!(show("text.ipynb", b"{\"cells\": [").await, (false, "{\"cells\": [".into()));
    // Brackets within brackets, more than any reader of JSON likes.
    let deep = "[".repeat(40_000);
    assert_eq!(show("deep.ipynb", deep.as_bytes()).await, (false, deep));
    assert!(show("mixed.png", b"%PDF-1.4 but no more").await.1.contains("damaged PDF document"));
    let mut odd = b"\xff\xfename\n".to_vec();
    odd.extend(b"line\x1b[2J\n".repeat(3));
    assert!(show("odd\nname\u{1b}.txt", &odd).await.1.contains("line"));
}

/// A place whose files say that they are small.
#[derive(Debug)]
struct EndlessFileEnvironment {
    inner: LocalEnvironment,
    /// How its files begin; then come zeros without end. Without it comes nothing at all, ever.
    head: Option<&'static [u8]>,
}

impl Environment for EndlessFileEnvironment {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.inner.resolve(path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        self.inner.stat(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.inner.list(path)
    }

    fn read<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        futures::future::pending().boxed()
    }

    fn read_pieces<'a>(&'a self, _: &'a Path, mut sink: PieceSink) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        async move {
            let Some(head) = self.head else { return futures::future::pending().await };
            let mut more = sink(head);
            while more {
                more = sink(&[0; 8192]);
                tokio::task::yield_now().await;
            }
            Err(EnvError::Cancelled)
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        self.inner.write(path, bytes, expected)
    }

    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        self.inner.run(command, output, cancel)
    }
}

#[tokio::test]
async fn read_tools_stop_endless_file_at_size_limit() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a"), "small").unwrap();
    for head in [&b"%PDF-1.7"[..], b"\x89PNG\r\n\x1a\n\0", b"\0"] {
        for tool in TOOLS {
            let inner = LocalEnvironment::new(place.path().to_path_buf(), []);
            let env = Arc::new(EndlessFileEnvironment { inner, head: Some(head) });
            let outcome = call_tool(env, tool, "a", &CancellationToken::new()).await;
            assert!(outcome.is_error, "{tool:?} {outcome:?}");
        }
    }
}

#[tokio::test]
async fn read_tools_cancel_pending_read() {
    let place = tempfile::tempdir().unwrap();
    for name in ["a.txt", "a.ipynb"] {
        fs::write(place.path().join(name), "small").unwrap();
        for tool in TOOLS {
            let inner = LocalEnvironment::new(place.path().to_path_buf(), []);
            let env = Arc::new(EndlessFileEnvironment { inner, head: None });
            let cancel = CancellationToken::new();
            let mut waiting = std::pin::pin!(call_tool(env, tool, name, &cancel));
            // Its facts come from a thread: it may take a while until nothing comes.
            let early = tokio::select! {
                outcome = &mut waiting => Some(outcome),
                () = async { for _ in 0..100 { tokio::task::yield_now().await } } => None,
            };
            assert!(early.is_none(), "{early:?}");
            cancel.cancel();
            let outcome = waiting.await;
            assert_eq!((outcome.is_error, join_text(&outcome.content).as_str()), (true, "Interrupted."));
        }
    }
}
