//! Syntax colors of two compared texts, found by a task. Must not know where the texts come from or how rows are drawn.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::features::diff::rows::DiffRows;
use crate::syntax::highlighting::highlighted_range::HighlightedRange;
use crate::syntax::highlighting::whole_text::CodeLanguage;
use crate::text::rope::Text;

/// Time limit for a text; beyond it the text stays plain.
const BUDGET: Duration = Duration::from_secs(1);
/// Longer texts stay plain.
const BYTES_MAX: usize = 2 << 20;

/// The colors of both texts.
#[derive(Debug, Default)]
pub struct TextColors {
    /// Those of the old text.
    pub old: Option<HighlightedRange>,
    /// Those of the new text.
    pub new: Option<HighlightedRange>,
    /// Whether they are known, or a task finds them.
    is_requested: bool,
}

impl TextColors {
    /// The new text is another one. Colors of the same old text are still right.
    pub fn reset(&mut self, keeps_old: bool) {
        let old = self.old.take().filter(|_| keeps_old);
        *self = Self { old, ..Self::default() };
    }
}

/// After a frame: finds the colors of the texts that it showed plain, of a file with this name. `rows` finds the rows
/// when the colors are there.
pub fn request(cx: &mut Cx<'_>, name: &str, rows: fn(&mut State) -> Option<&mut DiffRows>) {
    let Some(shown) = rows(cx.state) else { return };
    let Some(old) = shown.old.clone().filter(|_| !shown.colors.is_requested) else { return };
    shown.colors.is_requested = true;
    let (new, has_old) = (shown.new.clone(), shown.colors.old.is_some());
    let name = name.rsplit('/').next().unwrap_or_default().to_string();
    let compared = (old.clone(), new.clone());
    let work = move || {
        let old = (!has_old).then(|| colors(&name, &old)).flatten();
        (old, colors(&name, &new))
    };
    cx.tasks.spawn_blocking("diff.color", work, move |cx, found| {
        let Some((old, new)) = answer_or_error(cx, "color the texts", found) else { return };
        let Some(shown) = rows(cx.state) else { return };
        let is_same = |text: &Arc<Text>| Arc::ptr_eq(text, &compared.0) && shown.new.is_same(&compared.1);
        if shown.old.as_ref().is_some_and(is_same) {
            shown.colors.old = old.or(shown.colors.old.take());
            shown.colors.new = new;
            cx.state.damage.add_all();
        }
    });
}

fn colors(name: &str, text: &Text) -> Option<HighlightedRange> {
    if text.end().0 > BYTES_MAX {
        return None;
    }
    CodeLanguage::of_file(name, text)?.paint(text, BUDGET)
}
