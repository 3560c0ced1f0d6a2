//! Extracts the text of a document's pages.
//!
//! Must not know files nor processes. The PDF library decodes a stream completely, however large it becomes:
//! without a memory limit, use it only for trusted documents.

use hayro_syntax::page::Page as Leaf;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use serde::{Deserialize, Serialize};

use super::content::{Fonts, Glyph, Reader};
use super::lines::Lines;
use super::matrix::Matrix;

/// Maximum bytes of text, after which no further page is read.
const TEXT_MAX: usize = 8 << 20;
/// Maximum operators of a page; a city map has a hundred thousand.
const OPERATORS_MAX: usize = 4_000_000;

/// Which pages, from 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// The first.
    pub first: usize,
    /// The last page; limited to the document's.
    pub last: usize,
    /// Maximum number of pages for reading a document without a requested range.
    pub unless: usize,
}

/// The result.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Number of pages of the whole document.
    pub pages: usize,
    /// The requested pages, in order.
    pub shown: Vec<Page>,
    /// Whether some are missing because the text became too long.
    pub cut: bool,
}

/// One page.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Which, from 1.
    pub number: usize,
    /// Its lines.
    pub text: String,
    /// Number of glyphs with unknown text.
    pub unknown: usize,
    /// All glyphs.
    pub glyphs: usize,
    /// Whether it has an image.
    pub picture: bool,
    /// Whether text was dropped because of a limit.
    pub cut: bool,
}

/// Why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PdfError {
    /// The document is damaged.
    Damaged,
    /// A password is needed.
    Password,
    /// Its encryption is not supported.
    Cipher,
    /// Timed out.
    Slow,
    /// Out of memory, or an unexpected error in the library.
    Overwhelmed,
    /// Cancelled.
    Interrupted,
    /// The subprocess cannot be started or does not answer; the reason.
    Reader(String),
}

/// Reads pages. `stop` returns whether to stop.
pub fn read(bytes: Vec<u8>, request: PageRequest, stop: &dyn Fn() -> bool) -> Result<Document, PdfError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Password,
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => PdfError::Cipher,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => PdfError::Damaged,
    })?;
    let pages = pdf.pages();
    let mut paper = Document { pages: pages.len(), ..Document::default() };
    if pages.is_empty() {
        return Err(PdfError::Damaged);
    }
    if pages.len() > request.unless {
        return Ok(paper);
    }
    let (mut fonts, mut length) = (Fonts::new(), 0);
    let some = pages.iter().enumerate().take(request.last).skip(request.first.saturating_sub(1));
    for (at, leaf) in some {
        if length > TEXT_MAX {
            paper.cut = true;
            break;
        }
        let page = page(leaf, at + 1, &mut fonts, stop);
        if stop() {
            return Err(PdfError::Slow);
        }
        length += page.text.len();
        paper.shown.push(page);
    }
    Ok(paper)
}

fn page(leaf: &Leaf<'_>, number: usize, fonts: &mut Fonts, stop: &dyn Fn() -> bool) -> Page {
    let mut lines = Lines::default();
    let mut sink = |glyph: Glyph<'_>| lines.add(glyph);
    let mut reader = Reader { fonts, sink: &mut sink, stop, operators_left: OPERATORS_MAX, pictures: false };
    if let Some(content) = leaf.page_stream() {
        reader.follow(content, leaf.resources(), Matrix::IDENTITY);
    }
    let (picture, cut) = (reader.pictures, reader.operators_left == 0);
    let extracted = lines.finish();
    Page { number, text: extracted.text, unknown: extracted.unknown, glyphs: extracted.glyphs, picture, cut }
}
