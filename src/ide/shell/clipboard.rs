//! Pasting from the system clipboard: its text arrives some time after the command. Must not know how the
//! clipboard is read.

use crate::exec::clipboard::ClipboardError;
use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::features::prompt::images;
use crate::ide::shell::input;
use crate::tui::input::paste::{PASTE_MAX, with_line_feeds};

/// Handles the text of the clipboard, which was requested while the keys had the meaning `asked`: it goes
/// nowhere else.
pub fn on_read(cx: &mut Cx<'_>, asked: KeyContext, read: Result<String, ClipboardError>) {
    match read {
        _ if cx.state.paste_context() != asked => {
            cx.state.set_status("Not pasted: the keys go elsewhere now");
        }
        Ok(text) if text.is_empty() => cx.state.set_status("Clipboard is empty"),
        Ok(text) if text.len() > PASTE_MAX => cx.state.set_error("Clipboard is too long to paste"),
        Ok(text) => input::paste(cx, &with_line_feeds(text)),
        // The prompt also takes an image.
        Err(ClipboardError::NoText) if asked == KeyContext::Prompt => cx.ui.paste_clipboard_image = true,
        Err(ClipboardError::NoText) => cx.state.set_status("Clipboard has no text"),
        Err(error) => cx.state.set_error(format!("Cannot read the clipboard: {error}")),
    }
}

/// Handles the image of the clipboard, as PNG, for a message that waits for it.
pub fn on_image(cx: &mut Cx<'_>, message: u64, read: Result<Vec<u8>, ClipboardError>) {
    match read {
        Ok(png) => images::attach_file(cx, message, png),
        Err(ClipboardError::NoText) => {
            images::on_failed(cx, message, Some("Clipboard has no image".to_string()));
        }
        Err(error) => images::on_failed(cx, message, Some(format!("Cannot read the clipboard: {error}"))),
    }
}
