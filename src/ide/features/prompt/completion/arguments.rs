//! Completions of the arguments of slash commands: one row of a table for each kind.

use nucleo::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo::{Config, Matcher, Utf32Str};

use crate::ide::core::state::State;
use crate::ide::features::agent::{approval_modes, thinking};
use crate::ide::features::themes::switch;
use crate::ide::model::completion::CompletionRow;
use crate::runtime::Handle;
use crate::tools::permissions::policy::Mode;

/// A value, and a line about it.
type Value = (String, String);

/// The values that the argument of a slash command can have.
struct ArgumentKind {
    /// The command's name, without the slash.
    command: &'static str,
    values: fn(&State) -> Vec<Value>,
}

/// All kinds.
const ARGUMENTS: &[ArgumentKind] = &[
    ArgumentKind { command: "model", values: models },
    ArgumentKind { command: "thinking", values: levels },
    ArgumentKind { command: "approval", values: modes },
    ArgumentKind { command: "profile", values: profiles },
    ArgumentKind { command: "theme", values: themes },
];

fn models(state: &State) -> Vec<Value> {
    let value = |model: &std::sync::Arc<crate::llm::model::Model>| {
        (format!("{}/{}", model.provider, model.id), model.name.clone())
    };
    state.agent.models.iter().map(value).collect()
}

fn levels(state: &State) -> Vec<Value> {
    let levels = thinking::levels(&state.agent).into_iter();
    levels.map(|level| (level.name().to_string(), String::new())).collect()
}

fn modes(_: &State) -> Vec<Value> {
    Mode::ALL.map(|mode| (mode.name().to_string(), approval_modes::description(mode).to_string())).into()
}

fn profiles(_: &State) -> Vec<Value> {
    Handle::profiles().map(|name| (name.to_string(), String::new())).collect()
}

fn themes(state: &State) -> Vec<Value> {
    let about = |is_shown: bool| if is_shown { "shown now" } else { "" };
    switch::names(state).map(|(name, is_shown)| (name.to_string(), about(is_shown).to_string())).collect()
}

/// Returns the command and the beginning of its argument in a line, if the argument can be completed.
pub fn typed(line: &str) -> Option<(&'static str, &str)> {
    let (name, rest) = line.strip_prefix('/')?.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let kind = ARGUMENTS.iter().find(|kind| kind.command == name)?;
    (!rest.ends_with(char::is_whitespace)).then_some((kind.command, rest))
}

/// Returns the values that match what was typed, the best one first.
pub fn rows(state: &State, command: &str, query: &str) -> Vec<CompletionRow> {
    let kind = ARGUMENTS.iter().find(|kind| kind.command == command);
    best(kind.map(|kind| (kind.values)(state)).unwrap_or_default(), query)
}

fn best(values: Vec<Value>, query: &str) -> Vec<CompletionRow> {
    let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut buffer = Vec::new();
    let lower = query.to_lowercase();
    let mut found: Vec<_> = values
        .into_iter()
        .filter_map(|(value, about)| {
            let mut indices = Vec::new();
            let score = pattern.indices(Utf32Str::new(&value, &mut buffer), &mut matcher, &mut indices)?;
            let row = CompletionRow {
                text: value,
                insert: None,
                matched: indices,
                detail: about,
                // Enter takes what is marked, once something of it was typed: before that it opens the picker.
                is_likely: !query.is_empty(),
                is_complete: true,
            };
            Some((score, row))
        })
        .collect();
    // Stable: without a query the order of the values.
    // A value that is typed as a whole comes before longer ones with the same score.
    let is_typed = |row: &CompletionRow| {
        let value = row.text.to_lowercase();
        value == lower || value.rsplit('/').next() == Some(&lower)
    };
    found.sort_by_key(|(score, row)| (!is_typed(row), std::cmp::Reverse(*score)));
    found.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::features::prompt::slash_commands::SLASH_COMMANDS;

    #[test]
    fn argument_kinds_belong_to_commands_that_take_one() {
        for kind in ARGUMENTS {
            let command = SLASH_COMMANDS.iter().find(|command| command.name == kind.command);
            assert!(command.is_some_and(|command| !command.argument.is_empty()), "{}", kind.command);
        }
    }

    #[test]
    fn argument_rows_match_and_keep_order() {
        let values =
            || ["off", "low", "high", "xhigh"].map(|value| (value.to_string(), String::new())).to_vec();
        let texts = |query: &str| best(values(), query).into_iter().map(|row| row.text).collect::<Vec<_>>();
        assert_eq!(texts(""), ["off", "low", "high", "xhigh"]);
        assert_eq!(texts("HI"), ["high", "xhigh"]);
        let models = ["openai/gpt-5-mini", "openai/gpt-5"].map(|value| (value.to_string(), String::new()));
        assert_eq!(best(models.to_vec(), "gpt-5")[0].text, "openai/gpt-5");
        assert!(texts("deep").is_empty());
    }

    #[test]
    fn argument_is_typed_after_known_command() {
        assert_eq!(typed("/model a/b"), Some(("model", "a/b")));
        assert_eq!(typed("/approval "), Some(("approval", "")));
        for line in ["/model", "/name x", "model x", "/model x ", "//model x"] {
            assert_eq!(typed(line), None, "{line}");
        }
    }
}
