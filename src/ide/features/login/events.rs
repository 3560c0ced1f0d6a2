//! Login, logout and model lists on the event loop. Must not know the steps of a login: it shows messages and
//! asks questions as requested.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::error::Report;
use crate::base::panics::catch_async;
use crate::ide::core::context::{Cx, TaskError, answer_or_report, ask_session};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::panes::Focus;
use crate::ide::core::web_page;
use crate::ide::editor::commands::panes;
use crate::ide::features::login::view::LoginView;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::model::agent::is_demo;
use crate::runtime::Handle;
use crate::runtime::login::channel::LoginMessage;
use crate::runtime::models::refresh::RefreshResult;
use crate::tui::input::{Key, KeyCode, Mods};

/// Capacity of the queue of messages of a login.
const MESSAGES_MAX: usize = 32;

/// What becomes of the model in use after a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelAfter {
    /// It stays, unless there is none.
    Kept,
    /// The default one of the provider is used: the user was choosing a model.
    Replaced,
}

/// Starts a login.
pub fn begin(cx: &mut Cx<'_>, provider: &str, name: &str, model: ModelAfter) {
    if !cx.state.agent.connected {
        return cx.state.set_status("No session yet. In a shell: bowline login");
    }
    cx.state.layers.close::<LoginView>();
    cx.state.agent.logins += 1;
    let (number, cancel) = (cx.state.agent.logins, CancellationToken::new());
    let view = LoginView::new(number, name.to_string(), cancel.clone().drop_guard());
    cx.state.push_layer(view);
    log_in(cx, provider.to_string(), model, (number, cancel));
}

/// Makes the session log in. That waits for the user, so it does not count as a task that ends by itself.
fn log_in(cx: &Cx<'_>, provider: String, model: ModelAfter, (number, cancel): (u64, CancellationToken)) {
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
                    let ended = move |cx: &mut Cx<'_>| on_login_ended(cx, number, (&provider, model), done);
                    return tasks.post("login.done", ended).await;
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
        // Enter may be pressed again without an answer.
        LoginMessage::Notice(notice) if view.notices.last() == Some(&notice) => {}
        LoginMessage::Notice(notice) => view.notices.push(notice),
        LoginMessage::Question(question, reply) => view.ask(question, reply),
    }
}

/// Handles the end of a login. The next keys are for the prompt, where the login was meant for.
fn on_login_ended(
    cx: &mut Cx<'_>,
    number: u64,
    (provider, model): (&str, ModelAfter),
    result: Result<String, Report>,
) {
    if view_numbered(cx, number).is_none() {
        return;
    }
    cx.state.layers.close_where::<LoginView>(|view| view.number == number);
    match result {
        Ok(message) => {
            let is_used = use_first_model(cx, provider, model);
            let key = cx.state.keymap.keys_for(KeyContext::Prompt, "agent.model-picker");
            let key = key.unwrap_or_else(|| "/model".to_string());
            let next = if is_used { "Another model" } else { "Choose a model of it" };
            let message = format!("{message}. {next}: {key}");
            cx.state.slots[TRANSCRIPT].notice(false, message.clone());
            // In the pane that gets the focus the note is seen; below a list it is not.
            if cx.state.layers.is_empty() {
                panes::focus(cx, Focus::Agent);
            } else {
                cx.state.set_status(message);
            }
        }
        Err(report) => cx.state.set_error(report.to_string()),
    }
}

/// Uses the default model of a provider if the user was choosing one, or if none was connected before, so that the next
/// message can be sent; returns whether it does.
fn use_first_model(cx: &Cx<'_>, provider: &str, after: ModelAfter) -> bool {
    let has_none = cx.state.agent.model.as_deref().is_none_or(is_demo);
    let is_wanted = has_none || after == ModelAfter::Replaced;
    let Some(session) = cx.session.filter(|_| is_wanted) else { return false };
    // The default one comes first.
    let Some(model) = session.models().into_iter().find(|model| model.provider == provider) else {
        return false;
    };
    session.set_model(&model.provider, &model.id);
    true
}

/// Deletes the stored credentials of a provider, then runs `done`.
pub fn log_out(cx: &Cx<'_>, provider: String, name: String, done: fn(&mut Cx<'_>)) {
    let work = |session: Handle| async move { session.logout(&provider).await };
    ask_session(cx, "login.logout", "log out", work, move |cx, result| {
        cx.state.set_status(result.sentence(&name));
        done(cx);
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
