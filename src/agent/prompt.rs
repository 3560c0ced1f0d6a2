//! The system prompt, in parts that stay the same to the byte from turn to turn: caching pays
//! for nothing else. So no date, no counter, and what changes most often stands last.

use std::path::{Path, PathBuf};

const ROLE: &str = include_str!("../../assets/prompts/role.md");
const GUIDELINES: &str = include_str!("../../assets/prompts/guidelines.md");

/// What all project documents together may take, in bytes.
const DOCUMENT_BYTES_MAX: usize = 32 * 1024;
const DOCUMENTS_CUT: &str = "[Project instructions truncated at 32KB]";

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
    let mut text = ROLE.trim_end().to_string();
    if !tools.is_empty() {
        text.push_str("\n\nTools:\n");
        for (name, line) in tools {
            text.push_str(&format!("- `{name}`: {line}\n"));
        }
    }
    text.push_str("\n\nHow to work:\n");
    text.push_str(GUIDELINES.trim_end());
    text
}

fn documents(documents: &[(PathBuf, String)]) -> Option<String> {
    let mut left = DOCUMENT_BYTES_MAX;
    let mut text = String::new();
    for (path, words) in documents {
        let end = words.floor_char_boundary(left);
        let cut = if end < words.len() { format!("\n{DOCUMENTS_CUT}") } else { String::new() };
        let words = &words[..end];
        left -= end;
        text.push_str(&format!(
            "<project_instructions path=\"{}\">\n{}{cut}\n</project_instructions>\n",
            path.display(),
            words.trim_end()
        ));
        if !cut.is_empty() {
            break;
        }
    }
    (!text.is_empty()).then(|| format!("<project_context>\n{text}</project_context>"))
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

    #[test]
    fn long_instructions_are_cut_and_say_so() {
        let document = |name: &str| (PathBuf::from(name), "é".repeat(10_000));
        let text = parts(&[document("a"), document("b"), document("c")])[1].clone();
        assert!(text.contains(DOCUMENTS_CUT) && !text.contains("path=\"c\""));
        assert!(text.len() < DOCUMENT_BYTES_MAX + 500);
    }
}
