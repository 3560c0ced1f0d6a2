//! The project of the tutor on disk. Must not know what the steps say.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::storage::scratch;

/// The file with the steps.
pub const STEPS: &str = "TUTOR.md";

/// What a step opens by a part of its name.
const NOTES: &str = "You opened this file by a part of its name.\n\nThe steps are in TUTOR.md.\n";

/// What the agent is asked to change.
const GREET: &str = "\"\"\"Greets people by name.\"\"\"


def greet(name):
    return \"Hello, \" + name


print(greet(\"world\"))
";

/// Returns the folder of the project: beside the program's folder of state, since the agent may not edit that without
/// asking.
pub fn folder(state: &Path) -> PathBuf {
    let name = state.file_name().unwrap_or_default().to_string_lossy();
    state.with_file_name(format!("{name}-tutor"))
}

/// Makes the project anew, with these steps. Blocking.
pub fn renew(folder: &Path, steps: &str) -> io::Result<()> {
    scratch::renew(folder, [(STEPS, steps), ("notes.txt", NOTES), ("src/greet.py", GREET)])
}
