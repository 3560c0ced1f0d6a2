//! Tool calls that wait for the user's permission. Must not know how they are shown.

use tokio::sync::oneshot;

use crate::ide::core::slots::Slot;
use crate::tools::permissions::approval::{Ask, Decision};

/// A waiting call.
#[derive(Debug)]
struct PendingRequest {
    id: u64,
    ask: Ask,
    reply: oneshot::Sender<Decision>,
}

/// Slot of the feature's state.
pub const PERMISSION_REQUESTS: Slot<PermissionRequests> = Slot::new();

/// All waiting calls, oldest first, and what was allowed until the program ends.
#[derive(Debug, Default)]
pub struct PermissionRequests {
    pending: Vec<PendingRequest>,
    next: u64,
    allowed: Vec<CallKey>,
}

/// Identity of a call: tool, target and all arguments. For an edit the target alone is only the file.
pub type CallKey = (String, String, String);

fn call_key(ask: &Ask) -> CallKey {
    (ask.tool.clone(), ask.target.clone(), ask.arguments.clone())
}

impl PermissionRequests {
    /// Adds a request. `None` if an earlier "always" answer covers it.
    pub fn add(&mut self, ask: Ask, reply: oneshot::Sender<Decision>) -> Option<u64> {
        if ask.repeatable && self.allowed.contains(&call_key(&ask)) {
            // The request may have been withdrawn and needs no answer then.
            reply.send(Decision::Allow).ok();
            return None;
        }
        self.next += 1;
        self.pending.push(PendingRequest { id: self.next, ask, reply });
        Some(self.next)
    }

    /// Returns the calls that were allowed until the program ends.
    pub fn allowed(&self) -> &[CallKey] {
        &self.allowed
    }

    /// Takes the permission of such a call back.
    pub fn revoke(&mut self, call: &CallKey) {
        self.allowed.retain(|known| known != call);
    }

    /// Returns the request with an id.
    pub fn get(&self, id: u64) -> Option<&Ask> {
        self.pending.iter().find(|w| w.id == id).map(|w| &w.ask)
    }

    /// Returns the id of the request that waits longest.
    pub fn first(&self) -> Option<u64> {
        self.pending.first().map(|waiting| waiting.id)
    }

    /// Returns the ids of the waiting calls.
    pub fn call_ids(&self) -> impl Iterator<Item = &str> {
        self.pending.iter().map(|waiting| waiting.ask.call_id.as_str())
    }

    /// Returns the number of waiting calls.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Returns whether no call waits.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Answers a request.
    pub fn answer(&mut self, id: u64, decision: Decision, always: bool) {
        let Some(at) = self.pending.iter().position(|w| w.id == id) else { return };
        let waiting = self.pending.remove(at);
        if always && waiting.ask.repeatable {
            let key = call_key(&waiting.ask);
            // The same call may wait already.
            let is_same = |other: &mut PendingRequest| other.ask.repeatable && call_key(&other.ask) == key;
            for same in self.pending.extract_if(.., is_same) {
                same.reply.send(Decision::Allow).ok();
            }
            self.allowed.push(key);
        }
        waiting.reply.send(decision).ok();
    }

    /// Removes withdrawn requests and returns their ids.
    pub fn take_withdrawn(&mut self) -> Vec<u64> {
        let withdrawn: Vec<u64> = self.pending.iter().filter(|w| w.reply.is_closed()).map(|w| w.id).collect();
        self.pending.retain(|w| !w.reply.is_closed());
        withdrawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::contract::tool::ToolClass;

    fn ask(target: &str, arguments: &str, repeatable: bool) -> Ask {
        Ask {
            call_id: "c".into(),
            tool: "bash".into(),
            class: ToolClass::Runs,
            target: target.into(),
            warnings: Vec::new(),
            rule: String::new(),
            workspace: "/w".into(),
            editable: None,
            proposal: None,
            preview: None,
            arguments: arguments.into(),
            repeatable,
        }
    }

    fn is_asked(asks: &mut PermissionRequests, ask: Ask) -> bool {
        let (reply, _answer) = oneshot::channel();
        asks.add(ask, reply).is_some()
    }

    #[test]
    fn approval_always_needs_same_target_and_arguments() {
        let mut asks = PermissionRequests::default();
        let (reply, _answer) = oneshot::channel();
        let id = asks.add(ask("make", "{1}", true), reply).unwrap();
        asks.answer(id, Decision::Allow, true);
        assert!(!is_asked(&mut asks, ask("make", "{1}", true)));
        // The same arguments in another folder are another command.
        assert!(is_asked(&mut asks, ask("cd '/x' && make", "{1}", true)));
        assert!(is_asked(&mut asks, ask("make", "{2}", true)));
        assert!(is_asked(&mut asks, ask("make", "{1}", false)));
    }
}
