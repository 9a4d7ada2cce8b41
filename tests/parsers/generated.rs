//! Scripts made up from the shell's grammar, the same ones at each run.
//!
//! They leave out what `brush-parser` is known to misread, which `disagreements.tsv` shows.

/// Makes scripts.
pub(super) struct Generator {
    state: u64,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed | 1 }
    }

    pub(super) fn script(&mut self) -> String {
        let list = self.list(3);
        let document = ["<<E\n", "<<'E'\n", "<<-\"E\"\n\t"];
        match self.below(6) {
            kind @ 0..3 => {
                let text = self.one(&["it's", "rm -rf \"a", "\\$(x)", "b $(rm c) `ls`"]);
                format!("{list}; cat {}{text}\nE\nls # rm 'x", document[kind])
            }
            _ => list + self.one(&["", "\n", " # rm 'x", " &"]),
        }
    }

    /// A number below `end`, by xorshift.
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap_or_default() % end
    }

    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn list(&mut self, depth: usize) -> String {
        let mut list = self.command(depth);
        for _ in 0..self.below(3) {
            let ends = [" | ", "&&", " || ", "; ", " |& ", " |\n", " &&\n ", " & ", "\n", " #'\n"];
            list.push_str(self.one(&ends));
            list.push_str(&self.command(depth));
        }
        list
    }

    fn command(&mut self, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return self.simple(0) };
        let (word, list) = (self.word(depth), self.list(depth));
        match self.below(14) {
            0 => format!("( ls; {list} )"),
            1 => format!("{{ {list}\n}}"),
            2 => format!(
                "if {list}\nthen {}\nelif ls; then :; else {};fi",
                self.list(depth),
                self.simple(0)
            ),
            3 => format!("while {list}\ndo {}; done 2>{word}", self.simple(depth)),
            4 => format!("for x in {word} {}; do {list}\ndone", self.word(depth)),
            5 => format!("case {word} in a|'b c') {list};; (*) {};; esac", self.simple(0)),
            6 => format!(
                "{} {{ {list}\n}}",
                self.one(&["f()", "my-f ( )", "function g", "function h ()"])
            ),
            7 => format!("[[ -n {word} && a < b || {} == a* ]] && {list}", self.word(depth)),
            8 => format!("[ {word} ]; {list}"),
            9 => format!("until ls\ndo {list}\ndone >{word}"),
            _ => self.simple(depth),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut parts: Vec<String> = Vec::new();
        match self.below(6) {
            0 => parts.push(format!("a=({} 'x y')", self.plain())),
            1 => parts.push(format!("A+={}", self.plain())),
            2 => parts.push(format!(">{}", self.plain())),
            _ => {}
        }
        let programs = ["rm", "git", "/bin/ls", "\\rm", "'echo'", "$cmd", "r\"m\""];
        parts.push(self.one(&programs).to_owned());
        for _ in 0..self.below(4) {
            let word = self.word(depth);
            parts.push(match self.below(12) {
                0 => format!(">{word}"),
                1 => "2>&1".to_owned(),
                2 => format!("<<< {word}"),
                3 => format!("&>> {word}"),
                4 => format!("3< {word}"),
                _ => word,
            });
        }
        parts.join(self.one(&[" ", "  ", "\t", " \\\n "]))
    }

    fn word(&mut self, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else { return self.plain() };
        match self.below(12) {
            0 => format!("$( {} )", self.list(depth)),
            1 => format!("\"p $({}\n) q\"", self.list(depth)),
            2 => format!("`{}`", self.one(&["rm a", "git 'b c' | ls", "rm \"d\"; ls"])),
            3 => format!(
                "${{z:-{}}}",
                self.one(&["a", "'b}'", "\"c $x\"", "$(rm d)", "\\}", "$'e\\'f'"])
            ),
            4 => format!("\"${{z:-{}}}\"", self.one(&["b", "$(rm 'd')", "`ls`", "\\}"])),
            5 => format!("<( {} )", self.list(depth)),
            6 => "$(( $(rm a) + (1 << 2) ))".to_owned(),
            7 => format!("{}{}", self.plain(), self.plain()),
            8 => format!("${{z/{}/$(rm a)}}", self.one(&["a", "'}'", "\\}"])),
            _ => self.plain(),
        }
    }

    fn plain(&mut self) -> String {
        self.one(&[
            "-rf",
            "a",
            "'b c'",
            "\"d $x\"",
            "~/e",
            "*.txt",
            "$'f\\'g'",
            "h\\ i",
            "{j,k}",
            "a#b",
            "$((1 << 2))",
            "x=1",
            "\"it's\"",
            "''",
            "$\"l\"",
            "$$",
            "${y}",
            "if",
            "\"m\\\"n\"",
            "ö",
        ])
        .to_owned()
    }
}
