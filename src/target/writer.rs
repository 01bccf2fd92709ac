//! The thread that writes an output. It packs and encodes rows while others prepare the next ones.

use super::block::Block;
use super::packed::Packed;
use super::sink::Sink;
use crate::parquet;
use std::io::{BufWriter, Error, Result, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Blocks that wait to be written.
const WAITING: usize = 16;

/// An output.
pub(super) enum Output {
    Text(Packed),
    Parquet(Box<parquet::Writer<BufWriter<Sink>>>),
}

impl Output {
    fn write(&mut self, block: Block) -> Result<()> {
        match (self, block) {
            (Self::Text(sink), Block::Lines(lines)) => sink.write_all(lines.bytes()),
            (Self::Parquet(writer), Block::Columns(columns)) => writer.append(columns),
            _ => Err(Error::other("these rows are of an output of another kind")),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Text(sink) => sink.finish(),
            Self::Parquet(writer) => {
                writer.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()
            }
        }
    }
}

/// What the thread is told.
enum Message {
    Rows(Block),
    /// There are no more rows: the output is whole.
    Finish,
}

/// The thread. It ends when this is dropped. Unless it was told to finish the output, a file is removed then.
pub(super) struct Writer {
    to: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Writer {
    /// Starts the thread of an output.
    pub(super) fn new(output: Output) -> Result<Self> {
        let (to, from) = sync_channel(WAITING);
        let thread = Builder::new().name("output".into()).spawn(move || run(output, &from))?;
        Ok(Self { to: Some(to), thread: Some(thread) })
    }

    /// Has rows written, after those before.
    ///
    /// # Errors
    /// Writing has failed, of these rows or of others before.
    pub(super) fn write(&mut self, rows: Block) -> Result<()> {
        self.tell(Message::Rows(rows))
    }

    /// Ends the output, and waits for that.
    pub(super) fn finish(mut self) -> Result<()> {
        self.tell(Message::Finish)?;
        self.end()
    }

    fn tell(&mut self, message: Message) -> Result<()> {
        match &self.to {
            Some(to) if to.send(message).is_ok() => Ok(()),
            _ => self.end().and(Err(Error::other("the output has ended"))),
        }
    }

    /// Waits for the end of the thread.
    fn end(&mut self) -> Result<()> {
        self.to = None;
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(Error::other("the thread of the output has panicked")))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Whoever drops an output has another error.
        let _ = self.end();
    }
}

fn run(mut output: Output, from: &Receiver<Message>) -> Result<()> {
    for message in from {
        match message {
            Message::Rows(block) => output.write(block)?,
            Message::Finish => return output.finish(),
        }
    }
    Ok(())
}
