//! Completions that need no server: files and folders of a path, the user's snippets, and words of the open files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::base::width::is_unsafe;
use crate::config;
use crate::exec::FileKind;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::completion::request::{Answer, Place, take_in};
use crate::ide::features::completion::state::{Origin, Row, Source};
use crate::ide::features::plugins::state::PLUGINS;
use crate::ide::features::snippets::commands::languages;
use crate::ide::model::view::display::SoftWrap;
use crate::lsp::answers::completion::Item;
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum number of rows of a source.
const ROWS_MAX: usize = 2_000;
/// Characters of a word before which words of the open files are not offered by themselves.
pub const WORD_MIN: usize = 3;
/// Maximum characters of a word that is offered.
const WORD_MAX: usize = 80;
/// Maximum bytes of the texts in which words are looked for.
const TEXTS_MAX: usize = 2 << 20;

fn source(origin: Origin) -> Source {
    Source { origin, text: None, is_incomplete: false, is_stale: false, commit: Vec::new(), resolves: false }
}

fn answer(origin: Origin, items: Vec<(Item, usize)>) -> Answer {
    let rows = items.into_iter().take(ROWS_MAX);
    let rows = rows.map(|(item, back)| Row { item, back, after: 0, is_resolved: true }).collect();
    Answer { source: source(origin), rows, is_late: false }
}

/// Asks the sources that have something for a place; returns how many. `servers` is the number of servers that are asked,
/// too: words of the text would only be in their way.
pub fn ask(cx: &mut Cx<'_>, place: &Place, number: u64, servers: usize, is_by_hand: bool) -> usize {
    if let Some(path) = path_before(&place.before) {
        ask_for_paths(cx, path, number);
        return 1;
    }
    let mut count = 0;
    if !place.word.is_empty() || is_by_hand {
        ask_for_snippets(cx, place, number);
        count += 1;
    }
    let letters = place.word.chars().count();
    let name = cx.state.buffers.current().and_then(|buffer| buffer.path.clone());
    let is_prose = languages(cx.state).is_empty() || SoftWrap::Prose.is_on(name.as_deref());
    if servers == 0 && (is_by_hand || letters >= WORD_MIN && !is_prose) {
        ask_for_words(cx, place, number);
        count += 1;
    }
    count
}

/// Returns the path that ends a line, if what ends it is one: it has a slash, and no scheme before.
fn path_before(before: &str) -> Option<&str> {
    let is_border = |letter: char| letter.is_whitespace() || "\"'`()[]{}<>=,;|".contains(letter);
    let path = before.rsplit(is_border).next().unwrap_or_default();
    let is_path =
        path.contains('/') && !path.contains("//") && !path.ends_with("*/") && !path.starts_with("/*");
    // A slash alone is a division or the begin of a tag.
    (is_path && path != "/" && !before.ends_with("</")).then_some(path)
}

/// Asks for the files of the folder that a path names: absolute, of the home folder, beside the file, or in the workspace.
fn ask_for_paths(cx: &mut Cx<'_>, path: &str, number: u64) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let beside =
        cx.state.buffers.current().and_then(|buffer| Some(buffer.path.as_deref()?.parent()?.to_path_buf()));
    let folders: Vec<PathBuf> = match folder {
        _ if path.starts_with('/') => vec![Path::new("/").join(folder.trim_start_matches('/'))],
        "~" => vec![cx.state.home.clone()],
        _ if folder.starts_with("~/") => vec![cx.state.home.join(&folder[2..])],
        _ => beside.into_iter().chain([cx.state.workspace.clone()]).map(|base| base.join(folder)).collect(),
    };
    let (env, back, typed) = (cx.env.clone(), name.len(), name.to_lowercase());
    let work = async move {
        for folder in folders {
            // The next one may have it; no folder is no problem of the user's.
            let Ok(entries) = env.list(&folder).await else { continue };
            let begins = |name: &String| name.to_lowercase().starts_with(&typed) && !name.contains(is_unsafe);
            let named = entries.into_iter().filter(|entry| begins(&entry.name));
            let mut named: Vec<_> =
                named.map(|entry| (file_item(entry.name, entry.kind == FileKind::Folder), back)).collect();
            named.sort_by(|(a, _), (b, _)| a.sort.cmp(&b.sort));
            return answer(Origin::Paths, named);
        }
        answer(Origin::Paths, Vec::new())
    };
    cx.tasks.spawn("completion.list-paths", work, move |cx, found| {
        let found = answer_or_error(cx, "list files", found);
        take_in(cx, number, found);
    });
}

fn file_item(name: String, is_folder: bool) -> Item {
    let text = if is_folder { format!("{name}/") } else { name };
    Item {
        label: text.clone(),
        filter: text.clone(),
        sort: text.clone(),
        text,
        kind: if is_folder { "folder" } else { "file" },
        ..Item::default()
    }
}

/// Asks for the user's snippets whose prefix can be typed.
fn ask_for_snippets(cx: &mut Cx<'_>, place: &Place, number: u64) {
    let mut folders = vec![cx.state.config.join("snippets")];
    folders.extend(cx.state.slots[PLUGINS].snippets.iter().cloned());
    let (names, back) = (languages(cx.state), place.word.len());
    let work = on_thread(move || {
        let found = folders.iter().flat_map(|folder| {
            let (found, problems) = config::snippets::read(folder, &names);
            for problem in problems {
                tracing::warn!(%problem, "a snippet is not offered");
            }
            found
        });
        let offered = found.filter(|snippet| !snippet.prefix.is_empty()).map(|snippet| {
            let item = Item {
                label: snippet.prefix.clone(),
                filter: snippet.prefix.clone(),
                sort: snippet.prefix,
                origin: snippet.name,
                kind: "snippet",
                is_snippet: true,
                documentation: snippet.description,
                text: snippet.body,
                ..Item::default()
            };
            (item, back)
        });
        answer(Origin::Snippets, offered.collect())
    });
    cx.tasks.spawn("completion.read-snippets", work, move |cx, found| {
        let found = answer_or_error(cx, "read snippets", found);
        take_in(cx, number, found);
    });
}

/// Asks for the words of the open files, those of the shown one first.
fn ask_for_words(cx: &mut Cx<'_>, place: &Place, number: u64) {
    let current = place.buffer;
    let open = cx.state.buffers.all().iter().filter(|buffer| buffer.loading.is_none() && !buffer.is_image);
    let mut texts: Vec<(bool, Text)> =
        open.map(|buffer| (buffer.id != current, buffer.area.text().clone())).collect();
    texts.sort_by_key(|(is_other, _)| *is_other);
    let (typed, caret) = (place.word.clone(), place.caret);
    let work = on_thread(move || {
        let texts: Vec<Text> = texts.into_iter().map(|(_, text)| text).collect();
        let back = typed.len();
        let found = words(&texts, &typed, caret).into_iter().map(|word| {
            let item = Item {
                label: word.clone(),
                filter: word.clone(),
                sort: word.clone(),
                text: word,
                kind: "word",
                ..Item::default()
            };
            (item, back)
        });
        answer(Origin::Words, found.collect())
    });
    cx.tasks.spawn("completion.find-words", work, move |cx, found| {
        let found = answer_or_error(cx, "look for words", found);
        take_in(cx, number, found);
    });
}

/// Returns the words of texts that are longer than one and begin with its first letter, in the order in which they are
/// found, each once. The word of the first text that ends at the caret is left out.
fn words(texts: &[Text], typed: &str, caret: Byte) -> Vec<String> {
    let first = typed.chars().next().map(|letter| letter.to_lowercase().to_string());
    let mut known = HashSet::new();
    let mut found = Vec::new();
    let mut budget = TEXTS_MAX;
    for (n, text) in texts.iter().enumerate() {
        let end = text.char_floor(Byte(budget).min(text.end()));
        budget -= end.0;
        let content = text.slice(Byte(0)..end);
        let mut at = 0;
        for word in content.split(|letter: char| !motion::is_word(letter)) {
            let word_end = at + word.len();
            at = content[word_end..].chars().next().map_or(word_end, |letter| word_end + letter.len_utf8());
            let is_typed = n == 0 && Byte(word_end) == caret;
            let letters = word.chars().count();
            let begins = first.as_ref().is_none_or(|first| word.to_lowercase().starts_with(first));
            let is_name = word.chars().next().is_some_and(|letter| !letter.is_numeric());
            let is_longer = word.len() > typed.len() && (WORD_MIN..=WORD_MAX).contains(&letters);
            if is_longer && begins && is_name && !is_typed && known.insert(word.to_string()) {
                found.push(word.to_string());
                if found.len() == ROWS_MAX {
                    return found;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_words_are_those_of_all_texts_once_and_not_the_typed_one() {
        let texts = [Text::from("parse parser 12parse\npar"), Text::from("Parsing größe parse pa")];
        assert_eq!(words(&texts, "par", Byte(24)), ["parse", "parser", "Parsing"]);
        assert_eq!(words(&texts, "g", Byte(99)), ["größe"]);
        assert_eq!(words(&texts[1..], "", Byte(0)), ["Parsing", "größe", "parse"]);
    }

    #[test]
    fn completion_path_has_a_slash_and_no_scheme() {
        assert_eq!(path_before("open(\"./src/ma"), Some("./src/ma"));
        assert_eq!(path_before("cat ~/"), Some("~/"));
        assert_eq!(path_before("x = a /"), None);
        for none in ["", "abc", "// note", "http://host/pa", "</", "/* ", "a/* b */"] {
            assert_eq!(path_before(none), None, "{none:?}");
        }
        assert_eq!(path_before("src/"), Some("src/"));
    }
}
