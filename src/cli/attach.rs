//! Attachments of a prompt: text in a named block; images, PDFs and audio unchanged.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use base64::Engine;

use crate::base::error::Report;
use crate::llm::model::Part;
use crate::llm::request::media;

/// Maximum attachment size in bytes: what a provider accepts as one image, before base64.
const BYTES_MAX: u64 = 3_400_000;

/// Reads an attachment: returns its text for the prompt, or a message part.
pub fn read(path: &Path) -> Result<Result<String, Part>, Report> {
    let cannot = |error: &std::io::Error| Report::caused(format!("cannot attach {}", path.display()), error);
    let file = File::open(path).map_err(|e| cannot(&e))?;
    // Pipes and devices report no length, and some never end.
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|e| cannot(&e))?;
    if bytes.len() as u64 > BYTES_MAX {
        let message = format!(
            "cannot attach {}: it is larger than the {BYTES_MAX} bytes that can go with a prompt",
            path.display()
        );
        return Err(Report::new(message).hint("name the file in the prompt; the agent can read it in parts"));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn cli_attach_refuses_endless_files_and_folders() {
        let told = |path: &str| read(Path::new(path)).unwrap_err().to_string();
        assert!(told("/dev/zero").contains("larger than the 3400000 bytes"), "{}", told("/dev/zero"));
        assert!(told("/").starts_with("cannot attach /: "), "{}", told("/"));
        assert_eq!(read(Path::new("/dev/null")).unwrap().unwrap(), "<file name=\"/dev/null\">\n\n</file>\n");
    }
}
