//! Image files in the editor: shown as images, with zoom, while their bytes stay what they are.

use std::io::Cursor;

use bowline::ide::core::keys::keymap::KeyContext;
use bowline::ide::features::image_files::view::IMAGE_FILES;
use bowline::ide::features::images::events;
use bowline::llm::providers::scripted::Turn;
use bowline::text::position::Byte;
use bowline::tui::caps::Caps;
use bowline::tui::input::{Input, Mods, Mouse, MouseKind};
use bowline::tui::theme::ColorDepth;
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use ratatui::style::Color;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

const LEFT: [u8; 4] = [200, 10, 10, 255];
const RIGHT: [u8; 4] = [10, 10, 200, 255];

/// A file with an image whose halves have different colors.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let color = |x| Rgba(if x < width / 2 { LEFT } else { RIGHT });
    let image = RgbaImage::from_fn(width, height, |x, _| color(x));
    DynamicImage::ImageRgba8(image).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// The number of cells of each half.
fn halves(ide: &mut TestIde) -> (usize, usize) {
    let buffer = ide.headless.app().screen.buffer();
    let count = |[r, g, b, _]: [u8; 4]| {
        let color = Color::Rgb(r, g, b);
        buffer.content.iter().filter(|cell| cell.fg == color && cell.bg == color).count()
    };
    (count(LEFT), count(RIGHT))
}

async fn opened(bytes: Vec<u8>) -> TestIde {
    IdeSetup::new().with("shot.png", bytes).size(80, 24).start().await
}

#[tokio::test]
async fn image_file_is_shown_and_says_what_it_is() {
    let mut ide = opened(png(64, 48)).await;
    assert_eq!(halves(&mut ide), (4 * 3, 4 * 3), "{}", ide.picture());
    assert!(ide.picture().contains("PNG 64x48 · 100 % (fit) · - + zoom"), "{}", ide.picture());
    assert_eq!(ide.state().key_context(), KeyContext::Image);
    ide.snap("image_file");
}

#[tokio::test]
async fn image_file_zooms_and_moves() {
    let mut ide = opened(png(1600, 800)).await;
    let fitted = halves(&mut ide);
    assert!(fitted.0 > 100 && fitted.0.abs_diff(fitted.1) <= 40, "{fitted:?}");
    ide.keys("+").await;
    assert!(!ide.picture().contains("(fit)") && halves(&mut ide).0 > fitted.0, "{}", ide.picture());
    ide.keys("1 Right Right Right Right").await;
    assert_eq!(halves(&mut ide).0, 0, "the right edge: {}", ide.picture());
    assert!(ide.picture().contains("100 %"), "{}", ide.picture());
    ide.keys("h h h h h h").await;
    assert_eq!(halves(&mut ide).1, 0, "the left edge: {}", ide.picture());
    ide.keys("0").await;
    assert_eq!(halves(&mut ide), fitted);
    ide.keys("- - - -").await;
    assert!(halves(&mut ide).0 < fitted.0);
}

#[tokio::test]
async fn image_file_zooms_and_moves_by_wheel() {
    let mut ide = opened(png(800, 1600)).await;
    let fitted = halves(&mut ide);
    let wheel = |ide: &mut TestIde, kind, mods| {
        ide.headless.input(Input::Mouse(Mouse { kind, col: 20, row: 10, mods }));
    };
    wheel(&mut ide, MouseKind::ScrollUp, Mods::CTRL);
    ide.headless.idle().await;
    assert!(halves(&mut ide).0 > fitted.0, "{}", ide.picture());
    let center = |ide: &mut TestIde| {
        let files = &ide.state().slots[IMAGE_FILES].0;
        files.values().next().unwrap().center
    };
    let before = center(&mut ide);
    wheel(&mut ide, MouseKind::ScrollDown, Mods::NONE);
    let below = center(&mut ide);
    assert_ne!(before, below);
    wheel(&mut ide, MouseKind::ScrollDown, Mods::CTRL);
    ide.headless.idle().await;
    assert_eq!(
        ide.state().buffers.current().unwrap().area.per_view.view.top,
        Byte(0),
        "its bytes stay where they are"
    );
}

#[tokio::test]
async fn image_file_is_read_again_when_it_changes() {
    let mut ide = opened(png(64, 48)).await;
    ide.write_file("shot.png", png(32, 16));
    ide.headless.input(bowline::tui::input::Input::Focus(true));
    ide.headless.idle().await;
    ide.advance(std::time::Duration::from_secs(5));
    ide.wait_for_text("PNG 32x16").await;
    assert_eq!(halves(&mut ide), (2, 2), "{}", ide.picture());
}

#[tokio::test]
async fn image_file_keeps_its_bytes_whatever_is_typed() {
    let bytes = png(64, 48);
    let mut ide = opened(bytes.clone()).await;
    ide.type_in("xyzab").await;
    ide.headless.input(bowline::tui::input::Input::Paste("text".into()));
    ide.keys("Enter Backspace Delete Ctrl-x Ctrl-s").await;
    ide.headless.idle().await;
    assert_eq!(ide.file_bytes("shot.png"), bytes);
    ide.keys("F1").await;
    ide.type_in("Toggle image and bytes").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("bytes") && halves(&mut ide) == (0, 0), "{}", ide.picture());
    ide.keys("F1").await;
    ide.type_in("Toggle image and bytes").await;
    ide.keys("Enter").await;
    assert_eq!(halves(&mut ide), (12, 12), "{}", ide.picture());
    ide.keys("q").await;
    assert!(ide.state().buffers.current().is_none(), "{}", ide.picture());
}

#[tokio::test]
async fn image_file_that_is_broken_or_without_colors_is_a_line() {
    let mut broken = png(64, 48);
    broken.truncate(60);
    let mut ide = opened(broken).await;
    assert!(ide.picture().contains("unexpected end of file"), "{}", ide.picture());
    let mut ide = opened(png(64, 48)[..30].to_vec()).await;
    assert!(ide.picture().contains("its header cannot be read"), "{}", ide.picture());
    let setup = IdeSetup::new().with("shot.png", png(64, 48)).colors(ColorDepth::Ansi16);
    let mut ide = setup.size(80, 24).start().await;
    assert!(ide.picture().contains("cannot be shown in this terminal"), "{}", ide.picture());
    ide.keys("+").await;
    assert!(ide.status_message().contains("cannot be shown here"));
    let mut text = IdeSetup::new().with("not.png", "just text").size(80, 24).start().await;
    assert!(text.picture().contains("just text"), "{}", text.picture());
}

#[tokio::test]
async fn image_of_selected_file_is_shown_beside_the_list() {
    let setup = IdeSetup::new().file("shot.png", png(64, 48)).file("shots.txt", "x").file("bad.png", "x");
    let mut ide = setup.size(120, 30).start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("shot.p").await;
    ide.headless.idle().await;
    assert_eq!(halves(&mut ide), (12, 12), "{}", ide.picture());
    assert!(ide.picture().contains("image: PNG 64x48"), "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    ide.type_in("shots").await;
    ide.headless.idle().await;
    assert_eq!(halves(&mut ide), (0, 0), "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    ide.type_in("bad").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("[image: broken]"), "{}", ide.picture());
    ide.headless.resize(60, 30);
    assert!(!ide.picture().contains("broken"), "no room: {}", ide.picture());
}

#[tokio::test]
async fn image_is_shown_beside_the_list_also_where_the_conversation_shows_it() {
    let turns = [Turn::call("c1", "read", json!({"path": "shot.png"})), Turn::text("It has two halves.")];
    let setup = IdeSetup::new().file("shot.png", png(64, 48)).turns(turns).tools(&["read"]);
    let mut ide = setup.size(120, 40).start().await;
    // A terminal with Sixel, whose rows of images are not cells.
    ide.headless.app().with_cx(|cx| {
        let caps = Caps { complete: true, sixel: true, cell_pixels: Some((8, 16)), ..Caps::default() };
        events::on_caps(cx, &caps);
    });
    ide.prompt("look").await;
    assert_eq!(halves(&mut ide), (0, 0), "rows of Sixel: {}", ide.picture());
    ide.keys("Ctrl-p").await;
    ide.type_in("shot").await;
    ide.headless.idle().await;
    assert_eq!(halves(&mut ide), (12, 12), "cells beside the list: {}", ide.picture());
    ide.keys("Escape").await;
    assert_eq!(halves(&mut ide), (0, 0), "{}", ide.picture());
}

#[tokio::test]
async fn text_that_begins_as_an_image_does_stays_text() {
    let mut ide = IdeSetup::new().with("notes.txt", "BMW service list\n").size(80, 24).start().await;
    assert!(ide.picture().contains("BMW service list"), "{}", ide.picture());
    ide.type_in("x").await;
    assert_eq!(ide.text(), "xBMW service list\n");
}

#[tokio::test]
async fn image_file_that_becomes_a_text_is_shown_as_one() {
    let mut ide = opened(png(64, 48)).await;
    ide.write_file("shot.png", "no image any more\n");
    ide.headless.input(bowline::tui::input::Input::Focus(true));
    ide.headless.idle().await;
    ide.wait_for_text("no image any more").await;
    assert_eq!(ide.state().key_context(), KeyContext::Editor);
}
