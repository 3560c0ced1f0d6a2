//! What servers want of the user's window: answers to questions, files and pages to be shown. Nothing is shown or started
//! without the user, except a file of the folder while a command of the user runs.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::paths;
use crate::base::width::{truncate, visible};
use crate::ide::core::condition::{Reason, require};
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::state::State;
use crate::ide::core::web_page;
use crate::ide::features::files::place_list;
use crate::ide::features::language_servers::apply_edit;
use crate::ide::features::language_servers::places::PlaceReader;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::lsp::client::window::{CHOICES_MAX, Question, ShowDocument, ShownReply};
use crate::lsp::position::Position;
use crate::lsp::uri;
use crate::runtime::language_servers::server::ServerCommand;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "lsp.cancel-work",
    "Cancel server work",
    &["cancel progress", "cancel indexing", "stop server work"],
    cancel_work,
)
.when(has_work)];

/// The dialogs of servers.
const DIALOG: &str = "language-server-asks";
/// Cells of a text of a server in a dialog.
const CELLS: usize = 600;
/// Cells of a choice.
const CHOICE_CELLS: usize = 40;
/// The keys of the choices.
const KEYS: [char; CHOICES_MAX] = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

fn has_work(state: &State) -> Result<(), Reason> {
    let servers = &state.slots[LANGUAGE_SERVERS].servers;
    let can_cancel = |server: &RunningServer| server.progress.values().any(|work| work.can_cancel);
    require(servers.iter().any(can_cancel), Reason::new("No server work to cancel"))
}

/// Asks all servers to end what they work on. They say when they have.
fn cancel_work(cx: &mut Cx<'_>) {
    let mut names = Vec::new();
    for server in &cx.state.slots[LANGUAGE_SERVERS].servers {
        for (token, work) in server.progress.iter().filter(|(_, work)| work.can_cancel) {
            if server.send(ServerCommand::CancelProgress(token.clone())) {
                names.push(format!("{}: {}", visible(&server.spec.name), work.text));
            }
        }
    }
    cx.state.set_status(format!("Cancelling {}", names.join(", ")));
}

/// Shows a question of a server.
pub fn ask(cx: &mut Cx<'_>, number: u32, question: Question) {
    let Some(name) = note(cx, number, &question.text) else { return };
    if is_asking(cx, number) {
        return;
    }
    let Question { is_problem, text, choices, reply } = question;
    let reply = Arc::new(Mutex::new(Some(reply)));
    let title = format!("{name} {}", if is_problem { "reports a problem" } else { "asks" });
    let mut dialog = Dialog::ask(title, lines(&text));
    for (n, (key, choice)) in KEYS.into_iter().zip(&choices).enumerate() {
        let reply = reply.clone();
        let label = truncate(&visible(choice), CHOICE_CELLS).into_owned();
        dialog = dialog.choice(key, &label, move |_| {
            if let Some(reply) = reply.lock().take() {
                reply.choose(n);
            }
        });
    }
    open(cx, number, dialog.close('n', "Close"));
}

/// Closes the dialog of a server that has ended.
pub fn close(cx: &mut Cx<'_>, number: u32) {
    let Some(dialog) = cx.state.slots[LANGUAGE_SERVERS].dialogs.remove(&number) else { return };
    if cx.state.layers.close_where::<Dialog>(|open| open.number_of(DIALOG) == Some(dialog)) {
        cx.state.damage.add_all();
    }
}

/// Whether a dialog of the server is open. What it wants then is refused: another dialog in its place could be taken for
/// this one.
fn is_asking(cx: &mut Cx<'_>, number: u32) -> bool {
    let Some(dialog) = cx.state.slots[LANGUAGE_SERVERS].dialogs.get(&number).copied() else { return false };
    let is_open = cx.state.layers.all_mut::<Dialog>().any(|open| open.number_of(DIALOG) == Some(dialog));
    if is_open && let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(number) {
        server.note("refused: its question before that is not answered yet".to_string());
    }
    is_open
}

fn open(cx: &mut Cx<'_>, number: u32, dialog: Dialog) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    known.last_question += 1;
    let id = known.last_question;
    known.dialogs.insert(number, id);
    cx.state.push_layer(dialog.uninvited(DIALOG, id));
}

/// Notes a text in the log of a server; returns its name.
fn note(cx: &mut Cx<'_>, number: u32, text: &str) -> Option<String> {
    let server = cx.state.slots[LANGUAGE_SERVERS].server_mut(number)?;
    server.note(text.to_string());
    Some(visible(&server.spec.name).into_owned())
}

fn lines(text: &str) -> Vec<String> {
    let mut cells = CELLS;
    let mut out = Vec::new();
    for line in text.lines() {
        let line = truncate(&visible(line), cells).into_owned();
        cells = cells.saturating_sub(line.chars().count());
        out.push(line);
        if cells == 0 {
            break;
        }
    }
    out
}

/// Shows a file or a page that a server wants to be shown, if the user agrees.
pub fn show_document(cx: &mut Cx<'_>, number: u32, wanted: ShowDocument) {
    let Some(name) = note(cx, number, &format!("it wants to show {}", wanted.address)) else { return };
    if is_asking(cx, number) {
        return;
    }
    let ShowDocument { address, is_external, selection, encoding, reply } = wanted;
    let path = uri::to_path(&address).filter(|_| !is_external);
    let shown = vec![truncate(&visible(&address), CELLS).into_owned()];
    let Some(path) = path else {
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        if !is_web {
            // The reply is dropped, which says that it is not shown.
            return cx.state.set_error(format!("{name} wants to show what is no file and no web page"));
        }
        let copied = address.clone();
        let dialog = Dialog::ask(format!("{name} wants to open a page in the browser"), shown)
            .choice('o', "Open", move |cx| open_page(cx, &address, reply))
            .choice('c', "Copy address", move |cx| cx.ui.clipboard = Some(copied))
            .close('n', "Cancel");
        return open(cx, number, dialog);
    };
    let at = selection.map(|selection| selection.start).unwrap_or_default();
    let file = File { path, at, encoding };
    let is_inside = paths::is_inside(&file.path, &cx.state.workspace);
    if is_inside && apply_edit::is_command_running(cx, number) {
        return go_to(cx, file, reply);
    }
    let dialog = Dialog::ask(format!("{name} wants to open a file"), shown)
        .choice('o', "Open", move |cx| go_to(cx, file, reply))
        .close('n', "Cancel");
    open(cx, number, dialog);
}

/// A place in a file.
struct File {
    path: PathBuf,
    at: Position,
    encoding: crate::lsp::position::Encoding,
}

fn go_to(cx: &mut Cx<'_>, file: File, reply: ShownReply) {
    let mut reader = PlaceReader::new(cx);
    let work = async move { reader.place(&file.path, file.at, file.encoding).await.0 };
    cx.tasks.spawn("language-servers.show-document", work, move |cx, place| {
        if let Some(place) = answer_or_error(cx, "show the file", place) {
            place_list::go_to(cx, &place);
            reply.shown();
        }
    });
}

fn open_page(cx: &mut Cx<'_>, page: &str, reply: ShownReply) {
    reply.shown();
    let copied = page.to_string();
    web_page::open(cx, page, move |cx, opener| {
        cx.ui.clipboard = Some(copied);
        cx.state.set_status(format!("{opener} cannot open the page here; its address is copied"));
    });
}
