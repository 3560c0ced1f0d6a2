//! Copying with the built binary: which clipboard gets the text where there is no desktop, over ssh, in tmux.

use std::os::unix::fs::PermissionsExt;

use crate::support::pty::{Launch, Pty};

const TEXT: &str = "copied text";
/// The sequence for the text, as a terminal gets it.
const PLAIN: &str = "\x1b]52;c;Y29waWVkIHRleHQ=\x1b\\";
const COPY_ALL: &str = "\x1b2\x1bh\x03";

/// Starts with the text in a file, and copies it.
fn copying(launch: Launch) -> Pty {
    std::fs::write(launch.work().join("a.txt"), TEXT).unwrap();
    let mut pty = launch.start();
    pty.wait_text(TEXT);
    pty.send(COPY_ALL);
    pty
}

fn quit(mut pty: Pty) {
    pty.send("\x11");
    assert!(pty.wait_exit().success(), "{}", pty.picture());
}

#[test]
fn clipboard_without_desktop_or_over_ssh_is_that_of_the_terminal() {
    for variable in ["LANG", "SSH_CONNECTION"] {
        let mut pty = copying(Launch::bowline(&["a.txt"]).env(variable, "C.UTF-8"));
        pty.wait_raw(PLAIN);
        quit(pty);
    }
}

#[test]
fn clipboard_in_tmux_is_its_buffer_or_else_both_sequences() {
    let launch = Launch::bowline(&["a.txt"]).env("TMUX", "/nowhere,1,0").env("SSH_TTY", "/dev/pts/0");
    let got = launch.home().join("got");
    let bin = launch.home().join("bin");
    std::fs::create_dir(&bin).unwrap();
    // It says when it is done to the only one that waits.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = load-buffer ] || exit 1\necho \"$@\" > {0}\ncat >> {0}\nprintf '\\033]0;got it\\007' > /dev/tty\n",
        got.display()
    );
    let tmux = |text: &str| {
        // The one before may still be starting: it is replaced, not written to.
        let new = bin.join("tmux.new");
        std::fs::write(&new, text).unwrap();
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(&new, bin.join("tmux")).unwrap();
    };
    tmux(&script);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut pty = copying(launch.env("PATH", &path));
    pty.wait_raw("got it");
    assert_eq!(std::fs::read_to_string(&got).unwrap(), format!("load-buffer -w -\n{TEXT}"));
    // One that is too old, or not there, does not take it.
    tmux("#!/bin/sh\nexit 1\n");
    pty.send("\x03");
    pty.wait_raw(PLAIN);
    pty.wait_raw("\x1bPtmux;\x1b\x1b]52;c;Y29waWVkIHRleHQ=\x1b\x1b\\\x1b\\");
    quit(pty);
}

#[test]
fn clipboard_paste_without_desktop_says_why_not() {
    let mut pty = Launch::bowline(&[]).size(120, 24).start();
    pty.wait_text("Ask anything");
    pty.send("\x16");
    pty.wait_text("Cannot read the clipboard");
    quit(pty);
    let mut pty = Launch::bowline(&[]).env("SSH_TTY", "/dev/pts/0").size(120, 24).start();
    pty.wait_text("Ask anything");
    pty.send("\x16");
    pty.wait_text("No clipboard over ssh");
    quit(pty);
}
