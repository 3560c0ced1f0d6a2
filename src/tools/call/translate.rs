//! Translates an intent to calls of the available tools: one call, or several with the same effect.
//!
//! Must not know conversations. Pure: files are not read.

use std::collections::HashMap;

use serde_json::Value;

use crate::patch::v4a::{self, Chunk, Section, Sign};
use crate::tools::contract::intent::{Intent, TextReplacement};
use crate::tools::contract::registry::Registry;

/// Maximum number of files for which one call is split into several.
const FILES_MAX: usize = 20;

/// Returns names and arguments of calls for an intent; `None` if impossible.
pub fn translate(intent: &Intent, tools: &Registry) -> Option<Vec<(String, Value)>> {
    let one = |intent: &Intent| {
        let of_kind = tools.entries().iter().filter(|row| row.tool.kind() == intent.kind());
        let others = tools.entries().iter().filter(|row| row.tool.kind() != intent.kind());
        of_kind.chain(others).find_map(|row| {
            // Arguments that the tool itself would reject are not used.
            let args = row.tool.args_for(intent).filter(|args| row.accepts(args).is_some())?;
            Some((row.spec.name.clone(), args))
        })
    };
    let all = |intents: Vec<Intent>| intents.iter().map(one).collect::<Option<Vec<_>>>();
    one(intent).map(|call| vec![call]).or_else(|| alternatives(intent).into_iter().find_map(all))
}

/// Returns alternatives with the same effect, each at least one intent, best first.
fn alternatives(intent: &Intent) -> Vec<Vec<Intent>> {
    let readings = match intent {
        Intent::Edit { path, swaps: replacements, everywhere } => {
            let patch = (!*everywhere).then(|| patch_of(path, replacements)).flatten();
            let patch = patch.map(|patch| vec![Intent::Patch { patch }]);
            [Some(split_edits(path, replacements, *everywhere)), patch].into_iter().flatten().collect()
        }
        Intent::Write { path, content } => {
            add_file_patch(path, content).into_iter().map(|intent| vec![intent]).collect()
        }
        Intent::Patch { patch } => {
            let sections = v4a::parse::parse(patch).unwrap_or_default();
            let readings = [false, true].map(|singly| intents_of(&sections, singly));
            readings.into_iter().flatten().collect()
        }
        Intent::ReadMany { paths } => split_reads(paths).into_iter().collect(),
        Intent::Read { path, first, lines } => vec![vec![run(&read_command(path, *first, *lines))]],
        Intent::Grep { pattern, path, glob } => {
            let glob = glob.as_ref().map(|glob| format!(" -g {}", quote(glob))).unwrap_or_default();
            let command = format!("rg -n{glob} -e {}{}", quote(pattern), folder_arg(path.as_ref()));
            vec![vec![run(&command)]]
        }
        Intent::Find { pattern, path } => {
            vec![vec![run(&format!("rg --files -g {}{}", quote(pattern), folder_arg(path.as_ref())))]]
        }
        Intent::Ls { path } => vec![vec![run(&format!("ls -a{}", folder_arg(path.as_ref())))]],
        Intent::AskServers { .. } => Vec::new(),
        Intent::Run { command, folder, timeout, background } => {
            let there = folder.as_ref().map(|folder| format!("cd {} && ", quote(folder)));
            let plain = |timeout| {
                let command = format!("{}{command}", there.as_deref().unwrap_or_default());
                // The original did not wait for it.
                let command = if *background { format!("{command} &") } else { command };
                Intent::Run { command, folder: None, timeout, background: false }
            };
            vec![vec![plain(*timeout)], vec![plain(None)]]
        }
    };
    readings.into_iter().filter(|intents: &Vec<Intent>| !intents.is_empty()).collect()
}

fn run(command: &str) -> Intent {
    Intent::Run { command: command.to_string(), folder: None, timeout: None, background: false }
}

fn folder_arg(path: Option<&String>) -> String {
    path.map(|path| format!(" {}", quote(path))).unwrap_or_default()
}

fn read_command(path: &str, first: Option<usize>, lines: Option<usize>) -> String {
    let path = quote(path);
    let first = first.unwrap_or(1).max(1);
    match lines {
        None if first == 1 => format!("cat {path}"),
        None => format!("sed -n '{first},$p' {path}"),
        Some(lines) => {
            let last = first.saturating_add(lines.max(1) - 1);
            format!("sed -n '{first},{last}p' {path}")
        }
    }
}

/// Returns one intent per file; `None` if the paths contain patterns.
fn split_reads(paths: &[String]) -> Option<Vec<Intent>> {
    let plain = |path: &String| !path.contains(['*', '?', '[', '{']);
    let read = |path: &String| Intent::Read { path: path.clone(), first: None, lines: None };
    (paths.len() <= FILES_MAX && paths.iter().all(plain)).then(|| paths.iter().map(read).collect())
}

fn split_edits(path: &str, replacements: &[TextReplacement], everywhere: bool) -> Vec<Intent> {
    let edit = |replacement: &TextReplacement| Intent::Edit {
        path: path.to_string(),
        swaps: vec![replacement.clone()],
        everywhere,
    };
    replacements.iter().map(edit).collect()
}

/// Returns a patch for the swaps, by whole lines; `None` if there is none.
fn patch_of(path: &str, replacements: &[TextReplacement]) -> Option<String> {
    let mut text = format!("*** Begin Patch\n*** Update File: {path}\n");
    for replacement in replacements {
        if replacement.old.is_empty() || replacement.old == replacement.new {
            return None;
        }
        let (old, new): (Vec<&str>, Vec<&str>) =
            (replacement.old.lines().collect(), replacement.new.lines().collect());
        let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let room = old.len().min(new.len()) - before;
        let after = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
        let mut line = |sign: char, words: &str| {
            text.push(sign);
            text.extend([words, "\n"]);
        };
        line('@', "@");
        old[..before].iter().for_each(|row| line(' ', row));
        old[before..old.len() - after].iter().for_each(|row| line('-', row));
        new[before..new.len() - after].iter().for_each(|row| line('+', row));
        old[old.len() - after..].iter().for_each(|row| line(' ', row));
    }
    text.push_str("*** End Patch");
    let sections = v4a::parse::parse(&text).ok()?;
    let is_complete = matches!(&sections[..], [Section::Update { path: named, to: None, chunks }]
        if named == path && chunks.len() == replacements.len());
    is_complete.then_some(text)
}

/// Returns a patch that adds the file.
fn add_file_patch(path: &str, content: &str) -> Option<Intent> {
    let mut text = format!("*** Begin Patch\n*** Add File: {path}\n");
    content.lines().for_each(|line| text.extend(["+", line, "\n"]));
    text.push_str("*** End Patch");
    let sections = v4a::parse::parse(&text).ok()?;
    matches!(&sections[..], [Section::Add { path: named, .. }] if named == path)
        .then_some(Intent::Patch { patch: text })
}

/// Returns the intents of a patch, file by file; `None` if a part of it cannot be expressed. `singly`: one
/// intent per change within a file.
fn intents_of(sections: &[Section], singly_too: bool) -> Option<Vec<Intent>> {
    let mut intents = Vec::new();
    for section in sections {
        match section {
            Section::Add { path, text } => {
                intents.push(Intent::Write { path: path.clone(), content: text.clone() });
            }
            Section::Delete { path } => intents.push(run(&format!("rm {}", quote(path)))),
            Section::Update { path, to, chunks } => {
                let replacements = chunks.iter().map(swap).collect::<Option<Vec<TextReplacement>>>()?;
                let replacements: Vec<TextReplacement> =
                    replacements.into_iter().filter(|swap| swap.old != swap.new).collect();
                // Identical texts are distinguished only by their position in the patch.
                let mut seen: HashMap<&str, usize> = HashMap::new();
                for swap in &replacements {
                    *seen.entry(&swap.old).or_default() += 1;
                }
                if seen.values().any(|count| *count > 1) {
                    return None;
                }
                if singly_too {
                    intents.extend(split_edits(path, &replacements, false));
                } else if !replacements.is_empty() {
                    intents.push(Intent::Edit { path: path.clone(), swaps: replacements, everywhere: false });
                }
                if let Some(to) = to {
                    intents.push(run(&format!("mv {} {}", quote(path), quote(to))));
                }
            }
        }
    }
    Some(intents)
}

/// Returns the old and new lines of a chunk; `None` if it has no context to locate it.
fn swap(chunk: &Chunk) -> Option<TextReplacement> {
    let with = |sign: Sign| -> Vec<&str> {
        let lines = chunk.lines.iter().filter(|line| line.sign == Sign::Keep || line.sign == sign);
        lines.map(|line| line.text.as_str()).collect()
    };
    let (mut old, mut new) = (with(Sign::Remove), with(Sign::Add));
    if old.is_empty() {
        let below = chunk.below.as_deref()?;
        old.insert(0, below);
        new.insert(0, below);
    }
    let mut replacement = TextReplacement { old: old.join("\n"), new: new.join("\n") };
    if new.is_empty() {
        // Lines that go take their end along.
        replacement.old.push('\n');
    }
    (!replacement.old.is_empty()).then_some(replacement)
}

/// Quotes a word for a shell.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
