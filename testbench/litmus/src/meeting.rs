//! Which threads meet at a barrier: the n-th use of a number by each thread that uses it.

use crate::test::{Step, Test};

/// The meetings of a test, each with the steps that wait for each other, by thread. They are in an
/// order that all threads pass them in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meetings(Vec<Vec<(usize, usize)>>);

impl Meetings {
    /// Those of a test that was checked.
    pub fn of(test: &Test) -> Self {
        Self::find(test).expect("a test is checked when it is read")
    }

    /// The meetings. An error is a step that waits for ever: threads pass barriers in different
    /// orders, or one does not come.
    pub fn find(test: &Test) -> Result<Self, (usize, usize)> {
        let barriers = |thread: usize| -> Vec<(usize, u32)> {
            let steps = test.threads[thread].steps.iter().enumerate();
            let number = |(at, step): (usize, &Step)| match step {
                Step::Barrier(number) => Some((at, *number)),
                _ => None,
            };
            steps.filter_map(number).collect()
        };
        let all: Vec<_> = (0..test.threads.len()).map(barriers).collect();
        let mut passed = vec![0; all.len()];
        let mut meetings = Vec::new();
        let waits = |passed: &[usize], thread: usize| all[thread].get(passed[thread]).copied();
        loop {
            // The threads that share a number, each at its place; `None` where one is elsewhere.
            let meeting = |thread: usize| {
                let (_, number) = waits(&passed, thread)?;
                let place = |thread: usize| (test.threads[thread].gpu, test.threads[thread].cta);
                let uses = |other: &usize| {
                    place(*other) == place(thread)
                        && all[*other].iter().any(|&(_, used)| used == number)
                };
                let come = |other: usize| {
                    let (step, waited) = waits(&passed, other)?;
                    (waited == number).then_some((other, step))
                };
                (0..all.len()).filter(uses).map(come).collect::<Option<Vec<_>>>()
            };
            match (0..all.len()).find_map(meeting) {
                Some(meeting) => {
                    meeting.iter().for_each(|&(thread, _)| passed[thread] += 1);
                    meetings.push(meeting);
                }
                None => {
                    let left = (0..all.len())
                        .find_map(|thread| waits(&passed, thread).map(|(step, _)| (thread, step)));
                    return left.map_or(Ok(Self(meetings)), Err);
                }
            }
        }
    }

    /// Those of some threads, in their order.
    pub fn among(&self, threads: &[usize]) -> impl Iterator<Item = &[(usize, usize)]> {
        let own = |meeting: &&Vec<(usize, usize)>| threads.contains(&meeting[0].0);
        self.0.iter().filter(own).map(Vec::as_slice)
    }

    /// The meeting at a thread's barrier.
    pub fn at(&self, thread: usize, step: usize) -> &[(usize, usize)] {
        let found = self.0.iter().find(|meeting| meeting.contains(&(thread, step)));
        found.expect("each barrier is of a meeting")
    }

    /// Whether meetings stand between two steps, of a thread and a step each: the first step is
    /// before one, and the other one behind it or behind one that follows from it.
    pub fn separate(&self, before: (usize, usize), behind: (usize, usize)) -> bool {
        // Threads that have passed one that comes after `before`, and the step of it.
        let mut reached: Vec<(usize, usize)> = vec![before];
        let mut is_separate = false;
        for meeting in &self.0 {
            let follows = |&(thread, step): &(usize, usize)| {
                reached.iter().any(|&(other, at)| other == thread && at < step)
            };
            if meeting.iter().any(follows) {
                is_separate |=
                    meeting.iter().any(|&(thread, step)| thread == behind.0 && step < behind.1);
                reached.extend(meeting);
            }
        }
        is_separate
    }
}
