//! Tests of links: on an emulated terminal, a cell has the link that was drawn there and no other.

use alacritty_terminal::Term;
use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::Config;
use alacritty_terminal::vte::ansi::{Processor, StdSyncHandler};
use proptest::prelude::*;
use ratatui::style::Style;

use super::super::*;
use crate::tui::canvas::Canvas;
use crate::tui::theme::scheme::Theme;

const COLS: u16 = 60;
const ROWS: u16 = 8;
const ALL: Rect = Rect::new(0, 0, COLS, ROWS);

struct Size;

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        ROWS.into()
    }

    fn screen_lines(&self) -> usize {
        ROWS.into()
    }

    fn columns(&self) -> usize {
        COLS.into()
    }
}

/// Where a text is, and the number of its link.
type Drawn = (u16, u16, String, Option<u8>);

fn target(number: u8) -> String {
    format!("https://a.example/{number}")
}

/// A frame with texts at places, and the characters and links that it must show.
fn frame(writer: &mut Writer, texts: &[Drawn]) -> (Buffer, Vec<(char, Option<String>)>) {
    let mut next = Buffer::empty(ALL);
    let theme = Theme::builtin();
    let mut cells = vec![(' ', None); usize::from(COLS * ROWS)];
    for (x, y, text, link) in texts {
        let mut canvas =
            Canvas::new(&mut next, ALL, ALL, &theme, ColorDepth::True).with_links(&mut writer.links);
        let end = canvas.text(*x, *y, text, Style::new()).min(COLS);
        let link = link.map(target);
        if let Some(link) = &link {
            canvas.put_link(Rect::new(*x, *y, end.saturating_sub(*x), 1), &link.as_str().into());
        }
        for (x, c) in (*x..end).zip(text.chars()) {
            cells[usize::from(*y * COLS + x)] = (c, link.clone());
        }
    }
    (next, cells)
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (0..COLS, 0..ROWS, "[a-c ]{1,40}", prop::option::of(0..3u8))
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn writer_any_frames_with_links_match_terminal(
        frames in prop::collection::vec((prop::collection::vec(drawn(), 0..6), any::<bool>()), 1..8),
        erase_colored in any::<bool>(),
    ) {
        let mut writer = Writer::new(ColorDepth::True);
        writer.set_erase_colored(erase_colored);
        writer.clear();
        let mut terminal = Term::new(Config::default(), &Size, VoidListener);
        let mut parser = Processor::<StdSyncHandler>::new();
        let mut shown = Buffer::empty(ALL);
        let mut texts: Vec<Drawn> = Vec::new();
        for (more, scrolls) in frames {
            if scrolls {
                // As a list that scrolls by a row.
                texts = texts.into_iter().filter(|text| text.1 > 0).map(|text| (text.0, text.1 - 1, text.2, text.3)).collect();
            } else {
                texts.clear();
            }
            texts.extend(more);
            let (next, cells) = frame(&mut writer, &texts);
            writer.difference(&mut shown, &next, &[ALL]);
            parser.advance(&mut terminal, &writer.take().0);
            prop_assert_eq!(&shown, &next);
            for (at, (c, link)) in cells.iter().enumerate() {
                let (y, x) = (at / usize::from(COLS), at % usize::from(COLS));
                let cell = &terminal.grid()[Line(y as i32)][Column(x)];
                let is = (cell.c, cell.hyperlink().map(|link| link.uri().to_string()));
                prop_assert_eq!((c, link), (&is.0, &is.1), "row {} column {}", y, x);
            }
        }
    }
}

#[test]
fn writer_link_costs_two_sequences_and_ends_with_frame() {
    let mut writer = Writer::new(ColorDepth::True);
    writer.clear();
    writer.take();
    let (next, _) = frame(&mut writer, &[(0, 0, "see ".into(), None), (4, 0, "this".into(), Some(7))]);
    writer.difference(&mut Buffer::empty(ALL), &next, &[ALL]);
    let bytes = String::from_utf8(writer.take().0).unwrap();
    assert_eq!(bytes, "see \x1b]8;id=1;https://a.example/7\x1b\\this\x1b]8;;\x1b\\");
}
