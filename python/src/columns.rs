//! Operations on columns in host memory.

use crate::buffer::{Slice, Words};
use crate::column::{Column, Plain};
use crate::failure::{Failure, room};
use crate::interrupt::watched;
use pyo3::prelude::*;
use rayon::prelude::*;
use warpproof::simt::cpu::Error;
use warpproof::simt::cpu::columns::{
    Count, Fold, Grouped, Join, Max, Mean, Min, Number, Pairs, Progress, RowsByKey, Sum, grouped,
    isin as isin_of,
};
use warpproof_model::bits::TableKey;

/// The first row of each group; if `counted` the rows of each group; if `numbered` the group of each row.
#[pyfunction]
#[pyo3(signature = (keys, counted, numbered, report=None))]
pub(crate) fn groups(
    py: Python<'_>,
    keys: Words,
    counted: bool,
    numbered: bool,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Column, Column, Column)> {
    let asked = (counted, numbered);
    match &keys {
        Words::W32(keys) => {
            watched(py, (keys.get().len(), report), |progress| groups_of(keys.get(), asked, progress))
        }
        Words::W64(keys) => {
            watched(py, (keys.get().len(), report), |progress| groups_of(keys.get(), asked, progress))
        }
    }
}

fn groups_of<K: TableKey>(
    keys: &[K],
    (counted, numbered): (bool, bool),
    progress: &Progress,
) -> Result<(Column, Column, Column), Failure> {
    if !counted {
        let groups: Grouped<(), i64> = grouped(keys, &(), numbered, progress)?;
        return Ok((groups.first.into(), Vec::<i64>::new().into(), groups.numbers.into()));
    }
    let groups: Grouped<u32, i64> = grouped(keys, &Count, numbered, progress)?;
    let mut sizes: Vec<i64> = room(groups.states.len())?;
    sizes.par_extend(groups.states.into_par_iter().map(i64::from));
    Ok((groups.first.into(), sizes.into(), groups.numbers.into()))
}

/// Values of a type that can be folded.
pub(crate) enum Values {
    I32(Slice<i32>),
    U32(Slice<u32>),
    I64(Slice<i64>),
    U64(Slice<u64>),
    F32(Slice<f32>),
    F64(Slice<f64>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Values {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(values) = object.extract() {
            return Ok(Self::I64(values));
        }
        if let Ok(values) = object.extract() {
            return Ok(Self::F64(values));
        }
        if let Ok(values) = object.extract() {
            return Ok(Self::U64(values));
        }
        if let Ok(values) = object.extract() {
            return Ok(Self::I32(values));
        }
        if let Ok(values) = object.extract() {
            return Ok(Self::U32(values));
        }
        Ok(Self::F32(object.extract()?))
    }
}

/// The first row of each group, and a number for each: the `sum`, `min`, `max` or `mean` of its values.
#[pyfunction]
#[pyo3(signature = (keys, values, how, report=None))]
pub(crate) fn fold(
    py: Python<'_>,
    keys: Words,
    values: Values,
    how: &str,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Column, Column)> {
    macro_rules! each {
        ($($kind:ident),*) => {
            match (&keys, &values) {
                $((Words::W32(keys), Values::$kind(values)) => {
                    watched(py, (keys.get().len(), report), |progress| folded(keys.get(), values.get(), how, progress))
                }
                (Words::W64(keys), Values::$kind(values)) => {
                    watched(py, (keys.get().len(), report), |progress| folded(keys.get(), values.get(), how, progress))
                })*
            }
        };
    }
    each!(I32, U32, I64, U64, F32, F64)
}

fn folded<K: TableKey, N: Number<Sum: Plain> + Plain>(
    keys: &[K],
    values: &[N],
    how: &str,
    progress: &Progress,
) -> Result<(Column, Column), Failure> {
    if keys.len() != values.len() {
        let (keys, values) = (keys.len(), values.len());
        return Err(Failure::Value(format!("there are {keys} keys and {values} values")));
    }
    fn of<K: TableKey, F: Fold<State: Plain>>(
        keys: &[K],
        fold: &F,
        progress: &Progress,
    ) -> Result<(Column, Column), Failure> {
        let groups: Grouped<F::State, i64> = grouped(keys, fold, false, progress)?;
        Ok((groups.first.into(), groups.states.into()))
    }
    match how {
        "sum" => of(keys, &Sum(values), progress),
        "min" => of(keys, &Min(values), progress),
        "max" => of(keys, &Max(values), progress),
        "mean" => {
            let groups: Grouped<_, i64> = grouped(keys, &Mean(values), false, progress)?;
            let mut means: Vec<f64> = room(groups.states.len())?;
            means.extend(groups.states.into_iter().map(|(sum, rows)| sum / f64::from(rows)));
            Ok((groups.first.into(), means.into()))
        }
        _ => Err(Failure::Value(format!("there is no fold {how}"))),
    }
}

/// The elements of a column at some rows.
#[pyfunction]
pub(crate) fn gather(py: Python<'_>, column: Words, rows: Slice<i64>) -> PyResult<Column> {
    fn of<T: Plain>(column: &[T], rows: &[i64]) -> Result<Column, Failure> {
        let wrong =
            rows.par_iter().find_any(|&&row| usize::try_from(row).map_or(true, |row| row >= column.len()));
        if let Some(row) = wrong {
            return Err(Failure::Value(format!("row {row} is not in a column of {}", column.len())));
        }
        let mut list = room(rows.len())?;
        list.par_extend(rows.par_iter().map(|&row| column[row as usize]));
        Ok(list.into())
    }
    let gathered = py.detach(|| match &column {
        Words::W32(column) => of(column.get(), rows.get()),
        Words::W64(column) => of(column.get(), rows.get()),
    });
    Ok(gathered?)
}

/// Whether each key is among others.
#[pyfunction]
#[pyo3(signature = (keys, others, report=None))]
pub(crate) fn isin(
    py: Python<'_>,
    keys: Words,
    others: Words,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    match (&keys, &others) {
        (Words::W32(keys), Words::W32(others)) => {
            watched(py, (keys.get().len() + others.get().len(), report), |progress| {
                Ok(isin_of(keys.get(), others.get(), progress)?.into())
            })
        }
        (Words::W64(keys), Words::W64(others)) => {
            watched(py, (keys.get().len() + others.get().len(), report), |progress| {
                Ok(isin_of(keys.get(), others.get(), progress)?.into())
            })
        }
        _ => Err(Failure::width().into()),
    }
}

/// The pairs of rows of an `inner` or `left` join; the left rows of a `semi` or `anti` join, and nothing.
#[pyfunction]
#[pyo3(signature = (left, right, how, report=None))]
pub(crate) fn join(
    py: Python<'_>,
    left: Words,
    right: Words,
    how: &str,
    report: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Column, Column)> {
    match (&left, &right) {
        (Words::W32(left), Words::W32(right)) => {
            watched(py, (left.get().len() + right.get().len(), report), |progress| {
                joined(left.get(), right.get(), how, progress)
            })
        }
        (Words::W64(left), Words::W64(right)) => {
            watched(py, (left.get().len() + right.get().len(), report), |progress| {
                joined(left.get(), right.get(), how, progress)
            })
        }
        _ => Err(Failure::width().into()),
    }
}

fn joined<K: TableKey>(
    left: &[K],
    right: &[K],
    how: &str,
    progress: &Progress,
) -> Result<(Column, Column), Failure> {
    let by_key = RowsByKey::new(right, progress)?;
    let one = |rows: Result<Vec<i64>, Error>| Ok((rows?.into(), Vec::<i64>::new().into()));
    let two =
        |pairs: Result<Pairs<i64>, Error>| pairs.map(|Pairs { left, right }| (left.into(), right.into()));
    match how {
        "inner" => Ok(two(by_key.joined(left, Join::Inner, progress))?),
        "left" => Ok(two(by_key.joined(left, Join::Left, progress))?),
        "semi" => one(by_key.rows_where(left, true, progress)),
        "anti" => one(by_key.rows_where(left, false, progress)),
        _ => Err(Failure::Value(format!("there is no join {how}"))),
    }
}
