//! What is judged to look only is run by a real shell, which must then write nothing, execute nothing but the
//! programs of the table and connect to nobody: over the table of the reader's tests and over lines that are
//! made by a fixed seed. `BOWLINE_SEEDS=random` makes ten times as many by a seed of its own.
//!
//! The programs are found through a folder in which those of the table are the real ones and all others only
//! record that they ran. Where the system allows it, everything but the folder of the run is read-only, and
//! programs that are executed by their paths are recorded, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use bowline::tools::command::is_read_only;

use crate::support::shell_lines::ShellLines;

/// The table of the reader's own tests.
const TABLE: &str = include_str!("../../src/tools/command/table.txt");
/// Lines that are made.
const LINES: usize = 10_000;
/// The seed of the lines that every run makes.
const SEED: u64 = 0x0b0e_11e5;
/// Settings of a repository that name programs and are no reason to ask: nothing that only looks obeys them.
const SETTINGS: [&str; 24] = [
    "core.alternateRefsCommand",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "core.gitProxy",
    "pager.log",
    "pager.status",
    "alias.status",
    "alias.log",
    "sequence.editor",
    "credential.helper",
    "help.browser",
    "web.browser",
    "browser.evil.cmd",
    "man.evil.cmd",
    "man.viewer",
    "difftool.x.cmd",
    "mergetool.x.cmd",
    "interactive.diffFilter",
    "trailer.x.command",
    "uploadpack.packObjectsHook",
    "remote.origin.uploadpack",
    "sendemail.smtpServer",
];
/// Programs of the table, and what bash and they run to do the same.
const LISTED: &str = "ls cat head tail wc nl tac rev fold cut tr paste join comm cmp diff od strings md5sum sha1sum \
                      sha256sum grep egrep fgrep jq pwd echo true false whoami id uname basename dirname realpath \
                      readlink stat du df ps uptime free nproc seq which sleep time nice timeout xargs printf test \
                      [ date file tree sort rg uniq find sed git bash";

/// Makes everything but the folder of the run read-only, then goes on with the words behind it.
const MOUNTS: &str = r#"
"$MOUNT" --bind "$WORK" "$WORK" && "$MOUNT" --bind "$AROUND" "$AROUND" &&
  "$MOUNT" -o remount,bind,ro / && cd "$WORK" || exit 9
exec "$@"
"#;

/// Reads lines that end with a zero byte and runs each in a shell of its own.
const DRIVER: &str = r#"
x='--output=out' y=evil z='-o out'
while IFS= read -r -d '' line <&3; do
  ( eval "$line" ) 3<&- </dev/null >/dev/null 2>>"$AROUND/errors"
done 3<"$AROUND/lines"
"#;

/// A folder in which lines are run, and what is recorded beside it.
struct OracleSandbox {
    _folder: tempfile::TempDir,
    work: PathBuf,
    records_dir: PathBuf,
}

fn executables() -> BTreeMap<String, PathBuf> {
    let path = std::env::var_os("PATH").unwrap();
    let mut found = BTreeMap::new();
    for folder in std::env::split_paths(&path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_program = entry.metadata().is_ok_and(|data| data.is_file() || data.is_symlink());
            if is_program && let Ok(name) = entry.file_name().into_string() {
                found.entry(name).or_insert(entry.path());
            }
        }
    }
    found
}

/// Says it whether tests are captured or not.
fn print_line(what: &str) {
    let line = format!("read_only_oracle: {what}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

fn succeeds(program: &str, args: &[&str], folder: &Path) -> bool {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", folder);
    command.status().is_ok_and(|status| status.success())
}

impl OracleSandbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (work, around) = (root.join("work"), root.join("around"));
        for path in ["work/src", "work/sub", "work/home", "work/hooks", "around/bin", "around/tmp"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        // Names that are options, for patterns that become them.
        let files = [
            "f",
            "a",
            "b",
            "in",
            "x",
            "README",
            "src/a.rs",
            "src/in",
            "sub/a",
            "--output=out",
            "-o",
            "-delete",
            "--compress-program=evil",
            "--pre=evil",
            "-oout",
        ];
        for name in files {
            fs::write(work.join(name), format!("{name}\none two\nevil\n5p\n")).unwrap();
        }
        let bench = Self { _folder: folder, work, records_dir: around };
        bench.record_programs();
        bench.make_repository();
        bench
    }

    fn record_programs(&self) {
        let bin = self.records_dir.join("bin");
        let recorder = self.records_dir.join("recorder");
        let log = self.records_dir.join("executed");
        fs::write(&recorder, format!("#!/bin/sh\necho \"${{0##*/}} $*\" >> '{}'\n", log.display())).unwrap();
        fs::set_permissions(&recorder, fs::Permissions::from_mode(0o755)).unwrap();
        let listed: BTreeSet<&str> = LISTED.split_whitespace().collect();
        for (name, path) in executables() {
            let target = if listed.contains(name.as_str()) { &path } else { &recorder };
            symlink(target, bin.join(&name)).unwrap();
        }
        for name in ["evil", "gpg", "pr", "man", "gzip", "curl", "wget"] {
            if fs::symlink_metadata(bin.join(name)).is_err() {
                symlink(&recorder, bin.join(name)).unwrap();
            }
        }
    }

    /// A repository that names programs wherever that does not count against it.
    fn make_repository(&self) {
        let evil = self.records_dir.join("bin/evil");
        let git = |args: &[&str]| assert!(succeeds("git", args, &self.work), "{args:?}");
        git(&["init", "-q", "."]);
        git(&["config", "user.name", "x"]);
        git(&["config", "user.email", "x@example.org"]);
        git(&["config", "commit.gpgSign", "false"]);
        git(&["add", "f", "src/a.rs"]);
        git(&["commit", "-q", "-m", "first"]);
        fs::write(self.work.join("f"), "f\nchanged\n").unwrap();
        git(&["commit", "-q", "-a", "-m", "second"]);
        fs::write(self.work.join("src/a.rs"), "changed\n").unwrap();
        for name in SETTINGS {
            git(&["config", name, evil.to_str().unwrap()]);
        }
        git(&["config", "help.format", "web"]);
        git(&["config", "core.hooksPath", "hooks"]);
        for hook in ["pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"] {
            symlink(&evil, self.work.join("hooks").join(hook)).unwrap();
        }
        let other = self.records_dir.join("other");
        fs::create_dir(&other).unwrap();
        assert!(succeeds("git", &["init", "-q", "--bare", "."], &other));
        let alternates = self.work.join(".git/objects/info/alternates");
        fs::write(alternates, format!("{}\n", other.join("objects").display())).unwrap();
        git(&["status"]);
    }

    /// Every file below the folder with what would change if it were written. Git may note in its index which
    /// files it has looked at.
    fn state(&self) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
        let mut state = BTreeMap::new();
        let mut open = vec![self.work.clone()];
        while let Some(path) = open.pop() {
            let data = fs::symlink_metadata(&path).unwrap();
            let content = if data.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if data.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let index = path.ends_with(".git/index") || path.ends_with(".git");
            if !index {
                state.insert(path, (data.mode(), data.mtime(), data.mtime_nsec(), content));
            }
        }
        state
    }

    /// Runs lines one after the other; gives what they did beside looking.
    fn run(&self, lines: &[String], means: &Isolation) -> Vec<String> {
        let before = self.state();
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\0"]).collect();
        fs::write(self.records_dir.join("lines"), text).unwrap();
        let mut words: Vec<&str> = Vec::new();
        if means.namespace {
            words.extend(["unshare", "-m", "bash", "--norc", "-c", MOUNTS, "mounts"]);
        }
        let trace = self.records_dir.join("trace").to_string_lossy().into_owned();
        if means.trace {
            words.extend([
                "strace",
                "-f",
                "--seccomp-bpf",
                "-qqq",
                "-e",
                "trace=execve",
                "-s",
                "200",
                "-o",
                &trace,
            ]);
        }
        words.extend(["bash", "--norc", "-c", DRIVER]);
        // Those around the lines are the real ones; the lines find what is recorded.
        let real = executables();
        let words: Vec<&str> = words
            .into_iter()
            .map(|word| real.get(word).and_then(|path| path.to_str()).unwrap_or(word))
            .collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(&self.work).env_clear();
        command.env("PATH", self.records_dir.join("bin"));
        command.env("MOUNT", real.get("mount").map_or(Path::new("mount"), PathBuf::as_path));
        command.env("HOME", self.work.join("home")).env("TMPDIR", self.records_dir.join("tmp"));
        command.env("WORK", &self.work).env("AROUND", &self.records_dir).env("LC_ALL", "C");
        command.env("NAMESPACE", if means.namespace { "1" } else { "" });
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.code() != Some(9), "{}", String::from_utf8_lossy(&output.stderr));
        self.changes(&before)
    }

    fn changes(&self, before: &BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)>) -> Vec<String> {
        let mut found = Vec::new();
        let after = self.state();
        let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
        let changed = paths.into_iter().filter(|path| before.get(*path) != after.get(*path));
        found.extend(changed.map(|path| format!("changed {}", path.display())));
        let read = |name: &str| {
            String::from_utf8_lossy(&fs::read(self.records_dir.join(name)).unwrap_or_default()).into_owned()
        };
        found.extend(read("executed").lines().map(|line| format!("executed {line}")));
        let refused = |line: &&str| line.contains("Read-only file system") && !line.contains("dev/null");
        found.extend(read("errors").lines().filter(refused).map(|line| format!("tried to write: {line}")));
        found.extend(
            read("trace").lines().filter_map(unlisted_program).map(|path| format!("executed {path}")),
        );
        for name in ["executed", "errors", "trace"] {
            let path = self.records_dir.join(name);
            if path.exists() {
                fs::remove_file(path).unwrap();
            }
        }
        found
    }
}

/// The program of a successful `execve` that is none of the table.
fn unlisted_program(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("execve(\"")?;
    if !rest.trim_end().ends_with("= 0") {
        return None;
    }
    let path = rest.split('"').next()?;
    let name = path.rsplit('/').next()?;
    let inside = path.contains("/git-core/");
    // Mount and the shell are those of the run itself; scripts of the table have a shell of their own.
    let own = ["mount", "sh", "dash", "bash", "strace", "unshare"].contains(&name);
    (!LISTED.split_whitespace().any(|listed| listed == name) && !inside && !own).then(|| path.to_string())
}

/// What the system allows beside the folder of recorders.
struct Isolation {
    namespace: bool,
    trace: bool,
}

impl Isolation {
    fn find(folder: &Path) -> Self {
        let namespace = succeeds("unshare", &["-m", "mount", "-o", "remount,bind,ro", "/"], folder);
        let trace = succeeds(
            "strace",
            &["-f", "--seccomp-bpf", "-qqq", "-e", "trace=execve", "-o", "trace", "true"],
            folder,
        );
        let mut lacking = Vec::new();
        if !namespace {
            lacking.push("mounts cannot be made read-only, so only the folder of the run is watched");
        }
        if !trace {
            lacking.push("strace does not run, so only programs that are found by name are recorded");
        }
        for why in lacking {
            print_line(why);
        }
        Self { namespace, trace }
    }
}

/// The lines that do more than look, found by halving.
fn find_culprits(lines: &[String], means: &Isolation) -> Vec<(String, Vec<String>)> {
    let found = OracleSandbox::new().run(lines, means);
    if found.is_empty() {
        return Vec::new();
    }
    if let [line] = lines {
        return vec![(line.clone(), found)];
    }
    let (one, other) = lines.split_at(lines.len() / 2);
    let mut all = find_culprits(one, means);
    if all.len() < 20 {
        all.extend(find_culprits(other, means));
    }
    all
}

fn check(lines: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let means = Isolation::find(folder.path());
    let half = lines.len().div_ceil(2);
    let broken: bool = std::thread::scope(|scope| {
        let runs: Vec<_> = lines
            .chunks(half.max(1))
            .map(|part| scope.spawn(|| OracleSandbox::new().run(part, &means)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).any(|found| !found.is_empty())
    });
    if broken {
        let culprits = find_culprits(lines, &means);
        panic!("judged to look only:\n{culprits:#?}");
    }
}

#[test]
fn read_only_commands_of_table_have_no_side_effects() {
    let looks = TABLE.lines().filter(|row| row.starts_with("looks"));
    let line = |row: &str| row.split(" ┃ ").nth(1).unwrap().replace('⏎', "\n").replace('⇥', "\t");
    // Waiting shows nothing.
    let lines: Vec<String> = looks.map(line).map(|line| line.replace("sleep 1", "sleep 0")).collect();
    assert!(lines.len() > 100 && lines.iter().all(|line| is_read_only(line)), "{}", lines.len());
    check(&lines);
}

#[test]
fn read_only_generated_commands_have_no_side_effects() {
    let random = std::env::var("BOWLINE_SEEDS").is_ok_and(|seeds| seeds == "random");
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let (seed, count) = if random { (now(), 10 * LINES) } else { (SEED, LINES) };
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    host.set_nonblocking(true).unwrap();
    let port = host.local_addr().unwrap().port();
    let made = ShellLines::new(seed, port).take(count);
    let lines: BTreeSet<String> = made.filter(|line| is_read_only(line)).collect();
    print_line(&format!("{} of {count} lines of the seed {seed} are judged to look only", lines.len()));
    assert!(lines.len() > count / 10, "only {} of {count} are judged to look only", lines.len());
    for part in lines.into_iter().collect::<Vec<_>>().chunks(10_000) {
        check(part);
    }
    std::thread::yield_now();
    assert!(host.accept().is_err(), "one of the lines has connected");
}

/// The oracle sees what it is for: each of these lines does more than look.
#[test]
fn read_only_oracle_detects_side_effects() {
    let folder = tempfile::tempdir().unwrap();
    let means = Isolation::find(folder.path());
    for line in [
        "echo > out",
        "sort -o out f",
        "rm f",
        "find . -name a -delete",
        "git log --alternate-refs",
        "git log --output=out",
        "git config x.y z",
        "sed -i s/one/two/ f",
        "sh -c evil",
        "ls | xargs touch",
        "/usr/bin/env evil",
        "ls; evil",
    ] {
        assert!(!is_read_only(line), "{line}");
        let found = OracleSandbox::new().run(&[line.to_string()], &means);
        assert!(!found.is_empty(), "{line}");
    }
}
