//! Images of the user for a message. Must not know where they come from.

use tokio_util::sync::CancellationToken;

use crate::llm::model::Part;
use crate::tools::reading::picture;

/// Returns an image file as a part of a message: upright, scaled down to what models take. Fails for a file that is no
/// image, with the reason.
pub async fn image_part(bytes: Vec<u8>, cancel: &CancellationToken) -> Result<Part, String> {
    picture::prepare(bytes, cancel).await.map(|picture| picture.part())
}
