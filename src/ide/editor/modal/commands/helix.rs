//! Commands of the Helix key map: motions that select, changes of the selection.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::keys::modal::ModalChar;
use crate::ide::editor::modal::helix::{
    collapse, copy_selection, delete, enter_normal, insert, map_chars, map_ranges, move_cursors, open, paste,
    replace_with_register, run_line_command, search_selection, select_lines, select_word, shift_lines,
    toggle_select, transform_selection, trim, yank,
};
use crate::ide::editor::modal::insert_mode::insert::InsertAt;
use crate::ide::editor::modal::pending_char::await_char;
use crate::ide::editor::modal::repeat;
use crate::ide::editor::modal::select_by_pattern::{PatternAction, ask_pattern, search_next};
use crate::text::modal::helix::{self, WordMotion};
use crate::text::modal::motion::motions::Move;
use crate::text::operations::select;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("helix.left", "Move selection left", &["move_char_left"], |cx| {
        move_cursors(cx, Move::Left);
    }),
    command("helix.right", "Move selection right", &["move_char_right"], |cx| {
        move_cursors(cx, Move::Right);
    }),
    command("helix.up", "Move selection up", &["move_visual_line_up"], |cx| {
        move_cursors(cx, Move::Up);
    }),
    command("helix.down", "Move selection down", &["move_visual_line_down"], |cx| {
        move_cursors(cx, Move::Down);
    }),
    command("helix.word", "Select to next word", &["move_next_word_start"], |cx| {
        select_word(cx, WordMotion::Start, false);
    }),
    command("helix.word-end", "Select to next word end", &["move_next_word_end"], |cx| {
        select_word(cx, WordMotion::End, false);
    }),
    command("helix.word-back", "Select to previous word", &["move_prev_word_start"], |cx| {
        select_word(cx, WordMotion::Back, false);
    }),
    command("helix.big-word", "Select to next WORD", &["move_next_long_word_start"], |cx| {
        select_word(cx, WordMotion::Start, true);
    }),
    command("helix.big-word-end", "Select to next WORD end", &["move_next_long_word_end"], |cx| {
        select_word(cx, WordMotion::End, true);
    }),
    command("helix.big-word-back", "Select to previous WORD", &["move_prev_long_word_start"], |cx| {
        select_word(cx, WordMotion::Back, true);
    }),
    command("helix.find", "Find next character", &["find_next_char"], |cx| {
        await_char(cx, ModalChar::Find { forward: true, till: false });
    }),
    command("helix.till", "Find till next character", &["find_till_char"], |cx| {
        await_char(cx, ModalChar::Find { forward: true, till: true });
    }),
    command("helix.find-back", "Find previous character", &["find_prev_char"], |cx| {
        await_char(cx, ModalChar::Find { forward: false, till: false });
    }),
    command("helix.till-back", "Find till previous character", &["till_prev_char"], |cx| {
        await_char(cx, ModalChar::Find { forward: false, till: true });
    }),
    command("helix.line-begin", "Go to line start", &["goto_line_start"], |cx| {
        move_cursors(cx, Move::LineBegin);
    }),
    command("helix.line-end", "Go to line end", &["goto_line_end"], |cx| {
        move_cursors(cx, Move::LineEnd);
    }),
    command("helix.first-non-blank", "Go to first non-blank", &["goto_first_nonwhitespace"], |cx| {
        move_cursors(cx, Move::FirstNonBlank);
    }),
    command("helix.top", "Go to first line", &["goto_file_start"], |cx| {
        move_cursors(cx, Move::Top);
    }),
    command("helix.bottom", "Go to last line", &["goto_last_line"], |cx| {
        move_cursors(cx, Move::Bottom);
    }),
    command("helix.match", "Go to matching bracket", &["match_brackets"], |cx| {
        move_cursors(cx, Move::Match);
    }),
    command("helix.paragraph", "Go to next paragraph", &["goto_next_paragraph"], |cx| {
        move_cursors(cx, Move::Paragraph);
    }),
    command("helix.paragraph-back", "Go to previous paragraph", &["goto_prev_paragraph"], |cx| {
        move_cursors(cx, Move::ParagraphBack);
    }),
    command("helix.select-mode", "Toggle Select mode", &["select_mode"], toggle_select),
    command("helix.lines", "Select line or extend", &["extend_line_below"], select_lines),
    command("helix.to-lines", "Extend to line bounds", &["extend_to_line_bounds"], |cx| {
        map_ranges(cx, helix::extend_to_line_bounds);
    }),
    command("helix.all", "Select entire file", &["select_all"], |cx| {
        transform_selection(cx, |text, _| Selection::single(Range::new(Byte(0), text.end())));
    }),
    command("helix.select", "Select matches in selections", &["select_regex"], |cx| {
        ask_pattern(cx, PatternAction::Select);
    }),
    command("helix.split", "Split selections on regex", &["split_selection"], |cx| {
        ask_pattern(cx, PatternAction::Split);
    }),
    command("helix.keep", "Keep selections matching regex", &["keep_selections"], |cx| {
        ask_pattern(cx, PatternAction::Keep);
    }),
    command("helix.remove", "Remove selections matching regex", &["remove_selections"], |cx| {
        ask_pattern(cx, PatternAction::Remove);
    }),
    command("helix.split-lines", "Split selections on newlines", &["split_selection_on_newline"], |cx| {
        transform_selection(cx, select::split_lines);
    }),
    command(
        "helix.copy-below",
        "Copy selection to next line",
        &["copy_selection_on_next_line", "add cursor below"],
        |cx| {
            copy_selection(cx, true);
        },
    ),
    command(
        "helix.copy-above",
        "Copy selection to previous line",
        &["copy_selection_on_prev_line", "add cursor above"],
        |cx| {
            copy_selection(cx, false);
        },
    ),
    command("helix.keep-primary", "Keep only primary selection", &["keep_primary_selection"], |cx| {
        transform_selection(cx, |_, selection| select::only_primary(selection));
    }),
    command("helix.remove-primary", "Remove primary selection", &["remove_primary_selection"], |cx| {
        transform_selection(cx, |_, selection| select::without_primary(selection));
    }),
    command("helix.next-selection", "Rotate selections forward", &["rotate_selections_forward"], |cx| {
        transform_selection(cx, |_, selection| select::rotate(selection, true));
    }),
    command(
        "helix.previous-selection",
        "Rotate selections backward",
        &["rotate_selections_backward"],
        |cx| {
            transform_selection(cx, |_, selection| select::rotate(selection, false));
        },
    ),
    command("helix.collapse", "Collapse selections to cursors", &["collapse_selection"], collapse),
    command("helix.flip", "Flip selection ends", &["flip_selections"], |cx| {
        map_ranges(cx, |_, range| Range::new(range.head, range.anchor));
    }),
    command("helix.trim", "Trim selections", &["trim_selections"], trim),
    command("helix.delete", "Delete selections", &["delete_selection"], |cx| {
        delete(cx, false, false);
    }),
    command("helix.delete-bare", "Delete selections without copying", &["delete_selection_noyank"], |cx| {
        delete(cx, true, false);
    }),
    command("helix.change", "Change selections", &["change_selection"], |cx| {
        delete(cx, false, true);
    }),
    command("helix.change-bare", "Change selections without copying", &["change_selection_noyank"], |cx| {
        delete(cx, true, true);
    }),
    command("helix.yank", "Copy selections", &["yank"], yank),
    command("helix.put", "Paste after selections", &["paste_after", "put"], |cx| {
        paste(cx, true);
    }),
    command("helix.put-before", "Paste before selections", &["paste_before", "put"], |cx| {
        paste(cx, false);
    }),
    command(
        "helix.replace-with",
        "Replace selections with register",
        &["replace_with_yanked"],
        replace_with_register,
    ),
    command("helix.replace", "Replace selections with character", &["replace"], |cx| {
        await_char(cx, ModalChar::Replace);
    }),
    command("helix.upper", "Uppercase selections", &["switch_to_uppercase"], |cx| {
        map_chars(cx, |c| c.to_uppercase().collect());
    }),
    command("helix.lower", "Lowercase selections", &["switch_to_lowercase"], |cx| {
        map_chars(cx, |c| c.to_lowercase().collect());
    }),
    command("helix.switch-case", "Swap case of selections", &["switch_case", "toggle case"], |cx| {
        map_chars(
            cx,
            |c| if c.is_lowercase() { c.to_uppercase().collect() } else { c.to_lowercase().collect() },
        );
    }),
    command("helix.indent", "Indent selected lines", &["indent"], |cx| {
        shift_lines(cx, false);
    }),
    command("helix.dedent", "Dedent selected lines", &["unindent", "outdent"], |cx| {
        shift_lines(cx, true);
    }),
    command("helix.insert", "Insert before selections", &["insert_mode"], |cx| {
        insert(cx, InsertAt::Here);
    }),
    command("helix.append", "Append after selections", &["append_mode"], |cx| {
        insert(cx, InsertAt::After);
    }),
    command("helix.insert-line-start", "Insert at line start", &["insert_at_line_start"], |cx| {
        insert(cx, InsertAt::LineStart);
    }),
    command("helix.append-line-end", "Append at line end", &["insert_at_line_end"], |cx| {
        insert(cx, InsertAt::LineEnd);
    }),
    command("helix.open-below", "Open line below", &["open_below", "insert line below"], |cx| {
        open(cx, true);
    }),
    command("helix.open-above", "Open line above", &["open_above", "insert line above"], |cx| {
        open(cx, false);
    }),
    command("helix.undo", "Undo change", &[], |cx| {
        run_line_command(cx, "edit.undo");
    }),
    command("helix.redo", "Redo change", &[], |cx| {
        run_line_command(cx, "edit.redo");
    }),
    command("helix.search-next", "Select next match", &["search_next"], |cx| {
        search_next(cx, true);
    }),
    command("helix.search-previous", "Select previous match", &["search_prev"], |cx| {
        search_next(cx, false);
    }),
    command("helix.search-selection", "Search for selection", &["search_selection"], search_selection),
    command("helix.inside", "Select inside object", &["select_textobject_inner"], |cx| {
        await_char(cx, ModalChar::Object(false));
    }),
    command("helix.around", "Select around object", &["select_textobject_around"], |cx| {
        await_char(cx, ModalChar::Object(true));
    }),
    command("helix.register", "Choose register", &["select_register"], |cx| {
        await_char(cx, ModalChar::Register);
    }),
    command("helix.record", "Record macro to register", &["record_macro", "stop recording"], record),
    command("helix.play", "Replay macro from register", &["replay_macro"], play),
    command("helix.clip-yank", "Copy selections to clipboard", &["yank_to_clipboard"], |cx| {
        clip(cx);
        yank(cx);
    }),
    command("helix.clip-put", "Paste clipboard after selections", &["paste_clipboard_after"], |cx| {
        clip(cx);
        paste(cx, true);
    }),
    command("helix.normal", "Return to Normal mode", &["normal_mode", "escape"], enter_normal),
];

/// The register of unnamed recordings.
const RECORDING: char = 'q';

fn record(cx: &mut Cx<'_>) {
    if cx.state.modal.recording.is_some() {
        return repeat::stop_recording(cx);
    }
    let name = cx.state.modal.register.take().unwrap_or(RECORDING);
    repeat::start_recording(cx, name);
}

fn play(cx: &mut Cx<'_>) {
    let name = cx.state.modal.register.take().unwrap_or(RECORDING);
    repeat::play_macro(cx, name);
}

fn clip(cx: &mut Cx<'_>) {
    cx.state.modal.register = Some('+');
}
