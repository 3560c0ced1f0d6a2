//! Access to models: catalog, the user's `models.json`, credentials, and the client built from them.
//!
//! Reads files: do not call it on a thread that must not block.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::choice::ModelRequest;
use crate::base::error::Report;
use crate::exec::{CommandSpec, Environment, Exit};
use crate::llm::auth::store::Store;
use crate::llm::auth::value::{CommandRunner, Shell};
use crate::llm::auth::{self, Credentials};
use crate::llm::catalog::{Catalog, ModelLists, UserModels};
use crate::llm::client::Client;
use crate::llm::layers::layer::Layer;
use crate::llm::layers::{Budget, RequestLog};
use crate::net::http::{Http, Limits};
use crate::runtime::lifecycle::options::Options;

/// Bytes kept of the output of a command that yields a value.
const OUTPUT_MAX: usize = 64 << 10;

/// Everything that is needed to call models.
pub struct ModelAccess {
    /// The client, with the usable models.
    pub client: Client,
    /// All known models.
    pub catalog: Catalog,
    /// Problems in the user's files.
    pub problems: Vec<Report>,
}

/// Builds it. Reads files.
pub fn load(options: &Options) -> ModelAccess {
    let (mut catalog, mut problems) = catalog(options);
    let credentials =
        credentials(options, &catalog).with_shell(Shell::new(command_runner(options.env.clone())));
    problems.extend(credentials.stored_entries().1.map(Report::new));
    let http = Arc::new(http(options).with_cassette(options.cassette.clone()));
    let Options { providers, clock, offline, .. } = options;
    let client = Client::assemble(&catalog, &credentials, providers.clone(), &http, clock, *offline);
    catalog.offline_excluded = client.offline_excluded().to_vec();
    let mut layers: Vec<Arc<dyn Layer>> = vec![Arc::new(RequestLog)];
    layers.extend(options.budget.map(|dollars| Arc::new(Budget::new(dollars)) as Arc<dyn Layer>));
    ModelAccess { client: client.with_layers(layers), catalog, problems }
}

/// Returns the sources of keys, without what runs commands for them.
pub(super) fn credentials(options: &Options, catalog: &Catalog) -> Credentials {
    let credentials = Credentials::new(options.vars.clone())
        .with_home(Some(options.home.user.clone()))
        .with_store(store(options));
    let Some(key) = &options.api_key else { return credentials };
    let requested_provider = requested_model(options, catalog).and_then(|w| w.provider);
    let first = || catalog.providers.first().map(|p| p.id.clone());
    credentials.with_key(&requested_provider.or_else(first).unwrap_or_default(), key.clone())
}

/// Returns the HTTP client for all requests, to models and for logins.
pub fn http(options: &Options) -> Http {
    Http::new(Limits::default(), options.offline)
        .with_transport(options.transport)
        .with_roots(options.roots.clone())
}

/// Returns the store of credentials.
pub fn store(options: &Options) -> Store {
    Store::new(&options.home.data.join("auth.json"))
}

/// Returns the path of the cached model lists.
pub fn cached_lists_path(options: &Options) -> PathBuf {
    options.home.state.join("model-lists.json")
}

/// Returns the cached model lists. They can be fetched again: an unreadable file is only logged.
pub fn cached_lists(options: &Options) -> ModelLists {
    let path = cached_lists_path(options);
    let read = match auth::read_text(&path) {
        Ok(Some(text)) => ModelLists::parse(&text),
        Ok(None) => Ok(ModelLists::default()),
        Err(error) => Err(error.to_string()),
    };
    read.unwrap_or_else(|problem| {
        tracing::warn!("{} is not used: {problem}", path.display());
        ModelLists::default()
    })
}

/// Returns the catalog, overlaid with fetched lists and the user's file, and problems in the latter.
fn catalog(options: &Options) -> (Catalog, Vec<Report>) {
    let (catalog, problems) = user_catalog(options);
    (catalog.with_model_lists(cached_lists(options)), problems)
}

/// Returns the catalog, overlaid with the user's file, and its problems.
pub(super) fn user_catalog(options: &Options) -> (Catalog, Vec<Report>) {
    let path = options.home.config.join("models.json");
    match auth::read_text(&path) {
        Ok(None) => (Catalog::builtin().clone(), Vec::new()),
        Ok(Some(text)) => {
            let (user, problems) = UserModels::parse(&text);
            let to_report = |p: crate::llm::catalog::user::Problem| {
                Report::new(format!("{}:{}: {}", path.display(), p.line, p.message))
            };
            (Catalog::builtin().with_user(user), problems.into_iter().map(to_report).collect())
        }
        Err(error) => {
            let report = Report::caused(format!("cannot read {}", path.display()), &error);
            (Catalog::builtin().clone(), vec![report])
        }
    }
}

/// Returns the model that the flags request.
pub fn requested_model(options: &Options, catalog: &Catalog) -> Option<ModelRequest> {
    parse_request(options, catalog, options.provider.as_deref(), options.model.as_deref())
}

/// Parses a model request of the user, who may name any provider of the catalog.
pub fn parse_request(
    options: &Options,
    catalog: &Catalog,
    provider: Option<&str>,
    model: Option<&str>,
) -> Option<ModelRequest> {
    let known = catalog.providers.iter().map(|p| p.id.as_str());
    let injected = options.providers.iter().map(|p| p.provider.id());
    let providers: Vec<&str> = known.chain(injected).collect();
    ModelRequest::parse(provider, model, &providers)
}

/// Returns a runner for commands that yield values, in the working folder. A command is killed when its
/// future is dropped.
fn command_runner(env: Arc<dyn Environment>) -> CommandRunner {
    Arc::new(move |script| {
        let env = env.clone();
        async move {
            let cancel = CancellationToken::new();
            let _ended = cancel.clone().drop_guard();
            let command = CommandSpec {
                script,
                cwd: env.root().to_path_buf(),
                timeout: None,
                env: BTreeMap::default(),
            };
            let printed = Arc::new(Mutex::new(Vec::new()));
            let into = printed.clone();
            let sink = move |bytes: &[u8]| {
                let mut all = into.lock();
                let room = OUTPUT_MAX.saturating_sub(all.len());
                all.extend_from_slice(&bytes[..bytes.len().min(room)]);
            };
            let exit = env.filter(command, Vec::new(), Box::new(sink), Box::new(|_| {}), cancel).await;
            match exit {
                Ok(Exit::Code(0)) => {
                    let all = printed.lock();
                    Ok(String::from_utf8_lossy(&all).into_owned())
                }
                Ok(Exit::Code(code)) => Err(format!("it ended with {code}")),
                Ok(Exit::TimedOut | Exit::Cancelled) => Err("it was ended".to_string()),
                Err(error) => Err(error.to_string()),
            }
        }
        .boxed()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::Home;
    use crate::exec::local::LocalEnvironment;
    use crate::tools::{Approval, Ask, Decision};
    use futures::future::BoxFuture;
    use std::path::Path;

    struct Nobody;

    impl Approval for Nobody {
        fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
            futures::future::ready(Decision::Deny(ask.rule)).boxed()
        }
    }

    fn options(dir: &Path) -> Options {
        let vars = std::collections::HashMap::from([("BOWLINE_HOME", dir), ("HOME", dir)]);
        let home = Home::find(|name| Some(vars.get(name)?.display().to_string())).unwrap();
        std::fs::create_dir_all(&home.config).unwrap();
        let env = LocalEnvironment::new(dir.to_path_buf(), std::env::vars_os());
        Options::new(home, dir.to_path_buf(), Arc::new(env), Arc::new(Nobody))
    }

    #[test]
    fn models_user_files_and_stored_keys_count() {
        let dir = tempfile::tempdir().unwrap();
        let options = options(dir.path());
        let ids = |reached: &ModelAccess| -> Vec<String> {
            reached.client.models().iter().map(|m| format!("{}/{}", m.provider, m.id)).collect()
        };
        assert_eq!(ids(&load(&options)), ["demo/guide"]);
        let text = "{\"providers\": {\n\"own\": {\"api\": \"openai-completions\", \"baseUrl\": \"https://h\", \"apiKey\": \"k\",
            \"models\": [{\"id\": \"m\"}]},\n\"odd\": 1}}";
        std::fs::write(options.home.config.join("models.json"), text).unwrap();
        store(&options).set("deepseek", Some(auth::entry::Entry::from_key("k"))).unwrap();
        let reached = load(&options);
        let ids = ids(&reached);
        assert!(ids[0].starts_with("deepseek/") && ids.contains(&"own/m".to_string()), "{ids:?}");
        assert_eq!(ids.last().unwrap(), "demo/guide");
        let told = reached.problems[0].to_string();
        assert!(told.contains("models.json:4: provider `odd`"), "{told}");
    }

    #[tokio::test]
    async fn models_key_commands_return_output_or_error() {
        let dir = tempfile::tempdir().unwrap();
        let run = command_runner(options(dir.path()).env);
        assert_eq!(run("echo key; echo noise >&2".into()).await.as_deref(), Ok("key\n"));
        assert_eq!(run("exit 3".into()).await, Err("it ended with 3".into()));
    }
}
