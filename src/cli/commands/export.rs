//! `bowline export`: writes a session as a document.
//!
//! Must not know how documents are made. An existing file is never overwritten.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args as Group;

use crate::base::error::Report;
use crate::cli::session_lookup::{find_session_file, open_session};
use crate::session::derived::export::{self, Format};

/// Which session becomes which document.
#[derive(Debug, Clone, Group)]
pub struct Export {
    /// The session: its id, how the id begins or ends, or its file
    pub session: String,
    /// The file to write; without it the document is printed
    pub file: Option<PathBuf>,
    /// The format; without it the ending of the file's name decides, then Markdown
    #[arg(long, value_name = "FORMAT", value_parser = ["md", "html", "jsonl"])]
    pub format: Option<String>,
}

/// Writes the document and returns a message with its path; without a file returns the document itself.
pub fn export(root: &Path, cwd: &Path, args: &Export) -> Result<String, Report> {
    let file = args.file.as_deref();
    let ending = file.and_then(Path::extension).map(|end| end.to_string_lossy().into_owned());
    let form = args.format.clone().or(ending).unwrap_or_else(|| "md".to_string());
    let Some(format) = Format::parse(&form) else {
        return Err(Report::new(format!("no such format: {form}"))
            .hint("--format md, html or jsonl, or a file whose name ends so"));
    };
    let session = open_session(&find_session_file(root, cwd, &args.session)?)?;
    let document = export::document(&session, format);
    let document = document.map_err(|error| Report::caused("cannot read the session", &error))?;
    let Some(file) = file else { return Ok(document.trim_end_matches('\n').to_string()) };
    let path = cwd.join(file);
    let failed = |error| Report::caused(format!("cannot write {}", path.display()), &error);
    // An existing file is kept: it may be anything.
    let made = std::fs::File::options().write(true).create_new(true).open(&path);
    made.and_then(|mut made| made.write_all(document.as_bytes())).map_err(failed)?;
    Ok(format!("{}: {} bytes", path.display(), document.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::sessions::tests::stored;

    #[test]
    fn export_writes_each_format_and_overwrites_nothing() {
        let root = tempfile::tempdir().unwrap();
        let session = stored(root.path());
        let out = tempfile::tempdir().unwrap();
        let make = |format: Option<&str>, file: Option<&str>| {
            let format = format.map(str::to_string);
            let wanted = Export { session: session.id().to_string(), file: file.map(PathBuf::from), format };
            export(root.path(), out.path(), &wanted)
        };
        let text = make(None, None).unwrap();
        assert!(
            text.contains("## You\n\nroot\n") && text.contains("right") && !text.contains("left"),
            "{text}"
        );
        assert!(make(None, Some("page.html")).unwrap().contains("page.html: "));
        let page = std::fs::read_to_string(out.path().join("page.html")).unwrap();
        // Every branch is in the page; the other one is not shown at first.
        assert!(page.contains("<article id=\"e-00000003\" class=\"person\" hidden>"), "{page}");
        assert!(page.contains("<article id=\"e-00000004\" class=\"person\"><header>"), "{page}");
        assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "{page}");
        let again = make(None, Some("page.html")).unwrap_err();
        assert!(again.to_string().contains("cannot write"), "{again}");
        make(Some("jsonl"), Some("copy.jsonl")).unwrap();
        let copy = open_session(&out.path().join("copy.jsonl")).unwrap();
        assert_eq!(copy.context(), session.context());
        assert!(make(None, Some("x.pdf")).unwrap_err().to_string().contains("no such format"));
    }
}
