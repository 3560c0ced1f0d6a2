//! Export of a branch as Markdown: headings for roles, fences around arguments and output of tools.

use super::blocks::{self, Block, Piece};
use crate::base::code_fence::code_fence;
use crate::session::Session;

/// Returns the branch to the leaf.
pub fn document(session: &Session) -> String {
    let header = session.header();
    let title = session.name().unwrap_or_else(|| "Conversation".to_string());
    let mut out = format!("# {title}\n\n{} in `{}`, session `{}`\n", header.timestamp, header.cwd, header.id);
    for entry in session.tree().path() {
        if let Some(block) = blocks::of_entry(entry) {
            write(&mut out, &block);
        }
    }
    out
}

fn write(out: &mut String, block: &Block) {
    out.push_str(&format!("\n## {}\n", block.title.replace('\n', " ")));
    for piece in &block.pieces {
        out.push('\n');
        match piece {
            Piece::Text(text) => out.push_str(text.trim_end()),
            Piece::Thinking(text) => {
                let quoted: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
                out.push_str(&quoted.join("\n"));
            }
            Piece::Call { name, arguments } => {
                out.push_str(&format!("Calls `{name}`:\n\n{}", fenced(arguments, "json")));
            }
            Piece::Output { text, failed } => {
                let prefix = if *failed { "Failed:\n\n" } else { "" };
                out.push_str(&format!("{prefix}{}", fenced(text, "")));
            }
            Piece::Image { mime, data } => {
                out.push_str(&format!("*(picture, {mime}, {} bytes)*", data.len() / 4 * 3));
            }
            Piece::Note(text) => out.push_str(&format!("*({text})*")),
        }
        out.push('\n');
    }
}

/// Returns the text in a fence that is longer than any fence inside it.
fn fenced(text: &str, language: &str) -> String {
    let fence = code_fence(text);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_markdown_fence_is_longer_than_content() {
        assert_eq!(fenced("a", ""), "```\na\n```");
        assert_eq!(fenced("a\n````\nb\n", "x"), "`````x\na\n````\nb\n`````");
    }
}
