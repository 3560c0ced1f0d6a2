//! Judges a folder of bowline's own files. Must not know what is in it. Blocking; creates nothing.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rustix::fs::{Access, access};

use crate::cli::doctor::report::{Finding, State};

/// What to do about a folder that cannot be used.
const ADVICE: &str = "Make it a folder that you can read and write, or set BOWLINE_HOME to one";

/// Returns whether a folder exists and can be read and written, or can be created. `bad` is the state of one that
/// cannot be used.
pub fn check(folder: &Path, bad: State) -> Finding {
    match problem(folder) {
        Ok(true) => Finding::ok(folder.display().to_string()),
        Ok(false) => Finding::ok(format!("{} (created when it is needed)", folder.display())),
        Err(problem) => {
            let value = format!("{}: {problem}", folder.display());
            Finding { state: bad, ..Finding::error(value, ADVICE) }
        }
    }
}

/// Returns whether the folder exists, or why it cannot be used.
fn problem(folder: &Path) -> Result<bool, String> {
    match fs::metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => Err("it is not a folder".to_string()),
        Ok(_) => {
            let allowed = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
            access(folder, allowed).map_err(|error| std::io::Error::from(error).to_string())?;
            Ok(true)
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.to_string()),
        Err(_) if fs::symlink_metadata(folder).is_ok() => Err("it is a link to nothing".to_string()),
        Err(_) => match folder.parent() {
            Some(parent) => problem(parent).map(|_| false).map_err(|problem| {
                if problem.starts_with("cannot be created") {
                    return problem;
                }
                format!("cannot be created ({}: {problem})", parent.display())
            }),
            None => Err("there is no such folder".to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn doctor_folder_exists_or_can_be_created() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        symlink("absent", dir.path().join("dangling")).unwrap();
        let check = |name: &str| check(&dir.path().join(name), State::Warning);
        assert_eq!(check("").state, State::Ok);
        let missing = check("a/b");
        assert!(missing.state == State::Ok && missing.value.ends_with("a/b (created when it is needed)"));
        for (name, said) in [
            ("file", "it is not a folder"),
            ("file/below", "Not a directory"),
            ("dangling", "it is a link to nothing"),
            ("dangling/a/b", "it is a link to nothing)"),
        ] {
            let bad = check(name);
            assert!(bad.state == State::Warning && bad.value.contains(said), "{bad:?}");
            assert!(bad.advice.is_some());
        }
    }
}
