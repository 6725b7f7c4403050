//! How Rust values become Arrow columns.

use std::borrow::Cow;
use std::mem::size_of;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Date32Builder, Float32Builder, Float64Builder, Int64Builder, ListBuilder,
    StringBuilder, StructBuilder, TimestampMillisecondBuilder, UInt16Builder, UInt32Builder,
};
use arrow_schema::{DataType, Field};

use crate::{Day, LanguagePages, Millis, PiiSpan, Real, Share};

/// How a column is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Few different values in a row group: a dictionary, with statistics.
    Dictionary,
    /// Mostly different values: their lengths first, then their bytes, with statistics.
    Plain,
    /// As [`Hint::Plain`], and a bloom filter: one value is looked for in many files.
    Key,
    /// As [`Hint::Key`] for a value that many rows in a row repeat: a dictionary.
    RepeatedKey,
    /// Long text: as [`Hint::Plain`] but without statistics, which mean nothing here.
    Text,
}

/// A type that can be a column.
pub(crate) trait Value {
    type Builder: ArrayBuilder;

    /// Whether values may be missing.
    const NULLABLE: bool = false;

    fn builder() -> Self::Builder;

    fn data_type() -> DataType {
        finish(&mut Self::builder()).data_type().clone()
    }

    fn append(&self, builder: &mut Self::Builder);

    /// Bytes of the value before it is encoded.
    fn bytes(&self) -> usize;
}

/// Fixed-width columns: the builder's own value is `$to(value)`.
macro_rules! fixed {
    ($($type:ty, $builder:ty, $new:expr, $to:expr;)*) => {
        $(
            fixed!($type, false, $type, $builder, $new, $to);
            fixed!(Option<$type>, true, $type, $builder, $new, $to);
        )*
    };
    ($of:ty, $nullable:expr, $type:ty, $builder:ty, $new:expr, $to:expr) => {
        impl Value for $of {
            type Builder = $builder;

            const NULLABLE: bool = $nullable;

            fn builder() -> $builder {
                $new
            }

            fn append(&self, builder: &mut $builder) {
                let to: fn($type) -> _ = $to;
                builder.append_option(Option::<$type>::from(*self).map(to));
            }

            fn bytes(&self) -> usize {
                size_of::<$type>()
            }
        }
    };
}

fixed! {
    u16, UInt16Builder, UInt16Builder::new(), |value| value;
    u32, UInt32Builder, UInt32Builder::new(), |value| value;
    // Signed, because many readers have no unsigned 64-bit integers; nothing here comes near 2^63.
    u64, Int64Builder, Int64Builder::new(), |value| i64::try_from(value).unwrap_or(i64::MAX);
    Millis, TimestampMillisecondBuilder, TimestampMillisecondBuilder::new().with_timezone("UTC"), |value| value.0;
    Day, Date32Builder, Date32Builder::new(), |value| value.0;
    Share, Float32Builder, Float32Builder::new(), |value| value.0;
    Real, Float64Builder, Float64Builder::new(), |value| value.0;
    bool, BooleanBuilder, BooleanBuilder::new(), |value| value;
}

/// Text columns: `$text(&value)` is an `Option<&str>`.
macro_rules! text {
    ($($type:ty, $nullable:expr, $text:expr;)*) => {
        $(impl Value for $type {
            type Builder = StringBuilder;

            const NULLABLE: bool = $nullable;

            fn builder() -> StringBuilder {
                StringBuilder::new()
            }

            fn append(&self, builder: &mut StringBuilder) {
                let text: for<'v> fn(&'v $type) -> Option<&'v str> = $text;
                builder.append_option(text(self));
            }

            fn bytes(&self) -> usize {
                let text: for<'v> fn(&'v $type) -> Option<&'v str> = $text;
                size_of::<i32>() + text(self).map_or(0, str::len)
            }
        })*
    };
}

text! {
    String, false, |value| Some(value);
    Option<String>, true, |value| value.as_deref();
    Cow<'static, str>, false, |value| Some(value);
    Option<Cow<'static, str>>, true, |value| value.as_deref();
}

impl Value for LanguagePages {
    type Builder = StructBuilder;

    fn builder() -> StructBuilder {
        StructBuilder::from_fields(LanguagePages::fields(), 0)
    }

    fn append(&self, builder: &mut StructBuilder) {
        let fields = "the builder was made from these fields";
        self.language.append(builder.field_builder(0).expect(fields));
        self.pages.append(builder.field_builder(1).expect(fields));
        builder.append(true);
    }

    fn bytes(&self) -> usize {
        self.language.len() + size_of::<u64>()
    }
}

impl Value for PiiSpan {
    type Builder = StructBuilder;

    fn builder() -> StructBuilder {
        StructBuilder::from_fields(PiiSpan::fields(), 0)
    }

    fn append(&self, builder: &mut StructBuilder) {
        let fields = "the builder was made from these fields";
        self.kind.append(builder.field_builder(0).expect(fields));
        self.start.append(builder.field_builder(1).expect(fields));
        self.end.append(builder.field_builder(2).expect(fields));
        builder.append(true);
    }

    fn bytes(&self) -> usize {
        self.kind.bytes() + self.start.bytes() + self.end.bytes()
    }
}

/// List columns.
macro_rules! list {
    ($($item:ty, $builder:ty;)*) => {
        $(impl Value for Vec<$item> {
            type Builder = ListBuilder<$builder>;

            fn builder() -> Self::Builder {
                let item = Field::new("element", <$item>::data_type(), false);
                ListBuilder::new(<$item>::builder()).with_field(Arc::new(item))
            }

            fn append(&self, builder: &mut Self::Builder) {
                for item in self {
                    item.append(builder.values());
                }
                builder.append(true);
            }

            fn bytes(&self) -> usize {
                size_of::<i32>() + self.iter().map(Value::bytes).sum::<usize>()
            }
        }

        impl Value for Option<Vec<$item>> {
            type Builder = ListBuilder<$builder>;

            const NULLABLE: bool = true;

            fn builder() -> Self::Builder {
                Vec::<$item>::builder()
            }

            fn append(&self, builder: &mut Self::Builder) {
                match self {
                    Some(items) => items.append(builder),
                    None => builder.append(false),
                }
            }

            fn bytes(&self) -> usize {
                self.as_ref().map_or(size_of::<i32>(), Value::bytes)
            }
        })*
    };
}

list! {
    u64, Int64Builder;
    Share, Float32Builder;
    String, StringBuilder;
    LanguagePages, StructBuilder;
    PiiSpan, StructBuilder;
}

/// Ends a builder's column.
pub(crate) fn finish(builder: &mut impl ArrayBuilder) -> ArrayRef {
    builder.finish()
}
