//! What the user should know before a command runs, in plain words, with the part of the command that it is
//! about. Pure; must not know files or front ends.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::policy::Roots;
use crate::base::paths::absolute;
use crate::tools::command::{EffectKind, effects};

/// A warning about a part of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Byte range of the part in the command.
    pub range: Range<usize>,
    /// What it does, such as `deletes target/debug`.
    pub text: String,
}

/// Maximum number of names in a warning.
const NAMES_MAX: usize = 3;
/// Devices that hold nothing.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero"];

/// Returns the warnings about a command that runs in the workspace.
pub fn warnings(line: &str, roots: &Roots) -> Vec<Warning> {
    let mut out: Vec<Warning> = Vec::new();
    let mut folder = roots.root.clone();
    for effect in effects(line) {
        let text = match effect.kind {
            EffectKind::Deletes(files) if files.is_empty() => "deletes files".to_string(),
            EffectKind::Deletes(files) => format!("deletes {}", names(&files)),
            EffectKind::Discards => "discards changes that are not committed".to_string(),
            EffectKind::RewritesHistory => "replaces or deletes commits of the remote repository".to_string(),
            EffectKind::Connects(hosts) => format!("connects to {}", names(&hosts)),
            EffectKind::RunsInput(program) => format!("runs in {program} what is not known before"),
            EffectKind::Unread => "cannot be checked: read it with care".to_string(),
            EffectKind::Goes(to) => {
                folder = resolve(&folder, &to, roots);
                continue;
            }
            EffectKind::ChangesUser => "runs with the rights of another user".to_string(),
            EffectKind::Touches(files) => {
                let outside: Vec<String> =
                    files.into_iter().filter(|file| is_outside(file, &folder, roots)).collect();
                if outside.is_empty() {
                    continue;
                }
                format!("names files outside of the workspace: {}", names(&outside))
            }
        };
        let warning = Warning { range: effect.range, text };
        if !out.contains(&warning) {
            out.push(warning);
        }
    }
    out
}

fn names(all: &[String]) -> String {
    let shown = all.iter().take(NAMES_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMES_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns whether a path, as it is written in a folder, is outside of the workspace.
fn is_outside(file: &str, folder: &Path, roots: &Roots) -> bool {
    let is_name = !DEVICES.contains(&file) && !file.contains("://");
    is_name && !resolve(folder, file, roots).starts_with(&roots.root)
}

/// Returns the path of a name in a folder. Another user's home, and an unknown one, is outside of everything.
fn resolve(folder: &Path, name: &str, roots: &Roots) -> PathBuf {
    let unknown = || PathBuf::from("/~");
    let home = || roots.home.clone().unwrap_or_else(unknown);
    for prefix in ["~", "$HOME", "${HOME}"] {
        match name.strip_prefix(prefix) {
            Some("") => return home(),
            Some(rest) if rest.starts_with('/') => {
                return absolute(&home(), Path::new(rest.trim_start_matches('/')));
            }
            Some(_) if prefix == "~" => return unknown(),
            _ => {}
        }
    }
    absolute(folder, Path::new(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_warnings_say_what_a_part_does() {
        let roots = Roots { root: "/w".into(), home: Some("/h".into()), own_folders: Vec::new() };
        let said = |line: &str| {
            warnings(line, &roots)
                .into_iter()
                .map(|warning| (line[warning.range].to_string(), warning.text))
                .collect::<Vec<_>>()
        };
        let row = |part: &str, text: &str| (part.to_string(), text.to_string());
        assert_eq!(said("cargo test --all"), []);
        assert_eq!(said("rm -r a b c d"), [row("rm -r a b c d", "deletes a, b, c and 1 more")]);
        assert_eq!(
            said("cp x ~/.bashrc"),
            [row("cp x ~/.bashrc", "names files outside of the workspace: ~/.bashrc")]
        );
        assert_eq!(said("make > ../log"), [row("> ../log", "names files outside of the workspace: ../log")]);
        assert_eq!(said("make > /dev/null 2> /w/log"), []);
        assert_eq!(said("touch a/../b"), []);
        let outside = "names files outside of the workspace: Documents";
        assert_eq!(
            said("cd ~ && rm -rf Documents"),
            [row("rm -rf Documents", "deletes Documents"), row("rm -rf Documents", outside)]
        );
        assert_eq!(said("cd sub && touch ../a"), []);
        assert_eq!(said("touch ~other/a")[0].1, "names files outside of the workspace: ~other/a");
    }
}
