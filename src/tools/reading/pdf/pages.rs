//! Page ranges and page output for a model: with headings that it can cite, a limited number at a time.
//!
//! Pure. The limits are Claude Code's, whose models one family serves.

use super::extract::{Document, Page, PdfError};
use crate::base::plural::pluralize;

/// Maximum number of pages per call.
pub const PAGES_MAX: usize = 20;
/// Maximum number of pages for reading a document in full in families that can request pages.
pub const PAGES_WHOLE_MAX: usize = 10;

/// Parses the first and last page of a range: `3`, `1-5`, or `7-` for as many as a call allows.
pub fn parse_range(range: &str) -> Result<(usize, usize), String> {
    let wrong = || {
        format!("\"{range}\" names no pages. Write \"3\" or \"1-5\": numbers from 1, the smaller one first.")
    };
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
    let (first, last) = match range.split_once('-') {
        None => number(range).map(|page| (page, page)),
        Some((first, last)) if last.trim().is_empty() => {
            number(first).map(|first| (first, first.saturating_add(PAGES_MAX - 1)))
        }
        Some((first, last)) => number(first).zip(number(last)),
    }
    .filter(|(first, last)| first <= last)
    .ok_or_else(wrong)?;
    if last - first >= PAGES_MAX {
        return Err(format!(
            "These are {} pages; at most {PAGES_MAX} can be shown at a time. Ask for \"{first}-{}\" first.",
            last - first + 1,
            first.saturating_add(PAGES_MAX - 1)
        ));
    }
    Ok((first, last))
}

/// Returns the pages joined. `name` is the document's; the error is for the model.
pub fn text(name: &str, paper: &Document) -> Result<String, String> {
    let page_count = paper.pages;
    if paper.shown.is_empty() {
        return Err(format!("{name} has {}. Ask for some of these.", pluralize(page_count, "page", "pages")));
    }
    if paper.shown.iter().all(|page| page.text.is_empty()) {
        return Err(no_text(name, paper));
    }
    let mut out = String::new();
    for page in &paper.shown {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("--- Page {} of {page_count} ---\n", page.number));
        out.push_str(&page.text);
        if !page.text.is_empty() {
            out.push('\n');
        }
        for note in notes(page) {
            out.push_str(&format!("[{note}]\n"));
        }
    }
    if let Some(last) = paper.shown.last().filter(|_| paper.cut) {
        out.push_str(&format!(
            "\n[The text is too long to be taken out whole. Pages {}-{page_count} are left out; a shell command may have them, \
             pdftotext -f {} for one.]\n",
            last.number + 1,
            last.number + 1
        ));
    }
    Ok(out)
}

fn notes(page: &Page) -> Vec<String> {
    let mut notes = Vec::new();
    if page.text.is_empty() {
        let only = if page.picture {
            "There is no text on this page, only a picture."
        } else {
            "This page is empty."
        };
        notes.push(only.to_string());
    }
    if page.unknown > 0 {
        notes.push(format!(
            "{} of {} characters have no meaning in their font; they are shown as \u{fffd}.",
            page.unknown, page.glyphs
        ));
    }
    if page.cut {
        notes.push("There is more on this page than can be read; the rest is left out.".to_string());
    }
    notes
}

fn no_text(name: &str, paper: &Document) -> String {
    let (first, last) = (paper.shown[0].number, paper.shown[paper.shown.len() - 1].number);
    let which = match (paper.pages == paper.shown.len(), first == last) {
        (true, _) => format!("{name} has {} and no text", pluralize(paper.pages, "page", "pages")),
        (false, true) => format!("Page {first} of {name} has no text"),
        (false, false) => format!("Pages {first}-{last} of {name} have no text"),
    };
    if paper.shown.iter().any(|page| page.picture) {
        return format!(
            "{which}, only pictures. Turn pages into pictures with a shell command and look at those: \
             pdftoppm -png -r 100 -f {first} -l {first} FILE page."
        );
    }
    format!("{which}.")
}

/// Returns the error message for a document, with advice for the model.
pub fn advice(name: &str, error: &PdfError) -> String {
    match error {
        PdfError::Damaged => format!(
            "{name} is a damaged PDF document: no pages can be found in it. Look for another copy, or try to mend it \
             with a shell command, qpdf {name} OUT or mutool clean {name} OUT."
        ),
        PdfError::Password => format!(
            "{name} is encrypted, and a password is needed to read it. Ask the person for it, or for a copy without \
             one; qpdf --password=… --decrypt {name} OUT makes one."
        ),
        PdfError::Cipher => format!(
            "{name} is encrypted in a way that is not known here. Ask the person for a copy that is not."
        ),
        PdfError::Slow => format!(
            "{name} takes too long to be read. Use a shell command for a few of its pages: pdftotext -f 1 -l 5 {name} -."
        ),
        PdfError::Overwhelmed => format!(
            "{name} cannot be read: it is damaged, or made to use up memory. Use a shell command to take its text out, \
             pdftotext for one."
        ),
        PdfError::Interrupted => "Interrupted.".to_string(),
        PdfError::Reader(error_text) => format!(
            "{name} cannot be read, because what reads PDF documents does not work: {error_text}. Use a shell command to take \
             its text out, pdftotext for one."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdf_page_ranges_are_parsed_and_limited() {
        assert_eq!(
            (parse_range("3"), parse_range(" 1 - 5 "), parse_range("7-")),
            (Ok((3, 3)), Ok((1, 5)), Ok((7, 26)))
        );
        for wrong in ["", "0", "-", "5-3", "-3", "a", "1,3", "1-2-3", "99999999999999999999"] {
            assert!(parse_range(wrong).is_err_and(|why| why.contains("names no pages")), "{wrong}");
        }
        assert_eq!(parse_range("1-20"), Ok((1, 20)));
        let why = parse_range("5-25").unwrap_err();
        assert_eq!(why, "These are 21 pages; at most 20 can be shown at a time. Ask for \"5-24\" first.");
        let most = usize::MAX;
        assert_eq!(parse_range(&format!("{most}-")), Ok((most, most)));
    }

    fn page(number: usize, text: &str) -> Page {
        Page { number, text: text.into(), ..Page::default() }
    }

    #[test]
    fn pdf_pages_have_headings_and_notes() {
        let odd = Page { unknown: 3, glyphs: 9, cut: true, ..page(4, "\u{fffd}") };
        let shown = vec![page(2, "two\nlines"), Page { picture: true, ..page(3, "") }, odd, page(5, "")];
        let told = text("a.pdf", &Document { pages: 9, shown, cut: true }).unwrap();
        assert_eq!(
            told,
            "--- Page 2 of 9 ---\ntwo\nlines\n\n--- Page 3 of 9 ---\n[There is no text on this page, only a picture.]\n\n\
             --- Page 4 of 9 ---\n\u{fffd}\n[3 of 9 characters have no meaning in their font; they are shown as \u{fffd}.]\n\
             [There is more on this page than can be read; the rest is left out.]\n\n\
             --- Page 5 of 9 ---\n[This page is empty.]\n\n[The text is too long to be taken out whole. Pages 6-9 are left \
             out; a shell command may have them, pdftotext -f 6 for one.]\n"
        );
    }

    #[test]
    fn pdf_without_text_is_refused() {
        let blank = |pages, numbers: &[usize], picture| {
            let shown = numbers.iter().map(|number| Page { picture, ..page(*number, "") }).collect();
            text("a.pdf", &Document { pages, shown, cut: false }).unwrap_err()
        };
        assert!(blank(1, &[1], true).starts_with("a.pdf has 1 page and no text, only pictures. Turn pages"));
        assert_eq!(blank(2, &[1, 2], false), "a.pdf has 2 pages and no text.");
        assert!(blank(9, &[3, 4], true).starts_with("Pages 3-4 of a.pdf have no text, only pictures."));
        assert_eq!(blank(9, &[3], false), "Page 3 of a.pdf has no text.");
        assert_eq!(blank(3, &[], false), "a.pdf has 3 pages. Ask for some of these.");
    }
}
