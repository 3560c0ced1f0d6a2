//! Log file; never the terminal.
//!
//! Must not know what is logged. `BOWLINE_LOG` is a tracing filter (default `warn`).

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

use tracing_subscriber::EnvFilter;

/// Starts logging to `state/bowline.log`, appending. A second call in a process has no effect. An invalid
/// filter falls back to `warn`.
pub fn start(state: &Path, filter: Option<&str>) -> io::Result<()> {
    fs::create_dir_all(state)?;
    let file = OpenOptions::new().create(true).append(true).open(state.join("bowline.log"))?;
    let filter = filter.and_then(|f| EnvFilter::try_new(f).ok()).unwrap_or_else(|| EnvFilter::new("warn"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(Arc::new(file))
        .finish();
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        tracing::debug!("the log was started before");
    }
    Ok(())
}
