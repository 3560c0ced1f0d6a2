//! `kill -9` while somebody types, on the built binary: what is older than a second is offered
//! on the next start, and the file on disk is always whole.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::pty::{Launch, Pty};

/// How many kills there are, unless `BOWLINE_KILLS` says another number.
const KILLS: u64 = 6;
/// What was on the screen for this long must not be lost.
const SAFE: Duration = Duration::from_secs(1);
/// Longer than a question that came by itself ignores keys.
const GUARD: Duration = Duration::from_millis(500);

const SAVE: &str = "\x13";
const QUIT: &str = "\x11";

fn launch() -> Pty {
    let launch = Launch::bowline(&["a.txt"]);
    std::fs::write(launch.work().join("a.txt"), "\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("a.txt 1:1");
    pty
}

/// The only recovery file's text.
fn recovery_text(pty: &Pty) -> Option<String> {
    let folder = std::fs::read_dir(pty.home().join("state/swap")).ok()?;
    let paths = folder.map(|entry| entry.unwrap().path());
    let path = paths.into_iter().find(|path| path.extension().is_some_and(|end| end == "kept"))?;
    let text = std::fs::read_to_string(path).unwrap();
    Some(text.split_once('\n').unwrap().1.to_string())
}

fn file_text(work: &Path) -> String {
    std::fs::read_to_string(work.join("a.txt")).unwrap()
}

/// Takes the offer of the next start and saves; the file's text then.
fn recover_and_save(mut dead: Pty) -> String {
    let mut pty = dead.relaunch(&["a.txt"]).start();
    pty.wait_text("Recover");
    pty.raw_for(GUARD);
    let newer = pty.picture().contains("has been changed since");
    pty.send("r");
    pty.wait_text("Recovered unsaved text");
    pty.send(SAVE);
    if newer {
        // Saved after the text was kept, so saving asks.
        pty.wait_text("Overwrite");
        pty.raw_for(GUARD);
        pty.send("o");
    }
    pty.wait_text("Saved a.txt");
    let text = file_text(&pty.work());
    pty.send(QUIT);
    assert!(pty.wait_exit().success());
    let left = std::fs::read_dir(pty.home().join("state/swap")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    text
}

#[test]
fn recovery_after_kill_restores_typed_text() {
    let mut pty = launch();
    pty.send("never saved é");
    pty.wait_text("never saved é");
    while recovery_text(&pty).is_none_or(|text| text != "never saved é\n") {
        pty.raw_for(Duration::from_millis(5));
    }
    pty.signal(Signal::KILL);
    pty.wait_exit();
    assert_eq!(file_text(&pty.work()), "\n");
    assert_eq!(recover_and_save(pty), "never saved é\n");
}

#[test]
fn recovery_after_signal_restores_last_key() {
    for signal in [Signal::TERM, Signal::HUP] {
        let mut pty = launch();
        pty.send("the last key!");
        pty.wait_text("the last key!");
        pty.signal(signal);
        pty.wait_exit();
        assert_eq!(recover_and_save(pty), "the last key!\n");
    }
}

#[test]
fn recovery_after_random_kills_loses_at_most_one_second() {
    let kills = std::env::var("BOWLINE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    for kill in 1..=kills {
        // Any spread will do, as long as a failure can be had again.
        let random = |most: u64| kill.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) % most;
        kill_after(Duration::from_millis(random(2_500)), random(7) + 3);
    }
}

/// Types words, saves after each `save_every`th, and kills after a time.
fn kill_after(time: Duration, save_every: u64) {
    let mut pty = launch();
    let (mut typed, mut shown) = (String::new(), Vec::new());
    let start = Instant::now();
    for word in 1.. {
        if start.elapsed() >= time {
            break;
        }
        let text = format!("{word:03} ");
        typed.push_str(&text);
        pty.send(&text);
        pty.wait_text(text.trim());
        shown.push((Instant::now(), typed.len()));
        if word % save_every == 0 {
            pty.send(SAVE);
        }
    }
    pty.signal(Signal::KILL);
    let killed = Instant::now();
    pty.wait_exit();
    let on_disk = file_text(&pty.work());
    let whole = on_disk.strip_suffix('\n').is_some_and(|text| typed.starts_with(text));
    assert!(whole, "the file is whole: {on_disk:?} after {time:?}");
    let text = match recovery_text(&pty) {
        Some(text) if text != on_disk => recover_and_save(pty),
        _ => on_disk,
    };
    let safe = shown.iter().filter(|(at, _)| killed.duration_since(*at) > SAFE).map(|(_, length)| *length);
    let safe = safe.max().unwrap_or(0);
    let text = text.trim_end_matches('\n');
    assert!(typed.starts_with(text), "nothing else is in it: {text:?} after {time:?}");
    let (kept, all) = (text.len(), typed.len());
    assert!(kept >= safe, "{kept} bytes of {all} came back, of which {safe} were safe, after {time:?}");
}
