//! Files that go with a prompt: text in a named block, images as images.

use std::path::Path;

use base64::Engine;

use crate::base::error::Report;
use crate::llm::model::Part;
use crate::llm::model::message::KnownPart;

/// Largest attachment, in bytes: what a provider takes as one image, before base64.
const BYTES_MAX: u64 = 3_400_000;

/// Reads an attachment: its text for the prompt, or an image.
pub fn read(path: &Path) -> Result<Result<String, Part>, Report> {
    let cannot = |error: &std::io::Error| Report::caused(format!("cannot attach {}", path.display()), error);
    let size = std::fs::metadata(path).map_err(|e| cannot(&e))?.len();
    if size > BYTES_MAX {
        let what = format!(
            "cannot attach {}: it has {size} bytes, at most {BYTES_MAX} can go with a prompt",
            path.display()
        );
        return Err(Report::new(what).hint("name the file in the prompt; the agent can read it in parts"));
    }
    let bytes = std::fs::read(path).map_err(|e| cannot(&e))?;
    if let Some(mime_type) = image_type(&bytes) {
        let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
        return Ok(Err(Part::Known(KnownPart::Image { data, mime_type: mime_type.to_string() })));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Report::new(format!("cannot attach {}: it is neither text nor an image", path.display()))
    })?;
    Ok(Ok(format!("<file name=\"{}\">\n{text}\n</file>\n", path.display())))
}

/// The media type of an image by its first bytes.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
