//! A litmus file's words, each with its line.

use super::ParseError;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word; nothing at the end of the file.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// Words of several signs; any other sign is one.
const SIGNS: [&str; 9] = ["==", "!=", "<=", ">=", "/\\", "\\/", "&&", "++", "--"];

/// The rest of a file.
#[derive(Debug)]
pub struct Words<'a> {
    file: &'a str,
    rest: &'a str,
    line: usize,
    is_c: bool,
}

impl<'a> Words<'a> {
    /// All of it.
    pub fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, rest: text, line: 1, is_c: false }
    }

    /// From here on signs of C end a word: of PTX `.`, `+` and `-` are in words, and `%` begins
    /// one.
    pub fn be_c(&mut self) {
        self.is_c = true;
    }

    fn pass(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
        passed
    }

    /// Passes spaces and comments: `//` to the end of the line, `(*` to `*)`, `/*` to `*/`.
    fn pass_spaces(&mut self) {
        loop {
            let spaces = self.rest.len() - self.rest.trim_start().len();
            self.pass(spaces);
            if self.rest.starts_with("//") {
                self.pass(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("(*") {
                self.pass(self.rest.find("*)").map_or(self.rest.len(), |at| at + 2));
            } else if self.rest.starts_with("/*") {
                self.pass(self.rest.find("*/").map_or(self.rest.len(), |at| at + 2));
            } else {
                return;
            }
        }
    }

    /// The next word.
    pub fn next(&mut self) -> Word {
        self.pass_spaces();
        let line = self.line;
        let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign));
        let is_c = self.is_c;
        let is_word = |c: char| {
            c.is_ascii_alphanumeric() || c == '_' || !is_c && matches!(c, '.' | '-' | '+')
        };
        let begun = usize::from(!is_c && self.rest.starts_with('%'));
        let bytes = match sign {
            Some(sign) => sign.len(),
            None => match self.rest[begun..].find(|c| !is_word(c)).map(|at| at + begun) {
                Some(0) => self.rest.chars().next().map_or(0, char::len_utf8),
                Some(at) => at,
                None => self.rest.len(),
            },
        };
        Word { text: self.pass(bytes).to_string(), line }
    }

    /// The same, which stays.
    pub fn peek(&self) -> Word {
        Self { ..*self }.next()
    }

    /// The next word must be this one. `what`: what it must be, for a person.
    pub fn must(&mut self, text: &str, what: &str) -> Result<(), ParseError> {
        let word = self.next();
        match word.text == text {
            true => Ok(()),
            false => Err(self.error(&word, &format!("must be {what}"))),
        }
    }

    /// What is left of the line, without a comment.
    pub fn rest_of_line(&mut self) -> Word {
        let line = self.line;
        let all = self.pass(self.rest.find('\n').unwrap_or(self.rest.len()));
        let all = all.split("//").next().unwrap_or_default();
        Word { text: all.trim().to_string(), line }
    }

    /// Passes the texts in quotes that come.
    pub fn pass_strings(&mut self) -> Result<(), ParseError> {
        loop {
            self.pass_spaces();
            let line = self.line;
            let Some(rest) = self.rest.strip_prefix('"') else { return Ok(()) };
            let Some(end) = rest.find('"') else {
                let word = Word { text: "\"".into(), line };
                return Err(self.error(&word, "starts a string without an end"));
            };
            self.pass(end + 2);
        }
    }

    /// Passes the next word if it is this one.
    pub fn pass_if(&mut self, text: &str) -> bool {
        let is_it = self.peek().text == text;
        if is_it {
            self.next();
        }
        is_it
    }

    /// What is wrong with a word.
    pub fn error(&self, word: &Word, problem: &str) -> ParseError {
        let text = if word.text.is_empty() { "end of the file" } else { &word.text };
        ParseError {
            file: self.file.to_string(),
            line: word.line,
            word: text.to_string(),
            problem: problem.to_string(),
        }
    }
}
