//! Images for the message being typed: by a path that is pasted or dragged into the prompt, or from the clipboard.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::base::paths;
use crate::base::plural::pluralize;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::previews::store::is_image_name;
use crate::ide::features::prompt::{commands, pastes};
use crate::llm::model::Part;
use crate::runtime::controls::image_input::image_part;
use crate::text::operations::edit;
use crate::text::position::Byte;
use crate::text::transaction::Grouping;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("prompt.attach-image", "Attach image from clipboard", &["paste screenshot"], |cx| {
        panes::focus(cx, Focus::Agent);
        cx.ui.paste_clipboard_image = true;
    })];

/// Maximum number of images in a paste.
const PATHS_MAX: usize = 16;
/// Maximum bytes of a paste that is looked at.
const PASTE_MAX: usize = 8 << 10;

/// Handles a paste of paths to images, as terminals send files that are dragged into them; returns whether it is one.
/// If one of them cannot be read as an image, the text itself is pasted.
pub fn paste(cx: &mut Cx<'_>, text: &str) -> bool {
    // A command means the path.
    if matches!(cx.state.prompt.area.text().char_at(Byte(0)), Some('!' | '/')) {
        return false;
    }
    let Some(paths) = image_paths(text, &cx.state.home) else { return false };
    let (env, text) = (cx.env.clone(), text.to_string());
    let work = async move {
        let mut parts = Vec::new();
        for path in paths {
            let data = env.read(&path).await.map_err(|error| error.to_string())?;
            let part = image_part(data.bytes, &CancellationToken::new()).await;
            parts.push(part.map_err(|error| format!("{}: {error}", path.display()))?);
        }
        Ok::<_, String>(parts)
    };
    let message = cx.state.prompt.begin_reading();
    cx.tasks.spawn("prompt.read-images", work, move |cx, read| {
        match answer_or_error(cx, "read the image", read) {
            Some(Ok(parts)) if cx.state.prompt.end_reading(message) => attach(cx, parts),
            Some(Err(error)) if cx.state.prompt.end_reading(message) => {
                edit_prompt(cx, &text);
                cx.state.set_status(format!("Pasted as text: {error}"));
            }
            Some(_) => say_late(cx),
            None => on_failed(cx, message, None),
        }
    });
    true
}

/// Attaches an image file from the clipboard to the message that waits for it.
pub fn attach_file(cx: &mut Cx<'_>, message: u64, bytes: Vec<u8>) {
    let work = async move { image_part(bytes, &CancellationToken::new()).await };
    cx.tasks.spawn("prompt.read-image", work, move |cx, read| {
        match answer_or_error(cx, "read the image", read) {
            Some(Ok(part)) if cx.state.prompt.end_reading(message) => attach(cx, vec![part]),
            Some(Ok(_)) => say_late(cx),
            Some(Err(error)) => {
                on_failed(cx, message, Some(format!("Cannot attach the clipboard's image: {error}")));
            }
            None => on_failed(cx, message, None),
        }
    });
}

/// An image that a message waits for will not come, for a reason that was not said yet: the message is not sent.
pub fn on_failed(cx: &mut Cx<'_>, message: u64, reason: Option<String>) {
    let waited = cx.state.prompt.end_reading(message) && cx.state.prompt.take_awaited().is_some();
    let not_sent = if waited { ". The message was not sent" } else { "" };
    if let Some(reason) = reason {
        cx.state.set_error(format!("{reason}{not_sent}"));
    }
}

/// The message that an image was for is no longer in the prompt, and no other one is to get the image.
fn say_late(cx: &mut Cx<'_>) {
    cx.state.set_error("Image not attached: its message left the prompt before it was read");
}

/// Attaches images to the message being typed, with labels at the caret; then it is sent, if it waits for them.
fn attach(cx: &mut Cx<'_>, parts: Vec<Part>) {
    let count = parts.len();
    let awaited = cx.state.prompt.take_awaited();
    for part in parts {
        let text = cx.state.prompt.area.text().to_string();
        let label = cx.state.prompt.images.add(part, &text);
        edit_prompt(cx, &label);
        edit_prompt(cx, " ");
    }
    cx.state.set_status(format!("Attached {}", pluralize(count, "image", "images")));
    if let Some(delivery) = awaited {
        cx.state.prompt.send_later(delivery);
        commands::send_awaited(cx);
    }
}

/// Inserts a text at the caret of the prompt, wherever the keys go by now.
fn edit_prompt(cx: &mut Cx<'_>, text: &str) {
    let start = cx.state.prompt.area.selection.primary().start();
    cx.state
        .prompt
        .area
        .edit(cx.now_ms, |old, selection| edit::insert(old, selection, text).group(Grouping::Separate));
    pastes::fold(cx, start);
    cx.state.damage.add_all();
}

/// Returns the paths in a text that has nothing else, if all have the extension of an image: absolute ones, in the
/// forms in which terminals and file managers write them.
fn image_paths(text: &str, home: &Path) -> Option<Vec<PathBuf>> {
    let text = text.trim();
    if text.is_empty() || text.len() > PASTE_MAX {
        return None;
    }
    let one = [text.to_string()];
    let is_path = |word: &String| path_of(word, home).is_some();
    // A path with spaces may come unquoted.
    let words = if !text.contains('\n') && is_path(&one[0]) && text.matches(['\'', '"', '\\']).count() == 0 {
        one.to_vec()
    } else {
        words(text)?
    };
    let paths: Option<Vec<PathBuf>> = words.iter().map(|word| path_of(word, home)).collect();
    paths.filter(|paths| !paths.is_empty() && paths.len() <= PATHS_MAX)
}

/// Returns a word as the absolute path of an image.
fn path_of(word: &str, home: &Path) -> Option<PathBuf> {
    let path = match word.strip_prefix("file://") {
        Some(rest) => {
            let path = &rest[rest.find('/')?..];
            PathBuf::from(percent_encoding::percent_decode_str(path).decode_utf8().ok()?.into_owned())
        }
        None => paths::expand_home(word, home),
    };
    (path.is_absolute() && is_image_name(&path)).then_some(path)
}

/// Splits a text into words as a shell does; `None` if a quote is not closed.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_pasted_paths_of_images_are_found() {
        let found = |text: &str| {
            let paths = image_paths(text, Path::new("/home/me"))?;
            Some(paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join("|"))
        };
        for (text, expected) in [
            ("/tmp/a.png", "/tmp/a.png"),
            ("  /tmp/a.PNG \n", "/tmp/a.PNG"),
            ("/tmp/a b.png", "/tmp/a b.png"),
            ("'/tmp/a b.png' ", "/tmp/a b.png"),
            ("\"/tmp/it's.jpg\"", "/tmp/it's.jpg"),
            ("/tmp/a\\ b.webp", "/tmp/a b.webp"),
            ("file:///tmp/a%20b.gif", "/tmp/a b.gif"),
            ("file://host/tmp/a.gif", "/tmp/a.gif"),
            ("~/shot.jpeg", "/home/me/shot.jpeg"),
            ("/a.png\n/b.png", "/a.png|/b.png"),
            ("'/a.png' '/b c.png'", "/a.png|/b c.png"),
        ] {
            assert_eq!(found(text).as_deref(), Some(expected), "{text:?}");
        }
        for text in ["", "a.png", "see /tmp/a.png", "/tmp/a.txt", "/a.png and more", "'/a.png", "/tmp/\n.png"]
        {
            assert_eq!(found(text), None, "{text:?}");
        }
    }
}
