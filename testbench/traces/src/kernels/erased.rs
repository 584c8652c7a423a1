//! Recorders of any type as one type. The programs are long to compile: so they are compiled here,
//! once, and not in each crate that runs them with a recorder of its own.

use crate::trace::{Access, Bound, KernelSpec, Key, Record};

/// The recorder did not take something; [`Keeping`] has its error.
#[derive(Debug)]
pub struct Refused;

/// A recorder, and the first error that it gave.
pub struct Keeping<'r, R: Record> {
    record: &'r mut R,
    error: Option<R::Error>,
}

impl<'r, R: Record> Keeping<'r, R> {
    /// No error yet.
    pub fn new(record: &'r mut R) -> Self {
        Self { record, error: None }
    }

    /// The first error.
    pub fn error(self) -> Option<R::Error> {
        self.error
    }
}

/// A recorder whose type is not known.
pub struct Erased<'r>(pub &'r mut dyn Record<Error = Refused>);

/// Hands all calls on to `$record`, those that a recorder may ignore too; `$told` makes an error
/// [`Refused`].
macro_rules! hand_on {
    ($self:ident, $record:expr, $told:expr) => {
        type Error = Refused;

        fn alloc(&mut $self, name: &str, bytes: u64) -> Result<u64, Refused> {
            $record.alloc(name, bytes).map_err($told)
        }
        fn alloc_private(&mut $self, name: &str, bytes: u64) -> Result<u64, Refused> {
            $record.alloc_private(name, bytes).map_err($told)
        }
        fn free(&mut $self, addr: u64) -> Result<(), Refused> {
            $record.free(addr).map_err($told)
        }
        fn host_write(&mut $self, addr: u64, data: &[u8]) -> Result<(), Refused> {
            $record.host_write(addr, data).map_err($told)
        }
        fn host_read(&mut $self, addr: u64, bytes: u64) -> Result<(), Refused> {
            $record.host_read(addr, bytes).map_err($told)
        }
        fn streams(&mut $self, bound: &[Bound]) -> Result<(), Refused> {
            $record.streams(bound).map_err($told)
        }
        fn wait(&mut $self, stream: u8, of: u8) -> Result<(), Refused> {
            $record.wait(stream, of).map_err($told)
        }
        fn begin_kernel(&mut $self, spec: KernelSpec) -> Result<(), Refused> {
            $record.begin_kernel(spec).map_err($told)
        }
        fn begin_group(&mut $self) -> Result<(), Refused> {
            $record.begin_group().map_err($told)
        }
        fn access(&mut $self, access: &Access) -> Result<(), Refused> {
            $record.access(access).map_err($told)
        }
        fn fence(&mut $self, item: u32, key: Key) -> Result<(), Refused> {
            $record.fence(item, key).map_err($told)
        }
        fn barrier(&mut $self) -> Result<(), Refused> {
            $record.barrier().map_err($told)
        }
        fn end_group(&mut $self) -> Result<(), Refused> {
            $record.end_group().map_err($told)
        }
        fn end_kernel(&mut $self) -> Result<(), Refused> {
            $record.end_kernel().map_err($told)
        }
    };
}

impl<R: Record> Record for Keeping<'_, R> {
    hand_on!(self, self.record, |error| {
        self.error.get_or_insert(error);
        Refused
    });
}

impl Record for Erased<'_> {
    hand_on!(self, self.0, |refused| refused);
}
