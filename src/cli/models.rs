//! `--list-models`: prints usable models, one per line, in tab-separated columns.
//!
//! Must not know where models come from.

use crate::llm::model::{Model, Thinking};

/// Returns the lines of the models that contain every word of `search`, case-insensitive.
pub fn lines<'a>(models: impl Iterator<Item = &'a Model>, search: Option<&str>) -> Vec<String> {
    let words: Vec<String> = search.unwrap_or_default().split_whitespace().map(str::to_lowercase).collect();
    let matches = |model: &&Model| {
        let text = format!("{}/{} {}", model.provider, model.id, model.name).to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    models.filter(matches).map(line).collect()
}

/// Columns: id, name, context window, maximum output, dollars per million tokens in and out, thinking levels.
fn line(model: &Model) -> String {
    let Model { provider, id, name, context_window, max_tokens, cost, .. } = model;
    let levels: Vec<_> =
        Thinking::ALL.into_iter().filter(|level| model.has_level(*level)).map(Thinking::name).collect();
    format!(
        "{provider}/{id}\t{name}\t{}\t{}\t${}/${}\t{}",
        tokens(*context_window),
        tokens(*max_tokens),
        cost.base.input,
        cost.base.output,
        levels.join(",")
    )
}

fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}M", (count as f64 / 1e5).floor() / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_command_lines_and_search() {
        let mut model = Model::unknown("xai", "grok-4.7", "openai-responses", "");
        (model.name, model.context_window, model.reasoning) = ("Grok 4.7".into(), 1_048_576, true);
        (model.cost.base.input, model.cost.base.output) = (1.25, 6.0);
        let other = Model::unknown("demo", "guide", "demo", "");
        let all = [model, other];
        let find = |search| lines(all.iter(), search);
        assert_eq!(
            find(Some("GROK x")),
            ["xai/grok-4.7\tGrok 4.7\t1M\t16k\t$1.25/$6\toff,minimal,low,medium,high"]
        );
        assert_eq!((find(None).len(), find(Some("nothing")).len()), (2, 0));
    }
}
