//! Exhibit 8: the bitmap of a slot is lost with its old content.
//!
//! Source: GLHT, insert. The bitmap of a home stands in the slot of that number, beside whatever key is
//! there, and says where the keys of this home are. Four writes put a key into a slot together with a new
//! bitmap: the old bitmap is lost, and so are the keys that it led to. One warp is enough for each.
//!
//! 8a. An empty home is filled: 4 is in a later slot, and no bitmap says so any more.
//! 8b. *update*: 9 comes into the slot that 6 was moved away from, the home of 6.
//! 8c. A head's own key is moved: 6 comes into the home of 7.
//! 8d. Another key of the head is moved: 2 comes into the home of 12.
//!
//! Look at the exchanges that leave a word with fewer members in its braces, though nothing is deleted; one
//! of them is the home of the key that is searched.

use crate::exhibit::{Exhibit, Snapshot, calls, repair, run};
use crate::glht::Glht;
use warpproof_simt::check::{Config, Kind, Scenario};

pub(crate) fn exhibits() -> Vec<Exhibit> {
    let far = Glht { reach: 2, ..Glht::published(8) };
    vec![
        exhibit(
            ("8a", "an empty home is filled: its bitmap is overwritten", "search 4 -> value none"),
            Glht::published(2),
            "insert_unique 2; insert_unique 4; delete 2; insert_unique 6; search 4",
        ),
        exhibit(
            ("8b", "update: the bitmap of the slot filled is overwritten", "search 6 -> value none"),
            Glht::published(4),
            "insert_unique 6; insert_unique 5; insert_unique 9; search 6",
        ),
        exhibit(
            ("8c", "a head's own key is moved: the target's bitmap is overwritten", "search 7 -> value none"),
            Glht::published(4),
            "insert_unique 6; insert_unique 3; insert_unique 7; delete 3; insert_unique 5; insert_unique 9; \
             search 7",
        ),
        exhibit(
            ("8d", "a member is moved: the target's bitmap is overwritten", "search 12 -> value none"),
            far,
            "insert_unique 1; insert_unique 9; insert_unique 2; insert_unique 4; insert_unique 12; delete 4; \
             insert_unique 17; search 12",
        ),
    ]
}

fn exhibit(
    (id, defect, shows): (&'static str, &'static str, &'static str),
    table: Glht,
    program: &str,
) -> Exhibit {
    let config = Config { lanes: table.lanes(), ..Config::default() };
    let repaired = table.clone().with(|repairs| repairs.keeps_bitmap = true);
    Exhibit {
        id,
        source: "GLHT, insert",
        defect,
        kind: Kind::NotLinearizable,
        shows,
        snapshot: Snapshot::Found,
        lanes: false,
        scenario: Scenario::new(format!("museum/{id}"), "GLHT", config, vec![calls(program)]),
        published: run(table),
        repairs: vec![repair("who fills a slot keeps its bitmap", repaired)],
    }
}
