//! Motions of a modal key map; operators use them, too.

use crate::ide::core::context::{Command, command};
use crate::ide::core::keys::modal::ModalChar;
use crate::ide::editor::modal::moves;
use crate::ide::editor::modal::moves::move_cursors;
use crate::ide::editor::modal::pending_char::await_char;
use crate::ide::editor::modal::scroll;
use crate::ide::editor::modal::scroll::ScrollTo;
use crate::ide::editor::modal::search;
use crate::text::modal::motion::motions::Move;
use crate::text::position::Column;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.left", "Move left in line", &["h"], |cx| move_cursors(cx, Move::Left)),
    command("vim.right", "Move right in line", &["l"], |cx| move_cursors(cx, Move::Right)),
    command("vim.back", "Move back one character", &["backspace"], |cx| move_cursors(cx, Move::Backward)),
    command("vim.on", "Move forward one character", &["space"], |cx| move_cursors(cx, Move::Forward)),
    command("vim.down", "Move down by lines", &["j"], |cx| move_cursors(cx, Move::Down)),
    command("vim.up", "Move up by lines", &["k"], |cx| move_cursors(cx, Move::Up)),
    command("vim.line-begin", "Go to first column", &["0"], |cx| move_cursors(cx, Move::LineBegin)),
    command("vim.first-non-blank", "Go to first non-blank", &["^"], |cx| {
        move_cursors(cx, Move::FirstNonBlank);
    }),
    command("vim.line-end", "Go to line end", &["$"], |cx| move_cursors(cx, Move::LineEnd)),
    command("vim.last-non-blank", "Go to last non-blank", &["g_"], |cx| {
        move_cursors(cx, Move::LastNonBlank);
    }),
    command("vim.column", "Go to column", &["bar"], |cx| move_cursors(cx, Move::Column)),
    command("vim.line-below", "Go to next line start", &["+"], |cx| move_cursors(cx, Move::LineBelow)),
    command("vim.line-above", "Go to previous line start", &["-"], |cx| move_cursors(cx, Move::LineAbove)),
    command("vim.line-here", "Go to line start", &["_"], |cx| move_cursors(cx, Move::LineHere)),
    command("vim.top", "Go to first line", &["gg"], |cx| move_cursors(cx, Move::Top)),
    command("vim.bottom", "Go to last line", &["G"], |cx| move_cursors(cx, Move::Bottom)),
    command("vim.match", "Go to matching bracket", &["%"], |cx| {
        move_cursors(cx, Move::Match);
    }),
    command("vim.word", "Go to next word", &["w"], |cx| move_cursors(cx, Move::Word(false))),
    command("vim.big-word", "Go to next WORD", &["W"], |cx| move_cursors(cx, Move::Word(true))),
    command("vim.word-back", "Go to previous word", &["b"], |cx| move_cursors(cx, Move::WordBack(false))),
    command("vim.big-word-back", "Go to previous WORD", &["B"], |cx| {
        move_cursors(cx, Move::WordBack(true));
    }),
    command("vim.word-end", "Go to word end", &["e"], |cx| move_cursors(cx, Move::WordEnd(false))),
    command("vim.big-word-end", "Go to WORD end", &["E"], |cx| move_cursors(cx, Move::WordEnd(true))),
    command("vim.word-end-back", "Go to previous word end", &["ge"], |cx| {
        move_cursors(cx, Move::WordEndBack(false));
    }),
    command("vim.big-word-end-back", "Go to previous WORD end", &["gE"], |cx| {
        move_cursors(cx, Move::WordEndBack(true));
    }),
    command("vim.paragraph", "Go to next paragraph", &[], |cx| move_cursors(cx, Move::Paragraph)),
    command("vim.paragraph-back", "Go to previous paragraph", &[], |cx| {
        move_cursors(cx, Move::ParagraphBack);
    }),
    command("vim.sentence", "Go to next sentence", &[], |cx| move_cursors(cx, Move::Sentence)),
    command("vim.sentence-back", "Go to previous sentence", &[], |cx| move_cursors(cx, Move::SentenceBack)),
    command("vim.find", "Find next character", &["f"], |cx| {
        await_char(cx, ModalChar::Find { forward: true, till: false });
    }),
    command("vim.till", "Find till next character", &["t"], |cx| {
        await_char(cx, ModalChar::Find { forward: true, till: true });
    }),
    command("vim.find-back", "Find previous character", &["F"], |cx| {
        await_char(cx, ModalChar::Find { forward: false, till: false });
    }),
    command("vim.till-back", "Find till previous character", &["T"], |cx| {
        await_char(cx, ModalChar::Find { forward: false, till: true });
    }),
    command("vim.find-again", "Repeat character search", &[";"], |cx| moves::repeat_find(cx, false)),
    command("vim.find-again-back", "Reverse character search", &[","], |cx| {
        moves::repeat_find(cx, true);
    }),
    command("vim.screen-top", "Go to screen top", &["H"], |cx| moves::screen_line(cx, Column(0))),
    command("vim.screen-middle", "Go to screen middle", &["M"], |cx| moves::screen_line(cx, Column(1))),
    command("vim.screen-bottom", "Go to screen bottom", &["L"], |cx| moves::screen_line(cx, Column(2))),
    command("vim.search", "Search forward", &["find", "/"], |cx| search::prompt_search(cx, true)),
    command("vim.search-back", "Search backward", &["find", "?"], |cx| search::prompt_search(cx, false)),
    command("vim.search-next", "Go to next match", &["n"], |cx| search::search_next(cx, false)),
    command("vim.search-previous", "Go to previous match", &["N"], |cx| search::search_next(cx, true)),
    command("vim.search-word", "Search word forward", &["*"], |cx| search::search_word(cx, true, true)),
    command("vim.search-word-back", "Search word backward", &["#"], |cx| {
        search::search_word(cx, false, true);
    }),
    command("vim.search-part", "Search partial word forward", &["g*"], |cx| {
        search::search_word(cx, true, false);
    }),
    command("vim.search-part-back", "Search partial word backward", &["g#"], |cx| {
        search::search_word(cx, false, false);
    }),
    command("vim.mark-line", "Go to line of mark", &["'"], |cx| await_char(cx, ModalChar::GoMark(true))),
    command("vim.mark", "Go to exact mark", &["`"], |cx| await_char(cx, ModalChar::GoMark(false))),
    command("vim.half-page-down", "Scroll half page down", &[], |cx| scroll::page(cx, true, true)),
    command("vim.half-page-up", "Scroll half page up", &[], |cx| scroll::page(cx, false, true)),
    command("vim.page-down", "Scroll page down", &[], |cx| scroll::page(cx, true, false)),
    command("vim.page-up", "Scroll page up", &[], |cx| scroll::page(cx, false, false)),
    command("vim.scroll-down", "Scroll one line down", &[], |cx| scroll::scroll(cx, true)),
    command("vim.scroll-up", "Scroll one line up", &[], |cx| scroll::scroll(cx, false)),
    command("vim.line-to-top", "Scroll cursor line to top", &["zt"], |cx| {
        scroll::scroll_cursor_to(cx, ScrollTo::Top);
    }),
    command("vim.line-to-middle", "Scroll cursor line to middle", &["zz", "center", "recenter"], |cx| {
        scroll::scroll_cursor_to(cx, ScrollTo::Middle);
    }),
    command("vim.line-to-bottom", "Scroll cursor line to bottom", &["zb"], |cx| {
        scroll::scroll_cursor_to(cx, ScrollTo::Bottom);
    }),
];
