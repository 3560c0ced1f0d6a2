//! Puts a live session together: credentials, models, session file, prompt, agent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::again::{self, Again};
use super::choice::Wish;
use super::event::RuntimeEvent;
use super::handle::Handle;
use super::hub::Hub;
use super::live::Live;
use super::offered::Offered;
use super::options::{Options, SessionChoice};
use super::permissions;
use super::reach::{self, Reached};
use super::recorder::Recorder;
use crate::agent::abort::Abort;
use crate::agent::driver::{Driver, Services, Setup};
use crate::agent::step::Config;
use crate::agent::{history, prompt};
use crate::base::error::Report;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::{Model, Thinking};
use crate::session::{Session, SessionContext, store};
use crate::tools::{self, Registry};
use crate::workspace;

/// Commands that wait while the session is busy.
const COMMANDS_MAX: usize = 256;

/// Starts a live session on a task of its own.
pub async fn start(options: Options) -> Result<Handle, Report> {
    let files = options.clone();
    // What is changed while they are read is looked at again.
    let read = move || (again::fingerprint(&files), reach::reach(&files));
    let reached = tokio::task::spawn_blocking(read).await;
    let (seen, reached) =
        reached.map_err(|error| Report::caused("cannot find out who can be asked", &error))?;
    let Reached { client, catalog, problems: wrong } = reached;
    let session = open_session(&options)?;
    let context = session.context();
    let models = Offered::new(client.models().to_vec());
    if options.discover && names_a_server(&options, &catalog, &context) {
        models.add(client.found().await);
    }
    let (model, thinking) = choose(&options, &catalog, &models.all(), &context)?;
    let registry = Registry::builtin();
    let mut offered = registry.clone();
    offered.retain(|name| registry.default_names().any(|known| known == name));
    let (documents, unread) = documents(options.cwd.clone()).await;
    let (rules, misruled) = permissions::load(&options).await;
    let (hub, abort) = (Hub::default(), Abort::default());
    let (sender, commands) = mpsc::channel(COMMANDS_MAX);
    if options.discover {
        models.set_awaited(true);
        tokio::spawn(look_around(client.clone(), models.clone(), hub.clone()));
    }
    let setup = Setup {
        model: model.clone(),
        thinking,
        system: prompt::system(prompt::Inputs {
            tools: &offered.snippets(),
            documents: &documents,
            cwd: &options.cwd,
        }),
        history: context.messages.iter().filter_map(|m| history::for_model(m)).collect(),
        session_id: session.id().to_string(),
    };
    let config = Config {
        sequential: sequential(&registry),
        steering: options.steering,
        follow_up: options.follow_up,
        ..Config::default()
    };
    let services = Services {
        client,
        registry,
        tools: tools::Context {
            env: options.env.clone(),
            approval: options.approval.clone(),
            mode: options.policy,
            rules: Arc::new(rules),
            artifacts: options.home.cache.join("outputs").join(session.id()),
        },
        clock: options.clock.clone(),
        ids: options.ids.clone(),
    };
    let mut notices = problems(&session);
    notices.extend(unread);
    notices.extend(misruled);
    notices.extend(wrong);
    let recorder = Recorder::new(session, hub.clone(), model, thinking);
    let names: Vec<String> = offered.names().map(String::from).collect();
    let mut driver = Driver::new(config, services, setup, abort.clone(), recorder);
    driver.offer(|name| names.iter().any(|known| known == name));
    let live = Live { driver, commands, hub: hub.clone(), models: models.clone(), catalog, notices };
    tokio::spawn(live.run());
    Ok(Handle { commands: sender, abort, hub, models, again: Again::new(options, seen) })
}

/// Asks the servers of this machine what they have, beside everything else.
async fn look_around(client: Client, models: Offered, hub: Hub) {
    let found = client.found().await;
    models.set_awaited(false);
    if let Some(all) = models.add(found) {
        hub.tell(RuntimeEvent::ModelsFound(all)).await;
    }
}

/// Whether the wish is for a server whose models nobody knows before it is asked.
fn names_a_server(options: &Options, catalog: &Catalog, context: &SessionContext) -> bool {
    let (provider, model) = (options.default_provider.as_deref(), options.default_model.as_deref());
    let wishes = [reach::wish(options, catalog), reach::read_wish(options, catalog, provider, model)];
    let named = wishes.into_iter().flatten().filter_map(|wish| wish.provider);
    let mut named = named.chain(context.model.iter().map(|(provider, _)| provider.clone()));
    named.any(|id| catalog.provider(&id).is_some_and(|info| info.probe.is_some()))
}

/// The models that could be asked with these options, and what is wrong with the person's files,
/// without starting anything. Reads files, and asks the servers of this machine.
pub async fn usable_models(options: &Options) -> (Vec<Arc<Model>>, Vec<Report>) {
    let Reached { client, problems, .. } = reach::reach(options);
    let models = Offered::new(client.models().to_vec());
    if options.discover {
        models.add(client.found().await);
    }
    (models.all(), problems)
}

/// What was asked for, else the session's last, else the setting, else the first that can be
/// asked. Only what was asked for by name must be there.
fn choose(
    options: &Options,
    catalog: &Catalog,
    usable: &[Arc<Model>],
    context: &SessionContext,
) -> Result<(Arc<Model>, Thinking), Report> {
    let asked = reach::wish(options, catalog);
    let (provider, model) = (options.default_provider.as_deref(), options.default_model.as_deref());
    let set = reach::read_wish(options, catalog, provider, model);
    let last = context.model.as_ref().map(|(provider, id)| Wish {
        provider: Some(provider.clone()),
        id: Some(id.clone()),
        thinking: None,
    });
    let model = match &asked {
        Some(wish) => wish.find(usable).ok_or_else(|| wish.refusal(usable, catalog, false))?,
        None => last
            .and_then(|wish| wish.find(usable))
            .or_else(|| set.as_ref()?.find(usable))
            .or_else(|| usable.first().cloned())
            .ok_or_else(|| {
                let hint = "`bowline login` keeps a key; docs/providers.md lists the variables";
                Report::new("there is no model that can be asked").hint(hint)
            })?,
    };
    let thinking = options
        .thinking
        .or(asked.and_then(|wish| wish.thinking))
        .or(context.thinking)
        .or(options.default_thinking)
        .or(set.and_then(|wish| wish.thinking))
        .unwrap_or(Thinking::Medium);
    Ok((model, thinking))
}

fn open_session(options: &Options) -> Result<Session, Report> {
    let (clock, ids) = (options.clock.clone(), options.ids.clone());
    let root = options.session_root.clone().unwrap_or_else(|| options.home.data.join("sessions"));
    let open = |path: &Path, clock, ids| {
        Session::open(path, clock, ids).map_err(|error| Report::caused("cannot open the session", &error))
    };
    match &options.session {
        SessionChoice::New => Ok(Session::create(&root, &options.cwd, clock, ids)),
        SessionChoice::Memory => Ok(Session::in_memory(&options.cwd, clock, ids)),
        SessionChoice::Open(path) => open(path, clock, ids),
        SessionChoice::Continue => match store::latest(&root, &options.cwd) {
            Some(path) => open(&path, clock, ids),
            None => Ok(Session::create(&root, &options.cwd, clock, ids)),
        },
    }
}

fn problems(session: &Session) -> Vec<Report> {
    let file = session.file().map_or_else(String::new, |path| format!("{}:", path.display()));
    session.problems().iter().map(|p| Report::new(format!("{file}{}: {}", p.line, p.message))).collect()
}

fn sequential(registry: &Registry) -> std::collections::BTreeSet<String> {
    registry.tools().filter(|tool| tool.sequential()).map(|tool| tool.spec().name).collect()
}

/// The project's instructions, and what of them cannot be read; off the caller's thread,
/// because these are files.
async fn documents(cwd: PathBuf) -> (Vec<(PathBuf, String)>, Vec<Report>) {
    let reading = tokio::task::spawn_blocking(move || workspace::documents::load(&cwd, &["AGENTS.md"]));
    let Ok(documents) = reading.await else {
        return (Vec::new(), vec![Report::new("the project's instructions could not be read")]);
    };
    let unread = documents.problems.into_iter();
    let unread = unread.map(|(path, why)| Report::new(format!("cannot read {}: {why}", path.display())));
    (documents.found.into_iter().map(|d| (d.path, d.text)).collect(), unread.collect())
}

#[cfg(test)]
mod tests;
