//! Brings events to the application: from tasks, from the session, from pickers. The real loop
//! adds a terminal to it, the tests a script.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc};

use super::app::App;
use super::approval::AskPerson;
use super::environment::BufferEnvironment;
use super::event::{Connect, Event, Happened};
use super::options::Options;
use super::state::overlay::Overlay;
use super::worker::Worker;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::runtime::RuntimeEvent;

/// Events of tasks that wait for the loop; a full queue holds the tasks up.
const EVENTS_MAX: usize = 1024;
/// Events taken in before a frame is drawn and the keyboard is asked again.
const BATCH: usize = 256;

/// The application with everything that feeds it.
pub struct Pump {
    /// The application.
    pub app: App,
    sender: mpsc::Sender<Event>,
    events: mpsc::Receiver<Event>,
    session: Option<mpsc::Receiver<RuntimeEvent>>,
    joining: mpsc::Receiver<mpsc::Receiver<RuntimeEvent>>,
    joined: mpsc::Sender<mpsc::Receiver<RuntimeEvent>>,
    wake: Arc<Notify>,
    env: Arc<dyn Environment>,
    connect: Option<Connect>,
}

impl Pump {
    /// An application of that size. Nothing is asked of a session before [`Self::connect`].
    pub fn new(mut options: Options, size: (u16, u16)) -> Self {
        let (sender, events) = mpsc::channel(EVENTS_MAX);
        let (joined, joining) = mpsc::channel(1);
        let wake = Arc::new(Notify::new());
        let env = options.env.clone();
        let connect = options.connect.take();
        let app = App::new(options, Worker::new(env.clone(), sender.clone()), size, wake.clone());
        Self { app, sender, events, session: None, joining, joined, wake, env, connect }
    }

    /// Starts the session, once.
    pub fn connect(&mut self) {
        let Some(connect) = self.connect.take() else { return };
        let env = Arc::new(BufferEnvironment::new(self.env.clone(), self.sender.clone()));
        let approval = Arc::new(AskPerson::new(self.sender.clone()));
        let joined = self.joined.clone();
        self.app.task(async move {
            let handle = match connect(env, approval).await {
                Ok(handle) => handle,
                Err(report) => return Event::Connected(Err(report)),
            };
            let ended = || Event::Connected(Err(Report::new("the session ended while it was starting")));
            let Some((snapshot, events)) = handle.subscribe().await else { return ended() };
            if joined.send(events).await.is_err() {
                return ended();
            }
            Event::Connected(Ok(Box::new((handle, snapshot))))
        });
    }

    /// Waits for the next event. Safe to drop and call again.
    pub async fn next(&mut self) -> Happened {
        loop {
            tokio::select! {
                biased;
                () = self.wake.notified() => return Happened::Wake,
                Some(event) = self.events.recv() => return Happened::Event(Box::new(event)),
                // The channels' other ends live as long as this does, or tell their end once.
                Some(events) = self.joining.recv() => self.session = Some(events),
                event = from_session(&mut self.session) => match event {
                    Some(event) => return Happened::Event(Box::new(Event::Runtime(event))),
                    None => self.session = None,
                },
            }
        }
    }

    /// Takes one thing in, and whatever else is ready, up to a bound.
    pub fn take(&mut self, first: Happened) {
        self.app.take(first);
        for _ in 0..BATCH {
            if let Ok(event) = self.events.try_recv() {
                self.app.handle(event);
            } else if let Some(event) = self.session.as_mut().and_then(|session| session.try_recv().ok()) {
                self.app.handle(Event::Runtime(event));
            } else {
                break;
            }
        }
    }

    /// Whether nothing is under way that could bring an event by itself.
    pub fn is_idle(&self) -> bool {
        let quiet = self.events.is_empty() && self.session.as_ref().is_none_or(mpsc::Receiver::is_empty);
        let settled = match self.app.state.overlays.last() {
            Some(Overlay::Picker(picker)) => !picker.filling && picker.settled,
            _ => true,
        };
        quiet && settled && !self.app.is_busy() && self.app.state.agent.working_since.is_none()
    }
}

async fn from_session(session: &mut Option<mpsc::Receiver<RuntimeEvent>>) -> Option<RuntimeEvent> {
    match session {
        Some(session) => session.recv().await,
        None => std::future::pending().await,
    }
}
