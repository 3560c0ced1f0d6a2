//! A headless Chromium that is asked by its own protocol: one page, over two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

pub struct Browser {
    child: Child,
    asks: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Of the one page; empty before there is one.
    page: String,
    last_request_id: u64,
    /// What was told without being asked, oldest first: `method` and `params`.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// A browser with an empty page; `None` where no Chromium is installed.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub fn start() -> Option<Self> {
        let named = ["chromium", "chromium-browser", "google-chrome"].into_iter();
        let Some(program) = named.map(|name| Path::new("/usr/bin").join(name)).find(|path| path.exists())
        else {
            eprintln!("skipped: no Chromium in /usr/bin that could open the page");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The protocol's pipes are descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 1>/dev/null"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--window-size=1280,800", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let asks = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let (page, events) = (String::new(), Vec::new());
        let mut browser =
            Self { child, asks, output: answers, page, last_request_id: 0, events, _profile: profile };
        let target = browser.ask("Target.createTarget", &json!({"url": "about:blank"}));
        let way = json!({"targetId": target["targetId"], "flatten": true});
        browser.page = browser.ask("Target.attachToTarget", &way)["sessionId"].as_str().unwrap().to_string();
        for part in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{part}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// The answer to a command of the protocol; a refusal fails the test.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_request_id += 1;
        let mut message = json!({"id": self.last_request_id, "method": method, "params": params});
        if !self.page.is_empty() {
            message["sessionId"] = json!(self.page);
        }
        self.asks.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let heard = self.receive();
            if heard["id"] == self.last_request_id {
                assert!(heard["error"].is_null(), "{method}: {}", heard["error"]);
                return heard["result"].clone();
            }
            self.events.push(heard);
        }
    }

    fn receive(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Opens a file and waits until it is there with all that belongs to it.
    pub fn open(&mut self, file: &Path) {
        // The empty page's own end of loading may come late, so the document is asked for by its name.
        self.ask("Page.setLifecycleEventsEnabled", &json!({"enabled": true}));
        let way = json!({"url": format!("file://{}", file.display())});
        let document = self.ask("Page.navigate", &way)["loaderId"].clone();
        let loaded = |event: &Value| {
            let told = &event["params"];
            event["method"] == "Page.lifecycleEvent" && told["name"] == "load" && told["loaderId"] == document
        };
        while !self.events.iter().any(loaded) {
            let heard = self.receive();
            self.events.push(heard);
        }
        self.wait_for_render();
    }

    /// Waits until what was done is on the screen: what is not drawn yet has no text to be read
    /// (`content-visibility`), and a click goes where things stood in the last frame.
    fn wait_for_render(&mut self) {
        const FRAMES: &str = "new Promise(done => { let left = 3; \
             const frame = () => left-- ? requestAnimationFrame(frame) : done(true); frame(); })";
        assert_eq!(self.evaluate(FRAMES), true);
    }

    /// What an expression of the page's language gives, a promise's value included.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", &params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// A key or two, as a user presses them.
    pub fn press(&mut self, key: &str, code: i32) {
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" && key == "Enter" { "\r" } else { "" };
            let params =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.ask("Input.dispatchKeyEvent", &params);
        }
        self.wait_for_render();
    }

    /// A click in the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let it = format!("document.querySelector({selector:?})");
        self.evaluate(&format!("{it}.scrollIntoView()"));
        self.wait_for_render();
        let place = self.evaluate(&format!(
            "(box => [box.x + box.width / 2, box.y + box.height / 2])({it}.getBoundingClientRect())"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", &params);
        }
        self.wait_for_render();
    }

    /// What the page tried to get from elsewhere, and what it complained of.
    pub fn page_errors(&self) -> Vec<String> {
        let complained = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled") => true,
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                !url.starts_with("file://") && !url.starts_with("data:")
            }
            _ => false,
        };
        self.events.iter().filter(complained).map(ToString::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().expect("an own child can be ended");
        self.child.wait().expect("an own child can be waited for");
    }
}
