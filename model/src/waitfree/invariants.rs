//! Invariants of a wait-free table, to be checked on a copy of its words.

use super::WaitFreeTable;
use super::words::{Head, NIL, Progress};
use crate::entry::Packed;
use crate::memory::{IntegerWords, ReadOrder, Words};
use crate::reclaim::{NodeIndex, Pool};
use crate::warp::Warp;

/// An invariant that is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// A link leads outside the pool.
    WildLink {
        /// The bucket.
        bucket: u32,
    },
    /// Two links lead to one node, or a chain has a cycle.
    SharedNode {
        /// The node.
        node: NodeIndex,
    },
    /// A reachable node is free.
    FreeNodeLinked {
        /// The node.
        node: NodeIndex,
    },
    /// A reachable node is retired.
    RetiredNodeLinked {
        /// The node.
        node: NodeIndex,
    },
    /// A node is in a stash and also retired or free, or it is in two stashes.
    NodeOfTwoStates {
        /// The node.
        node: NodeIndex,
    },
    /// The keys of a node are not all above those of the node before it, or a key occurs twice.
    Order {
        /// The bucket.
        bucket: u32,
    },
    /// A key is in a bucket that is not its own.
    WrongBucket {
        /// The bucket.
        bucket: u32,
    },
    /// A chain of several nodes has one without entries.
    EmptyNode {
        /// The node.
        node: NodeIndex,
    },
    /// A node in use is neither reachable nor retired nor in a stash, or a reachable node is in a stash
    /// (quiescence only).
    LostNode {
        /// The node.
        node: NodeIndex,
    },
    /// A call is announced (quiescence only).
    Announced {
        /// The warp.
        warp: u32,
    },
}

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::WildLink { bucket } => write!(f, "a link of bucket {bucket} leads outside the pool"),
            Self::SharedNode { node } => write!(f, "node {} is reached twice", node.0),
            Self::FreeNodeLinked { node } => write!(f, "node {} is reachable but free", node.0),
            Self::RetiredNodeLinked { node } => write!(f, "node {} is reachable but retired", node.0),
            Self::NodeOfTwoStates { node } => write!(f, "node {} is in two states at once", node.0),
            Self::Order { bucket } => write!(f, "the keys of bucket {bucket} are not in order"),
            Self::WrongBucket { bucket } => write!(f, "bucket {bucket} holds a key of another bucket"),
            Self::EmptyNode { node } => write!(f, "node {} of a longer chain has no entries", node.0),
            Self::LostNode { node } => {
                write!(f, "node {} is in use, but neither reachable nor retired nor private", node.0)
            }
            Self::Announced { warp } => write!(f, "a call of warp {warp} is still announced"),
        }
    }
}

impl<E, N, H, P, const S: usize> WaitFreeTable<E, N, H, P, S>
where
    E: Packed,
    N: Words<E::Word>,
    H: IntegerWords<u64>,
    P: Pool,
{
    /// Checks what holds in every state. Chains stay in the pool, share no node and have no cycle. A
    /// reachable node is in use and not retired. A node in a stash is in use, and in one stash only. Keys are
    /// in their bucket, in order, once each.
    ///
    /// Takes time proportional to the square of the number of nodes: meant for the tiny tables of the
    /// checkers.
    pub fn check_state<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        for bucket in 0..self.buckets() {
            self.check_chain(w, bucket)?;
        }
        for node in 0..self.nodes::<W>() {
            let reached = self.reached(w, node);
            let node = NodeIndex(node);
            let (used, retired) = (self.pool().is_used(node), self.pool().is_retired(node));
            if reached > 1 {
                return Err(Broken::SharedNode { node });
            }
            if reached == 1 && !used {
                return Err(Broken::FreeNodeLinked { node });
            }
            if reached == 1 && retired {
                return Err(Broken::RetiredNodeLinked { node });
            }
        }
        self.pool().check(self.nodes::<W>()).map_err(|node| Broken::NodeOfTwoStates { node })
    }

    /// Checks what holds in addition when no operation runs. A node in use is reachable, or retired, or in a
    /// stash. No call is announced.
    pub fn check_quiescent<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        self.check_state(w)?;
        for node in 0..self.nodes::<W>() {
            let reached = self.reached(w, node);
            let node = NodeIndex(node);
            let states = reached + self.pool().stashes(node) + u32::from(self.pool().is_retired(node));
            if states != u32::from(self.pool().is_used(node)) {
                return Err(Broken::LostNode { node });
            }
        }
        for warp in 0..self.warps() {
            // Relaxed: no other memory depends on this word.
            let call = self.words.announcements.load(warp as usize, ReadOrder::Relaxed);
            if super::words::Announcement(call).progress() != Progress::Idle {
                return Err(Broken::Announced { warp });
            }
        }
        Ok(())
    }

    /// Checks that no chain of several nodes has one without entries. It may have one only after deletes in
    /// place, which leave the nodes as they are.
    pub fn check_occupied<W: Warp>(self, w: &mut W) -> Result<(), Broken> {
        for bucket in 0..self.buckets() {
            let head = self.head(w, bucket);
            let first = self.first_node(w, head);
            let mut node = first;
            while node != NIL {
                let row = self.read(w, node);
                let link = Self::link(w, row);
                if Self::entries(w, row) == 0 && (node != first || link != NIL) {
                    return Err(Broken::EmptyNode { node: NodeIndex(node) });
                }
                node = link;
            }
        }
        Ok(())
    }

    /// Returns how many links lead to a node.
    fn reached<W: Warp>(self, w: &mut W, wanted: u32) -> u32 {
        let mut reached = 0;
        for bucket in 0..self.buckets() {
            let mut node = Head(self.words.heads.load(bucket as usize, ReadOrder::Relaxed)).first();
            while node != NIL {
                reached += u32::from(node == wanted);
                node = self.next(w, node);
            }
        }
        reached
    }

    /// Checks one chain.
    fn check_chain<W: Warp>(self, w: &mut W, bucket: u32) -> Result<(), Broken> {
        let nodes = self.nodes::<W>();
        let head = Head(self.words.heads.load(bucket as usize, ReadOrder::Relaxed));
        let mut length = 0;
        let mut node = head.first();
        while node != NIL {
            if node >= nodes {
                return Err(Broken::WildLink { bucket });
            }
            if length == nodes {
                return Err(Broken::SharedNode { node: NodeIndex(node) });
            }
            length += 1;
            node = self.next(w, node);
        }
        // For every entry, the number of entries of the chain that are in an earlier node or are the entry
        // itself.
        let mut broken = None;
        self.visit(w, bucket, |w, number, key, _| {
            if self.bucket(key) != bucket {
                broken = Some(Broken::WrongBucket { bucket });
            }
            let own = self.node_of(w, head, number);
            self.visit(w, bucket, |w, other, other_key, _| {
                let earlier = self.node_of(w, head, other) < own;
                if other != number && (other_key == key || earlier && other_key > key) {
                    broken = Some(Broken::Order { bucket });
                }
            });
        });
        broken.map_or(Ok(()), Err)
    }

    /// Returns the position in the chain of the node that holds entry `number` of a bucket.
    fn node_of<W: Warp>(self, w: &mut W, head: Head, number: u32) -> u32 {
        let (mut node, mut place, mut before) = (self.first_node(w, head), 0, 0);
        while node != NIL {
            let row = self.read(w, node);
            before += Self::entries(w, row);
            if number < before {
                break;
            }
            place += 1;
            node = Self::link(w, row);
        }
        place
    }
}
