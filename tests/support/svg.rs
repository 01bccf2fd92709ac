//! Plots, as a program that reads XML sees them.

/// Whether every element of an XML text is closed, in order, and there is one at the top.
pub(crate) fn well_formed(text: &str) -> Result<(), String> {
    let (mut open, mut tops, mut rest) = (Vec::new(), 0, text);
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') || open.is_empty() && !rest[..at].trim().is_empty() {
            return Err(format!("text outside of an element: {:?}", &rest[..at]));
        }
        let end = rest.find('>').ok_or("a tag does not end")?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
        } else if tag.matches('"').count() % 2 != 0 {
            return Err(format!("<{tag}>: a quote is open"));
        } else {
            tops += usize::from(open.is_empty());
            let name = tag.split_whitespace().next().ok_or("a tag without a name")?;
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    if open.is_empty() && tops == 1 { Ok(()) } else { Err(format!("{open:?} open, {tops} at the top")) }
}
