//! A PDF document for a model: the text of the pages that it asked for, or words on why not.
//!
//! Must not know which tool asked, nor where the document is kept.

use super::pdf::extract::PageRequest;
use super::pdf::{pages, subprocess};
use crate::tools::contract::tool::Invocation;
use crate::tools::output::limits;

/// Largest document that is read, in bytes; the process that reads it has ten times as much memory.
const SIZE_MAX: u64 = 100 << 20;

/// What is wanted of a document.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Its name as the model wrote it.
    pub name: &'a str,
    /// The pages, as the model wrote them.
    pub pages: Option<&'a str>,
    /// Pages that it may have to be shown whole.
    pub whole: Option<usize>,
}

/// Why a document of this size is not even looked at.
pub fn too_large(name: &str, size: u64) -> Option<String> {
    (size > SIZE_MAX).then(|| {
        format!(
            "{name} is a PDF document of {}, too large to be read here. Use a shell command for a few of its pages: \
             pdftotext -f 1 -l 5 {name} -.",
            limits::size(size as usize)
        )
    })
}

/// The text; the error is for the model.
pub async fn text(call: &Invocation, asked: Asked<'_>, bytes: Vec<u8>) -> Result<String, String> {
    let range = asked.pages.map(pages::range).transpose()?;
    let (first, last) = range.unwrap_or((1, usize::MAX));
    let unless = asked.whole.filter(|_| range.is_none()).unwrap_or(usize::MAX);
    let program = call.shared.config.program.as_deref();
    let read = subprocess::read(program, bytes, PageRequest { first, last, unless }, &call.cancel).await;
    let paper = read.map_err(|trouble| pages::advice(asked.name, &trouble))?;
    if paper.pages > unless {
        return Err(format!(
            "{} has {} pages. Name those to show with pages, such as \"1-{}\": at most {} at a time.",
            asked.name,
            paper.pages,
            pages::PAGES_UNASKED,
            pages::PAGES_MAX
        ));
    }
    pages::text(asked.name, &paper)
}
