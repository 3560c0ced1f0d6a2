//! Documents and audio in messages: types, and support by wire format.
//!
//! Pure; must not know any wire format. A wire format declares its `Takes`; unsupported media in the last
//! user message are refused before a request is sent, and earlier ones are replaced by a description (see
//! `history`).

use crate::llm::model::{ErrorKind, KnownPart, LlmError, Message, Part, Request};

/// Media types beside text and images that a wire format supports in user messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupportedMedia {
    /// Documents, such as `application/pdf`.
    pub documents: &'static [&'static str],
    /// Audio, such as `audio/wav`.
    pub sounds: &'static [&'static str],
}

impl SupportedMedia {
    /// Text and images only.
    pub const NONE: Self = Self { documents: &[], sounds: &[] };

    /// Whether a document of this type can be sent.
    pub fn document(&self, mime_type: &str) -> bool {
        self.documents.contains(&mime_type)
    }

    /// Whether audio of this type can be sent.
    pub fn sound(&self, mime_type: &str) -> bool {
        self.sounds.contains(&mime_type)
    }

    /// Refuses unsupported media in the last user message. Messages that were already answered are no reason
    /// to refuse.
    pub fn check(&self, request: &Request) -> Result<(), LlmError> {
        let said_now = request.messages.iter().rev().take_while(|m| !matches!(m, Message::Assistant(_)));
        let parts = said_now.filter_map(|message| match message {
            Message::User(user) => Some(&user.content),
            _ => None,
        });
        let refused = parts.flatten().find_map(|part| match part {
            Part::Known(KnownPart::Document { mime_type, .. }) if !self.document(mime_type) => {
                Some(("documents", mime_type))
            }
            Part::Known(KnownPart::Audio { mime_type, .. }) if !self.sound(mime_type) => {
                Some(("sounds", mime_type))
            }
            _ => None,
        });
        let Some((what, mime_type)) = refused else { return Ok(()) };
        let model = &request.model;
        let text = format!(
            "{}: {} takes no {what} of the type {mime_type} over `{}` (send it as text or images, or ask another model)",
            model.provider, model.id, model.api
        );
        Err(LlmError::new(ErrorKind::Media, model.provider.clone(), text))
    }
}

/// Type of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// With its media type.
    Image(&'static str),
    /// With its media type.
    Document(&'static str),
    /// With its media type.
    Sound(&'static str),
}

/// Returns the type of a supported file, by its first bytes.
pub fn kind(bytes: &[u8]) -> Option<Kind> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => Kind::Image("image/png"),
        [0xff, 0xd8, 0xff, ..] => Kind::Image("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Kind::Image("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Kind::Image("image/webp"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Kind::Sound("audio/wav"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Kind::Document("application/pdf"),
        [b'I', b'D', b'3', ..] => Kind::Sound("audio/mpeg"),
        [b'O', b'g', b'g', b'S', ..] => Kind::Sound("audio/ogg"),
        [b'f', b'L', b'a', b'C', ..] => Kind::Sound("audio/flac"),
        // MPEG audio frame: eleven bits of sync, then the layer bits, which are zero for AAC.
        [0xff, second, ..] if second & 0xf6 == 0xf0 => Kind::Sound("audio/aac"),
        [0xff, second, ..] if second & 0xe6 == 0xe2 => Kind::Sound("audio/mpeg"),
        _ => return None,
    })
}

/// Returns the message part for a file; `None` for an unsupported type. `data` is the file in base64.
pub fn part(kind: Kind, data: String, name: Option<String>) -> Part {
    Part::Known(match kind {
        Kind::Image(mime_type) => KnownPart::Image { data, mime_type: mime_type.into() },
        Kind::Document(mime_type) => KnownPart::Document { data, mime_type: mime_type.into(), name },
        Kind::Sound(mime_type) => KnownPart::Audio { data, mime_type: mime_type.into() },
    })
}

/// Estimates the tokens of a document from its size in base64. A page of text has about 50 kB and 1500 to
/// 3000 tokens, so the estimate is high.
pub fn document_tokens(base64: usize) -> u64 {
    (base64 as u64 / 16).max(1500)
}

/// Estimates the tokens of audio from its size in base64. Models count 10 to 32 tokens per second, which has
/// at least 5 kB.
pub fn sound_tokens(base64: usize) -> u64 {
    (base64 as u64 / 160).max(32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Model, UserMessage};
    use crate::llm::stream::accumulate::Accumulator;

    const SOME: SupportedMedia = SupportedMedia { documents: &["application/pdf"], sounds: &[] };

    fn said(kind: Kind) -> Message {
        let mut message = UserMessage::text("see", 0);
        message.content.push(part(kind, "AAAA".into(), Some("a.pdf".into())));
        Message::User(message)
    }

    #[test]
    fn media_unsupported_type_in_new_message_is_error() {
        let request = |messages: Vec<Message>| {
            let model = Model::unknown("acme", "m", "a-wire", "");
            SOME.check(&Request { model, messages, ..Request::default() })
        };
        let pdf = || said(Kind::Document("application/pdf"));
        let wav = || said(Kind::Sound("audio/wav"));
        assert_eq!(request(vec![pdf()]), Ok(()));
        let error = request(vec![pdf(), wav()]).unwrap_err();
        assert_eq!((error.kind, error.retryable()), (ErrorKind::Media, false));
        assert!(error.message.starts_with("acme: m takes no sounds of the type audio/wav"), "{error}");
        let answer = Accumulator::new(&Model::unknown("acme", "m", "a", ""), 0).finish();
        assert_eq!(request(vec![wav(), Message::Assistant(answer), pdf()]), Ok(()));
        let odd = said(Kind::Document("application/msword"));
        assert_eq!(request(vec![odd]).unwrap_err().kind, ErrorKind::Media);
    }

    #[test]
    fn media_type_is_detected_by_magic_bytes() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n"[..], Some(Kind::Image("image/png"))),
            (b"\xff\xd8\xff\xe0", Some(Kind::Image("image/jpeg"))),
            (b"GIF89a", Some(Kind::Image("image/gif"))),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(Kind::Image("image/webp"))),
            (b"RIFF\0\0\0\0WAVEfmt ", Some(Kind::Sound("audio/wav"))),
            (b"%PDF-1.7", Some(Kind::Document("application/pdf"))),
            (b"ID3\x04", Some(Kind::Sound("audio/mpeg"))),
            (b"\xff\xfb\x90", Some(Kind::Sound("audio/mpeg"))),
            (b"\xff\xf1\x50", Some(Kind::Sound("audio/aac"))),
            (b"OggS\0", Some(Kind::Sound("audio/ogg"))),
            (b"fLaC\0", Some(Kind::Sound("audio/flac"))),
            (b"\xff\xfeU\0", None),
            (b"fn main() {}", None),
            (b"", None),
        ] {
            assert_eq!(kind(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn media_parts_roundtrip_in_messages() {
        let message = said(Kind::Document("application/pdf"));
        let kept = serde_json::to_value(&message).unwrap();
        assert_eq!(
            kept["content"][1],
            crate::base::json::json!({"type": "document", "data": "AAAA", "mimeType": "application/pdf", "name": "a.pdf"})
        );
        assert_eq!(serde_json::from_value::<Message>(kept).unwrap(), message);
    }
}
