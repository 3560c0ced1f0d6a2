//! Logins, logouts and lists of models: the session does the work, the person is asked by events.

use std::time::Duration;

use nucleo::Injector;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::panics::catch_async;
use crate::exec::{CommandSpec, Exit};
use crate::ide::core::event::Event;
use crate::ide::core::overlay::{Pick, PickRow, push};
use crate::ide::features::login::work::{Happened, Work};
use crate::ide::shell::worker::{Worker, failed, filled, report, send};
use crate::runtime::Handle;
use crate::runtime::login::Choice;

/// Things that a login says before anybody hears the first.
const SAID_MAX: usize = 32;
/// How long it may take until a browser is asked.
const OPEN_MAX: Duration = Duration::from_secs(20);

impl Worker {
    /// Starts one piece of work.
    pub(super) fn access(&self, work: Work) {
        let Some(session) = self.session.clone() else {
            if let Work::Providers(_, picker, _) = work {
                self.task(filled(picker), async move { Event::Filled(picker) });
            }
            return;
        };
        match work {
            Work::LookAgain => {
                let (events, running) = (self.events.clone(), self.tasks.running());
                self.tasks.detach(async move {
                    let work = async {
                        // Files first: servers may take their time.
                        let looked = session.look_again(false).await;
                        looked.and(session.freshen_models().await)
                    };
                    let looked = catch_async(work).await;
                    if let Err(report) = looked.unwrap_or_else(|why| Err(report("look for models")(why))) {
                        send(&events, Event::Failed(report.to_string())).await;
                    }
                    drop(running);
                });
            }
            Work::Refresh => {
                let lost =
                    |why| Event::Access(Happened::Refreshed(Err(report("refresh the list of models")(why))));
                self.task(lost, async move {
                    Event::Access(Happened::Refreshed(session.refresh_models(None).await))
                });
            }
            Work::Providers(injector, picker, kept) => {
                let events = self.events.clone();
                self.task(filled(picker), async move {
                    match session.logins().await {
                        Ok(choices) => fill(&injector, choices, kept),
                        Err(report) => send(&events, Event::Failed(report.to_string())).await,
                    }
                    Event::Filled(picker)
                });
            }
            Work::Login(provider, number, cancel) => self.log_in(session, provider, number, cancel),
            Work::Logout(provider, name) => {
                let of = name.clone();
                let lost = move |why| Event::Access(Happened::Out(of, Err(report("log out")(why))));
                self.task(lost, async move {
                    Event::Access(Happened::Out(name, session.logout(&provider).await))
                });
            }
            Work::Open(page) => self.open_page(&page),
        }
    }

    /// Waits for a person, so it does not count as work that will end by itself.
    fn log_in(&self, session: Handle, provider: String, number: u64, cancel: CancellationToken) {
        let events = self.events.clone();
        self.tasks.detach(async move {
            let (sender, mut heard) = mpsc::channel(SAID_MAX);
            let login = catch_async(session.login(&provider, sender));
            tokio::pin!(login);
            loop {
                let happened = tokio::select! {
                    biased;
                    () = cancel.cancelled() => return,
                    Some(said) = heard.recv() => Happened::Said(number, said),
                    done = &mut login => {
                        let done = done.unwrap_or_else(|why| Err(report("log in")(why)));
                        let done = Happened::Done(number, provider.clone(), done);
                        return send(&events, Event::Access(done)).await;
                    }
                };
                send(&events, Event::Access(happened)).await;
            }
        });
    }

    /// Only what is an address of the web is handed to the system.
    fn open_page(&self, page: &str) {
        let plain = |c: char| c.is_ascii_graphic() && !"'\"\\`$<>".contains(c);
        let is_web = page.starts_with("https://") || page.starts_with("http://");
        if !is_web || !page.chars().all(plain) {
            return self.task(failed("open the page"), async {
                Event::Failed("this is no address of the web".to_string())
            });
        }
        let env = self.env.clone();
        // The browser must not end with the command that brings it up.
        let (opener, apart) =
            if cfg!(target_os = "macos") { ("open", "") } else { ("xdg-open", "setsid -f ") };
        let script =
            format!("command -v {opener} >/dev/null && {apart}{opener} '{page}' </dev/null >/dev/null 2>&1");
        self.task(failed("open the page"), async move {
            let (cwd, env_vars) = (env.root().to_path_buf(), std::collections::BTreeMap::default());
            let command = CommandSpec { script, cwd, timeout: Some(OPEN_MAX), env: env_vars };
            let cancel = CancellationToken::new();
            let ran = env.filter(command, Vec::new(), Box::new(|_| {}), Box::new(|_| {}), cancel).await;
            match ran {
                Ok(Exit::Code(0)) => Event::Access(Happened::Opened),
                _ => Event::Failed(format!("{opener} could not open the page; copy the link (Alt-c)")),
            }
        });
    }
}

fn fill(injector: &Injector<PickRow>, choices: Vec<Choice>, kept: bool) {
    for choice in choices.into_iter().filter(|choice| !kept || !choice.kept.is_empty()) {
        let detail = if choice.kept.is_empty() { String::new() } else { format!("{} kept", choice.kept) };
        let text = format!("{}  {}", choice.name, choice.id);
        push(injector, PickRow { text, detail, pick: Pick::Provider { id: choice.id, name: choice.name } });
    }
}
