//! Real shells in real pseudo terminals.

use std::time::Duration;

use rustix::process::test_kill_process;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn vars() -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    [("PATH", path), ("SHELL", "/bin/sh".into()), ("TMUX", "1".into()), ("PS1", "$ ".into())]
        .map(|(name, value)| (name.into(), value))
        .to_vec()
}

fn open() -> Terminal {
    start(&vars(), &TerminalSpec { cwd: "/".into(), cols: 70, rows: 21 }).expect("a shell can be started")
}

/// Reads until a text has come.
async fn read_to(terminal: &mut Terminal, wanted: &str) -> String {
    let mut all = String::new();
    let reading = async {
        let mut buffer = [0; 4096];
        while !all.contains(wanted) {
            let n = terminal.output.read(&mut buffer).await.unwrap_or(0);
            assert!(n > 0, "the end came before {wanted:?}: {all:?}");
            all.push_str(&String::from_utf8_lossy(&buffer[..n]));
        }
    };
    timeout(PATIENCE, reading).await.unwrap_or_else(|_| panic!("no {wanted:?}"));
    all
}

async fn gone(pid: Pid) {
    let going = async {
        // No process may ask for the status of what was orphaned here: a process that has ended counts as gone.
        let dead = |text: String| text.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['Z', 'X']));
        let stat = format!("/proc/{}/stat", pid.as_raw_nonzero());
        while test_kill_process(pid).is_ok() && !std::fs::read_to_string(&stat).is_ok_and(dead) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, going).await.expect("the process ends");
}

#[tokio::test]
async fn pty_shell_has_size_and_exit_code() {
    let mut terminal = open();
    assert_eq!(terminal.name, "sh");
    terminal.input.write_all(b"stty size; echo $TERM-$TMUX-$PWD\r").await.expect("it reads");
    read_to(&mut terminal, "xterm-256color--/\r").await;
    terminal.control.resize(33, 7).expect("the window has a size");
    terminal.input.write_all(b"stty size; exit 3\r").await.expect("it reads");
    read_to(&mut terminal, "7 33\r").await;
    assert_eq!(timeout(PATIENCE, terminal.control.wait()).await, Ok(3));
}

#[tokio::test]
async fn pty_foreground_program_is_named() {
    let mut terminal = open();
    terminal.input.write_all(b"echo re''ady; sleep 1000\r").await.expect("it reads");
    read_to(&mut terminal, "ready\r").await;
    let named = async {
        while terminal.control.foreground_program().as_deref() != Some("sleep") {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, named).await.expect("sleep comes to the front");
}

#[tokio::test]
async fn pty_drop_kills_processes_ignoring_signals() {
    let mut terminal = open();
    let script: &[u8] = b"sh -c 'trap \"\" HUP TERM INT; echo pid $$ .; while :; do sleep 1; done' & :\r";
    terminal.input.write_all(script).await.expect("it reads");
    let read = read_to(&mut terminal, " .\r").await;
    let tail = read.rsplit("pid ").next().and_then(|tail| tail.split(' ').next());
    let pid = tail.and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw).expect("a number was printed");
    assert!(test_kill_process(pid).is_ok());
    drop(terminal);
    gone(pid).await;
}

#[test]
fn pty_missing_shell_falls_back_to_sh() {
    let of = |value: &str| shell(&[("SHELL".into(), value.into())]);
    assert_eq!(of("/no/such/shell"), Path::new("/bin/sh"));
    assert_eq!(of("sh"), Path::new("/bin/sh"));
    assert_eq!(shell(&[]), Path::new("/bin/sh"));
}
