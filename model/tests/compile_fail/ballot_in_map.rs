//! A ballot inside the closure of `map`: some lanes might not reach it.
use warpproof_model::Warp;

fn divergent<W: Warp>(w: &mut W, lanes: W::Lanes<bool>) {
    w.map(lanes, |_, vote| if vote { w.ballot(lanes).popc() } else { 0 });
}

fn main() {}
