//! Renames what is at the caret, in all files: the server says what that is, the user types the new name, and sees what
//! changes before it does.

use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::language_servers::apply_edit::{self, EditRequest, answer_or_refusal};
use crate::ide::features::language_servers::questions::{ask, has_server, is_at, shown_version};
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::lsp::client::edits::RenameTarget;
use crate::lsp::table::Feature;
use crate::text::movement::motion::{is_word, run_around};
use crate::text::position::Byte;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.rename",
    "Rename symbol",
    &["rename variable", "rename function", "refactor rename", "rename everywhere"],
    begin,
)
.when(has_server)];

/// What is shown where there is nothing to rename.
const NOTHING: &str = "Nothing to rename here";

/// What is shown until the server answers.
const ASKING: &str = "Rename: asking the language server…";
/// What is shown where the user has gone on before that.
const GONE_ON: &str = "Rename canceled: the cursor or the text has moved";

/// The text and the position where a rename began.
#[derive(Debug, Clone, Copy)]
struct Origin {
    buffer: BufferId,
    version: u64,
    at: Byte,
}

/// Asks the server what can be renamed, then the user for the new name.
fn begin(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::RenameSymbol) else { return };
    let origin = Origin { buffer: asked.buffer, version: shown_version(cx.state), at: asked.at };
    cx.state.set_status(ASKING);
    let work = async move {
        for server in asked.servers {
            let Some(client) = server.client.await else { continue };
            match client.prepare_rename(&asked.path, asked.at.0).await {
                Ok(target) => return Ok((server.number, server.name, target)),
                Err(QuestionError::NotOffered) => {}
                Err(error) => return Err(format!("{}: {error}", server.name)),
            }
        }
        Err("No language server of this file can rename".to_string())
    };
    cx.tasks.spawn("language-servers.prepare-rename", work, move |cx, answer| {
        let Some((number, name, target)) = answer_or_refusal(cx, answer) else { return };
        if !is_at(cx.state, origin.buffer, origin.version, origin.at) {
            return cx.state.set_status(GONE_ON);
        }
        cx.state.set_status("");
        match present_name(cx, origin.at, target) {
            Some(present) => ask_name(cx, (number, name), origin, present),
            None => cx.state.set_status(NOTHING),
        }
    });
}

/// Returns the name that is to be replaced, if there is one.
fn present_name(cx: &Cx<'_>, at: Byte, target: RenameTarget) -> Option<String> {
    let text = cx.state.buffers.current()?.area.text();
    let name = match target {
        RenameTarget::Nothing => return None,
        RenameTarget::Word => text.slice(run_around(text, at, is_word)).into_owned(),
        RenameTarget::Range(_, Some(placeholder)) => placeholder,
        RenameTarget::Range(range, None) => text.slice(Byte(range.start)..Byte(range.end)).into_owned(),
    };
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    (!name.is_empty()).then_some(name)
}

fn ask_name(cx: &mut Cx<'_>, server: (u32, String), origin: Origin, present: String) {
    let initial = present.clone();
    let prompt = Prompt::new("Rename to", move |cx, name| {
        if name == present {
            return cx.state.set_status("Name unchanged");
        }
        rename(cx, server, origin, name);
    });
    prompt.required().verb("rename").initial(initial).selected().open(cx);
}

/// Asks the server what changes, and shows it.
fn rename(cx: &mut Cx<'_>, (number, server): (u32, String), origin: Origin, name: String) {
    if !is_at(cx.state, origin.buffer, origin.version, origin.at) {
        return cx.state.set_error(format!("{}: the text has changed; rename again", visible(&server)));
    }
    let Some(asked) = ask(cx, Feature::RenameSymbol) else { return };
    let Some(asked_server) = asked.servers.into_iter().find(|server| server.number == number) else {
        return cx.state.set_error(format!("{} does not run", visible(&server)));
    };
    let title = format!("Rename to {name}");
    cx.state.set_status(ASKING);
    let work = async move {
        let Some(client) = asked_server.client.await else {
            return Err(format!("{} does not run", asked_server.name));
        };
        let answer = client.rename(&asked.path, asked.at.0, &name).await;
        answer.map_err(|error| format!("{}: {error}", asked_server.name))
    };
    cx.tasks.spawn("language-servers.rename", work, move |cx, answer| match answer_or_refusal(cx, answer) {
        // The user has gone on meanwhile.
        Some(_) if !is_at(cx.state, origin.buffer, origin.version, origin.at) => {
            cx.state.set_status(GONE_ON);
        }
        Some(Some(edit)) if !edit.edit.steps.is_empty() => {
            cx.state.set_status("");
            let request = EditRequest { server, title, edit, is_previewed: true, reply: None, then: None };
            apply_edit::begin(cx, request);
        }
        Some(_) => cx.state.set_status(NOTHING),
        None => {}
    });
}
