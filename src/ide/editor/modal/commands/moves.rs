//! Motions of a map with modes, which operators take too.

use crate::ide::core::context::{Command, command};
use crate::ide::core::modal::Ask;
use crate::ide::editor::modal::answers::wait;
use crate::ide::editor::modal::moves;
use crate::ide::editor::modal::moves::go;
use crate::ide::editor::modal::scroll;
use crate::ide::editor::modal::scroll::To;
use crate::ide::editor::modal::seek;
use crate::text::modal::motions::Move;
use crate::text::position::Column;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.left", "Left in the line", |cx| go(cx, Move::Left)),
    command("vim.right", "Right in the line", |cx| go(cx, Move::Right)),
    command("vim.back", "One character back", |cx| go(cx, Move::Back)),
    command("vim.on", "One character on", |cx| go(cx, Move::On)),
    command("vim.down", "Down, at the same column", |cx| go(cx, Move::Down)),
    command("vim.up", "Up, at the same column", |cx| go(cx, Move::Up)),
    command("vim.line-begin", "To the first column of the line", |cx| go(cx, Move::LineBegin)),
    command("vim.first-non-blank", "To the first character of the line that is no white space", |cx| {
        go(cx, Move::FirstNonBlank);
    }),
    command("vim.line-end", "To the last character of the line", |cx| go(cx, Move::LineEnd)),
    command("vim.last-non-blank", "To the last character of the line that is no white space", |cx| {
        go(cx, Move::LastNonBlank);
    }),
    command("vim.column", "To the column of the count", |cx| go(cx, Move::Column)),
    command("vim.line-below", "To the first character of the line below", |cx| go(cx, Move::LineBelow)),
    command("vim.line-above", "To the first character of the line above", |cx| go(cx, Move::LineAbove)),
    command("vim.line-here", "To the first character of the line", |cx| go(cx, Move::LineHere)),
    command("vim.top", "To the first line, or the line of the count", |cx| go(cx, Move::Top)),
    command("vim.bottom", "To the last line, or the line of the count", |cx| go(cx, Move::Bottom)),
    command("vim.match", "To the matching bracket, or to a percentage of the lines", |cx| {
        go(cx, Move::Match);
    }),
    command("vim.word", "To the next word", |cx| go(cx, Move::Word(false))),
    command("vim.big-word", "To the next word between spaces", |cx| go(cx, Move::Word(true))),
    command("vim.word-back", "To the start of the word", |cx| go(cx, Move::WordBack(false))),
    command("vim.big-word-back", "To the start of the word between spaces", |cx| {
        go(cx, Move::WordBack(true));
    }),
    command("vim.word-end", "To the end of the word", |cx| go(cx, Move::WordEnd(false))),
    command("vim.big-word-end", "To the end of the word between spaces", |cx| go(cx, Move::WordEnd(true))),
    command("vim.word-end-back", "To the end of the word before", |cx| go(cx, Move::WordEndBack(false))),
    command("vim.big-word-end-back", "To the end of the word between spaces before", |cx| {
        go(cx, Move::WordEndBack(true));
    }),
    command("vim.paragraph", "To the next empty line", |cx| go(cx, Move::Paragraph)),
    command("vim.paragraph-back", "To the empty line before", |cx| go(cx, Move::ParagraphBack)),
    command("vim.sentence", "To the next sentence", |cx| go(cx, Move::Sentence)),
    command("vim.sentence-back", "To the start of the sentence", |cx| go(cx, Move::SentenceBack)),
    command("vim.find", "To a character in the line", |cx| {
        wait(cx, Ask::Find { forward: true, till: false });
    }),
    command("vim.till", "Up to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: true, till: true });
    }),
    command("vim.find-back", "Back to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: false, till: false });
    }),
    command("vim.till-back", "Back up to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: false, till: true });
    }),
    command("vim.find-again", "Look for the character in the line again", |cx| moves::find_again(cx, false)),
    command("vim.find-again-back", "Look for the character in the line again, the other way", |cx| {
        moves::find_again(cx, true);
    }),
    command("vim.screen-top", "To the first line of the screen", |cx| moves::screen_line(cx, Column(0))),
    command("vim.screen-middle", "To the middle line of the screen", |cx| moves::screen_line(cx, Column(1))),
    command("vim.screen-bottom", "To the last line of the screen", |cx| moves::screen_line(cx, Column(2))),
    command("vim.search", "Look for a pattern", |cx| seek::begin(cx, true)),
    command("vim.search-back", "Look backwards for a pattern", |cx| seek::begin(cx, false)),
    command("vim.search-next", "To the next match", |cx| seek::again(cx, false)),
    command("vim.search-previous", "To the previous match", |cx| seek::again(cx, true)),
    command("vim.search-word", "To the next place with this word", |cx| seek::word(cx, true, true)),
    command("vim.search-word-back", "To the previous place with this word", |cx| seek::word(cx, false, true)),
    command("vim.search-part", "To the next place with this text", |cx| seek::word(cx, true, false)),
    command("vim.search-part-back", "To the previous place with this text", |cx| {
        seek::word(cx, false, false);
    }),
    command("vim.mark-line", "To the line of a mark", |cx| wait(cx, Ask::GoMark(true))),
    command("vim.mark", "To a mark", |cx| wait(cx, Ask::GoMark(false))),
    command("vim.half-page-down", "Half a page down", |cx| scroll::page(cx, true, true)),
    command("vim.half-page-up", "Half a page up", |cx| scroll::page(cx, false, true)),
    command("vim.page-down", "One page down", |cx| scroll::page(cx, true, false)),
    command("vim.page-up", "One page up", |cx| scroll::page(cx, false, false)),
    command("vim.scroll-down", "Scroll down by a line", |cx| scroll::scroll(cx, true)),
    command("vim.scroll-up", "Scroll up by a line", |cx| scroll::scroll(cx, false)),
    command("vim.line-to-top", "Scroll the line to the top", |cx| scroll::place(cx, To::Top)),
    command("vim.line-to-middle", "Scroll the line to the middle", |cx| scroll::place(cx, To::Middle)),
    command("vim.line-to-bottom", "Scroll the line to the bottom", |cx| scroll::place(cx, To::Bottom)),
];
