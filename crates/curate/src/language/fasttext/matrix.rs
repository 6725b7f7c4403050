//! Matrices: as numbers, or as codes of a product quantiser.

use std::io::Read;

use super::FastTextError;
use super::reader::Reader;

#[derive(Debug)]
pub(super) enum Matrix {
    Dense { columns: usize, values: Vec<f32> },
    Quantised(Quantised),
}

/// Each row is cut into parts, and each part is one of 256 vectors. The length of a row may be apart, as one of 256 numbers.
#[derive(Debug)]
pub(super) struct Quantised {
    rows: usize,
    columns: usize,
    codes: Vec<u8>,
    parts: Quantiser,
    lengths: Option<(Vec<u8>, Quantiser)>,
}

#[derive(Debug)]
struct Quantiser {
    parts: usize,
    /// The columns of a part, and of the last one.
    width: usize,
    last_width: usize,
    centroids: Vec<f32>,
}

/// The vectors that a part is one of.
const CODES: usize = 256;

const SIZE: FastTextError = FastTextError::Damaged("a matrix has an impossible size");

impl Matrix {
    pub(super) fn read(reader: &mut Reader<impl Read>, is_quantised: bool) -> Result<Matrix, FastTextError> {
        if is_quantised {
            return Quantised::read(reader).map(Matrix::Quantised);
        }
        let (rows, columns) = (reader.long_size()?, reader.long_size()?);
        let values = reader.floats(rows.checked_mul(columns).ok_or(SIZE)?)?;
        Ok(Matrix::Dense { columns, values })
    }

    pub(super) fn columns(&self) -> usize {
        match self {
            Matrix::Dense { columns, .. } => *columns,
            Matrix::Quantised(quantised) => quantised.columns,
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Matrix::Dense { columns, values } => values.len().checked_div(*columns).unwrap_or(0),
            Matrix::Quantised(quantised) => quantised.rows,
        }
    }

    /// Adds a row to a sum.
    pub(super) fn add_row(&self, row: usize, sum: &mut [f32]) {
        match self {
            Matrix::Dense { columns, values } => {
                let values = &values[row * columns..][..*columns];
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            Matrix::Quantised(quantised) => {
                let length = quantised.length(row);
                for (part, values) in quantised.row(row) {
                    let sum = &mut sum[part * quantised.parts.width..];
                    sum.iter_mut()
                        .zip(values)
                        .for_each(|(sum, value)| *sum += length * value);
                }
            }
        }
    }

    /// The product of a row and a vector.
    pub(super) fn product(&self, row: usize, vector: &[f32]) -> f32 {
        match self {
            Matrix::Dense { columns, values } => {
                let values = &values[row * columns..][..*columns];
                vector.iter().zip(values).map(|(one, other)| one * other).sum()
            }
            Matrix::Quantised(quantised) => {
                let width = quantised.parts.width;
                let products = quantised.row(row).flat_map(|(part, values)| {
                    vector[part * width..]
                        .iter()
                        .zip(values)
                        .map(|(one, other)| one * other)
                });
                products.sum::<f32>() * quantised.length(row)
            }
        }
    }
}

impl Quantised {
    fn read(reader: &mut Reader<impl Read>) -> Result<Quantised, FastTextError> {
        let has_lengths = reader.flag()?;
        let (rows, columns) = (reader.long_size()?, reader.long_size()?);
        let count = reader.size()?;
        let codes = reader.codes(count)?;
        let parts = Quantiser::read(reader)?;
        let lengths = match has_lengths {
            true => Some((reader.codes(rows)?, Quantiser::read(reader)?)),
            false => None,
        };
        let is_whole = parts.columns() == Some(columns)
            && rows.checked_mul(parts.parts) == Some(codes.len())
            && lengths
                .as_ref()
                .is_none_or(|(_, quantiser)| quantiser.columns() == Some(1));
        let quantised = Quantised {
            rows,
            columns,
            codes,
            parts,
            lengths,
        };
        if is_whole { Ok(quantised) } else { Err(SIZE) }
    }

    /// The parts of a row, with their numbers.
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, &[f32])> {
        let codes = &self.codes[row * self.parts.parts..][..self.parts.parts];
        codes
            .iter()
            .enumerate()
            .map(|(part, code)| (part, self.parts.part(part, *code)))
    }

    fn length(&self, row: usize) -> f32 {
        let length = |(codes, quantiser): &(Vec<u8>, Quantiser)| quantiser.part(0, codes[row])[0];
        self.lengths.as_ref().map_or(1.0, length)
    }
}

impl Quantiser {
    fn read(reader: &mut Reader<impl Read>) -> Result<Quantiser, FastTextError> {
        let columns = reader.size()?;
        let (parts, width, last_width) = (reader.size()?, reader.size()?, reader.size()?);
        let quantiser = Quantiser {
            parts,
            width,
            last_width,
            centroids: reader.floats(columns.checked_mul(CODES).ok_or(SIZE)?)?,
        };
        let fits = quantiser.columns() == Some(columns) && last_width > 0 && last_width <= width;
        if fits { Ok(quantiser) } else { Err(SIZE) }
    }

    /// The columns of all parts; none if there are no parts.
    fn columns(&self) -> Option<usize> {
        let whole = self.parts.checked_sub(1)?.checked_mul(self.width)?;
        whole.checked_add(self.last_width)
    }

    fn part(&self, part: usize, code: u8) -> &[f32] {
        let width = if part + 1 == self.parts {
            self.last_width
        } else {
            self.width
        };
        let start = part * CODES * self.width + usize::from(code) * width;
        &self.centroids[start..][..width]
    }
}
