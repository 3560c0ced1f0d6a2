//! Files that go with a prompt: text in a named block, images, PDFs and sounds as they are.

use std::path::Path;

use base64::Engine;

use crate::base::error::Report;
use crate::llm::media;
use crate::llm::model::Part;

/// Largest attachment, in bytes: what a provider takes as one image, before base64.
const BYTES_MAX: u64 = 3_400_000;

/// Reads an attachment: its text for the prompt, or the part that it is.
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
    if let Some(kind) = media::kind(&bytes) {
        let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        return Ok(Err(media::part(kind, data, name)));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Report::new(format!(
            "cannot attach {}: it is neither text nor an image, a PDF or a sound",
            path.display()
        ))
    })?;
    Ok(Ok(format!("<file name=\"{}\">\n{text}\n</file>\n", path.display())))
}
