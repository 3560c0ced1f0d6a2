//! Reads the text to compare with, and compares. Must not know the state.

use std::sync::Arc;

use crate::exec::Environment;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::diff::view::{OtherText, Source};
use crate::ide::features::git;
use crate::text::changes::ChangeSet;
use crate::text::compare;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{self, Format, LineEnding};
use crate::text::rope::Text;

/// A text as read from its source.
enum SourceText {
    Bytes(String, Vec<u8>, Option<Encoding>),
    Text(Text, Vec<ChangeSet>, Format),
    Previous(Arc<Text>),
}

/// Returns the text of a source, compared with `new` of that format; fails with a message if it is
/// unavailable.
pub async fn compare_with_source(
    env: &dyn Environment,
    source: Source,
    new: Text,
    format: Format,
) -> Result<OtherText, String> {
    let read = read(env, source, format.encoding).await?;
    on_thread(move || compare_texts(read, &new, format)).await
}

async fn read(env: &dyn Environment, source: Source, encoding: Encoding) -> Result<SourceText, String> {
    Ok(match source {
        Source::Git { path, head } => {
            let name = path.display().to_string();
            let bytes =
                git::events::bytes_of(env, &path, if head { "HEAD" } else { "" }, git::events::SHOWN_MAX)
                    .await;
            SourceText::Bytes(name, bytes.map_err(|missing| missing.to_string())?, Some(encoding))
        }
        Source::File(path, encoding) => {
            let name = path.display().to_string();
            let data = env.read(&path).await.map_err(|error| format!("Cannot compare: {error}"))?;
            SourceText::Bytes(name, data.bytes, encoding)
        }
        Source::Text(text, steps, format) => SourceText::Text(text, steps, format),
        Source::Previous(text) => SourceText::Previous(text),
    })
}

fn compare_texts(read: SourceText, new: &Text, format: Format) -> Result<OtherText, String> {
    let (old, was) = match read {
        SourceText::Previous(text) => {
            let runs = compare::runs(&text, new);
            return Ok(OtherText { text, notes: Vec::new(), runs });
        }
        SourceText::Text(mut text, steps, was) => {
            for step in &steps {
                step.apply(&mut text);
            }
            (text, was)
        }
        SourceText::Bytes(name, bytes, like) => {
            let (text, was) = match like {
                Some(encoding) => format::decode_like(&bytes, encoding),
                None => format::decode(&bytes),
            };
            if was.binary {
                return Err(format!("Binary file: {name}"));
            }
            (Text::from(text.as_str()), was)
        }
    };
    let text =
        Arc::new(if was.ending == format.ending { old } else { convert_line_endings(&old, format.ending) });
    let runs = compare::runs(&text, new);
    Ok(OtherText { text, notes: notes(was, format), runs })
}

/// Returns a text whose lines all end in the same way, so that not every line differs.
fn convert_line_endings(text: &Text, ending: LineEnding) -> Text {
    let plain = text.to_string().replace("\r\n", "\n");
    Text::from(if ending == LineEnding::Lf { plain } else { plain.replace('\n', ending.text()) }.as_str())
}

/// Returns differences other than lines, of the other text and of ours.
fn notes(was: Format, is: Format) -> Vec<String> {
    let ending = |format: Format| if format.ending == LineEnding::Lf { "LF" } else { "CRLF" };
    let mark = |format: Format| if format.bom { "with" } else { "without" };
    let mut notes = Vec::new();
    if was.ending != is.ending {
        notes.push(format!("lines end in {}, here in {}", ending(was), ending(is)));
    }
    if was.encoding != is.encoding {
        notes.push(format!("in {}, here in {}", was.encoding.name(), is.encoding.name()));
    }
    if was.bom != is.bom {
        notes.push(format!("{} a byte-order mark, here {} one", mark(was), mark(is)));
    }
    notes
}
