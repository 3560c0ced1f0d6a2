//! How projects want their files written (`.editorconfig`): looked up when a file is opened and
//! when the rules are saved, followed while it is typed and when it is saved.
//!
//! Must not touch the disk; what is to be looked up is asked for.

use std::path::Path;

use crate::ide::core::context::Cx;
use crate::ide::core::effect::Effect;
use crate::ide::core::event::Tidied;
use crate::ide::model::buffers::BufferId;
use crate::text::encoding::Encoding;
use crate::text::format::{Format, LineEnding};
use crate::text::tidy::Tidy;
use crate::text::transaction::{Author, Transaction};
use crate::workspace::editorconfig::{self, Encoded, Ending, Found, Rules};

/// Texts that are typed into faster than they are looked at are saved as they are after so many
/// tries.
const TRIES: u8 = 3;

/// A file was opened, or has another name.
pub fn opened(cx: &mut Cx<'_>, id: BufferId) {
    let path = cx.state.buffers.get_mut(id).and_then(|buffer| buffer.path.clone());
    cx.effects.extend(path.map(|path| Effect::Rules(vec![(id, path)])));
}

/// A file was written: when it holds rules, they count from now on.
pub fn written(cx: &mut Cx<'_>, path: &Path) {
    if path.file_name().is_none_or(|name| name != editorconfig::NAME) {
        return;
    }
    cx.state.told.clear();
    let files = cx.state.buffers.all().iter().filter_map(|buffer| Some((buffer.id, buffer.path.clone()?)));
    cx.effects.push(Effect::Rules(files.collect()));
}

/// The rules were looked up.
pub fn found(cx: &mut Cx<'_>, found: Vec<(BufferId, Found)>) {
    for (id, Found { rules, problems }) in found {
        for problem in problems {
            tracing::warn!("{problem}");
            if cx.state.told.insert(problem.clone()) {
                cx.state.fail(problem);
            }
        }
        let Some(buffer) = cx.state.buffers.get_mut(id) else { continue };
        if buffer.rules == rules {
            continue;
        }
        buffer.rules = rules;
        let document = &mut buffer.area.document;
        // What is in a file already stays as it is; a file that is yet to be made is theirs.
        if buffer.stamp.is_none() && document.text().is_empty() {
            document.set_format(new_format(rules, document.format()));
        }
        cx.state.damage.all();
    }
}

/// The format of a new file.
fn new_format(rules: Rules, usual: Format) -> Format {
    let (encoding, bom) = match rules.charset {
        None => (usual.encoding, usual.bom),
        Some(Encoded::Utf8) => (Encoding::UTF8, false),
        Some(Encoded::Utf8Bom) => (Encoding::UTF8, true),
        Some(Encoded::Latin1) => (Encoding::named("latin1").unwrap_or_default(), false),
        Some(Encoded::Utf16Le) => (Encoding::UTF16LE, true),
        Some(Encoded::Utf16Be) => (Encoding::UTF16BE, true),
    };
    Format { encoding, bom, ending: ending(rules).unwrap_or(usual.ending), ..usual }
}

fn ending(rules: Rules) -> Option<LineEnding> {
    rules.ending.map(|ending| match ending {
        Ending::Lf => LineEnding::Lf,
        Ending::CrLf => LineEnding::CrLf,
    })
}

/// How a text is to be when it is saved.
pub fn tidy(rules: Rules) -> Tidy {
    Tidy { trim: rules.trim == Some(true), final_ending: rules.final_ending, ending: ending(rules) }
}

/// What has to change before a save was found out: it becomes one undoable step, and the save
/// goes on with the text after it.
pub fn tidied(cx: &mut Cx<'_>, tidied: Tidied) {
    let Tidied { mut save, version, tries, changes } = tidied;
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(save.buffer) else { return };
    let tidy = tidy(buffer.rules);
    let now = buffer.area.document.version();
    if now == version {
        if !changes.is_identity() {
            let format = buffer.area.document.format();
            let format = Format { ending: tidy.ending.unwrap_or(format.ending), ..format };
            let edit = Transaction::new(changes).by(Author::Formatter).format(format);
            buffer.area.apply_foreign(edit, now_ms);
            cx.state.damage.all();
        }
        save.format.ending = tidy.ending.unwrap_or(save.format.ending);
    }
    let Some(buffer) = cx.state.buffers.get_mut(save.buffer) else { return };
    let document = &mut buffer.area.document;
    // What is typed while the file is written must not join what is written.
    document.seal();
    (save.text, save.revision) = (document.text().clone(), document.history().current());
    cx.effects.push(if now == version || tries >= TRIES {
        Effect::Save(Box::new(save))
    } else {
        Effect::Tidy { save: Box::new(save), tidy, version: now, tries: tries + 1 }
    });
}
