//! Reads texts and compares them for a view of what differs.

use std::sync::Arc;
use std::time::Instant;

use crate::exec::Environment;
use crate::ide::core::event::Event;
use crate::ide::core::threads::on_thread;
use crate::ide::features::diff::view::{DiffAsk, DiffFound, Other, Source};
use crate::ide::features::git;
use crate::ide::shell::worker::Worker;
use crate::text::changes::ChangeSet;
use crate::text::compare;
use crate::text::encoding::Encoding;
use crate::text::format::{self, Format, LineEnding};
use crate::text::rope::Text;

/// A text as it comes from its place.
enum Read {
    Bytes(String, Vec<u8>, Option<Encoding>),
    Text(Text, Vec<ChangeSet>, Format),
    Before(Arc<Text>),
}

impl Worker {
    /// Compares a text with another one.
    pub(super) fn diff(&self, ask: DiffAsk) {
        let env = self.env.clone();
        let DiffAsk { number, source, text, version, format } = ask;
        let begun = Instant::now();
        let same = text.clone();
        let found = move |other| {
            Event::Diff(Box::new(DiffFound { number, text, version, other, cost: begun.elapsed() }))
        };
        let lost = found.clone();
        self.task(move |why| lost(Err(format!("the texts could not be compared: {why}"))), async move {
            found(match read(&*env, source, format.encoding).await {
                Err(why) => Err(why),
                Ok(read) => on_thread(move || compared(read, &same, format)).await,
            })
        });
    }
}

async fn read(env: &dyn Environment, source: Source, encoding: Encoding) -> Result<Read, String> {
    Ok(match source {
        Source::Git { path, head } => {
            let name = path.display().to_string();
            let bytes =
                git::events::bytes_of(env, &path, if head { "HEAD" } else { "" }, git::events::SHOWN_MAX)
                    .await;
            Read::Bytes(name, bytes.map_err(|missing| missing.to_string())?, Some(encoding))
        }
        Source::File(path, encoding) => {
            let name = path.display().to_string();
            let data = env.read(&path).await.map_err(|error| format!("cannot be compared: {error}"))?;
            Read::Bytes(name, data.bytes, encoding)
        }
        Source::Text(text, steps, format) => Read::Text(text, steps, format),
        Source::Before(text) => Read::Before(text),
    })
}

fn compared(read: Read, new: &Text, format: Format) -> Result<Other, String> {
    let (old, was) = match read {
        Read::Before(text) => {
            let runs = compare::runs(&text, new);
            return Ok(Other { text, notes: Vec::new(), runs });
        }
        Read::Text(mut text, steps, was) => {
            for step in &steps {
                step.apply(&mut text);
            }
            (text, was)
        }
        Read::Bytes(name, bytes, like) => {
            let (text, was) = match like {
                Some(encoding) => format::decode_like(&bytes, encoding),
                None => format::decode(&bytes),
            };
            if was.binary {
                return Err(format!("{name} is a binary file"));
            }
            (Text::from(text.as_str()), was)
        }
    };
    let text = Arc::new(if was.ending == format.ending { old } else { with_ending(&old, format.ending) });
    let runs = compare::runs(&text, new);
    Ok(Other { text, notes: notes(was, format), runs })
}

/// A text with all its lines ending in one way, so that not every line differs.
fn with_ending(text: &Text, ending: LineEnding) -> Text {
    let plain = text.to_string().replace("\r\n", "\n");
    Text::from(if ending == LineEnding::Lf { plain } else { plain.replace('\n', ending.text()) }.as_str())
}

/// What differs besides lines: the other text's, then ours.
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
