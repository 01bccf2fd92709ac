//! A ballot inside the closure of the one elected lane.
use warpproof_model::Warp;

fn divergent<W: Warp>(w: &mut W, lanes: W::Lanes<bool>) {
    w.elect(0, || w.ballot(lanes).popc());
}

fn main() {}
