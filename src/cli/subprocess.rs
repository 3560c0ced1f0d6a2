//! Work that this program gives to a process of its own: the parent's words, and the child's side.
//!
//! Must not know what the work is for. It is no part of the command line that people use.

use std::ffi::OsString;

use crate::tools::reading::pdf::subprocess;

/// Does the work, where the arguments name it; gives whether it is done.
pub fn serve(args: impl IntoIterator<Item = OsString>) -> Option<bool> {
    let mut args = args.into_iter().skip(1);
    if args.next()? != subprocess::ERRAND {
        return None;
    }
    let wanted = args.next().and_then(|wanted| wanted.into_string().ok()).unwrap_or_default();
    let done = subprocess::serve(&wanted, &mut std::io::stdin().lock(), &mut std::io::stdout().lock());
    // Whoever asked hears of it by the exit code alone.
    Some(done.is_ok())
}
