//! List of the lenses of the shown text; the chosen one is run by its server.

use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::code_lens::resolve::lenses;
use crate::ide::features::code_lens::state::{CODE_LENSES, ListedLens};
use crate::ide::features::language_servers::code_actions::run;
use crate::ide::features::language_servers::questions::{
    AskedServer, ask, failure, has_server, is_at, no_answer, shown_version,
};
use crate::lsp::client::QuestionError;
use crate::lsp::table::Feature;
use crate::text::position::Byte;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.code-lenses",
    "Show code lenses",
    &["run test", "references of function", "run code lens"],
    begin,
)
.when(has_server)];

/// The list of lenses.
pub const PICKER: PickerSpec = PickerSpec {
    id: "code-lenses",
    title: "Code lenses",
    footer: "Enter run",
    is_dimmed: |pick| pick.get::<LensRow>().is_some_and(|row| !row.is_runnable),
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| accept(cx, pick),
    ..PickerSpec::EMPTY
};

/// A lens as a row: its index.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LensRow {
    index: usize,
    is_runnable: bool,
}

/// Asks the servers for lenses, and lists them.
fn begin(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::CodeLens) else { return };
    let (id, at, version) = (asked.buffer, asked.at, shown_version(cx.state));
    let Some(text) = cx.state.buffers.get_mut(id).map(|buffer| buffer.area.text().clone()) else { return };
    let work = async move {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for AskedServer { number, name, client } in asked.servers {
            let Some(client) = client.await else { continue };
            match lenses(&client, &asked.path, None).await {
                Ok(answer) => found.extend(answer.found.all.into_iter().filter_map(|(range, lens)| {
                    let line = text.line_of(Byte(range.start).min(text.end())).0 + 1;
                    Some(ListedLens { server: number, name: name.clone(), line, command: lens.command? })
                })),
                Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&name, "code lenses", &error)),
            }
        }
        found.sort_by_key(|lens| lens.line);
        if found.is_empty() { Err(no_answer(&problems, "No code lenses here")) } else { Ok(found) }
    };
    cx.tasks.spawn("code-lens.list", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "ask language servers", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match answer {
            Ok(found) => {
                cx.state.slots[CODE_LENSES].list = found;
                cx.defer_picker("code-lenses");
            }
            Err(reason) => cx.state.set_status(reason),
        }
    });
}

fn rows(state: &State) -> Vec<PickRow> {
    let row = |(index, lens): (usize, &ListedLens)| PickRow {
        text: visible(lens.command.title.trim()).into_owned(),
        aliases: Vec::new(),
        group: None,
        detail: visible(&format!("line {}  {}", lens.line, lens.name)).into_owned(),
        pick: Pick::new(LensRow { index, is_runnable: is_runnable(lens) }),
    };
    state.slots[CODE_LENSES].list.iter().enumerate().map(row).collect()
}

/// Whether a lens does something: some only say something.
fn is_runnable(lens: &ListedLens) -> bool {
    !lens.command.command.is_empty()
}

fn accept(cx: &mut Cx<'_>, pick: &Pick) {
    let Some(row) = pick.get::<LensRow>() else { return };
    let Some(lens) = cx.state.slots[CODE_LENSES].list.get(row.index).cloned() else { return };
    if !is_runnable(&lens) {
        return cx.state.set_status("This code lens runs nothing");
    }
    run(cx, lens.server, lens.command);
}
