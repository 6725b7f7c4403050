//! Pages as rows of Parquet files. A file is a function of its rows.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float32Builder, Float64Builder, Int32Builder, Int64Builder, ListBuilder,
    StringBuilder, TimestampMillisecondBuilder, UInt16Builder, UInt32Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use gleaner_corpus::TABLES;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::recipe::Column;
use crate::value::Value;

/// Bytes of rows, before they are encoded, at which they become a row group.
const GROUP_BYTES: u64 = 64 << 20;
const GROUP_ROWS: usize = 65_536;

/// As the tables of a corpus.
const ZSTD_LEVEL: i32 = 3;

/// Writes rows.
pub(crate) struct RowWriter<W: Write + Send> {
    schema: SchemaRef,
    writer: ArrowWriter<W>,
    rows: Vec<Vec<Value<'static>>>,
    bytes: u64,
}

/// The schema of columns: their types and comments are those of their tables.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    let field = |column: &Column| {
        let table = TABLES.into_iter().find(|table| table.name == column.table);
        let schema = table.map(|table| table.schema());
        let field = schema.and_then(|schema| schema.field_with_name(column.name).ok().cloned());
        field.map(|field| field.with_name(column.written()))
    };
    let fields: Vec<Field> = columns.iter().filter_map(field).collect();
    Arc::new(Schema::new(fields))
}

impl<W: Write + Send> RowWriter<W> {
    pub(crate) fn new(sink: W, schema: &SchemaRef) -> Result<RowWriter<W>, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
            .set_max_row_group_row_count(None)
            .build();
        Ok(RowWriter {
            writer: ArrowWriter::try_new(sink, Arc::clone(schema), Some(properties))?,
            schema: Arc::clone(schema),
            rows: Vec::new(),
            bytes: 0,
        })
    }

    pub(crate) fn push(&mut self, row: Vec<Value<'static>>, bytes: u64) -> Result<(), ParquetError> {
        self.rows.push(row);
        self.bytes += bytes;
        match self.bytes >= GROUP_BYTES || self.rows.len() >= GROUP_ROWS {
            true => self.end_group(),
            false => Ok(()),
        }
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let columns = self.schema.fields().iter().enumerate();
        let columns =
            columns.map(|(place, field)| array(field.data_type(), rows.iter().map(|row| &row[place])));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns.collect::<Result<_, _>>()?)?;
        self.writer.write(&batch)?;
        self.writer.flush()
    }

    /// Ends the file.
    pub(crate) fn end(mut self) -> Result<W, ParquetError> {
        if !self.rows.is_empty() {
            self.end_group()?;
        }
        self.writer.into_inner()
    }
}

/// An array of values of a type.
fn array<'v>(
    data_type: &DataType,
    values: impl Iterator<Item = &'v Value<'static>>,
) -> Result<ArrayRef, ParquetError> {
    macro_rules! built {
        ($builder:expr, $pattern:pat => $value:expr) => {{
            let mut builder = $builder;
            for value in values {
                match value {
                    $pattern => builder.append_value($value),
                    _ => builder.append_null(),
                }
            }
            Arc::new(builder.finish()) as ArrayRef
        }};
    }
    Ok(match data_type {
        DataType::Boolean => built!(BooleanBuilder::new(), Value::Flag(flag) => *flag),
        DataType::UInt16 => built!(UInt16Builder::new(), Value::Whole(number) => whole(*number)),
        DataType::UInt32 => built!(UInt32Builder::new(), Value::Whole(number) => whole(*number)),
        DataType::Int32 => built!(Int32Builder::new(), Value::Whole(number) => whole(*number)),
        DataType::Int64 => built!(Int64Builder::new(), Value::Whole(number) => *number),
        DataType::Float32 => built!(Float32Builder::new(), Value::Share(number) => *number),
        DataType::Float64 => built!(Float64Builder::new(), Value::Real(number) => *number),
        DataType::Utf8 => built!(StringBuilder::new(), Value::Text(text) => text),
        DataType::Date32 => built!(Date32Builder::new(), Value::Day(day) => *day),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => {
            let builder = TimestampMillisecondBuilder::new().with_timezone_opt(zone.clone());
            built!(builder, Value::Time(time) => *time)
        }
        DataType::List(item) => list(item, values)?,
        other => return Err(ParquetError::General(format!("no table has the type {other}"))),
    })
}

/// A number that was read from a column of this type.
fn whole<N: TryFrom<i64> + Default>(number: i64) -> N {
    N::try_from(number).unwrap_or_default()
}

fn list<'v>(
    item: &Arc<Field>,
    values: impl Iterator<Item = &'v Value<'static>>,
) -> Result<ArrayRef, ParquetError> {
    macro_rules! built {
        ($builder:expr, $pattern:pat => $value:expr) => {{
            let mut builder = ListBuilder::new($builder).with_field(Arc::clone(item));
            for value in values {
                let Value::List(items) = value else {
                    builder.append_null();
                    continue;
                };
                for item in items {
                    match item {
                        $pattern => builder.values().append_value($value),
                        _ => builder.values().append_null(),
                    }
                }
                builder.append(true);
            }
            Arc::new(builder.finish()) as ArrayRef
        }};
    }
    Ok(match item.data_type() {
        DataType::Utf8 => built!(StringBuilder::new(), Value::Text(text) => text),
        DataType::Float32 => built!(Float32Builder::new(), Value::Share(number) => *number),
        DataType::Int64 => built!(Int64Builder::new(), Value::Whole(number) => *number),
        other => return Err(ParquetError::General(format!("no table has lists of {other}"))),
    })
}
