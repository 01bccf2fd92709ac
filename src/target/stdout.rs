//! Standard output, if the program was given one.
//!
//! Rust opens /dev/null in place of a closed stdout, and output there is lost without an error. So the
//! program must ask whether there is a stdout before Rust's runtime begins.

use std::io::{Result, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Standard output.
///
/// # Errors
/// It was closed when the program began.
pub(crate) fn stdout() -> Result<Stdout> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(rustix::io::Errno::BADF.into());
    }
    Ok(std::io::stdout())
}

/// Run by the loader, before `main` and before Rust's runtime.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls every function of this section, with C's calling convention. This one makes one
// system call and stores the answer: it needs nothing that the runtime prepares.
#[unsafe(link_section = ".init_array")]
static ASK: extern "C" fn() = ask;

#[cfg(target_os = "linux")]
extern "C" fn ask() {
    let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
    CLOSED.store(closed, Ordering::Relaxed);
}
