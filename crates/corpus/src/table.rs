//! What a table is: its name, its columns, and how they are stored.

use arrow_array::ArrayRef;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::printer::print_schema;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use crate::{
    BlockRow, DocumentRow, HiddenWebRow, Hint, HistogramRow, PostRow, RejectRow, Settings, SiteRow,
    TemplateRow,
};

/// The version of the tables' columns and meanings. Goes into every file and the marker.
pub const FORMAT: u32 = 1;

/// Level of zstd. On the texts of 1,500 web pages level 1 takes half the time and 12% more room,
/// level 9 four times the time and 10% less.
const ZSTD_LEVEL: i32 = 3;

/// Bytes of a page, and rows of one. Few enough that looking up one URL reads little.
const PAGE_BYTES: usize = 256 * 1024;
const PAGE_ROWS: usize = 4096;

/// A wrong answer of the bloom filter in a hundred lookups costs one page read in a hundred files.
const BLOOM_WRONG: f64 = 0.01;

/// Different values that a bloom filter is made for; it is folded to what there were in the end.
const BLOOM_VALUES: u64 = 65_536;

/// A row of a table.
pub trait Row: Sized + 'static {
    /// The name of the table, and of its folder.
    const TABLE: &'static str;

    /// Columns that are being filled.
    type Columns: Columns<Row = Self>;

    /// The columns, by name, in order, with how each is stored.
    fn hints() -> Vec<(&'static str, Hint)>;

    /// The Arrow schema.
    fn schema() -> SchemaRef;

    /// Bytes of the row before it is encoded.
    fn bytes(&self) -> usize;
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
        $(#[$doc:meta])*
        $row:ident, $columns:ident, $name:literal {
            $($(#[$field_doc:meta])* $field:ident: $type:ty => $hint:ident,)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $row {
            $($(#[$field_doc])* pub $field: $type,)*
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
            const TABLE: &'static str = $name;

            type Columns = $columns;

            fn hints() -> Vec<(&'static str, $crate::Hint)> {
                vec![$((stringify!($field), $crate::Hint::$hint)),*]
            }

            fn schema() -> arrow_schema::SchemaRef {
                use $crate::column::Value;
                let fields = vec![$(arrow_schema::Field::new(
                    stringify!($field),
                    <$type as Value>::data_type(),
                    <$type as Value>::NULLABLE,
                )),*];
                std::sync::Arc::new(arrow_schema::Schema::new(fields))
            }

            fn bytes(&self) -> usize {
                use $crate::column::Value;
                [$(Value::bytes(&self.$field)),*].iter().sum()
            }
        }
    };
}

pub(crate) use table;

/// The table's Parquet message type, as printed; what `schemas/` holds.
///
/// ```
/// let text = gleaner_corpus::parquet_schema::<gleaner_corpus::RejectRow>();
/// assert!(text.starts_with("message rejects {\n"));
/// ```
pub fn parquet_schema<R: Row>() -> String {
    let mut text = Vec::new();
    print_schema(&mut text, descriptor::<R>().root_schema());
    String::from_utf8(text).expect("names of columns are UTF-8")
}

/// The message types of all tables, by name of the table.
pub fn schemas() -> Vec<(&'static str, String)> {
    fn schema<R: Row>() -> (&'static str, String) {
        (R::TABLE, parquet_schema::<R>())
    }
    vec![
        schema::<DocumentRow>(),
        schema::<BlockRow>(),
        schema::<PostRow>(),
        schema::<SiteRow>(),
        schema::<TemplateRow>(),
        schema::<HistogramRow>(),
        schema::<RejectRow>(),
        schema::<HiddenWebRow>(),
    ]
}

/// How the file of a table is written.
pub(crate) fn properties<R: Row>(settings: &Settings) -> WriterProperties {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).expect("zstd has this level");
    let base = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(PAGE_BYTES)
        .set_data_page_row_count_limit(PAGE_ROWS)
        // The writer counts rows and bytes itself: see `TableWriter`.
        .set_max_row_group_row_count(None)
        .set_max_row_group_bytes(None)
        .set_key_value_metadata(Some(metadata(settings)));
    let schema = R::schema();
    let typed = R::hints()
        .into_iter()
        .map(|(name, hint)| (name, hint, is_text(&schema, name)));
    typed
        .fold(base, |base, (name, hint, text)| column(base, name, hint, text))
        .build()
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

/// What the file says of itself. Nothing here may differ between two runs on the same input.
fn metadata(settings: &Settings) -> Vec<KeyValue> {
    let format = ("gleaner.format".to_owned(), FORMAT.to_string());
    let all = std::iter::once(format).chain(
        settings
            .metadata
            .iter()
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    all.map(|(key, value)| KeyValue::new(key, value)).collect()
}

/// The Parquet schema descriptor, under the table's name.
pub(crate) fn descriptor<R: Row>() -> SchemaDescriptor {
    ArrowSchemaConverter::new()
        .schema_root(R::TABLE)
        .convert(&R::schema())
        .expect("all column types of rows have Parquet types")
}
