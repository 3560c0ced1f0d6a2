//! Images in the conversation: drawn where the terminal can, otherwise a label.

use std::io::Cursor;

use bowline::exec::clipboard::ClipboardError;
use bowline::ide::core::event::Event;
use bowline::ide::shell::clipboard;
use bowline::llm::providers::scripted::Turn;
use bowline::tui::input::Input;
use bowline::tui::theme::ColorDepth;
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use ratatui::style::Color;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

/// A file with a red image.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let image = RgbaImage::from_pixel(width, height, Rgba([200, 10, 10, 255]));
    DynamicImage::ImageRgba8(image).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

fn setup(file: &[u8]) -> IdeSetup {
    let turns = [Turn::call("c1", "read", json!({"path": "shot.png"})), Turn::text("It is red.")];
    IdeSetup::new().file("shot.png", file).turns(turns).tools(&["read"]).size(80, 30)
}

/// The number of cells that are red.
fn red_cells(ide: &mut TestIde) -> usize {
    let red = Color::Rgb(200, 10, 10);
    let buffer = ide.headless.app().screen.buffer();
    buffer.content.iter().filter(|cell| cell.fg == red && cell.bg == red).count()
}

#[tokio::test]
async fn image_of_tool_result_is_drawn_below_its_call() {
    let mut ide = setup(&png(64, 48)).start().await;
    ide.prompt("look").await;
    let picture = ide.picture();
    assert_eq!(red_cells(&mut ide), 8 * 3, "{picture}");
    assert!(picture.contains("▾ read") && !picture.contains("[image"), "{picture}");
}

#[tokio::test]
async fn image_without_colors_is_a_label() {
    let mut ide = setup(&png(64, 48)).colors(ColorDepth::Ansi16).start().await;
    ide.prompt("look").await;
    assert!(ide.picture().contains("[image: PNG 64x48]"), "{}", ide.picture());
    assert_eq!(red_cells(&mut ide), 0);
}

#[tokio::test]
async fn image_that_is_large_fits_and_scrolls_by_row() {
    let later = [Turn::text(&"more\n\n".repeat(8))];
    let mut ide = setup(&png(1600, 1200)).turns(later).start().await;
    ide.prompt("look").await;
    let whole = red_cells(&mut ide);
    assert!(whole > 200 && whole.is_multiple_of(12), "{whole} cells\n{}", ide.picture());
    ide.prompt("go on").await;
    let part = red_cells(&mut ide);
    assert!(
        0 < part && part < whole && part.is_multiple_of(whole / 12),
        "{part} of {whole} cells\n{}",
        ide.picture()
    );
}

#[tokio::test]
async fn image_of_earlier_session_is_drawn_again() {
    let mut ide = setup(&png(64, 48)).start().await;
    ide.prompt("look").await;
    let mut ide = ide.restart().continue_session().size(80, 30).start().await;
    ide.headless.idle().await;
    assert_eq!(red_cells(&mut ide), 8 * 3, "{}", ide.picture());
}

fn pasted(ide: &mut TestIde, text: &str) {
    ide.headless.app().handle(Event::Input(Input::Paste(text.to_string())));
}

/// The images that were sent with the last message of the user.
fn sent_images(ide: &TestIde) -> usize {
    let messages = ide.session();
    let user = messages.iter().rfind(|entry| entry["message"]["role"] == "user").unwrap();
    let parts = user["message"]["content"].as_array().map_or(&[][..], |parts| &parts[..]);
    parts.iter().filter(|part| part["type"] == "image").count()
}

#[tokio::test]
async fn image_path_pasted_into_prompt_is_attached_with_label() {
    let turns = [Turn::text("one"), Turn::text("none")];
    let mut ide = IdeSetup::new().file("a b.png", png(64, 48)).turns(turns).size(80, 30).start().await;
    let path = ide.path("a b.png").display().to_string();
    ide.keys("Alt-3").await;
    pasted(&mut ide, &format!("'{path}'"));
    ide.headless.idle().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "[image 1] ", "{}", ide.picture());
    ide.type_in("what is it?").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(sent_images(&ide), 1);
    assert_eq!(red_cells(&mut ide), 8 * 3, "{}", ide.picture());
    pasted(&mut ide, &path);
    ide.headless.idle().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "[image 1] ");
    // The space, and the label as one unit.
    ide.keys("Backspace Backspace").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "", "{}", ide.picture());
    ide.type_in("nothing").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(sent_images(&ide), 0);
}

#[tokio::test]
async fn image_path_that_is_no_image_is_pasted_as_text() {
    let mut ide = IdeSetup::new().file("a.png", "no image").size(80, 30).start().await;
    let path = ide.path("a.png").display().to_string();
    ide.keys("Alt-3").await;
    for text in [path, "/nowhere/b.png".to_string()] {
        pasted(&mut ide, &text);
        ide.headless.idle().await;
        assert!(ide.state().prompt.area.text().to_string().ends_with(&text), "{}", ide.picture());
    }
}

#[tokio::test]
async fn image_being_read_is_waited_for_when_its_message_is_sent() {
    let turns = [Turn::text("one"), Turn::text("two")];
    let mut ide = IdeSetup::new().file("a.png", png(64, 48)).turns(turns).size(80, 30).start().await;
    let path = ide.path("a.png").display().to_string();
    ide.keys("Alt-3").await;
    ide.type_in("look ").await;
    pasted(&mut ide, &path);
    ide.headless.press("Enter");
    assert!(ide.status_message().contains("as soon as it is there"), "{}", ide.status_message());
    ide.headless.idle().await;
    assert!(ide.state().prompt.is_empty(), "{}", ide.picture());
    assert_eq!(sent_images(&ide), 1);
    ide.prompt("next").await;
    assert_eq!(sent_images(&ide), 0);
}

#[tokio::test]
async fn image_being_read_sends_no_message_that_was_changed_or_is_no_image() {
    let mut ide = IdeSetup::new().file("a.png", png(64, 48)).file("b.png", "text").size(80, 30).start().await;
    let (image, text) = (ide.path("a.png").display().to_string(), ide.path("b.png").display().to_string());
    ide.keys("Alt-3").await;
    pasted(&mut ide, &image);
    ide.headless.press("Enter");
    ide.headless.press("x");
    ide.headless.idle().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "x[image 1] ");
    ide.keys("Ctrl-u").await;
    pasted(&mut ide, &text);
    ide.headless.press("Enter");
    ide.headless.idle().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), text, "{}", ide.picture());
    assert!(ide.status_message().starts_with("Pasted as text: "), "{}", ide.status_message());
    assert!(ide.script.requests().is_empty());
}

#[tokio::test]
async fn image_read_after_its_message_left_the_prompt_goes_with_no_other() {
    let mut ide = IdeSetup::new().file("a.png", png(64, 48)).size(80, 30).start().await;
    let path = ide.path("a.png").display().to_string();
    ide.keys("Alt-3").await;
    ide.type_in("look").await;
    pasted(&mut ide, &path);
    ide.headless.press("Alt-s");
    ide.headless.idle().await;
    let said = ide.state().status.log().any(|logged| logged.text.contains("Image not attached"));
    assert!(said && ide.state().prompt.is_empty(), "{}", ide.picture());
}

#[tokio::test]
async fn image_of_prompt_is_shown_above_its_text_where_there_is_room() {
    let mut ide = IdeSetup::new().file("a.png", png(64, 48)).size(80, 30).start().await;
    let path = ide.path("a.png").display().to_string();
    ide.keys("Alt-3").await;
    pasted(&mut ide, &path);
    ide.headless.idle().await;
    assert_eq!(red_cells(&mut ide), 8 * 3, "{}", ide.picture());
    ide.snap("prompt_image");
    let (_, row) = ide.find("[image 1]");
    assert_eq!(ide.headless.app().screen.cursor().map(|at| at.1), Some(row), "the caret is in the text");
    ide.headless.resize(80, 20);
    assert_eq!(red_cells(&mut ide), 0, "{}", ide.picture());
    ide.headless.resize(80, 30);
    ide.keys("Ctrl-u").await;
    assert_eq!(red_cells(&mut ide), 0, "{}", ide.picture());
}

#[tokio::test]
async fn image_path_in_a_command_stays_a_path() {
    let mut ide = IdeSetup::new().file("a.png", png(64, 48)).size(80, 30).start().await;
    let path = ide.path("a.png").display().to_string();
    ide.keys("Alt-3").await;
    ide.type_in("!ls ").await;
    pasted(&mut ide, &path);
    ide.headless.idle().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), format!("!ls {path}"));
}

#[tokio::test]
async fn image_of_clipboard_is_waited_for_or_its_message_is_not_sent() {
    let mut ide = IdeSetup::new().turns([Turn::text("red")]).size(80, 30).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("look").await;
    let message = ide.state().prompt.begin_reading();
    ide.headless.press("Enter");
    ide.headless.app().with_cx(|cx| clipboard::on_image(cx, message, Err(ClipboardError::NoText)));
    assert_eq!(ide.status_message(), "Clipboard has no image. The message was not sent");
    let message = ide.state().prompt.begin_reading();
    ide.headless.app().with_cx(|cx| clipboard::on_image(cx, message, Ok(png(64, 48))));
    ide.headless.idle().await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "look[image 1] ", "a later image sends nothing");
    let message = ide.state().prompt.begin_reading();
    ide.headless.press("Enter");
    ide.headless.app().with_cx(|cx| clipboard::on_image(cx, message, Ok(png(32, 48))));
    ide.headless.idle().await;
    assert_eq!(sent_images(&ide), 2, "{}", ide.picture());
}
