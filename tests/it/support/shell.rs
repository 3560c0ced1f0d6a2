//! A shell that does nothing by itself: a test prints for it and reads what it was given.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::exec::{Terminal, TerminalControl, TerminalSpec};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::watch;

/// How long a test waits for what never comes.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Bytes between the two ends.
const PIPE: usize = 4096;

/// The test's end of a terminal.
#[derive(Debug)]
pub struct ScriptedShell {
    stream: DuplexStream,
    exit_code: watch::Sender<Option<i32>>,
    calls_handle: Arc<Mutex<TerminalCalls>>,
}

/// What the terminal was told beside its input.
#[derive(Debug, Default)]
pub struct TerminalCalls {
    /// Columns and rows.
    pub size: (u16, u16),
    /// What runs in front.
    pub busy: Option<String>,
    /// Whether it heard that the terminal is gone.
    pub hung_up: bool,
    /// Whether it was killed.
    pub killed: bool,
}

struct Control {
    exit_code: watch::Receiver<Option<i32>>,
    calls: Arc<Mutex<TerminalCalls>>,
}

impl TerminalControl for Control {
    fn resize(&self, cols: u16, rows: u16) -> std::io::Result<()> {
        self.calls.lock().unwrap().size = (cols, rows);
        Ok(())
    }

    fn foreground_program(&self) -> Option<String> {
        self.calls.lock().unwrap().busy.clone()
    }

    fn wait(&mut self) -> BoxFuture<'_, i32> {
        let code = async {
            let code = self.exit_code.wait_for(Option::is_some).await.ok().and_then(|code| *code);
            match code {
                Some(code) => code,
                None => std::future::pending().await,
            }
        };
        code.boxed()
    }

    fn hang_up(&self) {
        self.calls.lock().unwrap().hung_up = true;
    }

    fn kill(&self) {
        self.calls.lock().unwrap().killed = true;
    }
}

impl ScriptedShell {
    /// Both ends of a terminal.
    pub fn start(spec: &TerminalSpec) -> (Terminal, Self) {
        let (ours, stream) = tokio::io::duplex(PIPE);
        let (output, input) = tokio::io::split(ours);
        let (code, watched) = watch::channel(None);
        let facts =
            Arc::new(Mutex::new(TerminalCalls { size: (spec.cols, spec.rows), ..TerminalCalls::default() }));
        let control = Control { exit_code: watched, calls: facts.clone() };
        let terminal = Terminal {
            name: "shell".to_string(),
            output: Box::new(output),
            input: Box::new(input),
            control: Box::new(control),
        };
        (terminal, Self { stream, exit_code: code, calls_handle: facts })
    }

    /// Prints.
    pub async fn print(&mut self, bytes: impl AsRef<[u8]>) {
        let printed = self.stream.write_all(bytes.as_ref());
        tokio::time::timeout(TIMEOUT, printed).await.expect("the terminal reads").unwrap();
    }

    /// Reads until what was given ends so.
    pub async fn reads(&mut self, end: &str) {
        let mut got = Vec::new();
        while !got.ends_with(end.as_bytes()) {
            let mut byte = [0];
            let read = tokio::time::timeout(TIMEOUT, self.stream.read_exact(&mut byte)).await;
            read.unwrap_or_else(|_| panic!("no {end:?}, but {:?}", String::from_utf8_lossy(&got))).unwrap();
            got.push(byte[0]);
        }
        assert_eq!(String::from_utf8_lossy(&got), end, "nothing else was given");
    }

    /// Ends with a code.
    pub fn exit(self, code: i32) {
        self.exit_code.send_replace(Some(code));
    }

    /// What it was told.
    pub fn calls(&self) -> std::sync::MutexGuard<'_, TerminalCalls> {
        self.calls_handle.lock().unwrap()
    }

    /// The same, for when it has ended.
    pub fn calls_handle(&self) -> Arc<Mutex<TerminalCalls>> {
        self.calls_handle.clone()
    }
}
