//! Which session files there are. Reads first lines only.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::folder;
use super::load::HEADER_BYTES_MAX;
use crate::session::header::Header;

/// The session of a working folder that was changed last. Files that cannot be read are passed over.
pub fn latest(root: &Path, cwd: &Path) -> Option<PathBuf> {
    let cwd_text = cwd.to_string_lossy();
    let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder(root, cwd))
        .ok()?
        .filter_map(|item| {
            let path = item.ok()?.path();
            let changed = fs::metadata(&path).and_then(|facts| facts.modified()).ok()?;
            path.extension().is_some_and(|end| end == "jsonl").then_some((changed, path))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().rev().map(|(_, path)| path).find(|path| {
        // Different folders can share a name, since separators become dashes.
        read_header(path).is_some_and(|header| header.cwd == cwd_text)
    })
}

/// The header of a file, if it is a session that can be read.
pub fn read_header(path: &Path) -> Option<Header> {
    let mut line = String::new();
    let mut file = BufReader::new(File::open(path).ok()?.take(HEADER_BYTES_MAX));
    file.read_line(&mut line).ok()?;
    let line = line.trim_end_matches(['\n', '\r']);
    Header::parse(line.strip_prefix('\u{feff}').unwrap_or(line)).ok()
}
