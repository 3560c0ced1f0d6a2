//! Tests of the bytes: short, and right on an emulated terminal.

mod links;

use std::num::NonZeroU16;
use std::sync::Arc;

use proptest::prelude::*;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::*;
use crate::tui::canvas::Canvas;
use crate::tui::images::encoded::EncodedImage;
use crate::tui::images::placeholder::{self, ImageId};
use crate::tui::theme::scheme::Theme;

const COLS: u16 = 24;
const ROWS: u16 = 5;

/// A buffer with texts at places.
fn buffer(texts: &[(u16, u16, &str, Style)]) -> Buffer {
    let area = Rect::new(0, 0, COLS, ROWS);
    let mut buffer = Buffer::empty(area);
    for (x, y, text, style) in texts {
        Canvas::new(&mut buffer, area, area, &Theme::builtin(), ColorDepth::True).text(*x, *y, text, *style);
    }
    buffer
}

/// The whole screen.
const ALL: [Rect; 1] = [Rect::new(0, 0, COLS, ROWS)];

/// The bytes from one buffer to another, with the terminal plain and its cursor at the top left.
fn bytes(shown: &Buffer, next: &Buffer) -> String {
    let mut writer = Writer::new(ColorDepth::True);
    writer.clear();
    writer.take();
    let mut shown = shown.clone();
    writer.difference(&mut shown, next, &ALL);
    assert_eq!(&shown, next, "what is shown is kept");
    String::from_utf8(writer.take().0).unwrap()
}

#[track_caller]
fn check(before: &[(u16, u16, &str, Style)], after: &[(u16, u16, &str, Style)], expected: &str) {
    assert_eq!(bytes(&buffer(before), &buffer(after)), expected);
}

#[test]
fn writer_colors_underlines_only_where_the_terminal_has_that() {
    let line = Style::new().add_modifier(Modifier::UNDERLINED);
    let mut next = buffer(&[(0, 0, "a", line), (1, 0, "b", line), (2, 0, "c", Style::new())]);
    next[(0, 0)].underline_color = Color::Indexed(167);
    let written = |colored: bool, depth| {
        let mut writer = Writer::new(depth);
        writer.set_colored_underlines(colored);
        writer.clear();
        writer.take();
        writer.difference(&mut buffer(&[]), &next, &ALL);
        String::from_utf8(writer.take().0).unwrap()
    };
    assert_eq!(written(true, ColorDepth::True), "\x1b[4;4:3;58:5:167ma\x1b[0;4mb\x1b[mc");
    for plain in [written(false, ColorDepth::True), written(true, ColorDepth::None)] {
        assert_eq!(plain, "\x1b[4mab\x1b[mc");
    }
}

#[test]
fn writer_writes_only_changed_cells() {
    let plain = Style::new();
    check(&[(0, 0, "abc", plain)], &[(0, 0, "abc", plain)], "");
    check(&[(0, 0, "abcdef", plain)], &[(0, 0, "abcdeX", plain)], "\x1b[5CX");
    check(&[(0, 0, "abcdef", plain)], &[(0, 0, "XbcdeX", plain)], "X\x1b[4CX");
    check(&[(0, 0, "abcd", plain)], &[(0, 0, "XbcX", plain)], "XbcX");
    check(&[], &[(0, 1, "x", plain)], "\nx");
    check(&[], &[(4, 4, "x", plain)], "\x1b[5;5Hx");
}

#[test]
fn writer_writes_only_changed_attributes() {
    let (plain, bold) = (Style::new(), Style::new().bold());
    let red = Style::new().fg(Color::Indexed(1));
    check(&[], &[(0, 0, "a", bold), (1, 0, "b", bold.patch(red))], "\x1b[1ma\x1b[31mb");
    check(&[], &[(0, 0, "a", red), (1, 0, "b", plain)], "\x1b[31ma\x1b[mb");
    check(&[], &[(0, 0, "a", bold.patch(red)), (1, 0, "b", red)], "\x1b[1;31ma\x1b[22mb");
    check(&[], &[(0, 0, "a", bold.dim()), (1, 0, "b", Style::new().dim())], "\x1b[1;2ma\x1b[0;2mb");
}

#[test]
fn writer_reduces_colors_by_depth() {
    let style = Style::new().fg(Color::Rgb(255, 0, 0)).bg(Color::Rgb(0, 0, 0)).bold();
    let next = buffer(&[(0, 0, "x", style)]);
    for (depth, bytes) in [
        (ColorDepth::True, "\x1b[1;38;2;255;0;0;48;2;0;0;0mx"),
        (ColorDepth::Ansi256, "\x1b[1;38;5;196;48;5;16mx"),
        (ColorDepth::Ansi16, "\x1b[1;91;40mx"),
        (ColorDepth::None, "\x1b[1mx"),
    ] {
        let mut writer = Writer::new(depth);
        writer.clear();
        writer.take();
        writer.difference(&mut buffer(&[]), &next, &ALL);
        assert_eq!(String::from_utf8(writer.take().0).unwrap(), bytes, "{depth:?}");
    }
}

#[test]
fn writer_shorter_line_is_erased() {
    let plain = Style::new();
    check(&[(0, 0, "a long line of text", plain)], &[(0, 0, "a", plain)], "\x1b[2C\x1b[K");
    let blue = Style::new().bg(Color::Indexed(4));
    let written = bytes(&buffer(&[]), &buffer(&[(0, 0, "                        ", blue)]));
    assert!(!written.contains("\x1b[K"), "{written:?}");
}

#[test]
fn writer_ambiguous_width_clusters_are_rewritten() {
    let plain = Style::new();
    let family = "👩\u{200d}👩\u{200d}👧";
    let line = format!("{family}abc");
    check(&[(2, 0, "abc", plain)], &[(0, 0, &line, plain)], &format!("  \r{family}\x1b[1;3Habc\x1b[K"));
}

#[test]
fn writer_cluster_at_the_edge_does_not_reach_the_next_row() {
    let plain = Style::new();
    let family = "👩\u{200d}👩\u{200d}👧";
    let written = bytes(&buffer(&[]), &buffer(&[(COLS - 2, 0, family, plain)]));
    assert!(written.ends_with("👩"), "{written:?}");
    let written = bytes(&buffer(&[]), &buffer(&[(COLS - 6, 0, family, plain)]));
    assert!(written.contains(family), "{written:?}");
}

/// The emulated terminal after some bytes, as cells and styles.
fn emulated(bytes: &[u8]) -> Vec<String> {
    let mut parser = vt100::Parser::new(NonZeroU16::new(ROWS).unwrap(), NonZeroU16::new(COLS).unwrap(), 0);
    parser.process(bytes);
    cells(|x, y| {
        let cell = parser.screen().cell(y, x).expect("the emulator has the same size");
        let text = if cell.is_wide_continuation() { "" } else { cell.contents() };
        let text = if text.is_empty() && !cell.is_wide_continuation() { " " } else { text };
        // The color of a blank's text is not seen.
        let fg = if text == " " && !cell.inverse() { vt100::Color::Default } else { cell.fgcolor() };
        (text.to_string(), format!("{fg:?}{:?}{}{}", cell.bgcolor(), cell.bold(), cell.inverse()))
    })
}

fn expected(buffer: &Buffer) -> Vec<String> {
    let color = |color: Color| match color {
        Color::Indexed(n) => vt100::Color::Idx(n),
        Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
        _ => vt100::Color::Default,
    };
    cells(|x, y| {
        let cell = &buffer[(x, y)];
        let (bold, inverse) =
            (cell.modifier.contains(Modifier::BOLD), cell.modifier.contains(Modifier::REVERSED));
        let symbol = cell.symbol().to_string();
        // The emulator keeps no style in the second half of a wide character.
        let fg = if symbol == " " && !inverse { vt100::Color::Default } else { color(cell.fg) };
        let style = format!("{fg:?}{:?}{bold}{inverse}", color(cell.bg));
        (symbol, style)
    })
}

fn cells(cell: impl Fn(u16, u16) -> (String, String)) -> Vec<String> {
    let places = (0..ROWS).flat_map(|y| (0..COLS).map(move |x| (x, y)));
    let show = |(x, y): (u16, u16)| {
        let (symbol, style) = cell(x, y);
        if symbol.is_empty() { format!("{x},{y} half") } else { format!("{x},{y} {symbol:?} {style}") }
    };
    places.map(show).collect()
}

fn style() -> impl Strategy<Value = Style> {
    let color = || {
        prop::option::of(prop::sample::select(vec![
            Color::Indexed(1),
            Color::Indexed(12),
            Color::Indexed(200),
            Color::Rgb(1, 2, 3),
        ]))
    };
    (color(), color(), any::<bool>(), any::<bool>()).prop_map(|(fg, bg, bold, reversed)| {
        let style = Style { fg, bg, ..Style::new() };
        let style = if bold { style.bold() } else { style };
        if reversed { style.reversed() } else { style }
    })
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(192))]

    #[test]
    fn writer_any_frames_match_terminal(
        frames in prop::collection::vec(prop::collection::vec(
            (0..COLS, 0..ROWS, "[a-c漢字é ]{0,24}", style()), 0..6), 1..6),
        erase_colored in any::<bool>(),
    ) {
        let mut writer = Writer::new(ColorDepth::True);
        writer.set_erase_colored(erase_colored);
        writer.clear();
        let mut shown = buffer(&[]);
        let mut stream = Vec::new();
        for texts in &frames {
            let texts: Vec<_> = texts.iter().map(|(x, y, text, style)| (*x, *y, text.as_str(), *style)).collect();
            let next = buffer(&texts);
            writer.difference(&mut shown, &next, &ALL);
            stream.extend(writer.take().0);
            prop_assert_eq!(emulated(&stream), expected(&next));
            prop_assert_eq!(&shown, &next);
        }
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(512))]

    #[test]
    fn writer_difference_in_drawn_areas_is_found(
        before in prop::collection::vec((0..COLS, 0..ROWS, "[a-c漢字é ]{0,24}", style()), 0..6),
        drawn in prop::collection::vec(
            ((0..COLS, 0..ROWS, 0..COLS, 0..ROWS), 0..COLS, "[a-c漢字 ]{0,24}", style()), 0..4),
    ) {
        let before: Vec<_> = before.iter().map(|(x, y, text, style)| (*x, *y, text.as_str(), *style)).collect();
        let mut shown = buffer(&before);
        let mut next = shown.clone();
        let mut places = Vec::new();
        for ((x, y, width, height), at, text, style) in &drawn {
            let clip = Rect::new(*x, *y, *width, *height).intersection(ALL[0]);
            let theme = Theme::builtin();
            let mut canvas = Canvas::new(&mut next, ALL[0], clip, &theme, ColorDepth::True);
            canvas.fill(Rect::new(0, 0, COLS, ROWS), Style::new());
            for row in clip.top()..clip.bottom() {
                canvas.text(*at, row, text, *style);
            }
            places.push(clip);
        }
        let mut writer = Writer::new(ColorDepth::True);
        writer.clear();
        writer.difference(&mut buffer(&[]), &shown, &ALL);
        writer.difference(&mut shown, &next, &places);
        prop_assert_eq!(&shown, &next);
        prop_assert_eq!(emulated(&writer.take().0), expected(&next));
    }
}

/// A row of colored words with a border and a text behind it, as an editor beside another pane.
fn panes(words: &[(String, Style)]) -> Buffer {
    let mut texts: Vec<(u16, u16, &str, Style)> = Vec::new();
    let mut x = 0;
    for (word, style) in words {
        let room = usize::from(18u16.saturating_sub(x)).min(word.len());
        texts.push((x, 1, &word[..room], *style));
        x += room as u16;
    }
    texts.push((18, 1, "│", Style::new().fg(Color::Indexed(2))));
    texts.push((20, 1, "pane", Style::new()));
    buffer(&texts)
}

#[test]
fn writer_typing_in_colored_line_shifts_cells() {
    let red = Style::new().fg(Color::Rgb(200, 10, 10));
    let blue = Style::new().fg(Color::Rgb(10, 10, 200));
    let words: Vec<(String, Style)> = ["fn", " ", "a", "(", "b", ")", " ", "{", "x", "}"]
        .iter()
        .zip([red, blue].into_iter().cycle())
        .map(|(w, s)| ((*w).to_string(), s))
        .collect();
    let mut typed = words.clone();
    typed.insert(0, ("y".to_string(), red));
    let (before, after) = (panes(&words), panes(&typed));
    let way = bytes(&before, &after);
    assert!(way.contains("\x1b[@") && way.len() < 40, "{} bytes: {way:?}", way.len());
    let back = bytes(&after, &before);
    assert!(back.contains("\x1b[P") && back.len() < 40, "{} bytes: {back:?}", back.len());
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn writer_shifted_rows_match_terminal(
        words in prop::collection::vec(("[a-z ]{1,3}", style()), 1..10),
        at in 0usize..10,
        inserted in ("[a-z]{1,5}", style()),
        back in any::<bool>(),
    ) {
        let mut typed = words.clone();
        typed.insert(at.min(words.len()), inserted);
        let (first, second) = if back { (panes(&typed), panes(&words)) } else { (panes(&words), panes(&typed)) };
        let mut writer = Writer::new(ColorDepth::True);
        writer.clear();
        let mut shown = buffer(&[]);
        writer.difference(&mut shown, &first, &ALL);
        writer.difference(&mut shown, &second, &ALL);
        prop_assert_eq!(&shown, &second);
        prop_assert_eq!(emulated(&writer.take().0), expected(&second));
    }
}

/// An image of letters, so that the emulated terminal shows which of its cells are there.
fn letters(number: u16, cols: u16, rows: u16) -> Arc<EncodedImage> {
    let row = |row: u16| (0..cols).map(|col| letter(number, row, col)).collect::<String>();
    let rows: Vec<String> = (0..rows).map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    Arc::new(EncodedImage::of_rows(ImageId::new(number), cols, &rows))
}

fn letter(number: u16, row: u16, col: u16) -> char {
    char::from(b'A' + (number * 7 + row * 5 + col) as u8 % 26)
}

/// What the terminal shows for a buffer: letters in place of images, except in the last row.
fn with_letters(buffer: &Buffer) -> Vec<String> {
    let mut shown = buffer.clone();
    for (at, cell) in shown.content.iter_mut().enumerate() {
        if let Some(part) = placeholder::get(cell) {
            let is_last = at >= usize::from(COLS * (ROWS - 1));
            let number = (0..3).find(|n| ImageId::new(*n) == part.id).unwrap();
            let sign = if is_last { ' ' } else { letter(number, part.row, part.col) };
            cell.set_char(sign);
        }
    }
    texts(&expected(&shown))
}

/// Only the characters: the letters of an image have the colors that were left.
fn texts(cells: &[String]) -> Vec<String> {
    let text = |cell: &String| cell.split('"').nth(1).unwrap_or_default().to_string();
    cells.iter().map(text).collect()
}

/// Something drawn: a text or an image at a place.
type Drawn = (u16, u16, String, Option<(u16, u16, u16)>);

fn draw_images(drawn: &[Drawn]) -> (Buffer, Vec<Arc<EncodedImage>>) {
    let area = Rect::new(0, 0, COLS, ROWS);
    let (mut buffer, mut images) = (Buffer::empty(area), Vec::new());
    let theme = Theme::builtin();
    for (x, y, text, image) in drawn {
        let canvas = Canvas::new(&mut buffer, area, area, &theme, ColorDepth::True);
        let mut canvas = canvas.with_images(&mut images);
        match image {
            // One that is partly above its place, as after scrolling. Images do not cover each other.
            Some((number, first, count)) => {
                let image = letters(*number, 6, 4);
                for row in *first..(first + count).min(4) {
                    canvas.image_row(number * 8, y + row - first, &image, row);
                }
            }
            None => {
                canvas.text(*x, *y, text, Style::new());
            }
        }
    }
    (buffer, images)
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(512))]
    #[test]
    fn writer_any_frames_with_images_match_terminal(
        frames in prop::collection::vec(prop::collection::vec(
            (0..COLS, 0..ROWS, "[a-c漢 ]{0,24}", prop::option::of((0..3u16, 0..4u16, 0..5u16))), 0..6), 1..6),
    ) {
        let mut writer = Writer::new(ColorDepth::True);
        writer.clear();
        let mut shown = buffer(&[]);
        let mut stream = Vec::new();
        for drawn in &frames {
            let (next, images) = draw_images(drawn);
            writer.add_images(images);
            writer.difference(&mut shown, &next, &ALL);
            stream.extend(writer.take().0);
            prop_assert_eq!(texts(&emulated(&stream)), with_letters(&next));
            prop_assert_eq!(&shown, &next);
        }
        let mut whole = Writer::new(ColorDepth::True);
        for (number, cols, rows) in [(0, 6, 4), (1, 6, 4), (2, 6, 4)] {
            whole.add_images(vec![letters(number, cols, rows)]);
        }
        whole.clear();
        whole.write_all(&shown);
        prop_assert_eq!(texts(&emulated(&whole.take().0)), texts(&emulated(&stream)));
    }
}

#[test]
fn writer_image_is_drawn_again_only_where_it_changed() {
    let (first, images) = draw_images(&[(2, 0, String::new(), Some((1, 0, 4)))]);
    let mut writer = Writer::new(ColorDepth::True);
    writer.clear();
    let mut shown = buffer(&[]);
    writer.add_images(images);
    writer.difference(&mut shown, &first, &ALL);
    writer.take();
    let covered = [(2, 0, String::new(), Some((1, 0, 4))), (10, 1, "pop".to_string(), None)];
    let (second, images) = draw_images(&covered);
    writer.add_images(images);
    writer.difference(&mut shown, &second, &ALL);
    let over = String::from_utf8(writer.take().0).unwrap();
    assert!(over.contains("pop") && !over.contains(letter(1, 1, 0)), "{over:?}");
    writer.difference(&mut shown, &first, &ALL);
    let back = String::from_utf8(writer.take().0).unwrap();
    assert!(back.contains(letter(1, 1, 0)) && !back.contains(letter(1, 2, 5)), "{back:?}");
}

#[test]
fn writer_sent_image_scrolls_as_text() {
    let image = Arc::new(EncodedImage::of_data(ImageId::new(9), (6, 4), "<data>"));
    let frame = |at: u16| {
        let area = Rect::new(0, 0, COLS, ROWS);
        let (mut buffer, mut images, theme) = (Buffer::empty(area), Vec::new(), Theme::builtin());
        let mut canvas =
            Canvas::new(&mut buffer, area, area, &theme, ColorDepth::Ansi16).with_images(&mut images);
        (0..4).for_each(|row| canvas.image_row(0, at + row, &image, row));
        (buffer, images)
    };
    let mut writer = Writer::new(ColorDepth::Ansi256);
    writer.clear();
    let mut shown = buffer(&[]);
    let (first, images) = frame(0);
    writer.add_images(images);
    writer.difference(&mut shown, &first, &ALL);
    let sent = String::from_utf8(writer.take().0).unwrap();
    assert!(sent.contains("<data>") && sent.find("<data>") < sent.find('\u{10eeee}'), "{sent:?}");
    assert_eq!(emulated(sent.replace("<data>", "").as_bytes()), expected(&first));
    let (second, images) = frame(1);
    writer.add_images(images);
    writer.difference(&mut shown, &second, &ALL);
    let moved = String::from_utf8(writer.take().0).unwrap();
    assert!(!moved.contains("<data>"), "{moved:?}");
    assert_eq!(emulated((sent.replace("<data>", "") + &moved).as_bytes()), expected(&second));
}

#[test]
fn writer_halves_of_image_cell_may_have_one_color() {
    let area = Rect::new(0, 0, COLS, ROWS);
    let mut next = Buffer::empty(area);
    for (x, symbol) in [(0, "▀"), (2, "a")] {
        next[(x, 0)].set_symbol(symbol).set_fg(Color::Rgb(0, 0, 128)).set_bg(Color::Rgb(0, 4, 128));
    }
    let mut writer = Writer::new(ColorDepth::Ansi256);
    writer.clear();
    writer.difference(&mut buffer(&[]), &next, &ALL);
    let sent = String::from_utf8(writer.take().0).unwrap();
    let image = &sent[..sent.find('▀').unwrap()];
    assert!(image.contains("38;5;18") && image.contains("48;5;18"), "{sent:?}");
    let text = &sent[image.len()..sent.find('a').unwrap()];
    assert!(text.contains("\x1b[97m"), "{sent:?}");
}
