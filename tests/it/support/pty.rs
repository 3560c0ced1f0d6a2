//! A program in a pseudo terminal, with an emulator that shows what it shows.
//!
//! Waits for conditions with a deadline, never for a time. The environment is empty but for what
//! stands here, and all of bowline's folders are temporary.

use std::fs::OpenOptions;
use std::io::{Read as _, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use rustix::termios::{LocalModes, tcgetattr};
use tempfile::TempDir;

/// How long any condition may take. Generous, because the machine may be busy.
const DEADLINE: Duration = Duration::from_secs(20);

/// A program about to be started.
pub struct Launch {
    command: CommandBuilder,
    cols: u16,
    rows: u16,
    temp: TempDir,
}

impl Launch {
    /// The built binary.
    pub fn bowline(args: &[&str]) -> Self {
        Self::command(env!("CARGO_BIN_EXE_bowline"), args)
    }

    /// Any program, in an empty working folder.
    pub fn command(program: &str, args: &[&str]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        for folder in ["home", "bowline", "work"] {
            std::fs::create_dir(temp.path().join(folder)).unwrap();
        }
        Self::in_folder(temp, program, args)
    }

    fn in_folder(temp: TempDir, program: &str, args: &[&str]) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        for (folder, variable) in [("home", "HOME"), ("bowline", "BOWLINE_HOME")] {
            command.env(variable, temp.path().join(folder));
        }
        command.cwd(temp.path().join("work"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env("PATH", path);
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("LANG", "C.UTF-8"),
            ("BOWLINE_OFFLINE", "1"),
        ] {
            command.env(name, value);
        }
        Self { command, cols: 80, rows: 24, temp }
    }

    /// Columns and rows; 80x24 unless told.
    #[must_use]
    pub fn size(mut self, cols: u16, rows: u16) -> Self {
        (self.cols, self.rows) = (cols, rows);
        self
    }

    /// Another argument, which need not be UTF-8.
    #[must_use]
    pub fn arg(mut self, arg: &std::ffi::OsStr) -> Self {
        self.command.arg(arg);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Starts in this folder instead of an empty one.
    #[must_use]
    pub fn cwd(mut self, folder: &Path) -> Self {
        self.command.cwd(folder);
        self
    }

    /// The working folder, for putting files there first.
    pub fn work(&self) -> PathBuf {
        self.temp.path().join("work")
    }

    /// The folder of `BOWLINE_HOME`.
    pub fn home(&self) -> PathBuf {
        self.temp.path().join("bowline")
    }

    /// Starts the program.
    pub fn start(self) -> Pty {
        let pair = native_pty_system().openpty(size(self.cols, self.rows)).unwrap();
        let mut child = pair.slave.spawn_command(self.command).unwrap();
        // While we hold the other end, the program's end of the terminal would never close.
        drop(pair.slave);
        let pid = Pid::from_raw(child.process_id().unwrap().cast_signed()).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, output) = mpsc::sync_channel(1024);
        let reading = Arc::new(Mutex::new(()));
        let gate = reading.clone();
        thread::spawn(move || {
            let mut chunk = vec![0; 64 << 10];
            while let Ok(count @ 1..) = reader.read(&mut chunk) {
                drop(gate.lock());
                if send.send(chunk[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let (done, exit) = mpsc::sync_channel(1);
        thread::spawn(move || done.send(child.wait().unwrap()));
        let screen = vt100::Parser::new(nonzero(self.rows), nonzero(self.cols), 0);
        let writer = Some(pair.master.take_writer().unwrap());
        let tty = pair.master.tty_name();
        Pty {
            master: Some(pair.master),
            writer,
            tty,
            pid,
            output,
            exit,
            status: None,
            raw: Vec::new(),
            raw_taken: 0,
            screen,
            read_lock: reading,
            temp_dir: Some(self.temp),
        }
    }
}

/// A running program and what it has shown.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    tty: Option<PathBuf>,
    pid: Pid,
    output: Receiver<Vec<u8>>,
    exit: Receiver<ExitStatus>,
    status: Option<ExitStatus>,
    raw: Vec<u8>,
    /// How much of `raw` [`Pty::take_raw`] gave out.
    raw_taken: usize,
    screen: vt100::Parser,
    /// Held while nothing of the output is read.
    read_lock: Arc<Mutex<()>>,
    temp_dir: Option<TempDir>,
}

impl Pty {
    /// The built binary again, once this one has ended, with the same folders.
    pub fn relaunch(&mut self, args: &[&str]) -> Launch {
        let temp = self.temp_dir.take().expect("a program is followed by one other");
        Launch::in_folder(temp, env!("CARGO_BIN_EXE_bowline"), args)
    }

    fn temp_dir(&self) -> &TempDir {
        self.temp_dir.as_ref().expect("the program has not been followed by another")
    }

    /// The working folder.
    pub fn work(&self) -> PathBuf {
        self.temp_dir().path().join("work")
    }

    /// The folder of `BOWLINE_HOME`.
    pub fn home(&self) -> PathBuf {
        self.temp_dir().path().join("bowline")
    }

    /// Types bytes.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the terminal was not hung up");
        writer.write_all(bytes.as_ref()).unwrap();
        writer.flush().unwrap();
    }

    /// Types the same without a pause until the program is gone; nothing else can be typed any more.
    pub fn flood(&mut self, bytes: &'static [u8]) {
        let mut writer = self.writer.take().expect("the terminal was not hung up");
        thread::spawn(move || while writer.write_all(bytes).is_ok() {});
    }

    /// Calls `f` with a terminal that takes no output, as behind a dead connection: the system holds some back, and
    /// then the program has to wait.
    pub fn stalled(&mut self, f: impl FnOnce(&mut Self)) {
        let reading = self.read_lock.clone();
        let held = reading.lock().unwrap();
        f(self);
        drop(held);
    }

    /// Waits until the program has ended, without taking its output.
    #[track_caller]
    pub fn wait_end(&mut self) {
        let status = self.exit.recv_timeout(DEADLINE);
        self.status = Some(status.expect("the program ends"));
    }

    /// Waits until the screen is as wanted; else fails with what was wanted and the screen.
    #[track_caller]
    pub fn wait_for(&mut self, wanted: &str, is: impl Fn(&vt100::Screen) -> bool) {
        self.wait_until(wanted, |pty| is(pty.screen.screen()));
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn wait_text(&mut self, text: &str) {
        self.wait_until(&format!("the text {text:?}"), |pty| pty.screen.screen().contents().contains(text));
    }

    /// Waits until these bytes have come since the last [`Pty::take_raw`].
    #[track_caller]
    pub fn wait_raw(&mut self, bytes: &str) {
        let found = |pty: &Self| memchr::memmem::find(&pty.raw[pty.raw_taken..], bytes.as_bytes()).is_some();
        self.wait_until(&format!("the bytes {bytes:?}"), found);
    }

    #[track_caller]
    fn wait_until(&mut self, wanted: &str, is: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        loop {
            if is(self) {
                return;
            }
            let left = DEADLINE.saturating_sub(start.elapsed());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.process_output(&bytes),
                Err(why) => panic!("waited for {wanted}: {why}\n{}", self.picture()),
            }
        }
    }

    fn process_output(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.process(bytes);
    }

    /// The screen as of now, with what has come meanwhile.
    pub fn screen(&mut self) -> &vt100::Screen {
        while let Ok(bytes) = self.output.try_recv() {
            self.process_output(&bytes);
        }
        self.screen.screen()
    }

    /// The bytes written since the last call, as of now.
    pub fn take_raw(&mut self) -> Vec<u8> {
        self.screen();
        let bytes = self.raw[self.raw_taken..].to_vec();
        self.raw_taken = self.raw.len();
        bytes
    }

    /// The bytes that come within a time in which none are expected.
    pub fn raw_for(&mut self, time: Duration) -> Vec<u8> {
        let start = Instant::now();
        while let Ok(bytes) = self.output.recv_timeout(time.saturating_sub(start.elapsed())) {
            self.process_output(&bytes);
        }
        self.take_raw()
    }

    /// The screen in a frame, with the place of the caret.
    pub fn picture(&mut self) -> String {
        let screen = self.screen();
        let (_, cols) = screen.size();
        let (row, col) = screen.cursor_position();
        let caret = if screen.hide_cursor() { "hidden".to_string() } else { format!("at {col},{row}") };
        let rows: Vec<_> = screen.rows(0, cols.get()).map(|row| format!("│{row}\n")).collect();
        format!("{}caret {caret}\n", rows.concat())
    }

    /// Gives the window a new size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.screen();
        self.screen.set_size(nonzero(rows), nonzero(cols));
        self.master.as_ref().expect("the terminal was not hung up").resize(size(cols, rows)).unwrap();
    }

    /// How often its threads have gone to sleep or were made to, by name and number; as the system counts it.
    pub fn context_switches(&self) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid.as_raw_nonzero())).unwrap();
        let of = |task: std::fs::DirEntry| {
            let text = std::fs::read_to_string(task.path().join("status")).unwrap();
            let counted = |line: &&str| line.starts_with("Name") || line.contains("voluntary_ctxt_switches");
            text.lines().filter(counted).collect::<Vec<_>>().join(" ")
        };
        let mut all: Vec<String> = tasks.map(|task| of(task.unwrap())).collect();
        all.sort();
        all
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Waits until the program has been stopped by a signal.
    #[track_caller]
    pub fn wait_stopped(&self) {
        let (pid, (send, stopped)) = (self.pid, mpsc::sync_channel(1));
        thread::spawn(move || {
            let options = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
            send.send(waitid(WaitId::Pid(pid), options).is_ok())
        });
        assert_eq!(stopped.recv_timeout(DEADLINE), Ok(true), "the program stops");
    }

    /// Closes the terminal as a closed window does. The thread that reads holds on to it until
    /// something comes; closing the writer types an end of input, which makes programs answer.
    pub fn hang_up(&mut self) {
        self.output = mpsc::sync_channel(1).1;
        self.master = None;
        self.writer = None;
    }

    /// Waits for the end of the program and takes in its last output.
    #[track_caller]
    pub fn wait_exit(&mut self) -> ExitStatus {
        let start = Instant::now();
        while self.status.is_none() {
            // The output must be taken meanwhile, or the program could wait for us.
            match self.output.recv_timeout(Duration::from_millis(20)) {
                Ok(bytes) => self.process_output(&bytes),
                Err(_) => self.status = self.exit.recv_timeout(Duration::from_millis(20)).ok(),
            }
            assert!(start.elapsed() < DEADLINE, "waited for the end of the program\n{}", self.picture());
        }
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(200)) {
            self.process_output(&bytes);
        }
        self.status.clone().expect("the loop above ends with a status")
    }

    /// Whether the terminal echoes and edits lines, as a shell expects it.
    pub fn is_cooked(&self) -> bool {
        let path = self.tty.as_ref().expect("a pseudo terminal has a name");
        let tty = OpenOptions::new().read(true).open(path).unwrap();
        tcgetattr(tty).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // The program leads a session and a process group of its own. It may be gone already.
        if self.status.is_none() && self.exit.try_recv().is_err() {
            kill_process_group(self.pid, Signal::KILL).unwrap_or_default();
        }
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).expect("a screen has rows and columns")
}
