//! The text of an item as it was said: without signs, indentation and the breaks of wrapping. Must not know
//! how it is laid out.

use std::borrow::Cow;

use crate::base::code_fence::code_fence;
use crate::ide::features::transcript::items::{Call, Item, ItemKind};
use crate::tools::contract::view::{CallKind, DiffLine, FileDiff, PlanStep, ResultView};

/// Returns the text of an item.
pub fn plain(item: &Item) -> Cow<'_, str> {
    match &item.kind {
        ItemKind::User(text)
        | ItemKind::Answer(text)
        | ItemKind::Thinking(text)
        | ItemKind::Notice { text, .. } => text.trim_end().into(),
        ItemKind::Summary { title, text } => format!("{title}\n{text}").into(),
        ItemKind::Image(image) => image.label().into(),
        ItemKind::Tool(call) => [command(call), output(call)]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
            .into(),
    }
}

/// Returns an item as Markdown: calls with their results as blocks of code.
pub fn markdown(item: &Item) -> String {
    match &item.kind {
        ItemKind::User(text) => format!("> {}\n", text.trim_end().replace('\n', "\n> ")),
        ItemKind::Answer(text) => text.trim_end().to_string(),
        ItemKind::Thinking(text) => format!("*{}*", text.trim()),
        ItemKind::Notice { text, .. } => text.clone(),
        ItemKind::Summary { title, text } => format!("**{title}**\n\n{text}"),
        ItemKind::Image(image) => image.label(),
        ItemKind::Tool(call) => {
            let head = format!("**{}**\n\n{}", call.tool, fenced(&command(call), ""));
            let output = output(call);
            let language = if is_diff(call) { "diff" } else { "" };
            if output.is_empty() { head } else { format!("{head}\n\n{}", fenced(&output, language)) }
        }
    }
}

/// Returns text as a block of code, with a fence that does not occur in it.
fn fenced(text: &str, language: &str) -> String {
    let fence = code_fence(text);
    format!("{fence}{language}\n{text}\n{fence}")
}

fn is_diff(call: &Call) -> bool {
    matches!(call.result, Some(ResultView::Diff { .. } | ResultView::Diffs(_)))
}

/// Returns what was called.
fn command(call: &Call) -> String {
    match &call.view.body {
        // The body of a command begins with its title.
        Some(body) if call.view.kind == CallKind::Command => body.clone(),
        Some(body) if !is_diff(call) => format!("{}\n{body}", call.view.title),
        _ => call.view.title.clone(),
    }
}

/// Returns what came of it.
fn output(call: &Call) -> String {
    match &call.result {
        None => call.live_output.trim_end().to_string(),
        Some(
            ResultView::Text(text)
            | ResultView::Output(text)
            | ResultView::Hits { text, .. }
            | ResultView::Excerpt { text, .. },
        ) => text.trim_end().to_string(),
        Some(ResultView::Diff { lines, .. }) => changes(lines),
        Some(ResultView::Diffs(files)) => {
            let file = |file: &FileDiff| format!("{}\n{}", file.title, changes(&file.lines));
            files.iter().map(file).collect::<Vec<_>>().join("\n")
        }
        Some(ResultView::Plan(steps)) => {
            steps.iter().map(|step: &PlanStep| step.text.as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

fn changes(lines: &[Option<DiffLine>]) -> String {
    let line = |line: &Option<DiffLine>| match line {
        Some(line) => format!("{}{}", line.sign, line.text),
        None => "…".to_string(),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: ItemKind) -> Item {
        Item { id: 1, version: 0, took: None, grows: false, revealed: None, kind }
    }

    #[test]
    fn transcript_copy_fences_are_longer_than_those_inside() {
        assert_eq!(fenced("a ```` b", ""), "`````\na ```` b\n`````");
        assert_eq!(fenced("x", "diff"), "```diff\nx\n```");
    }

    #[test]
    fn transcript_copy_of_question_is_text_or_quote() {
        let asked = item(ItemKind::User("one\ntwo\n".into()));
        assert_eq!(plain(&asked), "one\ntwo");
        assert_eq!(markdown(&asked), "> one\n> two\n");
    }
}
