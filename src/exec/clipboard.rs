//! The clipboard of the desktop and that of tmux, on a thread of their own: a display that does not answer must
//! not stall the caller, and what was copied lives on X11 only as long as its owner. Must not know terminals, nor who
//! copies.
//!
//! Inside tmux, escape sequences reach the terminal only with options that are off by default (measured with
//! tmux 3.3: OSC 52 needs `set-clipboard on`, its wrapped form `allow-passthrough on`); `load-buffer -w` needs
//! none of them.

use std::io::{Cursor, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use image::{ImageFormat, RgbaImage};
use tokio::sync::oneshot;

use crate::base::panics::catch;

/// How long an answer is waited for.
pub const TIME_LIMIT: Duration = Duration::from_millis(500);
/// How long the end is waited for: a clipboard manager may take over what was copied.
const END_LIMIT: Duration = Duration::from_millis(200);
/// Requests that may wait while one is at work.
const WAITING_MAX: usize = 4;

/// Why the clipboard could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClipboardError {
    /// It is empty, or has something else than text.
    #[error("no text is in it")]
    NoText,
    /// There is none here.
    #[error("{0}")]
    Unavailable(String),
    /// It did not answer within the limit.
    #[error("it did not answer in time")]
    TimedOut,
}

/// A clipboard.
pub trait ClipboardBackend {
    /// Puts a text on it.
    ///
    /// # Errors
    /// Fails if it cannot be reached.
    fn set(&mut self, text: &str) -> Result<(), ClipboardError>;

    /// Returns the text on it.
    ///
    /// # Errors
    /// Fails if it cannot be reached or has no text.
    fn get(&mut self) -> Result<String, ClipboardError>;

    /// Returns the image on it, as PNG.
    ///
    /// # Errors
    /// Fails if it cannot be reached or has no image.
    fn get_image(&mut self) -> Result<Vec<u8>, ClipboardError> {
        Err(ClipboardError::NoText)
    }

    /// Finds out whether it can be reached; neither reads nor changes what is on it.
    ///
    /// # Errors
    /// Fails if it cannot be reached.
    fn check(&mut self) -> Result<(), ClipboardError>;
}

/// Where the program runs, as far as clipboards are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClipboardRoute {
    /// Whether the user sits at another machine.
    pub is_remote: bool,
    /// Whether tmux is between the program and the terminal.
    pub in_tmux: bool,
}

/// A clipboard that can be used, besides the terminal's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipboardKind {
    /// A buffer of tmux, which passes it on to its terminal.
    Tmux,
    /// That of the desktop.
    Desktop,
}

impl ClipboardRoute {
    /// Returns the route by environment variables that are set.
    pub fn of(is_set: impl Fn(&str) -> bool) -> Self {
        let is_remote = ["SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"].into_iter().any(&is_set);
        Self { is_remote, in_tmux: is_set("TMUX") }
    }

    /// Returns the clipboards that a text is put on. If none takes it, the terminal gets it.
    pub fn kinds(self) -> &'static [ClipboardKind] {
        match (self.is_remote, self.in_tmux) {
            (false, false) => &[ClipboardKind::Desktop],
            (false, true) => &[ClipboardKind::Tmux, ClipboardKind::Desktop],
            (true, true) => &[ClipboardKind::Tmux],
            // A desktop there is not the user's.
            (true, false) => &[],
        }
    }
}

enum Request {
    Set(String, oneshot::Sender<Result<(), ClipboardError>>),
    Get(oneshot::Sender<Result<String, ClipboardError>>),
    GetImage(oneshot::Sender<Result<Vec<u8>, ClipboardError>>),
    Check(oneshot::Sender<Result<Vec<CheckResult>, ClipboardError>>),
}

/// Whether one clipboard can be reached.
pub type CheckResult = Result<(), ClipboardError>;

/// Makes the clipboards, on their thread.
type Open = Arc<dyn Fn() -> Vec<Box<dyn ClipboardBackend>> + Send + Sync>;

/// The clipboards. Their thread starts with the first request.
pub struct SystemClipboard {
    has_any: bool,
    open: Open,
    thread: Option<(SyncSender<Request>, oneshot::Receiver<()>)>,
}

impl std::fmt::Debug for SystemClipboard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SystemClipboard").field("has_any", &self.has_any).finish_non_exhaustive()
    }
}

impl SystemClipboard {
    /// Returns the clipboards of a route.
    pub fn new(route: ClipboardRoute) -> Self {
        let open = move || -> Vec<Box<dyn ClipboardBackend>> {
            let make = |kind: &ClipboardKind| -> Box<dyn ClipboardBackend> {
                match kind {
                    ClipboardKind::Tmux => Box::new(TmuxBuffer),
                    ClipboardKind::Desktop => Box::new(Desktop(None)),
                }
            };
            route.kinds().iter().map(make).collect()
        };
        Self { has_any: !route.kinds().is_empty(), ..Self::with_backends(open) }
    }

    /// Returns a clipboard of these backends.
    fn with_backends(open: impl Fn() -> Vec<Box<dyn ClipboardBackend>> + Send + Sync + 'static) -> Self {
        Self { has_any: true, open: Arc::new(open), thread: None }
    }

    /// Returns whether there may be a clipboard.
    pub fn has_any(&self) -> bool {
        self.has_any
    }

    /// Puts a text on all clipboards. The future completes within the time limit.
    pub fn set(
        &mut self,
        text: String,
    ) -> impl Future<Output = Result<(), ClipboardError>> + Send + 'static + use<> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Request::Set(text, reply));
        wait(sent, answer)
    }

    /// Returns the text on the first clipboard that has one. The future completes within the time limit.
    pub fn get(&mut self) -> impl Future<Output = Result<String, ClipboardError>> + Send + 'static + use<> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Request::Get(reply));
        wait(sent, answer)
    }

    /// Returns the image of the first clipboard that has one, as PNG. The future completes within the time limit.
    pub fn get_image(
        &mut self,
    ) -> impl Future<Output = Result<Vec<u8>, ClipboardError>> + Send + 'static + use<> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Request::GetImage(reply));
        wait(sent, answer)
    }

    /// Finds out which clipboards can be reached, in the order of [`ClipboardRoute::kinds`]. The future completes
    /// within the time limit.
    pub fn check(
        &mut self,
    ) -> impl Future<Output = Result<Vec<CheckResult>, ClipboardError>> + Send + 'static + use<> {
        let (reply, answer) = oneshot::channel();
        let sent = self.send(Request::Check(reply));
        wait(sent, answer)
    }

    /// Ends the clipboards, within a time limit.
    pub async fn end(&mut self) {
        let Some((sender, ended)) = self.thread.take() else { return };
        drop(sender);
        if tokio::time::timeout(END_LIMIT, ended).await.is_err() {
            tracing::warn!("the clipboard did not end in time");
        }
    }

    fn send(&mut self, request: Request) -> Result<(), ClipboardError> {
        let unavailable = |error: std::io::Error| ClipboardError::Unavailable(error.to_string());
        let (sender, _) = match &mut self.thread {
            Some(thread) => thread,
            none => none.insert(start(self.open.clone()).map_err(unavailable)?),
        };
        match sender.try_send(request) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(ClipboardError::TimedOut),
            Err(TrySendError::Disconnected(_)) => {
                // The next request starts another one.
                self.thread = None;
                Err(ClipboardError::Unavailable("its thread has ended".to_string()))
            }
        }
    }
}

async fn wait<T>(
    sent: Result<(), ClipboardError>,
    answer: oneshot::Receiver<Result<T, ClipboardError>>,
) -> Result<T, ClipboardError> {
    sent?;
    match tokio::time::timeout(TIME_LIMIT, answer).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(ClipboardError::Unavailable("its thread has ended".to_string())),
        Err(_) => Err(ClipboardError::TimedOut),
    }
}

/// Starts the thread; the receiver gets an error when it has ended.
fn start(open: Open) -> std::io::Result<(SyncSender<Request>, oneshot::Receiver<()>)> {
    let (sender, requests) = sync_channel(WAITING_MAX);
    let (ends, ended) = oneshot::channel();
    std::thread::Builder::new().name("clipboard".to_string()).spawn(move || {
        if let Err(panicked) = catch(|| serve(&*open, &requests)) {
            tracing::error!("the clipboard: {panicked}");
        }
        drop(ends);
    })?;
    Ok((sender, ended))
}

fn serve(open: &dyn Fn() -> Vec<Box<dyn ClipboardBackend>>, requests: &Receiver<Request>) {
    let mut backends = open();
    while let Ok(request) = requests.recv() {
        match request {
            // What was copied later, or by another way, must not be replaced.
            Request::Set(_, reply) if reply.is_closed() => {}
            Request::Set(text, reply) => {
                let results: Vec<_> = backends.iter_mut().map(|backend| backend.set(&text)).collect();
                answer(reply, first_good(results));
            }
            Request::Get(reply) => {
                let results = backends.iter_mut().map(|backend| backend.get());
                answer(reply, first_good(results));
            }
            Request::GetImage(reply) => {
                let results = backends.iter_mut().map(|backend| backend.get_image());
                answer(reply, first_good(results));
            }
            Request::Check(reply) => {
                answer(reply, Ok(backends.iter_mut().map(|backend| backend.check()).collect()));
            }
        }
    }
}

/// Sends an answer. The caller may have given up: its time limit has told it so.
fn answer<T>(reply: oneshot::Sender<T>, result: T) {
    if reply.send(result).is_err() {
        tracing::debug!("the clipboard answered after the time limit");
    }
}

/// Returns the first result that is no error, or the last error.
fn first_good<T>(results: impl IntoIterator<Item = Result<T, ClipboardError>>) -> Result<T, ClipboardError> {
    let mut last = ClipboardError::Unavailable("there is no clipboard here".to_string());
    for result in results {
        match result {
            Ok(value) => return Ok(value),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The desktop's clipboard, once it is open.
struct Desktop(Option<arboard::Clipboard>);

impl Desktop {
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut arboard::Clipboard) -> Result<T, arboard::Error>,
    ) -> Result<T, ClipboardError> {
        let clipboard = match &mut self.0 {
            Some(clipboard) => clipboard,
            none => none.insert(arboard::Clipboard::new().map_err(|error| unavailable(&error))?),
        };
        act(clipboard).map_err(|error| match error {
            arboard::Error::ContentNotAvailable | arboard::Error::ConversionFailure => ClipboardError::NoText,
            error => {
                // The display may have been replaced.
                self.0 = None;
                unavailable(&error)
            }
        })
    }
}

fn unavailable(error: &arboard::Error) -> ClipboardError {
    ClipboardError::Unavailable(error.to_string())
}

impl ClipboardBackend for Desktop {
    fn set(&mut self, text: &str) -> Result<(), ClipboardError> {
        self.with(|clipboard| clipboard.set_text(text))
    }

    fn get(&mut self) -> Result<String, ClipboardError> {
        self.with(arboard::Clipboard::get_text)
    }

    fn get_image(&mut self) -> Result<Vec<u8>, ClipboardError> {
        let found = self.with(arboard::Clipboard::get_image)?;
        let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
        let image = RgbaImage::from_raw(side(found.width), side(found.height), found.bytes.into_owned());
        let mut png = Vec::new();
        let written =
            image.ok_or(ClipboardError::NoText)?.write_to(&mut Cursor::new(&mut png), ImageFormat::Png);
        written.map_err(|error| ClipboardError::Unavailable(error.to_string()))?;
        Ok(png)
    }

    fn check(&mut self) -> Result<(), ClipboardError> {
        self.with(|_| Ok(()))
    }
}

/// The newest buffer of tmux.
struct TmuxBuffer;

impl ClipboardBackend for TmuxBuffer {
    fn set(&mut self, text: &str) -> Result<(), ClipboardError> {
        let failed = |error: std::io::Error| ClipboardError::Unavailable(format!("tmux: {error}"));
        let mut tmux = Command::new("tmux")
            .args(["load-buffer", "-w", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let written = tmux.stdin.take().map_or(Ok(()), |mut input| input.write_all(text.as_bytes()));
        let status = tmux.wait().map_err(failed)?;
        written.map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        // As before tmux 3.2.
        Err(ClipboardError::Unavailable(format!("tmux: {status}")))
    }

    fn get(&mut self) -> Result<String, ClipboardError> {
        // What is copied elsewhere does not get there.
        Err(ClipboardError::Unavailable("tmux does not know the clipboard".to_string()))
    }

    fn check(&mut self) -> Result<(), ClipboardError> {
        let failed = |error: std::io::Error| ClipboardError::Unavailable(format!("tmux: {error}"));
        let mut tmux = Command::new("tmux");
        tmux.args(["display-message", "-p", ""]);
        tmux.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match tmux.status().map_err(failed)? {
            status if status.success() => Ok(()),
            status => Err(ClipboardError::Unavailable(format!("tmux: {status}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
    use std::time::Instant;

    /// Records what it gets. Answers are made by a function.
    struct Fake {
        sets: Sender<String>,
        answer: fn() -> Result<String, ClipboardError>,
    }

    impl ClipboardBackend for Fake {
        fn set(&mut self, text: &str) -> Result<(), ClipboardError> {
            self.sets.send(text.to_string()).unwrap();
            (self.answer)().map(drop)
        }

        fn get(&mut self) -> Result<String, ClipboardError> {
            (self.answer)()
        }

        fn check(&mut self) -> Result<(), ClipboardError> {
            (self.answer)().map(drop)
        }
    }

    fn clipboard(
        answers: &'static [fn() -> Result<String, ClipboardError>],
    ) -> (SystemClipboard, Receiver<String>) {
        let (sets, received) = channel();
        let open = move || -> Vec<Box<dyn ClipboardBackend>> {
            let make = |answer: &fn() -> Result<String, ClipboardError>| -> Box<dyn ClipboardBackend> {
                Box::new(Fake { sets: sets.clone(), answer: *answer })
            };
            answers.iter().map(make).collect()
        };
        (SystemClipboard::with_backends(open), received)
    }

    fn hang() -> Result<String, ClipboardError> {
        loop {
            std::thread::park();
        }
    }

    #[test]
    fn clipboard_route_depends_on_ssh_and_tmux() {
        use ClipboardKind::{Desktop, Tmux};
        let kinds = |set: &[&str]| ClipboardRoute::of(|name| set.contains(&name)).kinds();
        assert_eq!(kinds(&["DISPLAY"]), [Desktop]);
        assert_eq!(kinds(&["TMUX"]), [Tmux, Desktop]);
        assert_eq!(kinds(&["TMUX", "SSH_TTY"]), [Tmux]);
        assert_eq!(kinds(&["SSH_CONNECTION"]), []);
        assert_eq!(kinds(&["SSH_CLIENT", "DISPLAY"]), []);
        assert!(!SystemClipboard::new(ClipboardRoute { is_remote: true, in_tmux: false }).has_any());
    }

    #[tokio::test]
    async fn clipboard_check_answers_for_each_backend_and_sets_nothing() {
        const TWO: &[fn() -> Result<String, ClipboardError>] =
            &[|| Err(ClipboardError::NoText), || Ok(String::new())];
        let (mut two, sets) = clipboard(TWO);
        assert_eq!(two.check().await, Ok(vec![Err(ClipboardError::NoText), Ok(())]));
        // The first text that a backend gets is the next one.
        assert_eq!(two.set("after".to_string()).await, Ok(()));
        assert_eq!(sets.recv().unwrap(), "after");
        let (mut hanging, _sets) = clipboard(&[hang]);
        assert_eq!(hanging.check().await, Err(ClipboardError::TimedOut));
    }

    #[tokio::test]
    async fn clipboard_takes_text_and_gives_it() {
        let (mut clipboard, sets) = clipboard(&[|| Ok("there".to_string())]);
        assert_eq!(clipboard.set("here".to_string()).await, Ok(()));
        assert_eq!(sets.recv().unwrap(), "here");
        assert_eq!(clipboard.get().await, Ok("there".to_string()));
        clipboard.end().await;
        drop(clipboard);
        assert_eq!(
            sets.recv_timeout(TIME_LIMIT),
            Err(RecvTimeoutError::Disconnected),
            "the thread has ended"
        );
    }

    #[tokio::test]
    async fn clipboard_that_fails_or_is_empty_says_so_and_another_one_is_asked() {
        let failing = || Err(ClipboardError::Unavailable("no display".to_string()));
        let (mut one, _sets) = clipboard(&[failing_const]);
        assert_eq!(one.set(String::new()).await, failing());
        assert_eq!(one.get().await, failing().map(|()| String::new()));
        let (mut two, sets) = clipboard(&[failing_const, || Ok("second".to_string())]);
        assert_eq!(two.set("x".to_string()).await, Ok(()));
        assert_eq!((sets.recv().unwrap(), sets.recv().unwrap()), ("x".to_string(), "x".to_string()));
        assert_eq!(two.get().await, Ok("second".to_string()));
        let (mut empty, _sets) = clipboard(&[|| Err(ClipboardError::NoText)]);
        assert_eq!(empty.get().await, Err(ClipboardError::NoText));
    }

    fn failing_const() -> Result<String, ClipboardError> {
        Err(ClipboardError::Unavailable("no display".to_string()))
    }

    #[tokio::test]
    async fn clipboard_that_panics_is_unavailable() {
        let (mut clipboard, _sets) = clipboard(&[|| panic!("broken")]);
        assert!(matches!(clipboard.get().await, Err(ClipboardError::Unavailable(_))));
        assert!(matches!(clipboard.get().await, Err(ClipboardError::Unavailable(_))));
        clipboard.end().await;
    }

    #[tokio::test]
    async fn clipboard_that_hangs_delays_nobody_beyond_the_limits() {
        let (mut clipboard, sets) = clipboard(&[hang]);
        let start = Instant::now();
        let waiting: Vec<_> = (0..20).map(|n| clipboard.set(n.to_string())).collect();
        assert!(start.elapsed() < TIME_LIMIT, "asking does not block");
        for answer in waiting {
            assert_eq!(answer.await, Err(ClipboardError::TimedOut));
        }
        clipboard.end().await;
        assert_eq!(sets.try_iter().collect::<Vec<_>>(), ["0"]);
    }
}
