//! Panics of the code under exploration. Each becomes a violation that names what panicked, so the panic hook
//! does not print it. Panics of an engine are printed as usual.

use std::cell::Cell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether this thread runs code under exploration, whose panics are caught.
    static EXPLORED: Cell<bool> = const { Cell::new(false) };
}

/// Runs code under exploration. The caller catches its panics.
pub(crate) fn explored<T>(f: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(be_silent);
    within(true, f)
}

/// Runs the engine on behalf of code under exploration. An engine that runs several warps on one thread goes
/// from one to the other in here alone.
pub(crate) fn engine<T>(f: impl FnOnce() -> T) -> T {
    within(false, f)
}

/// Puts a hook before the one that there is, which from now on is not told of panics of explored code.
pub(crate) fn be_silent() {
    let hook = take_hook();
    set_hook(Box::new(move |panic| {
        if !EXPLORED.get() {
            hook(panic);
        }
    }));
}

fn within<T>(explored: bool, f: impl FnOnce() -> T) -> T {
    /// Goes back to what was before, also if the code is left by unwinding.
    struct Back(bool);

    impl Drop for Back {
        fn drop(&mut self) {
            EXPLORED.set(self.0);
        }
    }

    let _back = Back(EXPLORED.replace(explored));
    f()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Anything, Array, Config, Kind, Memory, Scenario, SimWarp, Subject};
    use crate::engine::{Options, explore_subject};
    use crate::engines::engines;
    use std::process::Command;
    use warpproof_model::spec::{Call, Op, Ret};
    use warpproof_model::{Order, Words};

    /// Its calls panic: after an access, or before the first one.
    #[derive(Clone)]
    struct Panics;

    impl Subject for Panics {
        type Spec = Anything;

        fn spec(&self) -> Anything {
            Anything
        }
        fn arrays(&self) -> Vec<Array> {
            vec![Array::new("word", 64, vec![0])]
        }
        fn run<W: SimWarp, M: Memory>(&self, w: &mut W, m: M, call: &Call) -> Ret {
            if call.op == Op::Insert {
                w.elect(0, || m.w64(0).swap(0, 1, Order::Relaxed));
            }
            panic!("explored code panics")
        }
    }

    /// What the tests below run in a process of its own, to see what that prints.
    const CHILD: &str = "WARPPROOF_PANICS";

    /// What the test named `name` prints to its standard error in a process of its own.
    fn printed_by(name: &str) -> String {
        let test = format!("check::panics::tests::{name}");
        let program = std::env::current_exe().expect("a program");
        let mut command = Command::new(program);
        command.args([&test, "--exact", "--nocapture"]).env(CHILD, "1").env("RUST_BACKTRACE", "1");
        let output = command.output().expect("a process that ends");
        let (text, told) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        assert!(output.status.success() && told.contains("1 passed"), "{told}{text}");
        text.into_owned()
    }

    #[test]
    fn panics_of_explored_code_are_violations_and_not_printed() {
        if std::env::var_os(CHILD).is_none() {
            let text = printed_by("panics_of_explored_code_are_violations_and_not_printed");
            return assert!(!text.contains("panicked") && !text.contains("backtrace"), "{text}");
        }
        let config = Config { lanes: 2, ..Config::default() };
        for (engine, op) in engines().iter().flat_map(|engine| [(engine, Op::Insert), (engine, Op::Search)]) {
            let call = Call::new(op, 1, 0);
            let warps = Scenario::new("panics", "panics", config.clone(), vec![vec![call.clone()]; 2]);
            let before = Scenario { preload: vec![call], ..warps.clone() };
            for scenario in [&warps, &before] {
                let report = explore_subject(*engine, Panics, scenario, &Options::default());
                let violation = report.expect("a scenario").violation.expect("a violation");
                assert_eq!(violation.kind, Kind::Panic);
                assert!(violation.detail.contains("explored code panics"), "{}", violation.detail);
            }
        }
    }

    #[test]
    fn panics_of_an_engine_are_printed() {
        if std::env::var_os(CHILD).is_none() {
            let text = printed_by("panics_of_an_engine_are_printed");
            assert!(text.contains("the engine panics"), "{text}");
            return assert!(!text.contains("explored code"), "{text}");
        }
        let caught = |f: fn()| assert!(std::panic::catch_unwind(f).is_err());
        caught(|| explored(|| panic!("explored code")));
        caught(|| explored(|| engine(|| panic!("the engine panics"))));
        caught(|| {
            explored(|| {
                engine(|| explored(|| ()));
                engine(|| ());
                panic!("explored code after the engine")
            })
        });
    }
}
