//! A panic of the loop, in a real terminal: the terminal is given back, the panic is reported, and the next start
//! offers what was typed, to the last key.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::{Clock, SharedClock, SystemClock};
use bowline::base::paths::Home;
use bowline::exec::LocalEnvironment;
use bowline::ide::core::keys::keymap::BUILTIN;
use bowline::ide::core::options::{OpenTarget, Options};
use bowline::ide::core::tasks::threads::Threads;
use bowline::ide::shell::catalog::read_keymap;
use bowline::ide::shell::preload::Preload;

use crate::support::pty::Launch;

/// Names the file whose appearance makes the loop of [`panic_host_process_runs_event_loop`] panic.
const FLAG: &str = "BOWLINE_TEST_PANIC_FLAG";

/// A clock that panics on the thread of the loop once there is a file.
struct PanickingClock {
    clock: SharedClock,
    flag_path: PathBuf,
}

impl Clock for PanickingClock {
    fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn monotonic(&self) -> Duration {
        // Removed first: the loop panics once.
        assert!(std::fs::remove_file(&self.flag_path).is_err(), "the trap is sprung");
        self.clock.monotonic()
    }
}

/// The program in the terminal of the test below: the IDE without a session, with a clock that may panic. Without the
/// variable there is nothing to do.
#[tokio::test]
async fn panic_host_process_runs_event_loop() {
    let Some(flag) = std::env::var_os(FLAG) else { return };
    let home = Home::find(|name| std::env::var(name).ok()).unwrap();
    let work = std::env::current_dir().unwrap();
    let env = Arc::new(LocalEnvironment::new(work.clone(), []));
    let open = vec![OpenTarget { path: work.join("a.txt"), at: None }];
    let feed = Preload::start(env, Threads::from_handle(tokio::runtime::Handle::current()), open, |_| None);
    let (keymap, problems) = read_keymap("default.toml", BUILTIN[0].1);
    let options = Options {
        home: home.user.clone(),
        config: home.config.clone(),
        state: home.state.clone(),
        keymap,
        problems,
        mouse: false,
        clock: Arc::new(PanickingClock { clock: SystemClock::shared(), flag_path: flag.into() }),
        ..Options::new(work, home.user.clone())
    };
    Box::pin(bowline::ide::shell::run::run(options, feed, None)).await.unwrap();
}

#[test]
fn panic_restores_terminal_and_keeps_last_key() {
    let host = std::env::current_exe().unwrap();
    let args =
        ["--exact", "pty_panic::panic_host_process_runs_event_loop", "--nocapture", "--test-threads", "1"];
    let launch = Launch::command(host.to_str().unwrap(), &args);
    let flag = launch.work().join("panic");
    std::fs::write(launch.work().join("a.txt"), "\n").unwrap();
    let mut pty = launch.env(FLAG, flag.to_str().unwrap()).start();
    pty.wait_text("a.txt 1:1");
    pty.send("the last key!");
    pty.wait_text("the last key!");
    std::fs::write(&flag, "").unwrap();
    pty.send("x");
    assert!(!pty.wait_exit().success());
    let shown = String::from_utf8_lossy(&pty.take_raw()).into_owned();
    let (left, told) = (shown.rfind("\x1b[?1049l"), shown.rfind("the trap is sprung"));
    assert!(left.is_some() && left < told, "told behind the screen: {shown:?}");
    let mut again = pty.relaunch(&["a.txt"]).start();
    again.wait_text("Recover");
    again.raw_for(Duration::from_millis(500));
    again.send("r");
    again.wait_text("the last key!");
    again.send("\x13");
    again.wait_text("Saved a.txt");
    let kept = std::fs::read_to_string(again.work().join("a.txt")).unwrap();
    assert!(kept.starts_with("the last key!"), "{kept:?}");
}
