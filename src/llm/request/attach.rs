//! Attachments: turns a path, a URL or inline data into a message part, by its content and not by its name.
//!
//! A URL is fetched once and its content sent inline: every wire format supports that, the conversation does
//! not change when the resource does, and the provider does not fetch anything for us.
//!
//! ```no_run
//! # use bowline::llm::request::attach::{AttachContext, attach};
//! # use bowline::llm::model::UserMessage;
//! # use bowline::net::http::Http;
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let http = Http::default();
//! let context = AttachContext { http: &http, home: None };
//! let mut message = UserMessage::text("What does the chart say?", 0);
//! message.content.push(attach("./chart.png", &context).await.unwrap());
//! # });
//! ```

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use tokio::io::AsyncReadExt;

use crate::base::secrets;
use crate::llm::model::Part;
use crate::llm::request::media;
use crate::net::error::NetError;
use crate::net::http::{Get, Http};

/// Maximum bytes of a file: the highest limit of any provider for inline data.
pub const BYTES_MAX: usize = 20 << 20;

/// Why a file cannot be attached.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// It cannot be read.
    #[error("cannot attach {path}: {cause}")]
    Read {
        /// The path.
        path: String,
        /// Why not.
        cause: std::io::Error,
    },
    /// The URL cannot be fetched.
    #[error("cannot attach {url}: {cause}")]
    Fetch {
        /// Without what may be secret in it.
        url: String,
        /// Why not.
        cause: NetError,
    },
    /// The server returned an error status.
    #[error("cannot attach {url}: its server answered {status}")]
    Status {
        /// Without what may be secret in it.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The content is of no type that models accept.
    #[error("cannot attach {0}: it is no image, PDF or sound of a kind that models take")]
    Kind(String),
    /// The file exceeds [`BYTES_MAX`].
    #[error("cannot attach {0}: at most {max} bytes can go with a message", max = BYTES_MAX)]
    TooLarge(String),
    /// A `data:` URL without base64.
    #[error("cannot attach the data: it is no base64")]
    Data,
}

/// Resources for reading attachments.
#[derive(Clone, Copy)]
pub struct AttachContext<'a> {
    /// The HTTP client for URLs.
    pub http: &'a Http,
    /// The folder that `~` expands to; without it such paths are refused.
    pub home: Option<&'a Path>,
}

/// Returns the part for a source: `http(s)://` and `data:` URLs; `file://` URLs and all other texts are
/// paths, relative ones to the process's folder.
pub async fn attach(source: &str, means: &AttachContext<'_>) -> Result<Part, AttachError> {
    let (bytes, shown) = if source.starts_with("https://") || source.starts_with("http://") {
        let shown = secrets::redact_url(source.split('#').next().unwrap_or_default()).into_owned();
        (fetch(source, &shown, means.http).await?, shown)
    } else if let Some(data) = source.strip_prefix("data:") {
        let base64 = data.split_once(";base64,").map(|(_, base64)| base64).ok_or(AttachError::Data)?;
        let bytes = STANDARD.decode(base64).map_err(|_| AttachError::Data)?;
        (bytes, "the data".to_string())
    } else {
        let path = path(source, means.home)?;
        (read(&path).await?, path.display().to_string())
    };
    if bytes.len() > BYTES_MAX {
        return Err(AttachError::TooLarge(shown));
    }
    let Some(kind) = media::kind(&bytes) else { return Err(AttachError::Kind(shown)) };
    let name = (!source.starts_with("data:")).then(|| shown.rsplit(['/', '\\']).next().map(str::to_string));
    Ok(media::part(kind, STANDARD.encode(bytes), name.flatten().filter(|name| !name.is_empty())))
}

fn path(source: &str, home: Option<&Path>) -> Result<PathBuf, AttachError> {
    // Programs that produce such URLs percent-encode blanks and umlauts.
    let url = source.starts_with("file:///").then(|| reqwest::Url::parse(source).ok()).flatten();
    if let Some(path) = url.and_then(|url| url.to_file_path().ok()) {
        return Ok(path);
    }
    let plain = source.strip_prefix("file://").unwrap_or(source);
    match plain.strip_prefix("~/") {
        None => Ok(PathBuf::from(plain)),
        Some(rest) => home.map(|home| home.join(rest)).ok_or_else(|| AttachError::Read {
            path: plain.to_string(),
            cause: std::io::Error::other("there is no home folder"),
        }),
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, AttachError> {
    let shown = path.display().to_string();
    let cannot = |cause| AttachError::Read { path: shown.clone(), cause };
    let meta = tokio::fs::metadata(path).await.map_err(cannot)?;
    if !meta.is_file() {
        return Err(cannot(std::io::Error::other("it is no file")));
    }
    if meta.len() > BYTES_MAX as u64 {
        return Err(AttachError::TooLarge(shown));
    }
    let file = tokio::fs::File::open(path).await.map_err(cannot)?;
    // The file may grow while it is read.
    let mut bytes = Vec::new();
    file.take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes).await.map_err(cannot)?;
    Ok(bytes)
}

async fn fetch(url: &str, shown: &str, http: &Http) -> Result<Vec<u8>, AttachError> {
    let cannot = |cause| AttachError::Fetch { url: shown.to_string(), cause };
    let mut response = http.get(Get { url: url.to_string(), ..Get::default() }).await.map_err(cannot)?;
    if response.status() != 200 {
        return Err(AttachError::Status { url: shown.to_string(), status: response.status() });
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(cannot)? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > BYTES_MAX {
            return Err(AttachError::TooLarge(shown.to_string()));
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::KnownPart;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

    async fn from(source: &str, home: Option<&Path>) -> Result<Part, String> {
        attach(source, &AttachContext { http: &Http::default(), home })
            .await
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn attach_path_detects_type_by_content() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(dir.path().join(name), bytes).unwrap();
            dir.path().join(name).display().to_string()
        };
        let image = || {
            Ok(Part::Known(KnownPart::Image { data: STANDARD.encode(PNG), mime_type: "image/png".into() }))
        };
        let misnamed = write("photo.jpg", PNG);
        assert_eq!(from(&misnamed, None).await, image());
        assert_eq!(from(&format!("file://{misnamed}"), None).await, image());
        assert_eq!(from("~/photo.jpg", Some(dir.path())).await, image());
        write("a b ä.png", PNG);
        let coded = format!("file://{}/a%20b%20%C3%A4.png", dir.path().display());
        assert_eq!(from(&coded, None).await, image());
        assert!(from("~/photo.jpg", None).await.unwrap_err().contains("no home"));
        let (data, mime_type) = (STANDARD.encode(b"%PDF-1.7"), "application/pdf".to_string());
        let document =
            Part::Known(KnownPart::Document { data, mime_type, name: Some("Bericht ä.pdf".into()) });
        assert_eq!(from(&write("Bericht ä.pdf", b"%PDF-1.7"), None).await, Ok(document));
        assert!(from(&write("a.png", b"text"), None).await.unwrap_err().contains("no image, PDF or sound"));
        assert!(
            from("/nowhere/at.all", None).await.unwrap_err().starts_with("cannot attach /nowhere/at.all: ")
        );
        assert!(from(&dir.path().display().to_string(), None).await.unwrap_err().ends_with("it is no file"));
        let large = dir.path().join("large.png");
        std::fs::File::create(&large).unwrap().set_len(BYTES_MAX as u64 + 1).unwrap();
        assert!(from(&large.display().to_string(), None).await.unwrap_err().contains("at most"));
    }

    #[tokio::test]
    async fn attach_url_error_hides_credentials() {
        let attach = |source: String| async move {
            let http = Http::new(crate::net::http::Limits::default(), true);
            attach(&source, &AttachContext { http: &http, home: None }).await.unwrap_err().to_string()
        };
        let told = attach("https://me:hunter2@h.example/x.png?key=hunter2#hunter2".into()).await;
        assert!(
            told.starts_with("cannot attach https://h.example/x.png: ") && !told.contains("hunter2"),
            "{told}"
        );
    }

    #[tokio::test]
    async fn attach_data_url_detects_type_by_content() {
        let source = format!("data:image/gif;base64,{}", STANDARD.encode(PNG));
        let Ok(Part::Known(KnownPart::Image { mime_type, .. })) = from(&source, None).await else { panic!() };
        assert_eq!(mime_type, "image/png", "content says more than a name");
        for odd in ["data:image/png,x", "data:image/png;base64,?"] {
            assert!(from(odd, None).await.unwrap_err().contains("no base64"), "{odd}");
        }
    }
}
