//! `bowline doctor` as a process: states, advice and exit codes, with files and folders that are broken.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A home and a workspace, with nothing in them.
struct DoctorHome {
    dir: TempDir,
}

impl DoctorHome {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file and creates its folder.
    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command.arg("doctor").args(args).current_dir(self.path("work")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path("user")).env("BOWLINE_HOME", self.path("home"));
        command.env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// The exit code and the report.
fn report(command: &mut Command) -> (i32, Value) {
    let output = command.arg("--json").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

/// The rows of a check.
fn rows<'a>(report: &'a Value, check: &str) -> Vec<&'a Value> {
    report["checks"].as_array().unwrap().iter().filter(|row| row["check"] == check).collect()
}

/// The only row of a check: its state and value.
#[track_caller]
fn row<'a>(report: &'a Value, check: &str) -> (&'a str, &'a str) {
    let rows = rows(report, check);
    assert_eq!(rows.len(), 1, "{check}: {rows:?}");
    (rows[0]["state"].as_str().unwrap(), rows[0]["value"].as_str().unwrap())
}

#[test]
fn doctor_of_new_user_has_no_error_and_says_how_to_log_in() {
    let place = DoctorHome::new();
    let (code, found) = report(&mut place.command(&[]));
    assert_eq!((code, found["version"].as_str()), (0, Some(env!("CARGO_PKG_VERSION"))), "{found:#}");
    for (check, state, value) in [
        ("terminal", "note", "not a terminal"),
        ("keyboard", "note", "not a terminal"),
        ("images", "note", "not a terminal"),
        ("sessions", "ok", "0 sessions"),
        ("locale", "ok", "LANG=C.UTF-8"),
        ("multiplexer", "ok", "none"),
        ("credential", "note", "no provider has a key"),
    ] {
        assert_eq!(row(&found, check), (state, value));
    }
    assert!(rows(&found, "credential")[0]["advice"].as_str().unwrap().contains("`bowline login`"));
    assert!(row(&found, "git").1.starts_with("git version "), "{found:#}");
    for row in found["checks"].as_array().unwrap() {
        assert_eq!(row["advice"].is_null(), row["state"] == "ok", "{row}");
    }
    assert!(!place.path("home").exists(), "nothing was created");
}

#[test]
fn doctor_text_is_aligned_without_colors_and_counts_states() {
    let place = DoctorHome::new();
    let output = place.command(&[]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.starts_with("Program\n  ok       version"), "{text}");
    for title in ["Settings", "Terminal", "Clipboard", "Programs", "Providers", "Sessions", "Project"] {
        assert!(text.contains(&format!("\n\n{title}\n")), "{title}: {text}");
    }
    assert!(text.trim_end().lines().last().unwrap().contains("note"), "{text}");
}

#[test]
fn doctor_broken_settings_are_named_with_line() {
    let place = DoctorHome::new();
    place.write("home/config/settings.toml", "mouse = true\ntheme = = 1\n");
    place.write("work/.bowline/settings.toml", "\nteme = \"x\u{9b}31m\"\n\"a\\u001b[31m\" = 1\n");
    let (code, found) = report(&mut place.command(&[]));
    assert_eq!((code, found["state"].as_str()), (0, Some("warning")));
    let values: Vec<&str> =
        rows(&found, "setting").iter().map(|row| row["value"].as_str().unwrap()).collect();
    assert!(values[0].contains("settings.toml:2: "), "{values:?}");
    assert!(values[1].contains(".bowline/settings.toml:2: unknown setting"), "{values:?}");
    let output = place.command(&[]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn doctor_broken_keymap_theme_and_plugin_are_warnings() {
    let place = DoctorHome::new();
    place.write("home/config/settings.toml", "keymap = \"mine\"\ntheme = \"odd\"\n");
    place
        .write("home/config/keymaps/mine.toml", "[global]\n\"F1\" = \"no.such\"\n\"F2\" = \"app.palette\"\n");
    place.write("home/config/themes/odd.toml", "x = [\n");
    place.write("home/config/plugins/p/plugin.toml", "[[command]]\nname = 1\n");
    let (code, found) = report(&mut place.command(&[]));
    assert_eq!(code, 0, "{found:#}");
    let second = |check: &str| rows(&found, check)[1].clone();
    assert_eq!(second("keymap")["state"], "warning");
    assert!(second("keymap")["value"].as_str().unwrap().contains("mine.toml:2: no such command: `no.such`"));
    let theme = rows(&found, "theme");
    assert_eq!((theme.len(), theme[0]["state"].as_str()), (1, Some("warning")), "{found:#}");
    assert!(theme[0]["value"].as_str().unwrap().contains("odd"), "{found:#}");
    assert!(second("plugins")["value"].as_str().unwrap().contains("plugin.toml:2:"), "{found:#}");
}

#[test]
fn doctor_broken_auth_file_is_an_error_with_line_and_shows_no_key() {
    let place = DoctorHome::new();
    place.write("home/data/auth.json", "{\n  \"anthropic\": hunter2\n}\n");
    let (code, found) = report(&mut place.command(&[]));
    assert_eq!((code, found["state"].as_str()), (1, Some("error")));
    let (state, value) = row(&found, "auth-file");
    assert!(state == "error" && value.contains("auth.json:2: "), "{value}");
    assert!(!found.to_string().contains("hunter2"));
}

#[test]
fn doctor_names_sources_of_keys_and_never_a_key() {
    let place = DoctorHome::new();
    let entries = json!({
        "anthropic": {"type": "oauth", "access": "secret-a", "refresh": "", "expires": 1},
        "groq": {"type": "api_key", "key": "!echo secret-b; touch ran"},
        "xai": {"type": "api_key", "key": "secret-c"},
    });
    place.write("home/data/auth.json", &entries.to_string());
    let mut command = place.command(&[]);
    let (code, found) = report(command.env("OPENAI_API_KEY", "secret-d"));
    assert_eq!(code, 1, "an expired login that cannot be renewed: {found:#}");
    let find = |id: &str| {
        let row = rows(&found, "credential").into_iter().find(|row| row["item"] == id).unwrap().clone();
        (row["state"].as_str().unwrap().to_string(), row["value"].as_str().unwrap().to_string())
    };
    assert_eq!(find("openai"), ("ok".into(), "variable OPENAI_API_KEY".into()));
    assert_eq!(find("groq"), ("ok".into(), "command in auth.json".into()));
    assert_eq!(find("xai"), ("ok".into(), "key in auth.json".into()));
    assert_eq!(find("anthropic").0, "error");
    assert!(!found.to_string().contains("secret"), "{found:#}");
    assert!(!place.path("work/ran").exists());
}

#[test]
fn doctor_unusable_folders_are_errors() {
    let place = DoctorHome::new();
    place.write("home/state", "a file in its place");
    std::fs::create_dir_all(place.path("home/data")).unwrap();
    std::os::unix::fs::symlink("sessions", place.path("home/data/sessions")).unwrap();
    let (code, found) = report(&mut place.command(&[]));
    assert_eq!(code, 1);
    let state = rows(&found, "folder").into_iter().find(|row| row["item"] == "state").unwrap();
    assert!(
        state["state"] == "error" && state["value"].as_str().unwrap().contains("not a folder"),
        "{state}"
    );
    assert_eq!((row(&found, "sessions-folder").0, row(&found, "unreadable").0), ("error", "error"));
    assert_eq!(rows(&found, "sessions").len(), 0);
}

#[test]
fn doctor_without_home_warns_and_goes_on() {
    let place = DoctorHome::new();
    let (code, found) = report(place.command(&[]).env_remove("HOME"));
    assert_eq!((code, row(&found, "home").0), (0, "warning"), "{found:#}");
    assert!(rows(&found, "folder").iter().all(|row| row["state"] == "ok"), "{found:#}");
}

#[test]
fn doctor_dumb_terminal_without_locale_is_reported() {
    let place = DoctorHome::new();
    let (code, found) = report(place.command(&[]).env("TERM", "dumb").env_remove("LANG"));
    assert_eq!((code, row(&found, "TERM")), (0, ("note", "dumb")));
    assert_eq!(row(&found, "colors"), ("note", "none: TERM=dumb"));
    assert_eq!(row(&found, "locale"), ("warning", "not set"));
}

/// A repository may bring programs along, and a user may have its folder in `PATH`.
#[test]
fn doctor_runs_no_program_of_the_workspace() {
    use std::os::unix::fs::PermissionsExt;
    let place = DoctorHome::new();
    for name in ["git", "tmux", "secret-tool", "bash"] {
        place.write(&format!("work/bin/{name}"), "#!/bin/sh\ntouch \"$(dirname \"$0\")/../ran\"\n");
        let file = place.path(&format!("work/bin/{name}"));
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).unwrap();
    }
    place.write("home/config/settings.toml", "keyring = true\n");
    let bin = place.path("work/bin");
    let path = format!("bin:.:{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let (_, found) = report(place.command(&[]).env("PATH", path).env("TMUX", "/nowhere,1,0"));
    assert!(!place.path("work/ran").exists(), "{found:#}");
    assert!(row(&found, "git").1.starts_with("git version "), "{found:#}");
}

#[test]
fn doctor_counts_sessions_and_names_broken_ones() {
    let place = DoctorHome::new();
    let header = json!({"type": "session", "version": 3, "id": "a", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"});
    place.write("home/data/sessions/--w--/2026-01-01_a.jsonl", &format!("{header}\n"));
    place.write("home/data/sessions/--w--/2026-01-02_b.jsonl", "torn");
    let (code, found) = report(&mut place.command(&[]));
    assert_eq!((code, row(&found, "sessions")), (0, ("ok", "2 sessions")));
    let (state, value) = row(&found, "unreadable");
    assert!(state == "warning" && value.contains("2026-01-02_b.jsonl: "), "{value}");
}
