//! `bowline doctor` in a pseudo terminal that answers, never answers, or takes no queries: the terminal is always
//! left as it was.

use rustix::process::Signal;

use crate::support::pty::{Launch, Pty};

/// The last query, which every terminal answers.
const LAST_QUERY: &str = "\x1b[c";

/// Starts it with a shell around it, which shows what is left to the next program.
fn start(env: &[(&str, &str)]) -> Pty {
    let script = "\"$0\" doctor; echo \"code $?\"; read -r rest; echo \"got <$rest>\"";
    let args = ["-c", script, env!("CARGO_BIN_EXE_bowline")];
    let launch = Launch::command("/bin/sh", &args).size(160, 120);
    env.iter().fold(launch, |launch, (name, value)| launch.env(name, value)).start()
}

/// Checks that the next program gets `typed` alone.
fn assert_clean(pty: &mut Pty) {
    assert!(pty.is_cooked(), "{}", pty.picture());
    pty.send("typed\r");
    pty.wait_text("got <typed>");
    assert!(pty.wait_exit().success());
    let screen = pty.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    assert!(!screen.contents().contains("^["), "{}", screen.contents());
}

#[test]
fn doctor_terminal_that_answers_is_reported() {
    let mut pty = start(&[]);
    pty.wait_raw(LAST_QUERY);
    pty.send("\x1b[?1u\x1b[?2026;2$y\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1bP>|foot(1.16.2)\x1b\\\x1b[?62;4c");
    pty.wait_text("code 0");
    for text in [
        "answered within",
        "foot(1.16.2)",
        "#ffffff, light",
        "Kitty keyboard protocol",
        "Sixel with 256 colors",
    ] {
        assert!(pty.screen().contents().contains(text), "{text}\n{}", pty.picture());
    }
    assert!(pty.screen().contents().contains("160 x 120"));
    // The report has colors here.
    assert!(String::from_utf8_lossy(&pty.take_raw()).contains("\x1b[32mok\x1b[0m"));
    assert_clean(&mut pty);
}

#[test]
fn doctor_terminal_that_never_answers_is_left_sane() {
    let mut pty = start(&[("NO_COLOR", "1")]);
    pty.wait_raw(LAST_QUERY);
    // A reply that is cut in the middle must not be left for the shell.
    pty.send("\x1b[?62;");
    pty.wait_text("code 0");
    assert!(pty.screen().contents().contains("did not answer within 500 ms"), "{}", pty.picture());
    assert!(!String::from_utf8_lossy(&pty.take_raw()).contains("\x1b[32m"), "NO_COLOR is set");
    assert_clean(&mut pty);
}

#[test]
fn doctor_dumb_terminal_is_an_error_and_gets_no_queries() {
    let mut pty = start(&[("TERM", "dumb")]);
    pty.wait_text("code 1");
    assert!(!String::from_utf8_lossy(&pty.take_raw()).contains('\x1b'));
    assert!(pty.screen().contents().contains("not asked: TERM is dumb"), "{}", pty.picture());
    assert_clean(&mut pty);
}

#[test]
fn doctor_interrupted_while_it_waits_restores_terminal() {
    let mut pty = Launch::bowline(&["doctor"]).start();
    pty.wait_raw(LAST_QUERY);
    pty.signal(Signal::TERM);
    let code = pty.wait_exit().exit_code();
    // It may have been done before.
    assert!([143, 0].contains(&code), "{code}");
    assert!(pty.is_cooked());
}

#[test]
fn doctor_in_the_background_does_not_stop() {
    let script = "set -m; \"$0\" doctor </dev/tty & wait $!; echo \"code $?\"";
    let mut pty =
        Launch::command("/bin/sh", &["-c", script, env!("CARGO_BIN_EXE_bowline")]).size(160, 120).start();
    pty.wait_text("code 0");
    assert!(pty.screen().contents().contains("in the background of its terminal"), "{}", pty.picture());
    assert!(pty.wait_exit().success());
    assert!(pty.is_cooked());
}
