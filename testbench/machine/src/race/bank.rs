//! A hook in each L2 bank: requests are served in the order of the unit's tokens (specification
//! 5.6).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::ideal::Ideal;
use super::numbers::bank_number;
use super::parameters::Parameters;
use super::rule::Rule;
use crate::build::make::{Made, Make};
use crate::cache::Way;
use crate::context::message::{Message, Unit};
use crate::engine::pool::Handle;
use crate::l2::{BankHook, BankPort, Fifos};

/// Makes the hook of a bank.
pub fn new(make: &mut Make) -> Made<dyn BankHook> {
    let parameters = Parameters::of(make.system)?;
    let fifos = Fifos::new(make.system, parameters.places);
    let (tokens, without) = (Tokens::Unit(VecDeque::new()), parameters.without);
    Ok(Box::new(Ordered { fifos, tokens, without }))
}

/// Likewise, with tokens that take no time.
pub fn ideal(make: &mut Make) -> Made<dyn BankHook> {
    let parameters = Parameters::of(make.system)?;
    let fifos = Fifos::new(make.system, parameters.places);
    let tokens = Tokens::Ideal(Ideal::of(make, &parameters));
    Ok(Box::new(Ordered { fifos, tokens, without: None }))
}

#[derive(Debug)]
struct Ordered {
    fifos: Fifos,
    tokens: Tokens,
    without: Option<Rule>,
}

/// CUs in the order in which they are served.
#[derive(Debug)]
enum Tokens {
    /// Those that have come from the unit.
    Unit(VecDeque<Unit>),
    Ideal(Rc<RefCell<Ideal>>),
}

impl Ordered {
    fn keeps(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// Without the order of a line: the request of the last token passes that of the one before.
    #[cold]
    fn pass(&mut self, port: &BankPort) {
        let Tokens::Unit(tokens) = &mut self.tokens else { return };
        let &mut [.., before, last] = tokens.make_contiguous() else { return };
        let line = |cu| {
            let request = self.fifos.oldest(&port.ctx.layout, cu)?;
            Some(port.ctx.messages[request].addr)
        };
        if before != last && line(before).is_some() && line(before) == line(last) {
            let at = tokens.len() - 1;
            tokens.swap(at - 1, at);
        }
    }
}

impl BankHook for Ordered {
    fn tick(&mut self, port: &mut BankPort) {
        if self.orders() && self.keeps(Rule::FifoPerSm) {
            self.fifos.take(port, |_| {});
        }
    }

    fn message(&mut self, port: &mut BankPort, message: Handle<Message>) {
        let Tokens::Unit(tokens) = &mut self.tokens else { unreachable!("there is no unit") };
        tokens.push_back(Unit(port.ctx.messages[message].sideband.get(16)));
        port.ctx.messages.free(message);
        if !self.keeps(Rule::LineOrder) {
            self.pass(port);
        }
    }

    fn orders(&self) -> bool {
        self.keeps(Rule::TokenOrder)
    }

    fn pick(&mut self, port: &mut BankPort) -> Option<Handle<Message>> {
        let cu = match &self.tokens {
            Tokens::Unit(tokens) => tokens.front().copied(),
            Tokens::Ideal(unit) => {
                let mut unit = unit.borrow_mut();
                unit.settle(port.ctx);
                unit.token(bank_number(port.ctx, port.bank.unit))
            }
        }?;
        if !self.keeps(Rule::FifoPerSm) {
            let first = port.ctx.peek(port.bank.requests);
            return first.filter(|&request| port.ctx.messages[request].from == cu);
        }
        self.fifos.oldest(&port.ctx.layout, cu)
    }

    fn served(&mut self, port: &mut BankPort) {
        let cu = match &mut self.tokens {
            Tokens::Unit(tokens) => tokens.pop_front(),
            Tokens::Ideal(unit) => {
                let bank = bank_number(port.ctx, port.bank.unit);
                unit.borrow_mut().take_token(bank)
            }
        };
        if !self.keeps(Rule::FifoPerSm) {
            port.ctx.take(port.bank.requests);
            return;
        }
        self.fifos.served(&port.ctx.layout, cu.expect("it was granted"));
    }

    fn answer(
        &mut self,
        port: &mut BankPort,
        _way: Way,
        asked: &Message,
        answer: Handle<Message>,
        line: &[u8],
    ) {
        let Some(order) = &mut port.ctx.sequential else { return };
        port.ctx.messages[answer].sideband = order.serve(asked, line).packed();
    }
}
