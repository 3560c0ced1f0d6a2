//! Real repositories for tests; nothing of the user's own settings reaches them.

use std::path::Path;
use std::process::Command;

const SETTINGS: [&str; 6] =
    ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main"];

/// Runs git in a folder; tells whether there is a git at all.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub fn git(folder: &Path, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.current_dir(folder).args(SETTINGS).args(args);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder).env_remove("GIT_DIR");
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "git {args:?}: {said}");
            true
        }
        Err(error) => {
            eprintln!("skipped, there is no git: {error}");
            false
        }
    }
}
