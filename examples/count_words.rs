//! How often each word of a text occurs, exactly. `cargo run --release --example count_words [FILE]` reads
//! FILE, or stdin if there is none.
//!
//! Words are counted by 64-bit hashes in an [`OpenMap`]: one `insert_or_add` of all of them at once. Two
//! words with one hash would be counted as one, so a second map keeps the place of one occurrence of each
//! hash, and every occurrence is compared with the word there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use warpproof::prelude::*;
use warpproof::simt::cpu::OpenMap;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// How many words are printed.
const MOST: usize = 10;

fn main() -> Outcome<()> {
    let text = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?,
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
    };
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let counts = count(&words)?;
    println!("{} words, {} different ones", words.len(), counts.len());
    for (word, count) in counts.iter().take(MOST) {
        println!("{count:>8} {word}");
    }
    Ok(())
}

/// Each word with how often it occurs, the most frequent first.
fn count<'a>(words: &[&'a str]) -> Outcome<Vec<(&'a str, u64)>> {
    let hashes: Vec<u64> = words.iter().map(|word| hash(word)).collect();
    let places: Vec<u64> = (0..words.len() as u64).collect();
    // Of the occurrences of a word, any one is kept.
    let kept = OpenMap::<u64, u64>::with_capacity(words.len() as u64)?;
    kept.insert_unique(&hashes, &places)?.all_stored()?;
    for (word, place) in words.iter().zip(kept.search(&hashes)?) {
        let other = words[place.ok_or("a word was lost")? as usize];
        if other != *word {
            return Err(format!("{word:?} and {other:?} have one hash: they cannot be counted apart").into());
        }
    }
    let counts = OpenMap::<u64, u64>::with_capacity(kept.len()?)?;
    counts.insert_or_add(&hashes, &vec![1; words.len()])?.all_stored()?;
    let (hashes, counts): (Vec<u64>, Vec<u64>) = counts.retrieve_all()?.into_iter().unzip();
    assert_eq!(counts.iter().sum::<u64>(), words.len() as u64, "every word is counted once");
    let at = kept.search(&hashes)?.into_iter().flatten().map(|place| words[place as usize]);
    let mut out: Vec<_> = at.zip(counts).collect();
    out.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
    Ok(out)
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}
