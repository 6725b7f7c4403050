//! Values of rows, read from the columns that [`crate::column`] writes.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int64Type, TimestampMillisecondType, UInt16Type, UInt32Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::{Day, LanguagePages, Millis, PiiSpan, Real, Row, Share};

/// A row that can be read again, from a file as gleaner writes it.
pub trait StoredRow: Row {
    /// A row of the columns of the table, in their order; none if one is missing or has another type.
    #[doc(hidden)]
    fn stored(columns: &[ArrayRef], row: usize) -> Option<Self>;
}

/// The rows of a batch that has all columns of their table; none for each if one is missing or has another type.
pub(crate) fn stored_rows<R: StoredRow>(batch: &RecordBatch) -> impl Iterator<Item = Option<R>> {
    let columns = R::TABLE.columns().into_iter();
    let columns = columns.map(|column| batch.column_by_name(column.name).cloned());
    let columns: Option<Vec<ArrayRef>> = columns.collect();
    (0..batch.num_rows()).map(move |row| R::stored(columns.as_deref()?, row))
}

/// A type whose columns can be read.
pub(crate) trait StoredValue: Sized {
    /// The value of a row; none if the column has another type, or no value where there has to be one.
    fn stored(column: &dyn Array, row: usize) -> Option<Self>;
}

impl<T: StoredValue> StoredValue for Option<T> {
    fn stored(column: &dyn Array, row: usize) -> Option<Option<T>> {
        match column.is_null(row) {
            true => Some(None),
            false => T::stored(column, row).map(Some),
        }
    }
}

/// Columns of numbers: the value is `$from(number)`.
macro_rules! numbers {
    ($($type:ty, $arrow:ty, $from:expr;)*) => {
        $(impl StoredValue for $type {
            fn stored(column: &dyn Array, row: usize) -> Option<$type> {
                let numbers = column.as_primitive_opt::<$arrow>()?;
                let from: fn(_) -> Option<$type> = $from;
                from(numbers.is_valid(row).then(|| numbers.value(row))?)
            }
        })*
    };
}

numbers! {
    u16, UInt16Type, Some;
    u32, UInt32Type, Some;
    u64, Int64Type, |number| u64::try_from(number).ok();
    Millis, TimestampMillisecondType, |number| Some(Millis(number));
    Day, Date32Type, |number| Some(Day(number));
    Share, Float32Type, |number| Some(Share(number));
    Real, Float64Type, |number| Some(Real(number));
}

impl StoredValue for bool {
    fn stored(column: &dyn Array, row: usize) -> Option<bool> {
        let values = column.as_boolean_opt()?;
        values.is_valid(row).then(|| values.value(row))
    }
}

impl StoredValue for String {
    fn stored(column: &dyn Array, row: usize) -> Option<String> {
        let texts = column.as_string_opt::<i32>()?;
        texts.is_valid(row).then(|| texts.value(row).to_owned())
    }
}

impl StoredValue for Cow<'static, str> {
    fn stored(column: &dyn Array, row: usize) -> Option<Cow<'static, str>> {
        String::stored(column, row).map(Cow::Owned)
    }
}

impl<T: StoredValue> StoredValue for Vec<T> {
    fn stored(column: &dyn Array, row: usize) -> Option<Vec<T>> {
        let lists = column.as_list_opt::<i32>()?;
        let items = lists.is_valid(row).then(|| lists.value(row))?;
        (0..items.len()).map(|item| T::stored(&*items, item)).collect()
    }
}

impl StoredValue for LanguagePages {
    fn stored(column: &dyn Array, row: usize) -> Option<LanguagePages> {
        let fields = column.as_struct_opt()?;
        Some(LanguagePages {
            language: StoredValue::stored(fields.column_by_name("language")?, row)?,
            pages: StoredValue::stored(fields.column_by_name("pages")?, row)?,
        })
    }
}

impl StoredValue for PiiSpan {
    fn stored(column: &dyn Array, row: usize) -> Option<PiiSpan> {
        let fields = column.as_struct_opt()?;
        Some(PiiSpan {
            kind: StoredValue::stored(fields.column_by_name("kind")?, row)?,
            start: StoredValue::stored(fields.column_by_name("start")?, row)?,
            end: StoredValue::stored(fields.column_by_name("end")?, row)?,
        })
    }
}
