//! Recipes: which pages of a corpus are wanted, and in what form.
//!
//! In: the text of a recipe, TOML. Out: a [`Recipe`] whose names are those of tables and columns, or what is wrong with it and where.
//! [`schema`] is the JSON Schema of the files.

mod check;
mod column;
mod condition;
mod raw;
mod schema;

use gleaner_curate::LineRules;

pub use check::BadRecipe;
pub use column::{Column, is_side_by_side};
pub use condition::{Condition, Limit};
pub use schema::schema;

/// A selection of pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// What it is, in words.
    pub description: Option<String>,
    /// The filters, in the order in which they are counted.
    pub filters: Vec<Filter>,
    /// What is done with personal data.
    pub personal: Personal,
    /// Which of the pages that pass are taken.
    pub sample: Sample,
    /// Rules that leave out lines.
    pub lines: Lines,
    /// The seed of the order; none for the order of the corpus.
    pub shuffle: Option<u32>,
    /// The columns that are written.
    pub columns: Vec<Column>,
}

/// A filter: a page that fails it is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// What reports call it.
    pub name: String,
    /// What holds for pages that stay.
    pub test: Test,
}

/// What is tested of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Columns of tables that have one row for each page: all conditions hold.
    Page(Vec<Condition>),
    /// A column of duplicates: null where a page has no row there.
    Cluster(Condition),
    /// The rows of the page in a table.
    Rows {
        /// The table.
        table: &'static str,
        /// Whether a row is wanted; else that there is none.
        is_wanted: bool,
        /// What holds for the row.
        conditions: Vec<Condition>,
    },
}

/// What is done with personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Personal {
    /// What is done.
    pub action: PersonalAction,
    /// With which kinds.
    pub kinds: Vec<PersonalKind>,
}

/// What is done with personal data.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::VariantNames, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum PersonalAction {
    /// Something else stands in its place.
    Mask,
    /// Pages with it are left out.
    Drop,
    /// Nothing.
    #[default]
    Keep,
}

/// A kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::VariantNames, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PersonalKind {
    /// E-mail addresses.
    Email,
    /// Public IP addresses.
    IpAddress,
    /// Telephone numbers.
    Phone,
    /// International Bank Account Numbers.
    Iban,
    /// Numbers of payment cards.
    PaymentCard,
}

/// Which of the pages that pass are taken: always those with the least keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The share of pages that is taken.
    pub fraction: Option<f64>,
    /// Another seed takes other pages.
    pub seed: Option<u32>,
    /// Maximum documents of a language.
    pub most_per_language: Option<Limit<u64>>,
}

/// Rules that leave out lines of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The rules of C4, FineWeb or RefinedWeb.
    pub rules: Option<LineRules>,
    /// Lines of the table repeats that stand on at least this number of sites are left out.
    pub repeated_on_sites: Option<u64>,
    /// A page with fewer words in the lines that are left is left out.
    pub min_words: u32,
}

impl Default for Personal {
    fn default() -> Personal {
        Personal {
            action: PersonalAction::default(),
            kinds: vec![PersonalKind::Email, PersonalKind::IpAddress],
        }
    }
}

impl Lines {
    /// Whether lines may be left out.
    pub fn is_active(&self) -> bool {
        self.rules.is_some() || self.repeated_on_sites.is_some()
    }
}

impl PersonalKind {
    /// The column of signals that counts it.
    pub(crate) fn column(self) -> &'static str {
        match self {
            PersonalKind::Email => "email_addresses",
            PersonalKind::IpAddress => "ip_addresses",
            PersonalKind::Phone => "phone_numbers",
            PersonalKind::Iban => "ibans",
            PersonalKind::PaymentCard => "payment_cards",
        }
    }

    /// What stands in its place when it is masked.
    pub fn mask(self) -> &'static str {
        match self {
            PersonalKind::Email => "<email>",
            PersonalKind::IpAddress => "<ip-address>",
            PersonalKind::Phone => "<phone>",
            PersonalKind::Iban => "<iban>",
            PersonalKind::PaymentCard => "<payment-card>",
        }
    }
}

impl Recipe {
    /// Reads a recipe.
    ///
    /// # Errors
    /// It is no TOML, has an unknown key, table or column, or a value of another type than its column.
    pub fn parse(text: &str) -> Result<Recipe, BadRecipe> {
        check::recipe(text)
    }

    /// The recipe with another treatment of personal data.
    #[must_use]
    pub fn with_personal(mut self, action: Option<PersonalAction>) -> Recipe {
        self.personal.action = action.unwrap_or(self.personal.action);
        self
    }

    /// All filters: those of the recipe, and the one that leaves out pages with personal data.
    pub fn all_filters(&self) -> Vec<Filter> {
        let mut filters = self.filters.clone();
        if self.personal.action == PersonalAction::Drop {
            let kinds = self.personal.kinds.iter();
            filters.push(Filter {
                name: "no personal data".to_owned(),
                test: Test::Page(kinds.map(|kind| Condition::is_zero(kind.column())).collect()),
            });
        }
        filters
    }

    /// The kinds of personal data that are masked.
    pub fn masks(&self) -> &[PersonalKind] {
        match self.personal.action {
            PersonalAction::Mask => &self.personal.kinds,
            PersonalAction::Drop | PersonalAction::Keep => &[],
        }
    }
}
