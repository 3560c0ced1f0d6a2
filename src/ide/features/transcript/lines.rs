//! Lines of calls, summaries and hidden thinking, within limited numbers of rows. Must not know text of
//! unlimited length, such as answers: that is laid out elsewhere.

use crate::base::width::{text_width, truncate, visible};
use crate::ide::features::transcript::cards::card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::images;
use crate::ide::features::transcript::cards::rows::{PROSE, WHOLE_ROWS, fit, indented};
use crate::ide::features::transcript::items::{Item, ItemKind};
use crate::ide::model::age::duration;
use crate::tui::widgets::line::{Line, Role, Span};

/// Maximum bytes of thinking from which its first words are taken.
const FIRST_WORDS_BYTES: usize = 512;

/// Returns the lines of an item with limited rows; text of unlimited length is laid out where it is shown.
pub fn lay_out(item: &Item, form: &CardForm<'_>) -> Vec<Line> {
    match &item.kind {
        ItemKind::Tool(call) => card::lay_out(call, form),
        ItemKind::Summary { title, text } => summary(title, text, form),
        ItemKind::Image(image) => images::rows(image, form),
        ItemKind::User(_) | ItemKind::Answer(_) | ItemKind::Thinking(_) | ItemKind::Notice { .. } => {
            Vec::new()
        }
    }
}

/// Returns the lines of a summary: its title, and its text if output is shown in full.
fn summary(title: &str, text: &str, form: &CardForm<'_>) -> Vec<Line> {
    let key = &form.keys.expand;
    let sign = match (form.is_accessible, form.is_full) {
        (true, true) => "Summary: ",
        (true, false) => "Summary, collapsed: ",
        (false, true) => "▾ ",
        (false, false) => "▸ ",
    };
    let hint = if form.is_full || key.is_empty() { String::new() } else { format!(" · {key}") };
    let mut head = vec![Span::decoration(sign, "agent.tool")];
    let room = usize::from(form.width).saturating_sub(text_width(&hint) + text_width(sign));
    head.extend(fit(vec![Span::new(title.lines().next().unwrap_or_default(), "agent.tool")], room));
    head.push(Span::decoration(hint, "agent.tool"));
    let mut lines = vec![fit(head, usize::from(form.width))];
    if form.is_full {
        lines.extend(indented(text.lines(), form, WHOLE_ROWS, PROSE));
    }
    lines
}

/// Returns the one line shown for hidden thinking: how long it took, if that is known, and how it begins.
pub fn hidden_thinking(item: &Item, width: u16) -> Vec<Line> {
    let ItemKind::Thinking(text) = &item.kind else { return Vec::new() };
    if text.is_empty() {
        return Vec::new();
    }
    let took = item.took.map_or_else(String::new, |took| format!(" {}", duration(took)));
    // All of a long text would be read at every delta.
    let beginning = &text[..text.floor_char_boundary(FIRST_WORDS_BYTES)];
    let words = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("∴ thought{took} · {words}");
    let line = truncate(&visible(&line), usize::from(width)).into_owned();
    vec![vec![Span::new(line, "agent.thinking").with_role(Role::Aside)]]
}
