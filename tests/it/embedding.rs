//! bowline as a library: what a host does with it, as the agent loop's specification has it (section 1.2).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bowline::exec::wrap::{ReadOnly, Wrapped};
use bowline::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileKind, FileStat, LocalEnvironment,
    OutputSink, Stamp,
};
use bowline::llm::model::{Message, Model, Request, StopReason, StreamEvent};
use bowline::llm::provider::{EventStream, Provider};
use bowline::llm::providers::scripted::{Scripted, Step, Turn};
use bowline::llm::stream_builder::StreamBuilder;
use bowline::runtime::events::observe::EventKind;
use bowline::runtime::{Builder, Delivery};
use bowline::tools::{Ask, Decision, FromFn, Outcome};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn with_timeout<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("in time")
}

fn path_var() -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    std::env::vars_os().filter(|(name, _)| name == "PATH").collect()
}

fn write(path: &str, content: &str) -> Turn {
    Turn::call("c1", "write", json!({"path": path, "content": content}))
}

/// What the model was told of its calls with the last request.
fn last_tool_results(script: &Scripted) -> String {
    let requests = script.requests();
    let messages = &requests.last().unwrap().messages;
    let results = messages.iter().filter_map(|message| match message {
        Message::ToolResult(result) => Some(bowline::llm::model::message::join_text(&result.content)),
        _ => None,
    });
    results.collect::<Vec<_>>().join("\n")
}

/// Opens the gate of a script when the model is asked, and not before.
async fn wait_for_requests(script: &Scripted, requests: usize) {
    with_timeout(async {
        while script.requests().len() < requests {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_host_observes_all_events() {
    use EventKind as E;

    let dir = tempfile::tempdir().unwrap();
    let (_, provider) = Scripted::injected(vec![write("a.txt", "one\n"), Turn::text("Written.")]);
    let session = Builder::new(dir.path()).inject(provider).start().await.unwrap();
    let mut events = session.observe().await.unwrap();
    let answer = with_timeout(session.submit("Write one")).await.unwrap();
    assert_eq!(answer.text(), "Written.");
    assert_eq!(std::fs::read_to_string(dir.path().join("a.txt")).unwrap(), "one\n");
    session.shutdown().await;
    let mut kinds = Vec::new();
    while let Some(event) = with_timeout(events.next()).await {
        kinds.push(event.kind);
    }
    let wanted = [
        E::SessionStart,
        E::UserInput,
        E::AssistantTextStart,
        E::AssistantTextEnd,
        E::ToolCallStart,
        E::ToolCallEnd,
        E::AssistantTextStart,
        E::AssistantTextDelta,
        E::AssistantTextEnd,
        E::SessionEnd,
    ];
    assert_eq!(kinds, wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_submit_failed_aborted_or_second_is_error() {
    let dir = tempfile::tempdir().unwrap();
    let stalls = Turn::of(vec![Step::Text(vec!["half".into()]), Step::Stall]);
    let (script, provider) = Scripted::injected(vec![stalls]);
    let session = Builder::new(dir.path()).inject(provider).start().await.unwrap();
    let run = tokio::spawn({
        let session = session.clone();
        async move { session.submit("go").await }
    });
    wait_for_requests(&script, 1).await;
    let refused = with_timeout(session.submit("me too")).await.unwrap_err();
    assert!(refused.message.contains("working"), "{refused}");
    session.abort();
    let interrupted = with_timeout(run).await.unwrap().unwrap_err();
    assert!(interrupted.message.contains("interrupted"), "{interrupted}");
    let failed = with_timeout(session.submit("again")).await.unwrap_err();
    assert!(failed.message.contains("the script is over"), "{failed}");
    session.shutdown().await;
    let ended = with_timeout(session.submit("again")).await.unwrap_err();
    assert!(ended.message.contains("ended"), "{ended}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_host_steers_and_queues_follow_up() {
    let dir = tempfile::tempdir().unwrap();
    let first = Turn::of(vec![
        Step::Gate,
        Step::Call { id: "c1".into(), name: "write".into(), arguments: json!({"path": "a", "content": "a"}) },
    ]);
    let (script, provider) =
        Scripted::injected(vec![first, Turn::text("As you wish."), Turn::text("And tested.")]);
    let session = Builder::new(dir.path()).inject(provider).start().await.unwrap();
    let run = tokio::spawn({
        let session = session.clone();
        async move { session.submit("Write it in Python").await }
    });
    wait_for_requests(&script, 1).await;
    session.say("In Rust, please".into(), vec![], Some(Delivery::Steer)).await.unwrap();
    session.say("Then test it".into(), vec![], Some(Delivery::FollowUp)).await.unwrap();
    script.gate.add_permits(1);
    assert_eq!(with_timeout(run).await.unwrap().unwrap().text(), "And tested.");
    let requests = script.requests();
    let said = |at: usize| serde_json::to_string(&requests[at].messages).unwrap();
    assert!(!said(0).contains("Rust") && said(1).contains("In Rust, please"), "{}", said(1));
    assert!(!said(1).contains("Then test it") && said(2).contains("Then test it"), "{}", said(2));
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_environment_can_change_between_runs() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = || Turn::call("c2", "bash", json!({"command": "pwd"}));
    let (script, provider) = Scripted::injected(vec![
        write("a.txt", "one\n"),
        Turn::text("1"),
        write("a.txt", "two\n"),
        run(),
        Turn::text("2"),
        write("a.txt", "three\n"),
        Turn::text("3"),
    ]);
    let asked = |_: Ask| async { Decision::Allow };
    let session = Builder::new(here.path()).variables(path_var()).approval(asked).inject(provider).start();
    let session = session.await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    let place: Arc<dyn Environment> = Arc::new(LocalEnvironment::new(there.path().to_path_buf(), path_var()));
    session.set_environment(place.clone()).await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    let text = |dir: &Path| std::fs::read_to_string(dir.join("a.txt")).unwrap();
    assert_eq!((text(here.path()).as_str(), text(there.path()).as_str()), ("one\n", "two\n"));
    let root = there.path().canonicalize().unwrap().display().to_string();
    assert!(
        last_tool_results(&script).contains(&root),
        "commands begin there: {}",
        last_tool_results(&script)
    );
    let system = script.requests()[2].system.concat();
    assert!(system.contains(&there.path().display().to_string()), "the model is told: {system}");
    let ran = session.run_command("pwd", false, |_| {}, &CancellationToken::new()).await.unwrap();
    assert!(ran.output.contains(&root), "so do the person's: {}", ran.output);
    // The same place behind a layer.
    let guarded = Arc::new(Wrapped::new(place, ReadOnly::new(|_| false)));
    session.set_environment(guarded).await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    assert_eq!(text(there.path()), "two\n");
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_approval_does_not_apply_to_other_environment() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = || [Turn::call("c", "bash", json!({"command": "touch made"})), Turn::text("done")];
    let (_, provider) = Scripted::injected([run(), run(), run()].concat());
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = asked.clone();
    let approval = move |ask: Ask| {
        heard.lock().unwrap().push(ask.workspace.clone());
        ready(Decision::AllowLike(ask.proposal.expect("a rule for such calls")))
    };
    let session = Builder::new(here.path()).variables(path_var()).approval(approval).inject(provider).start();
    let session = session.await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    session
        .set_environment(Arc::new(LocalEnvironment::new(there.path().to_path_buf(), path_var())))
        .await
        .unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    let places: Vec<String> = [&here, &there].iter().map(|dir| dir.path().display().to_string()).collect();
    assert_eq!(*asked.lock().unwrap(), places);
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_environment_change_rejected_if_busy_or_recorded() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (script, provider) = Scripted::injected(vec![Turn::of(vec![Step::Stall])]);
    let keeps = |options: &mut bowline::runtime::Options| options.checkpoints = true;
    let session = Builder::new(here.path()).inject(provider).options(keeps).start().await.unwrap();
    let place = |dir: &Path| Arc::new(LocalEnvironment::new(dir.to_path_buf(), path_var()));
    let refused = session.set_environment(place(there.path())).await.unwrap_err();
    assert!(refused.message.contains("recorded"), "{refused}");
    session.set_environment(place(here.path())).await.unwrap();
    session.prompt("go".into(), vec![], Delivery::Steer);
    wait_for_requests(&script, 1).await;
    assert!(session.set_environment(place(here.path())).await.is_err());
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_custom_tool_runs_agent_on_shared_files() {
    let dir = tempfile::tempdir().unwrap();
    let parameters =
        json!({"type": "object", "properties": {"task": {"type": "string"}}, "required": ["task"]});
    let review = FromFn::new("review", "Have another agent review.", parameters, |call| async move {
        let (_, provider) = Scripted::injected(vec![
            Turn::call("r1", "read", json!({"path": "a.txt"})),
            Turn::text("It says one."),
        ]);
        let reviewer = match Builder::at(call.env).inject(provider).start().await {
            Ok(reviewer) => reviewer,
            Err(report) => return Outcome::error(report.to_string()),
        };
        let answer = tokio::select! {
            answer = reviewer.submit(call.args["task"].as_str().unwrap_or_default()) => answer,
            () = call.cancel.cancelled() => Err(bowline::base::error::Report::new("interrupted")),
        };
        reviewer.shutdown().await;
        answer.map_or_else(|report| Outcome::error(report.to_string()), |answer| Outcome::text(answer.text()))
    })
    .reads_only();
    let (script, provider) = Scripted::injected(vec![
        write("a.txt", "one\n"),
        Turn::call("c2", "review", json!({"task": "What does a.txt say?"})),
        Turn::text("Reviewed."),
    ]);
    let session = Builder::new(dir.path()).inject(provider).tool(review).start().await.unwrap();
    let answer = with_timeout(session.submit("Write, then have it reviewed")).await.unwrap();
    assert_eq!(answer.text(), "Reviewed.");
    assert!(last_tool_results(&script).contains("It says one."), "{}", last_tool_results(&script));
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_custom_tools_extend_or_replace_toolset() {
    let tool = |seen: Arc<std::sync::Mutex<Vec<Value>>>| {
        let parameters =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        FromFn::new("double", "Double a number.", parameters, move |call| {
            seen.lock().unwrap().push(call.args.clone());
            ready(Outcome::text(format!("{}", call.args["n"].as_i64().unwrap_or(0) * 2)))
        })
    };
    for (alone, allowed) in [(false, true), (true, true), (false, false)] {
        let dir = tempfile::tempdir().unwrap();
        let wrong = Turn::call("c0", "double", json!({"n": "many"}));
        let right = Turn::call("c1", "double", json!({"n": 21}));
        let (script, provider) = Scripted::injected(vec![wrong, right, Turn::text("42")]);
        let seen = Arc::default();
        let mut builder = Builder::new(dir.path()).inject(provider).tool(tool(Arc::clone(&seen)));
        if alone {
            builder = builder.only_own_tools();
        }
        if allowed {
            builder = builder.approval(|ask: Ask| async move {
                assert_eq!((ask.tool.as_str(), ask.target.as_str()), ("double", r#"double: {"n":21}"#));
                Decision::Allow
            });
        }
        let session = builder.start().await.unwrap();
        with_timeout(session.submit("Double 21")).await.unwrap();
        let request = &script.requests()[0];
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names.contains(&"read"), !alone, "{names:?}");
        assert!(names.contains(&"double"), "{names:?}");
        let told = last_tool_results(&script);
        assert!(told.contains("Invalid arguments"), "{told}");
        if allowed {
            assert_eq!(*seen.lock().unwrap(), [json!({"n": 21})]);
            assert!(told.contains("42"), "{told}");
        } else {
            assert!(seen.lock().unwrap().is_empty());
            assert!(told.contains("nobody is there to allow it"), "{told}");
        }
        session.shutdown().await;
    }
}

/// A place of one file that is nowhere else.
#[derive(Debug)]
struct OneFileEnvironment {
    page: std::sync::Mutex<Vec<u8>>,
}

impl OneFileEnvironment {
    fn check_path(path: &Path) -> Result<(), EnvError> {
        if path == Path::new("/shelf/page.txt") { Ok(()) } else { Err(EnvError::NotFound(path.into())) }
    }
}

impl Environment for OneFileEnvironment {
    fn root(&self) -> &Path {
        Path::new("/shelf")
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        ready(Ok(path.to_path_buf())).boxed()
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        let size = self.page.lock().unwrap().len() as u64;
        let facts = |kind| FileStat { kind, size, version: None, modified: None };
        let folder = path == self.root();
        let found =
            if folder { Ok(FileKind::Folder) } else { Self::check_path(path).map(|()| FileKind::File) };
        ready(found.map(facts)).boxed()
    }

    fn list<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        ready(Ok(vec![DirEntry { name: "page.txt".into(), kind: FileKind::File }])).boxed()
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        let bytes = self.page.lock().unwrap().clone();
        let stamp = Stamp::of(&bytes);
        ready(Self::check_path(path).map(|()| FileData { bytes, stamp })).boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        _: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        let stamp = Stamp::of(&bytes);
        let written = Self::check_path(path).map(|()| *self.page.lock().unwrap() = bytes);
        ready(written.map(|()| stamp)).boxed()
    }

    fn run(
        &self,
        command: CommandSpec,
        mut output: OutputSink,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        output(format!("a shelf runs nothing, {} least of all\n", command.script).as_bytes());
        ready(Ok(Exit::Code(1))).boxed()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_custom_environment_limits_tools() {
    let shelf = Arc::new(OneFileEnvironment { page: std::sync::Mutex::new(b"once\n".to_vec()) });
    let (script, provider) = Scripted::injected(vec![
        Turn::call("c1", "read", json!({"path": "page.txt"})),
        Turn::call("c2", "read", json!({"path": "/etc/hostname"})),
        Turn::call("c3", "grep", json!({"pattern": "on.e"})),
        Turn::call(
            "c4",
            "edit",
            json!({"path": "page.txt", "edits": [{"oldText": "once", "newText": "twice"}]}),
        ),
        Turn::text("done"),
    ]);
    let session = Builder::at(shelf.clone()).inject(provider).only_tools(["read", "grep", "edit"]).start();
    let session = session.await.unwrap();
    with_timeout(session.submit("go")).await.unwrap();
    let told = last_tool_results(&script);
    assert!(told.contains("once") && told.contains("no such file") && told.contains("page.txt:1"), "{told}");
    assert_eq!(*shelf.page.lock().unwrap(), b"twice\n");
    session.shutdown().await;
}

#[tokio::test]
async fn embedding_read_only_layer_blocks_writes_and_commands() {
    let shelf = Arc::new(OneFileEnvironment { page: std::sync::Mutex::new(b"once\n".to_vec()) });
    let guarded = Wrapped::new(shelf.clone(), ReadOnly::new(|_| false));
    let page = Path::new("/shelf/page.txt");
    assert!(guarded.write(page, b"twice\n".to_vec(), None).await.is_err());
    assert_eq!(*shelf.page.lock().unwrap(), b"once\n");
    let heard: Arc<std::sync::Mutex<Vec<u8>>> = Arc::default();
    let output = heard.clone();
    let command = CommandSpec::new("rm", "/shelf");
    let sink = Box::new(move |piece: &[u8]| output.lock().unwrap().extend(piece));
    assert!(guarded.run(command, sink, CancellationToken::new()).await.is_err());
    assert!(heard.lock().unwrap().is_empty(), "nothing ran");
}

/// Says back what was said.
struct EchoProvider;

impl Provider for EchoProvider {
    fn id(&self) -> &'static str {
        "echo"
    }

    fn stream(&self, request: Request) -> EventStream {
        let said = request.messages.iter().rev().find_map(|message| match message {
            Message::User(user) => Some(bowline::llm::model::message::join_text(&user.content)),
            _ => None,
        });
        let mut draft = StreamBuilder::new(&request.model, 0);
        let (index, open) = draft.open_text();
        let text = draft.text(index, said.unwrap_or_default());
        draft.stop(StopReason::Stop, None);
        let events = [StreamEvent::Start, open, text, StreamEvent::TextEnd { index }, draft.done()];
        Box::pin(futures::stream::iter(events))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedding_custom_provider_and_instructions_are_used() {
    let dir = tempfile::tempdir().unwrap();
    let model = |id: &str| Model::unknown("echo", id, "echo", "");
    let builder =
        Builder::new(dir.path()).provider(Arc::new(EchoProvider), vec![model("first"), model("second")]);
    let session = builder.model("echo/second").append_instructions("Speak up.").start().await.unwrap();
    let answer = with_timeout(session.submit("Anybody there?")).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.model.as_str()), ("Anybody there?", "second"));
    let shown = session.system_prompt().await.unwrap();
    assert!(shown.parts.last().unwrap().text.contains("Speak up."));
    session.select_model("echo", "first").await.unwrap();
    assert_eq!(with_timeout(session.submit("And now?")).await.unwrap().model, "first");
    session.shutdown().await;
}

#[tokio::test]
async fn embedding_builder_rejects_invalid_folder() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let cases = [
        (PathBuf::from("here"), "not absolute"),
        (dir.path().join("file"), "no folder"),
        (dir.path().join("none"), "cannot work in"),
    ];
    for (folder, why) in cases {
        let Err(report) = Builder::new(&folder).start().await else { panic!("{}", folder.display()) };
        assert!(report.to_string().contains(why), "{report}");
    }
}
