//! System prompt, in parts that stay identical byte for byte from turn to turn, as prompt caching requires.
//! Order: base instructions, environment, repository, tools, project documents, and last the user's own text,
//! which has the most weight.

use std::path::{Path, PathBuf};

use crate::agent::profiles::Profile;
use crate::agent::request::environment::EnvironmentFacts;
use crate::llm::model::{Model, ToolSpec};

/// Estimated characters per token.
const CHARS_PER_TOKEN: usize = 4;

/// One part of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Its text, as it is sent.
    pub text: String,
}

/// The user's texts for the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptTexts {
    /// Replaces the base instructions.
    pub base: Option<String>,
    /// Appended at the end.
    pub append: Vec<String>,
}

/// Inputs of the prompt.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct PromptInputs<'a> {
    /// Whose instructions.
    pub profile: &'static Profile,
    /// The model.
    pub model: &'a Model,
    /// Name and one-line description of each tool, in order.
    pub tools: &'a [(&'a str, &'static str)],
    /// Instruction documents of the user and the project, outermost first.
    pub documents: &'a [(PathBuf, String)],
    /// The working folder.
    pub cwd: &'a Path,
    /// Facts about the environment; only for profiles that include them.
    pub facts: &'a EnvironmentFacts,
    /// The user's texts.
    pub texts: &'a PromptTexts,
}

/// Returns the estimated tokens of a text.
#[doc(hidden)]
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARS_PER_TOKEN)
}

/// Returns the estimated tokens of a tool definition.
#[doc(hidden)]
pub fn tool_tokens(spec: &ToolSpec) -> usize {
    let grammar = spec.grammar.as_ref().map_or("", |grammar| grammar.definition.as_str());
    let parameters = spec.parameters.to_string();
    tokens(&[&spec.name, &spec.description, parameters.as_str(), grammar].concat())
}

/// Returns the parts of the system prompt.
#[doc(hidden)]
pub fn parts(inputs: PromptInputs) -> Vec<Part> {
    let mut parts = if inputs.profile.environment { full_parts(inputs) } else { pi_parts(inputs) };
    let append = inputs.texts.append.join("\n\n");
    parts.push(Part { name: "appended", text: append });
    parts.retain(|part| !part.text.trim().is_empty());
    parts
}

/// Returns the prompt in pi's form, without date and model, so that it is the same for all models.
fn pi_parts(inputs: PromptInputs) -> Vec<Part> {
    let PromptInputs { profile, texts: words, tools, documents, cwd, .. } = inputs;
    let base = words.base.clone().unwrap_or_else(|| {
        let text =
            |name| profile.prompt.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        let mut lines = vec![text("role").trim_end().to_string(), String::new()];
        if !tools.is_empty() {
            lines.extend([tool_list("Tools:", tools), String::new()]);
        }
        lines.push(format!("How to work:\n{}", text("guidelines").trim_end()));
        lines.join("\n")
    });
    vec![
        Part { name: "base", text: base },
        Part { name: "documents", text: project_context(documents) },
        Part { name: "place", text: format!("Current working directory: {}", cwd.display()) },
    ]
}

fn full_parts(inputs: PromptInputs) -> Vec<Part> {
    let PromptInputs { profile, model, texts: words, tools, documents, cwd, facts: host_facts } = inputs;
    let environment =
        host_facts.environment(&cwd.to_string_lossy(), &model.name, model.knowledge_cutoff.as_deref());
    let tools = if tools.is_empty() { String::new() } else { tool_list("# Your tools", tools) };
    vec![
        Part { name: "base", text: words.base.clone().unwrap_or_else(|| profile.base_instructions()) },
        Part { name: "environment", text: environment },
        Part {
            name: "git",
            text: host_facts
                .git
                .as_ref()
                .map(crate::agent::request::environment::Git::context)
                .unwrap_or_default(),
        },
        Part { name: "tools", text: tools },
        Part { name: "documents", text: project_context(documents) },
    ]
}

fn tool_list(title: &str, tools: &[(&str, &str)]) -> String {
    let lines = tools.iter().map(|(name, line)| format!("- `{name}`: {line}"));
    std::iter::once(title.to_string()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn project_context(documents: &[(PathBuf, String)]) -> String {
    if documents.is_empty() {
        return String::new();
    }
    let mut lines = vec!["<project_context>".to_string()];
    for (path, words) in documents {
        lines.push(format!("<project_instructions path=\"{}\">", path.display()));
        lines.push(words.trim_end().to_string());
        lines.push("</project_instructions>".to_string());
    }
    lines.push("</project_context>".to_string());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::profile::find;
    use crate::agent::request::environment::Git;

    fn parts(id: &str, documents: &[(PathBuf, String)], words: &PromptTexts) -> Vec<Part> {
        let git = Git { branch: "main".into(), ..Git::default() };
        let facts =
            EnvironmentFacts { date: "2026-02-03".into(), git: Some(git), ..EnvironmentFacts::default() };
        super::parts(PromptInputs {
            profile: find(id).unwrap(),
            model: &Model { name: "Some Model".into(), ..Model::unknown("p", "m", "a", "") },
            tools: &[("read", "looks at a file")],
            documents,
            cwd: Path::new("/w"),
            facts: &facts,
            texts: words,
        })
    }

    fn names(parts: &[Part]) -> String {
        parts.iter().map(|part| part.name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn prompt_compact_form_ends_with_folder_and_no_date() {
        let documents = [(PathBuf::from("/w/AGENTS.md"), "Use tabs.\n".to_string())];
        let parts = parts("pi", &documents, &PromptTexts::default());
        assert_eq!(names(&parts), "base documents place");
        assert!(parts[0].text.contains("- `read`: looks at a file\n"));
        assert!(
            parts[1]
                .text
                .contains("<project_instructions path=\"/w/AGENTS.md\">\nUse tabs.\n</project_instructions>")
        );
        assert_eq!(parts[2].text, "Current working directory: /w");
        let all: String = parts.iter().map(|part| part.text.as_str()).collect();
        assert!(!all.contains("2026") && !all.contains("Some Model") && !all.contains("main"), "{all}");
        assert_eq!(names(&self::parts("pi", &[], &PromptTexts::default())), "base place");
    }

    #[test]
    fn prompt_layers_are_ordered_and_appended_last() {
        let documents = [(PathBuf::from("/w/AGENTS.md"), "Use tabs.\n".to_string())];
        let words = PromptTexts { base: None, append: vec!["one".into(), "two".into()] };
        for id in ["openai", "anthropic", "gemini"] {
            let parts = parts(id, &documents, &words);
            assert_eq!(names(&parts), "base environment git tools documents appended");
            assert!(parts[1].text.contains("Model: Some Model\n"));
            assert_eq!(parts[5].text, "one\n\ntwo");
        }
        let words = PromptTexts { base: Some("Mine.".into()), append: Vec::new() };
        for id in ["pi", "openai"] {
            assert_eq!(parts(id, &documents, &words)[0].text, "Mine.");
        }
        assert_eq!(names(&parts("openai", &documents, &words)), "base environment git tools documents");
    }

    #[test]
    fn prompt_tokens_are_four_characters() {
        assert_eq!([tokens(""), tokens("a"), tokens("abcd"), tokens("ééééé")], [0, 1, 1, 2]);
        let spec = ToolSpec { name: "ab".into(), description: "cd".into(), ..ToolSpec::default() };
        assert_eq!(tool_tokens(&spec), 2);
    }
}
