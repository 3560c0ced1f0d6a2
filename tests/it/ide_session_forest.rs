//! Other sessions in the session tree: those of the folder and of other folders, with their entries.

use bowline::ide::features::sessions::view::SessionView;
use bowline::llm::providers::scripted::Turn;

use crate::support::test_ide::{IdeSetup, TestIde};

/// An IDE with three sessions of two prompts each, the last one open, and its tree on the screen.
async fn ide((cols, rows): (u16, u16)) -> TestIde {
    let turns: Vec<Turn> = (1..=9).map(|n| Turn::text(&format!("answer {n}"))).collect();
    let mut ide = IdeSetup::new().size(cols, rows).turns(turns).start().await;
    for name in ["alpha", "beta", "gamma"] {
        if name != "alpha" {
            ide.type_in("/new").await;
            ide.keys("Enter").await;
        }
        ide.prompt(&format!("{name} one")).await;
        ide.prompt(&format!("{name} two")).await;
    }
    ide.keys("Alt-g").await;
    ide
}

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

/// The folder of the session files of the workspace.
fn sessions(ide: &TestIde) -> std::path::PathBuf {
    let mut folders = std::fs::read_dir(ide.home("data/sessions")).unwrap().map(|item| item.unwrap().path());
    folders.find(|path| path.is_dir()).unwrap()
}

#[tokio::test]
async fn session_tree_lists_sessions_of_folder_and_resumes_one_at_an_entry() {
    let mut ide = ide((100, 24)).await;
    ide.keys("a").await;
    let picture = ide.picture();
    assert!(["alpha one", "beta one", "gamma one"].iter().all(|title| picture.contains(title)), "{picture}");
    assert!(picture.contains("3 sessions  sessions of this folder"), "{picture}");
    ide.keys("Home Right").await;
    ide.snap("session_forest");
    ide.keys("Down Down Down Enter").await;
    ide.headless.idle().await;
    assert_eq!(prompt(&mut ide), "alpha two");
    let picture = ide.picture();
    assert!(picture.contains("answer 1") && !picture.contains("answer 2"), "{picture}");
    assert!(ide.status_message().contains("files unchanged"), "{}", ide.status_message());
    assert!(ide.state().layers.is_empty());
    // The unsent message stays with its session.
    ide.keys("Alt-g").await;
    ide.keys("a").await;
    assert!(ide.picture().contains("alpha one") && ide.picture().contains("you are here"));
    ide.keys("a").await;
    assert!(ide.picture().contains("filter: turns"), "{}", ide.picture());
}

#[tokio::test]
async fn session_tree_of_sessions_filters_searches_and_keeps_the_draft() {
    let mut ide = ide((80, 24)).await;
    ide.keys("Escape Alt-3").await;
    ide.type_in("half a message").await;
    ide.keys("Alt-g").await;
    ide.keys("a").await;
    ide.keys("Home Right").await;
    ide.keys("Tab").await;
    ide.wait_for_text("answer 2").await;
    ide.keys("/").await;
    ide.type_in("beta").await;
    assert!(ide.picture().contains("beta one") && !ide.picture().contains("alpha one"), "{}", ide.picture());
    ide.keys("Escape").await;
    assert!(ide.picture().contains("alpha one"), "{}", ide.picture());
    for key in ["l", "h", "f", "c", "u", "=", "s"] {
        ide.keys(&format!("Home {key}")).await;
        assert!(ide.status_message().contains("Enter resumes there"), "{key}: {}", ide.status_message());
        assert!(ide.state().layers.top::<SessionView>().is_some(), "{key}");
    }
    ide.keys("] Right").await;
    ide.keys("Left Left [ n").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("answer 2"), "resumed where it was left: {}", ide.picture());
    assert_eq!(prompt(&mut ide), "");
    ide.keys("Alt-g").await;
    ide.keys("a").await;
    ide.keys("End n").await;
    assert_eq!(prompt(&mut ide), "half a message", "of the session before");
}

#[tokio::test]
async fn session_tree_names_broken_sessions_and_reads_the_others() {
    let mut ide = ide((100, 24)).await;
    ide.keys("Escape").await;
    let folder = sessions(&ide);
    std::fs::write(folder.join("2020-01-01T00-00-00-000Z_x.jsonl"), "no session\u{1b}[2J\n").unwrap();
    std::fs::create_dir(folder.join("folder.jsonl")).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let alpha =
        files.iter().find(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("alpha one")));
    let text = std::fs::read_to_string(alpha.unwrap()).unwrap() + "{broken\n";
    std::fs::write(alpha.unwrap(), text).unwrap();
    ide.keys("Alt-g").await;
    ide.keys("a").await;
    let picture = ide.picture();
    assert!(picture.contains("5 sessions  2 broken"), "{picture}");
    assert!(picture.contains("✗ folder.jsonl  it is not a file"), "{picture}");
    ide.keys("End Enter").await;
    assert!(
        ide.status_message().contains("Cannot read folder.jsonl: it is not a file"),
        "{}",
        ide.status_message()
    );
    ide.keys("Home Right").await;
    ide.wait_for_text("1 broken ").await;
    assert!(ide.picture().contains("alpha two"), "{}", ide.picture());
}

#[tokio::test]
async fn session_tree_shows_sessions_of_other_projects_in_any_window() {
    let mut ide = ide((100, 24)).await;
    let file = std::fs::read_dir(sessions(&ide)).unwrap().next().unwrap().unwrap().path();
    let other = ide.home("data/sessions/--elsewhere--");
    std::fs::create_dir(&other).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let cwd = serde_json::from_str::<serde_json::Value>(text.lines().next().unwrap()).unwrap()["cwd"].clone();
    let text = text.replace(cwd.as_str().unwrap(), "/far/elsewhere").replace(" one", " three");
    std::fs::write(other.join("2020-01-01T00-00-00-000Z_y.jsonl"), text).unwrap();
    ide.keys("a").await;
    assert!(!ide.picture().contains("elsewhere"), "{}", ide.picture());
    ide.keys("p").await;
    assert!(ide.picture().contains("4 sessions  sessions of all folders"), "{}", ide.picture());
    assert!(ide.picture().contains(" three  elsewhere"), "{}", ide.picture());
    for (cols, rows) in [(120, 40), (40, 12), (20, 5), (3, 2), (1, 1)] {
        ide.headless.resize(cols, rows);
        ide.keys("Home Right Down Down Left End Right PageUp").await;
    }
    ide.headless.resize(100, 24);
    ide.keys("Escape").await;
    assert!(ide.state().layers.is_empty());
}

#[tokio::test]
async fn session_tree_of_a_thousand_sessions_lists_all_and_opens_one() {
    let mut ide = ide((100, 24)).await;
    let folder = sessions(&ide);
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(file).unwrap();
    for n in 0..1000 {
        let text = if n % 10 == 0 { "{}\n".to_string() } else { text.clone() };
        std::fs::write(folder.join(format!("2020-01-01T00-00-00-{n:03}Z_{n}.jsonl")), text).unwrap();
    }
    ide.keys("a").await;
    ide.wait_for_text("1003 sessions  100 broken").await;
    ide.keys("End Home Down Right Down").await;
    let forest = ide.state().layers.top::<SessionView>().unwrap().forest.as_ref();
    let (lines, entry) = forest.map(|forest| (forest.len(), forest.selected_entry())).unwrap();
    assert_eq!((lines, entry.is_some()), (1007, true));
}
