//! Formatting rules of projects (`.editorconfig`): loaded when a file is opened and when the rules are saved,
//! applied while typing and on save.

use std::path::{Path, PathBuf};

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::model::buffers::BufferId;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{Format, LineEnding};
use crate::text::file_format::tidy::Tidy;
use crate::workspace::editorconfig::{self, FileEncoding, LineEndingRule, LoadedRules, Rules};

/// Handles a file that was opened, or renamed.
pub fn on_opened(cx: &mut Cx<'_>, id: BufferId) {
    let path = cx.state.buffers.get_mut(id).and_then(|buffer| buffer.path.clone());
    if let Some(path) = path {
        look_up(cx, vec![(id, path)]);
    }
}

/// Handles a written file: if it contains rules, they apply from now on.
pub fn on_written(cx: &mut Cx<'_>, path: &Path) {
    if path.file_name().is_none_or(|name| name != editorconfig::NAME) {
        return;
    }
    cx.state.notices_shown.clear();
    let files = cx.state.buffers.all().iter().filter_map(|buffer| Some((buffer.id, buffer.path.clone()?)));
    let files = files.collect();
    look_up(cx, files);
}

/// Loads the formatting rules of these files.
fn look_up(cx: &mut Cx<'_>, files: Vec<(BufferId, PathBuf)>) {
    let work = move || -> Vec<(BufferId, LoadedRules)> {
        files.into_iter().map(|(buffer, path)| (buffer, editorconfig::load(&path))).collect()
    };
    cx.tasks.spawn_blocking("files.read-rules", work, |cx, rules| {
        if let Some(rules) = answer_or_error(cx, "read .editorconfig", rules) {
            apply_rules(cx, rules);
        }
    });
}

/// Applies the loaded rules.
fn apply_rules(cx: &mut Cx<'_>, found: Vec<(BufferId, LoadedRules)>) {
    for (id, LoadedRules { rules, problems }) in found {
        for problem in problems {
            tracing::warn!("{problem}");
            if cx.state.notices_shown.insert(problem.clone()) {
                cx.state.set_error(problem);
            }
        }
        let Some(buffer) = cx.state.buffers.get_mut(id) else { continue };
        if buffer.rules == rules {
            continue;
        }
        buffer.rules = rules;
        let document = &mut buffer.area.document;
        // The content of an existing file is unchanged; a new file follows the rules.
        if buffer.stamp.is_none() && document.text().is_empty() {
            document.set_format(new_format(rules, document.format()));
        }
        cx.state.damage.add_all();
    }
}

/// The format of a new file.
fn new_format(rules: Rules, usual: Format) -> Format {
    let (encoding, bom) = match rules.charset {
        None => (usual.encoding, usual.bom),
        Some(FileEncoding::Utf8) => (Encoding::UTF8, false),
        Some(FileEncoding::Utf8Bom) => (Encoding::UTF8, true),
        Some(FileEncoding::Latin1) => (Encoding::from_label("latin1").unwrap_or_default(), false),
        Some(FileEncoding::Utf16Le) => (Encoding::UTF16LE, true),
        Some(FileEncoding::Utf16Be) => (Encoding::UTF16BE, true),
    };
    Format { encoding, bom, ending: ending(rules).unwrap_or(usual.ending), ..usual }
}

fn ending(rules: Rules) -> Option<LineEnding> {
    rules.line_ending.map(|ending| match ending {
        LineEndingRule::Lf => LineEnding::Lf,
        LineEndingRule::CrLf => LineEnding::CrLf,
    })
}

/// Returns the cleanup to run when a text is saved.
pub fn tidy(rules: Rules) -> Tidy {
    Tidy { trim: rules.trim_trailing == Some(true), final_ending: rules.final_newline, ending: ending(rules) }
}
