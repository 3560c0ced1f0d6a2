//! Tests on a pseudo terminal of our own. They share the one guard of the process, so they are
//! one test in several acts.

use std::io::{Read as _, Write as _};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use portable_pty::{MasterPty, PtySize, native_pty_system};
use rustix::termios::{LocalModes, tcgetattr};

use super::*;
use crate::base::panics::catch;
use crate::tui::term::guard::{install_panic_hook, restore};

/// A pseudo terminal whose output is gathered.
struct Pty {
    master: Box<dyn MasterPty + Send>,
    /// Keeps the terminal open on our side.
    _slave: Box<dyn portable_pty::SlavePty + Send>,
    output: mpsc::Receiver<Vec<u8>>,
    seen: String,
}

impl Pty {
    fn open() -> Self {
        let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = mpsc::sync_channel(64);
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut chunk) {
                if send.send(chunk[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { master: pair.master, _slave: pair.slave, output, seen: String::new() }
    }

    fn tty(&self) -> File {
        let path = self.master.tty_name().unwrap();
        let flags = (OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).unwrap()
    }

    /// Everything written since the last call, up to and with `end`.
    fn until(&mut self, end: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(end) {
                let rest = self.seen.split_off(at + end.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let more = self.output.recv_timeout(Duration::from_secs(10));
            self.seen.push_str(std::str::from_utf8(&more.expect("the bytes come in time")).unwrap());
        }
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(self.tty()).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }
}

const GIVEN_BACK: &str = "\x1b[?1049l\x1b[?25h";

#[tokio::test]
async fn terminal_is_acquired_and_restored() {
    let mut pty = Pty::open();
    input_arrives_and_modes_are_undone(&mut pty).await;
    a_child_may_use_it_while_suspended(&mut pty);
    pty = bytes_that_it_does_not_take_at_once_follow(pty).await;
    one_that_takes_nothing_is_left_in_time(&mut pty);
    a_panic_of_a_task_leaves_it_and_one_of_its_owner_restores_it(&mut pty);
    a_hang_up_is_told(pty).await;
}

async fn input_arrives_and_modes_are_undone(pty: &mut Pty) {
    assert!(!pty.is_raw());
    let mut terminal = Terminal::enter_on(pty.tty(), TermOptions::default(), &[]).unwrap();
    pty.until("\x1b[?1006h");
    assert_eq!((pty.is_raw(), terminal.size()), (true, (100, 30)));
    assert!(Terminal::enter_on(pty.tty(), TermOptions::default(), &[]).is_err());
    let mut keys = pty.master.take_writer().unwrap();
    keys.write_all(b"\x03\x1b[A").unwrap();
    assert_eq!(terminal.input().await, TermInput::Bytes(b"\x03\x1b[A".to_vec()));
    terminal.set_title("a\x07b").unwrap();
    terminal.enable_kitty_keyboard().unwrap();
    terminal.resume().unwrap();
    pty.until("\x1b[=5;1u");
    terminal.leave().unwrap();
    let end = pty.until(GIVEN_BACK);
    assert!(end.contains("\x1b[<u") && end.contains("\x1b[23;0t"), "{end:?}");
    assert!(!pty.is_raw());
    restore();
    restore();
}

fn a_child_may_use_it_while_suspended(pty: &mut Pty) {
    let mut terminal = Terminal::enter_on(pty.tty(), TermOptions { mouse: false }, &[]).unwrap();
    terminal.enable_kitty_keyboard().unwrap();
    terminal.suspend().unwrap();
    pty.until(GIVEN_BACK);
    assert!(!pty.is_raw() && terminal.write(b"x").is_err());
    terminal.resume().unwrap();
    assert!(pty.until("\x1b[>5u").contains("\x1b[?1049h"));
    assert!(pty.is_raw());
    drop(terminal);
    pty.until(GIVEN_BACK);
}

/// More than the thread that gathers output takes before it is asked, and the system beyond it.
const MUCH: usize = 1 << 20;

async fn bytes_that_it_does_not_take_at_once_follow(mut pty: Pty) -> Pty {
    let mut terminal = Terminal::enter_on(pty.tty(), TermOptions::default(), &[]).unwrap();
    pty.until("\x1b[?1006h");
    let numbers = |n: usize| format!("{n:08}");
    let much: String = (0..MUCH / 8).map(numbers).collect();
    terminal.write(much.as_bytes()).unwrap();
    assert!(terminal.is_writing());
    terminal.write(b"the end").unwrap();
    let taken = thread::spawn(move || (pty.until("the end"), pty));
    loop {
        match terminal.input().await {
            TermInput::Flushed => break,
            // What an earlier act typed at its end.
            TermInput::Bytes(_) => {}
            TermInput::Closed(why) => panic!("{why}"),
        }
    }
    assert!(!terminal.is_writing());
    let (seen, mut pty) = taken.join().unwrap();
    assert!(seen == format!("{much}the end"), "{} bytes came of {MUCH}", seen.len());
    terminal.write(b"short").unwrap();
    assert!(!terminal.is_writing());
    terminal.leave().unwrap();
    pty.until(GIVEN_BACK);
    pty
}

fn one_that_takes_nothing_is_left_in_time(pty: &mut Pty) {
    let terminal = Terminal::enter_on(pty.tty(), TermOptions::default(), &[]).unwrap();
    terminal.write("x".repeat(MUCH).as_bytes()).unwrap();
    assert!(terminal.is_writing());
    terminal.leave().unwrap();
    assert!(!pty.is_raw());
    // What the system held back for it is gone, too: it hears first that a sequence may be cut off, then what undoes
    // the modes.
    let seen = pty.until(GIVEN_BACK);
    let (frames, last) = seen.split_at(seen.rfind('\u{18}').expect("a cut sequence ends"));
    assert!(frames.len() < MUCH && last.contains("\x1b[?2004l"), "{} bytes, then {last:?}", frames.len());
}

fn a_panic_of_a_task_leaves_it_and_one_of_its_owner_restores_it(pty: &mut Pty) {
    let terminal = Terminal::enter_on(pty.tty(), TermOptions::default(), &[]).unwrap();
    // The report of the panic would only clutter the test's output.
    std::panic::set_hook(Box::new(|_| {}));
    install_panic_hook();
    install_panic_hook();
    assert!(thread::spawn(|| panic!("on purpose")).join().is_err());
    assert!(catch(|| -> () { panic!("on purpose") }).is_err());
    assert!(pty.is_raw() && terminal.write(b"x").is_ok());
    assert!(std::panic::catch_unwind(|| panic!("on purpose")).is_err());
    drop(std::panic::take_hook());
    pty.until(GIVEN_BACK);
    assert!(!pty.is_raw() && terminal.write(b"x").is_err());
}

async fn a_hang_up_is_told(pty: Pty) {
    let mut terminal = Terminal::enter_on(pty.tty(), TermOptions::default(), &[]).unwrap();
    drop(pty);
    // The thread that gathers output holds on to the terminal until it has something to give.
    // When it has had that already, the terminal is gone and this fails.
    terminal.write(b"x").unwrap_or_default();
    // What an earlier act typed and nobody read comes first.
    while let TermInput::Bytes(bytes) = terminal.input().await {
        assert!(!bytes.is_empty());
    }
    assert!(terminal.leave().is_err());
}
