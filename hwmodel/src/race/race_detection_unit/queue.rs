//! Requests of the SMs that wait for stage B, in their order (specification 5.2).

use ports::race::types::{MAX_SMS, Req};

use super::choices::Order;
use crate::state::State;

/// One queue for each SM.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    /// `places` of each SM.
    ring: Box<[Req]>,
    places: u8,
    head: [u8; MAX_SMS],
    count: [u8; MAX_SMS],
    /// Bit i: the queue of SM i is full; has a request.
    full: u16,
    waiting: u16,
}

impl Queues {
    pub fn new(sms: u32, places: u32) -> Self {
        Self {
            ring: vec![Req::default(); (sms * places) as usize].into(),
            places: places as u8,
            head: [0; MAX_SMS],
            count: [0; MAX_SMS],
            full: 0,
            waiting: 0,
        }
    }

    #[inline(always)]
    pub fn full(&self) -> u16 {
        self.full
    }

    #[inline(always)]
    pub fn waiting(&self) -> u16 {
        self.waiting
    }

    /// Place of an SM's request, by its age.
    #[inline(always)]
    fn place(&self, sm: usize, age: u8) -> usize {
        let (place, places) = (u32::from(self.head[sm]) + u32::from(age), u32::from(self.places));
        let wrapped = if place >= places { place - places } else { place };
        sm * usize::from(self.places) + wrapped as usize
    }

    /// Adds a request to a queue that is not full.
    #[inline(always)]
    pub fn push(&mut self, sm: usize, req: Req) {
        let place = self.place(sm, self.count[sm]);
        self.ring[place] = req;
        self.count[sm] += 1;
        self.waiting |= 1 << sm;
        self.full |= u16::from(self.count[sm] == self.places) << sm;
    }

    /// Removes the request that is served next from a queue that has one.
    #[inline(always)]
    pub fn pop(&mut self, sm: usize, order: Order) -> Req {
        let count = self.count[sm] - 1;
        let age = if order == Order::Oldest { 0 } else { count };
        let place = self.place(sm, age);
        if order == Order::Oldest {
            let next = self.head[sm] + 1;
            self.head[sm] = if next == self.places { 0 } else { next };
        }
        self.count[sm] = count;
        self.full &= !(1 << sm);
        self.waiting &= !(u16::from(count == 0) << sm);
        self.ring[place]
    }

    /// The registers of SM `sm`.
    pub fn show_state(&self, state: &mut State, sm: usize) {
        let width = crate::state::width_of(self.places.into());
        state.part("fifo", |state| state.bits("count", width, self.count[sm]));
        for age in 0..self.places {
            let held = age < self.count[sm];
            let req = self.ring[self.place(sm, age)];
            state.part(format_args!("request[{age}]"), |state| show_request(&req, state, held));
        }
    }
}

/// Its fields as registers, which are compared while it is `held`.
pub(super) fn show_request(req: &Req, state: &mut State, held: bool) {
    let Req { kind, id, mask, addr } = *req;
    state.bits_while(held, "kind", 2, kind);
    state.bits_while(held, "id", 8, id);
    state.bits_while(held, "mask", 128, mask);
    state.bits_while(held, "addr", 32, addr);
}
