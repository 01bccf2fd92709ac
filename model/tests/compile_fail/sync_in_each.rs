//! A barrier inside the closure of `each`.
use warpproof_model::Warp;

fn divergent<W: Warp>(w: &mut W) {
    w.each(|lane| {
        if lane > 0 {
            w.sync();
        }
    });
}

fn main() {}
