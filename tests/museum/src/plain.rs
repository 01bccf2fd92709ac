//! The exhibits for readers who know none of the tables: what goes wrong, in a sentence, and where it was
//! published.

use crate::exhibit::Exhibit;

impl Exhibit {
    /// What goes wrong, in plain words; the defect in its own words if there are no plainer ones.
    pub fn plain(&self) -> &'static str {
        PLAIN.iter().find(|(id, _)| *id == self.id).map_or(self.defect, |(_, plain)| plain)
    }

    /// Where it was published: the source in full, and the place in it.
    pub fn published_in(&self) -> (&'static str, &'static str) {
        let known = SOURCES.iter().find_map(|(short, full)| Some((*full, self.source.strip_prefix(short)?)));
        let (full, place) = known.unwrap_or((self.source, ""));
        (full, place.trim_start_matches([',', ' ']))
    }
}

/// How a source is called in short, and in full.
const SOURCES: [(&str, &str); 14] = [
    ("SlabHash", "SlabHash (Ashkiani, Farach-Colton, Owens, IPDPS 2018; owensgroup/SlabHash)"),
    ("SlabAlloc", "SlabAlloc, the allocator of SlabHash (owensgroup/SlabAlloc)"),
    ("blog", "A blog on 64-bit keys and values for SlabHash"),
    ("GLHT", "GLHT, a hopscotch table for GPUs (Zhang, Sun)"),
    ("Starfish", "Starfish, a table larger than GPU memory"),
    ("Shinde", "Shinde, \"Wait-free set\", 2016"),
    ("retrieve_all", "NVIDIA's blog on retrieve_all of cuCollections"),
    ("cuCollections", "NVIDIA/cuCollections"),
    ("BGHT", "BGHT, a bucketed cuckoo table (owensgroup/BGHT)"),
    ("HierarchicalKV", "HierarchicalKV (NVIDIA-Merlin/HierarchicalKV, issues 239 and 229)"),
    ("stdgpu", "stdgpu, unordered_map and unordered_set (stotko/stdgpu)"),
    ("Kokkos", "Kokkos, UnorderedMap::erase (kokkos/kokkos)"),
    ("flash-map", "The crate flash-map"),
    ("PTX memory model", "No publication, but a habit that the PTX memory model does not allow"),
];

/// What goes wrong in each exhibit.
const PLAIN: [(&str, &str); 64] = [
    ("1", "An insert fills the first free slot without looking further: the key is stored a second time."),
    (
        "2",
        "Two inserts of one key and a delete run at once: both inserts succeed, and the key is stored twice.",
    ),
    ("3", "A delete empties a slot that meanwhile holds another key: that key is lost."),
    (
        "4",
        "A search reads the key, then the value of another key that has taken the slot: it returns a wrong value.",
    ),
    ("5a", "The memory pool is full: an insert looks for a free block for ever, in place of saying so."),
    ("5b", "A block of memory is given back, but every warp goes on taking it for used: it is lost."),
    ("6a", "A key is visible before its value: the value of another update is overwritten and lost."),
    ("6b", "A key is visible before its value: a search finds the key and no value."),
    ("7a", "An update does not stop when it has succeeded: it goes on for ever."),
    ("7b", "A locked key looks like key 1: an update of key 1 destroys the entry of another key."),
    (
        "7c",
        "The lock of key 1 looks like key 1 itself: two warps are inside at once, and one update is lost.",
    ),
    ("7d", "A wrong bit mask: an update that meets a locked key does nothing, and does not say so."),
    ("7e", "Missing parentheses: an update of a key that is there does nothing."),
    ("7f", "A lock is released without an order for memory: another warp sees the key without its value."),
    ("8a", "A slot also says where other keys are. An insert into an empty one forgets that: a key is lost."),
    ("8b", "The same when an insert fills the slot that another key was moved out of."),
    ("8c", "The same when a key is moved to another slot."),
    ("8d", "The same when a key that belongs elsewhere is moved."),
    (
        "9a",
        "A key is moved while a search looks for it: the search looks at both places, each too early or too late.",
    ),
    ("9b", "The same with a note of where the key is that is already out of date."),
    ("10", "An insert misses its key while that is moved, and stores it a second time."),
    (
        "11",
        "A word changes and changes back: an insert takes it for unchanged, and stores its key a second time.",
    ),
    ("12a", "A delete empties a slot that another warp has locked: the lock stays for ever."),
    ("12b", "The same with a lock that is held while a key is moved."),
    ("13", "An insert overwrites a slot that another insert has filled meanwhile: that key is lost."),
    ("14a", "A search waits for ever for an insert that has stopped, in a table that is called lock-free."),
    ("14b", "So does an insert."),
    ("14c", "A search waits for ever for a slot that a stopped insert has reserved."),
    ("15a", "An insert pushes another key out of its slot, and drops it."),
    (
        "15b",
        "An insert takes the mark of a deleted key for a key, and says that it failed, though it stored its own.",
    ),
    ("15c", "An insert that finds no room keeps its own key and loses another."),
    ("16a", "A key is on its way between two slots: a search does not find it."),
    ("16b", "A key is on its way between two slots: a delete does not find it, and the key comes back."),
    (
        "17",
        "A copy into GPU memory begins before the copy out has ended: what is saved is a mixture of both.",
    ),
    ("18a", "A comparison is the wrong way round: a walk passes its key and leaves the list."),
    ("18b", "A full node is split in two, and only one half is linked: the other half is lost."),
    ("18c", "A key is put into the half without room, and overwrites another key."),
    ("19", "A warp replaces another node than the one that it copied: an update is lost."),
    (
        "20",
        "Memory of a node is used again at once, and a slow warp takes it for the old node: an update is lost.",
    ),
    ("21", "A warp that stops while it holds a link stops all others, in a set that is called wait-free."),
    ("22a", "A counter is not set back to zero after a round: results leave gaps and are counted too high."),
    (
        "22b",
        "One word is used as a counter and for its result: a fast warp changes it before a slow one has read it.",
    ),
    ("22c", "A counter is not set back to zero, in another variant."),
    ("23a", "Threads without work skip a barrier: the others wait there for ever."),
    ("23b", "A loop with a barrier ends earlier for some threads: the others wait there for ever."),
    ("24", "Threads beyond the end of an array read past it."),
    (
        "25",
        "An insert fills the slot of a deleted key without looking further: its key is stored a second time.",
    ),
    (
        "26a",
        "Key and value are exchanged one after the other. The value is the same again, the key is not: an update is lost.",
    ),
    (
        "26b",
        "Key and value are exchanged one after the other: an insert waits for ever for a value that has gone.",
    ),
    ("27", "An insert that finds its key returns before the value is there: the caller reads no value."),
    ("28a", "A search ends only at a slot that was never used: when there is none, it goes round for ever."),
    ("28b", "A search for a key that is not there reads past the last slot."),
    ("29a", "A key was pushed out of its slot and is on its way to the next: a search does not find it."),
    ("29b", "An insert that gives up keeps its own key, and drops one that was there."),
    ("30a", "A slot is unlocked before its value is written: a search returns the value of the key before."),
    ("30b", "A thread waits for a lock that a thread of its own warp holds. That one waits for the warp."),
    (
        "31",
        "An entry is linked before it counts as used: another warp does not see it, and stores the key again.",
    ),
    ("32", "Two warps delete one key at the same time, and both are told that they did."),
    (
        "33a",
        "An insert fills the slot of a deleted key without looking further: its key is stored a second time.",
    ),
    (
        "33b",
        "A value is stored without a claim on the slot: by then the slot holds another key, which gets it.",
    ),
    (
        "34",
        "A vote among threads is taken for a barrier: a thread copies out what another one has not written yet.",
    ),
    (
        "35a",
        "One thread writes the value and another publishes the key: readers may see the key without its value.",
    ),
    ("35b", "One thread sees the key and another reads its value: it may read what was there before."),
    (
        "36",
        "A lock for the threads of one block is used by two blocks: the second holder may read old values.",
    ),
];
