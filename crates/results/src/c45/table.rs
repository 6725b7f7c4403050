//! Tables: rows with numeric and nominal attributes.

use serde::{Deserialize, Serialize};

/// A column: its name and its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Its values are numbers.
    Numeric,
    /// Its values are among these.
    Nominal(Vec<String>),
}

/// Rows, stored column by column. A nominal value is its index in the attribute's list; a missing value is [`f64::NAN`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The name of the table.
    pub name: String,
    attributes: Vec<Attribute>,
    columns: Vec<Vec<f64>>,
    rows: usize,
}

impl Attribute {
    /// A numeric attribute.
    pub fn numeric(name: impl Into<String>) -> Attribute {
        Attribute {
            name: name.into(),
            kind: Kind::Numeric,
        }
    }

    /// A nominal attribute.
    pub fn nominal(name: impl Into<String>, values: &[&str]) -> Attribute {
        Attribute {
            name: name.into(),
            kind: Kind::Nominal(values.iter().map(|&value| value.to_owned()).collect()),
        }
    }

    /// The values of a nominal attribute; none of a numeric one.
    pub fn values(&self) -> &[String] {
        match &self.kind {
            Kind::Numeric => &[],
            Kind::Nominal(values) => values,
        }
    }

    /// Whether its values are numbers.
    pub fn is_numeric(&self) -> bool {
        self.kind == Kind::Numeric
    }

    /// Whether a value is valid; a missing value is.
    fn takes(&self, value: f64) -> bool {
        match &self.kind {
            Kind::Numeric => !value.is_infinite(),
            Kind::Nominal(values) => {
                value.is_nan() || (value >= 0.0 && value.fract() == 0.0 && (value as usize) < values.len())
            }
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(name: impl Into<String>, attributes: Vec<Attribute>) -> Table {
        Table {
            name: name.into(),
            columns: vec![Vec::new(); attributes.len()],
            attributes,
            rows: 0,
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// The row has another length than the attributes, an infinite number, or an unknown nominal value.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.attributes.len(), "a value for each attribute");
        for ((attribute, column), &value) in self.attributes.iter().zip(&mut self.columns).zip(row) {
            assert!(attribute.takes(value), "{} cannot be {value}", attribute.name);
            column.push(value);
        }
        self.rows += 1;
    }

    /// The columns.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The values of an attribute, one for each row.
    pub fn column(&self, attribute: usize) -> &[f64] {
        &self.columns[attribute]
    }

    /// The values of a row.
    pub fn row(&self, row: usize) -> Vec<f64> {
        self.columns.iter().map(|column| column[row]).collect()
    }

    /// The table of some rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Table {
        let column = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
        Table {
            name: self.name.clone(),
            attributes: self.attributes.clone(),
            columns: self.columns.iter().map(column).collect(),
            rows: rows.len(),
        }
    }

    /// The table of some attributes, in the given order.
    pub fn project(&self, attributes: &[usize]) -> Table {
        Table {
            name: self.name.clone(),
            attributes: attributes.iter().map(|&at| self.attributes[at].clone()).collect(),
            columns: attributes.iter().map(|&at| self.columns[at].clone()).collect(),
            rows: self.rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let attributes = vec![Attribute::numeric("n"), Attribute::nominal("c", &["a", "b"])];
        let mut table = Table::new("t", attributes);
        table.push(&[1.5, 0.0]);
        table.push(&[f64::NAN, 1.0]);
        table
    }

    #[test]
    fn rows_come_out_as_they_went_in() {
        let table = table();
        assert_eq!((table.rows(), table.row(0)), (2, vec![1.5, 0.0]));
        assert!(table.column(0)[1].is_nan());
        assert_eq!(table.select(&[1, 0]).column(1), [1.0, 0.0]);
        assert_eq!(table.project(&[1]).attributes()[0].name, "c");
    }

    #[test]
    #[should_panic(expected = "c cannot be 2")]
    fn a_value_that_an_attribute_does_not_have_is_refused() {
        table().push(&[0.0, 2.0]);
    }
}
