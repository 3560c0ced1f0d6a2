//! `bowline login` and `bowline logout`: login dialog on a terminal.
//!
//! Must not know providers. Keys are read without echo; all input may be piped in.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::llm::auth::oauth::LoginUi;
use crate::llm::model::{Notice, Question};
use crate::runtime::lifecycle::options::Options;
use crate::runtime::login;

/// Logs in at a provider; asks for one if none is given.
pub async fn login(options: &Options, provider: Option<&str>, talk: &dyn LoginUi) -> Result<String, Report> {
    let named = match provider {
        Some(id) => id.to_string(),
        None => ask_which(options, talk).await?,
    };
    login::login(options, &named, talk).await
}

/// Deletes the stored credentials of a provider.
pub async fn logout(options: &Options, provider: Option<&str>) -> Result<String, Report> {
    let kept: Vec<_> =
        login::choices(options)?.into_iter().filter(|choice| !choice.credential_kind.is_empty()).collect();
    let ids = kept.iter().map(|choice| choice.id.as_str()).collect::<Vec<_>>().join(", ");
    let id = match provider {
        Some(id) => id.to_string(),
        None if kept.len() == 1 => kept[0].id.clone(),
        None if kept.is_empty() => return Ok("No stored logins".to_string()),
        None => return Err(Report::new("for which provider?").hint(format!("one of {ids}"))),
    };
    let result = login::logout(options, &id).await?;
    if result.was_stored {
        return Ok(result.sentence(&id));
    }
    let report = Report::new(result.sentence(&id));
    Err(if ids.is_empty() { report } else { report.hint(format!("stored logins: {ids}")) })
}

async fn ask_which(options: &Options, talk: &dyn LoginUi) -> Result<String, Report> {
    let choices = login::choices(options)?;
    let width = choices.iter().map(|choice| choice.id.len()).max().unwrap_or_default();
    for choice in &choices {
        let kept = if choice.credential_kind.is_empty() {
            String::new()
        } else {
            format!("  ({})", choice.credential_kind)
        };
        talk.notify(Notice::Progress(format!("{:width$}  {}{kept}", choice.id, choice.name)));
    }
    let input = talk.ask(Question::Line("Provider".to_string())).await;
    let input = input.map(|input| input.trim().to_string()).filter(|input| !input.is_empty());
    input.ok_or_else(|| Report::new("no provider given; nothing changed"))
}

/// Dialog on standard input and standard error.
#[derive(Default)]
pub struct Terminal {
    echo_off: Arc<Mutex<Option<EchoOff>>>,
}

impl Terminal {
    /// Turns the terminal's echo on again when no line is being read.
    pub fn restore_echo(&self) {
        drop(self.echo_off.lock().take());
    }
}

impl LoginUi for Terminal {
    fn notify(&self, notice: Notice) {
        print_notice(&match notice {
            Notice::Page(url) => format!("Open this page in a browser:\n\n  {url}\n\n"),
            Notice::Code { code, page } => format!("Open {page}\nand type the code {code} there.\n"),
            Notice::Progress(text) => format!("{text}\n"),
        });
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Option<String>> {
        let (text, secret) = match question {
            Question::Secret(text) => (text, true),
            Question::Line(text) | Question::Pasted(text) => (text, false),
        };
        print_notice(&format!("{text}: "));
        // If the future is dropped, the thread ends with the process.
        async move {
            if secret {
                *self.echo_off.lock() = EchoOff::start();
            }
            let line = tokio::task::spawn_blocking(read_line).await.ok().flatten();
            self.restore_echo();
            line
        }
        .boxed()
    }
}

/// Writes to standard error, which is not piped; if it is closed the text is lost.
fn print_notice(text: &str) {
    std::io::stderr().write_all(visible_lines(text).as_bytes()).ok();
}

/// Reads a line; `None` at the end of the input.
fn read_line() -> Option<String> {
    let mut line = String::new();
    let count = std::io::stdin().read_line(&mut line).ok()?;
    (count > 0).then(|| line.trim_end_matches(['\n', '\r']).to_string())
}

/// Disables the terminal's echo until it is dropped.
struct EchoOff(rustix::termios::Termios);

impl EchoOff {
    fn start() -> Option<Self> {
        let input = std::io::stdin();
        if !input.is_terminal() {
            return None;
        }
        let before = tcgetattr(&input).ok()?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&input, OptionalActions::Flush, &hidden).ok()?;
        Some(Self(before))
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        if tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0).is_err() {
            tracing::warn!("the terminal's echo could not be turned on again");
        }
        print_notice("\n");
    }
}
