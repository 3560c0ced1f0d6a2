//! Words that a prompt can be instead of something said to the model: `/new`, `/name TEXT`, `/compact about
//! what`. A word is one row here; what it does is a command, or takes what stands behind it.

use crate::ide::core::context::Cx;
use crate::ide::core::effect::Effect;
use crate::ide::features::context::events as contents;
use crate::ide::features::sessions::{events as sessions, summaries};

/// One word.
pub struct Word {
    /// Without the slash.
    pub name: &'static str,
    does: Does,
}

/// What it does.
enum Does {
    /// This command, by its id; nothing stands behind the word.
    Command(&'static str),
    /// This, with what stands behind the word.
    With(fn(&mut Cx<'_>, &str)),
}

const fn command(name: &'static str, id: &'static str) -> Word {
    Word { name, does: Does::Command(id) }
}

const fn with(name: &'static str, act: fn(&mut Cx<'_>, &str)) -> Word {
    Word { name, does: Does::With(act) }
}

/// Every word; those of pi mean what they mean there.
pub static WORDS: &[Word] = &[
    command("new", "session.new"),
    command("resume", "session.resume"),
    command("tree", "view.session-tree"),
    command("fork", "view.session-tree"),
    command("clone", "session.copy"),
    command("context", "session.context"),
    with("edit", contents::tell),
    // The name that it had before.
    with("tell", contents::tell),
    with("name", name),
    command("search", "session.search"),
    command("import", "session.import"),
    with("compact", |cx, about| {
        summaries::compact(cx, Some(about).filter(|about| !about.is_empty()).map(str::to_string));
    }),
    with("summary", summaries::change),
    command("undo", "session.undo-turn"),
    command("model", "agent.model-picker"),
    command("tools", "agent.tools-picker"),
    command("login", "agent.login"),
    command("logout", "agent.logout"),
    command("hotkeys", "app.keys"),
    command("quit", "app.quit"),
];

impl Word {
    /// The command that it stands for, if it is one.
    pub fn command(&self) -> Option<&'static str> {
        match self.does {
            Does::Command(id) => Some(id),
            Does::With(_) => None,
        }
    }
}

fn name(cx: &mut Cx<'_>, name: &str) {
    if name.is_empty() {
        return cx.effects.push(Effect::Run("session.rename"));
    }
    sessions::rename(cx, name.to_string());
}

/// Does what the prompt says if it is one of the words; tells whether it was.
pub fn typed(cx: &mut Cx<'_>) -> bool {
    let text = cx.state.prompt.area.text().to_string();
    let Some(text) = text.trim_end().strip_prefix('/') else { return false };
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(word) = WORDS.iter().find(|word| word.name == first) else { return false };
    match word.does {
        Does::Command(_) if !rest.is_empty() => {
            cx.state.fail(format!("/{first} takes no arguments. Start with a space to send it as text"));
        }
        Does::Command(id) => {
            cx.state.prompt.take();
            cx.effects.push(Effect::Run(id));
        }
        Does::With(act) => {
            cx.state.prompt.take();
            act(cx, rest.trim());
        }
    }
    cx.state.damage.all();
    true
}
