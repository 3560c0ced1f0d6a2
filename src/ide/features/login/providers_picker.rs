//! The list of providers: where the key of each comes from, and what the last test request showed. Enter logs in. Must
//! not know how a key is tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::context::{Cx, TaskError, answer_or_report, ask_session};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::picker::{self, About, Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::login::events::{self, ModelAfter, log_out};
use crate::ide::model::age::age;
use crate::runtime::Handle;
use crate::runtime::models::key_test::KeyState;
use crate::runtime::models::providers::ProviderState;

/// Slot of the list.
pub const PROVIDERS: Slot<Providers> = Slot::new();

/// Heading of the providers with a key.
const CONNECTED: &str = "connected";
/// Heading of the others.
const NOT_CONNECTED: &str = "not connected";

/// What is known of the providers.
#[derive(Debug, Default)]
pub struct Providers {
    /// All of them, as last read.
    list: Vec<ProviderState>,
    /// What the last test request to each showed.
    tests: BTreeMap<String, Tested>,
    /// Why the last request of the agent to each failed, and when.
    failures: BTreeMap<String, (String, u64)>,
    /// When the list was last made, in milliseconds since the epoch.
    listed_ms: u64,
}

/// A test request.
#[derive(Debug)]
enum Tested {
    Running,
    Done { state: KeyState, at_ms: u64 },
}

/// The provider of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider(pub String);

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "providers",
    title: "Providers",
    footer: "Enter log in  Ctrl-t test  Delete log out",
    keeps_text: true,
    about: Some(About { lines: 3, in_place_of_preview: false, text: about }),
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(provider) = provider(cx.state, pick) {
            log_in(cx, &provider);
        }
    },
    remove: Some(|cx, pick| {
        if let Some(provider) = provider(cx.state, pick) {
            remove(cx, provider);
        }
    }),
    test: Some(|cx, pick| {
        if let Some(provider) = provider(cx.state, pick) {
            test(cx, provider);
        }
    }),
    ..PickerSpec::EMPTY
};

/// Records how a run of the agent with the current model ended: with which error, if any.
pub fn note_run(cx: &mut Cx<'_>, error: Option<&str>) {
    let Some(provider) = cx.state.agent.model.as_ref().map(|model| model.provider.clone()) else { return };
    let now_ms = cx.now_ms;
    let failures = &mut cx.state.slots[PROVIDERS].failures;
    match error {
        Some(error) => failures.insert(provider, (error.to_string(), now_ms)),
        None => failures.remove(&provider),
    };
}

/// Reads where the keys come from, and shows it if the list is open.
pub fn load(cx: &mut Cx<'_>) {
    let work = |session: Handle| async move { session.provider_states().await };
    ask_session(cx, "login.list-providers", "list providers", work, |cx, list| {
        cx.state.slots[PROVIDERS].list = list;
        refresh(cx);
    });
}

fn refresh(cx: &mut Cx<'_>) {
    cx.state.slots[PROVIDERS].listed_ms = cx.now_ms;
    let rows = rows(cx.state);
    picker::refresh(cx.state, PICKER.id, &rows, &[]);
    picker::redraw(cx.state);
}

fn provider(state: &State, pick: &Pick) -> Option<ProviderState> {
    let Provider(id) = pick.get()?;
    all(state).into_iter().find(|provider| provider.id == *id)
}

/// Returns the providers, with those that run on this machine and were found.
fn all(state: &State) -> Vec<ProviderState> {
    let mut all = state.slots[PROVIDERS].list.clone();
    let local = state.agent.models.iter().filter(|model| Handle::is_on_this_machine(model));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for model in local {
        *counts.entry(&model.provider).or_default() += 1;
    }
    for (id, count) in counts {
        let source = Some(format!("on this machine, {}", pluralize(count, "model", "models")));
        match all.iter_mut().find(|provider| provider.id == id) {
            Some(provider) if provider.source.is_none() => provider.source = source,
            Some(_) => {}
            None => all.push(ProviderState {
                id: id.to_string(),
                name: id.to_string(),
                source,
                is_stored: false,
                has_login: false,
            }),
        }
    }
    all.sort_by_key(|provider| provider.source.is_none());
    all
}

fn rows(state: &State) -> Vec<PickRow> {
    let row = |provider: ProviderState| {
        let group: Arc<str> = if provider.source.is_some() { CONNECTED } else { NOT_CONNECTED }.into();
        let tested = match state.slots[PROVIDERS].tests.get(&provider.id) {
            Some(Tested::Running) => Some("testing…".to_string()),
            Some(Tested::Done { state: KeyState::Ok(millis), .. }) => Some(format!("✓ {millis} ms")),
            Some(Tested::Done { state: KeyState::Rejected(reason), .. }) => Some(format!("✗ {reason}")),
            Some(Tested::Done { .. }) => Some("? no answer".to_string()),
            None if state.slots[PROVIDERS].failures.contains_key(&provider.id) => {
                Some("✗ last request failed".to_string())
            }
            None => None,
        };
        let detail: Vec<String> = tested.into_iter().chain(provider.source).collect();
        PickRow {
            text: format!("{}  {}", provider.name, provider.id),
            aliases: Vec::new(),
            group: Some(group),
            detail: visible(&detail.join("  ")).into_owned(),
            pick: Pick::new(Provider(provider.id)),
        }
    };
    all(state).into_iter().map(row).collect()
}

/// Says where the key of a provider comes from, what the last test showed, and why the last request failed.
fn about(state: &State, PickRow { pick, .. }: &PickRow) -> Vec<String> {
    let Some(provider) = provider(state, pick) else { return Vec::new() };
    let known = &state.slots[PROVIDERS];
    let key = |command: &str| state.keymap.keys_for(KeyContext::Picker, command).unwrap_or_default();
    let first = match &provider.source {
        Some(source) => format!("{}: {source}", provider.name),
        None => format!("{}: no key. {} logs in", provider.name, key("list.accept")),
    };
    let second = match known.tests.get(&provider.id) {
        Some(Tested::Running) => "Waiting for the answer to a test request".to_string(),
        Some(Tested::Done { state, at_ms }) => {
            format!("Tested {} ago: {}", age(known.listed_ms, *at_ms), state.sentence())
        }
        None if provider.source.is_some() => {
            format!("{} sends a test request of a few tokens", key("list.test"))
        }
        None => String::new(),
    };
    let failure = known.failures.get(&provider.id);
    let third = failure.map(|(error, at_ms)| {
        format!("Last request failed {} ago: {}", age(known.listed_ms, *at_ms), error.replace('\n', " "))
    });
    [first, second].iter().chain(&third).map(|line| visible(line).into_owned()).collect()
}

fn log_in(cx: &mut Cx<'_>, provider: &ProviderState) {
    if provider.has_login {
        return events::begin(cx, &provider.id, &provider.name, ModelAfter::Kept);
    }
    let source = provider.source.clone().unwrap_or_default();
    cx.state.set_status(format!("{} has no login: {source}", provider.name));
}

fn remove(cx: &mut Cx<'_>, provider: ProviderState) {
    match provider.source {
        _ if provider.is_stored => {
            cx.state.slots[PROVIDERS].tests.remove(&provider.id);
            log_out(cx, provider.id, provider.name, load);
        }
        Some(source) => cx.state.set_status(format!("{}: nothing is stored, {source}", provider.name)),
        None => cx.state.set_status(format!("{}: nothing is stored", provider.name)),
    }
}

/// Sends a test request. Several providers can be tested at once.
fn test(cx: &mut Cx<'_>, provider: ProviderState) {
    let Some(session) = cx.session.cloned() else { return };
    let ProviderState { id, name, source, .. } = provider;
    if source.is_none() {
        return cx.state.set_status(format!("{name} has no key to test"));
    }
    let tests = &mut cx.state.slots[PROVIDERS].tests;
    if matches!(tests.insert(id.clone(), Tested::Running), Some(Tested::Running)) {
        return;
    }
    refresh(cx);
    let asked = id.clone();
    let work = async move { session.test_provider(&asked).await };
    cx.tasks.spawn("login.test-key", work, move |cx, answer: Result<_, TaskError>| {
        let state = answer_or_report("test the key", answer);
        let state = state.unwrap_or_else(|report| KeyState::Unknown(report.to_string()));
        let message = format!("{name}: {}", state.sentence());
        match state {
            KeyState::Ok(_) => cx.state.set_status(message),
            _ => cx.state.set_error(message),
        }
        let at_ms = cx.now_ms;
        cx.state.slots[PROVIDERS].tests.insert(id, Tested::Done { state, at_ms });
        refresh(cx);
    });
}
