//! The least and the largest value of a column in a row group, by the statistics in the footer of its file.

use parquet::basic::ConvertedType;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;

/// Limits of the values of a column. They may be wider than the values; null and NaN are in none.
#[derive(Clone, Debug, PartialEq)]
pub enum Limits {
    /// Of texts, in the order of their bytes.
    Texts {
        /// No text is less.
        least: Vec<u8>,
        /// No text is larger.
        most: Vec<u8>,
    },
    /// Of numbers.
    Numbers {
        /// No number is less.
        least: f64,
        /// No number is larger.
        most: f64,
    },
}

impl Limits {
    /// The limits of a column of a row group; none if the footer has none.
    pub(crate) fn of(chunk: &ColumnChunkMetaData) -> Option<Limits> {
        let is_unsigned = matches!(
            chunk.column_descr().converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32
        );
        let numbers = |least: f64, most: f64| Limits::Numbers { least, most };
        Some(match chunk.statistics()? {
            Statistics::ByteArray(known) => Limits::Texts {
                least: known.min_opt()?.data().to_vec(),
                most: known.max_opt()?.data().to_vec(),
            },
            Statistics::Int32(known) => {
                let (least, most) = (*known.min_opt()?, *known.max_opt()?);
                match is_unsigned {
                    true => numbers(least.cast_unsigned().into(), most.cast_unsigned().into()),
                    false => numbers(least.into(), most.into()),
                }
            }
            Statistics::Int64(known) => numbers(*known.min_opt()? as f64, *known.max_opt()? as f64),
            Statistics::Float(known) => numbers((*known.min_opt()?).into(), (*known.max_opt()?).into()),
            Statistics::Double(known) => numbers(*known.min_opt()?, *known.max_opt()?),
            _ => return None,
        })
    }

    /// Whether a text may be among the values.
    pub fn may_have(&self, text: &str) -> bool {
        match self {
            Limits::Texts { least, most } => &**least <= text.as_bytes() && text.as_bytes() <= &**most,
            Limits::Numbers { .. } => true,
        }
    }

    /// Whether a text that begins so may be among the values.
    pub fn may_have_begin(&self, begin: &str) -> bool {
        let begin = begin.as_bytes();
        match self {
            Limits::Texts { least, most } => {
                (&**least <= begin || least.starts_with(begin)) && begin <= &**most
            }
            Limits::Numbers { .. } => true,
        }
    }
}
