//! Pool of idle sockets between two requests of a session, with a dialect's state for each, and the sessions
//! that do not use sockets.
//!
//! Must not know any wire format.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use parking_lot::Mutex;

use crate::net::socket::{Parked, Socket};

/// Maximum idle time of a socket.
pub const IDLE: Duration = Duration::from_mins(5);
/// Maximum age of a socket at the start of a request: servers close them after an hour.
pub const AGE_MAX: Duration = Duration::from_mins(55);
/// Maximum number of idle sockets: the one idle for longest is closed.
const IDLE_MAX: usize = 16;

/// The pool of one adapter. `M` is the dialect's state.
#[derive(Debug)]
pub struct SocketPool<M> {
    state: Mutex<State<M>>,
}

#[derive(Debug)]
struct State<M> {
    idle: HashMap<String, Idle<M>>,
    disabled: HashSet<String>,
}

#[derive(Debug)]
struct Idle<M> {
    parked: Parked,
    since_ms: u64,
    opened_ms: u64,
    memory: Option<M>,
}

/// A socket in use.
#[derive(Debug)]
pub struct PooledSocket<M> {
    /// The connection.
    pub socket: Socket,
    /// Creation time, in milliseconds since the epoch.
    pub opened_ms: u64,
    /// State of the previous request.
    pub memory: Option<M>,
}

impl<M> Default for SocketPool<M> {
    fn default() -> Self {
        Self { state: Mutex::new(State { idle: HashMap::new(), disabled: HashSet::new() }) }
    }
}

impl<M> SocketPool<M> {
    /// Returns the idle socket with this key, unless it is closed or too old.
    pub async fn take(&self, key: &str, now_ms: u64) -> Option<PooledSocket<M>> {
        let idle = self.state().idle.remove(key)?;
        let since = |ms: u64| Duration::from_millis(now_ms.saturating_sub(ms));
        if since(idle.opened_ms) >= AGE_MAX || since(idle.since_ms) >= IDLE {
            return None;
        }
        let socket = idle.parked.take().await?;
        Some(PooledSocket { socket, opened_ms: idle.opened_ms, memory: idle.memory })
    }

    /// Adds an idle socket. Of two with one key the later is kept.
    pub fn put_back(&self, key: &str, open: PooledSocket<M>, now_ms: u64) {
        let PooledSocket { socket, opened_ms: born_ms, memory } = open;
        let mut state = self.state();
        state.idle.retain(|_, idle| !idle.parked.is_closed());
        if state.idle.len() >= IDLE_MAX
            && let Some(oldest) = state.idle.iter().min_by_key(|(_, idle)| idle.since_ms)
        {
            let oldest = oldest.0.clone();
            state.idle.remove(&oldest);
        }
        let idle = Idle { parked: socket.park(IDLE), since_ms: now_ms, opened_ms: born_ms, memory };
        state.idle.insert(key.to_string(), idle);
    }

    /// Disables sockets for this session.
    pub fn disable(&self, session: &str) {
        self.state().disabled.insert(session.to_string());
    }

    /// Whether sockets are disabled for this session.
    pub fn is_disabled(&self, session: &str) -> bool {
        self.state().disabled.contains(session)
    }

    fn state(&self) -> parking_lot::MutexGuard<'_, State<M>> {
        self.state.lock()
    }
}
