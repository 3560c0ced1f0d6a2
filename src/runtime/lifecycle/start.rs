//! Assembles a live session: credentials, models, session file, prompt, agent.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use super::environment::EnvironmentGuard;
use super::options::{Options, SessionChoice};
use super::owner::{Command, LiveSession, RestoreRequest};
use crate::agent::abort::Abort;
use crate::agent::config::{Config, Lifecycle};
use crate::agent::driver::{Driver, Services, Setup};
use crate::agent::request::history;
use crate::agent::subagents::SubagentPool;
use crate::base::error::Report;
use crate::base::paths::Home;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::{Model, Thinking};
use crate::runtime::agent_setup::permissions;
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::runtime::agent_setup::subagents::{SubagentFactory, SubagentLimits};
use crate::runtime::agent_setup::toolset::Toolset;
use crate::runtime::controls::handle::Handle;
use crate::runtime::events::event::RuntimeEvent;
use crate::runtime::events::hub::Hub;
use crate::runtime::history::navigation;
use crate::runtime::history::recorder::Recorder;
use crate::runtime::models::access::{self, ModelAccess};
use crate::runtime::models::available::AvailableModels;
use crate::runtime::models::choice::ModelRequest;
use crate::runtime::models::reload::{self, ModelReloader};
use crate::runtime::restore::checkpoints::{self, Checkpoints};
use crate::session::derived::recent::ModelChoice;
use crate::session::store::listing;
use crate::session::{EntryBody, Session, SessionError};
use crate::tools::running::PublishedJobs;
use crate::tools::running::jobs::Jobs;
use crate::tools::{self, Kind, Registry, SharedRules};

/// Commands queued while the session is busy.
const COMMANDS_MAX: usize = 256;

/// Initializes the environment and starts a live session there, on its own task.
pub async fn start(mut options: Options) -> Result<Handle, Report> {
    let stay = EnvironmentGuard::initialize(options.env).await?;
    options.env = stay.env();
    match prepare(options).await {
        Ok((handle, live)) => {
            tokio::spawn(LiveSession { environment: Some(stay), ..live }.run());
            Ok(handle)
        }
        Err(report) => {
            if let Err(cleanup_error) = stay.clean_up().await {
                tracing::warn!("{cleanup_error}");
            }
            Err(report)
        }
    }
}

/// Returns a session that does not run yet, and its handle.
async fn prepare(mut options: Options) -> Result<(Handle, LiveSession), Report> {
    let (seen, reached) = load_access(&options).await?;
    let ModelAccess { client, catalog, problems: wrong } = reached;
    let (session, copied) = open_session(&options)?;
    let chosen = session.model_choice();
    let models = available_models(&options, &client, &catalog, &chosen).await;
    let (model, thinking, replaced) = choose_or_replace(&mut options, &catalog, &models.all(), &chosen)?;
    let mut toolset = Toolset::new(&options, &model)?;
    let active_tools = toolset.active_tools();
    let unread = toolset.read_documents().await;
    let (rules, misruled) = permissions::load(&options, None).await.into_session_rules(&options);
    let (hub, abort) = (Hub::default(), Abort::default());
    let (commands, requests) = mpsc::channel(COMMANDS_MAX);
    start_discovering(&options, &client, &models, &hub);
    let setup = setup(&session, model.clone(), thinking);
    let (turns, session_id) = (count_turns(options.turns_max, &session), setup.session_id.clone());
    let (clock, ids) = (options.clock.clone(), options.ids.clone());
    let checkpoints = Checkpoints::new(&options, hub.clone(), checkpoint_writer(commands.downgrade()));
    let limits = SubagentLimits { depth: options.agents_deep, total: options.agents_max };
    let factory = SubagentFactory::new(models.clone(), clock, ids, hub.clone(), limits)
        .with_checkpoints(checkpoints.clone());
    let subagents = factory.pool();
    let jobs = PublishedJobs::default();
    let background_jobs = jobs.watch();
    let kept = shared(&options, session.id(), subagents.clone(), checkpoints.clone(), jobs);
    let services = services(&options, client, active_tools.all.clone(), rules.clone(), kept.clone());
    let lost = navigation::lost_model_notice(&options, &chosen, &model);
    let one = [copied, replaced, lost].into_iter().flatten();
    let all = problems(&session).into_iter().chain(one).chain(unread).chain(misruled).chain(wrong);
    let mut recorder = Recorder::new(session, hub.clone(), model, thinking).with_checkpoints(checkpoints);
    recorder.watch_errors(kept, options.cwd.clone());
    let config = config(&options, &active_tools.all);
    let mut driver = Driver::new(config, services, setup, abort.clone(), recorder);
    driver.reset(session_id, turns);
    driver.load_history_lazily();
    let available = active_tools.available;
    driver.set_tools(active_tools.all, toolset.profile().parallel, |name| available.contains(name));
    let reloader = ModelReloader::new(options, seen);
    let (stands, lifecycle) = watch::channel(Lifecycle::Idle);
    let mut live = LiveSession {
        lifecycle: stands,
        driver,
        toolset,
        environment: None,
        subagent_factory: factory,
        subagents,
        prompt_current: false,
        commands: requests,
        hub: hub.clone(),
        models: models.clone(),
        catalog,
        reloader: reloader.clone(),
        notices: all.collect(),
        user_commands: Vec::new(),
    };
    live.update_subagent_setup();
    let trust = Arc::default();
    let handle = Handle { commands, abort, hub, lifecycle, models, rules, trust, reloader, background_jobs };
    Ok((handle, live))
}

/// Looks for the models of servers in the background, if that is wanted.
fn start_discovering(options: &Options, client: &Client, models: &AvailableModels, hub: &Hub) {
    if options.discover {
        models.set_discovering(true);
        tokio::spawn(discover_models(client.clone(), models.clone(), hub.clone()));
    }
}

/// Returns which models are usable, and the fingerprint of the files that say so.
async fn load_access(options: &Options) -> Result<(u64, ModelAccess), Report> {
    let options = options.clone();
    // The fingerprint is taken first, so that files changed during the read are read again later.
    let read = move || (reload::fingerprint(&options), access::load(&options));
    let loaded = tokio::task::spawn_blocking(read).await;
    loaded.map_err(|error| Report::caused("cannot find out who can be asked", &error))
}

/// Returns the usable models, with those of servers on this machine if the requested model may be there.
async fn available_models(
    options: &Options,
    client: &Client,
    catalog: &Catalog,
    chosen: &ModelChoice,
) -> AvailableModels {
    let models = AvailableModels::new(client.models().to_vec());
    if options.discover && requests_local_server(options, catalog, chosen) {
        models.add(client.discover_local().await);
    }
    models
}

/// Returns the number of answers that a session has had, if there is a limit: nothing else needs all messages
/// at the start.
pub(in crate::runtime) fn count_turns(turns_max: u32, session: &Session) -> u32 {
    if turns_max == 0 { 0 } else { history::count_answers(&session.context()) }
}

/// Returns model and thinking level of a session.
fn setup(session: &Session, model: Arc<Model>, thinking: Thinking) -> Setup {
    Setup {
        model,
        thinking,
        // Set with the first prompt.
        system: Vec::new(),
        // Loaded when it is needed.
        history: Vec::new(),
        session_id: session.id().to_string(),
    }
}

/// Returns the function that has the live session write recorded checkpoints.
fn checkpoint_writer(commands: mpsc::WeakSender<Command>) -> checkpoints::WriteCheckpoints {
    Box::new(move || {
        let commands = commands.upgrade();
        Box::pin(async move {
            let Some(commands) = commands else { return };
            let (reply, written) = oneshot::channel();
            // A session that is ending writes them itself.
            if commands.send(Command::Restore(RestoreRequest::WriteCheckpoints(reply))).await.is_ok()
                && written.await.is_err()
            {
                tracing::debug!("the session ended before a checkpoint was written");
            }
        })
    })
}

/// Returns the settings of the agent loop.
fn config(options: &Options, tools: &Registry) -> Config {
    Config {
        // Of every model family, since the model may change.
        sequential_tools: tools.names_in_any_set(|tool| tool.sequential()),
        question_tools: tools.names_in_any_set(|tool| tool.kind() == Kind::AskUser),
        steering: options.steering,
        follow_up: options.follow_up,
        turns_max: options.turns_max,
        tool_rounds_max: options.tool_rounds_max,
        loop_window: options.loop_window,
        retry: options.retry,
        compaction: options.compaction.clone(),
        close_on_failure: options.close_on_failure,
        ..Config::default()
    }
}

/// Returns the services of the agent.
fn services(
    options: &Options,
    client: Client,
    registry: Registry,
    rules: SharedRules,
    shared: Arc<tools::AgentToolState>,
) -> Services {
    Services {
        client,
        registry,
        tools: context(options, rules, shared),
        clock: options.clock.clone(),
        ids: options.ids.clone(),
        hook: options.hook.clone(),
    }
}

/// Returns the context of every call.
pub(in crate::runtime) fn context(
    options: &Options,
    rules: SharedRules,
    shared: Arc<tools::AgentToolState>,
) -> tools::Context {
    tools::Context {
        env: options.env.clone(),
        approval: options.approval.clone(),
        mode: options.approval_mode.into(),
        rules,
        shared,
    }
}

/// Returns the state that this session's tools share; background commands are published in `jobs`. Deletes expired
/// outputs of other sessions.
pub(in crate::runtime) fn shared(
    options: &Options,
    session: &str,
    subagents: Option<SubagentPool>,
    checkpoints: Option<Checkpoints>,
    jobs: PublishedJobs,
) -> Arc<tools::AgentToolState> {
    let folder = options.outputs();
    let own = folder.join(session);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = tools::output::artifacts::Artifacts::clean_all(&folder) {
            tracing::warn!(%error, "cannot clean up kept outputs");
        }
    });
    let mut shared = tools::AgentToolState::new(own)
        .with_config(options.tools_config.clone())
        .with_read_first(options.read_first);
    let Home { config, data, state, cache, .. } = options.home.clone();
    shared.own_folders = vec![config, data, state, cache];
    shared.clock = options.clock.clone();
    shared.jobs = Arc::new(Jobs::published_in(jobs));
    shared.questions.clone_from(&options.questions);
    shared.language_servers.clone_from(&options.language_servers);
    shared.delegate =
        subagents.map(|subagents| Arc::new(subagents) as Arc<dyn tools::interaction::delegate::Delegate>);
    shared.before_change_hook =
        checkpoints.map(|checkpoints| Arc::new(checkpoints) as Arc<dyn tools::BeforeChangeHook>);
    Arc::new(shared)
}

/// Discovers models on servers of this machine, concurrently with everything else.
async fn discover_models(client: Client, models: AvailableModels, hub: Hub) {
    let found = client.discover_local().await;
    models.set_discovering(false);
    if let Some(all) = models.add(found) {
        hub.send(RuntimeEvent::ModelsChanged(all)).await;
    }
}

/// Whether the requested model is on a server whose models are unknown until it is queried.
fn requests_local_server(options: &Options, catalog: &Catalog, chosen: &ModelChoice) -> bool {
    let (provider, model) = (options.default_provider.as_deref(), options.default_model.as_deref());
    let requests =
        [access::requested_model(options, catalog), access::parse_request(options, catalog, provider, model)];
    let named = requests.into_iter().flatten().filter_map(|request| request.provider);
    let mut named = named.chain(chosen.model.iter().map(|(provider, _)| provider.clone()));
    named.any(|id| catalog.provider(&id).is_some_and(|info| info.probe.is_some()))
}

/// Returns the usable models with these options, and problems in the user's files, without starting a
/// session. Reads files and queries servers on this machine.
pub async fn usable_models(options: &Options) -> (Vec<Arc<Model>>, Vec<Report>) {
    let ModelAccess { client, problems, .. } = access::load(options);
    let models = AvailableModels::new(client.models().to_vec());
    if options.discover {
        models.add(client.discover_local().await);
    }
    (models.all(), problems)
}

/// Returns the system prompt of a new session, and problems in the user's files. Needs no key: the model may
/// be any known one. Reads files; sends no requests.
pub async fn new_session_prompt(options: &Options) -> Result<(PromptReport, Vec<Report>), Report> {
    continued_session_prompt(options, &ModelChoice::default()).await
}

/// The same for a conversation that continues, for the model of its last answer, whether it is usable or not.
pub async fn continued_session_prompt(
    options: &Options,
    chosen: &ModelChoice,
) -> Result<(PromptReport, Vec<Report>), Report> {
    let reached = access::load(options);
    let model = model_to_use(options, &reached, chosen)?;
    let mut toolset = Toolset::new(options, &model)?;
    let (shown, unread) = toolset.prompt(&model).await;
    Ok((shown, reached.problems.into_iter().chain(unread).collect()))
}

/// Returns the model that would be used, whether it is usable or not.
pub(in crate::runtime) fn model_to_use(
    options: &Options,
    reached: &ModelAccess,
    chosen: &ModelChoice,
) -> Result<Arc<Model>, Report> {
    let ModelAccess { client, catalog, .. } = reached;
    let known: Vec<Arc<Model>> =
        catalog.providers.iter().flat_map(|provider| catalog.models_of(provider)).collect();
    let requested = access::requested_model(options, catalog);
    let last = last_model_request(chosen).filter(|_| requested.is_none());
    let last = last.and_then(|request| request.find(client.models()).or_else(|| request.find(&known)));
    match last {
        Some(model) => Ok(model),
        None => match choose_model(options, catalog, client.models(), chosen) {
            Ok((model, _)) => Ok(model),
            Err(report) => requested.and_then(|request| request.find(&known)).ok_or(report),
        },
    }
}

/// Chooses a model. If the requested one is missing and another one may replace it, also returns a notice about it.
fn choose_or_replace(
    options: &mut Options,
    catalog: &Catalog,
    usable: &[Arc<Model>],
    chosen: &ModelChoice,
) -> Result<(Arc<Model>, Thinking, Option<Report>), Report> {
    match choose_model(options, catalog, usable, chosen) {
        Err(missing) if options.replaces_missing_model => {
            // Later sessions of this run must not ask for it again.
            (options.model, options.provider) = (None, None);
            let (model, thinking) = choose_model(options, catalog, usable, chosen)?;
            let notice = Report::new(format!("{missing}. {} is used", model.name));
            Ok((model, thinking, Some(notice)))
        }
        other => other.map(|(model, thinking)| (model, thinking, None)),
    }
}

/// Chooses the requested model, else the session's last, else that of the settings, else the first usable.
/// Fails only if a model requested by name is missing.
fn choose_model(
    options: &Options,
    catalog: &Catalog,
    usable: &[Arc<Model>],
    chosen: &ModelChoice,
) -> Result<(Arc<Model>, Thinking), Report> {
    let requested = access::requested_model(options, catalog);
    let (provider, model) = (options.default_provider.as_deref(), options.default_model.as_deref());
    let set = access::parse_request(options, catalog, provider, model);
    let last = last_model_request(chosen);
    let model = match &requested {
        Some(request) => {
            request.find(usable).ok_or_else(|| request.unavailable_error(usable, catalog, false))?
        }
        None => last
            .and_then(|request| request.find(usable))
            .or_else(|| set.as_ref()?.find(usable))
            .or_else(|| usable.first().cloned())
            .ok_or_else(|| {
                let hint = "`bowline login` keeps a key; docs/providers.md lists the variables";
                Report::new("there is no model that can be asked").hint(hint)
            })?,
    };
    let thinking = options
        .thinking
        .or(requested.and_then(|request| request.thinking))
        .or(chosen.thinking)
        .or(options.default_thinking)
        .or(set.and_then(|request| request.thinking))
        .unwrap_or(Thinking::Medium);
    Ok((model, thinking))
}

/// Returns the model of the last answer in a conversation.
fn last_model_request(chosen: &ModelChoice) -> Option<ModelRequest> {
    let (provider, id) = chosen.model.as_ref()?;
    Some(ModelRequest { provider: Some(provider.clone()), id: Some(id.clone()), thinking: None })
}

/// Opens the requested session. One that another program has open is copied, with a notice.
pub(in crate::runtime) fn open_session(options: &Options) -> Result<(Session, Option<Report>), Report> {
    let failed = |error| Report::caused("cannot open the session", &error);
    let (mut session, notice) = find_session(options).map_err(failed)?;
    if let Some(name) = options.session_name.clone() {
        session.append(EntryBody::SessionInfo { name: Some(name) }).map_err(failed)?;
    }
    Ok((session, notice))
}

/// Creates a session, with a file unless sessions are not stored.
pub(in crate::runtime) fn new_session(options: &Options) -> Session {
    let (clock, ids) = (options.clock.clone(), options.ids.clone());
    match options.session {
        SessionChoice::Memory => Session::in_memory(&options.cwd, clock, ids),
        _ => Session::create(&options.session_root(), &options.cwd, clock, ids),
    }
}

fn find_session(options: &Options) -> Result<(Session, Option<Report>), SessionError> {
    let (clock, ids) = (options.clock.clone(), options.ids.clone());
    let root = options.session_root();
    let path = match &options.session {
        SessionChoice::Memory => return Ok((new_session(options), None)),
        SessionChoice::Fork(path) => {
            let session = Session::open_read_only(path, clock, ids)?;
            return Ok((session.fork(&root, &options.cwd, session.leaf())?, None));
        }
        SessionChoice::New => None,
        SessionChoice::Open(path) => Some(path.clone()),
        SessionChoice::Continue => listing::latest(&root, &options.cwd),
    };
    let Some(path) = path else { return Ok((new_session(options), None)) };
    match Session::open(&path, clock.clone(), ids.clone()) {
        Err(SessionError::Busy(_)) => {
            let copy = Session::open_read_only(&path, clock, ids)?.copy(&root)?;
            let notice =
                Report::new("the session is open in another program, so this goes on in a copy of it")
                    .hint("end the other one first to go on with the session itself");
            Ok((copy, Some(notice)))
        }
        opened => Ok((opened?, None)),
    }
}

pub(in crate::runtime) fn problems(session: &Session) -> Vec<Report> {
    let file = session.file().map_or_else(String::new, |path| format!("{}:", path.display()));
    session.problems().iter().map(|p| Report::new(format!("{file}{}: {}", p.line, p.message))).collect()
}

#[cfg(test)]
mod tests;
