//! Jobs with a real shell.

use super::*;
use crate::exec::LocalEnvironment;
use crate::tools::AgentToolState;
use crate::tools::running::{CommandEnd, LaunchRequest, start};

struct Bench {
    folder: tempfile::TempDir,
    env: LocalEnvironment,
    shared: AgentToolState,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let vars = [("PATH".into(), "/usr/bin:/bin".into())];
        let env = LocalEnvironment::new(folder.path().to_path_buf(), vars);
        let shared = AgentToolState::new(folder.path().join("artifacts"));
        Self { folder, env, shared }
    }

    async fn live(&self, script: &str, fed: bool, terminal: bool) -> RunningCommand {
        let folder = self.folder.path().to_path_buf();
        let wanted = LaunchRequest {
            script: script.into(),
            folder,
            has_stdin: fed,
            terminal,
            tool: "bash",
            ..LaunchRequest::default()
        };
        start(&self.env, &self.shared.artifacts, wanted).await.unwrap()
    }

    async fn add(&self, script: &str) -> Arc<Job> {
        self.shared.jobs.add(script, self.live(script, true, false).await, &go()).unwrap()
    }
}

/// A call that is not interrupted.
fn go() -> CancellationToken {
    CancellationToken::new()
}

/// All that was printed and not yet taken.
fn text(live: &RunningCommand) -> String {
    live.take_output().last_lines().text
}

/// Waits until what was printed holds a text.
async fn hear(live: &RunningCommand, wanted: &str) -> String {
    let mut all = String::new();
    while all.is_empty() || !all.contains(wanted) {
        live.wait_for_output().await;
        all.push_str(&text(live));
    }
    all
}

fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    stat.is_ok_and(|stat| !stat.rsplit(") ").next().unwrap_or("Z").starts_with(['Z', 'X']))
}

async fn gone(pid: &str) {
    while lives(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn job_stdin_output_and_stop() {
    let bench = Bench::new();
    let job = bench.add("while read -r line; do echo \"<$line>\"; done; echo over").await;
    assert_eq!((job.number, job.live.end()), (1, None));
    job.live.feed("one\n").await.unwrap();
    assert!(hear(&job.live, "<one>").await.contains("<one>"));
    job.live.feed("two\n").await.unwrap();
    assert!(!hear(&job.live, "<two>").await.contains("one"), "what was heard is not heard again");
    assert_eq!(job.live.stop().await, CommandEnd::Stopped);
    assert!(job.live.feed("three\n").await.is_err());
    assert_eq!(bench.shared.jobs.list().len(), 1);
    bench.shared.jobs.forget(1);
    assert!(bench.shared.jobs.get(1).is_none());
}

#[tokio::test]
async fn job_streams_stay_ordered_and_colorless() {
    let bench = Bench::new();
    let script = "echo a; echo b >&2; echo c; echo d >&2; echo $TERM $NO_COLOR $PAGER $GIT_PAGER";
    let live = bench.live(script, false, false).await;
    assert_eq!(live.wait_for_end().await, CommandEnd::Code(0));
    assert_eq!(text(&live), "a\nb\nc\nd\ndumb 1 cat cat");
}

#[tokio::test]
async fn job_tty_only_when_requested() {
    let bench = Bench::new();
    let live =
        bench.live("tty; stty size; printf 'name? '; read -r name; echo \"hello $name\"", true, true).await;
    live.feed("you\n").await.unwrap();
    assert_eq!(live.wait_for_end().await, CommandEnd::Code(0));
    let said = text(&live);
    assert!(said.contains("/dev/") && said.contains("50 200") && said.ends_with("hello you"), "{said}");
    let live = bench.live("tty; exit 4", false, false).await;
    assert_eq!((live.wait_for_end().await, text(&live).as_str()), (CommandEnd::Code(4), "not a tty"));
}

#[tokio::test]
async fn job_ignoring_sigterm_is_killed() {
    let bench = Bench::new();
    for terminal in [false, true] {
        let script = "trap '' TERM HUP; echo $$; while :; do sleep 0.05; done";
        let live = bench.live(script, false, terminal).await;
        let pid = hear(&live, "").await;
        let started = std::time::Instant::now();
        assert_eq!(live.stop().await, CommandEnd::Stopped);
        assert!(started.elapsed() >= Duration::from_secs(2) && !lives(&pid), "{pid}");
    }
}

#[tokio::test]
async fn job_background_children_end_with_session() {
    let bench = Bench::new();
    for script in ["sleep 600 & echo $!", "sleep 600 > /dev/null 2>&1 & echo $!"] {
        let live = bench.live(script, false, false).await;
        assert_eq!(live.wait_for_end().await, CommandEnd::Code(0));
        let pid = text(&live);
        assert_eq!(live.leftovers(), [pid.parse::<u32>().unwrap()]);
        bench.shared.jobs.keep_leftovers(live);
        assert!(lives(&pid));
        bench.shared.jobs.end_all(Duration::from_secs(30)).await;
        assert!(!lives(&pid));
    }
}

#[tokio::test]
async fn job_processes_end_with_session() {
    let bench = Bench::new();
    let mut pids = Vec::new();
    for script in [
        "echo $$; exec sleep 600",
        "sleep 600 & echo $!; wait",
        "trap '' TERM; echo $$; while :; do sleep 0.1; done",
    ] {
        let job = bench.add(script).await;
        job.live.wait_for_output().await;
        pids.push(text(&job.live));
    }
    let left = bench.live("sleep 600 & echo $!", false, false).await;
    left.wait_for_end().await;
    pids.push(text(&left));
    bench.shared.jobs.keep_leftovers(left);
    assert!(pids.iter().all(|pid| lives(pid)), "{pids:?}");
    drop(bench.shared);
    for pid in &pids {
        gone(pid).await;
    }
}

#[tokio::test]
async fn job_limit_counts_only_running_jobs() {
    let bench = Bench::new();
    for _ in 0..LIVE_MAX {
        bench.add("read -r line").await;
    }
    let one_more = bench.live("read -r line", true, false).await;
    assert_eq!(
        bench.shared.jobs.add("x", one_more, &go()).unwrap_err().to_string(),
        "64 commands run already; end one of them first"
    );
    let first = bench.shared.jobs.get(1).unwrap();
    first.live.feed("\n").await.unwrap();
    assert_eq!(first.live.wait_for_end().await, CommandEnd::Code(0));
    assert_eq!(bench.add("true").await.number, 65);
    assert_eq!(bench.shared.jobs.list().len(), 65);
    bench.shared.jobs.end_all(Duration::from_mins(1)).await;
    assert!(bench.shared.jobs.list().is_empty());
}

#[tokio::test]
async fn job_output_flood_is_bounded() {
    let bench = Bench::new();
    let live = bench.live("yes 0123456789 | head -c 30000000", false, false).await;
    assert_eq!(live.wait_for_end().await, CommandEnd::Code(0));
    let output = live.take_output();
    assert_eq!(output.bytes, 30_000_000);
    let end = output.last_lines();
    assert!(end.full_text.is_none() && end.text.len() <= 51_200);
    assert_eq!(std::fs::metadata(end.kept.unwrap().path).unwrap().len(), 30_000_000);
}

#[tokio::test]
async fn job_subagent_ends_only_its_own() {
    let bench = Bench::new();
    let twin = bench.shared.jobs.for_subagent();
    let ours = bench.add("exec sleep 600").await;
    let script = "trap 'echo asked' TERM; echo $$; while :; do sleep 0.05; done";
    let theirs = twin.add(script, bench.live(script, true, false).await, &go()).unwrap();
    assert_eq!((ours.number, theirs.number), (1, 2), "numbers are everybody's");
    assert!(bench.shared.jobs.get(2).is_some());
    let pid = hear(&theirs.live, "").await;
    let left = bench.live("sleep 600 > /dev/null 2>&1 & echo $!", false, false).await;
    left.wait_for_end().await;
    let behind = text(&left);
    twin.keep_leftovers(left);
    let started = std::time::Instant::now();
    twin.end_own(Duration::from_mins(1)).await;
    assert!(started.elapsed() >= Duration::from_secs(2), "it was asked first");
    assert!(text(&theirs.live).contains("asked"));
    assert!(!lives(&pid) && !lives(&behind));
    assert_eq!(ours.live.end(), None);
    assert!(twin.get(2).is_none() && twin.get(1).is_some());
}

#[tokio::test]
async fn job_of_interrupted_call_is_not_kept() {
    let bench = Bench::new();
    let live = bench.live("echo $$; exec sleep 600", false, false).await;
    let pid = hear(&live, "").await;
    let cancel = go();
    cancel.cancel();
    assert_eq!(bench.shared.jobs.add("x", live, &cancel).unwrap_err(), JobRefused::Interrupted);
    gone(&pid).await;
    assert!(bench.shared.jobs.list().is_empty());
}

#[tokio::test]
async fn published_job_is_watched_to_its_end_without_keeping_the_command() {
    let bench = Bench::new();
    let mut list = bench.shared.jobs.published().watch();
    assert!(list.borrow_and_update().jobs.is_empty());
    let job = bench.add("read line; echo \"heard $line\"; exit 4").await;
    list.changed().await.unwrap();
    let watched = list.borrow_and_update().jobs[0].clone();
    assert_eq!((watched.key, watched.number, watched.end()), (1, 1, None));
    assert_eq!(watched.folder, bench.folder.path());
    let mut output = watched.output();
    job.live.feed("me\n").await.unwrap();
    let part = output.next().await.unwrap();
    assert_eq!((part.is_cut, part.bytes), (false, b"heard me\n".to_vec()));
    assert_eq!(output.next().await, None, "all was read, and it has ended");
    assert_eq!(watched.wait_for_end().await, CommandEnd::Code(4));
    assert_eq!(text(&job.live), "heard me", "the agent reads the same on its own");
    assert_eq!(Arc::strong_count(&job), 2, "the table and this test");
    assert!(watched.elapsed().is_some());
}

#[tokio::test]
async fn published_job_that_is_stopped_is_stopped_for_the_agent() {
    let bench = Bench::new();
    let job = bench.add("sleep 60").await;
    let watched = bench.shared.jobs.published().watch().borrow().jobs[0].clone();
    watched.stop();
    assert_eq!(job.live.wait_for_end().await, CommandEnd::Stopped);
    assert_eq!(watched.end(), Some(CommandEnd::Stopped));
}

#[tokio::test]
async fn published_job_whose_command_is_dropped_counts_as_stopped() {
    let bench = Bench::new();
    let job = bench.add("sleep 60").await;
    let watched = bench.shared.jobs.published().watch().borrow().jobs[0].clone();
    drop(job);
    bench.shared.jobs.forget(1);
    assert_eq!(watched.wait_for_end().await, CommandEnd::Stopped);
    assert_eq!(watched.output().next().await, None);
}

#[tokio::test]
async fn published_jobs_go_on_in_the_next_table_and_forget_the_oldest_ended() {
    let bench = Bench::new();
    let running = bench.add("sleep 60").await;
    for _ in 0..12 {
        bench.add("true").await.live.wait_for_end().await;
    }
    let next = Jobs::published_in(bench.shared.jobs.published().clone());
    let job = next.add("sleep 60", bench.live("sleep 60", false, false).await, &go()).unwrap();
    assert_eq!(job.number, 1, "numbers begin again");
    let keys: Vec<u64> =
        bench.shared.jobs.published().watch().borrow().jobs.iter().map(|job| job.key).collect();
    assert_eq!(keys, [1, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    assert_eq!(next.for_subagent().published().watch().borrow().jobs.len(), 10);
    assert_eq!(running.live.end(), None);
}
