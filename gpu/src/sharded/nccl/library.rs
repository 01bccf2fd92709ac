//! The functions of NCCL that ranks need, from its library.

use crate::error::Error;
use core::ffi::{c_int, c_void};
use libloading::Library;
use std::sync::OnceLock;

/// The bytes of an id.
pub(super) const ID_BYTES: usize = 128;

/// What NCCL returns: 0 if a call succeeded, [`IN_PROGRESS`] if it goes on.
type Code = c_int;
/// The call goes on, and the communicator says when it has ended.
pub(super) const IN_PROGRESS: u32 = 7;
/// The number of the data type of bytes.
const BYTES: c_int = 1;

/// A communicator, as NCCL names it.
pub(super) type Comm = *mut c_void;

/// An id, as NCCL passes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawId(pub(super) [u8; ID_BYTES]);

/// The settings of a communicator, as of version 2.17: later versions know by the size and the version which
/// settings there are.
#[repr(C)]
struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
    cluster: c_int,
    least_blocks: c_int,
    most_blocks: c_int,
    net: *const c_void,
    split_share: c_int,
}

/// A setting that is left to NCCL.
const UNSET: c_int = c_int::MIN;

impl Config {
    /// A communicator whose calls do not wait.
    const NO_WAITS: Self = Self {
        size: size_of::<Self>(),
        magic: 0xcafe_beef,
        version: 21_700,
        blocking: 0,
        cluster: UNSET,
        least_blocks: UNSET,
        most_blocks: UNSET,
        net: core::ptr::null(),
        split_share: UNSET,
    };
}

/// The functions of the library. Those that take no communicator and no address are safe.
///
/// # Safety
///
/// A communicator is one that `init_rank` has made, and neither destroyed nor aborted. An address is of
/// memory as long as the call says.
pub(super) struct Functions {
    get_unique_id: unsafe extern "C" fn(*mut RawId) -> Code,
    init_rank: unsafe extern "C" fn(*mut Comm, c_int, RawId, c_int, *mut Config) -> Code,
    async_error: unsafe extern "C" fn(Comm, *mut c_int) -> Code,
    finalize: unsafe extern "C" fn(Comm) -> Code,
    destroy: unsafe extern "C" fn(Comm) -> Code,
    abort: unsafe extern "C" fn(Comm) -> Code,
    group_start: unsafe extern "C" fn() -> Code,
    group_end: unsafe extern "C" fn() -> Code,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Comm, *mut c_void) -> Code,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Comm, *mut c_void) -> Code,
}

/// The file that users may name, and those that NCCL is installed as.
const SETTING: &str = "WARPPROOF_NCCL";
const FILES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// The functions of NCCL. The library is loaded once.
///
/// # Errors
/// [`Error::NoNccl`].
pub(super) fn functions() -> Result<&'static Functions, Error> {
    static LOADED: OnceLock<Result<Functions, Error>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Error::clone)
}

fn load() -> Result<Functions, Error> {
    let named = std::env::var(SETTING).ok();
    let files: Vec<&str> = named.iter().map(String::as_str).chain(FILES).collect();
    // SAFETY: loads the library, whose initializers are fit to run at any time.
    let library = files.iter().find_map(|file| unsafe { Library::new(*file) }.ok());
    let library = library.ok_or_else(|| Error::NoNccl { what: files.join(", ") })?;
    // The functions live as long as the process.
    let library = Box::leak(Box::new(library));
    macro_rules! function {
        ($name:literal) => {{
            // SAFETY: the type is that of the function in NCCL's header since 2.17.
            let found = unsafe { library.get($name) };
            let missing = |_| Error::NoNccl { what: String::from_utf8_lossy($name).into_owned() };
            *found.map_err(missing)?
        }};
    }
    Ok(Functions {
        get_unique_id: function!(b"ncclGetUniqueId"),
        init_rank: function!(b"ncclCommInitRankConfig"),
        async_error: function!(b"ncclCommGetAsyncError"),
        finalize: function!(b"ncclCommFinalize"),
        destroy: function!(b"ncclCommDestroy"),
        abort: function!(b"ncclCommAbort"),
        group_start: function!(b"ncclGroupStart"),
        group_end: function!(b"ncclGroupEnd"),
        send: function!(b"ncclSend"),
        receive: function!(b"ncclRecv"),
    })
}

/// The error of a code. A call that goes on is none.
fn done(what: &'static str, code: Code) -> Result<(), Error> {
    match code.cast_unsigned() {
        0 | IN_PROGRESS => Ok(()),
        code => Err(Error::Nccl { what, code }),
    }
}

impl Functions {
    /// A new id.
    pub(super) fn unique_id(&self) -> Result<RawId, Error> {
        let mut id = RawId([0; ID_BYTES]);
        // SAFETY: the call writes an id.
        done("making an id", unsafe { (self.get_unique_id)(&raw mut id) })?;
        Ok(id)
    }

    /// Begins to make a communicator in the current context. It is ready when [`state`](Self::state) says so.
    pub(super) fn begin(&self, (rank, ranks): (u32, u32), id: RawId) -> Result<Comm, Error> {
        let mut comm = core::ptr::null_mut();
        let mut config = Config::NO_WAITS;
        // SAFETY: the call writes a communicator and reads its settings.
        let code =
            unsafe { (self.init_rank)(&raw mut comm, ranks as c_int, id, rank as c_int, &raw mut config) };
        done("making a communicator", code)?;
        Ok(comm)
    }

    /// Whether all calls of a communicator have been queued.
    ///
    /// # Safety
    /// The communicator was made by `begin` and not aborted.
    pub(super) unsafe fn is_ready(&self, comm: Comm, what: &'static str) -> Result<bool, Error> {
        let mut code = 0;
        // SAFETY: the contract of this function.
        done(what, unsafe { (self.async_error)(comm, &raw mut code) })?;
        done(what, code)?;
        Ok(code == 0)
    }

    /// Begins to end a communicator when all it has begun is done. It is ready when that is so.
    ///
    /// # Safety
    /// As [`is_ready`](Self::is_ready); no other calls are made on it but [`destroy`](Self::destroy) and
    /// [`abort`](Self::abort).
    pub(super) unsafe fn finalize(&self, comm: Comm) -> Result<(), Error> {
        // SAFETY: the contract of this function.
        done("ending a communicator", unsafe { (self.finalize)(comm) })
    }

    /// Frees a communicator that was finalized.
    ///
    /// # Safety
    /// As [`is_ready`](Self::is_ready). It is used no more.
    pub(super) unsafe fn destroy(&self, comm: Comm) {
        // SAFETY: the contract of this function. An error changes nothing: the communicator is given up.
        let _ = unsafe { (self.destroy)(comm) };
    }

    /// Ends a communicator, whatever it is doing.
    ///
    /// # Safety
    /// As [`is_ready`](Self::is_ready). It is used no more.
    pub(super) unsafe fn abort(&self, comm: Comm) {
        // SAFETY: the contract of this function. An error changes nothing: the communicator is given up.
        let _ = unsafe { (self.abort)(comm) };
    }

    /// Queues sends and receives as one group: `(peer, address, bytes)` each.
    ///
    /// # Safety
    /// As [`is_ready`](Self::is_ready); the addresses are those of device memory as long as that, which lives
    /// until the stream has run the group.
    pub(super) unsafe fn exchange(
        &self,
        comm: Comm,
        stream: *mut c_void,
        sends: &[(u32, u64, usize)],
        receives: &[(u32, u64, usize)],
    ) -> Result<(), Error> {
        const WHAT: &str = "sending to other ranks";
        // SAFETY: the contract of this function, for all calls.
        unsafe {
            done(WHAT, (self.group_start)())?;
            let mut queued = Ok(());
            for &(peer, address, bytes) in sends {
                let code = (self.send)(address as *const c_void, bytes, BYTES, peer as c_int, comm, stream);
                queued = queued.and(done(WHAT, code));
            }
            for &(peer, address, bytes) in receives {
                let code = (self.receive)(address as *mut c_void, bytes, BYTES, peer as c_int, comm, stream);
                queued = queued.and(done(WHAT, code));
            }
            // The group ends also after an error.
            let ended = done(WHAT, (self.group_end)());
            queued.and(ended)
        }
    }
}
