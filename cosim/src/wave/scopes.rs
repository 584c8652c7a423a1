//! The hierarchy of a waveform, before it is written.

use std::io;

use super::sink::Sink;

/// A scope: its variables, and the scopes in it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    name: String,
    /// Names and signals.
    variables: Vec<(String, usize)>,
    scopes: Vec<Scope>,
}

impl Scope {
    /// The scope of this path in this one, which is made where there is none.
    pub fn at<'a>(&mut self, path: impl IntoIterator<Item = &'a str>) -> &mut Self {
        path.into_iter().fold(self, |scope, name| {
            let found = scope.scopes.iter().position(|inner| inner.name == name);
            let at = found.unwrap_or_else(|| {
                scope.scopes.push(Self { name: name.to_string(), ..Self::default() });
                scope.scopes.len() - 1
            });
            &mut scope.scopes[at]
        })
    }

    /// Adds a variable.
    pub fn add(&mut self, name: &str, signal: usize) {
        self.variables.push((variable_name(name), signal));
    }

    /// Declares what is in it. `width` tells the bits of a signal.
    pub fn declare(&self, sink: &mut dyn Sink, width: &dyn Fn(usize) -> u32) -> io::Result<()> {
        for (name, signal) in &self.variables {
            sink.variable(name, width(*signal), *signal)?;
        }
        for inner in &self.scopes {
            sink.scope(&inner.name)?;
            inner.declare(sink, width)?;
            sink.upscope()?;
        }
        Ok(())
    }
}

/// The name of a variable in a file: `[i]` of an array's element is `_i`, because viewers read
/// `[i]` as a bit.
pub fn variable_name(name: &str) -> String {
    name.replace("][", "_").replace('[', "_").replace(']', "")
}
