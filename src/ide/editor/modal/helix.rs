//! Commands of a selection-first key map (Helix): every motion selects, every change acts on the selection.
//! Select mode extends instead of starting again.

use crate::ide::core::catalog;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::{InsertState, Mode};
use crate::ide::editor::commands::edit;
use crate::ide::editor::commands::registers;
use crate::ide::editor::modal::cursors;
use crate::ide::editor::modal::insert_mode;
use crate::syntax::structure::objects::SyntaxObject as Node;
use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::clipboard::registers::CopyKind;
use crate::text::modal::helix::{self, WordMotion};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::motion::motions::{self, Move};
use crate::text::modal::objects::{self, SelectedRange, TextObject};
use crate::text::modal::operator::operate;
use crate::text::modal::operator::spans;
use crate::text::operations::edit::indents_by_tabs;
use crate::text::operations::select;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Returns whether motions extend the selection.
pub fn is_extending(cx: &Cx<'_>) -> bool {
    cx.state.modal.mode == Mode::Visual
}

/// Transforms every selection.
pub fn map_ranges(cx: &mut Cx<'_>, f: impl Fn(ModalText<'_>, Range) -> Range) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, tab_width);
    let selection = buffer.area.selection.transform(|range| f(page, range));
    buffer.area.select(selection);
    cx.state.damage.add(Part::Editor);
}

/// Applies a motion to the cursor of every selection.
pub fn move_cursors(cx: &mut Cx<'_>, motion: Move) {
    let (extend, count) = (is_extending(cx), cx.state.modal.take_count());
    if let Move::Find(find, false) = motion {
        cx.state.modal.find = Some(find);
    }
    if matches!(motion, Move::Top | Move::Bottom | Move::Match) {
        cx.state.note_jump();
    }
    let selects = matches!(motion, Move::Find(..));
    let times =
        |from: Byte, step: &dyn Fn(Byte) -> Byte| (0..count.unwrap_or(1)).fold(from, |at, _| step(at));
    map_ranges(cx, |page, range| {
        let here = helix::cursor(page.text, range);
        // Here line ends are characters: the cursor may be on them.
        let page = ModalText { can_rest_at_end: true, ..page };
        let landing = match motion {
            Move::Left => Some((times(here, &|at| page.text.prev_grapheme(at)), None)),
            Move::Right => Some((times(here, &|at| page.text.next_grapheme(at)), None)),
            _ => {
                let line_end = matches!(motion, Move::LineEnd);
                let page = if line_end { ModalText { can_rest_at_end: false, ..page } } else { page };
                motions::motion_target(page, here, range.goal, motion, count, false).map(|l| (l.to, l.goal))
            }
        };
        let Some((place, goal)) = landing else { return range };
        // Going to a line means going to its start.
        let whole = matches!(motion, Move::Top | Move::Bottom);
        let place = if whole { page.start_of(place) } else { place.min(page.last()) };
        let moved = if selects && !extend {
            let from = Range::new(here, page.text.next_grapheme(here));
            helix::put_cursor(page.text, from, place, true)
        } else {
            helix::put_cursor(page.text, range, place, extend)
        };
        Range { goal, ..moved }
    });
}

/// Selects to a word.
pub fn select_word(cx: &mut Cx<'_>, kind: WordMotion, big: bool) {
    let (extend, count) = (is_extending(cx), cx.state.modal.take_count().unwrap_or(1));
    map_ranges(cx, |page, range| helix::word(page.text, range, kind, big, count, extend));
}

/// Selects whole lines, and one more each time.
pub fn select_lines(cx: &mut Cx<'_>) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    map_ranges(cx, |page, range| helix::extend_by_lines(page, range, count));
}

/// Reduces every selection to its cursor.
pub fn collapse(cx: &mut Cx<'_>) {
    map_ranges(cx, |page, range| helix::char_range(page.text, helix::cursor(page.text, range)));
}

/// Toggles between extending and starting again.
pub fn toggle_select(cx: &mut Cx<'_>) {
    cx.state.modal.mode = if is_extending(cx) { Mode::Normal } else { Mode::Visual };
    cx.state.damage.add(Part::Status);
}

/// Makes every selection cover a character, with the caret on a character.
pub fn ensure_min_width(cx: &mut Cx<'_>) {
    if cx.state.keymap.modal_style() != ModalStyle::Helix || !cursors::is_modal_editor(cx.state) {
        return;
    }
    let typing = cx.state.modal.mode.is_typing();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let area = &mut buffer.area;
    if typing {
        area.caret_override = None;
        return;
    }
    let text = area.document.text().clone();
    if area.selection.ranges().iter().any(Range::is_empty) && !text.is_empty() {
        area.selection = area.selection.transform(|range| helix::min_width_1(&text, range));
    }
    let primary = area.selection.primary();
    let standing = Some((primary, helix::cursor(&text, primary)));
    if area.caret_override != standing {
        area.caret_override = standing;
        cx.state.damage.add(Part::Editor);
    }
}

fn selected_content(cx: &Cx<'_>) -> Option<Content> {
    let buffer = cx.state.buffers.current()?;
    let texts = buffer.area.selected();
    let lines = texts.iter().all(|text| text.ends_with('\n'));
    Some(Content::new(texts, if lines { ContentShape::Lines } else { ContentShape::Chars }))
}

/// Copies the selections.
pub fn yank(cx: &mut Cx<'_>) {
    let name = cx.state.modal.register.take();
    let Some(content) = selected_content(cx) else { return };
    let count = content.texts.len();
    registers::write(cx, name, content, CopyKind::Copied);
    cx.state.modal.mode = Mode::Normal;
    cx.state.set_status(format!("Copied {count} selection{}", if count == 1 { "" } else { "s" }));
}

/// Deletes the selections, into a register unless `bare`; begins typing if `types`.
pub fn delete(cx: &mut Cx<'_>, bare: bool, types: bool) {
    let name = cx.state.modal.register.take();
    let Some(content) = selected_content(cx) else { return };
    let whole_lines = types && content.shape == ContentShape::Lines;
    let deleted = edit::apply(cx, |text, selection| {
        let span = |range: &Range| {
            // A line that is replaced by typing keeps its line ending.
            let end = if whole_lines {
                text.line_end(text.line_of(text.prev_grapheme(range.end())))
            } else {
                range.end()
            };
            range.start()..end.max(range.start())
        };
        let edits = selection.ranges().iter().map(|range| (span(range), String::new()));
        let changes = ChangeSet::replace(text.end().0, edits);
        let mapping = &changes;
        let after = selection.transform(|range| Range::cursor(mapping.map(range.start(), Side::Before)));
        Transaction::new(changes).select(after)
    });
    if !deleted {
        return;
    }
    if !bare {
        registers::write(cx, name, content, CopyKind::Cut);
    }
    cx.state.modal.mode = Mode::Normal;
    if types {
        insert_mode::insert::begin(cx, InsertState { times: 1, stays: true, ..InsertState::default() });
    }
}

/// Begins typing before or after the selections, or at the ends of their lines.
pub fn insert(cx: &mut Cx<'_>, at: insert_mode::insert::InsertAt) {
    cx.state.modal.count = None;
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    if let Some(reason) = buffer.read_only() {
        return cx.state.set_error(reason);
    }
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, tab_width);
    buffer.area.selection = buffer.area.selection.transform(|range| {
        let line = page.line(helix::cursor(&text, range));
        Range::cursor(match at {
            insert_mode::insert::InsertAt::After => range.end().min(text.end()),
            insert_mode::insert::InsertAt::LineStart => {
                crate::text::movement::motion::indent_end(&text, line)
            }
            insert_mode::insert::InsertAt::LineEnd => page.end(line),
            _ => range.start(),
        })
    });
    cx.state.modal.mode = Mode::Normal;
    let behind = at == insert_mode::insert::InsertAt::After;
    insert_mode::insert::begin(cx, InsertState { times: 1, stays: !behind, ..InsertState::default() });
}

/// Opens a line below or above every selection, and begins typing there.
pub fn open(cx: &mut Cx<'_>, below: bool) {
    map_ranges(cx, |page, range| {
        let (first, last) = helix::touched_lines(page, range);
        Range::cursor(page.start(if below { last } else { first }))
    });
    insert_mode::insert::open(cx, below);
    cx.state.modal.typing.stays = true;
}

/// Pastes a register after or before every selection.
pub fn paste(cx: &mut Cx<'_>, behind: bool) {
    let name = cx.state.modal.register.take().unwrap_or('"');
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(content) = registers::read(cx, name) else {
        return cx.state.set_status(format!("Register is empty: {name}"));
    };
    let lines = content.shape == ContentShape::Lines;
    edit::apply(cx, |text, selection| {
        let page = ModalText::new(text, 1);
        let place = |range: &Range| match (lines, behind) {
            (true, true) => {
                page.lines(helix::touched_lines(page, *range).1, helix::touched_lines(page, *range).1).end
            }
            (true, false) => page.start(helix::touched_lines(page, *range).0),
            (false, true) => range.end(),
            (false, false) => range.start(),
        };
        let new = |n: usize| {
            let text = content.texts.get(n).or(content.texts.last()).cloned().unwrap_or_default();
            text.repeat(count)
        };
        replace_selections(text, selection, |n, range| {
            let at = place(range);
            // If the last line has no line feed, one is inserted first.
            let bare = lines && behind && at == text.end() && text.byte_at(at.back(1)) != Some(b'\n');
            let new = new(n);
            (at..at, if bare { format!("\n{}", new.trim_end_matches('\n')) } else { new })
        })
    });
}

/// Inserts the new texts of the selections, and selects them.
fn replace_selections(
    text: &Text,
    selection: &Selection,
    new: impl Fn(usize, &Range) -> (std::ops::Range<Byte>, String),
) -> Transaction {
    let edits: Vec<_> = selection.ranges().iter().enumerate().map(|(n, range)| new(n, range)).collect();
    let changes = ChangeSet::replace(text.end().0, edits.iter().cloned());
    let mut shift = 0isize;
    let place = |(span, new): &(std::ops::Range<Byte>, String)| {
        let start = Byte(span.start.0.saturating_add_signed(shift));
        shift += new.len() as isize - (span.end - span.start) as isize;
        Range::new(start, start + new.len())
    };
    let ranges: Vec<Range> = edits.iter().map(place).collect();
    Transaction::new(changes).select(Selection::new(ranges, selection.primary_index()))
}

/// Replaces the selections by a register.
pub fn replace_with_register(cx: &mut Cx<'_>) {
    let name = cx.state.modal.register.take().unwrap_or('"');
    let Some(content) = registers::read(cx, name) else {
        return cx.state.set_status(format!("Register is empty: {name}"));
    };
    edit::apply(cx, |text, selection| {
        replace_selections(text, selection, |n, range| {
            (range.span(), content.texts.get(n).or(content.texts.last()).cloned().unwrap_or_default())
        })
    });
}

/// Maps the characters of the selections one by one.
pub fn map_chars(cx: &mut Cx<'_>, f: impl Fn(char) -> String) {
    edit::apply(cx, |text, selection| {
        replace_selections(text, selection, |_, range| {
            (range.span(), text.slice(range.span()).chars().map(&f).collect())
        })
    });
}

/// Makes the selection the search text.
pub fn search_selection(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let primary = buffer.area.text().slice(buffer.area.selection.primary().span()).into_owned();
    let sign = |c: char| cx.state.search.options.regex && c.is_ascii_punctuation();
    let pattern = primary.chars().flat_map(|c| sign(c).then_some('\\').into_iter().chain([c])).collect();
    cx.state.search.last = Some(pattern);
    cx.state.set_status(format!("Search: {primary}"));
}

/// Ends typing and extending.
pub fn enter_normal(cx: &mut Cx<'_>) {
    if catalog::stop_features(cx) {
        return;
    }
    if cx.state.modal.mode.is_typing() {
        insert_mode::insert::end_insert(cx);
    }
    cx.state.modal.mode = Mode::Normal;
    cx.state.modal.reset_pending();
    cursors::end_undo_group(cx.state);
    cx.state.damage.add(Part::Editor);
}

/// Selects a text object around every cursor.
pub fn select_object(cx: &mut Cx<'_>, sign: char, outer: bool) {
    if let Some(object) = Node::from_letter(sign) {
        let Some(syntax) = cx.state.tree_now() else {
            return cx.state.set_status("This file is not parsed, or not yet");
        };
        return map_ranges(cx, |page, range| {
            let found = syntax.object(page.text, &range.span(), object, outer);
            found.map_or(range, |found| Range::new(found.start, found.end))
        });
    }
    let object = match sign {
        'w' => TextObject::Word(false),
        'W' => TextObject::Word(true),
        'p' => TextObject::Paragraph,
        's' => TextObject::Sentence,
        '(' | ')' => TextObject::Brackets('('),
        '[' | ']' => TextObject::Brackets('['),
        '{' | '}' => TextObject::Brackets('{'),
        '<' | '>' => TextObject::Brackets('<'),
        '"' | '\'' | '`' => TextObject::Quotes(sign),
        'x' => TextObject::Tags,
        _ => return cx.state.set_error(format!("No such text object: {sign}")),
    };
    map_ranges(cx, |page, range| {
        let here = helix::cursor(page.text, range);
        let Some(landing) = objects::around(
            page,
            SelectedRange { anchor: here, head: here, visual: false, lines: false },
            object,
            outer,
            1,
        ) else {
            return range;
        };
        let span = spans::motion_span(page, here, &landing, None, false).spans[0].clone();
        if span.is_empty() { range } else { Range::new(span.start, span.end) }
    });
}

/// Splits selections at line ends, or applies another function to all of them at once.
pub fn transform_selection(cx: &mut Cx<'_>, f: impl FnOnce(&Text, &Selection) -> Selection) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let selection = f(buffer.area.text(), &buffer.area.selection);
    buffer.area.select(selection);
    cx.state.damage.add(Part::Editor);
}

/// Trims white space from the ends of selections; removes those with nothing else.
pub fn trim(cx: &mut Cx<'_>) {
    transform_selection(cx, |text, selection| {
        let ranges: Vec<Range> = selection.ranges().iter().filter_map(|r| helix::trim(text, *r)).collect();
        if ranges.is_empty() { selection.clone() } else { Selection::new(ranges, 0) }
    });
}

/// Adds a copy of every selection on the next or the previous line.
pub fn copy_selection(cx: &mut Cx<'_>, down: bool) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let tab_width = cx.state.tab_width();
    transform_selection(cx, |text, selection| {
        let cursors = selection.transform(|range| Range { goal: None, ..range });
        (0..count).fold(cursors, |selection, _| {
            // Copies begin at the covered characters, not after them.
            let inner = selection
                .transform(|r| Range::new(r.start(), helix::cursor(text, Range::new(r.start(), r.end()))));
            let more = select::add_vertical(text, &inner, down, tab_width);
            more.transform(|r| Range::new(r.start(), text.next_grapheme(r.end())))
        })
    });
}

/// Runs a general command to indent, join, increment or comment lines.
pub fn run_line_command(cx: &mut Cx<'_>, id: &'static str) {
    cx.state.modal.count = None;
    cx.defer_command(id);
}

/// Moves the lines of the selections by stops.
pub fn shift_lines(cx: &mut Cx<'_>, back: bool) {
    let stops = cx.state.modal.take_count().unwrap_or(1);
    let (indent, by_tabs) = cx.state.indentation();
    let tab_width = cx.state.tab_width();
    edit::apply(cx, |text, selection| {
        let page = ModalText::new(text, tab_width);
        let piece = |range: &Range| {
            let (first, last) = helix::touched_lines(page, *range);
            spans::lines(page, first, last, range.head)
        };
        let pieces: Vec<_> = selection.ranges().iter().map(piece).collect();
        let hard = by_tabs.unwrap_or_else(|| indents_by_tabs(text));
        let edit = operate::shift(page, &pieces, stops * indent, back, hard, &[]);
        let after = selection.map(&edit.changes);
        edit.select(after)
    });
}
