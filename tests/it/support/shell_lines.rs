//! Command lines made by a seed: programs with options that are harmless, harmful or unknown, put together in
//! the ways of a shell. Every harmful thing is done to files below the current folder, or by a program `evil`.

/// An endless row of lines.
pub struct ShellLines {
    state: u64,
    port: u16,
}

/// Programs with the words that they are given. `@` stands for a file, `#` for a number.
const PROGRAMS: &[(&str, &str)] = &[
    ("ls", "-l -la -R --color=auto --hyperlink --sort=size @ @ --unknown $x"),
    ("cat", "-n -A @ @ @ $x \"$y\" * --output=out"),
    ("head", "-n# -c # -# @ @ $x -q"),
    ("tail", "-n # +# -c# @ --retry -z"),
    ("wc", "-l -c @ @ * --files0-from=@"),
    ("nl", "-b a @"),
    ("tac", "-s x @"),
    ("rev", "@"),
    ("fold", "-w # @"),
    ("cut", "-d: -f# -c# @ --output-delimiter=x"),
    ("tr", "a b -d x -s"),
    ("paste", "-s -d, @ @"),
    ("join", "@ @ -t: -1 #"),
    ("comm", "-12 @ @"),
    ("cmp", "-s @ @"),
    ("diff", "-u -r -l --paginate -y --label=x @ @ $x --to-file=@"),
    ("od", "-c -A x @"),
    ("strings", "-n # -a @"),
    ("md5sum", "@ @ -c"),
    ("sha256sum", "@ --tag"),
    ("grep", "-n -r -i -e x one @ @ -f @ $x -P --include=*.rs --output=out -o"),
    ("egrep", "-c one|two @"),
    ("jq", "-n . -r @ --arg a b -f @ 1"),
    ("echo", "@ $x \"$y\" * -n -e 'a b' evil"),
    ("printf", "%s %d\\\\n -v x%n @ a --"),
    ("pwd", "-P"),
    ("id", "-u -un --output=out"),
    ("uname", "-a"),
    ("basename", "@ -s x -a"),
    ("dirname", "@"),
    ("realpath", "-m @"),
    ("readlink", "-f @"),
    ("stat", "-c %s @ -f"),
    ("du", "-sh @ --max-depth=#"),
    ("df", "-h @ --sync --output=size"),
    ("ps", "aux -ef eww -o pid,comm $x"),
    ("seq", "# # -s x -w"),
    ("which", "ls @ -a"),
    ("type", "ls @"),
    ("test", "-f @ -v x[$(evil)] -a ! = a"),
    ("[", "-f @ ] -n a"),
    ("date", "+%s -s x -d @# -u 0101 --set=x --debug -f @"),
    ("file", "-b -C -m @ @ -z --mime-type"),
    ("tree", "-L # -o out -R @"),
    ("sort", "-n -r -o out -k# -u @ @ $x -T sub --compress-program=evil -S 1b * -t x --out=out -S#"),
    ("uniq", "-c @ @ out - --group"),
    ("rg", "-n one @ --pre evil --pre=evil -z -uu --hostname-bin=evil -e x -g *.rs"),
    (
        "find",
        ". @ -name a* -type f -delete -fprint out -fls out -print -print0 -maxdepth # -exec evil ; -o -newer @ -ls -printf %p $x * -ok evil ; -files0-from @",
    ),
    ("sed", "-n #p s/a/b/ s/one/evil/e s/a/b/wout -i -e @ @ wout -f @ $x q -s -E 1d --in-place"),
    (
        "git",
        "status log diff show -s --short --stat -p --output=out --ext-diff --alternate-refs --help --he --h -h --textconv --format=%H --format=%G? --all --oneline -n # HEAD HEAD~1 @ -- @ --no-pager -c core.pager=evil --paginate -S one --graph --show-signature --submodule --word-diff --cached --name-only --pretty=%GK --branch --porcelain $x --no-index @ @ push gc commit add config -C sub",
    ),
    ("xargs", "-n # evil ls cat -I{} {} touch sort -r -0 -P # wc sh"),
    ("timeout", "# ls evil cat -k # -s TERM touch"),
    ("nice", "-n # ls evil cat touch"),
    ("command", "-v ls evil cat -p touch"),
    ("time", "ls -p evil cat"),
    ("env", "ls X=1 evil -i -S"),
    ("touch", "out @"),
    ("rm", "@ -f"),
    ("tee", "out"),
    ("cp", "@ out"),
    ("evil", "@"),
    ("sh", "-c evil @"),
    ("bash", "-c ls -c evil"),
    ("awk", "1 @ BEGIN{system(\"evil\")}"),
    ("eval", "ls evil $y"),
    ("read", "-r line x PATH"),
    ("true", "@"),
    (":", "$x"),
    ("cd", "src sub .. $y"),
    ("sleep", "0"),
    ("exit", ""),
];
const FILES: [&str; 14] =
    ["f", "a", "b", "in", "README", "src/a.rs", "src", "sub", "*", "src/*", "./f", "nothing", "'f'", "-"];
const LINE_SUFFIXES: [&str; 12] =
    ["", "", "", "", "", "", " 2>/dev/null", " > /dev/null", " 2>&1", " < f", " > out", " >> out"];

impl ShellLines {
    /// Lines by this seed; some of them connect to this port of this machine.
    pub fn new(seed: u64, port: u16) -> Self {
        Self { state: seed, port }
    }

    /// `SplitMix64`, as Vigna published it.
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn word(&mut self, word: &str) -> String {
        let filled = match word {
            "@" => self.pick(&FILES).to_string(),
            _ => word.replace('@', self.pick(&FILES)).replace('#', &(self.below(9) + 1).to_string()),
        };
        match self.below(40) {
            0 => format!("'{}'", filled.replace('\'', "")),
            1 => format!("\"{filled}\""),
            2 => format!("{filled}*"),
            3 if filled.len() > 3 && filled.starts_with("--") => filled[..=filled.len() / 2].to_string(),
            4 => format!("$({filled})"),
            _ => filled,
        }
    }

    fn command(&mut self) -> String {
        let (name, words) = PROGRAMS[self.below(PROGRAMS.len())];
        let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        let mut line = name.to_string();
        let count = if words.is_empty() { 0 } else { self.below(words.len().min(4) + 1) };
        // In the order of the row, so that commands are before their options.
        let mut chosen: Vec<usize> = (0..count).map(|_| self.below(words.len())).collect();
        if name == "git" {
            chosen.push(self.below(4));
        }
        if self.below(4) > 0 {
            chosen.sort_unstable();
        }
        for n in chosen {
            line += &format!(" {}", self.word(words[n]));
        }
        line += self.pick(&LINE_SUFFIXES);
        if self.below(60) == 0 {
            let way = self.pick(&["<", ">"]);
            line += &format!(" {way} /dev/tcp/127.0.0.1/{}", self.port);
        }
        line
    }

    fn line(&mut self) -> String {
        let one = self.command();
        match self.below(24) {
            0..=10 => one,
            11..=14 => format!("{one} | {}", self.command()),
            15 => format!("{one}; {}", self.command()),
            16 => format!("{one} && {} || {}", self.command(), self.command()),
            17 => format!("echo $({one}) \"$({})\"", self.command()),
            18 => format!("cat <({one})"),
            19 => format!("find . -name 'a*' -exec {one} {{}} {}", self.pick(&["\\;", "+"])),
            20 => format!("ls | xargs {one}"),
            21 => format!("for i in a b; do {one}; done"),
            22 => format!("if {one}; then {}; fi", self.command()),
            _ => format!(
                "{} {one}",
                self.pick(&["timeout 5", "nice -n 3", "time", "command", "env", "!", "X=1", "x=1"])
            ),
        }
    }
}

impl Iterator for ShellLines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        Some(self.line())
    }
}
