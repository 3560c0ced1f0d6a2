//! What a plan does with paths that one side, both or nobody changed.

use std::sync::Arc;

use super::*;
use crate::workspace::checkpoint::object::Oid;

struct Bench {
    _folder: tempfile::TempDir,
    store: Store,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        Self { _folder: folder, store }
    }

    /// `a/b=text`, `a/` a folder, `a@text` a link, `a?` unrecorded; `#a=text` a file though it is ignored.
    fn state(&self, items: &[&str]) -> Arc<Files> {
        let batch = self.store.batch();
        let mut files = Files::default();
        let put = |text: &str| batch.put(&mut Packer::default(), Kind::Blob, text.as_bytes()).unwrap();
        for item in items {
            let (is_hidden, item) = item.strip_prefix('#').map_or((false, *item), |item| (true, item));
            let (name, node) = if let Some((name, text)) = item.split_once('=') {
                (name, Node::File { rights: 0o644, oid: put(text) })
            } else if let Some((name, text)) = item.split_once('@') {
                (name, Node::Link(put(text)))
            } else if let Some(name) = item.strip_suffix('?') {
                (name, Node::Unrecorded)
            } else {
                (item.trim_end_matches('/'), Node::Folder(0o755))
            };
            let name = Name::from_bytes(name.as_bytes()).unwrap();
            for folder in name.folders() {
                files.entry(folder).or_insert(Node::Folder(0o755));
            }
            if is_hidden {
                files.add_ignored(name.clone());
            }
            files.insert(name, node);
        }
        batch.finish().unwrap();
        Arc::new(files)
    }

    fn plan(&self, now: &[&str], base: &[&str], target: &[&str], decisions: &[(&str, Decision)]) -> Plan {
        let step = Step { base: self.state(base), target: self.state(target) };
        let name = |text: &str| Name::from_bytes(text.as_bytes()).unwrap();
        let decisions = decisions.iter().map(|(text, decision)| (name(text), *decision)).collect();
        let slim = Step::between(&step.base, &step.target);
        let [whole, slim] =
            [step, slim].map(|step| plan(&self.store, &self.state(now), &[step], &decisions).unwrap());
        assert_eq!(whole, slim, "a step has all that it needs");
        whole
    }

    fn show(&self, plan: &Plan) -> String {
        let text = |oid: Oid| String::from_utf8(self.store.blob(oid).unwrap()).unwrap();
        let node = |node: Option<Node>| match node {
            None => "-".to_string(),
            Some(Node::File { oid, .. }) => format!("={}", text(oid).replace('\n', "|")),
            Some(Node::Link(oid)) => format!("@{}", text(oid)),
            Some(Node::Folder(_)) => "/".to_string(),
            Some(Node::Unrecorded) => "?".to_string(),
        };
        let changes = plan.changes.iter().map(|c| format!("{} {}>{}", c.name, node(c.from), node(c.to)));
        let conflicts =
            plan.conflicts.iter().map(|c| format!("!{} {:?} {}", c.name, c.reason, node(c.theirs)));
        let merged = plan.merged.iter().map(|name| format!("+{name}"));
        let left = plan.skipped.iter().map(|(name, why)| format!("~{name} {why:?}"));
        changes.chain(conflicts).chain(merged).chain(left).collect::<Vec<_>>().join("; ")
    }
}

#[test]
fn restore_plan_undoes_only_changed_files() {
    let bench = Bench::new();
    let show = |now: &[&str], base: &[&str], target: &[&str]| bench.show(&bench.plan(now, base, target, &[]));
    let (was, is) = (&["a=1", "d/x=1", "l@a"][..], &["a=2", "new=1", "l@b", "e/"][..]);
    assert_eq!(show(is, is, was), "a =2>=1; d ->/; d/x ->=1; e />-; l @b>@a; new =1>-");
    assert_eq!(show(was, is, was), "", "it is so already");
    assert_eq!(show(&["a=2", "mine=x"], &["a=2"], &["a=1"]), "a =2>=1", "what is not in it stays");
    assert_eq!(show(&["a=mine"], &["a=1"], &["a=1"]), "", "what did not change stays");
    assert_eq!(show(&["a=f"], &["a=f"], &["a/b=1"]), "a =f>/; a/b ->=1");
    assert_eq!(show(&["a/b=1"], &["a/b=1"], &["a=f"]), "a />=f; a/b =1>-");
}

#[test]
fn restore_plan_merges_or_reports_conflict() {
    let bench = Bench::new();
    let show = |now: &[&str], base: &[&str], target: &[&str]| bench.show(&bench.plan(now, base, target, &[]));
    assert_eq!(
        show(&["a=1\n2\n3\nmine\n"], &["a=one\n2\n3\n4\n"], &["a=1\n2\n3\n4\n"]),
        "",
        "taking theirs over changes nothing here"
    );
    assert_eq!(
        show(&["a=x\n2\n3\nM\n"], &["a=x\n2\n3\n4\n"], &["a=1\n2\n3\n4\n"]),
        "a =x|2|3|M|>=1|2|3|M|; +a"
    );
    assert_eq!(show(&["a=mine"], &["a=base"], &["a=theirs"]), "!a Changed =theirs");
    assert_eq!(show(&["a=mine"], &["a=base"], &[]), "!a Changed -");
    assert_eq!(show(&[], &["a=base"], &["a=theirs"]), "!a Changed =theirs");
    assert_eq!(show(&["a@mine"], &["a=base"], &["a=theirs"]), "!a Changed =theirs");
    assert_eq!(show(&["a?"], &["a=base"], &["a=theirs"]), "!a Unrecorded =theirs");
    assert_eq!(show(&["a=mine"], &["a?"], &["a=theirs"]), "!a Changed =theirs");
    assert_eq!(show(&["a=1"], &["a=1"], &["a?"]), "~a NotRecorded");
}

#[test]
fn restore_plan_follows_decisions() {
    let bench = Bench::new();
    let (mine, base, theirs) = (&["a=mine", "u?"][..], &["a=base", "u=1"][..], &["a=theirs", "u=2"][..]);
    let show = |decisions: &[(&str, Decision)]| {
        let plan = bench.plan(mine, base, theirs, decisions);
        assert_eq!(plan.conflicts.len(), 2);
        bench.show(&Plan { conflicts: Vec::new(), ..plan })
    };
    assert_eq!(show(&[("a", Decision::Ours)]), "");
    assert_eq!(show(&[("a", Decision::Theirs)]), "a =mine>=theirs");
    assert_eq!(show(&[("a", Decision::KeepBoth)]), "a.restored ->=theirs");
    assert_eq!(
        show(&[("u", Decision::Theirs)]),
        "u.restored ->=2",
        "what was not recorded is not written over"
    );
    let taken = bench.plan(&["a=m", "a.restored=x"], &["a=b"], &["a=t"], &[(("a"), Decision::KeepBoth)]);
    assert_eq!(bench.show(&Plan { conflicts: Vec::new(), ..taken }), "a.restored-2 ->=t");
}

#[test]
fn restore_plan_kept_files_are_skipped_by_later_steps() {
    let bench = Bench::new();
    let show = |now: &str, steps: &[(&str, &str)], decision| {
        let steps: Vec<Step> = steps
            .iter()
            .map(|(base, target)| Step { base: bench.state(&[base]), target: bench.state(&[target]) })
            .collect();
        let decisions = [(Name::from_bytes(b"a").unwrap(), decision)].into_iter().collect();
        bench.show(&plan(&bench.store, &bench.state(&[now]), &steps, &decisions).unwrap())
    };
    // The second step begins with what stays, and would change it.
    let steps = [("a=b", "a=t"), ("a=m", "a=last")];
    assert_eq!(show("a=m", &steps, Decision::Ours), "!a Changed =last");
    assert_eq!(show("a=m", &steps, Decision::KeepBoth), "a.restored ->=last; !a Changed =last");
    assert_eq!(show("a=m", &steps, Decision::Theirs), "a =m>=last; !a Changed =last");
    let goes_on = [("a=b", "a=t"), ("a=t", "a=last")];
    assert_eq!(show("a=m", &goes_on, Decision::Theirs), "a =m>=last; !a Changed =last");
    // And so it leads back to what is there.
    let steps = [("a=b", "a=t"), ("a=c", "a=m")];
    assert_eq!(show("a=m", &steps, Decision::KeepBoth), "");
    let steps = [("a=b", "a=t"), ("a=c", "x=new")];
    assert_eq!(show("a=m", &steps, Decision::KeepBoth), "x ->=new; !a Changed -");
}

/// What several steps do, each with a base and a target, when this is decided about everything.
fn done(now: &[&str], steps: &[(&[&str], &[&str])], decision: Decision) -> String {
    let bench = Bench::new();
    let states: Vec<Step> = steps
        .iter()
        .map(|(base, target)| Step { base: bench.state(base), target: bench.state(target) })
        .collect();
    let names = states.iter().flat_map(|step| step.base.keys().chain(step.target.keys()));
    let decisions = names.map(|name| (name.clone(), decision)).collect();
    bench.show(&plan(&bench.store, &bench.state(now), &states, &decisions).unwrap())
}

#[test]
fn restore_plan_ignored_file_keeps_last_target() {
    for target in [&["x=1"][..], &["x=1", "a?"]] {
        for base in [&["#a=t", "x=0"][..], &["a=t", "x=0"]] {
            // Only one of them is ignored, hidden or unrecorded: that alone says that it may have been there.
            let target: Vec<&str> = match (base[0], target.len()) {
                ("a=t", 1) => [target, &[".gitignore=a"]].concat(),
                _ => target.to_vec(),
            };
            let steps = [(&["a=b"][..], &["a=t"][..]), (base, &target[..])];
            let now = ["a=m", "x=0", ".gitignore=a"];
            assert_eq!(done(&now, &steps, Decision::Ours), "x =0>=1; !a Changed =t", "{base:?} {target:?}");
            assert_eq!(done(&now, &steps, Decision::KeepBoth), "a.restored ->=t; x =0>=1; !a Changed =t");
        }
    }
}

#[test]
fn restore_plan_keeps_content_from_before_all_steps() {
    let steps = [(&["a=2"][..], &["a=1"][..]), (&["a=x"], &["a=0"])];
    assert_eq!(done(&["a=2"], &steps, Decision::Ours), "!a Changed =0");
    assert_eq!(done(&["a=2"], &steps, Decision::KeepBoth), "a.restored ->=0; !a Changed =0");
    assert_eq!(done(&["a=2"], &steps, Decision::Theirs), "a =2>=0; !a Changed =0");
    // Made or removed, or put together, by a step before.
    let steps = [(&["x=1"][..], &["x=1", "a=1"][..]), (&["a=x"], &["a=0"])];
    assert_eq!(done(&["x=1"], &steps, Decision::Ours), "!a Changed =0");
    let steps = [(&["a=2"][..], &[][..]), (&["a=x"], &["a=0"])];
    assert_eq!(done(&["a=2"], &steps, Decision::Ours), "!a Changed =0");
    let steps = [(&["a=x\n2\n3\n4\n"][..], &["a=1\n2\n3\n4\n"][..]), (&["a=x"], &["a=0"])];
    assert_eq!(done(&["a=x\n2\n3\nM\n"], &steps, Decision::Ours), "!a Changed =0");
    // All together lead to what is there.
    let steps = [(&["a=0"][..], &["a=1"][..]), (&["a=x"], &["a=0"])];
    for decision in [Decision::Ours, Decision::KeepBoth, Decision::Theirs] {
        assert_eq!(done(&["a=0"], &steps, decision), "");
    }
}

#[test]
fn restore_plan_keep_both_name_is_unique() {
    let clash = (&["a=b"][..], &["a=t"][..]);
    let own = (&["a=t"][..], &["a=t", "a.restored=own"][..]);
    let beside = |now: &[&str], steps: &[(&[&str], &[&str])]| done(now, steps, Decision::KeepBoth);
    assert_eq!(beside(&["a=m"], &[clash, own]), "a.restored ->=own; a.restored-2 ->=t; !a Changed =t");
    let gone = (&["a=t", "a.restored=own"][..], &["a=t"][..]);
    assert_eq!(beside(&["a=m"], &[clash, own, gone]), "a.restored-2 ->=t; !a Changed =t");
    let goes = (&["a=q", "a.restored=old"][..], &["a=q"][..]);
    let now = ["a=m", "a.restored=old"];
    assert_eq!(beside(&now, &[goes, clash]), "a.restored =old>-; a.restored-2 ->=t; !a Changed =t");
    let comes = (&["a=t"][..], &["a=t", "a.restored=older"][..]);
    assert_eq!(
        beside(&now, &[goes, clash, comes]),
        "a.restored =old>=older; a.restored-2 ->=t; !a Changed =t"
    );
}

#[test]
fn restore_plan_folders_stay_with_kept_files() {
    let bench = Bench::new();
    let show = |now: &[&str], base: &[&str], target: &[&str]| bench.show(&bench.plan(now, base, target, &[]));
    assert_eq!(show(&["d/a=1", "d/mine=1"], &["d/a=1"], &[]), "d/a =1>-");
    assert_eq!(show(&["d/a=1", "d/mine=1"], &["d/a=1"], &["d=file"]), "d/a =1>-; !d InTheWay =file");
    assert_eq!(show(&["d=mine"], &["d/a=1"], &["d/a=2"]), "!d/a Changed =2");
    assert_eq!(show(&["d=mine"], &[], &["d/a=2"]), "!d Changed /; !d/a InTheWay =2");
    assert_eq!(show(&["d@elsewhere"], &["d@elsewhere"], &["d/a=2"]), "d @elsewhere>/; d/a ->=2");
}

#[test]
fn restore_plan_ignored_files_are_not_removed() {
    let bench = Bench::new();
    let now = &[".gitignore=", "a.rs=2", "out/x=1", "gone.rs=1"][..];
    let plan = bench.plan(now, now, &[".gitignore=out/\n", "a.rs=1"], &[]);
    assert_eq!(bench.show(&plan), ".gitignore =>=out/|; a.rs =2>=1; gone.rs =1>-; ~out/x Ignored");
}

#[test]
fn restore_plan_recorded_ignored_files_may_change() {
    let bench = Bench::new();
    let now = &["#a.env=secret", "#out/x=1", "made=1"][..];
    let plan = bench.plan(now, now, &["#a.env=old"], &[]);
    assert_eq!(bench.show(&plan), "a.env =secret>=old; made =1>-; ~out/x Ignored");
    let plan = bench.plan(now, now, &[], &[]);
    assert_eq!(bench.show(&plan), "made =1>-; ~a.env Ignored; ~out/x Ignored");
}

#[test]
fn restore_plan_unreadable_folder_content_stays() {
    let bench = Bench::new();
    let now = &["d/x=hours of work", "d/e/y=more", "made=1"][..];
    let plan = bench.plan(now, now, &["d?"], &[]);
    assert_eq!(bench.show(&plan), "made =1>-; ~d NotRecorded; ~d/e/y NotRecorded; ~d/x NotRecorded");
    let plan = bench.plan(now, now, &["d/e?"], &[]);
    assert_eq!(bench.show(&plan), "d/x =hours of work>-; made =1>-; ~d/e NotRecorded; ~d/e/y NotRecorded");
}

#[test]
fn restore_plan_undoes_one_of_two_turns() {
    let bench = Bench::new();
    let states = [&["a=1\n2\n3\n4\n"][..], &["a=X\n2\n3\n4\n", "n=1"], &["a=X\n2\n3\nY\n", "n=1"]]
        .map(|s| bench.state(s));
    let step = Step { base: states[1].clone(), target: states[0].clone() };
    let plan = plan(&bench.store, &states[2], &[step], &Decisions::new()).unwrap();
    assert_eq!(bench.show(&plan), "a =X|2|3|Y|>=1|2|3|Y|; n =1>-; +a");
}

proptest::proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn restore_plan_removes_nothing_in_unread_folders(
        now in proptest::collection::btree_set("[ab]/[ab]/[ab]|[ab]/[cd]|[cd]", 1..12),
        was in proptest::collection::btree_set("[ab]/[ab]/[ab]|[ab]/[cd]|[cd]", 0..12),
        unread in "[ab]|[ab]/[ab]",
    ) {
        let bench = Bench::new();
        let inside = |name: &String| name.starts_with(&format!("{unread}/"));
        let now: Vec<String> = now.iter().map(|name| format!("{name}=now")).collect();
        let unread_too = [format!("{unread}?")];
        let was: Vec<String> = was.iter().filter(|name| !inside(name)).map(|name| format!("{name}=was")).collect();
        let was: Vec<&str> = was.iter().chain(&unread_too).map(String::as_str).collect();
        let now: Vec<&str> = now.iter().map(String::as_str).collect();
        let plan = bench.plan(&now, &now, &was, &[]);
        let unread = Name::from_bytes(unread.as_bytes()).unwrap();
        for change in &plan.changes {
            proptest::prop_assert!(!change.name.is_in(&unread), "{}", bench.show(&plan));
        }
    }
}

proptest::proptest! {
    #![proptest_config(crate::base::seeds::cases(200))]

    /// Whatever happened in between: what is decided is what is done, and what is not said is not done.
    #[test]
    fn restore_plan_any_decisions_are_followed(
        states in proptest::collection::vec(
            proptest::collection::vec("#?(a|b|d|d/a|a\\.restored)(=[123]|=[123]|@1|\\?)", 0..4), 3..8,
        ),
        decided in proptest::collection::vec(0usize..3, 8),
    ) {
        let bench = Bench::new();
        let states: Vec<Arc<Files>> = states
            .iter()
            .map(|items| {
                // Nothing is below a file.
                let is_file = items.iter().any(|item| item.starts_with("d=") || item.starts_with("#d="));
                let items = items.iter().map(String::as_str).filter(|item| !is_file || !item.contains("d/"));
                let other = |item: &&str| !item.starts_with('d') && !item.starts_with("#d") || item.contains("d/") || is_file;
                bench.state(&items.filter(other).collect::<Vec<_>>())
            })
            .collect();
        let steps: Vec<Step> = states[1..]
            .windows(2)
            .map(|pair| Step { base: pair[0].clone(), target: pair[1].clone() })
            .collect();
        let all = [Decision::Ours, Decision::Theirs, Decision::KeepBoth];
        let names = ["a", "b", "d", "d/a", "a.restored"].iter().zip(&decided);
        let decisions =
            names.map(|(name, n)| (Name::from_bytes(name.as_bytes()).unwrap(), all[*n])).collect();
        let now = &states[0];
        let plan = plan(&bench.store, now, &steps, &decisions).unwrap();
        let told = bench.show(&plan);
        for conflict in &plan.conflicts {
            proptest::prop_assert_eq!(conflict.ours, now.get(&conflict.name).copied(), "{}", told);
            let change = plan.changes.iter().find(|change| change.name == conflict.name);
            let to = change.map(|change| change.to);
            let wanted = (conflict.decision == Decision::Theirs).then_some(conflict.theirs);
            proptest::prop_assert_eq!(to, wanted, "{} {:?}", told, conflict);
        }
        for merged in &plan.merged {
            proptest::prop_assert!(plan.conflicts.iter().all(|conflict| conflict.name != *merged), "{}", told);
        }
        let mut then = (**now).clone();
        for change in &plan.changes {
            match change.to {
                Some(node) => then.insert(change.name.clone(), node),
                None => then.remove(&change.name),
            };
        }
        for name in then.keys() {
            let in_folders = name.folders().all(|folder| then.get(&folder).is_some_and(|node| node.is_folder()));
            proptest::prop_assert!(in_folders, "{} {}", name, told);
        }
    }
}

#[test]
fn restore_plan_unrecorded_file_keeps_both() {
    let bench = Bench::new();
    let plan = bench.plan(&["u?", "u.restored=2"], &["u=1"], &["u=2"], &[("u", Decision::Theirs)]);
    assert_eq!(bench.show(&plan), "u.restored-2 ->=2; !u Unrecorded =2");
}
