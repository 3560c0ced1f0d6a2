//! Sets up subagents: each gets the model, tools and rules that the session has when it starts.
//!
//! Must not know what the subagents do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::toolset::Toolset;
use crate::agent::config::Config;
use crate::agent::driver::{Services, Setup};
use crate::agent::event::AgentEvent;
use crate::agent::subagent_setup::{ChangedSetup, SetupChanges, Subagent, SubagentListener, SubagentSetup};
use crate::agent::subagents::SubagentPool;
use crate::base::clock::SharedClock;
use crate::base::ids::SharedIds;
use crate::base::paths;
use crate::exec::wrap::Rooted;
use crate::exec::{EnvError, FileKind};
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::{Model, Thinking};
use crate::runtime::events::event::RuntimeEvent;
use crate::runtime::events::hub::Hub;
use crate::runtime::models::available::AvailableModels;
use crate::runtime::models::choice::ModelRequest;
use crate::runtime::restore::checkpoints::Checkpoints;
use crate::tools::interaction::delegate::AgentTask;
use crate::tools::permissions::policy::is_guarded;
use crate::tools::{self, Kind};

/// Default limit of answers of a subagent, as the specification has it (7.2).
const TURNS_MAX: u32 = 50;

/// Extra instructions for a subagent.
const ROLE: &str = "You are working for another agent, who sees nothing of your work but your last words. Do \
                    the task that you are given, by yourself: nobody answers questions. End with what was \
                    asked for, whole and by itself: what you found or did, where, and what is left.";

/// What the session works with now: the setup that subagents copy.
#[derive(Clone)]
pub(in crate::runtime) struct ParentSetup {
    /// The client that calls models.
    pub(in crate::runtime) client: Client,
    /// The models that can be requested by name.
    pub(in crate::runtime) catalog: Catalog,
    /// The current model.
    pub(in crate::runtime) model: Arc<Model>,
    /// The thinking level.
    pub(in crate::runtime) thinking: Thinking,
    /// Tools and prompt.
    pub(in crate::runtime) toolset: Toolset,
    /// The context shared by all tool calls.
    pub(in crate::runtime) context: tools::Context,
    /// Settings of the agent loop.
    pub(in crate::runtime) config: Config,
}

/// Sets up agents of one depth. Cheap to clone; all clones share state.
#[derive(Clone)]
pub(in crate::runtime) struct SubagentFactory {
    parent: Arc<Mutex<Option<ParentSetup>>>,
    models: AvailableModels,
    clock: SharedClock,
    ids: SharedIds,
    hub: Hub,
    /// The recorder of the workspace must know which agents work in it.
    checkpoints: Option<Checkpoints>,
    /// Depth of the agents that this creates: 1 for those of the session's own agent.
    depth: u32,
    limits: SubagentLimits,
    /// Number of agents started in the session, at all depths.
    started: Arc<AtomicU32>,
}

/// Limits on subagents of a session.
#[derive(Debug, Clone, Copy)]
pub(in crate::runtime) struct SubagentLimits {
    /// Maximum depth.
    pub(in crate::runtime) depth: u32,
    /// Maximum number started in total.
    pub(in crate::runtime) total: u32,
}

impl SubagentFactory {
    /// Creates the setup for the session's own agent.
    pub(in crate::runtime) fn new(
        models: AvailableModels,
        clock: SharedClock,
        ids: SharedIds,
        hub: Hub,
        limits: SubagentLimits,
    ) -> Self {
        let (kit, started) = (Arc::default(), Arc::default());
        Self { parent: kit, models, clock, ids, hub, checkpoints: None, depth: 1, limits, started }
    }

    /// Adds the checkpoints of the workspace.
    #[must_use]
    pub(in crate::runtime) fn with_checkpoints(self, checkpoints: Option<Checkpoints>) -> Self {
        Self { checkpoints, ..self }
    }

    /// Returns the pool for an agent of this depth, or `None` when the maximum depth is reached.
    pub(in crate::runtime) fn pool(&self) -> Option<SubagentPool> {
        (self.depth <= self.limits.depth)
            .then(|| SubagentPool::new(Arc::new(self.clone()), self.event_listener()))
    }

    /// Sets what the session works with from now on.
    pub(in crate::runtime) fn set_parent(&self, kit: ParentSetup) {
        *self.parent.lock() = Some(kit);
    }

    /// Stops setting up agents.
    pub(in crate::runtime) fn clear_parent(&self) {
        // The kit holds references back to this object.
        *self.parent.lock() = None;
    }

    fn parent(&self) -> Option<ParentSetup> {
        self.parent.lock().clone()
    }

    fn event_listener(&self) -> SubagentListener {
        let (hub, checkpoints) = (self.hub.clone(), self.checkpoints.clone());
        Arc::new(move |id, call_id, event: AgentEvent| {
            match (&checkpoints, &event) {
                (Some(checkpoints), AgentEvent::AgentStart) => checkpoints.subagent_started(),
                (Some(checkpoints), AgentEvent::AgentEnd { .. }) => checkpoints.subagent_stopped(),
                _ => {}
            }
            let (hub, agent, call_id) = (hub.clone(), id.to_string(), call_id.to_string());
            async move { hub.send(RuntimeEvent::Subagent { agent, call_id, event }).await }.boxed()
        })
    }

    /// Returns the model that a task requests, or the session's.
    fn model_for(&self, kit: &ParentSetup, task: &AgentTask) -> Result<(Arc<Model>, Thinking), String> {
        let Some(name) = task.model.as_deref().filter(|name| !matches!(*name, "" | "inherit")) else {
            return Ok((kit.model.clone(), kit.thinking));
        };
        let providers: Vec<&str> =
            kit.catalog.providers.iter().map(|provider| provider.id.as_str()).collect();
        let models = self.models.all();
        let request = ModelRequest::parse(None, Some(name), &providers).unwrap_or(ModelRequest {
            provider: None,
            id: None,
            thinking: None,
        });
        // A model of that name from the same provider takes precedence over another provider's.
        let own = ModelRequest {
            provider: request.provider.clone().or(Some(kit.model.provider.clone())),
            ..request.clone()
        };
        let known =
            |model: &Arc<Model>| models.iter().any(|m| m.id == model.id && m.provider == model.provider);
        let found = own.find(&models).filter(known).or_else(|| request.find(&models));
        let model = found.ok_or_else(|| {
            let refusal = request.unavailable_error(&models, &kit.catalog, self.models.is_discovering());
            format!("{refusal}. Leave the model out to use your own.")
        })?;
        Ok((model, request.thinking.unwrap_or(kit.thinking)))
    }

    async fn create(self, task: AgentTask) -> Result<Subagent, String> {
        let kit = self.parent().ok_or("The session is not ready yet.")?;
        let (model, thinking) = self.model_for(&kit, &task)?;
        let context = self.context_for(&kit, &task).await?;
        let deeper = context.shared.delegate.is_some();
        let keep = |kind| kind != Kind::AskUser && (deeper || kind != Kind::Agent);
        let mut toolset = kit.toolset.clone();
        toolset.set_model(&model);
        toolset.set_cwd(context.env.root());
        toolset.retain_kinds(keep);
        let mut fitted =
            SubagentToolset { selection_changes: toolset.selection_changes(), toolset, model: model.clone() };
        let ChangedSetup { registry, parallel, system } = fitted.current_setup().await;
        let turns_max = task.turns_max.filter(|turns| *turns > 0).unwrap_or(TURNS_MAX);
        let config = Config { turns_max, close_on_failure: false, parallel, ..kit.config.clone() };
        let services = Services {
            client: kit.client,
            registry,
            tools: context,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            // The conversation of a subagent is not stored, so it is not compacted.
            hook: None,
        };
        let setup = Setup {
            model,
            thinking,
            system,
            history: Vec::new(),
            session_id: self.ids.session(self.clock.now_ms()),
        };
        Ok(Subagent { config, services, setup, setup_changes: Box::new(fitted) })
    }

    /// Returns the session's tool context, with the task's folder as working folder.
    async fn context_for(&self, kit: &ParentSetup, task: &AgentTask) -> Result<tools::Context, String> {
        let mut context = kit.context.clone();
        if let Some(folder) = task.folder.as_deref().filter(|folder| !folder.is_empty()) {
            let to_error = |error: EnvError| format!("The agent cannot work in {folder}: {error}.");
            let root = context.env.resolve(context.env.root()).await.map_err(to_error)?;
            let path = paths::absolute(context.env.root(), folder.as_ref());
            let path = context.env.resolve(&path).await.map_err(to_error)?;
            if context.env.stat(&path).await.map_err(to_error)?.kind != FileKind::Folder {
                return Err(format!("The agent cannot work in {folder}: it is no folder."));
            }
            let Ok(below) = path.strip_prefix(&root) else {
                return Err(format!("The agent cannot work in {folder}: it is outside the workspace."));
            };
            if is_guarded(below) {
                return Err(format!(
                    "The agent cannot work in {folder}: it is of the workspace's own set-up."
                ));
            }
            context.env = Arc::new(Rooted::new(context.env, path));
        }
        let deeper = Self { depth: self.depth + 1, ..self.clone() };
        let mut shared = (*context.shared).clone();
        shared.questions = None;
        // Files that one agent has read do not count as read by the other.
        shared.files = Arc::new(shared.files.for_subagent());
        // It starts in the folder that the task names.
        shared.folder = Arc::default();
        // It can stop only commands that it started itself.
        shared.jobs = Arc::new(shared.jobs.for_subagent());
        shared.delegate =
            deeper.pool().map(|pool| Arc::new(pool) as Arc<dyn tools::interaction::delegate::Delegate>);
        context.shared = Arc::new(shared);
        Ok(context)
    }
}

/// The setup of a running subagent.
struct SubagentToolset {
    toolset: Toolset,
    model: Arc<Model>,
    /// The number of tool choices by the user when this was last checked.
    selection_changes: u64,
}

impl SubagentToolset {
    async fn current_setup(&mut self) -> ChangedSetup {
        let (shown, _) = self.toolset.prompt(&self.model).await;
        let mut system: Vec<String> = shown.parts.into_iter().map(|part| part.text).collect();
        system.push(ROLE.to_string());
        let active_tools = self.toolset.active_tools();
        let mut registry = active_tools.all;
        registry.retain(|name| active_tools.available.contains(name));
        ChangedSetup { registry, parallel: self.toolset.profile().parallel, system }
    }
}

impl SetupChanges for SubagentToolset {
    fn take_changes(&mut self) -> BoxFuture<'_, Option<ChangedSetup>> {
        async move {
            // The counter is read before the choice, so that a concurrent change is noticed the next time.
            let picks = self.toolset.selection_changes();
            if std::mem::replace(&mut self.selection_changes, picks) == picks {
                return None;
            }
            Some(self.current_setup().await)
        }
        .boxed()
    }
}

impl SubagentSetup for SubagentFactory {
    fn set_up(&self, task: &AgentTask) -> BoxFuture<'static, Result<Subagent, String>> {
        self.clone().create(task.clone()).boxed()
    }

    fn admit(&self) -> Result<(), String> {
        let total = self.limits.total;
        let more = |started| (started < total).then_some(started + 1);
        let admitted = self.started.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        admitted.map(|_| ()).map_err(|_| {
            format!(
                "No more agents can be started: this session may start {total} in all, and has. Do the work \
                 yourself, or send it to an agent that is still there."
            )
        })
    }
}
