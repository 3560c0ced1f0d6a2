//! Keyboard signals for child processes.
//!
//! A program started in the background of a script, or with `nohup`, ignores these signals, and its children
//! would inherit that: a Ctrl-C in a terminal pane would do nothing. A signal with a handler is not inherited
//! as ignored; ours does nothing, so for the program itself nothing changes. Must not know the children.

use std::sync::OnceLock;

use tokio::signal::unix::{SignalKind, signal};

/// Ensures, once, that future child processes receive Ctrl-C and Ctrl-\\.
pub(in crate::exec) fn unignore_for_children() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        for kind in ignored_signals() {
            // The handler stays when its stream is dropped.
            if let Err(error) = signal(kind) {
                tracing::warn!(?kind, %error, "what is started ignores a signal, as this program does");
            }
        }
    });
}

/// Returns which of them this program ignores. Only Linux reports it, as `SigIgn` in proc(5).
fn ignored_signals() -> Vec<SignalKind> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let keyboard = [SignalKind::interrupt(), SignalKind::quit()];
    keyboard.into_iter().filter(|kind| mask & (1 << (kind.as_raw_value() - 1)) != 0).collect()
}
