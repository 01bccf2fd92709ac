//! Warp-cooperative concurrent hash tables, checked exhaustively before they run on a GPU.

pub use warpproof_model as model;
pub use warpproof_simt as simt;
