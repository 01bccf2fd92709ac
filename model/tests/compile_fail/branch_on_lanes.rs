//! A branch on a per-lane value: on a CPU it is an array, on a GPU each lane would go its own way.
use warpproof_model::Warp;

fn divergent<W: Warp>(w: &mut W) {
    let odd = w.each(|lane| lane % 2 == 1);
    if odd {
        w.sync();
    }
}

fn main() {}
