//! Review of what the agent changed: hunk by hunk, in files that are open or not, and what the model gets of it.

use bowline::ide::core::state::State;
use bowline::ide::features::review::state::{Progress, REVIEW};
use bowline::ide::features::review::view::ReviewView;
use bowline::llm::model::Request;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use ratatui::style::Color;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

fn edit(id: &str, path: &str, old: &str, new: &str) -> Turn {
    Turn::call(id, "edit", json!({"path": path, "edits": [{"oldText": old, "newText": new}]}))
}

fn setup() -> IdeSetup {
    IdeSetup::new().size(120, 40).policy(Mode::Full).checkpoints()
}

fn lines(range: std::ops::RangeInclusive<usize>) -> String {
    range.map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat()
}

/// What the last message of a request says.
fn last_message(request: &Request) -> String {
    serde_json::to_string(request.messages.last().unwrap()).unwrap()
}

fn is_open(state: &State) -> bool {
    state.layers.all::<ReviewView>().next().is_some()
}

/// Presses keys one after the other, each when the one before is dealt with.
async fn press(ide: &mut TestIde, keys: &str) {
    for key in keys.split(' ') {
        ide.keys(key).await;
    }
}

async fn run_command(ide: &mut TestIde, command: &str) {
    ide.keys("Alt-x").await;
    ide.type_in(command).await;
    ide.keys("Enter").await;
}

/// A turn that edits one file with a tool and two by a command; none of them is open.
fn two_ways() -> Vec<Turn> {
    vec![
        edit("c1", "a.txt", "line 2\n", "line two\nline 2 and a half\n"),
        bash(
            "c2",
            "sed -i 's/line 9$/line nine/' a.txt && sed -i 's/line 4/line four/' b.txt && rm gone.txt && printf 'new\\n' > new.txt",
        ),
        Turn::text("done"),
        Turn::text("understood"),
    ]
}

fn files(setup: IdeSetup) -> IdeSetup {
    setup.file("a.txt", lines(1..=12)).file("b.txt", lines(1..=6)).file("gone.txt", "was here\n")
}

#[tokio::test]
async fn review_lists_files_that_are_not_open_however_changed() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    ide.keys("Alt-r").await;
    let picture = ide.picture();
    for part in ["Review: since the last message", "M a.txt", "M b.txt", "D gone.txt", "A new.txt"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    for part in ["line two", "line 2 and a half", "line nine", "4 files +5 −4", "1/2"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    ide.snap("review");
    ide.keys("Down").await;
    assert!(ide.picture().contains("line four"), "{}", ide.picture());
}

#[tokio::test]
async fn review_reject_restores_bytes_and_model_gets_hunk_and_comment() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r Enter r").await;
    assert_eq!(ide.file_text("a.txt"), lines(1..=12).replace("line 9\n", "line nine\n"));
    assert!(ide.status_message().contains("Rejected 1 hunk"), "{}", ide.status_message());
    ide.keys("c").await;
    ide.type_in("Why spelled out?").await;
    press(&mut ide, "Enter n n r r").await;
    assert_eq!(ide.file_text("gone.txt"), "was here\n");
    assert!(!ide.path("new.txt").exists());
    assert!(ide.picture().contains("to send: "), "{}", ide.picture());
    assert_eq!(ide.script.requests().len(), 3);
    press(&mut ide, "Escape Escape").await;
    ide.wait_for_text("understood").await;
    let requests = ide.script.requests();
    assert_eq!(requests.len(), 4, "sent when the review was closed");
    let said = last_message(&requests[3]);
    for part in [
        "3 hunks rejected, 1 comment",
        "## a.txt",
        r"@@ -2,1 +2,2 @@\n-line 2\n+line two\n+line 2 and a half\n",
        r"@@ -9,1 +9,1 @@\n-line 9\n+line nine\n",
        "Why spelled out?",
        "## gone.txt",
        r"@@ -1,1 +0,0 @@\n-was here\n",
        "## new.txt",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("b.txt"), "{said}");
}

#[tokio::test]
async fn review_undo_takes_decisions_back_in_order() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    let changed = ide.file_text("a.txt");
    press(&mut ide, "Alt-r R").await;
    assert_eq!(ide.file_text("a.txt"), lines(1..=12));
    assert!(!ide.picture().contains("a.txt"), "{}", ide.picture());
    ide.keys("A").await;
    assert!(ide.picture().contains("2 files +1 −1"), "{}", ide.picture());
    ide.keys("u").await;
    assert!(ide.picture().contains("3 files +2 −2"), "{}", ide.picture());
    ide.keys("u").await;
    assert_eq!(ide.file_text("a.txt"), changed);
    assert!(ide.picture().contains("4 files +5 −4"), "{}", ide.picture());
    ide.keys("u").await;
    assert_eq!(ide.status_message(), "No decision to undo");
    ide.keys("Escape").await;
    assert!(!is_open(ide.state()));
    assert_eq!(ide.script.requests().len(), 3, "nothing to tell");
}

#[tokio::test]
async fn review_with_acceptances_only_sends_nothing() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r A A A").await;
    assert!(ide.picture().contains("✓") && ide.picture().contains("1 file"), "{}", ide.picture());
    press(&mut ide, "n a n").await;
    assert_eq!(ide.status_message(), "All hunks are reviewed");
    press(&mut ide, "Escape Escape").await;
    assert_eq!(ide.script.requests().len(), 3);
    assert!(!ide.picture().contains("· Alt-r"), "{}", ide.picture());
    ide.keys("Alt-r").await;
    assert!(ide.picture().contains("✓"), "decisions are remembered: {}", ide.picture());
}

#[tokio::test]
async fn review_reject_in_open_file_is_one_undo_step_and_saved() {
    let turns = [bash("c1", "sed -i 's/line 2$/line two/' a.txt"), Turn::text("done"), Turn::text("ok")];
    let mut ide = setup().with("a.txt", lines(1..=5)).turns(turns).start().await;
    ide.prompt("change it").await;
    assert_eq!(ide.text(), lines(1..=5).replace("line 2\n", "line two\n"));
    press(&mut ide, "Alt-r Enter r").await;
    assert_eq!((ide.text(), ide.file_text("a.txt")), (lines(1..=5), lines(1..=5)));
    ide.keys("u").await;
    let changed = lines(1..=5).replace("line 2\n", "line two\n");
    assert_eq!((ide.text(), ide.file_text("a.txt")), (changed.clone(), changed.clone()));
    press(&mut ide, "r Escape Escape Alt-2 Ctrl-z").await;
    assert_eq!(ide.text(), changed, "one step");
}

#[tokio::test]
async fn review_reject_beside_unsaved_text_keeps_it_unsaved() {
    let turns = [edit("c1", "a.txt", "line 2\n", "line two\n"), Turn::text("done"), Turn::text("ok")];
    let mut ide = setup().with("a.txt", lines(1..=9)).turns(turns).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-2 Ctrl-End").await;
    ide.type_in("typed").await;
    ide.keys("Alt-r").await;
    assert!(!ide.picture().contains("+typed"), "the user's own edit: {}", ide.picture());
    assert!(ide.picture().contains("1 file +1 −1"), "{}", ide.picture());
    ide.keys("r").await;
    assert_eq!(ide.text(), lines(1..=9) + "typed");
    assert!(ide.status_message().contains("not saved"), "{}", ide.status_message());
    assert_eq!(ide.file_text("a.txt"), lines(1..=9).replace("line 2\n", "line two\n"));
}

#[tokio::test]
async fn review_works_while_agent_works_and_queues_message() {
    let turns = [
        bash("c1", "sed -i 's/line 2$/line two/' a.txt"),
        Turn::of(vec![Step::Text(vec!["thinking".into()]), Step::Gate]),
        Turn::text("understood"),
    ];
    let mut ide = setup().file("a.txt", lines(1..=5)).turns(turns).start().await;
    ide.send_prompt("change it").await;
    ide.wait_for_text("thinking").await;
    ide.headless.press("Alt-r");
    ide.wait_for_text("line two").await;
    ide.headless.press("r");
    ide.wait_for_text("to send: 1 ").await;
    assert_eq!(ide.file_text("a.txt"), lines(1..=5));
    ide.headless.press("Escape");
    ide.wait_for("the queue", |state| !state.agent.follow_up.is_empty()).await;
    assert!(ide.state().agent.working_since.is_some());
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    let requests = ide.script.requests();
    assert_eq!(requests.len(), 3);
    assert!(last_message(&requests[2]).contains("1 hunk rejected"), "{}", last_message(&requests[2]));
}

#[tokio::test]
async fn review_sent_now_steers_working_agent() {
    let turns = [
        bash("c1", "sed -i 's/line 2$/line two/' a.txt"),
        Turn::of(vec![Step::Text(vec!["thinking".into()]), Step::Gate]),
        Turn::text("understood"),
    ];
    let mut ide = setup().file("a.txt", lines(1..=5)).turns(turns).start().await;
    ide.send_prompt("change it").await;
    ide.wait_for_text("thinking").await;
    ide.headless.press("Alt-r");
    ide.wait_for_text("line two").await;
    ide.headless.press("s");
    assert_eq!(ide.status_message(), "No rejections or comments to send");
    ide.headless.press("c");
    ide.type_without_settling("spell it");
    ide.headless.press("Enter");
    ide.wait_for_text("to send: 1 ").await;
    ide.headless.press("s");
    ide.wait_for("the message", |state| !state.agent.steering.is_empty()).await;
    assert!(is_open(ide.state()) && !ide.picture().contains("to send"), "{}", ide.picture());
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    let requests = ide.script.requests();
    assert!(last_message(&requests[2]).contains("spell it"), "{}", last_message(&requests[2]));
}

#[tokio::test]
async fn review_follows_later_changes_and_keeps_decisions() {
    let turns = [
        bash("c1", "sed -i 's/line 2$/line two/; s/line 9$/line nine/' a.txt"),
        Turn::of(vec![
            Step::Text(vec!["pausing".into()]),
            Step::Gate,
            Step::Call {
                id: "c2".into(),
                name: "bash".into(),
                arguments: json!({"command": "sed -i 's/line 9$/x/; s/line nine/line NINE/; s/line 5$/line five/' a.txt"}),
            },
        ]),
        Turn::text("done"),
    ];
    let mut ide = setup().file("a.txt", lines(1..=12)).turns(turns).start().await;
    ide.send_prompt("change it").await;
    ide.wait_for_text("pausing").await;
    ide.headless.press("Alt-r");
    ide.wait_for_text("line nine").await;
    ide.headless.press("a");
    ide.headless.press("c");
    ide.type_without_settling("why");
    ide.headless.press("Enter");
    ide.wait_for_text("● why").await;
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("line NINE") && picture.contains("line five"), "{picture}");
    assert!(
        picture.contains("to send: 1 commented · 1 file +2 −2"),
        "the first hunk stays accepted: {picture}"
    );
    assert!(picture.contains("1 on lines that have changed since"), "{picture}");
}

#[tokio::test]
async fn review_outdated_hunk_is_not_rejected() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    ide.keys("Alt-r").await;
    let other = lines(1..=12).replace("line 2\n", "of another program\n");
    ide.write_file("a.txt", &other);
    ide.headless.press("r");
    ide.wait_for("the refusal", |state| state.status.message.contains("has changed since")).await;
    ide.headless.idle().await;
    assert_eq!(ide.file_text("a.txt"), other, "nothing is lost");
    assert!(ide.picture().contains("of another program"), "compared again: {}", ide.picture());
    assert!(ide.state().slots[REVIEW].remarks.is_empty());
}

#[tokio::test]
async fn review_without_checkpoints_says_so() {
    let turns = [edit("c1", "a.txt", "line 2\n", "line two\n"), Turn::text("done")];
    let plan = IdeSetup::new().policy(Mode::Full).with("a.txt", lines(1..=5)).turns(turns);
    let mut ide = plan.start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-2 Ctrl-End Alt-r").await;
    let message = ide.status_message();
    assert!(message.contains("checkpoints are off") && message.contains("setting"), "{message}");
    assert!(!is_open(ide.state()));
    assert_eq!(ide.cursor().0, 2, "at the mark of the open file");
}

#[tokio::test]
async fn review_without_changes_says_so() {
    let mut ide = setup().turns([Turn::text("hello")]).start().await;
    ide.keys("Alt-r").await;
    assert_eq!(ide.status_message(), "No changes of the agent to review");
    ide.prompt("hi").await;
    ide.keys("Alt-r").await;
    assert_eq!(ide.status_message(), "No changes of the agent to review");
    assert!(!is_open(ide.state()));
}

#[tokio::test]
async fn review_scopes_widen_and_narrow() {
    let turns = [
        bash("c1", "echo one > one.txt"),
        Turn::text("done"),
        bash("c2", "echo two > two.txt"),
        Turn::text("done"),
        Turn::text("only talk"),
    ];
    let mut ide = setup().turns(turns).start().await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide.keys("Alt-r").await;
    assert!(ide.picture().contains("two.txt") && !ide.picture().contains("one.txt"), "{}", ide.picture());
    press(&mut ide, "] ]").await;
    let picture = ide.picture();
    assert!(picture.contains("this branch") && picture.contains("one.txt"), "{picture}");
    press(&mut ide, "[ [ Escape").await;
    ide.prompt("third").await;
    ide.keys("Alt-r").await;
    assert!(ide.picture().contains("this branch"), "the narrowest with changes: {}", ide.picture());
}

#[tokio::test]
async fn review_users_edits_between_turns_are_not_shown() {
    let turns = [
        bash("c1", "sed -i 's/line 2$/line two/' a.txt"),
        Turn::text("done"),
        bash("c2", "sed -i 's/line 11$/line eleven/' a.txt"),
        Turn::text("done"),
    ];
    let mut ide = setup().file("a.txt", lines(1..=12)).file("b.txt", "b\n").turns(turns).start().await;
    ide.prompt("first").await;
    ide.write_file("a.txt", ide.file_text("a.txt").replace("line 6\n", "my own line\n"));
    ide.write_file("b.txt", "my own file\n");
    ide.prompt("second").await;
    press(&mut ide, "Alt-r ] ]").await;
    let picture = ide.picture();
    assert!(picture.contains("1 file +2 −2") && !picture.contains("b.txt"), "{picture}");
    ide.keys("R").await;
    assert_eq!(ide.file_text("a.txt"), lines(1..=12).replace("line 6\n", "my own line\n"));
}

#[tokio::test]
async fn review_survives_strange_files() {
    let script = r"printf 'a\0b' > binary; printf 'x\033[31mred\007\n' > control.txt; printf 'one\r\ntwo\r\n' > crlf.txt;
        head -c 5000000 /dev/zero | tr '\0' 'x' > huge.txt; ln -s crlf.txt link; mkdir folder; : > empty; mv old.txt renamed.txt;
        printf 'no newline' > end.txt";
    let plan = setup()
        .file("crlf.txt", "one\r\n2\r\n")
        .file("old.txt", lines(1..=3))
        .file("end.txt", "no newline\n");
    let mut ide = plan.turns([bash("c1", script), Turn::text("done"), Turn::text("ok")]).start().await;
    ide.prompt("be strange").await;
    ide.keys("Alt-r").await;
    let mut seen = String::new();
    for _ in 0..9 {
        seen += &ide.picture();
        ide.keys("Down").await;
    }
    for part in [
        "Binary file",
        "Too large to show",
        "Empty file",
        "no line feed",
        "D old.txt",
        "A renamed.txt",
        "A link",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(!seen.contains('\u{1b}') && !seen.contains("folder"), "{seen}");
    ide.keys("Home").await;
    for _ in 0..12 {
        let before = ide.state().slots[REVIEW].files.len();
        ide.keys("R").await;
        if ide.state().slots[REVIEW].files.len() == before {
            ide.keys("Down").await;
        }
    }
    assert_eq!(ide.file_text("crlf.txt"), "one\r\n2\r\n");
    assert_eq!(ide.file_text("end.txt"), "no newline\n");
    assert_eq!(ide.file_text("old.txt"), lines(1..=3));
    assert!(!ide.path("binary").exists() && !ide.path("empty").exists());
}

#[tokio::test]
async fn review_small_windows_show_one_column() {
    for size in [(80, 24), (20, 5), (200, 60), (4, 2), (1, 1)] {
        let mut ide = files(setup()).size(size.0, size.1).turns(two_ways()).start().await;
        ide.prompt("change it").await;
        ide.keys("Alt-r").await;
        if size == (80, 24) {
            ide.snap("review_files");
        }
        press(&mut ide, "Enter n Tab Tab Right Left PageDown Up").await;
        if size == (80, 24) {
            ide.keys("Home").await;
            ide.snap("review_hunks");
            ide.keys("Escape").await;
            assert!(ide.picture().contains("D gone.txt"), "{}", ide.picture());
        }
        if size == (200, 60) {
            let picture = ide.picture();
            assert!(picture.contains("D gone.txt") && picture.contains("│"), "{picture}");
        }
    }
}

#[tokio::test]
async fn review_edit_opens_file_at_hunk() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r n e").await;
    assert!(!is_open(ide.state()));
    assert_eq!((ide.current_file_name(), ide.cursor()), ("a.txt".into(), (10, 1)));
}

#[tokio::test]
async fn review_edit_keeps_remarks_until_review_is_closed() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r r e").await;
    assert_eq!((ide.script.requests().len(), ide.cursor()), (3, (9, 1)));
    press(&mut ide, "Down").await;
    assert!(ide.picture().contains("1 review comment to send · 4 files +3 −3 · Alt-r"), "{}", ide.picture());
    press(&mut ide, "Alt-r Escape").await;
    ide.wait_for_text("understood").await;
    assert_eq!(ide.script.requests().len(), 4);
}

#[tokio::test]
async fn review_rejection_undone_in_editor_is_not_sent() {
    let mut ide = files(setup()).open("b.txt").turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-2 Ctrl-g 4 Enter Alt-, r x").await;
    assert_eq!(ide.text(), lines(1..=6));
    press(&mut ide, "Ctrl-z Alt-r").await;
    assert!(!ide.picture().contains("to send") && ide.picture().contains("4 files"), "{}", ide.picture());
    press(&mut ide, "Escape").await;
    assert_eq!(ide.script.requests().len(), 3);
}

#[tokio::test]
async fn review_long_line_shows_that_it_continues() {
    let long = format!("{}END\n", "word ".repeat(60));
    let turns = [bash("c1", &format!("printf '{long}' > long.txt")), Turn::text("done")];
    let mut ide = setup().turns(turns).start().await;
    ide.prompt("write").await;
    press(&mut ide, "Alt-r").await;
    assert!(ide.picture().contains('›') && !ide.picture().contains("END"), "{}", ide.picture());
    for _ in 0..32 {
        press(&mut ide, "Right").await;
    }
    assert!(ide.picture().contains("END"), "{}", ide.picture());
}

#[tokio::test]
async fn review_counts_letters_and_marks_after_turn() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-2 Ctrl-o").await;
    ide.type_in("a.txt").await;
    ide.keys("Enter").await;
    let marks = |ide: &mut TestIde| ide.state().buffers.current().unwrap().area.document.marks().all().len();
    assert_eq!(marks(&mut ide), 2, "opened after the edit");
    let picture = ide.picture();
    assert!(picture.contains("4 files +5 −4 · Alt-r"), "{picture}");
    assert!(picture.lines().any(|line| line.contains("b.txt") && line.contains(" M")), "{picture}");
    ide.keys("Down").await;
    press(&mut ide, "Alt-, r a").await;
    assert_eq!(marks(&mut ide), 1);
    press(&mut ide, "Down").await;
    assert!(ide.picture().contains("4 files +3 −3 · Alt-r"), "{}", ide.picture());
    press(&mut ide, "Ctrl-g 1 0 Enter").await;
    press(&mut ide, "Alt-, r x").await;
    assert_eq!((marks(&mut ide), ide.text().contains("nine")), (0, false));
    assert!(matches!(ide.state().slots[REVIEW].progress, Progress::Done));
}

#[tokio::test]
async fn review_of_replaced_session_goes_to_prompt() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r r").await;
    run_command(&mut ide, "session.new").await;
    ide.wait_for("another session", |state| !state.prompt.area.text().is_empty()).await;
    assert!(ide.state().prompt.area.text().to_string().contains("1 hunk rejected"));
    assert!(!is_open(ide.state()));
    assert_eq!(ide.script.requests().len(), 3, "not sent");
}

#[tokio::test]
async fn review_not_sent_at_quit_is_in_prompt_after_next_start() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r r").await;
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().continue_session().start().await;
    ide.wait_for("the message", |state| !state.prompt.area.text().is_empty()).await;
    assert!(ide.state().prompt.area.text().to_string().contains("1 hunk rejected"));
}

#[tokio::test]
async fn transcript_block_opens_review_at_its_file() {
    let mut ide =
        setup().file("a.txt", lines(1..=12)).file("b.txt", lines(1..=12)).turns(two_ways()).start().await;
    ide.prompt("change them").await;
    press(&mut ide, "Tab Up Up d").await;
    ide.wait_for("the review", |state| {
        let name = state.layers.top::<ReviewView>().and_then(ReviewView::name);
        name.is_some_and(|name| name.to_string() == "a.txt")
    })
    .await;
    press(&mut ide, "Escape End d").await;
    assert!(!is_open(ide.state()));
    assert_eq!(ide.status_message(), "No file of the workspace is named here");
}

#[tokio::test]
async fn review_hunks_stay_on_screen_below_comment() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r c").await;
    let picture = ide.picture();
    assert!(picture.contains("Comment on a.txt") && picture.contains("line two"), "{picture}");
    ide.type_in("because").await;
    assert!(ide.picture().contains("line two"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert!(ide.picture().contains("to send: 1 "), "{}", ide.picture());
}

#[tokio::test]
async fn review_list_alone_shows_hunk_before_it_is_decided() {
    let mut ide = files(setup()).size(80, 24).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    let changed = ide.file_text("a.txt");
    press(&mut ide, "Alt-r r").await;
    assert_eq!(ide.file_text("a.txt"), changed);
    assert!(ide.picture().contains("line two"), "{}", ide.picture());
    assert_eq!(ide.status_message(), "This is the hunk. Press again to reject it");
    ide.keys("r").await;
    assert_ne!(ide.file_text("a.txt"), changed);
    press(&mut ide, "Escape c").await;
    let picture = ide.picture();
    assert!(picture.contains("Comment on a.txt") && picture.contains("line nine"), "{picture}");
}

#[tokio::test]
async fn review_sent_keeps_open_hunks_in_its_scope() {
    let mut ide = files(setup()).turns(two_ways()).start().await;
    ide.prompt("change it").await;
    press(&mut ide, "Alt-r r s").await;
    ide.wait_for_text("Review: since the last message").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("line nine") && picture.contains("4 files"), "{picture}");
    press(&mut ide, "Alt-r Alt-r").await;
    let picture = ide.picture();
    assert!(picture.contains("Review: since the last message") && picture.contains("line nine"), "{picture}");
}

fn color(ide: &mut TestIde, text: &str) -> Color {
    let at = ide.find(text);
    ide.headless.app().screen.buffer()[at].fg
}

#[tokio::test]
async fn review_texts_have_syntax_colors() {
    let turns = [edit("c1", "a.rs", "1", "2"), Turn::text("done")];
    let mut ide = setup().file("a.rs", "fn one() -> u8 {\n    1\n}\n").turns(turns).start().await;
    ide.prompt("change it").await;
    ide.keys("Alt-r").await;
    let keyword = color(&mut ide, "fn one");
    assert_ne!(keyword, color(&mut ide, "one() ->"), "{}", ide.picture());
    ide.keys("Tab").await;
    assert_eq!(color(&mut ide, "fn one"), keyword, "{}", ide.picture());
}

#[tokio::test]
async fn keys_list_over_the_review_has_its_keys_first() {
    let files = setup().file("a.txt", lines(1..=9)).file("b.txt", lines(1..=9)).file("gone.txt", "x\n");
    let mut ide = files.turns(two_ways()).start().await;
    ide.prompt("change").await;
    press(&mut ide, "Alt-r F2").await;
    let picture = ide.picture();
    let first = picture.lines().find(|line| line.contains("review")).unwrap_or_default();
    assert!(first.contains("▸") || picture.contains("Accept"), "{picture}");
    ide.type_in("reject file").await;
    assert!(ide.picture().contains("Reject"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert!(is_open(ide.state()), "the command runs in the review: {}", ide.picture());
}
