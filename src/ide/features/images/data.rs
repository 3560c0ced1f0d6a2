//! An image as it was found: its file and what its header says. Must not know terminals.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::llm::model::Part;
use crate::llm::model::message::KnownPart;
use crate::tui::images::decode::{self, ImageHeader};

/// Bytes of base64 in which a header is looked for first: most headers are within them.
const HEADER_BASE64: usize = 64 << 10;
/// Bytes of base64 in which it is looked for otherwise: behind a color profile or a preview.
const HEADER_BASE64_MAX: usize = 1 << 20;
/// Bytes of a sample by which images are told apart.
const SAMPLE: usize = 4096;
/// Number of samples within an image.
const SAMPLES: usize = 8;

/// An image file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageData {
    /// What tells it apart from others.
    pub key: u64,
    /// What its header says; `None` if it has none that can be read.
    pub header: Option<ImageHeader>,
    file: ImageFile,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ImageFile {
    Base64(Arc<str>),
    Bytes(Arc<[u8]>),
}

impl ImageData {
    /// Returns the images of a message.
    pub fn of_parts(parts: &[Part]) -> Vec<Arc<Self>> {
        let data = |part: &Part| match part {
            Part::Known(KnownPart::Image { data, .. }) => Some(Arc::new(Self::from_base64(data))),
            _ => None,
        };
        parts.iter().filter_map(data).collect()
    }

    /// Returns the image of a file in base64.
    pub fn from_base64(data: &str) -> Self {
        let header_within = |letters: usize| {
            // A group of four letters is three bytes.
            let end = data.len().min(letters) / 4 * 4;
            decode::header(&STANDARD.decode(data.get(..end)?).ok()?)
        };
        let more = || (data.len() > HEADER_BASE64).then(|| header_within(HEADER_BASE64_MAX)).flatten();
        let header = header_within(HEADER_BASE64).or_else(more);
        Self { key: key_of(data.as_bytes()), header, file: ImageFile::Base64(data.into()) }
    }

    /// Returns the image of a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        let (key, header) = (key_of(&bytes), decode::header(&bytes));
        Self { key, header, file: ImageFile::Bytes(bytes.into()) }
    }

    /// Returns the file's bytes; fails if the base64 is broken. Expensive.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match &self.file {
            ImageFile::Base64(data) => STANDARD.decode(&**data).map_err(|error| error.to_string()),
            ImageFile::Bytes(bytes) => Ok(bytes.to_vec()),
        }
    }

    /// Returns its size in memory.
    pub fn size(&self) -> usize {
        match &self.file {
            ImageFile::Base64(data) => data.len(),
            ImageFile::Bytes(bytes) => bytes.len(),
        }
    }

    /// Returns what stands for it where it is not shown.
    pub fn label(&self) -> String {
        match self.header {
            Some(ImageHeader { format, width, height }) => format!("[image: {format} {width}x{height}]"),
            None => BROKEN.to_string(),
        }
    }
}

/// What stands for an image that cannot be shown.
pub const BROKEN: &str = "[image: broken]";

/// Returns a hash of samples: compressed images that differ anywhere differ in nearly all that follows.
fn key_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.len().hash(&mut hasher);
    let step = (bytes.len() / SAMPLES).max(SAMPLE);
    for start in (0..bytes.len()).step_by(step) {
        bytes[start..(start + SAMPLE).min(bytes.len())].hash(&mut hasher);
    }
    bytes[bytes.len().saturating_sub(SAMPLE)..].hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_data_has_the_label_of_its_header() {
        // A PNG of 640x480, of which only the beginning is there.
        let png =
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0\xba\xb3K\xb3\0\0\0\0IDAT";
        assert_eq!(ImageData::from_base64(&STANDARD.encode(png)).label(), "[image: PNG 640x480]");
        assert_eq!(ImageData::from_base64("no base64!").label(), BROKEN);
        assert_eq!(ImageData::from_base64("").label(), BROKEN);
        assert_eq!(ImageData::from_bytes(b"text".to_vec()).label(), BROKEN);
    }

    #[test]
    fn image_data_is_told_apart_by_its_end() {
        let mut bytes = vec![7u8; 100_000];
        let first = ImageData::from_bytes(bytes.clone()).key;
        bytes[99_999] = 8;
        assert_ne!(first, ImageData::from_bytes(bytes).key);
    }
}
