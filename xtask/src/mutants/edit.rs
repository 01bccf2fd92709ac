//! A change of one place in a source file.

use super::source::Source;
use crate::shell::{Outcome, read, write};
use serde::Deserialize;
use std::ops::Range;
use std::path::Path;

/// Replaces a text of a file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// Where the file is, from the root of the project.
    pub(super) file: String,
    /// The function that contains the text, as `Type::name`. If there is none, the text is searched in the
    /// whole file.
    #[serde(rename = "fn")]
    pub(super) function: Option<String>,
    /// The text, as tokens: see [`Source`].
    pub(super) find: String,
    /// The replacement. Lines after the first are indented as the first is. An empty replacement leaves no
    /// empty line.
    pub(super) replace: String,
}

/// Changes the files of a copy of the project.
pub(super) fn apply(edits: &[Edit], tree: &Path) -> Outcome<()> {
    for (file, edits) in by_file(edits) {
        let path = tree.join(file);
        let changed = changed(&read(&path)?, &edits).map_err(|error| format!("{file}: {error}"))?;
        write(&path, &changed)?;
    }
    Ok(())
}

/// The edits of each file.
pub(super) fn by_file(edits: &[Edit]) -> Vec<(&str, Vec<&Edit>)> {
    let mut files: Vec<(&str, Vec<&Edit>)> = Vec::new();
    for edit in edits {
        match files.iter_mut().find(|(file, _)| *file == edit.file) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((&edit.file, vec![edit])),
        }
    }
    files
}

/// The text of a file after its edits.
pub(super) fn changed(text: &str, edits: &[&Edit]) -> Outcome<String> {
    let mut changed = text.to_owned();
    // From the end, so that the positions of earlier edits stay valid.
    for (bytes, replacement) in places(text, edits)?.into_iter().rev() {
        changed.replace_range(bytes, &replacement);
    }
    Ok(changed)
}

/// The bytes that edits replace, in the order of the file, and their replacements.
pub(super) fn places(text: &str, edits: &[&Edit]) -> Outcome<Vec<(Range<usize>, String)>> {
    let source = Source::new(text)?;
    let place = |edit: &&Edit| {
        let bytes = source.find(edit.function.as_deref(), &edit.find)?;
        let line = text[..bytes.start].rfind('\n').map_or(0, |end| end + 1);
        let rest = text[bytes.end..].split_inclusive('\n').next().unwrap_or_default();
        if edit.replace.trim().is_empty()
            && text[line..bytes.start].trim().is_empty()
            && rest.trim().is_empty()
        {
            return Ok((line..bytes.end + rest.len(), String::new()));
        }
        let indent: String = text[line..].chars().take_while(|c| *c == ' ').collect();
        Ok((
            bytes,
            edit.replace
                .trim()
                .replace('\n', &format!("\n{indent}"))
                .replace(&format!("\n{indent}\n"), "\n\n"),
        ))
    };
    let mut places: Vec<_> = edits.iter().map(place).collect::<Outcome<_>>()?;
    places.sort_by_key(|(bytes, _): &(Range<usize>, String)| bytes.start);
    match places.windows(2).find(|pair| pair[0].0.end > pair[1].0.start) {
        Some(pair) => Err(format!("two edits change `{}`", &text[pair[1].0.clone()])),
        None => Ok(places),
    }
}
