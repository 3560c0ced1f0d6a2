//! Starts the tasks of terminals and passes on what they are asked for.

use std::collections::HashMap;

use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use crate::base::panics::catch_async;
use crate::ide::core::event::Event;
use crate::ide::features::terminal::job::Job;
use crate::ide::features::terminal::work::{Ask, Happening, TerminalId, Then, Work};
use crate::ide::shell::worker::{Worker, failed, send};

/// What a terminal may be asked for before it has answered anything.
const ASKS_MAX: usize = 1024;

/// The terminals that there are.
#[derive(Default)]
pub(super) struct Terminals {
    asks: HashMap<TerminalId, mpsc::Sender<Ask>>,
    running: TaskTracker,
}

impl Worker {
    /// Does one piece of work for terminals.
    pub(super) fn terminal(&mut self, work: Work) {
        match work {
            Work::Open(id, cols, rows) => {
                let (sender, asks) = mpsc::channel(ASKS_MAX);
                let job = Job::new(id, (cols, rows), self.env.clone(), asks, self.events.clone());
                self.terminals.asks.insert(id, sender);
                let (events, fault) = (self.events.clone(), self.tasks.next_fault());
                let run = async move {
                    let work = async move {
                        fault.strike();
                        job.run().await;
                    };
                    if let Err(why) = Box::pin(catch_async(work)).await {
                        send(&events, Event::Terminal(Happening::Failed(id, why.to_string()))).await;
                    }
                };
                self.tasks.detach(self.terminals.running.track_future(run));
            }
            Work::Ask(id, ask) => {
                let Some(sender) = self.terminals.asks.get(&id) else { return };
                if sender.try_send(ask).is_err() {
                    self.task(failed("write to the terminal"), async move {
                        Event::Terminal(Happening::Full(id))
                    });
                }
            }
            // Its task ends when nobody can ask it for anything.
            Work::Close(id) => drop(self.terminals.asks.remove(&id)),
            Work::Busy(ids, then) => self.find_busy(&ids, then),
        }
    }

    fn find_busy(&self, ids: &[TerminalId], then: Then) {
        let asks = ids.iter().filter_map(|id| Some((*id, self.terminals.asks.get(id)?.clone())));
        let asks: Vec<_> = asks.collect();
        self.task(failed("ask the terminals"), async move {
            let mut busy = Vec::new();
            for (id, ask) in asks {
                let (reply, answer) = oneshot::channel();
                // One that has ended meanwhile has nothing to say.
                if ask.send(Ask::Busy(reply)).await.is_ok()
                    && let Ok(Some(program)) = answer.await
                {
                    busy.push((id, program));
                }
            }
            Event::Terminal(Happening::Busy(busy, then))
        });
    }

    /// Ends every terminal and what runs in it; done once all are gone.
    pub(in crate::ide) fn end_terminals(&mut self) -> impl Future<Output = ()> + use<> {
        self.terminals.asks.clear();
        let running = self.terminals.running.clone();
        running.close();
        async move { running.wait().await }
    }
}
