//! Parses a command line with all nested commands: wrappers and texts for other shells.

use super::read;
use super::script::{MEMORY, Script, SimpleCommand};
use crate::tools::command::operands::process_memory;
use crate::tools::command::wrappers::{self, WrappedCommand};

/// Maximum number of commands that are checked.
const PARTS_MAX: usize = 200;
/// Texts in texts, this deep.
const TEXTS_MAX: usize = 8;

const UNKNOWN: &str = "a command that another one makes up";

/// Parses a command line as far as possible. Never fails: the rest is unresolved.
pub fn parse(text: &str) -> Script {
    let mut script = Script::default();
    if process_memory::names_process_memory(text) {
        script.mark_unresolved(MEMORY);
    }
    let mut open = vec![(text.to_string(), 0)];
    while let Some((text, depth)) = open.pop() {
        let read = read::read(&text);
        read.unresolved.into_iter().for_each(|reason| script.mark_unresolved(reason));
        script.writes.extend(read.writes);
        script.reads.extend(read.reads);
        let mut parts: Vec<SimpleCommand> = read.commands.into_iter().rev().collect();
        while let Some(part) = parts.pop() {
            if script.commands.len() >= PARTS_MAX || depth > TEXTS_MAX {
                script.mark_unresolved("a command line with too much in it");
                return script;
            }
            let inner = wrappers::wrapped_commands(&part.words);
            script.commands.push(part);
            let mut deeper = Vec::new();
            for inner in inner {
                match inner {
                    WrappedCommand::Words(sets, words) => deeper.push(SimpleCommand { sets, words }),
                    WrappedCommand::Text(text) => open.push((text, depth + 1)),
                    WrappedCommand::Unknown => script.mark_unresolved(UNKNOWN),
                }
            }
            parts.extend(deeper.into_iter().rev());
        }
    }
    script
}
