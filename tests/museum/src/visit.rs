//! A visit: what was found in the published form, and whether the repaired forms hold.

use crate::exhibit::Exhibit;
use warpproof_simt::check::{Report, ScenarioError};
use warpproof_simt::engine::{Engine, Options};

/// What was seen of an exhibit.
#[derive(Debug)]
pub struct Visit {
    /// The published form.
    pub published: Report,
    /// The repaired forms that the engine can end, each with what was changed.
    pub repairs: Vec<(&'static str, Report)>,
}

impl Exhibit {
    /// Lets an engine explore the published form and the repaired ones that it can end.
    ///
    /// # Errors
    /// If a scenario does not fit the engine.
    pub fn visit(&self, engine: &dyn Engine, options: &Options) -> Result<Visit, ScenarioError> {
        let published = (self.published)(engine, &self.scenario, options)?;
        let repairs = self.repairs.iter().filter(|repair| repair.is_for(engine));
        let repairs = repairs.map(|repair| Ok((repair.what, (repair.run)(engine, &self.scenario, options)?)));
        Ok(Visit { published, repairs: repairs.collect::<Result<_, _>>()? })
    }
}
