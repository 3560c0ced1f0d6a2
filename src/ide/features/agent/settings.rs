//! Settings of the agent that take effect on the open session at once.

use crate::config::Settings;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::feature::SettingSpec;
use crate::runtime::controls::client::LoopSetting;
use crate::tools::permissions::policy::Mode;

/// The area's rows.
pub const SETTINGS: &[SettingSpec] = &[
    SettingSpec::new("approval", |cx, new| {
        if let Some((session, mode)) = cx.session.zip(new.approval.as_deref().and_then(Mode::parse)) {
            session.set_approval_mode(mode);
        }
    }),
    SettingSpec::new("steering-mode", |cx, new| {
        change(cx, LoopSetting::SteerAll(is_all(&new.steering_mode)));
    }),
    SettingSpec::new("follow-up-mode", |cx, new| {
        change(cx, LoopSetting::FollowUpAll(is_all(&new.follow_up_mode)));
    }),
    SettingSpec::new("compaction", |cx, new: &Settings| {
        change(cx, LoopSetting::AutoCompaction(new.compaction));
    }),
];

fn is_all(mode: &str) -> bool {
    mode == "all"
}

fn change(cx: &Cx<'_>, setting: LoopSetting) {
    let work = move |session: crate::runtime::Handle| async move { session.set_loop_setting(setting).await };
    ask_session(cx, "agent.set-loop-setting", "change the agent's setting", work, |_, ()| {});
}
