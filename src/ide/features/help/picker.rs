//! Picker of the sections of the documentation, found by their headings first and then by their words, with their text
//! beside the list.

use std::sync::Arc;

use futures::future::{BoxFuture, ready};

use crate::exec::Environment;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::layers::rank::{self, Names, rank};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::help::pages::{PAGES, Section, sections};

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "help",
    title: "Help",
    footer: "Enter open",
    preview: Some(|_, pick| {
        let section = pick.get::<Section>()?;
        let page = &PAGES[section.page];
        let target = PreviewTarget::made(page.file, page.file.to_string(), page_text);
        Some(PreviewTarget { line: Some(section.line), ..target })
    }),
    has_places: false,
    keeps_text: true,
    load: |_| RowSource::Rows(sections().into_iter().map(row).collect(), Vec::new()),
    letters: Some(|query, row| rank::letters(query, &row.text)),
    rank: Some(score),
    accept: |cx, pick, _| {
        if let Some(section) = pick.get() {
            open(cx, section);
        }
    },
    ..PickerSpec::EMPTY
};

/// Score of a section whose text has every word of the query, while the heading has not.
const IN_TEXT: u32 = 1;
/// What the words of the query count beside that where they follow each other, as in the query.
const PHRASE: u32 = 5;
/// What each word counts that the heading has.
const IN_HEADING: u32 = 10;

fn row(section: Section) -> PickRow {
    let title = sections_title(&section);
    PickRow {
        text: if section.level == 1 { title.to_string() } else { format!("{title}: {}", section.heading) },
        aliases: Vec::new(),
        group: None,
        detail: PAGES[section.page].file.to_string(),
        pick: Pick::new(section),
    }
}

/// Returns the title of the page of a section: its first line.
fn sections_title(section: &Section) -> &'static str {
    PAGES[section.page].text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
}

fn score(query: &str, row: &PickRow) -> Option<u32> {
    let titled = rank(query, &Names { title: &row.text, ..Names::default() });
    titled.map(|found| found.score + IN_TEXT).or_else(|| {
        let text = row.pick.get::<Section>()?.text().to_lowercase();
        let (query, heading) = (query.to_lowercase(), row.text.to_lowercase());
        let words = || query.split_whitespace();
        let in_heading = words().filter(|word| heading.contains(word)).count() as u32 * IN_HEADING;
        let phrase = if text.contains(query.trim()) { PHRASE } else { 0 };
        words().all(|word| text.contains(word)).then_some(IN_TEXT + in_heading + phrase)
    })
}

/// Returns the text of a page.
fn page_text(_: Arc<dyn Environment>, file: String) -> BoxFuture<'static, Result<String, String>> {
    let page = PAGES.iter().find(|page| page.file == file).map(|page| page.text.to_string());
    Box::pin(ready(page.ok_or(file)))
}

/// Opens the page of a section in the editor, at the section.
fn open(cx: &mut Cx<'_>, section: &Section) {
    let page = &PAGES[section.page];
    cx.state.note_jump();
    cx.state.buffers.open_builtin(page.file, "Help pages are read-only", page.text);
    let tab_width = cx.state.tab_width();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.place_cursor((section.line, 1), tab_width);
        // The heading comes first on the screen, and its section below.
        buffer.area.per_view.view.top = buffer.area.caret();
    }
    panes::focus(cx, Focus::Editor);
    cx.state.damage.add_all();
}
