//! Signals that a keyboard sends, for what this program starts.
//!
//! A program that was started in the background of a script, or behind `nohup`, ignores them, and so would
//! everything that it starts: a Ctrl-C in a terminal of its own would do nothing there. A signal that is
//! handled is not handed on as ignored; ours does nothing, so that for the program itself all stays as it
//! was. Must not know what is started.

use std::sync::OnceLock;

use tokio::signal::unix::{SignalKind, signal};

/// Makes sure, once, that what is started from now on hears Ctrl-C and Ctrl-\\.
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

/// Which of them this program ignores. Only Linux tells, in the form of `SigIgn` in proc(5).
fn ignored_signals() -> Vec<SignalKind> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let keyboard = [SignalKind::interrupt(), SignalKind::quit()];
    keyboard.into_iter().filter(|kind| mask & (1 << (kind.as_raw_value() - 1)) != 0).collect()
}
