//! The terminal is given back on every way out, seen from outside through a pseudo terminal.
//!
//! The program in it is this test binary with [`actor_process_runs_terminal_loop`] as its only test: a loop of the form that
//! the IDE has, with a key for each way out.

use std::time::Duration;

use bowline::tui::term::{Signal, Signals, TermInput, TermOptions, Terminal, install_panic_hook};
use rustix::process::Signal as Number;

use crate::support::pty::{Launch, Pty};

const ROLE: &str = "BOWLINE_TEST_ACTOR";
const TERMINAL_RESTORED: &str = "\x1b[?1049l\x1b[?25h";

/// Does nothing unless a test below started it.
#[test]
fn actor_process_runs_terminal_loop() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    install_panic_hook();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let code = runtime.block_on(run_child()).unwrap_or(1);
    std::process::exit(code);
}

async fn run_child() -> std::io::Result<i32> {
    let mut signals = Signals::catch()?;
    let mut terminal = Terminal::enter(TermOptions::default())?;
    terminal.enable_kitty_keyboard()?;
    terminal.set_title("actor")?;
    terminal.write(b"ready ")?;
    loop {
        let input = tokio::select! {
            signal = signals.next() => Err(signal),
            input = terminal.input() => Ok(input),
        };
        let input = match input {
            Ok(input) => input,
            Err(signal) => match run_until_signal(signal, &mut signals, &mut terminal).await? {
                Some(code) => return terminal.leave().map(|()| code).or(Ok(code)),
                None => continue,
            },
        };
        match input {
            TermInput::Bytes(bytes) if bytes == b"q" => return terminal.leave().map(|()| 0),
            TermInput::Bytes(bytes) if bytes == b"e" => return Err(std::io::Error::other("on purpose")),
            TermInput::Bytes(bytes) if bytes == b"p" => {
                let panicked = std::thread::spawn(|| panic!("on purpose")).join().is_err();
                // The panic of another thread is not the end of the program.
                let goes_on = terminal.write(b"still here").is_ok();
                return terminal.leave().map(|()| if panicked && goes_on { 3 } else { 2 });
            }
            TermInput::Bytes(bytes) if bytes == b"P" => panic!("in the loop"),
            TermInput::Bytes(bytes) if bytes == b"c" => {
                terminal.suspend()?;
                let script = "printf 'child '; read answer; echo \"heard $answer\"";
                std::process::Command::new("sh").args(["-c", script]).status()?;
                terminal.resume()?;
                terminal.write(b"back ")?;
            }
            TermInput::Bytes(bytes) => terminal.write(format!("<{}>", bytes.len()).as_bytes())?,
            TermInput::Flushed => {}
            TermInput::Closed(_) => return Ok(129),
        }
    }
}

/// The exit code when the signal ends the program.
async fn run_until_signal(
    signal: Signal,
    signals: &mut Signals,
    terminal: &mut Terminal,
) -> std::io::Result<Option<i32>> {
    match signal {
        Signal::Resize => terminal.write(format!("{:?}", terminal.size()).as_bytes())?,
        Signal::Stop => {
            terminal.suspend()?;
            signals.stop_until_continued().await?;
            terminal.resume()?;
            terminal.write(b"again ")?;
        }
        Signal::Continue => {
            terminal.resume()?;
            terminal.write(b"continued ")?;
        }
        ending => return Ok(Some(ending.exit_code())),
    }
    Ok(None)
}

fn start_child() -> Pty {
    let program = std::env::current_exe().unwrap();
    let args = ["tui_term::actor_process_runs_terminal_loop", "--exact", "--nocapture", "--test-threads=1"];
    let mut pty = Launch::command(program.to_str().unwrap(), &args).env(ROLE, "1").start();
    pty.wait_text("ready");
    let screen = pty.screen();
    assert!(screen.alternate_screen() && screen.bracketed_paste());
    assert!(!pty.is_cooked());
    pty
}

/// Checks that the terminal is as a shell expects it.
#[track_caller]
fn assert_sane(pty: &mut Pty) {
    assert!(pty.is_cooked());
    let raw = String::from_utf8_lossy(&pty.take_raw()).into_owned();
    assert_eq!(raw.matches(TERMINAL_RESTORED).count(), 1, "{raw:?}");
    assert!(raw.contains("\x1b[<u") && raw.contains("\x1b[23;0t") && raw.contains("\x1b[?1004l"), "{raw:?}");
    let screen = pty.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
}

#[test]
fn terminal_is_restored_after_return_error_and_panic() {
    for (key, code, said) in [("q", 0, ""), ("e", 1, ""), ("p", 3, ""), ("P", 101, "in the loop")] {
        let mut pty = start_child();
        pty.send(key);
        assert_eq!(pty.wait_exit().exit_code(), code, "{key}");
        assert!(pty.screen().contents().contains(said), "{key}\n{}", pty.picture());
        assert_sane(&mut pty);
    }
}

#[test]
fn terminal_is_restored_after_signals() {
    for (signal, code) in [(Number::TERM, 143), (Number::HUP, 129), (Number::INT, 130)] {
        let mut pty = start_child();
        pty.signal(signal);
        assert_eq!(pty.wait_exit().exit_code(), code);
        assert_sane(&mut pty);
    }
}

#[test]
fn terminal_hang_up_exits_129() {
    let mut pty = start_child();
    pty.hang_up();
    assert_eq!(pty.wait_exit().exit_code(), 129);
}

#[test]
fn terminal_suspend_restores_until_continue() {
    let mut pty = start_child();
    pty.signal(Number::TSTP);
    pty.wait_stopped();
    pty.wait_raw(TERMINAL_RESTORED);
    assert_sane(&mut pty);
    pty.signal(Number::CONT);
    pty.wait_text("again");
    assert!(!pty.is_cooked() && pty.screen().alternate_screen());
    pty.send("xyz");
    pty.wait_text("<3>");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    assert!(pty.is_cooked());
}

#[test]
fn terminal_is_repaired_after_sigstop() {
    let mut pty = start_child();
    pty.signal(Number::STOP);
    pty.wait_stopped();
    pty.signal(Number::CONT);
    pty.wait_text("continued");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    assert!(pty.is_cooked());
}

#[test]
fn terminal_is_released_to_child_process() {
    let mut pty = start_child();
    pty.send("c");
    pty.wait_text("child");
    assert!(pty.is_cooked());
    pty.send("hello\n");
    pty.wait_raw("heard hello");
    pty.wait_text("back");
    pty.send("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn terminal_resize_is_reported_and_idle_writes_no_output() {
    let mut pty = start_child();
    pty.resize(50, 10);
    pty.wait_text("(50, 10)");
    pty.take_raw();
    assert_eq!(pty.raw_for(Duration::from_millis(300)), b"");
    pty.send("q");
    pty.wait_exit();
}
