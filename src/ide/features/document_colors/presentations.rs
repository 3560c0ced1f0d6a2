//! Writes the color at the caret in another way, such as `rgb(…)` in place of `#…`: a list of what the server offers.

use std::collections::HashMap;
use std::path::Path;

use crate::base::width::visible;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::document_colors::state::{DOCUMENT_COLORS, Presentations};
use crate::ide::features::language_servers::apply_edit::{self, EditRequest};
use crate::ide::features::language_servers::questions::{
    AskedServer, ask, failure, has_server, is_at, no_answer, shown_version,
};
use crate::lsp::answers::colors::DocumentColor;
use crate::lsp::answers::edits::{EditStep, FileEdits, WorkspaceEdit};
use crate::lsp::client::edits::ServerEdit;
use crate::lsp::client::{Client, QuestionError};
use crate::lsp::table::Feature;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("lsp.color-format", "Change color format", &["color presentation", "hex to rgb"], begin)
        .when(has_server)];

/// The list of ways to write a color.
pub const PICKER: PickerSpec = PickerSpec {
    id: "color-formats",
    title: "Color formats",
    footer: "Enter apply",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| accept(cx, pick),
    ..PickerSpec::EMPTY
};

/// A way to write a color as a row: its index.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FormatRow(usize);

/// Asks for the color at the caret and the other ways to write it, and lists them.
fn begin(cx: &mut Cx<'_>) {
    let Some(asked) = ask(cx, Feature::DocumentColors) else { return };
    let (id, at, version) = (asked.buffer, asked.at, shown_version(cx.state));
    let work = async move {
        let mut problems = Vec::new();
        for AskedServer { name, client, .. } in asked.servers {
            let Some(client) = client.await else { continue };
            match presentations(&client, &name, &asked.path, asked.at.0).await {
                Ok(Some(found)) => return Ok(found),
                Ok(None) | Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&name, "color formats", &error)),
            }
        }
        Err(no_answer(&problems, "No color here"))
    };
    cx.tasks.spawn("document-colors.formats", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "ask language servers", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match answer {
            Ok(found) if found.all.is_empty() => cx.state.set_status("This color has no other format"),
            Ok(found) => {
                cx.state.slots[DOCUMENT_COLORS].presentations = Some(found);
                cx.defer_picker("color-formats");
            }
            Err(reason) => cx.state.set_status(reason),
        }
    });
}

/// Returns the ways to write the color at an offset; `None` if there is none.
async fn presentations(
    client: &Client,
    name: &str,
    path: &Path,
    at: usize,
) -> Result<Option<Presentations>, QuestionError> {
    let found = client.colors(path).await?;
    let holds = |(range, _): &(std::ops::Range<usize>, DocumentColor)| range.start <= at && at <= range.end;
    let Some((_, color)) = found.all.into_iter().find(holds) else { return Ok(None) };
    let all = client.color_presentations(path, &color).await?;
    let (server, path) = (name.to_string(), path.to_path_buf());
    Ok(Some(Presentations { server, path, version: found.version, encoding: client.encoding(), all }))
}

fn rows(state: &State) -> Vec<PickRow> {
    let all = state.slots[DOCUMENT_COLORS].presentations.iter().flat_map(|found| &found.all);
    let rows = all.enumerate().map(|(index, found)| PickRow {
        text: visible(&found.label).into_owned(),
        aliases: Vec::new(),
        group: None,
        detail: String::new(),
        pick: Pick::new(FormatRow(index)),
    });
    rows.collect()
}

fn accept(cx: &mut Cx<'_>, pick: &Pick) {
    let Some(FormatRow(index)) = pick.get() else { return };
    let Some(found) = cx.state.slots[DOCUMENT_COLORS].presentations.clone() else { return };
    let Some(chosen) = found.all.into_iter().nth(*index) else { return };
    let text = FileEdits { path: found.path.clone(), version: None, edits: chosen.edits };
    let edit = ServerEdit {
        edit: WorkspaceEdit { steps: vec![EditStep::Text(text)] },
        versions: HashMap::from([(found.path, found.version)]),
        encoding: found.encoding,
    };
    let title = "Change color format".to_string();
    let server = found.server;
    let (reply, on_checked, then) = (None, None, None);
    apply_edit::begin(cx, EditRequest { server, title, edit, is_previewed: false, reply, on_checked, then });
}
