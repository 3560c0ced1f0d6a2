//! Help: sections of the documentation are found by heading and by word, shown beside the list and opened.

use crate::support::test_ide::IdeSetup;

#[tokio::test]
async fn help_section_is_found_by_its_heading_and_opened_in_the_editor() {
    let mut ide = IdeSetup::new().with("a.txt", "text\n").size(120, 40).start().await;
    ide.keys("Alt-, h h").await;
    ide.type_in("prompt history").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("Sessions: Prompt history"), "{picture}");
    assert!(picture.contains("## Prompt history"), "the section is beside the list: {picture}");
    ide.snap("help_list");
    ide.keys("Enter").await;
    ide.headless.idle().await;
    let buffer = ide.state().buffers.current().unwrap();
    assert_eq!(buffer.name(), "sessions.md");
    let line = ide.cursor().0;
    assert_eq!(ide.text().lines().nth(line - 1), Some("## Prompt history"));
    ide.type_in("x").await;
    assert!(ide.status_message().contains("read-only"), "{}", ide.status_message());
    ide.keys("Alt-w").await;
    assert_eq!(ide.state().buffers.current().unwrap().name(), "a.txt", "{}", ide.picture());
}

#[tokio::test]
async fn help_words_of_a_text_are_found_after_those_of_headings() {
    let mut ide = IdeSetup::new().with("a.txt", "text\n").size(120, 40).start().await;
    ide.keys("Alt-3").await;
    ide.type_in("/help").await;
    ide.keys("Enter").await;
    ide.type_in("osc 133").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("The terminal pane: Marks of the shell"), "{picture}");
    assert!(picture.contains("## Marks of the shell"), "{picture}");
    ide.keys("Ctrl-u").await;
    ide.type_in("no such words anywhere").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("No matches"), "{}", ide.picture());
    ide.keys("Escape").await;
    assert_eq!(ide.text(), "text\n");
}
