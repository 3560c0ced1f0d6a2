//! Work in a subprocess: the internal arguments, and the child's side.
//!
//! Must not know the purpose of the work. Not part of the public command line.

use std::ffi::OsString;

use crate::tools::reading::pdf::subprocess;

/// Runs the work if the arguments request it; returns whether it succeeded.
pub fn serve(args: impl IntoIterator<Item = OsString>) -> Option<bool> {
    let mut args = args.into_iter().skip(1);
    if args.next()? != subprocess::SUBCOMMAND {
        return None;
    }
    let name = args.next().and_then(|name| name.into_string().ok()).unwrap_or_default();
    let done = subprocess::serve(&name, &mut std::io::stdin().lock(), &mut std::io::stdout().lock());
    // The parent gets only the exit code.
    Some(done.is_ok())
}
