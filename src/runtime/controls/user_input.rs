//! Validation of messages that a program sends: text, and images of the types that every provider accepts.
//!
//! Must not know the sender.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::base::error::Report;
use crate::llm::model::Part;
use crate::llm::model::message::KnownPart;
use crate::llm::request::media;
use crate::llm::request::media::Kind;

/// Fails on an empty message, and on a part that is not an image whose base64 data matches its declared type.
pub fn check(text: &str, images: &[Part]) -> Result<(), Report> {
    if text.trim().is_empty() && images.is_empty() {
        return Err(Report::new("empty prompt: no text and no images"));
    }
    images.iter().try_for_each(check_image).map_err(Report::new)
}

fn check_image(part: &Part) -> Result<(), String> {
    let Part::Known(KnownPart::Image { data, mime_type }) = part else {
        return Err("`images` holds pictures: {\"type\":\"image\",\"data\":…,\"mimeType\":…}".to_string());
    };
    let bytes =
        STANDARD.decode(data).map_err(|error| format!("`data` of a picture is no base64: {error}"))?;
    match media::kind(&bytes) {
        Some(Kind::Image(is)) if is == mime_type => Ok(()),
        Some(Kind::Image(is)) => Err(format!("a picture that says it is {mime_type} is {is}")),
        _ => Err("`data` of a picture is none: models take PNG, JPEG, GIF or WebP".to_string()),
    }
}
