//! Sockets that are open between two requests of one session, with what a dialect remembers about
//! each, and the sessions that do without.
//!
//! Must not know any wire format.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use parking_lot::Mutex;

use crate::net::socket::{Parked, Socket};

/// How long one waits for the next request.
pub const IDLE: Duration = Duration::from_mins(5);
/// How old one may be when a request begins: servers cut them off after an hour.
pub const AGE: Duration = Duration::from_mins(55);
/// How many wait at most: the one that has waited longest goes.
const MOST: usize = 16;

/// All of one adapter. `M` is what is remembered.
#[derive(Debug)]
pub struct Sockets<M> {
    state: Mutex<State<M>>,
}

#[derive(Debug)]
struct State<M> {
    idle: HashMap<String, Idle<M>>,
    without: HashSet<String>,
}

#[derive(Debug)]
struct Idle<M> {
    parked: Parked,
    since_ms: u64,
    born_ms: u64,
    memory: Option<M>,
}

/// One that is in use.
#[derive(Debug)]
pub struct Open<M> {
    /// The connection.
    pub socket: Socket,
    /// When it was made, in milliseconds since the epoch.
    pub born_ms: u64,
    /// What is remembered of the request before.
    pub memory: Option<M>,
}

impl<M> Default for Sockets<M> {
    fn default() -> Self {
        Self { state: Mutex::new(State { idle: HashMap::new(), without: HashSet::new() }) }
    }
}

impl<M> Sockets<M> {
    /// The one that waits under this key, unless it is gone or too old.
    pub async fn take(&self, key: &str, now_ms: u64) -> Option<Open<M>> {
        let idle = self.state().idle.remove(key)?;
        let since = |ms: u64| Duration::from_millis(now_ms.saturating_sub(ms));
        if since(idle.born_ms) >= AGE || since(idle.since_ms) >= IDLE {
            return None;
        }
        let socket = idle.parked.take().await?;
        Some(Open { socket, born_ms: idle.born_ms, memory: idle.memory })
    }

    /// Lets one wait. Of two with one key the later stays.
    pub fn keep(&self, key: &str, open: Open<M>, now_ms: u64) {
        let Open { socket, born_ms, memory } = open;
        let mut state = self.state();
        state.idle.retain(|_, idle| !idle.parked.is_over());
        if state.idle.len() >= MOST
            && let Some(oldest) = state.idle.iter().min_by_key(|(_, idle)| idle.since_ms)
        {
            let oldest = oldest.0.clone();
            state.idle.remove(&oldest);
        }
        let idle = Idle { parked: socket.park(IDLE), since_ms: now_ms, born_ms, memory };
        state.idle.insert(key.to_string(), idle);
    }

    /// This session asks without a socket from now on.
    pub fn do_without(&self, session: &str) {
        self.state().without.insert(session.to_string());
    }

    /// Whether it does.
    pub fn does_without(&self, session: &str) -> bool {
        self.state().without.contains(session)
    }

    fn state(&self) -> parking_lot::MutexGuard<'_, State<M>> {
        self.state.lock()
    }
}
