//! Login, logout and model lists on the event loop. Must not know the steps of a login: it shows messages and
//! asks questions as requested.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::error::Report;
use crate::base::panics::catch_async;
use crate::ide::core::context::{Cx, TaskError, answer_or_report, ask_session};
use crate::ide::core::web_page;
use crate::ide::editor::modal::replay;
use crate::ide::features::login::view::LoginView;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::model::agent::is_demo;
use crate::runtime::Handle;
use crate::runtime::login::channel::LoginMessage;
use crate::runtime::models::refresh::RefreshResult;
use crate::tui::input::{Key, KeyCode, Mods};

/// Capacity of the queue of messages of a login.
const MESSAGES_MAX: usize = 32;

/// Starts a login.
pub fn begin(cx: &mut Cx<'_>, provider: &str, name: &str) {
    if !cx.state.agent.connected {
        return cx.state.set_status("No session yet. In a shell: bowline login");
    }
    cx.state.layers.close::<LoginView>();
    cx.state.agent.logins += 1;
    let (number, cancel) = (cx.state.agent.logins, CancellationToken::new());
    let view = LoginView::new(number, name.to_string(), cancel.clone().drop_guard());
    cx.state.push_layer(view);
    log_in(cx, provider.to_string(), number, cancel);
}

/// Makes the session log in. That waits for the user, so it does not count as a task that ends by itself.
fn log_in(cx: &Cx<'_>, provider: String, number: u64, cancel: CancellationToken) {
    let Some(session) = cx.session.cloned() else { return };
    let tasks = cx.tasks.clone();
    cx.tasks.detach(async move {
        let (sender, mut messages) = mpsc::channel(MESSAGES_MAX);
        let login = catch_async(session.login(&provider, sender));
        tokio::pin!(login);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return,
                Some(messages) = messages.recv() => {
                    tasks.post("login.progress", move |cx| on_progress(cx, number, messages)).await;
                }
                done = &mut login => {
                    let done = answer_or_report("log in", done.map_err(TaskError::from));
                    let provider = provider.clone();
                    return tasks.post("login.done", move |cx| on_login_ended(cx, number, &provider, done)).await;
                }
            }
        }
    });
}

fn view_numbered<'a>(cx: &'a mut Cx<'_>, number: u64) -> Option<&'a mut LoginView> {
    cx.state.damage.add_all();
    cx.state.layers.all_mut::<LoginView>().find(|view| view.number == number)
}

/// Handles a message or a question of a login.
pub fn on_progress(cx: &mut Cx<'_>, number: u64, message: LoginMessage) {
    let Some(view) = view_numbered(cx, number) else { return };
    match message {
        LoginMessage::Notice(notice) => view.notices.push(notice),
        LoginMessage::Question(question, reply) => view.ask(question, reply),
    }
}

/// Handles the end of a login.
fn on_login_ended(cx: &mut Cx<'_>, number: u64, provider: &str, result: Result<String, Report>) {
    if view_numbered(cx, number).is_none() {
        return;
    }
    cx.state.layers.close_where::<LoginView>(|view| view.number == number);
    match result {
        Ok(message) => {
            let is_used = use_first_model(cx, provider);
            let message = if is_used { format!("{message}. Another model: Alt-m") } else { message };
            // The keys of the model picker clear the message of the status line.
            cx.state.slots[TRANSCRIPT].notice(false, message.clone());
            cx.state.set_status(message);
            if !is_used {
                show_models(cx, provider);
            }
        }
        Err(report) => cx.state.set_error(report.to_string()),
    }
}

/// Uses the default model of a provider if none was connected before, so that the next message can be sent; returns
/// whether it does.
fn use_first_model(cx: &Cx<'_>, provider: &str) -> bool {
    let has_none = cx.state.agent.model.as_deref().is_none_or(is_demo);
    let Some(session) = cx.session.filter(|_| has_none) else { return false };
    // The default one comes first.
    let Some(model) = session.models().into_iter().find(|model| model.provider == provider) else {
        return false;
    };
    session.set_model(&model.provider, &model.id);
    true
}

/// Deletes the stored credentials of a provider.
pub fn log_out(cx: &Cx<'_>, provider: String, name: String) {
    let work = |session: Handle| async move { session.logout(&provider).await };
    ask_session(cx, "login.logout", "log out", work, move |cx, result| {
        cx.state.set_status(result.sentence(&name));
    });
}

/// Checks whether another process has changed the credentials of providers.
pub fn reload_credentials(cx: &Cx<'_>) {
    let work = |session: Handle| async move {
        // Files first: servers may be slow.
        let looked = session.reload_models(false).await;
        looked.and(session.refresh_expired_models().await)
    };
    ask_session(cx, "login.look-again", "look for models", work, |_, ()| {});
}

/// Refreshes the model lists of the providers.
pub fn refresh(cx: &mut Cx<'_>) {
    if !cx.state.agent.connected {
        return cx.state.set_status("Session is starting; try again in a moment");
    }
    cx.state.set_status("Refreshing model lists…");
    let work = |session: Handle| async move { session.refresh_models(None).await };
    ask_session(cx, "login.refresh-models", "refresh the list of models", work, |cx, results| {
        on_refreshed(cx, &results);
    });
}

/// Opens the picker of a provider's models, unless another layer is open.
fn show_models(cx: &mut Cx<'_>, provider: &str) {
    if cx.state.layers.is_empty() {
        cx.defer_picker("models");
        let typed: Vec<Key> = provider.chars().map(Key::char).collect();
        cx.defer(move |cx| replay::keys(cx, &typed));
    }
}

fn on_refreshed(cx: &mut Cx<'_>, results: &[RefreshResult]) {
    for one in results {
        tracing::info!("models of {}", one.sentence());
    }
    let came: Vec<(usize, usize)> =
        results.iter().filter_map(|results| results.outcome.clone().ok()).collect();
    let (all, new) = came.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    match results.iter().find(|results| results.outcome.is_err()) {
        Some(failed) => cx.state.set_error(format!("{new} new models; {}", failed.sentence())),
        None => cx.state.set_status(format!("{all} models of {} providers, {new} new", came.len())),
    }
}

/// Handles a key while a login is on top; returns whether it was handled. What is typed here is not recorded:
/// not in macros, nor for repetition.
pub fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let Some(view) = cx.state.layers.top_mut::<LoginView>() else { return false };
    let alt = |c: char| key.code == KeyCode::Char(c) && key.mods == Mods::ALT;
    let ctrl = |c: char| key.code == KeyCode::Char(c) && key.mods == Mods::CTRL;
    match key.code {
        KeyCode::Escape => {
            cx.state.pop_layer();
            cx.state.set_status("Login canceled");
        }
        KeyCode::Enter => view.answer(),
        KeyCode::Backspace => view.erase(),
        _ if ctrl('u') => view.clear(),
        _ if alt('c') || alt('o') => match view.page().map(str::to_string) {
            Some(page) if alt('c') => copy(cx, page, "the link"),
            Some(page) => web_page::open(cx, &page, |cx, opener| {
                cx.state.set_error(format!("{opener} cannot open the page. Copy link: Alt-c"));
            }),
            None => cx.state.set_status("No link yet"),
        },
        _ if alt('k') => match view.code().map(str::to_string) {
            Some(code) => copy(cx, code, "the code"),
            None => cx.state.set_status("No code here"),
        },
        _ => match key.typed() {
            Some(c) => view.type_in(c.encode_utf8(&mut [0; 4])),
            // Keys of the whole program, such as the one that quits.
            None => return false,
        },
    }
    cx.state.damage.add_all();
    true
}

fn copy(cx: &mut Cx<'_>, text: String, what: &str) {
    cx.ui.clipboard = Some(text);
    cx.state.set_status(format!("Copied {what}"));
}

/// Handles pasted text while a login is on top; returns whether it was handled.
pub fn paste(cx: &mut Cx<'_>, text: &str) -> bool {
    let Some(view) = cx.state.layers.top_mut::<LoginView>() else { return false };
    view.type_in(text.trim().lines().next().unwrap_or_default());
    cx.state.damage.add_all();
    true
}
