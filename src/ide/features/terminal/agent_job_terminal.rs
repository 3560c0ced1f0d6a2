//! A background command of the agent as a terminal that can only be read. Must not know who reads it.
//!
//! The command has no terminal of its own, so its line feeds also return to the first column here. Nothing that is
//! done to this terminal reaches the command.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

use crate::exec::{Terminal, TerminalControl};
use crate::tools::running::{CommandEnd, JobOutput, JobPart, WatchedJob};

/// Ends an open escape sequence, and its colors, before the note about output that is no longer in memory.
const CUT_NOTE: &[u8] = b"\x18\x1b[m[earlier output is not kept]\r\n";

/// Returns a terminal with the output of a command.
pub fn open(job: &WatchedJob) -> Terminal {
    let (drained, hung_up) = (CancellationToken::new(), CancellationToken::new());
    let output = JobReader {
        part: Some(next_part(job.output())),
        converted: Vec::new(),
        at: 0,
        last: b'\n',
        drained: drained.clone(),
    };
    Terminal {
        name: String::new(),
        output: Box::new(output),
        input: Box::new(tokio::io::sink()),
        control: Box::new(JobControl { job: job.clone(), drained, hung_up }),
    }
}

type NextPart = BoxFuture<'static, (JobOutput, Option<JobPart>)>;

fn next_part(mut output: JobOutput) -> NextPart {
    async move {
        let part = output.next().await;
        (output, part)
    }
    .boxed()
}

struct JobReader {
    /// What is waited for; `None` after the end.
    part: Option<NextPart>,
    converted: Vec<u8>,
    at: usize,
    /// The last byte of the command's output.
    last: u8,
    drained: CancellationToken,
}

impl JobReader {
    /// Takes a part for a terminal.
    fn convert(&mut self, part: &JobPart) {
        self.converted.clear();
        self.at = 0;
        let mut bytes = part.bytes.as_slice();
        if part.is_cut {
            self.converted.extend_from_slice(CUT_NOTE);
            // The rest of a line says little, and may be the rest of an escape sequence.
            let line = memchr::memchr(b'\n', bytes).map_or(0, |end| end + 1);
            bytes = &bytes[line..];
            self.last = b'\n';
        }
        for &byte in bytes {
            if byte == b'\n' && self.last != b'\r' {
                self.converted.push(b'\r');
            }
            self.converted.push(byte);
            self.last = byte;
        }
    }
}

impl AsyncRead for JobReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.at == self.converted.len() {
            let Some(part) = self.part.as_mut() else {
                self.drained.cancel();
                return Poll::Ready(Ok(()));
            };
            let (output, part) = ready!(part.poll_unpin(cx));
            self.part = part.is_some().then(|| next_part(output));
            if let Some(part) = part {
                self.convert(&part);
            } else if self.last != b'\n' {
                // The last row says how it ended.
                self.convert(&JobPart { is_cut: false, bytes: b"\n".to_vec() });
            }
        }
        let rest = &self.converted[self.at..];
        let length = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..length]);
        self.at += length;
        Poll::Ready(Ok(()))
    }
}

struct JobControl {
    job: WatchedJob,
    drained: CancellationToken,
    hung_up: CancellationToken,
}

impl TerminalControl for JobControl {
    fn resize(&self, _: u16, _: u16) -> io::Result<()> {
        Ok(())
    }

    fn foreground_program(&self) -> Option<String> {
        None
    }

    /// Waits until the command has ended and everything was read, or until nobody reads any more.
    fn wait(&mut self) -> BoxFuture<'_, i32> {
        async {
            tokio::select! {
                () = self.drained.cancelled() => match self.job.wait_for_end().await {
                    CommandEnd::Code(code) => code,
                    CommandEnd::Stopped => 0,
                },
                () = self.hung_up.cancelled() => 0,
            }
        }
        .boxed()
    }

    fn hang_up(&self) {
        self.hung_up.cancel();
    }

    fn kill(&self) {}
}

#[cfg(test)]
pub mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::tools::AgentToolState;
    use crate::tools::running::{LaunchRequest, start};

    /// Runs a script in the background, and returns it for who watches.
    pub async fn run(script: &str) -> (tempfile::TempDir, AgentToolState, WatchedJob) {
        let folder = tempfile::tempdir().unwrap();
        let vars = [("PATH".into(), "/usr/bin:/bin".into())];
        let env = LocalEnvironment::new(folder.path().to_path_buf(), vars);
        let shared = AgentToolState::new(folder.path().join("artifacts"));
        let request = LaunchRequest {
            script: script.into(),
            folder: folder.path().to_path_buf(),
            tool: "bash",
            ..LaunchRequest::default()
        };
        let live = start(&env, &shared.artifacts, request).await.unwrap();
        shared.jobs.add(script, live, &CancellationToken::new()).unwrap();
        let job = shared.jobs.published().watch().borrow().jobs[0].clone();
        (folder, shared, job)
    }

    async fn text(terminal: &mut Terminal) -> String {
        let mut bytes = Vec::new();
        terminal.output.read_to_end(&mut bytes).await.unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[tokio::test]
    async fn job_terminal_returns_to_first_column_and_ends_last_line() {
        let (_folder, _shared, job) = run(r"printf 'one\ntwo\r\n'; printf 'three'; exit 3").await;
        let mut terminal = open(&job);
        assert_eq!(text(&mut terminal).await, "one\r\ntwo\r\nthree\r\n");
        assert_eq!(terminal.control.wait().await, 3);
    }

    #[tokio::test]
    async fn job_terminal_says_that_earlier_output_is_not_kept() {
        let (_folder, _shared, job) = run("yes 'a line of it' | head -c 400000; echo; echo end").await;
        job.wait_for_end().await;
        let text = text(&mut open(&job)).await;
        assert!(text.starts_with("\u{18}\u{1b}[m[earlier output is not kept]\r\na line of it\r\n"));
        assert!(text.ends_with("\r\nend\r\n"), "{}", &text[text.len() - 40..]);
    }

    #[tokio::test]
    async fn job_terminal_hung_up_ends_and_leaves_command_running() {
        let (_folder, _shared, job) = run("sleep 60").await;
        let mut terminal = open(&job);
        terminal.control.hang_up();
        terminal.control.kill();
        terminal.control.wait().await;
        drop(terminal);
        assert_eq!(job.end(), None);
        job.stop();
        assert_eq!(job.wait_for_end().await, CommandEnd::Stopped);
    }
}
