//! Matches in a selection-first key map: filtering selections by a pattern, and the next search match. For
//! much text a task searches.

use std::ops::Range as ByteRange;

use crate::ide::core::context::Cx;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::editor::modal::background;
use crate::ide::editor::modal::cursors::set_selection;
use crate::ide::editor::modal::helix::is_extending;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::search::{Needle, SearchOptions};
use crate::text::selection::{Range, Selection};

/// What to do with the matches in the selections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternAction {
    /// Each becomes a selection.
    Select,
    /// Select the text between them.
    Split,
    /// Keep the selections with a match.
    Keep,
    /// Remove the selections with a match.
    Remove,
}

/// Opens the prompt for a pattern.
pub fn ask_pattern(cx: &mut Cx<'_>, how: PatternAction) {
    let title = match how {
        PatternAction::Select => "select",
        PatternAction::Split => "Split on",
        PatternAction::Keep => "Keep matching",
        PatternAction::Remove => "Remove matching",
    };
    Prompt::new(title, move |cx, pattern| apply_pattern(cx, &pattern, how)).open(cx);
}

/// Picks by a pattern.
fn apply_pattern(cx: &mut Cx<'_>, pattern: &str, pick: PatternAction) {
    let how = SearchOptions { regex: true, word: false, case: cx.state.search.options.case };
    let needle = match Needle::new(pattern, how) {
        Ok(Some(needle)) => needle,
        Ok(None) => return,
        Err(error) => return cx.state.set_error(format!("Invalid search `{pattern}`: {error}")),
    };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, selection) = (buffer.area.text().clone(), buffer.area.selection.clone());
    let bytes: usize = selection.ranges().iter().map(|range| range.end() - range.start()).sum();
    let work = move || -> background::Followup {
        let ranges = matching_ranges(&text, &selection, &needle, pick);
        if ranges.is_empty() {
            return Box::new(|_| Err("Nothing left to select".to_string()));
        }
        let selection = Selection::new(ranges, 0);
        Box::new(move |cx| {
            let count = selection.ranges().len();
            set_selection(cx, selection);
            cx.state.set_status(format!("{count} selections"));
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cx.state.set_error(problem);
    }
}

/// Returns the selection after applying the matches.
fn matching_ranges(text: &Text, selection: &Selection, needle: &Needle, pick: PatternAction) -> Vec<Range> {
    let mut ranges = Vec::new();
    for range in selection.ranges() {
        let mut found = needle.matches(text, range.span()).filter(|found| !found.is_empty());
        if pick == PatternAction::Keep || pick == PatternAction::Remove {
            if found.next().is_some() == (pick == PatternAction::Keep) {
                ranges.push(*range);
            }
        } else if pick == PatternAction::Select {
            ranges.extend(found.map(|found| Range::new(found.start, found.end)));
        } else {
            let mut from = range.start();
            for found in found {
                ranges.push(Range::new(from, found.start));
                from = found.end;
            }
            ranges.push(Range::new(from, range.end()));
        }
    }
    ranges.retain(|range| pick != PatternAction::Split || !range.is_empty());
    ranges
}

/// Selects the next or previous match of the last search. A near match is found at once; a task searches the
/// rest.
pub fn search_next(cx: &mut Cx<'_>, forward: bool) {
    let Some(pattern) = cx.state.search.last.clone() else {
        return cx.state.set_status("No search yet");
    };
    let how = cx.state.search.options;
    let Ok(Some(needle)) = Needle::new(&pattern, how) else { return };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, primary) = (buffer.area.text().clone(), buffer.area.selection.primary());
    let far = text.char_floor((primary.end() + background::INLINE_MAX).min(text.end()));
    let near = forward.then(|| needle.matches(&text, primary.end()..far).next()).flatten();
    if near.is_some() {
        return on_found(cx, needle, near);
    }
    let bytes = text.end().0;
    let work = move || -> background::Followup {
        let found = if forward {
            needle.find_wrapping(&text, primary.end())
        } else {
            needle.find_back(&text, primary.start())
        };
        Box::new(move |cx| {
            on_found(cx, needle, found);
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cx.state.set_error(problem);
    }
}

fn on_found(cx: &mut Cx<'_>, needle: Needle, found: Option<ByteRange<Byte>>) {
    let Some(found) = found else { return cx.state.set_status("No match") };
    cx.state.search.highlight = Some(needle);
    cx.state.note_jump();
    let extend = is_extending(cx);
    let Some(buffer) = cx.state.buffers.current() else { return };
    let range = Range::new(found.start, found.end);
    if extend {
        let mut ranges = buffer.area.selection.ranges().to_vec();
        ranges.push(range);
        let last = ranges.len() - 1;
        set_selection(cx, Selection::new(ranges, last));
    } else {
        set_selection(cx, Selection::single(range));
    }
}
