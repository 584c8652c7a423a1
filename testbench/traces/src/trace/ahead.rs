//! A second thread reads and decompresses work-groups before they are asked for. What is read, and
//! what is wrong with it, is the same as without; only who does the work differs.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::{Error, Group, Reader};

/// Work-groups that are read behind the one asked for last: each part of a machine goes through its
/// share of a kernel in ascending order.
const NEXT: usize = 8;
/// Most work-groups that are ahead, and about the most bytes of their instructions.
const MOST: usize = 64;
const MOST_BYTES: usize = 64 << 20;

/// Kernel and work-group.
type Number = (u32, u32);
type Answer = (Number, Result<Group, Error>);

/// The other thread, which ends with this.
pub struct Ahead {
    orders: Sender<Number>,
    answers: Receiver<Answer>,
    kernel: Option<u32>,
    /// Work-groups of this kernel that were read or ordered.
    ordered: Vec<bool>,
    /// Those that were ordered and not yet asked for, and what came.
    waiting: HashMap<u32, Option<Result<Group, Error>>>,
    /// Most that may wait, by the size of the last that came.
    room: usize,
}

impl Ahead {
    /// Starts the thread, which has a reader of its own.
    pub fn start(mut reader: Reader) -> io::Result<Self> {
        let (orders, to_read) = channel();
        let (read, answers) = channel();
        thread::Builder::new().name("trace".to_string()).spawn(move || {
            for (kernel, group) in to_read {
                if read.send(((kernel, group), reader.group(kernel, group))).is_err() {
                    break;
                }
            }
        })?;
        let (ordered, waiting) = (Vec::new(), HashMap::new());
        Ok(Self { orders, answers, kernel: None, ordered, waiting, room: 1 })
    }

    /// A work-group of a kernel of `groups`, when it was read ahead; orders those behind it.
    pub fn take(&mut self, kernel: u32, group: u32, groups: u32) -> Option<Result<Group, Error>> {
        if self.kernel != Some(kernel) {
            self.kernel = Some(kernel);
            self.ordered.clear();
            self.ordered.resize(groups as usize, false);
            self.waiting.clear();
            self.room = 1;
        }
        let found = self.find(kernel, group);
        if let Some(Ok(group)) = &found {
            self.room = (MOST_BYTES / group.bytes().max(1)).clamp(1, MOST);
        }
        self.ordered[group as usize] = true;
        for next in (group + 1..groups).take(NEXT) {
            if !self.ordered[next as usize] && self.waiting.len() < self.room {
                self.ordered[next as usize] = self.orders.send((kernel, next)).is_ok();
                self.waiting.insert(next, None);
            }
        }
        found
    }

    /// What was ordered, when it has come.
    fn find(&mut self, kernel: u32, group: u32) -> Option<Result<Group, Error>> {
        loop {
            match self.waiting.get_mut(&group)? {
                Some(_) => return self.waiting.remove(&group)?,
                None => {
                    // Of an earlier kernel, some that were not requested may still come.
                    let ((of_kernel, number), read) = self.answers.recv().ok()?;
                    if let Some(place) = self.waiting.get_mut(&number) {
                        *place = Some(read).filter(|_| of_kernel == kernel);
                    }
                }
            }
        }
    }
}
