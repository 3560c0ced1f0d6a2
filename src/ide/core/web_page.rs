//! Opens web pages in the user's browser. Must not know who asks for them, nor follow what a page says.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::exec::{CommandSpec, Exit};
use crate::ide::core::context::{Cx, answer_or_error};

/// Time limit for starting a browser.
const OPEN_TIMEOUT: Duration = Duration::from_secs(20);

/// Opens a page, or does something else where no browser can be started; the program that should have is named.
/// Only web addresses are passed to the system.
pub fn open(cx: &mut Cx<'_>, page: &str, otherwise: impl FnOnce(&mut Cx<'_>, &'static str) + Send + 'static) {
    let is_web = page.starts_with("https://") || page.starts_with("http://");
    if !is_web || !page.chars().all(|c| c.is_ascii_graphic()) {
        return cx.state.set_error("Not a web address");
    }
    let page = without_shell_signs(page);
    // The browser must not end with the command that starts it. Without a desktop, as over ssh, nobody would see it.
    let (opener, condition, apart) = if cfg!(target_os = "macos") {
        ("open", "", "")
    } else {
        ("xdg-open", "[ -n \"$DISPLAY$WAYLAND_DISPLAY$BROWSER\" ] && ", "setsid -f ")
    };
    let start = format!("{apart}{opener} '{page}' </dev/null >/dev/null 2>&1");
    let script = format!("{condition}command -v {opener} >/dev/null && {start}");
    let env = cx.env.clone();
    let ran = async move {
        let (cwd, env_vars) = (env.root().to_path_buf(), std::collections::BTreeMap::default());
        let command = CommandSpec { script, cwd, timeout: Some(OPEN_TIMEOUT), env: env_vars };
        let cancel = CancellationToken::new();
        env.filter(command, Vec::new(), Box::new(|_| {}), Box::new(|_| {}), cancel).await
    };
    cx.tasks.spawn("web-page.open", ran, move |cx, ran| match answer_or_error(cx, "open the page", ran) {
        Some(Ok(Exit::Code(0))) => cx.state.set_status("Opened the page in the browser"),
        Some(_) => otherwise(cx, opener),
        None => {}
    });
}

/// Returns an address in which what means something to a shell is escaped as addresses have it.
fn without_shell_signs(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for c in page.chars() {
        match c {
            '\'' | '"' | '\\' | '`' | '$' | '<' | '>' => out.push_str(&format!("%{:02X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_page_address_has_nothing_for_a_shell() {
        assert_eq!(without_shell_signs("https://a/b?c=d&e#f"), "https://a/b?c=d&e#f");
        assert_eq!(without_shell_signs("https://a/Rubik's?$x=`y`"), "https://a/Rubik%27s?%24x=%60y%60");
    }
}
