//! What the program keeps from the commands that it runs, of the built binary: its memory and its environment.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Nobody, as which root can run the program; another user may only run it as itself.
const NOBODY_UID: u32 = 65_534;
const KEY: &str = "sk-withheld-1234";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The program in a place that everybody can read, as a user without rights.
fn command(folder: &Path, args: &[&str]) -> Command {
    let program = folder.join("bowline");
    if !program.exists() {
        // By another process: a file that this one has open for writing could not be executed where another
        // test forks meanwhile.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_bowline")).arg(&program).status().unwrap();
        assert!(copied.success());
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", folder.join("home"));
    command.env("ANTHROPIC_API_KEY", KEY).env("BOWLINE_OFFLINE", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if is_root() {
        command.uid(NOBODY_UID).gid(NOBODY_UID);
    }
    command
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("home")).unwrap();
    fs::set_permissions(folder.path().join("home"), fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// Waits until the program says that it is ready.
fn wait_ready(child: &mut Child) {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("\"ready\""), "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn process_memory_is_unreadable_for_same_user() {
    let folder = folder();
    let mut child = command(folder.path(), &["--mode", "rpc", "--no-session"]).spawn().unwrap();
    wait_ready(&mut child);
    for name in ["environ", "mem", "maps"] {
        let path = format!("/proc/{}/{name}", child.id());
        let owner = fs::metadata(&path).unwrap().uid();
        assert_eq!(owner, 0, "{path} belongs to the user");
        if is_root() {
            // As another process of the same user sees it.
            let mut cat = Command::new("cat");
            let seen = cat.arg(&path).uid(NOBODY_UID).gid(NOBODY_UID).output().unwrap();
            assert!(!seen.status.success() && seen.stdout.is_empty(), "{path}: {seen:?}");
        } else {
            assert!(fs::read(&path).is_err(), "{path}");
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn non_dumpable_process_runs_commands_and_reads_pdf() {
    let folder = folder();
    fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/pdf/typst.pdf"),
        folder.path().join("a.pdf"),
    )
    .unwrap();
    fs::set_permissions(folder.path().join("a.pdf"), fs::Permissions::from_mode(0o644)).unwrap();
    // Documents are read by the program itself, started anew from its own file.
    let read = command(folder.path(), &["tool", "read", "{\"path\": \"a.pdf\"}"]).output().unwrap();
    let text = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(read.status.success() && text.split_whitespace().count() > 5, "{read:?}");
    let env = command(
        folder.path(),
        &["tool", "bash", "{\"command\": \"env; cat /proc/$PPID/environ\"}", "--approval", "full"],
    );
    let seen = { env }.output().unwrap();
    let text = String::from_utf8_lossy(&seen.stdout).into_owned() + &String::from_utf8_lossy(&seen.stderr);
    assert!(text.contains("PATH="), "{text}");
    assert!(!text.contains(KEY), "{text}");
}
