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
    let mut whole = Script::default();
    if process_memory::names_process_memory(text) {
        whole.mark_unresolved(MEMORY);
    }
    let mut open = vec![(text.to_string(), 0)];
    while let Some((text, depth)) = open.pop() {
        let read = read::read(&text);
        read.unresolved.into_iter().for_each(|why| whole.mark_unresolved(why));
        whole.writes.extend(read.writes);
        whole.reads.extend(read.reads);
        let mut parts: Vec<SimpleCommand> = read.commands.into_iter().rev().collect();
        while let Some(part) = parts.pop() {
            if whole.commands.len() >= PARTS_MAX || depth > TEXTS_MAX {
                whole.mark_unresolved("a command line with too much in it");
                return whole;
            }
            let inner = wrappers::wrapped_commands(&part.words);
            whole.commands.push(part);
            let mut deeper = Vec::new();
            for inner in inner {
                match inner {
                    WrappedCommand::Words(sets, words) => deeper.push(SimpleCommand { sets, words }),
                    WrappedCommand::Text(text) => open.push((text, depth + 1)),
                    WrappedCommand::Unknown => whole.mark_unresolved(UNKNOWN),
                }
            }
            parts.extend(deeper.into_iter().rev());
        }
    }
    whole
}
