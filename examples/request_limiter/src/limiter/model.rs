//! The model of `request_limiter`, written from the rules in `rtl/request_limiter/README.md`.

use hwmodel::{Block, Model, State};
use ports::{ConfigError, Parameters};

use super::ports::{Config, In, Out};

/// A token bucket.
#[derive(Clone, Debug)]
pub struct RequestLimiter {
    config: Config,
    tokens: u32,
    /// Cycles before the one in which a token is added.
    wait: u32,
}

impl RequestLimiter {
    fn add_token(&mut self) {
        self.tokens = (self.tokens + 1).min(self.config.burst);
    }
}

impl Block for RequestLimiter {
    type In = In;
    type Out = Out;

    fn outputs(&self) -> Out {
        Out { request_ready: self.tokens > 0 }
    }

    fn tick(&mut self, inputs: &In) -> Out {
        let out = self.outputs();
        if inputs.request_valid && out.request_ready {
            self.tokens -= 1;
        }
        match self.wait.checked_sub(1) {
            Some(wait) => self.wait = wait,
            None => {
                self.wait = self.config.period - 1;
                self.add_token();
            }
        }
        out
    }

    fn quiet_cycles(&self) -> u64 {
        let first = u64::from(self.wait) + 1;
        match self.tokens {
            0 => first,
            // Only `wait` changes, with the period that `Model::period` returns.
            full if full == self.config.burst => u64::MAX,
            some => first + u64::from(self.config.burst - some - 1) * u64::from(self.config.period),
        }
    }

    fn skip_quiet(&mut self, cycles: u64) {
        let period = u64::from(self.config.period);
        // Cycles since the last token, as if one had been added before the first cycle.
        let since = period - 1 - u64::from(self.wait) + cycles % period;
        let tokens = cycles / period + since / period;
        self.wait = (period - 1 - since % period) as u32;
        self.tokens =
            tokens.saturating_add(self.tokens.into()).min(self.config.burst.into()) as u32;
    }

    fn show_state(&self, state: &mut State) {
        state.bits("tokens", 5, self.tokens);
        state.bits("wait", 8, self.wait);
    }
}

impl Model for RequestLimiter {
    const NAME: &'static str = "request_limiter";
    type Config = Config;

    fn new(config: &Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self { config: config.clone(), tokens: config.burst, wait: config.period - 1 })
    }

    fn period(config: &Config) -> u64 {
        config.period.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_one_request_in_a_period() {
        let mut limiter = RequestLimiter::new(&Config { burst: 2, period: 3 }).unwrap();
        let passed = (0..12).map(|_| limiter.tick(&In { request_valid: true }).request_ready);
        let passed: Vec<_> =
            passed.enumerate().filter(|(_, ready)| *ready).map(|(c, _)| c).collect();
        // Rules 1 and 3: two tokens; rule 4: others are added in cycles 2, 5 and 8.
        assert_eq!(passed, [0, 1, 3, 6, 9]);
    }

    /// RTL in lockstep with the model is not clocked then.
    #[test]
    fn a_limiter_that_waits_for_ever_is_as_it_was_after_each_period() {
        let config = Config { burst: 3, period: 5 };
        let mut limiter = RequestLimiter::new(&config).unwrap();
        let mut waits = 0;
        for cycle in 0..200 {
            limiter.tick(&In { request_valid: cycle % 100 < 10 });
            if limiter.quiet_cycles() == u64::MAX {
                let mut later = limiter.clone();
                (0..RequestLimiter::period(&config)).for_each(|_| _ = later.tick(&In::default()));
                assert_eq!((later.tokens, later.wait), (limiter.tokens, limiter.wait));
                waits += 1;
            }
        }
        assert!(waits > 50);
    }

    #[test]
    fn skipped_cycles_are_cycles_without_a_request() {
        for (burst, period) in [(1, 1), (3, 1), (2, 3), (5, 7)] {
            let mut limiter = RequestLimiter::new(&Config { burst, period }).unwrap();
            (0..burst + 2).for_each(|_| _ = limiter.tick(&In { request_valid: true }));
            for cycles in 0..40 {
                let (mut ticked, mut skipped) = (limiter.clone(), limiter.clone());
                (0..cycles).for_each(|_| _ = ticked.tick(&In::default()));
                skipped.skip_quiet(cycles);
                assert_eq!((ticked.tokens, ticked.wait), (skipped.tokens, skipped.wait));
            }
        }
    }
}
