//! Motions of a map with modes, which operators take too.

use crate::ide::core::context::{Command, command};
use crate::ide::core::keys::modal::Ask;
use crate::ide::editor::modal::answers::wait;
use crate::ide::editor::modal::moves;
use crate::ide::editor::modal::moves::go;
use crate::ide::editor::modal::scroll;
use crate::ide::editor::modal::scroll::To;
use crate::ide::editor::modal::seek;
use crate::text::modal::motion::motions::Move;
use crate::text::position::Column;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.left", "Move left in line", &["h"], |cx| go(cx, Move::Left)),
    command("vim.right", "Move right in line", &["l"], |cx| go(cx, Move::Right)),
    command("vim.back", "Move back one character", &["backspace"], |cx| go(cx, Move::Back)),
    command("vim.on", "Move forward one character", &["space"], |cx| go(cx, Move::On)),
    command("vim.down", "Move down by lines", &["j"], |cx| go(cx, Move::Down)),
    command("vim.up", "Move up by lines", &["k"], |cx| go(cx, Move::Up)),
    command("vim.line-begin", "Go to first column", &["0"], |cx| go(cx, Move::LineBegin)),
    command("vim.first-non-blank", "Go to first non-blank", &["^"], |cx| {
        go(cx, Move::FirstNonBlank);
    }),
    command("vim.line-end", "Go to line end", &["$"], |cx| go(cx, Move::LineEnd)),
    command("vim.last-non-blank", "Go to last non-blank", &["g_"], |cx| {
        go(cx, Move::LastNonBlank);
    }),
    command("vim.column", "Go to column", &["bar"], |cx| go(cx, Move::Column)),
    command("vim.line-below", "Go to next line start", &["+"], |cx| go(cx, Move::LineBelow)),
    command("vim.line-above", "Go to previous line start", &["-"], |cx| go(cx, Move::LineAbove)),
    command("vim.line-here", "Go to line start", &["_"], |cx| go(cx, Move::LineHere)),
    command("vim.top", "Go to first line", &["gg"], |cx| go(cx, Move::Top)),
    command("vim.bottom", "Go to last line", &["G"], |cx| go(cx, Move::Bottom)),
    command("vim.match", "Go to matching bracket", &["%"], |cx| {
        go(cx, Move::Match);
    }),
    command("vim.word", "Go to next word", &["w"], |cx| go(cx, Move::Word(false))),
    command("vim.big-word", "Go to next WORD", &["W"], |cx| go(cx, Move::Word(true))),
    command("vim.word-back", "Go to previous word", &["b"], |cx| go(cx, Move::WordBack(false))),
    command("vim.big-word-back", "Go to previous WORD", &["B"], |cx| {
        go(cx, Move::WordBack(true));
    }),
    command("vim.word-end", "Go to word end", &["e"], |cx| go(cx, Move::WordEnd(false))),
    command("vim.big-word-end", "Go to WORD end", &["E"], |cx| go(cx, Move::WordEnd(true))),
    command("vim.word-end-back", "Go to previous word end", &["ge"], |cx| go(cx, Move::WordEndBack(false))),
    command("vim.big-word-end-back", "Go to previous WORD end", &["gE"], |cx| {
        go(cx, Move::WordEndBack(true));
    }),
    command("vim.paragraph", "Go to next paragraph", &[], |cx| go(cx, Move::Paragraph)),
    command("vim.paragraph-back", "Go to previous paragraph", &[], |cx| go(cx, Move::ParagraphBack)),
    command("vim.sentence", "Go to next sentence", &[], |cx| go(cx, Move::Sentence)),
    command("vim.sentence-back", "Go to previous sentence", &[], |cx| go(cx, Move::SentenceBack)),
    command("vim.find", "Find next character", &["f"], |cx| {
        wait(cx, Ask::Find { forward: true, till: false });
    }),
    command("vim.till", "Find till next character", &["t"], |cx| {
        wait(cx, Ask::Find { forward: true, till: true });
    }),
    command("vim.find-back", "Find previous character", &["F"], |cx| {
        wait(cx, Ask::Find { forward: false, till: false });
    }),
    command("vim.till-back", "Find till previous character", &["T"], |cx| {
        wait(cx, Ask::Find { forward: false, till: true });
    }),
    command("vim.find-again", "Repeat character search", &[";"], |cx| moves::find_again(cx, false)),
    command("vim.find-again-back", "Reverse character search", &[","], |cx| {
        moves::find_again(cx, true);
    }),
    command("vim.screen-top", "Go to screen top", &["H"], |cx| moves::screen_line(cx, Column(0))),
    command("vim.screen-middle", "Go to screen middle", &["M"], |cx| moves::screen_line(cx, Column(1))),
    command("vim.screen-bottom", "Go to screen bottom", &["L"], |cx| moves::screen_line(cx, Column(2))),
    command("vim.search", "Search forward", &["find", "/"], |cx| seek::begin(cx, true)),
    command("vim.search-back", "Search backward", &["find", "?"], |cx| seek::begin(cx, false)),
    command("vim.search-next", "Go to next match", &["n"], |cx| seek::again(cx, false)),
    command("vim.search-previous", "Go to previous match", &["N"], |cx| seek::again(cx, true)),
    command("vim.search-word", "Search word forward", &["*"], |cx| seek::word(cx, true, true)),
    command("vim.search-word-back", "Search word backward", &["#"], |cx| seek::word(cx, false, true)),
    command("vim.search-part", "Search partial word forward", &["g*"], |cx| seek::word(cx, true, false)),
    command("vim.search-part-back", "Search partial word backward", &["g#"], |cx| {
        seek::word(cx, false, false);
    }),
    command("vim.mark-line", "Go to line of mark", &["'"], |cx| wait(cx, Ask::GoMark(true))),
    command("vim.mark", "Go to exact mark", &["`"], |cx| wait(cx, Ask::GoMark(false))),
    command("vim.half-page-down", "Scroll half page down", &[], |cx| scroll::page(cx, true, true)),
    command("vim.half-page-up", "Scroll half page up", &[], |cx| scroll::page(cx, false, true)),
    command("vim.page-down", "Scroll page down", &[], |cx| scroll::page(cx, true, false)),
    command("vim.page-up", "Scroll page up", &[], |cx| scroll::page(cx, false, false)),
    command("vim.scroll-down", "Scroll one line down", &[], |cx| scroll::scroll(cx, true)),
    command("vim.scroll-up", "Scroll one line up", &[], |cx| scroll::scroll(cx, false)),
    command("vim.line-to-top", "Scroll cursor line to top", &["zt"], |cx| scroll::place(cx, To::Top)),
    command("vim.line-to-middle", "Scroll cursor line to middle", &["zz", "center", "recenter"], |cx| {
        scroll::place(cx, To::Middle);
    }),
    command("vim.line-to-bottom", "Scroll cursor line to bottom", &["zb"], |cx| {
        scroll::place(cx, To::Bottom);
    }),
];
