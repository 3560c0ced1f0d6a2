//! The terminal of the process and its restoration, callable from anywhere, any number of times.
//!
//! Holds the only global state of the toolkit, because a panic hook cannot reach anything else. Must not know
//! components.

use std::backtrace::Backtrace;
use std::fs::File;
use std::io;
use std::panic;
use std::sync::Once;
use std::thread::{self, ThreadId};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rustix::termios::{OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use crate::base::panics;
use crate::tui::term::modes::{self, ExtraModes, TermModes};
use crate::tui::term::output::Output;

/// How long to wait on exit for a terminal that accepts no bytes.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(1);

/// A terminal in our modes.
struct ActiveTerminal {
    /// The thread that uses the terminal.
    owner: ThreadId,
    output: Output,
    saved_termios: Termios,
    wanted: TermModes,
    extras: ExtraModes,
    /// Deletes the images that the terminal was sent.
    image_undo: Vec<u8>,
}

static ACTIVE: Mutex<Option<ActiveTerminal>> = Mutex::new(None);

fn active() -> MutexGuard<'static, Option<ActiveTerminal>> {
    // After a panic the state still describes what has to be undone.
    ACTIVE.lock()
}

/// Restores the terminal. Does nothing when it is already restored. Errors are ignored: nothing more can be
/// done for the terminal.
pub fn restore() {
    leave().map(drop).unwrap_or_default();
}

/// Restores the terminal and returns errors. Waits a limited time for a terminal that accepts no bytes;
/// returns whether it accepted everything.
pub(crate) fn leave() -> io::Result<bool> {
    let Some(mut active) = active().take() else { return Ok(true) };
    // Images belong to the screen that is left.
    let last = [&*active.image_undo, &modes::leave(active.wanted, active.extras)].concat();
    let written = active.output.finish(&last, RESTORE_TIMEOUT);
    // The line discipline matters most, so it is restored even when writing failed, and without waiting
    // until all output is shown: where the terminal has stopped, that would be never.
    tcsetattr(active.output.tty(), OptionalActions::Now, &active.saved_termios)?;
    written
}

/// Whether the terminal is in our modes.
pub fn is_active() -> bool {
    active().is_some()
}

/// Makes a panic that ends the program, on the thread that uses the terminal, restore the terminal before it
/// is reported. The panic of a task ends only the task: it is logged, and the screen stays.
pub fn install_panic_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let owner = active().as_ref().map(|active| active.owner);
            let ends = owner.is_none_or(|owner| owner == thread::current().id());
            if ends && !panics::is_caught() {
                restore();
                report(info);
            } else {
                tracing::error!(backtrace = %Backtrace::capture(), "{info}");
            }
        }));
    });
}

/// Switches our modes on and writes `first`; the modes are undone by [`restore`].
pub(crate) fn enter(tty: &File, modes: TermModes, extras: ExtraModes, first: &[u8]) -> io::Result<()> {
    let mut slot = active();
    if slot.is_some() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the terminal is in use by this program"));
    }
    let before = tcgetattr(tty)?;
    let mut output = Output::new(tty.try_clone()?)?;
    set_raw(tty, &before)?;
    let written = output.write(&[&modes::enter(modes, extras), first].concat());
    *slot = Some(ActiveTerminal {
        owner: thread::current().id(),
        output,
        saved_termios: before,
        wanted: modes,
        extras,
        image_undo: Vec::new(),
    });
    drop(slot);
    written.inspect_err(|_| restore())
}

/// Switches our modes on again after another program may have changed them.
pub(crate) fn reapply() -> io::Result<()> {
    let mut slot = active();
    let Some(active) = slot.as_mut() else { return Err(terminal_restored_error()) };
    set_raw(active.output.tty(), &active.saved_termios)?;
    active.output.write(&modes::reapply(active.wanted, active.extras))
}

/// Writes to the terminal while we own it. Bytes that it does not accept at once wait for [`flush`].
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    active().as_mut().ok_or_else(terminal_restored_error)?.output.write(bytes)
}

/// Returns whether bytes are waiting to be written.
pub(crate) fn is_waiting() -> bool {
    active().as_ref().is_some_and(|active| active.output.is_waiting())
}

/// Writes as many of the waiting bytes as the terminal accepts now. Returns whether that was all.
pub(crate) fn flush() -> io::Result<bool> {
    active().as_mut().map_or(Ok(true), |active| active.output.flush())
}

/// Writes a sequence that enables an extra mode, and records it to be undone.
pub(crate) fn write_extra_mode(bytes: &[u8], note: impl FnOnce(&mut ExtraModes)) -> io::Result<()> {
    let mut slot = active();
    let active = slot.as_mut().ok_or_else(terminal_restored_error)?;
    note(&mut active.extras);
    active.output.write(bytes)
}

/// Turns reports of the mouse on or off.
pub(crate) fn set_mouse(is_on: bool) -> io::Result<()> {
    let mut slot = active();
    let active = slot.as_mut().ok_or_else(terminal_restored_error)?;
    active.wanted.mouse = is_on;
    active.output.write(modes::mouse(is_on))
}

/// Records what deletes the images that the terminal has.
pub(crate) fn own_images(undo: Vec<u8>) -> io::Result<()> {
    active().as_mut().ok_or_else(terminal_restored_error)?.image_undo = undo;
    Ok(())
}

fn set_raw(tty: &File, before: &Termios) -> io::Result<()> {
    let mut raw = before.clone();
    raw.make_raw();
    // Reading returns at once, even without data: the event loop must never block.
    raw.special_codes[SpecialCodeIndex::VMIN] = 0;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    Ok(tcsetattr(tty, OptionalActions::Now, &raw)?)
}

fn terminal_restored_error() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the terminal was given back")
}
