//! The colors that the terminal gets: as many as its variables promise, whatever it answers.

use crate::support::pty::Launch;

/// Starts on a file of code in a terminal with these variables, and returns all bytes that it got.
fn bytes(term: &str, colorterm: Option<&str>, says: &str) -> String {
    let launch = Launch::bowline(&["a.rs"]).env("TERM", term).without("COLORTERM").size(100, 30);
    let launch = match colorterm {
        Some(value) => launch.env("COLORTERM", value),
        None => launch,
    };
    std::fs::write(launch.work().join("a.rs"), "// note\nfn main() { print(\"text\"); }\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("print");
    pty.send(says);
    // The answer has been taken in once a later key shows.
    pty.send("\x1b[21~\x1bOP");
    pty.wait_text("Commands");
    pty.send("\x1b");
    pty.wait_for("the list is closed", |screen| !screen.contents().contains("Commands"));
    let raw = String::from_utf8_lossy(&pty.take_raw()).into_owned();
    pty.send("\x11");
    pty.wait_exit();
    raw
}

/// A terminal says that its background is white, black, white and something else.
const LIES: &str = "\x1b]11;rgb:ffff/ffff/ffff\x07\x1b]11;rgb:0000/0000/0000\x07\x1b]11;rgb:ff/ff/ff\x1b\\\x1b]11;rgb:zz\x07";

#[test]
fn colors_of_a_bare_xterm_are_its_own_sixteen() {
    let raw = bytes("xterm", None, LIES);
    assert!(!raw.contains("38;2;") && !raw.contains("48;2;") && !raw.contains("38;5;"), "{raw:?}");
    assert!(
        raw.contains("\x1b[32m") || raw.contains(";32m") || raw.contains(";32;"),
        "strings are green: {raw:?}"
    );
}

#[test]
fn colors_of_256_are_indexed_and_those_of_truecolor_are_not() {
    let raw = bytes("xterm-256color", None, LIES);
    assert!(raw.contains("38;5;") && !raw.contains("38;2;"), "{raw:?}");
    let raw = bytes("xterm-256color", Some("truecolor"), LIES);
    assert!(raw.contains("38;2;"), "{raw:?}");
}

#[test]
fn colors_are_left_out_where_nobody_wants_them() {
    let launch = Launch::bowline(&["a.rs"]).env("NO_COLOR", "1").size(100, 30);
    std::fs::write(launch.work().join("a.rs"), "fn main() {}\n").unwrap();
    let mut pty = launch.start();
    pty.wait_text("fn main");
    let raw = String::from_utf8_lossy(&pty.take_raw()).into_owned();
    for color in ["38;2;", "48;2;", "38;5;", "48;5;", "\x1b[32m", "\x1b[31m"] {
        assert!(!raw.contains(color), "{color}: {raw:?}");
    }
    pty.send("\x11");
    pty.wait_exit();
}
