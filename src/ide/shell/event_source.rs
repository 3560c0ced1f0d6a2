//! Brings events to the application: from tasks, the session and pickers. The real event loop adds a
//! terminal, tests add a script.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};

use crate::base::error::Report;
use crate::exec::Environment;
use crate::ide::core::event::{Event, NextEvent};
use crate::ide::core::options::Options;
use crate::ide::core::panes::Focus;
use crate::ide::core::ports::{Connect, Ports};
use crate::ide::features::files::environment::BufferEnvironment;
use crate::ide::features::language_servers::agent::EditorServers;
use crate::ide::features::permissions::port::AskPermission;
use crate::ide::features::questions::events::AskQuestions;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::shell::app::App;
use crate::ide::shell::preload::Preload;
use crate::runtime::RuntimeEvent;
use crate::runtime::events::hub::Reader;

/// Maximum number of events handled before a frame is drawn and the keyboard is polled again.
const BATCH: usize = 256;

/// The application with its event queues.
pub struct EventSource {
    /// The application.
    pub app: App,
    sender: mpsc::Sender<Event>,
    events: mpsc::Receiver<Event>,
    session: Option<mpsc::Receiver<RuntimeEvent>>,
    new_sessions: mpsc::Receiver<mpsc::Receiver<RuntimeEvent>>,
    session_sender: mpsc::Sender<mpsc::Receiver<RuntimeEvent>>,
    wake: Arc<Notify>,
    env: Arc<dyn Environment>,
    connect: Option<Connect>,
}

impl EventSource {
    /// Returns an application of this size. No session is used before [`Self::connect`].
    pub fn new(mut options: Options, feed: Preload, size: (u16, u16)) -> Self {
        let Preload { env, sender, events, tasks, opening } = feed;
        let (joined, joining) = mpsc::channel(1);
        let wake = Arc::new(Notify::new());
        let connect = options.connect.take();
        let mut app = App::new(options, (tasks, env.clone()), size, wake.clone());
        if opening {
            app.state.panes.focus = Focus::Editor;
            app.state.buffers.opening = true;
        }
        Self {
            app,
            sender,
            events,
            session: None,
            new_sessions: joining,
            session_sender: joined,
            wake,
            env,
            connect,
        }
    }

    /// Waits until the first file is read, at most for `patience`.
    pub async fn wait_first_file(&mut self, timeout: Duration) {
        let timeout = tokio::time::sleep(timeout);
        tokio::pin!(timeout);
        while self.app.state.buffers.opening {
            tokio::select! {
                biased;
                happened = self.next() => self.app.handle_next(happened),
                () = &mut timeout => break,
            }
        }
    }

    /// Reads the folder and starts the session; to be called once, after the first frame.
    pub fn connect(&mut self) {
        self.app.start();
        let Some(connect) = self.connect.take() else { return };
        let env = Arc::new(BufferEnvironment::new(self.env.clone(), self.app.tasks().clone()));
        let tasks = self.app.tasks().clone();
        let approval = Arc::new(AskPermission::new(tasks.clone()));
        let questions = Arc::new(AskQuestions::new(tasks.clone()));
        let language_servers = Arc::new(EditorServers::new(tasks.clone()));
        let ports = Ports { env, approval, questions, language_servers };
        let (joined, events) = (self.session_sender.clone(), self.sender.clone());
        let work = tasks.guard(async move {
            let handle = match connect(ports).await {
                Ok(handle) => handle,
                Err(report) => return Event::Connected(Err(report)),
            };
            let ended = || Event::Connected(Err(Report::new("the session ended while it was starting")));
            let Some((snapshot, runtime_events)) = handle.subscribe_as(Reader::Recent).await else {
                return ended();
            };
            if joined.send(runtime_events).await.is_err() {
                return ended();
            }
            let over = handle.wait_closed();
            tokio::spawn(async move {
                over.await;
                if events.send(Event::SessionEnded).await.is_err() {
                    tracing::debug!("the loop has ended before the session");
                }
            });
            Event::Connected(Ok(Box::new((handle, snapshot))))
        });
        let events = self.sender.clone();
        tasks.run(async move {
            let lost = |error| Event::Connected(Err(Report::caused("cannot start the session", &error)));
            if events.send(work.await.unwrap_or_else(lost)).await.is_err() {
                tracing::debug!("the loop has ended before the session began");
            }
        });
    }

    /// Waits for the next event. Cancel safe.
    pub async fn next(&mut self) -> NextEvent {
        loop {
            tokio::select! {
                biased;
                () = self.wake.notified() => return NextEvent::Wake,
                Some(event) = self.events.recv() => return NextEvent::Event(Box::new(event)),
                // The channels' senders live as long as this does, or report their end once.
                Some(events) = self.new_sessions.recv() => self.session = Some(events),
                event = next_from_session(&mut self.session) => match event {
                    Some(event) => return NextEvent::Event(Box::new(Event::Runtime(event))),
                    None => self.session = None,
                },
            }
        }
    }

    /// Handles one result, and the other events that are ready, up to a limit.
    pub fn handle(&mut self, first: NextEvent) {
        self.app.handle_next(first);
        self.handle_ready(BATCH);
    }

    /// Handles events that are ready, up to a number.
    pub fn handle_ready(&mut self, most: usize) {
        for _ in 0..most {
            let Some(event) = self.try_next() else { break };
            self.app.handle(event);
        }
    }

    /// Returns an event that is ready.
    pub fn try_next(&mut self) -> Option<Event> {
        let session = |session: &mut mpsc::Receiver<RuntimeEvent>| session.try_recv().ok();
        self.events.try_recv().ok().or_else(|| self.session.as_mut().and_then(session).map(Event::Runtime))
    }

    /// Returns whether nothing is in progress that could cause an event by itself.
    pub fn is_idle(&self) -> bool {
        let quiet = self.events.is_empty() && self.session.as_ref().is_none_or(mpsc::Receiver::is_empty);
        let settled = self.app.state.layers.last().is_none_or(|layer| !layer.is_busy());
        let is_shown = !self.app.state.slots[TRANSCRIPT].is_behind();
        quiet
            && settled
            && is_shown
            && !self.app.tasks().is_busy()
            && self.app.state.agent.working_since.is_none()
    }
}

async fn next_from_session(session: &mut Option<mpsc::Receiver<RuntimeEvent>>) -> Option<RuntimeEvent> {
    match session {
        Some(session) => session.recv().await,
        None => std::future::pending().await,
    }
}
