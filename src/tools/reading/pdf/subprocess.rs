//! Reads a document safely: in a subprocess of this program, or on a thread if the program's path is unknown.
//!
//! Must not know files. A document may unpack to a thousand times its size, or hit an unexpected error in the
//! library; a process has limits and can be killed.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::extract::{self, Document, PageRequest, PdfError};
use crate::exec::commands::subprocess::{self, Subprocess, SubprocessError};

/// The argument for the subprocess; the request follows as JSON.
pub const SUBCOMMAND: &str = "--read-pdf";
/// Timeout per document: the longest manuals take a second.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Memory of the process that reads, in bytes: ten times the largest document that is read.
const MEMORY: u64 = 1 << 30;
/// Maximum bytes of the answer: the text limit, encoded as JSON.
const ANSWER_MAX: u64 = 64 << 20;

/// One document at a time: each may use a processor and a gigabyte.
static TURN: Semaphore = Semaphore::const_new(1);

/// Reads some pages. `program` is this program's file.
pub async fn read(
    program: Option<&Path>,
    bytes: Vec<u8>,
    request: PageRequest,
    cancel: &CancellationToken,
) -> Result<Document, PdfError> {
    let work = async {
        let turn = TURN.acquire().await.map_err(|error| PdfError::Reader(error.to_string()))?;
        let read = match program {
            Some(program) => read_in_subprocess(program, &bytes, request).await,
            None => read_on_thread(bytes, request).await,
        };
        drop(turn);
        read
    };
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(PdfError::Interrupted),
        read = work => read,
    }
}

async fn read_in_subprocess(
    program: &Path,
    bytes: &[u8],
    request: PageRequest,
) -> Result<Document, PdfError> {
    let reader = |error: &dyn std::fmt::Display| PdfError::Reader(error.to_string());
    let request = serde_json::to_string(&request).map_err(|error| reader(&error))?;
    let args = [SUBCOMMAND.to_string(), request];
    let subprocess = Subprocess { program, args: &args, timeout: TIMEOUT, output_max: ANSWER_MAX };
    match subprocess::run(subprocess, bytes).await {
        Ok(answer) => serde_json::from_slice(&answer).map_err(|error| reader(&error))?,
        Err(SubprocessError::TimedOut(_)) => Err(PdfError::Slow),
        Err(error @ SubprocessError::Died(_)) => {
            tracing::warn!(%error, "what reads documents has ended early");
            Err(PdfError::Overwhelmed)
        }
        Err(error) => Err(reader(&error)),
    }
}

async fn read_on_thread(bytes: Vec<u8>, request: PageRequest) -> Result<Document, PdfError> {
    let end = Instant::now() + TIMEOUT;
    let given_up = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&given_up);
    // Dropped when the caller is dropped; the thread notices at its next check.
    let _guard = StopFlag(given_up);
    let stop = move || seen.load(Ordering::Relaxed) || Instant::now() > end;
    let read = tokio::task::spawn_blocking(move || extract::read(bytes, request, &stop)).await;
    read.unwrap_or(Err(PdfError::Overwhelmed))
}

/// Set when it is dropped.
struct StopFlag(Arc<AtomicBool>);

impl Drop for StopFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// In the subprocess: reads the document on standard input and answers on standard output.
pub fn serve(request: &str, input: &mut dyn Read, output: &mut dyn Write) -> io::Result<()> {
    subprocess::set_limits(MEMORY, TIMEOUT.as_secs())?;
    let request: PageRequest = serde_json::from_str(request)?;
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let read = extract::read(bytes, request, &|| false);
    serde_json::to_writer(&mut *output, &read)?;
    output.flush()
}
