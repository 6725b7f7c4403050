//! Rows of a table: how they are declared, and how their columns are stored.

use std::io::Write;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_writer::{ArrowRowGroupWriterFactory, ArrowWriterOptions};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use crate::enumerations::Meaning;
use crate::{Hint, Settings, Table};

/// The version of the tables' columns and meanings. Goes into every file and the marker.
pub const FORMAT: u32 = 12;

/// Level of zstd. On the texts of 1,500 web pages level 1 takes half the time and 12% more room,
/// level 9 four times the time and 10% less.
const ZSTD_LEVEL: i32 = 3;

/// Bytes of a page, and rows of one. Few enough that looking up one URL reads little.
const PAGE_BYTES: usize = 256 * 1024;
const PAGE_ROWS: usize = 4096;

/// A wrong answer of the bloom filter in a hundred lookups costs one page read in a hundred files.
const BLOOM_WRONG: f64 = 0.01;

/// Different values that a bloom filter is made for, and maximum rows per row group; it is folded to what there were in the end.
pub(crate) const BLOOM_VALUES: u64 = 65_536;

/// The key of a comment in the metadata of a column: in Arrow schemas and in Delta logs.
pub(crate) const COMMENT: &str = "comment";

/// A row of a table.
pub trait Row: Sized + 'static {
    /// The table.
    const TABLE: Table;

    /// Columns that are being filled.
    type Columns: Columns<Row = Self>;

    /// Bytes of the row before it is encoded.
    fn bytes(&self) -> usize;
}

/// A column as it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// How it is stored.
    pub hint: Hint,
    /// What it holds, in words.
    pub comment: &'static str,
    /// The values that it may hold, where these are a fixed list.
    pub values: &'static [Meaning],
}

impl Column {
    /// The comment, and the names of the values where these are a fixed list: what files and logs say.
    pub fn described(&self) -> String {
        let names: Vec<&str> = self.values.iter().map(|value| value.name).collect();
        match names.as_slice() {
            [] => self.comment.to_owned(),
            names => format!("{} Values: {}.", self.comment, names.join(", ")),
        }
    }
}

/// An Arrow field with its comment.
pub(crate) fn commented(name: &str, data_type: DataType, nullable: bool, comment: &str) -> Field {
    let metadata = [(COMMENT.to_owned(), comment.to_owned())].into();
    Field::new(name, data_type, nullable).with_metadata(metadata)
}

/// Columns of a table that are being filled, row by row.
pub trait Columns: Default + Send {
    /// The row.
    type Row;

    /// Adds a row.
    fn append(&mut self, row: &Self::Row);

    /// The arrays of all rows since the last call.
    fn finish(&mut self) -> Vec<ArrayRef>;
}

/// Declares a row: the struct, its schema, its columns and how they are stored.
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($derive:ident)])?
        $row:ident, $columns:ident, $name:literal, $written:ident {
            $($(#[doc = $field_doc:literal])* $field:ident: $type:ty => $hint:ident $(in $values:ident)?,)*
        }
    ) => {
        $(#[doc = $doc])*
        $(#[derive($derive)])?
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $row {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }

        #[doc = concat!("Columns of the table `", $name, "` that are being filled.")]
        pub struct $columns {
            $($field: <$type as $crate::column::Value>::Builder,)*
        }

        impl Default for $columns {
            fn default() -> $columns {
                $columns { $($field: <$type as $crate::column::Value>::builder(),)* }
            }
        }

        impl $crate::table::Columns for $columns {
            type Row = $row;

            fn append(&mut self, row: &$row) {
                $($crate::column::Value::append(&row.$field, &mut self.$field);)*
            }

            fn finish(&mut self) -> Vec<arrow_array::ArrayRef> {
                vec![$($crate::column::finish(&mut self.$field)),*]
            }
        }

        impl $crate::table::Row for $row {
            const TABLE: $crate::Table = $crate::Table {
                name: $name,
                comment: concat!($($doc),*).trim_ascii_start(),
                written: $crate::Written::$written,
                columns: || vec![$($crate::Column {
                    name: stringify!($field),
                    hint: $crate::Hint::$hint,
                    comment: concat!($($field_doc),*).trim_ascii_start(),
                    values: $crate::table::or_none!($($values)?),
                }),*],
                schema: || {
                    use $crate::column::Value;
                    let types = [$((<$type as Value>::data_type(), <$type as Value>::NULLABLE)),*];
                    let columns = <$row as $crate::table::Row>::TABLE.columns().into_iter().zip(types);
                    let fields = columns.map(|(column, (data_type, nullable))| {
                        $crate::table::commented(column.name, data_type, nullable, &column.described())
                    });
                    std::sync::Arc::new(arrow_schema::Schema::new(fields.collect::<Vec<_>>()))
                },
            };

            type Columns = $columns;

            fn bytes(&self) -> usize {
                use $crate::column::Value;
                [$(Value::bytes(&self.$field)),*].iter().sum()
            }
        }

        impl $crate::stored_value::StoredRow for $row {
            fn stored(columns: &[arrow_array::ArrayRef], row: usize) -> Option<$row> {
                let mut columns = columns.iter();
                Some($row {
                    $($field: $crate::stored_value::StoredValue::stored(&**columns.next()?, row)?,)*
                })
            }
        }
    };
}

/// The list of a column's values; an empty one where none is named.
macro_rules! or_none {
    () => {
        &[]
    };
    ($values:ident) => {
        $values
    };
}

/// Declares what a list column holds, where its items are more than one value: the struct and its Arrow fields.
macro_rules! group {
    (
        $(#[doc = $doc:literal])*
        $group:ident {
            $($(#[doc = $field_doc:literal])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $group {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }

        impl $group {
            pub(crate) fn fields() -> arrow_schema::Fields {
                use $crate::column::Value;
                vec![$($crate::table::commented(
                    stringify!($field),
                    <$type as Value>::data_type(),
                    <$type as Value>::NULLABLE,
                    concat!($($field_doc),*).trim_ascii_start(),
                )),*]
                .into()
            }
        }
    };
}

pub(crate) use {group, or_none, table};

/// How the file of a table is written.
fn properties(table: &Table, settings: &Settings) -> WriterProperties {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).expect("zstd has this level");
    let base = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(PAGE_BYTES)
        .set_data_page_row_count_limit(PAGE_ROWS)
        // Rows and bytes are counted before they come to the writer: see `GroupEncoder`.
        .set_max_row_group_row_count(None)
        .set_max_row_group_bytes(None)
        .set_key_value_metadata(Some(metadata(table, settings)));
    let schema = table.schema();
    let stored = |base, declared: Column| {
        let text = is_text(&schema, declared.name);
        column(base, declared.name, declared.hint, text)
    };
    table.columns().into_iter().fold(base, stored).build()
}

fn is_text(schema: &Schema, name: &str) -> bool {
    schema
        .field_with_name(name)
        .is_ok_and(|field| field.data_type().is_string())
}

fn column(base: WriterPropertiesBuilder, name: &str, hint: Hint, text: bool) -> WriterPropertiesBuilder {
    let path = ColumnPath::from(name);
    let base = match (hint, text) {
        (Hint::Dictionary | Hint::RepeatedKey, _) => base.set_column_dictionary_enabled(path.clone(), true),
        (_, true) => base.set_column_encoding(path.clone(), Encoding::DELTA_LENGTH_BYTE_ARRAY),
        (_, false) => base,
    };
    match hint {
        Hint::Key | Hint::RepeatedKey => base
            .set_column_bloom_filter_enabled(path.clone(), true)
            .set_column_bloom_filter_fpp(path.clone(), BLOOM_WRONG)
            .set_column_bloom_filter_max_ndv(path, BLOOM_VALUES),
        Hint::Text => base.set_column_statistics_enabled(path, EnabledStatistics::None),
        Hint::Dictionary | Hint::Plain => base,
    }
}

/// The metadata of the file. Nothing here may differ between two runs on the same input.
fn metadata(table: &Table, settings: &Settings) -> Vec<KeyValue> {
    let own = [
        ("gleaner.format", FORMAT.to_string()),
        ("gleaner.comment", table.comment.to_owned()),
        ("gleaner.columns", comments(table)),
    ];
    let own = own.map(|(key, value)| (key.to_owned(), value));
    let given = settings.metadata.iter();
    let given = given.map(|(key, value)| (key.clone(), value.clone()));
    let all = own.into_iter().chain(given);
    all.map(|(key, value)| KeyValue::new(key, value)).collect()
}

/// The comments by column, as JSON: for readers that do not show those of the Arrow schema, such as DuckDB.
fn comments(table: &Table) -> String {
    let columns = table.columns().into_iter();
    let comments = columns.map(|column| (column.name.to_owned(), column.described().into()));
    serde_json::Value::Object(comments.collect()).to_string()
}

/// Begins a file of a table; also gives what encodes its row groups, which do not depend on the file.
pub(crate) fn begin<W: Write + Send>(
    table: &Table,
    settings: &Settings,
    sink: W,
) -> Result<(SerializedFileWriter<W>, ArrowRowGroupWriterFactory), ParquetError> {
    let options = ArrowWriterOptions::new()
        .with_properties(properties(table, settings))
        .with_parquet_schema(descriptor(table));
    ArrowWriter::try_new_with_options(sink, table.schema(), options)?.into_serialized_writer()
}

/// The Parquet schema descriptor, under the table's name.
pub(crate) fn descriptor(table: &Table) -> SchemaDescriptor {
    ArrowSchemaConverter::new()
        .schema_root(table.name)
        .convert(&table.schema())
        .expect("all column types of rows have Parquet types")
}
