//! Scripts longer than an argument may be: the shell reads them from a file.
//!
//! Must not know their content.

use std::borrow::Cow;
use std::io::{self, Write};

use tempfile::TempPath;

/// Maximum bytes of an argument: Linux accepts 128 KB, and each variable counts separately.
const ARGUMENT_MAX: usize = 120 << 10;

/// Returns the argument for a shell to run a script. The file, if there is one, is deleted with the second
/// value, which must live until the shell has ended: some read it while they run.
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

/// Returns a program with its arguments as a script that becomes this program: each word is taken literally.
pub fn exec_script(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
    format!("exec {}", words.join(" "))
}

/// Quotes a text as one word for a shell.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exec_script_quotes_shell_metacharacters() {
        let words = ["/p q/it's", "$(rm -rf /)", "a b", ""].map(String::from);
        assert_eq!(exec_script(&words), r"exec '/p q/it'\''s' '$(rm -rf /)' 'a b' ''");
        assert_eq!(exec_script(&["sort".to_string()]), "exec 'sort'");
    }
}
