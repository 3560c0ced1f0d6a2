//! The terminal for the event loop: size, input and output bytes, suspend and resume.
//!
//! Must not know what the bytes mean. It opens the terminal device itself, so that standard input and output
//! keep their own state.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use rustix::fs::OFlags;
use rustix::stdio::{stdin, stdout};
use rustix::termios::{isatty, tcgetwinsize, ttyname};

use crate::tui::term::attention::{self, Progress};
use crate::tui::term::guard;
use crate::tui::term::modes::{self, ExtraModes, TermModes};
use crate::tui::term::reader::{Reader, TermInput};
use crate::tui::term::write_ready::WriteReady;

/// Modes to switch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermOptions {
    /// Mouse reports: buttons, drags and wheel.
    pub mouse: bool,
}

impl Default for TermOptions {
    fn default() -> Self {
        Self { mouse: true }
    }
}

/// The terminal of the process, in our modes. Restored on drop.
#[derive(Debug)]
pub struct Terminal {
    tty: File,
    wanted: TermModes,
    /// Extra modes; [`Terminal::resume`] switches them on again.
    extras: ExtraModes,
    /// `None` while suspended.
    reader: Option<Reader>,
    /// Present only while bytes are waiting: it wakes whenever the terminal accepts bytes.
    room: Option<WriteReady>,
}

impl Terminal {
    /// Opens the terminal and switches to our screen and modes. Fails if there is no terminal. Needs a tokio
    /// runtime, whose thread is woken by input.
    pub fn enter(options: TermOptions) -> io::Result<Self> {
        Self::enter_on(open()?, options, &[])
    }

    /// Does the same on an open terminal. `first` is written together with the modes, so that our screen
    /// never appears empty.
    pub fn enter_on(tty: File, options: TermOptions, first: &[u8]) -> io::Result<Self> {
        let modes = TermModes { mouse: options.mouse };
        guard::enter(&tty, modes, ExtraModes::default(), first)?;
        let mut terminal =
            Self { tty, wanted: modes, extras: ExtraModes::default(), reader: None, room: None };
        // From here on dropping `terminal` restores.
        terminal.reader = Some(Reader::start(&terminal.tty)?);
        Ok(terminal)
    }

    /// Returns columns and rows; 80x24 if the terminal does not know.
    pub fn size(&self) -> (u16, u16) {
        size_of(&self.tty)
    }

    /// Width and height of a cell in pixels, if the terminal tells the system.
    pub fn cell_pixels(&self) -> Option<(u16, u16)> {
        cell_pixels_of(&self.tty)
    }

    /// Writes bytes without blocking. [`Self::input`] sends the bytes that the terminal does not accept at
    /// once. Fails when the terminal was restored in the meantime, as after a panic on another thread.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() { Ok(()) } else { guard::write(bytes) }
    }

    /// Returns whether bytes are waiting to be written. Drawing in that state would let the queue grow
    /// without limit.
    pub fn is_writing(&self) -> bool {
        guard::is_waiting()
    }

    /// Returns the next input, or that the terminal has accepted all output. Cancel safe. Never returns while
    /// suspended.
    pub async fn input(&mut self) -> TermInput {
        let Some(reader) = &mut self.reader else { return std::future::pending().await };
        if guard::is_waiting() {
            if self.room.is_none() {
                match WriteReady::watch(&self.tty) {
                    Ok(room) => self.room = Some(room),
                    Err(error) => return TermInput::Closed(error.to_string()),
                }
            }
        } else {
            self.room = None;
        }
        match &mut self.room {
            None => reader.next().await,
            Some(room) => tokio::select! {
                biased;
                input = reader.next() => input,
                flushed = room.flush() => {
                    flushed.map_or_else(|error| TermInput::Closed(error.to_string()), |()| TermInput::Flushed)
                }
            },
        }
    }

    /// Turns reports of the mouse on or off; off on leaving.
    pub fn set_mouse(&mut self, is_on: bool) -> io::Result<()> {
        self.wanted.mouse = is_on;
        guard::set_mouse(is_on)
    }

    /// Pushes the Kitty keyboard flags; undone on leaving.
    pub fn enable_kitty_keyboard(&mut self) -> io::Result<()> {
        self.extras.kitty = true;
        guard::write_extra_mode(modes::KITTY_PUSH, |extras| extras.kitty = true)
    }

    /// Enables xterm's modified keys. Undone on leaving.
    pub fn enable_other_keys(&mut self) -> io::Result<()> {
        self.extras.other_keys = true;
        guard::write_extra_mode(modes::OTHER_KEYS, |extras| extras.other_keys = true)
    }

    /// Sets the window title. The previous one is restored on leaving.
    pub fn set_title(&mut self, title: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        if !self.extras.title {
            bytes.extend_from_slice(modes::TITLE_SAVE);
        }
        self.extras.title = true;
        bytes.extend(modes::title(title));
        guard::write_extra_mode(b"", |extras| extras.title = true)?;
        self.write(&bytes)
    }

    /// Shows progress in the task bar. Removed on leaving.
    pub fn set_progress(&mut self, progress: Progress) -> io::Result<()> {
        self.extras.progress = true;
        guard::write_extra_mode(attention::progress(progress), |extras| extras.progress = true)
    }

    /// Records what deletes the images that were sent; written on leaving.
    pub fn own_images(&mut self, undo: Vec<u8>) -> io::Result<()> {
        guard::own_images(undo)
    }

    /// Records that the caret has one of our shapes: the user's own is restored on leaving.
    pub fn own_caret(&mut self) -> io::Result<()> {
        if self.extras.caret {
            return Ok(());
        }
        self.extras.caret = true;
        guard::write_extra_mode(b"", |extras| extras.caret = true)
    }

    /// Gives the terminal to another program: modes are restored and input is not read.
    pub fn suspend(&mut self) -> io::Result<()> {
        (self.reader, self.room) = (None, None);
        if !guard::leave()? {
            tracing::warn!("the terminal took nothing; it was not set back as a whole");
        }
        Ok(())
    }

    /// Takes the terminal over after [`Terminal::suspend`], or sets it up again when it was not suspended
    /// (after a stop that could not be caught). The caller must repaint the screen.
    pub fn resume(&mut self) -> io::Result<()> {
        if self.reader.is_some() && guard::is_active() {
            return guard::reapply();
        }
        // Title and progress were restored. The caller sets them again if it wants them.
        (self.extras.title, self.extras.progress) = (false, false);
        guard::enter(&self.tty, self.wanted, self.extras, &[])?;
        if self.reader.is_none() {
            self.reader = Some(Reader::start(&self.tty)?);
        }
        Ok(())
    }

    /// Restores the terminal for good and returns errors.
    pub fn leave(mut self) -> io::Result<()> {
        self.suspend()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.reader = None;
        guard::restore();
    }
}

/// Returns columns and rows of a terminal; 80x24 if it does not know.
pub fn size_of(tty: &File) -> (u16, u16) {
    match tcgetwinsize(tty) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        _ => (80, 24),
    }
}

/// Returns width and height of a cell in pixels, if the terminal tells the system.
fn cell_pixels_of(tty: &File) -> Option<(u16, u16)> {
    let size = tcgetwinsize(tty).ok()?;
    let each = |pixels: u16, cells: u16| pixels.checked_div(cells).filter(|each| *each > 0);
    Some((each(size.ws_xpixel, size.ws_col)?, each(size.ws_ypixel, size.ws_row)?))
}

/// Opens the device of standard input or output, otherwise the controlling terminal. By the device's own
/// name, because some systems cannot poll `/dev/tty`.
pub fn open() -> io::Result<File> {
    let name = if isatty(stdin()) { ttyname(stdin(), Vec::new()) } else { ttyname(stdout(), Vec::new()) };
    let path = name.ok().and_then(|name| name.into_string().ok()).map_or("/dev/tty".into(), PathBuf::from);
    let open = |path: &PathBuf| {
        let flags = (OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)
    };
    // A name from outside a container's file system does not exist inside.
    open(&path)
        .or_else(|_| open(&PathBuf::from("/dev/tty")))
        .map_err(|e| io::Error::new(e.kind(), format!("cannot open the terminal: {e}")))
}

#[cfg(test)]
mod tests;
