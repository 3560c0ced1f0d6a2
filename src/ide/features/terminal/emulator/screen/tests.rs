//! What programs print, and what is shown of it.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::*;
use crate::base::width::is_unsafe;
use crate::ide::features::terminal::emulator::paint;
use crate::tui::canvas::Canvas;
use crate::tui::theme::{ColorDepth, Theme};

fn fed(cols: u16, rows: u16, bytes: &[u8]) -> Emulator {
    let mut emulator = Emulator::new(cols, rows);
    emulator.feed(bytes);
    emulator
}

/// Rows as text; blanks that are left out of runs come back.
fn shown(grid: &Grid) -> Vec<String> {
    let row = |row: &Arc<Row>| {
        let (mut text, mut x) = (String::new(), 0);
        for run in &**row {
            text.push_str(&" ".repeat(usize::from(run.x - x)));
            text.push_str(&run.text);
            x = run.x + run.cols;
        }
        text
    };
    grid.rows.iter().map(row).collect()
}

fn text(cols: u16, rows: u16, bytes: &[u8]) -> Vec<String> {
    shown(&fed(cols, rows, bytes).grid())
}

#[test]
fn terminal_text_is_placed_by_cursor_escapes() {
    assert_eq!(text(8, 3, b"one\r\n  two\x1b[1;6Hx"), ["one  x", "  two", ""]);
    assert_eq!(text(6, 2, "漢字é\u{301}x".as_bytes()), ["漢字é\u{301}x", ""]);
    assert_eq!(text(3, 2, "a漢字".as_bytes()), ["a漢", "字"]);
    assert_eq!(text(4, 2, b"\x1b[8mab\x1b[mc"), ["  c", ""]);
}

#[test]
fn terminal_resize_rewraps_and_rejoins_lines() {
    let mut emulator = fed(8, 2, b"abcdefgh\r\n$ ");
    emulator.resize(4, 2);
    assert_eq!(shown(&emulator.grid()), ["efgh", "$"]);
    emulator.scroll(ScrollBy::Top);
    assert_eq!(shown(&emulator.grid()), ["abcd", "efgh"]);
    emulator.resize(8, 2);
    assert_eq!(shown(&emulator.grid()), ["abcdefgh", "$"]);
    emulator.resize(0, 0);
    assert_eq!(emulator.grid().rows.len(), 1);
}

#[test]
fn terminal_styles_follow_sgr_and_palette() {
    let mut emulator = fed(20, 1, b"\x1b[1;31ma\x1b[0;48;5;200mb\x1b[0;38;2;1;2;3;7mc\x1b[0;4:3;2md\x1b[me");
    let grid = emulator.grid();
    let styles: Vec<Style> = grid.rows[0].iter().map(|run| run.style).collect();
    let none = Style::default();
    assert_eq!(
        styles,
        [
            none.fg(Color::Indexed(1)).add_modifier(Modifier::BOLD),
            none.bg(Color::Indexed(200)),
            none.fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::REVERSED),
            none.add_modifier(Modifier::DIM | Modifier::UNDERLINED),
            none,
        ]
    );
    emulator.feed(b"\x1b]4;1;rgb:0a/0b/0c\x07");
    assert_eq!(emulator.grid().rows[0][0].style.fg, Some(Color::Rgb(10, 11, 12)));
}

#[test]
fn terminal_alternate_screen_keeps_primary_screen() {
    let mut emulator = fed(8, 2, b"shell\x1b[?1049h\x1b[2J\x1b[Hfull");
    let grid = emulator.grid();
    assert_eq!((shown(&grid)[0].as_str(), grid.modes.wheel_keys), ("full", true));
    emulator.feed(b"\x1b[?1049l");
    let grid = emulator.grid();
    assert_eq!((shown(&grid)[0].as_str(), grid.modes.wheel_keys), ("shell", false));
}

#[test]
fn terminal_grid_reports_modes_title_and_cursor() {
    let mut emulator =
        fed(8, 2, b"\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[6 q\x1b]2;a\x1b[31mb\x07");
    let grid = emulator.grid();
    let wanted = Modes {
        app_cursor: true,
        bracketed_paste: true,
        wheel_keys: false,
        mouse: MouseReporting::Drags,
        sgr_mouse: true,
        focus: true,
    };
    assert_eq!((grid.modes, grid.shape, grid.cursor), (wanted, CursorShape::Bar, Some((1, 0))));
    emulator.feed("\x1b[?25l\x1b]2;".as_bytes());
    emulator.feed("漢".repeat(500).as_bytes());
    emulator.feed(b"\x07");
    let grid = emulator.grid();
    assert_eq!((grid.cursor, grid.title.map(|title| title.chars().count())), (None, Some(TITLE_MAX)));
}

#[test]
fn terminal_queries_are_answered_within_limit() {
    let mut emulator = fed(8, 2, b"ab\x1b[6n\x1b[c");
    assert_eq!(emulator.take_replies(), b"\x1b[1;3R\x1b[?6c");
    assert_eq!(emulator.take_replies(), b"");
    emulator.feed(&b"\x1b[c".repeat(100_000));
    assert!(emulator.take_replies().len() <= REPLIES_MAX);
    emulator.feed(b"\x1b]52;c;?\x07\x1b]52;p;?\x07\x1b]11;?\x07");
    assert_eq!(emulator.take_replies(), b"", "the clipboard is not told");
    assert!(!emulator.take_copied());
    emulator.feed(b"\x1b]52;c;aGFsbG8=\x07");
    assert!(emulator.take_copied());
}

#[test]
fn terminal_unchanged_rows_are_shared() {
    let mut emulator = fed(8, 3, b"one\r\ntwo\r\n");
    let before = emulator.grid();
    emulator.feed(b"x");
    let after = emulator.grid();
    let same: Vec<bool> = before.rows.iter().zip(&after.rows).map(|(a, b)| Arc::ptr_eq(a, b)).collect();
    assert_eq!(same, [true, true, false]);
}

#[test]
fn terminal_scrollback_shows_earlier_rows() {
    let mut emulator = fed(8, 2, b"1\r\n2\r\n3\r\n4");
    emulator.scroll(ScrollBy::Rows(1));
    let grid = emulator.grid();
    assert_eq!((shown(&grid), grid.back, grid.cursor), (vec!["2".into(), "3".into()], 1, None));
    emulator.scroll(ScrollBy::Top);
    assert_eq!(shown(&emulator.grid()), ["1", "2"]);
    emulator.scroll(ScrollBy::Pages(-1));
    assert_eq!(shown(&emulator.grid()), ["2", "3"]);
    emulator.scroll(ScrollBy::Bottom);
    assert_eq!(emulator.grid().back, 0);
}

#[test]
fn terminal_selection_by_chars_words_lines_and_block() {
    let mut emulator = fed(10, 3, "one two\r\n漢字 b\r\nlast".as_bytes());
    let mut of = |unit, from, to| {
        emulator.select(from, false, unit);
        emulator.select_to(to, true);
        emulator.selected_text().unwrap_or_default()
    };
    assert_eq!(of(SelectionUnit::Chars, (4, 0), (3, 1)), "two\n漢字");
    assert_eq!(of(SelectionUnit::Words, (5, 0), (5, 0)), "two");
    assert_eq!(of(SelectionUnit::Lines, (1, 1), (1, 1)), "漢字 b\n");
    assert_eq!(of(SelectionUnit::Block, (0, 0), (1, 2)), "on\n漢\nla");
    assert!(emulator.grid().is_selected);
    emulator.unselect();
    assert_eq!((emulator.selected_text(), emulator.grid().is_selected), (None, false));
}

#[test]
fn terminal_word_spans_wrapped_rows() {
    let emulator = fed(8, 4, "at (src/größe.rs:7:3) x".as_bytes());
    for at in [(4, 0), (1, 1), (0, 2)] {
        assert_eq!(emulator.word_at(at), "src/größe.rs:7:3", "{at:?}");
    }
    assert_eq!(emulator.word_at((0, 0)), "at");
    assert_eq!(emulator.word_at((7, 3)), "");
}

#[test]
fn terminal_synchronized_update_times_out() {
    let mut emulator = fed(8, 1, b"\x1b[?2026hnew");
    assert_eq!(shown(&emulator.grid()), [""]);
    assert!(emulator.sync_deadline().is_some());
    emulator.end_sync();
    assert_eq!((shown(&emulator.grid()), emulator.sync_deadline()), (vec!["new".to_string()], None));
}

#[test]
fn terminal_combining_marks_are_limited_per_cell() {
    for (before, column) in [("e", 0), ("\u{6f22}", 0), ("1234567e", 7)] {
        let mut emulator = fed(8, 2, before.as_bytes());
        for _ in 0..20 {
            emulator.feed("\u{301}".repeat(5000).as_bytes());
        }
        let marks = |emulator: &Emulator| {
            let cell = &emulator.term.grid()[Line(0)][Column(column)];
            cell.zerowidth().map_or(0, <[char]>::len)
        };
        assert_eq!(marks(&emulator), paint::MARKS_MAX, "{before}");
        emulator.feed("\u{301}".as_bytes());
        assert!(shown(&emulator.grid())[0].contains(&"\u{301}".repeat(paint::MARKS_MAX)));
    }
}

#[test]
fn terminal_truncated_title_still_ends() {
    let mut emulator = fed(8, 1, b"\x1b]2;");
    for _ in 0..100 {
        emulator.feed(&[b'x'; 10_000]);
    }
    emulator.feed(b"\x07end");
    let grid = emulator.grid();
    assert_eq!((shown(&grid), grid.title), (vec!["end".to_string()], Some("x".repeat(TITLE_MAX))));
}

#[test]
fn terminal_half_wide_character_is_not_drawn() {
    let mut emulator = fed(4, 1, "a漢\x1b[H\x1b[4hb".as_bytes());
    assert_eq!(shown(&emulator.grid()), ["ba漢"]);
    emulator.feed(b"b");
    assert!(emulator.grid().rows[0].iter().all(|run| run.x + run.cols <= 4 && !run.text.contains('漢')));
}

#[test]
fn terminal_overlong_word_is_empty() {
    let mut emulator = fed(20, 5, b"x\x1b[9999b");
    assert_eq!(emulator.word_at((3, 3)), "");
    emulator.feed(b"\r\nsrc/a.rs:3 x");
    assert_eq!(emulator.word_at((3, 4)), "src/a.rs:3");
}

/// What programs print, often enough with sequences that mean something.
fn printed() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..20),
        "[a-z\u{301}漢👩\u{200d}\u{202e}\u{9b}\r\n\t]{0,9}".prop_map(String::into_bytes),
        "\u{1b}\\[[?>]?[0-9]{0,4}(;[0-9]{0,3}){0,3}[@-~]".prop_map(String::into_bytes),
        "\u{1b}\\][0-9]{1,3};[ -~]{0,9}\u{7}".prop_map(String::into_bytes),
        "\u{1b}[ #%()*+78cDEHMNOZ=>]?[0-9A-B]?".prop_map(String::into_bytes),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn terminal_any_output_is_safe_to_draw(
        parts in prop::collection::vec((printed(), 0..40u16, 0..12u16, 0..8u8), 0..6),
    ) {
        let mut emulator = Emulator::new(20, 5);
        for (bytes, x, y, what) in parts {
            emulator.feed(&bytes);
            match what {
                0 => emulator.resize(x, y),
                1 => emulator.scroll(ScrollBy::Rows(i32::from(x) - 20)),
                2 => emulator.select((x, y), true, SelectionUnit::Words),
                3 => emulator.select_to((x, y), false),
                4 => emulator.end_sync(),
                _ => {}
            }
            prop_assert!(emulator.word_at((x, y)).len() <= WORD_MAX);
            let _text = emulator.selected_text();
            let grid = emulator.grid();
            let area = Rect::new(0, 0, grid.cols, grid.rows.len() as u16);
            prop_assert!(grid.cursor.is_none_or(|(x, y)| x < area.width && y < area.height));
            let (mut buffer, theme) = (Buffer::empty(area), Theme::builtin());
            let mut canvas = Canvas::new(&mut buffer, area, area, &theme, ColorDepth::True);
            for (y, row) in (0..).zip(&grid.rows) {
                for run in &**row {
                    prop_assert!(run.x + run.cols <= grid.cols.max(run.x + 1), "{:?}", run);
                    canvas.text(run.x, y, &run.text, run.style);
                }
            }
            for cell in &buffer.content {
                prop_assert!(!cell.symbol().chars().any(is_unsafe), "{:?}", cell.symbol());
            }
        }
    }
}

/// A prompt, a command line and the output, as a shell with integration prints them.
fn command(line: &str, output: &str) -> String {
    format!("\x1b]133;A\x07$ \x1b]133;B\x07{line}\r\n\x1b]133;C\x07{output}\x1b]133;D;0\x07")
}

#[test]
fn terminal_last_command_is_that_before_the_prompt_or_the_running_one() {
    let mut emulator = fed(20, 5, command("ls", "a.rs\r\nb.rs\r\n").as_bytes());
    assert_eq!(emulator.last_command(), None, "no prompt after it yet");
    emulator.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07");
    let text = |command: &str, output: &str| {
        Some(prompts::CommandText { command: command.to_string(), output: output.to_string(), is_cut: false })
    };
    assert_eq!(emulator.last_command(), text("ls", "a.rs\nb.rs"));
    emulator.feed("echo 漢字 | a command that is wrapped\r\n\x1b]133;C\x07one\r\n\r\ntwo".as_bytes());
    assert_eq!(emulator.last_command(), text("echo 漢字 | a command that is wrapped", "one\n\ntwo"));
    assert_eq!(fed(20, 5, b"$ ls\r\na\r\n$ ").last_command(), None, "without marks");
}

#[test]
fn terminal_last_command_with_endless_output_is_cut_at_a_line() {
    let output = (0..9_000).map(|n| format!("line {n} of much output\r\n")).collect::<Vec<_>>().concat();
    let mut emulator = fed(80, 5, command("yes", &output).as_bytes());
    emulator.feed(b"\x1b]133;A\x07$ ");
    let text = emulator.last_command().unwrap();
    assert!(text.is_cut && text.output.len() < 100 << 10);
    assert!(text.output.starts_with("line ") && text.output.ends_with("line 8999 of much output"));
}

#[test]
fn terminal_scrolls_from_prompt_to_prompt() {
    let output = "out\r\n".repeat(10);
    let mut emulator = fed(
        20,
        5,
        (1..=3).map(|n| command(&format!("c{n}"), &output)).collect::<Vec<_>>().concat().as_bytes(),
    );
    emulator.feed(b"\x1b]133;A\x07$ ");
    let first = |emulator: &mut Emulator| shown(&emulator.grid())[0].clone();
    for expected in ["$ c3", "$ c2", "$ c1"] {
        assert!(emulator.scroll_to_prompt(true));
        assert_eq!(first(&mut emulator), expected);
    }
    assert!(!emulator.scroll_to_prompt(true), "there is none before");
    // Wrapped again, the marks are where the text is.
    emulator.resize(10, 4);
    assert!(emulator.scroll_to_prompt(false));
    assert_eq!(first(&mut emulator), "$ c2");
    assert!(emulator.scroll_to_prompt(false) && emulator.scroll_to_prompt(false));
    assert_eq!(emulator.grid().back, 0, "the last prompt is on the last screen");
    assert!(!emulator.scroll_to_prompt(false));
}

#[test]
fn terminal_marks_change_nothing_that_is_shown() {
    let marked = command("ls \x1b[31mred", "\x1b[mout\r\n");
    let plain = "$ ls \x1b[31mred\r\n\x1b[mout\r\n";
    assert_eq!(fed(20, 5, marked.as_bytes()).grid().rows, fed(20, 5, plain.as_bytes()).grid().rows);
}
