//! The pages of the documentation for users, and their sections. Must not know how they are shown.

use std::ops::Range;

/// A page of the documentation.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// Its file name.
    pub file: &'static str,
    /// Its text in Markdown.
    pub text: &'static str,
}

/// Defines a page of `docs/`.
macro_rules! page {
    ($file:literal) => {
        Page { file: $file, text: include_str!(concat!("../../../../docs/", $file)) }
    };
}

/// The pages, those of daily work first.
pub static PAGES: &[Page] = &[
    page!("keys.md"),
    page!("sessions.md"),
    page!("review.md"),
    page!("checkpoints.md"),
    page!("permissions.md"),
    page!("agent-settings.md"),
    page!("providers.md"),
    page!("openai.md"),
    page!("profiles.md"),
    page!("tools.md"),
    page!("compaction.md"),
    page!("pickers.md"),
    page!("terminal.md"),
    page!("lsp.md"),
    page!("images.md"),
    page!("settings.md"),
    page!("themes.md"),
    page!("vim.md"),
    page!("helix.md"),
    page!("plugins.md"),
    page!("accessible.md"),
    page!("doctor.md"),
];

/// Number of `#` of the deepest headings that begin a section of their own.
const LEVEL_MAX: usize = 2;

/// A section of a page: a heading and the text up to the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The page's index in the table.
    pub page: usize,
    /// Its heading.
    pub heading: &'static str,
    /// Number of the heading's `#`.
    pub level: usize,
    /// Line of the heading, from 1.
    pub line: usize,
    /// Bytes of the section in the page's text.
    pub range: Range<usize>,
}

impl Section {
    /// Returns its text with the heading.
    pub fn text(&self) -> &'static str {
        &PAGES[self.page].text[self.range.clone()]
    }
}

/// Returns all sections in the order of the pages.
pub fn sections() -> Vec<Section> {
    PAGES.iter().enumerate().flat_map(|(page, Page { text, .. })| sections_of(page, text)).collect()
}

/// Returns the sections of a page. What looks like a heading within a block of code is none.
fn sections_of(page: usize, text: &'static str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let (mut start, mut in_code) = (0, false);
    for (line, row) in (1..).zip(text.split_inclusive('\n')) {
        in_code ^= row.trim_start().starts_with("```");
        let hashes = row.len() - row.trim_start_matches('#').len();
        let heading =
            row[hashes..].strip_prefix(' ').filter(|_| (1..=LEVEL_MAX).contains(&hashes) && !in_code);
        if let Some(heading) = heading {
            if let Some(last) = sections.last_mut() {
                last.range.end = start;
            }
            let range = start..text.len();
            sections.push(Section { page, heading: heading.trim(), level: hashes, line, range });
        }
        start += row.len();
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_sections_hold_every_page_once_and_in_order() {
        for (number, page) in PAGES.iter().enumerate() {
            let sections = sections_of(number, page.text);
            let text: String = sections.iter().map(Section::text).collect();
            assert_eq!(text, page.text, "{} begins with a heading", page.file);
            assert_eq!((sections[0].level, sections[0].line), (1, 1), "{}", page.file);
            assert!(sections[1..].iter().all(|section| section.level > 1), "{} has one title", page.file);
            for section in &sections {
                let line = page.text.lines().nth(section.line - 1).unwrap();
                assert!(line.ends_with(section.heading), "{}:{}", page.file, section.line);
            }
        }
    }

    #[test]
    fn help_headings_in_code_are_none() {
        let text = "# A\n```\n# no\n```\n## B `x`\n### C\n#no\ntext";
        let found: Vec<_> = sections_of(0, text).into_iter().map(|s| (s.heading, s.level, s.line)).collect();
        assert_eq!(found, [("A", 1, 1), ("B `x`", 2, 5)]);
    }

    #[test]
    fn help_has_every_page_for_users() {
        let index = include_str!("../../../../docs/README.md");
        let users = index.split("**Users**").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
        for file in users.split("](").skip(1).filter_map(|link| link.split(')').next()) {
            assert!(PAGES.iter().any(|page| page.file == file), "{file} is not in the help");
        }
    }
}
