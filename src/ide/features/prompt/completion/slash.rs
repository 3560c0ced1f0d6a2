//! Completions of slash commands.

use nucleo::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo::{Config, Matcher, Utf32Str};

use crate::ide::features::prompt::slash_commands::{SLASH_COMMANDS, SlashCommand};
use crate::ide::model::completion::CompletionRow;

/// Returns the slash commands that match what was typed after the slash, the best one first.
pub fn rows(query: &str) -> Vec<CompletionRow> {
    let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut found: Vec<_> = SLASH_COMMANDS
        .iter()
        .filter(|command| !command.is_former)
        .filter_map(|command| {
            let mut indices = Vec::new();
            let name = Utf32Str::new(command.name, &mut buffer);
            let score = pattern.indices(name, &mut matcher, &mut indices)?;
            let begins = command.name.starts_with(&query.to_lowercase());
            let after_slash = indices.iter().map(|at| at + 1).collect();
            Some(((begins, score), row(command, after_slash, begins && !query.is_empty())))
        })
        .collect();
    found.sort_by(|(a, _), (b, _)| b.cmp(a));
    found.into_iter().map(|(_, row)| row).collect()
}

fn row(command: &SlashCommand, matched: Vec<u32>, is_likely: bool) -> CompletionRow {
    let detail = match command.argument {
        "" => command.about.to_string(),
        argument => format!("{argument}  {}", command.about),
    };
    let is_complete = command.argument.is_empty() || command.argument.starts_with('[');
    let text = format!("/{}", command.name);
    CompletionRow { text, insert: None, matched, detail, is_likely, is_complete }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slash_completion_ranks_prefix_first_and_hides_former_names() {
        let names = |query: &str| rows(query).into_iter().map(|row| row.text).collect::<Vec<_>>();
        assert_eq!(names("mod")[0], "/model");
        assert_eq!(names("re")[0], "/resume");
        assert!(names("").len() > 15 && names("zzz").is_empty());
        assert!(names("!ls").is_empty() && names("$").is_empty(), "what was typed is no query language");
        let likely = |query: &str| rows(query)[0].is_likely;
        assert!(likely("Qu") && !likely("it") && !likely(""));
        assert!(!names("tell").contains(&"/tell".to_string()));
        let model = &rows("mdl")[0];
        assert_eq!((model.text.as_str(), model.matched.as_slice()), ("/model", &[1, 3, 5][..]));
    }
}
