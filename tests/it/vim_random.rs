//! Random scripts for the Vim key map, judged by Neovim: its answers to a thousand of them are recorded, and a
//! hunt asks the installed one about new ones.

use crate::support::seeds;
use crate::support::test_ide::TestIde;
use crate::support::vim_scripts::{self, Script};
use crate::vim;

/// How many scripts are recorded.
const SCRIPTS: usize = 1000;

/// So many of them agree at least; `docs/vim.md` lists what the others are about. The number only ever grows.
const MIN_AGREEMENT: usize = 993;

/// A script, what Neovim comes to and what comes of it here.
type Difference = (Script, String, String);

/// Which scripts come to something else here; nothing where there is no Neovim.
fn find_differences(ide: &mut TestIde, scripts: Vec<Script>) -> Option<Vec<Difference>> {
    let asked: String = scripts.iter().map(|script| script.line() + "\n").collect();
    let answers = vim::neovim(&asked)?;
    assert_eq!(scripts.len(), answers.lines().count());
    let judged = scripts.into_iter().zip(answers.lines()).map(|(script, answer)| {
        let ours = vim::run_script(ide, &script.line());
        (script, answer.to_string(), ours)
    });
    Some(judged.filter(|(_, answer, ours)| answer != ours).collect())
}

/// Takes commands away from scripts while they still differ.
fn shrink(ide: &mut TestIde, found: Vec<Difference>) -> Vec<Difference> {
    let mut done = Vec::new();
    let mut left = found;
    while !left.is_empty() {
        let tried: Vec<Vec<Script>> = left.iter().map(|(script, ..)| script.shorter()).collect();
        let differ = find_differences(ide, tried.concat()).unwrap_or_default();
        let mut next = Vec::new();
        for (was, tried) in left.into_iter().zip(tried) {
            match differ.iter().find(|(script, ..)| tried.contains(script)) {
                Some(shorter) => next.push(shorter.clone()),
                None => done.push(was),
            }
        }
        left = next;
    }
    done
}

#[tokio::test]
async fn vim_random_scripts_match_recorded_neovim() {
    let scripts = std::fs::read_to_string(vim::fixture("random_scripts.txt")).unwrap();
    let answers = std::fs::read_to_string(vim::fixture("random_answers.txt")).unwrap();
    assert_eq!((scripts.lines().count(), answers.lines().count()), (SCRIPTS, SCRIPTS));
    let mut ide = vim::ide().await;
    let mut wrong = Vec::new();
    for (script, answer) in scripts.lines().zip(answers.lines()) {
        let ours = vim::run_script(&mut ide, script);
        if ours != answer {
            wrong.push(format!("{script}\n  nvim {answer}\n  ours {ours}"));
        }
    }
    let agree = SCRIPTS - wrong.len();
    assert!(agree >= MIN_AGREEMENT, "{agree} of {SCRIPTS} agree:\n{}", wrong.join("\n"));
}

/// With `BOWLINE_SEEDS=random` these are new scripts, and the shortest that differ are shown.
#[tokio::test]
#[expect(clippy::print_stderr, reason = "a skipped test says so, a hunt what it found")]
async fn vim_random_record_matches_installed_neovim() {
    let scripts = vim_scripts::scripts(SCRIPTS);
    if seeds::use_random_seeds() {
        let mut ide = vim::ide().await;
        let Some(found) = find_differences(&mut ide, scripts) else {
            return eprintln!("skipped: there is no nvim 0.7.2 here to ask about new scripts");
        };
        let agree = SCRIPTS - found.len();
        for (script, answer, ours) in shrink(&mut ide, found) {
            eprintln!("{}\n  nvim {answer}\n  ours {ours}", script.line());
        }
        eprintln!("{agree} of {SCRIPTS} new scripts agree");
        return;
    }
    let made: String = scripts.iter().map(|script| script.line() + "\n").collect();
    let answers = vim::neovim(&made);
    if let Some(answers) = answers.as_ref().filter(|_| std::env::var_os("BOWLINE_RECORD").is_some()) {
        std::fs::write(vim::fixture("random_scripts.txt"), &made).unwrap();
        std::fs::write(vim::fixture("random_answers.txt"), answers).unwrap();
    }
    let recorded = |name| std::fs::read_to_string(vim::fixture(name)).unwrap();
    assert!(
        made == recorded("random_scripts.txt"),
        "the scripts of the seed are others; BOWLINE_RECORD=1 records anew"
    );
    match answers {
        Some(answers) => assert!(answers == recorded("random_answers.txt"), "BOWLINE_RECORD=1 records anew"),
        None => eprintln!("skipped: there is no nvim 0.7.2 here; the recorded answers are still compared"),
    }
}
