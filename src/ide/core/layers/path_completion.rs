//! Completion of a path that is typed into a prompt: the common beginning of what matches is put in, the matches are
//! shown in the frame. Must not know what the path is for.

use std::sync::Arc;

use crate::base::width::{text_width, visible};
use crate::exec::{DirEntry, Environment, FileKind};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::prompt::{Prompt, view_area};
use crate::text::position::Byte;

/// Maximum number of matches that are kept to be shown.
const SHOWN_MAX: usize = 50;
/// Cells between matches.
const GAP: &str = "  ";

/// The names in a folder that begin as typed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Matches {
    /// Their common beginning.
    common: String,
    /// The first ones, sorted; folders end with a slash.
    names: Vec<String>,
    /// Number of all.
    count: usize,
}

/// Completes the path in the topmost prompt, if that has one, up to the caret.
pub fn complete(cx: &mut Cx<'_>) {
    let Some(prompt) = cx.state.layers.top::<Prompt>().filter(|prompt| prompt.completes_paths) else {
        return;
    };
    let head = prompt.answer.selection.primary().head;
    let typed = prompt.answer.text().slice(Byte(0)..head).into_owned();
    let version = prompt.answer.document.version();
    // The home folder itself is completed by the slash after it.
    if typed == "~" {
        return insert(cx, "/");
    }
    let (folder, beginning) = match typed.rfind('/') {
        Some(slash) => (typed[..=slash].to_string(), typed[slash + 1..].to_string()),
        None => (".".to_string(), typed),
    };
    let (path, env) = (cx.state.resolve_typed_path(&folder), Arc::clone(cx.env));
    let listed = async move { find(&*env, &path, &beginning).await.map(|found| (beginning, found)) };
    cx.tasks.spawn("prompt.complete-path", listed, move |cx, listed| {
        let Some(listed) = answer_or_error(cx, "complete the path", listed) else { return };
        let prompt = cx.state.layers.top::<Prompt>();
        if prompt.is_none_or(|prompt| prompt.answer.document.version() != version) {
            return;
        }
        match listed {
            Ok((beginning, matches)) => show(cx, &beginning, &matches),
            Err(problem) => set_note(cx, problem),
        }
    });
}

/// Returns what matches in a folder; hidden names only if a dot was typed. Fails with a message.
async fn find(env: &dyn Environment, folder: &std::path::Path, beginning: &str) -> Result<Matches, String> {
    let entries = env.list(folder).await.map_err(|_| "No such folder".to_string())?;
    Ok(matches(entries, beginning))
}

fn matches(entries: Vec<DirEntry>, beginning: &str) -> Matches {
    let shows_hidden = beginning.starts_with('.');
    let names = entries.into_iter().filter(|entry| {
        let is_typable = !entry.name.chars().any(char::is_control);
        entry.name.starts_with(beginning) && is_typable && (shows_hidden || !entry.name.starts_with('.'))
    });
    let mut names: Vec<String> = names
        .map(|entry| if entry.kind == FileKind::Folder { entry.name + "/" } else { entry.name })
        .collect();
    names.sort();
    let common = match (names.first(), names.last()) {
        // Of sorted names, what the first and the last have in common all have.
        (Some(first), Some(last)) => {
            let equal = first.chars().zip(last.chars()).take_while(|(a, b)| a == b);
            equal.map(|(c, _)| c).collect()
        }
        _ => String::new(),
    };
    let count = names.len();
    names.truncate(SHOWN_MAX);
    Matches { common, names, count }
}

fn show(cx: &mut Cx<'_>, beginning: &str, matches: &Matches) {
    let rest = matches.common.get(beginning.len()..).unwrap_or_default();
    if !rest.is_empty() {
        insert(cx, rest);
    }
    let title = cx.state.layers.top::<Prompt>().map_or(0, |prompt| text_width(&prompt.title));
    let room = usize::from(view_area(cx.state.size).width).saturating_sub(title + 12);
    let note = match matches.count {
        0 => "No match".to_string(),
        1 => String::new(),
        _ => list(matches, room),
    };
    set_note(cx, note);
}

/// Returns as many of the matches as fit, and the number of the others.
fn list(matches: &Matches, room: usize) -> String {
    let mut note = String::new();
    for (n, name) in matches.names.iter().enumerate() {
        let left = matches.count - n;
        let more = format!("+{left}");
        let with_name =
            if n == 0 { visible(name).into_owned() } else { format!("{note}{GAP}{}", visible(name)) };
        let needed = if left > 1 { text_width(GAP) + text_width(&more) } else { 0 };
        if text_width(&with_name) + needed > room {
            return if n == 0 { format!("{left} matches") } else { format!("{note}{GAP}{more}") };
        }
        note = with_name;
    }
    match matches.count - matches.names.len() {
        0 => note,
        left => format!("{note}{GAP}+{left}"),
    }
}

/// Puts text in at the caret of the topmost prompt.
fn insert(cx: &mut Cx<'_>, text: &str) {
    let now_ms = cx.now_ms;
    if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
        prompt
            .answer
            .edit(now_ms, |old, selection| crate::text::operations::edit::insert(old, selection, text));
        prompt.note.clear();
    }
    cx.state.damage.add_all();
}

fn set_note(cx: &mut Cx<'_>, note: String) {
    if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
        prompt.note = note;
        prompt.noted_version = prompt.answer.document.version();
    }
    cx.state.damage.add_all();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str], beginning: &str) -> Matches {
        let entry = |name: &&str| DirEntry {
            name: name.trim_end_matches('/').to_string(),
            kind: if name.ends_with('/') { FileKind::Folder } else { FileKind::File },
        };
        matches(names.iter().map(entry).collect(), beginning)
    }

    #[test]
    fn path_completion_finds_common_beginning() {
        let names = ["src/", "snap/", "étude.rs", "été", ".git/", "a\u{1b}b"];
        assert_eq!(found(&names, "sr").common, "src/");
        assert_eq!(found(&names, "s").common, "s");
        assert_eq!(found(&names, "é").common, "ét");
        assert_eq!(found(&names, "").names, ["snap/", "src/", "étude.rs", "été"]);
        assert_eq!(found(&names, ".").common, ".git/");
        assert_eq!(found(&names, "x"), Matches::default());
    }

    #[test]
    fn path_completion_list_fits_its_room() {
        let names: Vec<String> = (0..80).map(|n| format!("file-{n:02}.rs")).collect();
        let many = found(&names.iter().map(String::as_str).collect::<Vec<_>>(), "");
        assert_eq!((many.count, many.names.len()), (80, SHOWN_MAX));
        for room in 0..1_000 {
            let note = list(&many, room);
            assert!(text_width(&note) <= room.max("80 matches".len()), "{room}: {note}");
        }
        assert_eq!(list(&many, 30), "file-00.rs  file-01.rs  +78");
        assert!(list(&many, 1_000).ends_with("file-49.rs  +30"));
    }
}
