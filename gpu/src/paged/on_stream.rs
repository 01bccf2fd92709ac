//! Operations on device slices, of paged maps and sets. Calls wait for their stream: the host decides the way
//! of each child table by the numbers of operations.

use super::Paged;
use super::batch::{Effect, Given, Wanted};
use crate::access::OnStream;
use crate::arguments::{Head, Listed, Span};
use crate::error::Error;
use crate::layout::{Entry, KeyScalar, Scalar};
use crate::operations::launch::{Arrays, Launch};
use crate::operations::{Operation, per_key, put, search, update};
use crate::row::Row;
use crate::slices::{Call, Input, Output};
use cudarc::driver::{CudaStream, CudaView, CudaViewMut};
use std::sync::Arc;
use warpproof_model::Update;
use warpproof_model::bits::{Integer, Unsigned};
use warpproof_model::host::Refused;
use warpproof_model::outcome::Op;

impl<R: Row> Paged<R> {
    /// The operations on device slices, on `stream`. Calls wait for it.
    pub fn on_stream<'a>(&'a self, stream: &'a Arc<CudaStream>) -> OnStream<'a, Self> {
        OnStream { table: self, stream }
    }
}

/// Refuses a slice that is not as long as the keys.
fn admit<T>(keys: usize, what: &'static str, slice: Option<Span<T>>) -> Result<(), Refused> {
    match slice {
        Some(slice) if slice.len() != keys => Err(Refused::Length { keys, what, found: slice.len() }),
        _ => Ok(()),
    }
}

impl<R: Row> OnStream<'_, Paged<R>> {
    /// Runs a batch.
    ///
    /// # Safety
    ///
    /// The kernels of the operation write these answers.
    unsafe fn run<'b, N: Scalar>(
        &'b self,
        (launch, effect): (Launch<impl Fn(&Head, &Arrays<R::Key, R::Value, N>) -> Listed>, Effect),
        (keys, values): (CudaView<'b, R::Key>, Option<CudaView<'b, R::Value>>),
        (codes, numbers): (Option<CudaViewMut<'b, u8>>, Option<CudaViewMut<'b, N>>),
    ) -> Result<(), Error> {
        let mut call = Call::new(self.table.device.context(), self.stream)?;
        let given = Given {
            keys: call.input("keys", keys)?,
            values: values.map(|values| call.input("values", values)).transpose()?,
            ops: None,
        };
        let wanted = Wanted {
            codes: codes.map(|codes| call.output("outcomes", codes)).transpose()?,
            numbers: numbers.map(|numbers| call.output("found values", numbers)).transpose()?,
        };
        let n = given.keys.len();
        admit(n, "values", given.values)?;
        admit(n, "outcomes", wanted.codes)?;
        admit(n, "found values", wanted.numbers)?;
        // SAFETY: slices that `call` took, and of the right lengths; the rest is the contract of this
        // function.
        let ran = unsafe { self.table.state().run((&launch, effect), given, wanted, self.stream) };
        call.finish().and(ran)?;
        self.stream.synchronize().map_err(Error::driver("waiting for a batch"))
    }

    /// Whether each key is there, 1 or 0.
    ///
    /// # Errors
    /// [`Error::Refused`] if slices have different lengths, [`Error::OtherDevice`], [`Error::OutOfMemory`],
    /// [`Error::Kernel`], [`Error::Driver`]; so for all calls.
    pub fn contains(&self, keys: &impl Input<R::Key>, found: &mut impl Output<u8>) -> Result<(), Error> {
        let launch = search::contains::<R::Key, R::Value>(R::PAIRS);
        // SAFETY: the kernel writes codes.
        unsafe { self.run((launch, Effect::Reads), (keys.view(), None), (Some(found.view_mut()), None)) }
    }

    /// Deletes entries. Outcomes: [`Delete`](warpproof_model::Delete).
    pub fn delete(&self, keys: &impl Input<R::Key>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let launch = per_key::per_key::<R::Key, R::Value>(Operation::Delete);
        let effect = Effect::Of(Op::Delete);
        // SAFETY: the kernel writes codes.
        unsafe { self.run((launch, effect), (keys.view(), None), (Some(outcomes.view_mut()), None)) }
    }
}

impl<K: Scalar, V: Scalar> OnStream<'_, Paged<(K, V)>>
where
    (K, V): Entry,
{
    /// Adds pairs whose keys are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert_unique(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put((Operation::InsertUnique, Op::InsertUnique), keys, values, outcomes)
    }

    /// Adds pairs, or replaces values. Outcomes: [`Assign`](warpproof_model::Assign).
    pub fn insert_or_assign(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        self.put((Operation::InsertOrAssign, Op::Assign), keys, values, outcomes)
    }

    /// Adds pairs, or adds to values. Outcomes: [`Add`](warpproof_model::Add).
    pub fn insert_or_add(
        &self,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error>
    where
        V: Integer,
    {
        self.update(Update::Add, keys, values, outcomes)
    }

    /// Adds pairs, or changes values as `update` says. Outcomes: [`Add`](warpproof_model::Add).
    pub fn insert_or_update(
        &self,
        update: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error>
    where
        V: Unsigned,
    {
        self.update(update, keys, values, outcomes)
    }

    /// Runs InsertOrUpdate.
    fn update(
        &self,
        update: Update,
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let columns = (keys.view(), Some(values.view()));
        let answers = (Some(outcomes.view_mut()), None::<CudaViewMut<'_, V>>);
        // SAFETY: the kernel writes codes.
        unsafe { self.run((update::update(update), Effect::Of(Op::Assign)), columns, answers) }
    }

    /// Runs InsertUnique or InsertOrAssign; called only with those.
    fn put(
        &self,
        (operation, kind): (Operation, Op),
        keys: &impl Input<K>,
        values: &impl Input<V>,
        outcomes: &mut impl Output<u8>,
    ) -> Result<(), Error> {
        let columns = (keys.view(), Some(values.view()));
        let answers = (Some(outcomes.view_mut()), None::<CudaViewMut<'_, V>>);
        // SAFETY: the kernel writes codes.
        unsafe { self.run((put::put(operation), Effect::Of(kind)), columns, answers) }
    }

    /// The value of each key, or `missing`; and whether it is there, if `found` is given.
    pub fn search_or(
        &self,
        keys: &impl Input<K>,
        values: &mut impl Output<V>,
        missing: V,
        found: Option<CudaViewMut<'_, u8>>,
    ) -> Result<(), Error> {
        let launch = search::search(missing, found.is_some());
        // SAFETY: the kernel writes values, and codes if it is told to.
        unsafe { self.run((launch, Effect::Reads), (keys.view(), None), (found, Some(values.view_mut()))) }
    }
}

impl<K: KeyScalar> OnStream<'_, Paged<(K,)>> {
    /// Adds keys that are absent. Outcomes: [`Insert`](warpproof_model::Insert).
    pub fn insert(&self, keys: &impl Input<K>, outcomes: &mut impl Output<u8>) -> Result<(), Error> {
        let launch = per_key::per_key::<K, K>(Operation::InsertUnique);
        let effect = Effect::Of(Op::InsertUnique);
        // SAFETY: the kernel writes codes.
        unsafe { self.run((launch, effect), (keys.view(), None), (Some(outcomes.view_mut()), None)) }
    }
}
