//! A process that explores scenarios for another one: JSON, one line per question and one per answer.

use super::{Engine, Options};
use crate::check::{Report, Scenario, ScenarioError};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// What a worker is asked.
#[derive(Serialize, Deserialize)]
struct Question<'a> {
    engine: Cow<'a, str>,
    options: Cow<'a, Options>,
    scenario: Cow<'a, Scenario>,
}

type Answer = std::result::Result<Report, ScenarioError>;

/// Answers questions to these engines until there are no more. A program that offers itself as a worker calls
/// it with its standard input and output.
///
/// # Errors
/// If the input is no question, or input or output fails.
pub fn serve(engines: &[&dyn Engine], input: impl BufRead, mut output: impl Write) -> Result<()> {
    for line in input.lines() {
        let question: Question<'_> = serde_json::from_str(&line?)?;
        let engine = engines.iter().find(|engine| engine.name() == question.engine).ok_or_else(|| {
            Error::new(ErrorKind::InvalidData, format!("there is no engine `{}`", question.engine))
        })?;
        let answer: Answer = engine.explore(&question.scenario, &question.options);
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

/// A worker as its client sees it. It ends when it is dropped.
pub(super) struct Worker {
    process: Process,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Worker {
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = output.ok_or_else(|| Error::from(ErrorKind::BrokenPipe))?;
        Ok(Self { process: Process(Arc::new(Mutex::new(child))), input, output: BufReader::new(output) })
    }

    /// The process of the worker, so that it can be ended while it explores.
    pub(super) fn process(&self) -> Process {
        self.process.clone()
    }

    pub(super) fn explore(&mut self, engine: &str, scenario: &Scenario, options: &Options) -> Result<Answer> {
        let question = Question {
            engine: Cow::Borrowed(engine),
            options: Cow::Borrowed(options),
            scenario: Cow::Borrowed(scenario),
        };
        let mut line = serde_json::to_string(&question)?;
        line.push('\n');
        let input = self.input.as_mut().ok_or_else(|| Error::from(ErrorKind::BrokenPipe))?;
        input.write_all(line.as_bytes())?;
        input.flush()?;
        line.clear();
        if self.output.read_line(&mut line)? == 0 {
            let detail = format!("a worker ended while it explored {}", scenario.name);
            return Err(Error::new(ErrorKind::UnexpectedEof, detail));
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Without input it ends by itself.
        self.input = None;
        // A worker in the middle of a question is not waited for.
        self.process.end();
    }
}

/// The process of a worker, which any thread may end.
#[derive(Clone)]
pub(super) struct Process(Arc<Mutex<Child>>);

impl Process {
    /// Ends it. A caller that waits for its answer gets an error.
    pub(super) fn end(&self) {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_question_is_an_error() {
        for text in ["nonsense\n", "{}\n", "{\"engine\":\"none\",\"options\":{},\"scenario\":{}}\n"] {
            assert!(serve(&[], text.as_bytes(), Vec::new()).is_err(), "{text}");
        }
        assert!(serve(&[], "".as_bytes(), Vec::new()).is_ok());
    }

    #[test]
    fn a_worker_that_cannot_start_is_an_error() {
        assert!(Worker::start(&mut Command::new("/no/such/program")).is_err());
    }
}
