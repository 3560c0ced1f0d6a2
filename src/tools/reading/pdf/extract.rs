//! A document's pages as text.
//!
//! Must not know files nor processes. The library that reads documents decodes a stream whole, however
//! large it becomes: who has no limit of memory around this gives it documents that he trusts.

use hayro_syntax::page::Page as Leaf;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use serde::{Deserialize, Serialize};

use super::content::{Fonts, Glyph, Reader};
use super::lines::Lines;
use super::matrix::Matrix;

/// Bytes of text after which no further page is read.
const TEXT_MAX: usize = 8 << 20;
/// Operators of a page; a map of a city has a hundred thousand.
const OPERATORS_MAX: usize = 4_000_000;

/// Which pages, from 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// The first.
    pub first: usize,
    /// The last; the document's, where there are fewer.
    pub last: usize,
    /// Pages that a document may have to be read without being asked for these.
    pub unless: usize,
}

/// What was read.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paper {
    /// Pages of the whole document.
    pub pages: usize,
    /// Those that were asked for, in their order.
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
    /// Glyphs whose meaning is unknown.
    pub unknown: usize,
    /// All glyphs.
    pub glyphs: usize,
    /// Whether it has a picture.
    pub picture: bool,
    /// Whether something was left out because there was too much of it.
    pub cut: bool,
}

/// Why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trouble {
    /// It is damaged.
    Damaged,
    /// A password is needed.
    Password,
    /// It is encrypted in a way that is not supported.
    Cipher,
    /// It took too long.
    Slow,
    /// Reading it took too much memory, or came upon something unforeseen.
    Overwhelmed,
    /// Nobody waits for it any more.
    Interrupted,
    /// What was to read it cannot be started or does not answer, in words.
    Reader(String),
}

/// Reads some pages. `stop` says that it is time to end.
pub fn read(bytes: Vec<u8>, wanted: PageRequest, stop: &dyn Fn() -> bool) -> Result<Paper, Trouble> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Trouble::Password,
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => Trouble::Cipher,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => Trouble::Damaged,
    })?;
    let pages = pdf.pages();
    let mut paper = Paper { pages: pages.len(), ..Paper::default() };
    if pages.is_empty() {
        return Err(Trouble::Damaged);
    }
    if pages.len() > wanted.unless {
        return Ok(paper);
    }
    let (mut fonts, mut length) = (Fonts::new(), 0);
    let some = pages.iter().enumerate().take(wanted.last).skip(wanted.first.saturating_sub(1));
    for (at, leaf) in some {
        if length > TEXT_MAX {
            paper.cut = true;
            break;
        }
        let page = page(leaf, at + 1, &mut fonts, stop);
        if stop() {
            return Err(Trouble::Slow);
        }
        length += page.text.len();
        paper.shown.push(page);
    }
    Ok(paper)
}

fn page(leaf: &Leaf<'_>, number: usize, fonts: &mut Fonts, stop: &dyn Fn() -> bool) -> Page {
    let mut lines = Lines::default();
    let mut sink = |glyph: Glyph<'_>| lines.add(glyph);
    let mut reader = Reader { fonts, sink: &mut sink, stop, left: OPERATORS_MAX, pictures: false };
    if let Some(content) = leaf.page_stream() {
        reader.follow(content, leaf.resources(), Matrix::IDENTITY);
    }
    let (picture, cut) = (reader.pictures, reader.left == 0);
    let told = lines.finish();
    Page { number, text: told.text, unknown: told.unknown, glyphs: told.glyphs, picture, cut }
}
