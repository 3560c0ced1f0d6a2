//! Scripts that are longer than an argument may be: the shell reads them from a file.
//!
//! Must not know what they do.

use std::borrow::Cow;
use std::io::{self, Write};

use tempfile::TempPath;

/// Bytes of the longest argument that is given: Linux takes 128 KB, and each variable counts apart.
const ARGUMENT_MAX: usize = 120 << 10;

/// What a shell is given to run a script. The file, if there is one, goes with the second value, and must stay
/// until the shell has ended: some read it as they go.
pub(super) fn script_argument(script: &str) -> io::Result<(Cow<'_, str>, Option<TempPath>)> {
    if script.len() <= ARGUMENT_MAX {
        return Ok((Cow::Borrowed(script), None));
    }
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(script.as_bytes())?;
    let path = file.into_temp_path();
    let name =
        path.to_str().ok_or_else(|| io::Error::other("the folder for temporary files has no plain name"))?;
    Ok((Cow::Owned(format!(". {}", quote(name))), Some(path)))
}

/// As one word for a shell.
pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
