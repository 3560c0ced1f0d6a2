//! Interrupting calls: every tool of every set, from the table of the sets, kept busy with what it waits for
//! in life, and interrupted then. It ends, says so, and leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::builtin::SETS;
use bowline::tools::files::state::ReadFirst;
use bowline::tools::interaction::delegate::{AgentReport, AgentStatus, AgentTask, Delegate, DelegateResult};
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

use crate::support::endless_environment::{Slow, SlowPlace};
use crate::support::process::{gone, lives, pid, until};

/// What keeps a tool busy until it is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Busy {
    /// A command that has written its number into `pid` and goes on for ten minutes.
    Command,
    /// A place that does not come to an end with what it is asked.
    Looking,
    /// The file `a.txt` or `n.ipynb`, which somebody else changes; after that, a place that does not write.
    File,
    /// A user, or another agent, who says nothing.
    Port,
    /// The command 1 in the background, which prints and never ends.
    Listening,
    /// The same that does not want to end.
    Ending,
    /// Nothing: it is interrupted before it begins.
    Nothing,
}

/// A command that says that it runs, and then only waits.
const WAITS: &str = "echo $$ > pid; exec sleep 600";
/// One that prints all the time, and does not end when it is told to.
const PRINTS: &str = "trap 'touch asked' TERM; echo $$ > pid; while :; do echo tick; sleep 0.05; done";
const PATCH: &str =
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: b.txt\n+new\n*** End Patch\n";
const NOTEBOOK: &str = r#"{"cells":[{"cell_type":"code","id":"c","source":["one"],"outputs":[]}],"nbformat":4,"nbformat_minor":5}"#;

/// The rows of tools that run commands or listen to some; none of any other.
fn of_commands(set: &str, tool: &str) -> Vec<(Busy, Value)> {
    match (set, tool) {
        ("openai", "exec_command") => vec![
            (Busy::Command, json!({"cmd": WAITS})),
            (Busy::Command, json!({"cmd": WAITS, "tty": true, "timeout_ms": 600_000})),
        ],
        ("anthropic", "Bash") | ("pi", "bash") => vec![(Busy::Command, json!({"command": WAITS}))],
        ("gemini", "run_shell_command") => vec![
            (Busy::Command, json!({"command": WAITS, "timeout_ms": 600_000})),
            (Busy::Command, json!({"command": WAITS, "is_background": true, "delay_ms": 600_000})),
        ],
        ("pi", "job") => vec![
            (Busy::Command, json!({"action": "start", "command": WAITS, "wait": 300})),
            (Busy::Listening, json!({"action": "poll", "job": 1, "wait": 300})),
            (Busy::Listening, json!({"action": "input", "job": 1, "text": "x\n", "wait": 300})),
            (Busy::Ending, json!({"action": "kill", "job": 1})),
        ],
        ("openai", "write_stdin") => vec![
            (Busy::Listening, json!({"session_id": 1, "yield_time_ms": 300_000})),
            (Busy::Ending, json!({"session_id": 1, "chars": "\u{3}"})),
        ],
        ("anthropic", "KillShell") => vec![(Busy::Ending, json!({"shell_id": "bash_1"}))],
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
    let commands = of_commands(set, tool);
    match (set, tool) {
        _ if !commands.is_empty() => commands,
        ("openai" | "gemini", "read_file") | ("anthropic", "Read") => vec![
            (Busy::Looking, json!({"file_path": "a.txt"})),
            (Busy::Looking, json!({"file_path": "n.ipynb"})),
        ],
        ("pi", "read") | ("openai", "view_image") => vec![(Busy::Looking, json!({"path": "a.txt"}))],
        ("gemini", "read_many_files") => vec![
            (Busy::Looking, json!({"include": ["a.txt"]})),
            (Busy::Looking, json!({"include": ["**/*.txt"]})),
        ],
        ("anthropic", "Grep") => [json!({"pattern": "x"}), json!({"pattern": "x", "output_mode": "content"})]
            .map(|args| (Busy::Looking, args))
            .into(),
        (_, "grep" | "grep_files" | "grep_search") => vec![(Busy::Looking, json!({"pattern": "x"}))],
        (_, "find" | "Glob" | "glob") => vec![(Busy::Looking, json!({"pattern": "**/*.txt"}))],
        (_, "ls" | "list_dir" | "list_directory") => {
            vec![(Busy::Looking, json!({"path": ".", "dir_path": "."}))]
        }
        ("pi", "edit") => {
            vec![(Busy::File, json!({"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}))]
        }
        ("anthropic", "Edit") | ("gemini", "replace") => vec![(Busy::File, swap)],
        ("pi", "write") | ("anthropic", "Write") | ("openai" | "gemini", "write_file") => {
            vec![(Busy::File, whole)]
        }
        ("anthropic", "NotebookEdit") => {
            vec![(Busy::File, json!({"notebook_path": "n.ipynb", "cell_id": "c", "new_source": "two"}))]
        }
        ("openai", "apply_patch") => vec![(Busy::File, json!({"input": PATCH}))],
        ("pi", "ask_user") => vec![(Busy::Port, json!({"question": "Which?"}))],
        (_, "ask_user" | "AskUserQuestion" | "request_user_input") => {
            vec![(Busy::Port, json!({"questions": [question]}))]
        }
        ("anthropic", "Agent") => {
            ["held", "work"].map(|prompt| (Busy::Port, json!({"description": "x", "prompt": prompt}))).into()
        }
        (_, "spawn_agent") => vec![(Busy::Port, json!({"task": "held"}))],
        (_, "send_input" | "wait" | "close_agent") => vec![(Busy::Port, agent)],
        (_, "TodoWrite" | "write_todos") => vec![(Busy::Nothing, json!({"todos": [todo]}))],
        (_, "update_plan") => vec![(Busy::Nothing, json!({"plan": [todo]}))],
        (_, "plan") => vec![(Busy::Nothing, json!({"steps": [todo]}))],
        _ => panic!("{set} has a new tool, {tool}: say here what keeps it busy"),
    }
}

/// Says nothing to whatever it is asked, and that it was asked.
#[derive(Debug)]
struct Silent {
    asked: Semaphore,
}

impl Silent {
    fn forever<T: Send + 'static>(&self) -> BoxFuture<'static, T> {
        self.asked.add_permits(1);
        std::future::pending().boxed()
    }
}

impl Questions for Silent {
    fn ask(&self, _: &str, _: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>> {
        self.forever()
    }
}

impl Approval for Silent {
    fn decide(&self, _: Ask) -> BoxFuture<'static, Decision> {
        self.forever()
    }
}

fn report(status: AgentStatus) -> AgentReport {
    AgentReport { id: "b".into(), status, output: "so far".into(), turns: 1, cost: 0.0 }
}

impl Delegate for Silent {
    fn spawn(&self, task: AgentTask) -> BoxFuture<'static, DelegateResult> {
        if task.message == "held" {
            self.forever()
        } else {
            async { Ok(report(AgentStatus::Running)) }.boxed()
        }
    }

    fn send(&self, _: &str, _: String) -> BoxFuture<'static, DelegateResult> {
        self.forever()
    }

    fn wait(&self, _: &str, _: Arc<dyn Fn(String) + Send + Sync>) -> BoxFuture<'static, DelegateResult> {
        self.forever()
    }

    fn close(&self, id: &str) -> BoxFuture<'static, DelegateResult> {
        if id == "a" { self.forever() } else { async { Ok(report(AgentStatus::Closed)) }.boxed() }
    }

    fn interrupt(&self) {}

    fn close_all(&self) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

/// A workspace in which one call is interrupted.
struct Bench {
    what: String,
    folder: tempfile::TempDir,
    place: Arc<SlowPlace>,
    silent: Arc<Silent>,
    context: Context,
    cancel: CancellationToken,
    heard: Arc<Semaphore>,
}

impl Bench {
    fn new(what: String, slow: Slow, mode: Mode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.txt"), "one\n").unwrap();
        std::fs::write(root.join("n.ipynb"), NOTEBOOK).unwrap();
        let home = folder.path().join("home").into_os_string();
        let vars = [("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), home)];
        let place = Arc::new(SlowPlace::new(LocalEnvironment::new(root.canonicalize().unwrap(), vars), slow));
        let silent = Arc::new(Silent { asked: Semaphore::new(0) });
        let mut shared = AgentToolState::new(folder.path().join("artifacts")).with_read_first(ReadFirst::Off);
        shared.questions = Some(Arc::<Silent>::clone(&silent));
        shared.delegate = Some(Arc::<Silent>::clone(&silent));
        let context = Context {
            env: Arc::<SlowPlace>::clone(&place),
            approval: Arc::<Silent>::clone(&silent),
            mode: mode.into(),
            rules: Rules::default().into(),
            shared: Arc::new(shared),
        };
        let (cancel, heard) = (CancellationToken::new(), Arc::new(Semaphore::new(0)));
        Self { what, folder, place, silent, context, cancel, heard }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    /// Everything in the workspace, with its content.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let all = std::fs::read_dir(self.at("")).unwrap().map(|entry| entry.unwrap().path());
        all.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    async fn call(&self, set: &str, tool: &str, arguments: Value) -> Outcome {
        let call = ToolCall { id: "c".into(), name: tool.into(), arguments, thought_signature: None };
        let heard = Arc::clone(&self.heard);
        let progress = Arc::new(move |_| heard.add_permits(1));
        tools::execute(&Registry::of(set), &self.context, &call, self.cancel.clone(), progress).await
    }

    /// Makes the call, interrupts it when `busy` is done, and demands that it says so.
    async fn interrupted(&self, set: &str, tool: &str, args: Value, busy: impl Future<Output = ()>) {
        let interrupt = async {
            busy.await;
            self.cancel.cancel();
        };
        let both = futures::future::join(self.call(set, tool, args), interrupt);
        let both = tokio::time::timeout(std::time::Duration::from_mins(2), both);
        let (outcome, ()) = both.await.unwrap_or_else(|_| panic!("{} ends", self.what));
        let told = join_text(&outcome.content);
        assert!(outcome.is_error, "{}: {told}", self.what);
        assert!(told.to_lowercase().contains("interrupted"), "{}: {told}", self.what);
    }

    /// The command 1, as the session has it.
    async fn job(&self) -> u32 {
        let (set, tool, args) = ("pi", "job", json!({"action": "start", "command": PRINTS, "wait": 0}));
        let call = ToolCall { id: "j".into(), name: tool.into(), arguments: args, thought_signature: None };
        let go = CancellationToken::new();
        let made = tools::execute(&Registry::of(set), &self.context, &call, go, Arc::new(|_| {})).await;
        assert!(!made.is_error, "{made:?}");
        pid(&self.at("pid")).await
    }
}

async fn asked(semaphore: &Semaphore) {
    semaphore.acquire().await.unwrap().forget();
}

/// One row.
async fn interrupt(set: &str, tool: &str, busy: Busy, args: Value) {
    let what = format!("{set} {tool} {busy:?} {args}");
    let slow = if busy == Busy::Looking { Slow::Looking } else { Slow::Nowhere };
    let bench = Bench::new(what.clone(), slow, Mode::Full);
    let before = bench.files();
    match busy {
        Busy::Command => {
            let file = bench.at("pid");
            bench.interrupted(set, tool, args, pid(&file).map(|_| ())).await;
            gone(pid(&file).await).await;
            assert!(bench.context.shared.jobs.list().is_empty(), "{what}");
            return;
        }
        Busy::Listening => {
            let pid = bench.job().await;
            bench.interrupted(set, tool, args, asked(&bench.heard)).await;
            assert!(lives(pid) && bench.context.shared.jobs.get(1).is_some(), "{what}");
            bench.context.shared.jobs.end_own(std::time::Duration::from_secs(3)).await;
            return gone(pid).await;
        }
        Busy::Ending => {
            let pid = bench.job().await;
            let busy = until("it is asked to end", || bench.at("asked").exists());
            bench.interrupted(set, tool, args, busy).await;
            return gone(pid).await;
        }
        Busy::Looking => bench.interrupted(set, tool, args, bench.place.begun()).await,
        Busy::Port => bench.interrupted(set, tool, args, asked(&bench.silent.asked)).await,
        Busy::Nothing => {
            bench.cancel.cancel();
            bench.interrupted(set, tool, args, std::future::ready(())).await;
        }
        Busy::File => {
            let go = CancellationToken::new();
            let (files, env) = (&bench.context.shared.files, &*bench.place);
            let turns = ["a.txt", "n.ipynb"].map(|name| (bench.at(name), &go)).map(|(path, go)| async move {
                files.lock_file(env, &path, go).await.expect("nobody else has it")
            });
            let _turns = join_all(turns).await;
            bench.interrupted(set, tool, args.clone(), std::future::ready(())).await;
            // Once more, in the middle of writing.
            let bench = Bench::new(what.clone(), Slow::Writing, Mode::Full);
            let before = bench.files();
            bench.interrupted(set, tool, args, bench.place.begun()).await;
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
        interrupt(set, tool, busy, args).await;
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
                let bench = Bench::new(format!("{} {name}", set.id), Slow::Nowhere, Mode::Untrusted);
                let before = bench.files();
                bench.interrupted(set.id, &name, args, asked(&bench.silent.asked)).await;
                assert_eq!(bench.files(), before, "{} {name}", set.id);
            }
        }
    }
    assert!(tried > 15, "{tried}");
}

/// Tools that read a file or change one.
const OF_FILES: [Kind; 6] =
    [Kind::Read, Kind::ReadMany, Kind::ViewImage, Kind::Edit, Kind::Write, Kind::Patch];

/// What would never come to an end is not begun.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_tools_reject_named_pipes() {
    let mut tried = 0;
    for set in SETS {
        for tool in set.tools {
            if !OF_FILES.contains(&tool.kind()) {
                continue;
            }
            let name = tool.spec().name;
            let bench = Bench::new(format!("{} {name}", set.id), Slow::Nowhere, Mode::Full);
            for pipe in ["a.txt", "n.ipynb"].map(|name| bench.at(name)) {
                std::fs::remove_file(&pipe).unwrap();
                assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
            }
            let call = bench.call(set.id, &name, rows(set.id, &name).remove(0).1);
            let outcome = tokio::time::timeout(std::time::Duration::from_mins(2), call).await;
            let outcome = outcome.unwrap_or_else(|_| panic!("{} {name} waits for a pipe", set.id));
            assert!(outcome.is_error, "{} {name}: {outcome:?}", set.id);
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}
