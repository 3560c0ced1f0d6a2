//! `bowline theme convert`: reads a theme of another program and writes one of ours.
//!
//! Must not know the formats. An existing file is replaced only with `--force`.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::Args as Group;

use crate::base::error::Report;
use crate::cli::process::{FAILED, OK, USAGE, print_error, stdout, write_out};
use crate::cli::setup::{Process, Setup};
use crate::tui::theme::Theme;
use crate::tui::theme::choice::AUTO;
use crate::tui::theme::contrast::{ENOUGH, low_contrasts};
use crate::tui::theme::import::theme_file::SIZE_MAX;
use crate::tui::theme::import::{Conversion, convert};

/// Which theme, and where to.
#[derive(Debug, Clone, Group)]
pub struct Convert {
    /// The theme: TOML of Helix, JSON of VS Code or pi
    pub file: PathBuf,
    /// Save it among your themes, under this name
    #[arg(long, value_name = "NAME", group = "target")]
    pub name: Option<String>,
    /// Write it to this file; without this and --name it is printed
    #[arg(short, long, value_name = "FILE", group = "target")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "target")]
    pub force: bool,
}

/// Lines of each kind of notice.
const NOTICES_MAX: usize = 8;
/// Names in the line of those that have no counterpart.
const NAMES_MAX: usize = 6;

/// Converts the theme; what was lost goes to standard error. Returns the exit code.
pub fn run(setup: &Setup, process: &Process, request: &Convert) -> Result<i32, (i32, Report)> {
    let target = target(setup, process, request).map_err(|report| (USAGE, report))?;
    let file = request.file.display().to_string();
    let text = read_theme(&process.cwd.join(&request.file))
        .map_err(|error| (FAILED, Report::caused(format!("cannot read {file}"), &error)))?;
    let read = |from: &str, reference: &str| read_reference(&process.cwd, from, reference);
    let conversion =
        convert(&file, &text, &read).map_err(|error| (FAILED, Report::new(error.to_string())))?;
    let theme = Theme::parse(&file, &conversion.text)
        .map_err(|error| (FAILED, Report::caused("the converted theme cannot be used", &error)))?;
    let notices = notices(&conversion, &theme);
    let answer = match &target {
        None => conversion.text,
        Some(path) => {
            write_theme(path, &conversion.text, request).map_err(|report| (FAILED, report))?;
            let usage = request.name.as_ref().map(|name| format!("; use it: theme = \"{name}\""));
            format!("Wrote {}{}\n", path.display(), usage.unwrap_or_default())
        }
    };
    for notice in notices {
        print_error(&Report::new(notice));
    }
    write_out(&answer, &mut *stdout()).map(|()| OK)
}

/// Returns the file to write; `None` if the theme is printed.
fn target(setup: &Setup, process: &Process, request: &Convert) -> Result<Option<PathBuf>, Report> {
    let Some(name) = &request.name else {
        return Ok(request.output.as_ref().map(|path| process.cwd.join(path)));
    };
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_' || c == '.');
    if name.is_empty() || !is_word || name.starts_with('.') || name == AUTO {
        return Err(Report::new(format!("{name:?} is no name for a theme"))
            .hint("use letters, digits, - and _, but not `auto`"));
    }
    Ok(Some(setup.home.config.join("themes").join(format!("{name}.toml"))))
}

/// Reads the text of a theme, not more of it than a theme may have.
fn read_theme(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(SIZE_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > SIZE_MAX {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, "larger than 10 MB; a theme is not"));
    }
    String::from_utf8(bytes).map_err(|_| std::io::Error::new(ErrorKind::InvalidData, "not text in UTF-8"))
}

/// Reads a theme that another one inherits or includes, by a path relative to that one.
fn read_reference(cwd: &Path, from: &str, reference: &str) -> Result<(String, String), String> {
    let path = Path::new(from).parent().unwrap_or(Path::new("")).join(reference);
    let text = read_theme(&cwd.join(&path))
        .map_err(|error| format!("cannot read {}: {error}; put this theme there", path.display()))?;
    Ok((path.display().to_string(), text))
}

/// Writes the file, whole or not at all.
fn write_theme(path: &Path, text: &str, request: &Convert) -> Result<(), Report> {
    let failed = |error: &std::io::Error| Report::caused(format!("cannot write {}", path.display()), error);
    // With --force a link stays one: its target is replaced.
    let path =
        if request.force { &*path.canonicalize().unwrap_or_else(|_| path.to_path_buf()) } else { path };
    let folder = path.parent().unwrap_or(Path::new("/"));
    if request.name.is_some() {
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let mut builder = tempfile::Builder::new();
    let temporary = builder.permissions(Permissions::from_mode(0o666)).tempfile_in(folder);
    let mut temporary = temporary.map_err(|error| failed(&error))?;
    let written = temporary.write_all(text.as_bytes()).and_then(|()| temporary.as_file().sync_all());
    written.map_err(|error| failed(&error))?;
    let moved = if request.force { temporary.persist(path) } else { temporary.persist_noclobber(path) };
    moved.map(drop).map_err(|error| match error.error.kind() {
        ErrorKind::AlreadyExists => {
            Report::new(format!("{} exists", path.display())).hint("--force replaces it")
        }
        _ => failed(&error.error),
    })
}

/// Returns what the user should know, one line each.
fn notices(conversion: &Conversion, theme: &Theme) -> Vec<String> {
    let mut low: Vec<(String, f64)> = Vec::new();
    for found in low_contrasts(theme, ENOUGH) {
        match low.last_mut().filter(|(scope, _)| *scope == found.scope) {
            Some((_, ratio)) => *ratio = ratio.min(found.ratio),
            None => low.push((found.scope, found.ratio)),
        }
    }
    let low = low.iter().map(|(scope, ratio)| format!("low contrast: {scope} {ratio:.1}:1")).collect();
    let mut notices = Vec::new();
    for lines in [conversion.problems.clone(), low] {
        let more = lines.len().saturating_sub(NOTICES_MAX);
        notices.extend(lines.into_iter().take(NOTICES_MAX));
        notices.extend((more > 0).then(|| format!("and {more} more of this kind")));
    }
    let unmapped = &conversion.unmapped;
    if !unmapped.is_empty() {
        let rest = if unmapped.len() > NAMES_MAX { ", …" } else { "" };
        let names = unmapped.iter().take(NAMES_MAX).cloned().collect::<Vec<_>>().join(", ");
        notices.push(format!("no counterpart for {}: {names}{rest}", unmapped.len()));
    }
    notices
}
