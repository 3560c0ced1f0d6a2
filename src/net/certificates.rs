//! Certificate authorities that a user trusts in addition to the system's: PEM files, as companies with a
//! TLS-inspecting proxy provide them.
//!
//! Must not know where the file names come from.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::NetError;

/// Maximum bytes of one file: all public authorities together take 250 KB.
const BYTES_MAX: u64 = 8 << 20;

/// The files, each with the setting that names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    files: Vec<(String, PathBuf)>,
}

impl Roots {
    /// Adds a file; `said_by` is the setting that a user must correct if the file is unusable.
    #[must_use]
    pub fn with(mut self, said_by: &str, path: PathBuf) -> Self {
        self.files.push((said_by.to_string(), path));
        self
    }

    /// Returns all certificates. Reads files. Fails on any unusable file: continuing without it would fail
    /// later, with a less helpful error.
    pub(super) fn read(&self) -> Result<Vec<reqwest::Certificate>, NetError> {
        let mut all = Vec::new();
        for (said_by, path) in &self.files {
            let certificates = read(path).map_err(|what| {
                let path = path.display();
                NetError::Setup(format!("{path}, which {said_by} names, {what} (correct {said_by})"))
            })?;
            all.extend(certificates);
        }
        Ok(all)
    }
}

fn read(path: &Path) -> Result<Vec<reqwest::Certificate>, String> {
    let cannot = |error| format!("cannot be read: {error}");
    let mut text = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(BYTES_MAX + 1).read_to_end(&mut text).map_err(cannot)?;
    if text.len() as u64 > BYTES_MAX {
        return Err(format!("is larger than {BYTES_MAX} bytes"));
    }
    match reqwest::Certificate::from_pem_bundle(&text) {
        Ok(certificates) if certificates.is_empty() => Err("holds no certificate in PEM form".to_string()),
        Ok(certificates) => Ok(certificates),
        Err(_) => Err("holds a certificate that cannot be read".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_unusable_file_error_names_setting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ca.pem");
        let said = || Roots::default().with("`ca-file`", path.clone()).read().unwrap_err().to_string();
        let missing = said();
        assert!(missing.contains("ca.pem, which `ca-file` names, cannot be read"), "{missing}");
        assert!(missing.ends_with("(correct `ca-file`)"), "{missing}");
        std::fs::write(&path, "no certificate").unwrap();
        assert!(said().contains("holds no certificate in PEM form"), "{}", said());
        std::fs::write(&path, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n").unwrap();
        assert!(said().contains("holds a certificate that cannot be read"), "{}", said());
        let endless = Roots::default().with("`ca-file`", "/dev/zero".into()).read().unwrap_err().to_string();
        assert!(!cfg!(unix) || endless.contains("is larger than"), "{endless}");
        assert!(Roots::default().read().unwrap().is_empty());
    }
}
