//! Interrupting calls: every tool of every set, from the table of the sets, kept busy with what it waits for
//! in life, and interrupted then. It ends, says so, and leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::builtin::SETS;
use bowline::tools::files::state::ReadFirst;
use bowline::tools::interaction::delegate::{AgentReport, AgentStatus, AgentTask, Delegate, DelegateResult};
use bowline::tools::interaction::language_servers::{
    FoundDiagnostics, LanguageServers, NoServers, OpenFile, OpenServer, Purpose, ServerStatus,
};
use bowline::tools::interaction::questions::{Answer, Question, Questions};
use bowline::tools::{
    self, AgentToolState, Approval, Ask, Context, Decision, Kind, Mode, Outcome, Registry, Rules, Tool,
    ToolClass,
};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::support::endless_environment::{SlowEnvironment, SlowOperation};
use crate::support::process::{is_running, read_pid, wait_gone, wait_until};

/// What keeps a tool busy until it is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Busy {
    /// A command that has written its number into `pid` and goes on for ten minutes.
    Command,
    /// A place that does not come to an end with what it is asked.
    Reading,
    /// The file `a.txt` or `n.ipynb`, which somebody else changes; after that, a place that does not write.
    FileWrite,
    /// A user, another agent or a language server that says nothing.
    UserOrAgent,
    /// The command 1 in the background, which prints and never ends.
    ListeningToCommand,
    /// The same that does not want to end.
    EndingCommand,
    /// Nothing: it is interrupted before it begins.
    Nothing,
}

/// A command that says that it runs, and then only waits.
const WAITING_COMMAND: &str = "echo $$ > pid; exec sleep 600";
/// One that prints all the time, and does not end when it is told to.
const PRINTING_COMMAND: &str =
    "trap 'touch asked' TERM; echo $$ > pid; while :; do echo tick; sleep 0.05; done";
const PATCH: &str =
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: b.txt\n+new\n*** End Patch\n";
const NOTEBOOK_JSON: &str = r#"{"cells":[{"cell_type":"code","id":"c","source":["one"],"outputs":[]}],"nbformat":4,"nbformat_minor":5}"#;

/// The rows of tools that run commands or listen to some; none of any other.
fn command_rows(set: &str, tool: &str) -> Vec<(Busy, Value)> {
    match (set, tool) {
        ("openai", "exec_command") => vec![
            (Busy::Command, json!({"cmd": WAITING_COMMAND})),
            (Busy::Command, json!({"cmd": WAITING_COMMAND, "tty": true, "timeout_ms": 600_000})),
        ],
        ("anthropic", "Bash") | ("pi", "bash") => vec![(Busy::Command, json!({"command": WAITING_COMMAND}))],
        ("gemini", "run_shell_command") => vec![
            (Busy::Command, json!({"command": WAITING_COMMAND, "timeout_ms": 600_000})),
            (Busy::Command, json!({"command": WAITING_COMMAND, "is_background": true, "delay_ms": 600_000})),
        ],
        ("pi", "job") => vec![
            (Busy::Command, json!({"action": "start", "command": WAITING_COMMAND, "wait": 300})),
            (Busy::ListeningToCommand, json!({"action": "poll", "job": 1, "wait": 300})),
            (Busy::ListeningToCommand, json!({"action": "input", "job": 1, "text": "x\n", "wait": 300})),
            (Busy::EndingCommand, json!({"action": "kill", "job": 1})),
        ],
        ("openai", "write_stdin") => vec![
            (Busy::ListeningToCommand, json!({"session_id": 1, "yield_time_ms": 300_000})),
            (Busy::EndingCommand, json!({"session_id": 1, "chars": "\u{3}"})),
        ],
        ("anthropic", "KillShell") => vec![(Busy::EndingCommand, json!({"shell_id": "bash_1"}))],
        ("anthropic", "BashOutput") => vec![(Busy::Nothing, json!({"bash_id": "bash_1"}))],
        _ => Vec::new(),
    }
}

/// The rows of a tool: what keeps it busy, and with which arguments. Every tool has one at least.
fn rows(set: &str, tool: &str) -> Vec<(Busy, Value)> {
    let swap = json!({"file_path": "a.txt", "instruction": "i", "old_string": "one", "new_string": "two"});
    let whole = json!({"file_path": "a.txt", "path": "a.txt", "content": "two\n"});
    let options = json!([{"label": "a", "description": "x"}, {"label": "b", "description": "y"}]);
    let question =
        json!({"id": "q", "question": "Which?", "header": "h", "type": "choice", "options": options});
    let todo =
        json!({"content": "x", "step": "x", "description": "x", "status": "pending", "activeForm": "x"});
    let agent = json!({"agent_id": "a", "message": "m"});
    let commands = command_rows(set, tool);
    match (set, tool) {
        _ if !commands.is_empty() => commands,
        ("openai" | "gemini", "read_file") | ("anthropic", "Read") => vec![
            (Busy::Reading, json!({"file_path": "a.txt"})),
            (Busy::Reading, json!({"file_path": "n.ipynb"})),
        ],
        ("pi", "read") | ("openai", "view_image") => vec![(Busy::Reading, json!({"path": "a.txt"}))],
        ("gemini", "read_many_files") => vec![
            (Busy::Reading, json!({"include": ["a.txt"]})),
            (Busy::Reading, json!({"include": ["**/*.txt"]})),
        ],
        ("anthropic", "Grep") => [json!({"pattern": "x"}), json!({"pattern": "x", "output_mode": "content"})]
            .map(|args| (Busy::Reading, args))
            .into(),
        (_, "grep" | "grep_files" | "grep_search") => vec![(Busy::Reading, json!({"pattern": "x"}))],
        (_, "find" | "Glob" | "glob") => vec![(Busy::Reading, json!({"pattern": "**/*.txt"}))],
        (_, "ls" | "list_dir" | "list_directory") => {
            vec![(Busy::Reading, json!({"path": ".", "dir_path": "."}))]
        }
        ("pi", "edit") => {
            vec![(Busy::FileWrite, json!({"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}))]
        }
        ("anthropic", "Edit") | ("gemini", "replace") => vec![(Busy::FileWrite, swap)],
        ("pi", "write") | ("anthropic", "Write") | ("openai" | "gemini", "write_file") => {
            vec![(Busy::FileWrite, whole)]
        }
        ("anthropic", "NotebookEdit") => {
            vec![(Busy::FileWrite, json!({"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "two"}))]
        }
        ("openai", "apply_patch") => vec![(Busy::FileWrite, json!({"input": PATCH}))],
        ("pi", "ask_user") => vec![(Busy::UserOrAgent, json!({"question": "Which?"}))],
        (_, "ask_user" | "AskUserQuestion" | "request_user_input") => {
            vec![(Busy::UserOrAgent, json!({"questions": [question]}))]
        }
        ("anthropic", "Agent") => ["held", "work"]
            .map(|prompt| (Busy::UserOrAgent, json!({"description": "x", "prompt": prompt})))
            .into(),
        (_, "spawn_agent") => vec![(Busy::UserOrAgent, json!({"task": "held"}))],
        (_, "send_input" | "wait" | "close_agent") => vec![(Busy::UserOrAgent, agent)],
        (_, "lsp" | "LSP") => ["hover", "rename"]
            .map(|action| json!({"action": action, "file": "a.txt", "symbol": "one", "new_name": "two"}))
            .map(|args| (Busy::UserOrAgent, args))
            .into(),
        (_, "TodoWrite" | "write_todos") => vec![(Busy::Nothing, json!({"todos": [todo]}))],
        (_, "update_plan") => vec![(Busy::Nothing, json!({"plan": [todo]}))],
        (_, "plan") => vec![(Busy::Nothing, json!({"steps": [todo]}))],
        _ => panic!("{set} has a new tool, {tool}: say here what keeps it busy"),
    }
}

/// Says nothing to whatever it is asked, and that it was asked.
#[derive(Debug)]
struct NeverAnswers {
    asked: Semaphore,
}

impl NeverAnswers {
    fn pending<T: Send + 'static>(&self) -> BoxFuture<'static, T> {
        self.asked.add_permits(1);
        std::future::pending().boxed()
    }
}

impl Questions for NeverAnswers {
    fn ask(&self, _: &str, _: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>> {
        self.pending()
    }
}

impl Approval for NeverAnswers {
    fn decide(&self, _: Ask) -> BoxFuture<'static, Decision> {
        self.pending()
    }
}

impl LanguageServers for NeverAnswers {
    fn diagnostics(
        &self,
        _: PathBuf,
        _: Duration,
        _: Purpose,
    ) -> BoxFuture<'static, Option<FoundDiagnostics>> {
        std::future::ready(None).boxed()
    }

    fn open(&self, _: PathBuf, _: Duration) -> BoxFuture<'static, Result<OpenFile, NoServers>> {
        self.pending()
    }

    fn running(&self) -> BoxFuture<'static, Vec<OpenServer>> {
        self.pending()
    }

    fn status(&self) -> BoxFuture<'static, Vec<ServerStatus>> {
        self.pending()
    }

    fn restart(&self, _: Option<String>) -> BoxFuture<'static, Vec<String>> {
        self.pending()
    }

    fn end(&self) -> BoxFuture<'static, ()> {
        std::future::ready(()).boxed()
    }
}

fn subagent_report(status: AgentStatus) -> AgentReport {
    AgentReport { id: "b".into(), status, output: "so far".into(), turns: 1, cost: 0.0 }
}

impl Delegate for NeverAnswers {
    fn spawn(&self, task: AgentTask) -> BoxFuture<'static, DelegateResult> {
        if task.message == "held" {
            self.pending()
        } else {
            async { Ok(subagent_report(AgentStatus::Running)) }.boxed()
        }
    }

    fn send(&self, _: &str, _: String) -> BoxFuture<'static, DelegateResult> {
        self.pending()
    }

    fn wait(&self, _: &str, _: Arc<dyn Fn(String) + Send + Sync>) -> BoxFuture<'static, DelegateResult> {
        self.pending()
    }

    fn close(&self, id: &str) -> BoxFuture<'static, DelegateResult> {
        if id == "a" { self.pending() } else { async { Ok(subagent_report(AgentStatus::Closed)) }.boxed() }
    }

    fn interrupt(&self) {}

    fn close_all(&self) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// A workspace in which one call is interrupted.
struct CancelFixture {
    label: String,
    folder: tempfile::TempDir,
    environment: Arc<SlowEnvironment>,
    host: Arc<NeverAnswers>,
    context: Context,
    cancel: CancellationToken,
    output_seen: Arc<Semaphore>,
}

impl CancelFixture {
    fn new(what: String, slow: SlowOperation, mode: Mode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.txt"), "one\n").unwrap();
        std::fs::write(root.join("n.ipynb"), NOTEBOOK_JSON).unwrap();
        let home = folder.path().join("home").into_os_string();
        let vars = [("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), home)];
        let place =
            Arc::new(SlowEnvironment::new(LocalEnvironment::new(root.canonicalize().unwrap(), vars), slow));
        let silent = Arc::new(NeverAnswers { asked: Semaphore::new(0) });
        let mut shared = AgentToolState::new(folder.path().join("artifacts")).with_read_first(ReadFirst::Off);
        shared.questions = Some(Arc::<NeverAnswers>::clone(&silent));
        shared.delegate = Some(Arc::<NeverAnswers>::clone(&silent));
        shared.language_servers = Some(Arc::<NeverAnswers>::clone(&silent));
        let context = Context {
            env: Arc::<SlowEnvironment>::clone(&place),
            approval: Arc::<NeverAnswers>::clone(&silent),
            mode: mode.into(),
            rules: Rules::default().into(),
            shared: Arc::new(shared),
        };
        let (cancel, heard) = (CancellationToken::new(), Arc::new(Semaphore::new(0)));
        Self { label: what, folder, environment: place, host: silent, context, cancel, output_seen: heard }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// Everything in the workspace, with its content.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let all = std::fs::read_dir(self.path("")).unwrap().map(|entry| entry.unwrap().path());
        all.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    async fn call_tool(&self, set: &str, tool: &str, arguments: Value) -> Outcome {
        let call = ToolCall { id: "c".into(), name: tool.into(), arguments, thought_signature: None };
        let heard = Arc::clone(&self.output_seen);
        let progress = Arc::new(move |_| heard.add_permits(1));
        tools::execute(&Registry::of(set), &self.context, &call, self.cancel.clone(), progress).await
    }

    /// Makes the call, interrupts it when `busy` is done, and demands that it says so.
    async fn assert_interrupted(&self, set: &str, tool: &str, args: Value, busy: impl Future<Output = ()>) {
        let interrupt = async {
            busy.await;
            self.cancel.cancel();
        };
        let both = futures::future::join(self.call_tool(set, tool, args), interrupt);
        let both = tokio::time::timeout(std::time::Duration::from_mins(2), both);
        let (outcome, ()) = both.await.unwrap_or_else(|_| panic!("{} ends", self.label));
        let told = join_text(&outcome.content);
        assert!(outcome.is_error, "{}: {told}", self.label);
        assert!(told.to_lowercase().contains("interrupted"), "{}: {told}", self.label);
    }

    /// The command 1, as the session has it.
    async fn start_job(&self) -> u32 {
        let (set, tool, args) =
            ("pi", "job", json!({"action": "start", "command": PRINTING_COMMAND, "wait": 0}));
        let call = ToolCall { id: "j".into(), name: tool.into(), arguments: args, thought_signature: None };
        let go = CancellationToken::new();
        let made = tools::execute(&Registry::of(set), &self.context, &call, go, Arc::new(|_| {})).await;
        assert!(!made.is_error, "{made:?}");
        read_pid(&self.path("pid")).await
    }
}

async fn wait_until_asked(semaphore: &Semaphore) {
    semaphore.acquire().await.unwrap().forget();
}

/// One row.
async fn check_interrupt(set: &str, tool: &str, busy: Busy, args: Value) {
    let what = format!("{set} {tool} {busy:?} {args}");
    let slow = if busy == Busy::Reading { SlowOperation::Reading } else { SlowOperation::Nothing };
    let bench = CancelFixture::new(what.clone(), slow, Mode::Full);
    let before = bench.files();
    match busy {
        Busy::Command => {
            let file = bench.path("pid");
            bench.assert_interrupted(set, tool, args, read_pid(&file).map(|_| ())).await;
            wait_gone(read_pid(&file).await).await;
            assert!(bench.context.shared.jobs.list().is_empty(), "{what}");
            return;
        }
        Busy::ListeningToCommand => {
            let pid = bench.start_job().await;
            bench.assert_interrupted(set, tool, args, wait_until_asked(&bench.output_seen)).await;
            assert!(is_running(pid) && bench.context.shared.jobs.get(1).is_some(), "{what}");
            bench.context.shared.jobs.end_own(std::time::Duration::from_secs(3)).await;
            return wait_gone(pid).await;
        }
        Busy::EndingCommand => {
            let pid = bench.start_job().await;
            let busy = wait_until("it is asked to end", || bench.path("asked").exists());
            bench.assert_interrupted(set, tool, args, busy).await;
            return wait_gone(pid).await;
        }
        Busy::Reading => {
            bench.assert_interrupted(set, tool, args, bench.environment.wait_until_blocked()).await;
        }
        Busy::UserOrAgent => {
            bench.assert_interrupted(set, tool, args, wait_until_asked(&bench.host.asked)).await;
        }
        Busy::Nothing => {
            bench.cancel.cancel();
            bench.assert_interrupted(set, tool, args, std::future::ready(())).await;
        }
        Busy::FileWrite => {
            let go = CancellationToken::new();
            let (files, env) = (&bench.context.shared.files, &*bench.environment);
            let turns =
                ["a.txt", "n.ipynb"].map(|name| (bench.path(name), &go)).map(|(path, go)| async move {
                    files.lock_file(env, &path, go).await.expect("nobody else has it")
                });
            let _turns = join_all(turns).await;
            bench.assert_interrupted(set, tool, args.clone(), std::future::ready(())).await;
            // Once more, in the middle of writing.
            let bench = CancelFixture::new(what.clone(), SlowOperation::Writing, Mode::Full);
            let before = bench.files();
            bench.assert_interrupted(set, tool, args, bench.environment.wait_until_blocked()).await;
            assert_eq!(
                bench.files().into_values().collect::<Vec<_>>(),
                before.into_values().collect::<Vec<_>>()
            );
        }
    }
    assert_eq!(bench.files(), before, "{what}");
    let kept = bench.folder.path().join("artifacts");
    assert!(!kept.exists(), "{what}: what nobody is told of is not kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abort_ends_every_tool_of_every_toolset() {
    let mut all = Vec::new();
    for set in SETS {
        for shape in set.tools {
            let tool = shape.name;
            let of_tool = rows(set.id, tool);
            all.extend(of_tool.into_iter().map(|(busy, args)| (set.id, tool, busy, args)));
        }
    }
    let kinds: BTreeSet<String> = all.iter().map(|(_, _, busy, _)| format!("{busy:?}")).collect();
    assert_eq!(kinds.len(), 7, "everything that keeps a tool busy is tried: {kinds:?}");
    join_all(all.into_iter().map(|(set, tool, busy, args)| async move {
        check_interrupt(set, tool, busy, args).await;
    }))
    .await;
}

/// A call that has not run yet because nobody has said whether it may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abort_withdraws_pending_permission_request() {
    let mut tried = 0;
    for set in SETS {
        for tool in set.tools {
            let name = tool.spec().name;
            for (_, args) in rows(set.id, &name) {
                let is_asked = tool.class() != ToolClass::Reads && !tool.targets(&args).is_empty();
                if !is_asked {
                    continue;
                }
                tried += 1;
                let bench =
                    CancelFixture::new(format!("{} {name}", set.id), SlowOperation::Nothing, Mode::Untrusted);
                let before = bench.files();
                bench.assert_interrupted(set.id, &name, args, wait_until_asked(&bench.host.asked)).await;
                assert_eq!(bench.files(), before, "{} {name}", set.id);
            }
        }
    }
    assert!(tried > 15, "{tried}");
}

/// Tools that read a file or change one.
const FILE_TOOLS: [Kind; 6] =
    [Kind::Read, Kind::ReadMany, Kind::ViewImage, Kind::Edit, Kind::Write, Kind::Patch];

/// What would never come to an end is not begun.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_tools_reject_named_pipes() {
    let mut tried = 0;
    for set in SETS {
        for tool in set.tools {
            if !FILE_TOOLS.contains(&tool.kind()) {
                continue;
            }
            let name = tool.spec().name;
            let bench = CancelFixture::new(format!("{} {name}", set.id), SlowOperation::Nothing, Mode::Full);
            for pipe in ["a.txt", "n.ipynb"].map(|name| bench.path(name)) {
                std::fs::remove_file(&pipe).unwrap();
                assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
            }
            let call = bench.call_tool(set.id, &name, rows(set.id, &name).remove(0).1);
            let outcome = tokio::time::timeout(std::time::Duration::from_mins(2), call).await;
            let outcome = outcome.unwrap_or_else(|_| panic!("{} {name} waits for a pipe", set.id));
            assert!(outcome.is_error, "{} {name}: {outcome:?}", set.id);
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}
