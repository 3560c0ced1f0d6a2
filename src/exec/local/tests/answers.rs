//! Files that never answer: every access has a limit.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::{PROMPT, here};
use crate::exec::local::LocalEnvironment;
use crate::exec::{EnvError, Environment};

#[tokio::test]
async fn local_read_of_hung_file_times_out() {
    let (_hold, never) = mpsc::channel::<()>();
    let work = move |_: &Path| {
        let _ = never.recv();
        Ok(())
    };
    let limit = Duration::from_millis(1500);
    let error = LocalEnvironment::with_timeout(limit, Path::new("/mnt/hung"), work).await.unwrap_err();
    assert_eq!(error.to_string(), "/mnt/hung: no answer for 1 s; the file or its file system may hang");
}

#[test]
fn local_every_access_to_hung_file_times_out() {
    let (_folder, mut env) = here();
    env.io_timeout = Duration::from_millis(20);
    // The only thread for files hangs.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().max_blocking_threads(1).build().unwrap();
    let (hold, never) = mpsc::channel::<()>();
    runtime.spawn_blocking(move || never.recv());
    let path = env.root().join("a.txt");
    let no_answer = |what: &str, error: Option<EnvError>| {
        assert!(matches!(error, Some(EnvError::NoAnswer(..))), "{what}: {error:?}");
    };
    runtime.block_on(async {
        let stopped = tokio::time::timeout(PROMPT, async {
            no_answer("resolve", env.resolve(&path).await.err());
            no_answer("stat", env.stat(&path).await.err());
            no_answer("hard_link", env.hard_link(&path).await.err());
            no_answer("list", env.list(&path).await.err());
            no_answer("read", env.read(&path).await.err());
            no_answer("read_pieces", env.read_pieces(&path, Box::new(|_| true)).await.err());
            no_answer("write", env.write(&path, Vec::new(), None).await.err());
            no_answer("remove", env.remove(&path, None).await.err());
        });
        assert!(stopped.await.is_ok(), "an access waits for good");
    });
    drop(hold);
}

#[tokio::test]
async fn local_progressing_work_may_exceed_limit() {
    let limit = Duration::from_secs(1);
    let work = move |_: &Path, steps: &AtomicUsize| {
        let begun = std::time::Instant::now();
        while begun.elapsed() < limit * 5 / 2 {
            steps.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(limit / 50);
        }
        Ok(())
    };
    LocalEnvironment::with_progress_timeout(limit, Path::new("/big"), work).await.unwrap();
}
