//! The life of one server: started when a text wants it, started again when it ends unexpectedly, ended when no text
//! has wanted it for a while. One task owns it; what is sent to it keeps its order.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::process::{self, Process, ServerSpec, StartError};
use crate::exec::{Environment, RunningControl, Usage};
use crate::lsp::client::incoming::ServerEvent;
use crate::lsp::client::{Client, OpenDocument};
use crate::lsp::document::{DocumentChange, DocumentText};
use crate::lsp::wire::connection::{Incoming, RequestError};

/// How long to wait before each restart after an unexpected end.
const RESTART_DELAYS: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];
/// A server that ran that long is healthy: its next end counts as the first one.
const HEALTHY: Duration = Duration::from_mins(5);
/// How long a server without texts runs on.
const IDLE: Duration = Duration::from_mins(10);
/// How long a server without an output may take to end.
const CLOSED_TIMEOUT: Duration = Duration::from_secs(1);
/// How long its output may be read after its end was requested.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a server counts as active after the last message.
const ACTIVE: Duration = Duration::from_mins(1);
/// How often the memory of an active server is compared with its limit.
const MEMORY_CHECK: Duration = Duration::from_secs(10);

/// Messages that a server may send before its handshake ends; more are dropped.
const EARLY_MAX: usize = 256;

/// Where a client is sent, or why there is none.
pub type ClientReply = oneshot::Sender<Result<Client, String>>;

/// What a server is asked to do, in order.
pub enum ServerCommand {
    /// A text is open.
    Open(OpenDocument),
    /// It was changed.
    Change {
        /// Its file.
        path: PathBuf,
        /// The version after it, as the owner counts.
        version: u64,
        /// The change.
        change: Box<dyn DocumentChange>,
    },
    /// It is about to be saved.
    WillSave(PathBuf),
    /// It was saved.
    Save(PathBuf),
    /// It is not open any more.
    Close(PathBuf),
    /// Sends the client, for a question about the texts as they are at this point; why there is none if the server does not run.
    Client(ClientReply),
    /// Sends what its processes use; nothing if it does not run or that is not known.
    Usage(oneshot::Sender<Usage>),
    /// End some of its work, by the token of a progress event.
    CancelProgress(String),
    /// Start it again, also after it was stopped or has failed.
    Restart,
    /// Stop it until [`Self::Restart`].
    Stop,
}

/// What it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerState {
    /// It is started and has not answered yet.
    Starting,
    /// It answers.
    Running {
        /// Its process, if known.
        pid: Option<u32>,
    },
    /// It has ended unexpectedly and will be started again.
    Waiting {
        /// Why it ended.
        reason: String,
        /// When it is started again.
        delay: Duration,
    },
    /// It has ended unexpectedly too often.
    Failed {
        /// Why it ended the last time.
        reason: String,
    },
    /// It was stopped, or no text wants it.
    Stopped,
}

impl ServerState {
    /// Returns what it does, in a word or two.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running { .. } => "running",
            Self::Waiting { .. } => "ended, starts again",
            Self::Failed { .. } => "failed",
            Self::Stopped => "stopped",
        }
    }

    /// Returns why it has ended, if it has by itself.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Waiting { reason, .. } | Self::Failed { reason } => Some(reason),
            _ => None,
        }
    }
}

/// News of a server.
#[derive(Debug)]
pub enum ServerUpdate {
    /// It does something else now.
    State(ServerState),
    /// It sent something.
    Event(ServerEvent),
}

/// A text that is open, to be opened again after a restart.
struct OpenText {
    language_id: String,
    version: u64,
    text: Arc<dyn DocumentText>,
}

/// Why one run of the process has ended.
enum Ended {
    /// Nobody will send commands any more.
    Dropped,
    /// It was stopped.
    Stopped,
    /// No text wants it.
    Idle,
    /// It is to be started again.
    Restart,
    /// By itself.
    Failed(String),
    /// It used too much: only the user starts it again.
    ForGood(String),
}

/// Where updates go.
type Updates = mpsc::Sender<ServerUpdate>;

/// The owner of a server.
struct Owner {
    env: Arc<dyn Environment>,
    spec: ServerSpec,
    commands: mpsc::Receiver<ServerCommand>,
    updates: Updates,
    texts: BTreeMap<PathBuf, OpenText>,
    /// Who waits for the end of the handshake.
    unanswered: Vec<ClientReply>,
    /// Why it does not run.
    reason: String,
    /// How long it runs on without texts.
    idle: Duration,
}

/// Runs a server until the sender of commands is dropped.
pub async fn run(
    env: Arc<dyn Environment>,
    spec: ServerSpec,
    commands: mpsc::Receiver<ServerCommand>,
    updates: Updates,
) {
    run_with_idle(env, spec, commands, updates, IDLE).await;
}

async fn run_with_idle(
    env: Arc<dyn Environment>,
    spec: ServerSpec,
    commands: mpsc::Receiver<ServerCommand>,
    updates: Updates,
    idle: Duration,
) {
    let (texts, unanswered, reason) = (BTreeMap::new(), Vec::new(), "no file wants it".to_string());
    let mut owner = Owner { env, spec, commands, updates, texts, unanswered, reason, idle };
    let mut failures = 0;
    // Waits for a first text, then keeps the process running.
    let mut is_wanted = owner.wait_until_wanted(None).await;
    while is_wanted {
        let begun = Instant::now();
        let ended = owner.run_process().await;
        owner.refuse_waiting(&ended);
        if begun.elapsed() >= HEALTHY {
            failures = 0;
        }
        is_wanted = match ended {
            Ended::Dropped => return,
            Ended::Restart => {
                failures = 0;
                true
            }
            Ended::Stopped => {
                owner.send_state(ServerState::Stopped).await;
                failures = 0;
                owner.wait_for_restart().await
            }
            Ended::Idle => {
                owner.send_state(ServerState::Stopped).await;
                owner.wait_until_wanted(None).await
            }
            Ended::ForGood(reason) => {
                owner.send_state(ServerState::Failed { reason }).await;
                failures = 0;
                owner.wait_for_restart().await
            }
            Ended::Failed(reason) => {
                let delay = RESTART_DELAYS.get(failures).copied();
                failures += 1;
                if let Some(delay) = delay {
                    owner.send_state(ServerState::Waiting { reason, delay }).await;
                    owner.wait_until_wanted(Some(delay)).await
                } else {
                    owner.send_state(ServerState::Failed { reason }).await;
                    failures = 0;
                    owner.wait_for_restart().await
                }
            }
        };
    }
}

impl Owner {
    async fn send_state(&self, state: ServerState) {
        // The receiver may be dropped at the end of the program.
        drop(self.updates.send(ServerUpdate::State(state)).await);
    }

    /// Answers who waits for a server that has ended meanwhile; who wants it started again waits on.
    fn refuse_waiting(&mut self, ended: &Ended) {
        self.reason = match ended {
            Ended::Restart => return,
            Ended::Dropped | Ended::Stopped => "it was stopped".to_string(),
            Ended::Idle => "no file wants it".to_string(),
            Ended::Failed(reason) | Ended::ForGood(reason) => reason.clone(),
        };
        for asked in std::mem::take(&mut self.unanswered) {
            // The question may have been cancelled.
            drop(asked.send(Err(self.reason.clone())));
        }
    }

    /// Notes what a command says about texts; returns what else is to be done.
    fn note(&mut self, command: &ServerCommand) {
        match command {
            ServerCommand::Open(document) => {
                let text = OpenText {
                    language_id: document.language_id.clone(),
                    version: document.version,
                    text: document.text.clone(),
                };
                self.texts.insert(document.path.clone(), text);
            }
            ServerCommand::Change { path, version, change } => {
                if let Some(known) = self.texts.get_mut(path) {
                    (known.version, known.text) = (*version, change.next());
                }
            }
            ServerCommand::Close(path) => drop(self.texts.remove(path)),
            _ => {}
        }
    }

    /// Waits until a text wants the server, or for a delay if there is one. Returns `false` when no command can come
    /// any more, or the server was stopped and never restarted.
    async fn wait_until_wanted(&mut self, delay: Option<Duration>) -> bool {
        let until = delay.map(|delay| Instant::now() + delay);
        loop {
            if until.is_none() && !self.texts.is_empty() {
                return true;
            }
            let next = match until {
                Some(until) => match tokio::time::timeout_at(until, self.commands.recv()).await {
                    Ok(next) => next,
                    Err(_) if self.texts.is_empty() => return Box::pin(self.wait_until_wanted(None)).await,
                    Err(_) => return true,
                },
                None => self.commands.recv().await,
            };
            let Some(command) = next else { return false };
            self.note(&command);
            match command {
                // The question may have been cancelled.
                ServerCommand::Client(asked) => drop(asked.send(Err(self.reason.clone()))),
                ServerCommand::Restart => return true,
                ServerCommand::Stop => {
                    self.reason = "it was stopped".to_string();
                    self.send_state(ServerState::Stopped).await;
                    return self.wait_for_restart().await;
                }
                _ => {}
            }
        }
    }

    /// Waits for a restart by the user.
    async fn wait_for_restart(&mut self) -> bool {
        while let Some(command) = self.commands.recv().await {
            self.note(&command);
            match command {
                ServerCommand::Client(asked) => drop(asked.send(Err(self.reason.clone()))),
                ServerCommand::Restart => return true,
                _ => {}
            }
        }
        false
    }

    /// Starts the process and serves it until its end.
    async fn run_process(&mut self) -> Ended {
        self.send_state(ServerState::Starting).await;
        let process = match process::spawn(&*self.env, &self.spec).await {
            Ok(process) => process,
            // Until the user has said something about it, or starts it again.
            Err(error @ StartError::Untrusted) => return Ended::ForGood(error.to_string()),
            Err(error) => return Ended::Failed(error.to_string()),
        };
        let Process { connection, work, mut incoming, errors, mut control } = process;
        let mut tasks = JoinSet::new();
        tasks.spawn(work.run());
        if let Some(errors) = errors {
            let updates = self.updates.clone();
            tasks.spawn(process::read_lines(errors, async move |line| {
                drop(updates.send(ServerUpdate::Event(ServerEvent::Log(line))).await);
            }));
        }
        let started = Client::start(connection.clone(), self.spec.options.clone());
        let ended = match self.start_client(started, &mut incoming, &mut *control).await {
            Ok((client, early)) => {
                // The receiver may be dropped at the end of the program.
                drop(self.updates.send(ServerUpdate::Event(client.offers_changed(false))).await);
                self.send_state(ServerState::Running { pid: control.id() }).await;
                let ended = self.serve(&client, early, &mut incoming, &mut *control).await;
                if !matches!(ended, Ended::Failed(_)) {
                    // What it still sends is dropped, but read, so that it can end.
                    let rest = async { while incoming.recv().await.is_some() {} };
                    let end = async {
                        client.shut_down().await;
                        control.wait().await
                    };
                    let both = async { futures::join!(rest, end) };
                    drop(tokio::time::timeout(END_TIMEOUT, both).await);
                }
                ended
            }
            Err(ended) => ended,
        };
        drop(incoming);
        // Ends its children, too.
        control.stop().await;
        connection.close();
        tasks.shutdown().await;
        ended
    }

    /// Waits for the end of the handshake, while texts are noted; they are opened then.
    async fn start_client(
        &mut self,
        started: impl Future<Output = Result<Client, RequestError>>,
        incoming: &mut mpsc::Receiver<Incoming>,
        control: &mut dyn RunningControl,
    ) -> Result<(Client, Vec<Incoming>), Ended> {
        let mut started = std::pin::pin!(started);
        let mut early = Vec::new();
        let client = loop {
            tokio::select! {
                result = &mut started => match result {
                    Ok(client) => break client,
                    Err(RequestError::Closed) => {
                        let reason = reason_of_end(control).await;
                        return Err(Ended::Failed(format!("{reason} before it was ready")));
                    }
                    Err(error) => return Err(Ended::Failed(error.to_string())),
                },
                // It is read all the time, or the answer would not arrive behind a flood.
                Some(message) = incoming.recv() => {
                    if early.len() < EARLY_MAX {
                        early.push(message);
                    }
                }
                command = self.commands.recv() => {
                    let Some(command) = command else { return Err(Ended::Dropped) };
                    self.note(&command);
                    match command {
                        ServerCommand::Client(asked) => self.unanswered.push(asked),
                        ServerCommand::Restart => return Err(Ended::Restart),
                        ServerCommand::Stop => return Err(Ended::Stopped),
                        _ => {}
                    }
                }
            }
        };
        for (path, known) in &self.texts {
            let document = OpenDocument {
                path: path.clone(),
                language_id: known.language_id.clone(),
                version: known.version,
                text: known.text.clone(),
            };
            client.open(document).map_err(|error| Ended::Failed(error.to_string()))?;
        }
        for asked in std::mem::take(&mut self.unanswered) {
            drop(asked.send(Ok(client.clone())));
        }
        Ok((client, early))
    }

    /// Passes commands to the server, and what it sends to its user, until one of them ends.
    async fn serve(
        &mut self,
        client: &Client,
        early: Vec<Incoming>,
        incoming: &mut mpsc::Receiver<Incoming>,
        control: &mut dyn RunningControl,
    ) -> Ended {
        for message in early {
            if let Err(error) = self.take_in(client, message).await {
                return Ended::Failed(error.to_string());
            }
        }
        let mut idle_since = None;
        let (mut next_check, mut active_until) = (Instant::now(), Instant::now() + ACTIVE);
        loop {
            if Instant::now() >= next_check {
                if let Some(ended) = self.check_memory(&*control).await {
                    return ended;
                }
                next_check = Instant::now() + MEMORY_CHECK;
            }
            // Not when it has been idle for a while: that would wake the program up for nothing.
            let check_at = (Instant::now() < active_until && self.has_limit()).then_some(next_check);
            idle_since = if self.texts.is_empty() { idle_since.or(Some(Instant::now())) } else { None };
            let idle_end = idle_since.map(|since| since + self.idle);
            tokio::select! {
                // What was typed goes first.
                biased;
                command = self.commands.recv() => {
                    let Some(command) = command else { return Ended::Dropped };
                    self.note(&command);
                    match pass_on(client, control, command) {
                        Ok(None) => {}
                        Ok(Some(ended)) => return ended,
                        Err(error) => return Ended::Failed(error.to_string()),
                    }
                }
                message = incoming.recv() => {
                    let Some(message) = message else {
                        return Ended::Failed(reason_of_end(control).await);
                    };
                    if let Err(error) = self.take_in(client, message).await {
                        return Ended::Failed(error.to_string());
                    }
                }
                () = sleep_until(idle_end) => return Ended::Idle,
                () = sleep_until(check_at) => continue,
            }
            active_until = Instant::now() + ACTIVE;
        }
    }

    fn has_limit(&self) -> bool {
        self.spec.memory_max.load(Ordering::Relaxed) < u64::MAX
    }

    /// Returns why the server is to end if it uses more memory than it may.
    async fn check_memory(&self, control: &dyn RunningControl) -> Option<Ended> {
        if !self.has_limit() {
            return None;
        }
        let (used, limit) = (control.usage().await?.memory, self.spec.memory_max.load(Ordering::Relaxed));
        (used > limit).then(|| {
            let [used, limit] = [used, limit].map(|bytes| bytes >> 20);
            Ended::ForGood(format!(
                "it used {used} MB of memory, more than language-server-memory allows ({limit} MB)"
            ))
        })
    }

    /// Handles a message of the server.
    async fn take_in(&self, client: &Client, message: Incoming) -> Result<(), RequestError> {
        if let Some(event) = client.handle(message)? {
            // The receiver may be dropped at the end of the program.
            drop(self.updates.send(ServerUpdate::Event(event)).await);
        }
        Ok(())
    }
}

/// Passes a command to the server; returns why it is to end, if it is.
fn pass_on(
    client: &Client,
    control: &dyn RunningControl,
    command: ServerCommand,
) -> Result<Option<Ended>, RequestError> {
    match command {
        ServerCommand::Open(document) => client.open(document)?,
        ServerCommand::Change { path, version, change } => client.change(&path, version, &*change)?,
        ServerCommand::WillSave(path) => client.will_save(&path)?,
        ServerCommand::Save(path) => client.save(&path)?,
        ServerCommand::Close(path) => client.close(&path)?,
        ServerCommand::Usage(asked) => {
            let measured = control.usage();
            tokio::spawn(async move {
                // Who has asked may have gone.
                measured.await.map(|usage| asked.send(usage).ok())
            });
        }
        ServerCommand::CancelProgress(token) => client.cancel_progress(&token)?,
        ServerCommand::Client(asked) => drop(asked.send(Ok(client.clone()))),
        ServerCommand::Restart => return Ok(Some(Ended::Restart)),
        ServerCommand::Stop => return Ok(Some(Ended::Stopped)),
    }
    Ok(None)
}

/// Returns why a server sends nothing any more. It may have closed its output and run on.
async fn reason_of_end(control: &mut dyn RunningControl) -> String {
    match tokio::time::timeout(CLOSED_TIMEOUT, control.wait()).await {
        Ok(code) => format!("it ended with exit code {code}"),
        Err(_) => "it closed its output".to_string(),
    }
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
