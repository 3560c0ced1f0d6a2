//! Every scenario of somebody else's mock, played to the whole program's library over each wire
//! that the mock speaks, and to `bowline -p` as a process.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::llm::client::Client;
use bowline::llm::generate::{Callable, OnRetry, Options, Outcome, generate};
use bowline::llm::model::{ErrorKind, LlmError, Message, Part, Request, StopReason, ToolSpec, UserMessage};
use bowline::llm::retry::Policy;
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use serde_json::{Value, json};

use crate::mockllm::{adapter, request};
use crate::support::mock_llm::{Mock, scenario_name, scenarios};

/// The wires that it speaks, and one dialect of each.
const WIRES: [&str; 4] =
    ["anthropic-messages", "openai-responses", "openai-completions", "google-generative-ai"];

/// A tool with a fixed answer.
struct FixedTool(&'static str, Value, &'static str);

impl Callable for FixedTool {
    fn spec(&self) -> ToolSpec {
        let words: Vec<&String> = self.1.as_object().unwrap().keys().collect();
        let parameters = json!({"type": "object", "properties": self.1, "required": words});
        ToolSpec { name: self.0.into(), description: self.0.into(), parameters, ..ToolSpec::default() }
    }

    fn call(&self, arguments: Value) -> BoxFuture<'_, Result<Vec<Part>, String>> {
        let fails = arguments["command"].as_str().is_some_and(|command| command.contains("exit 3"));
        let gives = if fails { Err("exit code 3".into()) } else { Ok(vec![Part::text(self.2)]) };
        futures::future::ready(gives).boxed()
    }
}

struct ScenarioClient {
    api: &'static str,
    client: Client,
    /// What was retried.
    retried: Arc<Mutex<Vec<ErrorKind>>>,
    _mock: Mock,
}

impl ScenarioClient {
    fn new(api: &'static str, scenario: &str) -> Self {
        let mock = Mock::for_scenario(scenario).expect("it is there: it named the scenario");
        let mut client = Client::new();
        client.register(adapter(api, &mock.url), Vec::new());
        Self { api, client, retried: Arc::default(), _mock: mock }
    }

    /// Asks with tools that answer at once; a failed call is repeated up to five times.
    async fn ask(&self, text: &str) -> Result<Outcome, LlmError> {
        let word = || json!({"type": "string"});
        let tools: Vec<Arc<dyn Callable>> = vec![
            Arc::new(FixedTool("read", json!({"path": word()}), "Hello, world!\n")),
            Arc::new(FixedTool(
                "edit",
                json!({"path": word(), "oldText": word(), "newText": word()}),
                "edited",
            )),
            Arc::new(FixedTool("bash", json!({"command": word()}), "ok")),
        ];
        let policy = Policy { base: Duration::from_millis(1), ..Policy::default() };
        let retried = self.retried.clone();
        let on_retry: OnRetry = Arc::new(move |error, _| retried.lock().unwrap().push(error.kind));
        let on_retry = Some(on_retry);
        let messages = vec![Message::User(UserMessage::text(text, 0))];
        let wish = Request { messages, tools: Vec::new(), ..request(self.api) };
        generate(&self.client, wish, Options { tools, policy, on_retry, ..Options::default() }).await
    }

    async fn ask_text(&self, text: &str) -> String {
        self.ask(text).await.unwrap_or_else(|error| panic!("{}: {error}", self.api)).message.text()
    }
}

async fn run_scenario(api: &'static str, scenario: &str) {
    let play = ScenarioClient::new(api, scenario);
    match scenario_name(scenario) {
        "code-task" => {
            let outcome = play.ask("change the greeting").await.unwrap();
            assert!(outcome.message.text().starts_with("Done: hello.txt now greets the mock. ✅"), "{api}");
            assert_eq!(outcome.added.len(), 7, "{api}: three rounds of one call");
        }
        "stress" => assert!(play.ask_text("go").await.len() > 40_000, "{api}"),
        "hello" => {
            let message = play.ask("hi").await.unwrap().message;
            let text = message.text();
            assert!(text.contains("Ünïcödé, 世界, 👋🏽") && text.contains("println!"), "{api}: {text}");
            let usage = &message.usage;
            assert_eq!(usage.input + usage.cache_read + usage.cache_write, 1200, "{api}: {usage:?}");
            assert_eq!((usage.output, usage.cache_read), (80, 800), "{api}: {usage:?}");
        }
        "parallel-tools" => {
            let outcome = play.ask("look").await.unwrap();
            assert_eq!(outcome.message.text(), "All rounds done.", "{api}");
            let failed = outcome.added.iter().filter(|m| matches!(m, Message::ToolResult(r) if r.is_error));
            assert_eq!(failed.count(), 3, "{api}: what fails, what is unknown, what is no JSON");
        }
        "flaky" => {
            let last = play.ask("hi").await.unwrap_err().kind;
            assert!(matches!(last, ErrorKind::Server | ErrorKind::Stream), "{api}: {last:?}");
            let retried = std::mem::take(&mut *play.retried.lock().unwrap());
            assert_eq!(retried.len(), 5, "{api}: {retried:?}");
            assert_eq!(retried[3..], [ErrorKind::Stream; 2], "{api}: what was cut off is retried, too");
            assert_eq!(play.ask_text("hi").await, "Recovered.", "{api}");
        }
        "context-overflow" => {
            let error = play.ask("hi").await.unwrap_err();
            assert_eq!(error.kind, ErrorKind::ContextLength, "{api}: {error}");
            assert!(play.ask_text("shorter").await.starts_with("Summary: "), "{api}");
            assert_eq!(play.ask_text("go on").await, "Continuing after the summary.", "{api}");
        }
        "hostile-stream" => check_hostile_scenario(&play).await,
        "named-tools" => {
            // Google's results are objects, and this mock says them as they are.
            let text = play.ask_text("read the greeting").await;
            assert!(text.starts_with("The file says:\n") && text.contains("Hello, world!"), "{api}: {text}");
        }
        other => panic!("nobody has said what {other} must give"),
    }
}

async fn check_hostile_scenario(play: &ScenarioClient) {
    let api = play.api;
    let odd = "Grüße, 世界! 👩‍👩‍👧‍👦 e\u{301} \u{202e}RTL\u{202c} \u{1b}[31mred\u{1b}[0m \u{7} done.";
    assert_eq!(play.ask_text("bytes").await, odd, "{api}");
    assert_eq!(play.ask_text("slow").await, "Still here.", "{api}");
    assert_eq!(play.ask_text("three at a time, a call, and then much").await, "x".repeat(4_000_000), "{api}");
    assert_eq!(play.ask_text("a stall").await, "Wait for it.", "{api}");
    let message = play.ask("no JSON, then cut, then the limit").await.unwrap().message;
    assert_eq!(*play.retried.lock().unwrap(), [ErrorKind::Stream; 2], "{api}");
    assert_eq!(
        (message.text().as_str(), message.stop_reason),
        ("Cut off by the", StopReason::Length),
        "{api}"
    );
}

/// The scenarios one by one, the wires of each at once: two of them wait for seconds.
#[tokio::test]
async fn mock_scenarios_pass_over_every_wire() {
    for scenario in scenarios() {
        join_all(WIRES.map(|api| run_scenario(api, &scenario))).await;
    }
}

/// Runs `bowline -p` in a home of its own; what it said, and whether it worked.
async fn check_bowline(home: &Path, url: &str, api: &str, args: &[&str]) -> (bool, String, String) {
    let root = if api.starts_with("google") { format!("{url}/v1beta") } else { format!("{url}/v1") };
    let models = json!([{"id": "m", "reasoning": true, "input": ["text", "image"]}]);
    let row = json!({"baseUrl": root, "apiKey": "secret", "api": api, "models": models});
    std::fs::create_dir_all(home.join("home/config")).unwrap();
    std::fs::write(home.join("home/config/models.json"), json!({"providers": {"mock": row}}).to_string())
        .unwrap();
    std::fs::write(home.join("home/config/settings.toml"), "retry-wait-max = 1\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
    command.args(["-p", "--provider", "mock", "--model", "m"]).args(args);
    command.current_dir(home.join("work")).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("BOWLINE_HOME", home.join("home")).stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

async fn run_print(api: &'static str, scenario: &str) {
    let mock = Mock::for_scenario(scenario).expect("it is there: it named the scenario");
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("work")).unwrap();
    let file = dir.path().join("work/hello.txt");
    std::fs::write(&file, "Hello, world!\n").unwrap();
    let ask = async |args: &[&str]| check_bowline(dir.path(), &mock.url, api, args).await;
    let good = async |text: &str| {
        let (good, out, err) = ask(&[text]).await;
        assert!(good, "{api} {scenario}: {out}{err}");
        out
    };
    match scenario_name(scenario) {
        "code-task" => {
            assert!(good("change the greeting").await.contains("now greets the mock. ✅"), "{api}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "Hello, mock!\n", "{api}");
        }
        "stress" => assert!(good("go").await.len() > 40_000, "{api}"),
        "hello" => assert!(good("hi").await.contains("Ünïcödé, 世界, 👋🏽"), "{api}"),
        "parallel-tools" => assert!(good("look").await.contains("All rounds done."), "{api}"),
        "named-tools" => assert!(good("read the greeting").await.contains("Hello, world!"), "{api}"),
        "flaky" => {
            let (good, out, err) = ask(&["hi"]).await;
            assert!(!good && !out.contains("Recovered.") && err.contains("try 5 of 5"), "{api}: {out}{err}");
            assert!(ask(&["hi"]).await.1.contains("Recovered."), "{api}: it never recovers");
        }
        "context-overflow" => {
            let (good, _, err) = ask(&["hi"]).await;
            assert!(!good && err.contains("start a new session"), "{api}: {err}");
        }
        "hostile-stream" => {
            let out = good("bytes").await;
            assert!(out.contains("Grüße, 世界! 👩‍👩‍👧‍👦"), "{api}: {out}");
            assert_eq!(good("slow").await, "Still here.\n", "{api}");
            assert!(good("a call, and much").await.contains(&"x".repeat(4_000_000)), "{api}");
            assert_eq!(good("a stall").await, "Wait for it.\n", "{api}");
            let (_, out, err) = ask(&["no JSON, then cut, then the limit"]).await;
            assert!(out.contains("Cut off by the") && err.contains("try 2 of 5"), "{api}: {out}{err}");
        }
        other => panic!("nobody has said what {other} must give"),
    }
}

#[tokio::test]
async fn mock_scenarios_pass_in_print_mode() {
    for scenario in scenarios() {
        join_all(WIRES.map(|api| run_print(api, &scenario))).await;
    }
}
