//! A shuffle inside the closure of `each`.
use warpproof_model::Warp;

fn divergent<W: Warp>(w: &mut W, lanes: W::Lanes<u32>) {
    w.each(|lane| if lane > 0 { w.shfl(lanes, 0) } else { lane });
}

fn main() {}
