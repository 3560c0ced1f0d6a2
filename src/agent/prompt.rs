//! The system prompt, in parts that stay the same to the byte from turn to turn: caching pays
//! for nothing else. So no date, no counter, and what changes most often stands last.

use std::path::{Path, PathBuf};

const ROLE: &str = include_str!("../../assets/prompts/role.md");
const GUIDELINES: &str = include_str!("../../assets/prompts/guidelines.md");

/// What the prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Name and one line of each tool, in order.
    pub tools: &'a [(&'a str, &'a str)],
    /// Instructions of the project, the outermost first.
    pub documents: &'a [(PathBuf, String)],
    /// The working folder.
    pub cwd: &'a Path,
}

/// The parts of the system prompt.
pub fn system(inputs: Inputs) -> Vec<String> {
    let mut parts = vec![base(inputs.tools)];
    parts.extend(documents(inputs.documents));
    parts.push(format!("Current working directory: {}", inputs.cwd.display()));
    parts
}

fn base(tools: &[(&str, &str)]) -> String {
    let mut lines = vec![ROLE.trim_end().to_string(), String::new()];
    if !tools.is_empty() {
        lines.push("Tools:".to_string());
        lines.extend(tools.iter().map(|(name, line)| format!("- `{name}`: {line}")));
        lines.push(String::new());
    }
    lines.push("How to work:".to_string());
    lines.push(GUIDELINES.trim_end().to_string());
    lines.join("\n")
}

fn documents(documents: &[(PathBuf, String)]) -> Option<String> {
    if documents.is_empty() {
        return None;
    }
    let mut lines = vec!["<project_context>".to_string()];
    for (path, words) in documents {
        lines.push(format!("<project_instructions path=\"{}\">", path.display()));
        lines.push(words.trim_end().to_string());
        lines.push("</project_instructions>".to_string());
    }
    lines.push("</project_context>".to_string());
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(documents: &[(PathBuf, String)]) -> Vec<String> {
        system(Inputs { tools: &[("read", "looks at a file")], documents, cwd: Path::new("/w") })
    }

    #[test]
    fn the_working_folder_stands_last() {
        let documents = [(PathBuf::from("/w/AGENTS.md"), "Use tabs.\n".to_string())];
        let parts = parts(&documents);
        assert_eq!(parts.len(), 3);
        assert!(parts[0].contains("- `read`: looks at a file\n"));
        assert!(
            parts[1]
                .contains("<project_instructions path=\"/w/AGENTS.md\">\nUse tabs.\n</project_instructions>")
        );
        assert_eq!(parts[2], "Current working directory: /w");
        assert_eq!(self::parts(&[]).len(), 2);
    }
}
