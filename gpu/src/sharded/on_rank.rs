//! Operations of a rank on device slices.

use super::carrier::{DeviceCarrier, Given};
use super::memory::DeviceExchange;
use crate::access::OnStream;
use crate::arguments::{Head, Listed};
use crate::error::Error;
use crate::handle::{Map, Set, Table};
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::operations::launch::{Arrays, Launch};
use crate::operations::{Operation, mixed, per_key, put, search, update};
use crate::row::Row;
use crate::slices::{Call, Input, Output};
use crate::sorter::Shape;
use crate::structures::{Counter, Holds};
use cudarc::driver::{CudaStream, CudaView, CudaViewMut};
use std::sync::Arc;
use warpproof_model::Update;
use warpproof_model::bits::Integer;
use warpproof_model::host::Refused;
use warpproof_model::sharded::{Call as Collective, Error as ShardedError, Part, Prepared, Sharded};

/// Operations of a rank on device slices: [`Sharded`] over a [`DeviceExchange`], with a [`Table`] as its
/// shard.
pub trait OnRank: Sized {
    /// The operations on device slices of this rank's device, on `stream`.
    ///
    /// Calls are collective, wait for their end, and answer each rank in the order of its own batch. Outcomes
    /// are the codes of [`warpproof_model::outcome`]. A batch is sorted by owner (two passes over it), moved
    /// to the shards, and its answers are moved back. Batches of a table run one after the other. If all
    /// shards have one seed, the items for a shard come part by part of its homes, which it runs faster.
    fn on_stream<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OnStream<'a, Self>;
}

impl<R: Row, S: Holds<R>, X: DeviceExchange> OnRank for Sharded<Table<R, S>, X> {
    fn on_stream<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OnStream<'a, Self> {
        OnStream { table: self, stream }
    }
}

type Said = Result<(), ShardedError<Error>>;

/// The slices of a batch.
struct Slices<'b, R: Row> {
    keys: CudaView<'b, R::Key>,
    values: Option<CudaView<'b, R::Value>>,
    ops: Option<CudaView<'b, u8>>,
    codes: Option<CudaViewMut<'b, u8>>,
    numbers: Option<CudaViewMut<'b, R::Value>>,
}

impl<R: Row, S: Holds<R>, X: DeviceExchange> OnStream<'_, Sharded<Table<R, S>, X>> {
    /// Takes the slices of a batch: their spans, and where the answers go.
    fn admit<'b>(
        &'b self,
        call: &mut Call<'b>,
        slices: Slices<'b, R>,
    ) -> Result<(Given<R>, [u64; 2]), Error> {
        let given = Given {
            keys: call.input("keys", slices.keys)?,
            values: slices.values.map(|values| call.input("values", values)).transpose()?,
            ops: slices.ops.map(|ops| call.input("operations", ops)).transpose()?,
        };
        let codes = slices.codes.map(|codes| call.output("outcomes", codes)).transpose()?;
        let numbers = slices.numbers.map(|numbers| call.output("found values", numbers)).transpose()?;
        let n = given.keys.len();
        let lengths = [
            ("values", given.values.map(|span| span.len())),
            ("operations", given.ops.map(|span| span.len())),
            ("outcomes", codes.map(|span| span.len())),
            ("found values", numbers.map(|span| span.len())),
        ];
        for (what, found) in lengths {
            if let Some(found) = found.filter(|&found| found != n) {
                return Err(Refused::Length { keys: n, what, found }.into());
            }
        }
        if n > u32::MAX as usize {
            let (found, most) = (n as u64, u32::MAX.into());
            return Err(Refused::TooLarge { what: "items of a batch", found, most }.into());
        }
        Ok((given, [codes.map_or(0, |span| span.at(0)), numbers.map_or(0, |span| span.at(0))]))
    }

    /// Runs a batch.
    ///
    /// # Safety
    /// The kernels of the operation take these columns and write these answers.
    unsafe fn run(
        &self,
        collective: Collective,
        launch: &Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, R::Value>) -> Listed>,
        slices: Slices<'_, R>,
    ) -> Said {
        let shape = Shape { values: slices.values.is_some(), ops: slices.ops.is_some() };
        // Codes are moved even where nobody asks for them: what ranks move is the same on all.
        let valued = slices.numbers.is_some();
        let table = self.table.shard();
        let mut call = Call::new(table.device().context(), self.stream);
        let admitted = match &mut call {
            Ok(call) => self.admit(call, slices),
            Err(error) => Err(error.clone()),
        };
        let owners = self.table.owners();
        let carried = self.table.carry(collective, |exchange| {
            let memory = Arc::clone(exchange.memory());
            let most = memory.most;
            let mut carrier = DeviceCarrier {
                table,
                memory,
                launch,
                valued,
                shape,
                rank: exchange.rank() as usize,
                own: None,
                others: None,
                mine: <[Part; 2]>::default(),
            };
            let starts = match &admitted {
                // SAFETY: slices that `call` took, and of the right lengths; this call waits for the batch.
                Ok((given, _)) => unsafe { carrier.sort(given, owners, self.stream) },
                // Takes part all the same, as others wait.
                Err(error) => Err(error.clone()),
            };
            Prepared { carrier, starts, most }
        });
        let carried = carried.and_then(|carrier| match &admitted {
            Ok((given, to)) => {
                // SAFETY: as above.
                let answered = unsafe { carrier.answer(given.keys.len(), *to, owners) };
                answered.map_err(ShardedError::Shard)
            }
            Err(_) => Ok(()),
        });
        let finished = call.map_or(Ok(()), Call::finish).map_err(ShardedError::Shard);
        match admitted {
            // The batch was refused, and others have not noticed.
            Err(Error::Refused(refused)) if !matches!(carried, Err(ShardedError::Lost { .. })) => {
                Err(ShardedError::Refused(refused))
            }
            _ => carried.and(finished),
        }
    }
}

impl<R: Row, S: Holds<R>, X: DeviceExchange> OnStream<'_, Sharded<Table<R, S>, X>> {
    /// Whether each key is there: 1 or 0.
    ///
    /// # Errors
    /// [`Error::Refused`](ShardedError::Refused) unless all slices have one element per operation: the rank
    /// then takes part without operations, and others do not notice. Otherwise as all collective calls; so
    /// for all operations.
    pub fn contains(&self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Said {
        let launch = search::contains(R::PAIRS);
        // SAFETY: the kernel takes keys and writes codes.
        unsafe { self.run(Collective::Contains, &launch, Slices::per_key(keys, found)) }
    }

    /// Deletes one entry of each key. Outcomes: [`Delete`](warpproof_model::Delete).
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn delete(&self, keys: &impl Input<R::Key>, outcomes: &mut impl Output<u8>) -> Said {
        let launch = per_key::per_key(Operation::Delete);
        // SAFETY: as in `contains`.
        unsafe { self.run(Collective::Delete, &launch, Slices::per_key(keys, outcomes)) }
    }
}

impl<'b, R: Row> Slices<'b, R> {
    fn per_key(keys: &'b impl Input<R::Key>, codes: &'b mut impl Output<u8>) -> Self {
        let codes = Some(codes.view_mut());
        Self { keys: keys.view(), values: None, ops: None, codes, numbers: None }
    }
}

impl<K: Scalar, V: Scalar, S: Holds<(K, V)>, X: DeviceExchange> OnStream<'_, Sharded<Map<K, V, S>, X>>
where
    (K, V): Entry,
{
    /// Runs InsertUnique or InsertOrAssign; called only with those.
    fn put(
        &self,
        (collective, operation): (Collective, Operation),
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Said {
        let values = Some(values.view());
        let slices = Slices { values, ..Slices::per_key(keys, outcomes) };
        // SAFETY: the kernel takes keys and values, and writes codes.
        unsafe { self.run(collective, &put::put(operation), slices) }
    }

    /// Adds pairs whose keys are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn insert_unique(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Said {
        self.put((Collective::InsertUnique, Operation::InsertUnique), keys, values, outcomes)
    }

    /// Adds pairs, or replaces the values of keys that are present. Outcomes:
    /// [`Assign`](warpproof_model::Assign).
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn insert_or_assign(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Said {
        self.put((Collective::InsertOrAssign, Operation::InsertOrAssign), keys, values, outcomes)
    }

    /// The value of one pair of each key; all ones where there is none. `found`, if given, is 1 or 0.
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn search(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Said {
        let launch = search::search(V::ONES, true);
        let numbers = Some(values.view_mut());
        let slices = Slices { keys: keys.view(), values: None, ops: None, codes: found, numbers };
        // SAFETY: the kernel takes keys, and writes values and codes.
        unsafe { self.run(Collective::Search, &launch, slices) }
    }

    /// Operations of all kinds, as [`OnStream::mixed`](crate::OnStream#method.mixed) of one table.
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn mixed(
        &self,
        ops: &impl Input<u8>,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
        found: &mut impl Output<V>,
    ) -> Said {
        let (ops, values) = (Some(ops.view()), Some(values.view()));
        let numbers = Some(found.view_mut());
        let slices = Slices { ops, values, numbers, ..Slices::per_key(keys, outcomes) };
        // SAFETY: the kernel takes operations, keys and values, and writes codes and values.
        unsafe { self.run(Collective::Mixed, &mixed::mixed(), slices) }
    }
}

impl<K, V, S, X> OnStream<'_, Sharded<Map<K, V, S>, X>>
where
    K: Scalar,
    V: Scalar + Integer,
    S: Holds<(K, V)> + Counter,
    X: DeviceExchange,
    (K, V): Entry,
{
    /// Adds pairs. If a key is present, adds its value to the value there, modulo 2 to the bits of a value.
    /// Outcomes: [`Add`](warpproof_model::Add).
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Said {
        let slices = Slices { values: Some(values.view()), ..Slices::per_key(keys, outcomes) };
        // SAFETY: the kernel takes keys and values, and writes codes.
        unsafe { self.run(Collective::InsertOrAdd, &update::update(Update::Add), slices) }
    }
}

impl<K: KeyScalar, S: Holds<(K,)>, X: DeviceExchange> OnStream<'_, Sharded<Set<K, S>, X>> {
    /// Adds keys that are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Said {
        let launch = per_key::per_key(Operation::InsertUnique);
        // SAFETY: the kernel takes keys and writes codes.
        unsafe { self.run(Collective::InsertKey, &launch, Slices::per_key(keys, outcomes)) }
    }
}
