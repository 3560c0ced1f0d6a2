//! Reads a PDF document for a model: the text of the requested pages, or an error.
//!
//! Must not know which tool requested it, nor where the document is stored.

use super::pdf::extract::PageRequest;
use super::pdf::{pages, subprocess};
use crate::tools::contract::tool::Invocation;
use crate::tools::output::limits;

/// Maximum bytes of a document; the process that reads it may use ten times as much memory.
const SIZE_MAX: u64 = 100 << 20;

/// The requested part of a document.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRequest<'a> {
    /// Its name as the model wrote it.
    pub name: &'a str,
    /// The pages, as the model wrote them.
    pub pages: Option<&'a str>,
    /// Maximum number of pages for reading it in full.
    pub whole_max: Option<usize>,
}

/// Returns the error for a document above the size limit.
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
pub async fn text(call: &Invocation, request: DocumentRequest<'_>, bytes: Vec<u8>) -> Result<String, String> {
    let range = request.pages.map(pages::parse_range).transpose()?;
    let (first, last) = range.unwrap_or((1, usize::MAX));
    let unless = request.whole_max.filter(|_| range.is_none()).unwrap_or(usize::MAX);
    let program = call.shared.config.program.as_deref();
    let read = subprocess::read(program, bytes, PageRequest { first, last, unless }, &call.cancel).await;
    let paper = read.map_err(|error| pages::advice(request.name, &error))?;
    if paper.pages > unless {
        return Err(format!(
            "{} has {} pages. Name those to show with pages, such as \"1-{}\": at most {} at a time.",
            request.name,
            paper.pages,
            pages::PAGES_WHOLE_MAX,
            pages::PAGES_MAX
        ));
    }
    pages::text(request.name, &paper)
}
