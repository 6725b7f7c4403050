//! A recipe at work on a corpus: which pages of a piece are selected, and in what form they are written.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use gleaner_corpus::{Corpus, VersionTables, digest_of};
use gleaner_store::Output;

use crate::error::Error;
use crate::funnel::{Count, Funnel};
use crate::in_order::in_order;
use crate::page_set::{PageSet, number_of};
use crate::pages::{PageColumns, PageFiles, Piece, Position};
use crate::recipe::{Column, Filter, Recipe, Test};
use crate::sample::{Caps, LeastKeys, bound, is_within, key};
use crate::texts::TextRules;
use crate::value::Value;
use crate::work::Work;

/// A recipe and the files of a corpus that it reads.
#[derive(Debug)]
pub struct Selection {
    recipe: Recipe,
    filters: Vec<(Filter, Option<PageSet>)>,
    caps: Caps,
    texts: TextRules,
    files: PageFiles,
    version: VersionTables,
    own: OwnColumns,
    work: Work,
}

/// Columns that are read of each page, whatever the recipe.
#[derive(Clone, Copy, Debug)]
struct OwnColumns {
    row_id: Column,
    url: Column,
    language: Column,
    words: Column,
    text: Column,
}

/// A page that is selected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Page {
    pub(crate) row_id: String,
    /// The values of the columns that were asked for.
    pub(crate) values: Vec<Value<'static>>,
}

/// The pages of a piece that are selected.
#[derive(Debug)]
pub(crate) struct Selected {
    pub(crate) pages: Vec<Page>,
    pub(crate) funnel: Funnel,
    pub(crate) crawl: Option<String>,
    pub(crate) position: Position,
}

/// What is known of the pages of a piece before texts are read.
struct Facts<'c> {
    row_ids: &'c ArrayRef,
    urls: &'c ArrayRef,
    languages: &'c ArrayRef,
    words: &'c ArrayRef,
}

/// A row of a piece that passes the filters.
struct Row {
    number: usize,
    key: u128,
}

impl OwnColumns {
    fn new() -> OwnColumns {
        let column = |name| Column::document(name).expect("documents have this column");
        OwnColumns {
            row_id: column("row_id"),
            url: column("url"),
            language: column("language"),
            words: column("word_count"),
            text: column("text"),
        }
    }
}

impl<'c> Facts<'c> {
    /// The facts, if the columns are those of documents.
    fn of(piece: &Piece, columns: &'c PageColumns, own: &OwnColumns) -> Result<Facts<'c>, Error> {
        let text = |column: &Column| {
            let found = columns.column(column);
            let is_text = found.as_string_opt::<i32>().is_some();
            is_text
                .then_some(found)
                .ok_or_else(|| Error::OtherColumns(piece.file().to_owned()))
        };
        Ok(Facts {
            row_ids: text(&own.row_id)?,
            urls: text(&own.url)?,
            languages: text(&own.language)?,
            words: columns.column(&own.words),
        })
    }

    fn text(column: &'c ArrayRef, row: usize) -> &'c str {
        column.as_string::<i32>().value(row)
    }

    fn words(&self, row: usize) -> u64 {
        match Value::at(self.words, row) {
            Value::Whole(words) => words.cast_unsigned(),
            _ => 0,
        }
    }

    fn language(&self, row: usize) -> &'c str {
        Facts::text(self.languages, row)
    }

    fn url(&self, row: usize) -> &'c str {
        Facts::text(self.urls, row)
    }

    fn row_id(&self, row: usize) -> &'c str {
        Facts::text(self.row_ids, row)
    }
}

impl Selection {
    /// Prepares a recipe for a version of a corpus. Reads the tables that have no row for each page, and all pages once if the
    /// recipe has limits by language. Waits for the store.
    ///
    /// # Errors
    /// There is no such version, the corpus has no table that the recipe reads, or a file cannot be read.
    pub fn open(
        output: &Output,
        version: Option<u64>,
        recipe: &Recipe,
        work: &Work,
    ) -> Result<Selection, Error> {
        let version = Corpus::version_tables(output, version)?;
        let mut filters = Vec::new();
        for filter in recipe.all_filters() {
            let set = PageSet::of(&filter.test, output, &version, work)?;
            filters.push((filter, set));
        }
        let own = OwnColumns::new();
        let columns = recipe.columns.iter().copied().chain(filter_columns(&filters));
        let files = PageFiles::new(output, &version, columns.map(|column| column.table))?;
        let mut selection = Selection {
            recipe: recipe.clone(),
            caps: Caps::new(),
            texts: TextRules::new(recipe, output, &version)?,
            filters,
            files,
            version,
            own,
            work: work.clone(),
        };
        selection.caps = selection.find_caps()?;
        Ok(selection)
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The number of the version of the corpus.
    pub fn version(&self) -> u64 {
        self.version.version
    }

    /// The BLAKE3 digest of the names of the files of all tables, sorted, a line each: as `gleaner files --digest` prints it.
    pub fn corpus_digest(&self) -> String {
        let files = self.version.files.values().flatten();
        let mut names: Vec<String> = files.map(|file| format!("{}\n", file.name)).collect();
        names.sort_unstable();
        digest_of(names.concat().as_bytes())
    }

    /// A funnel with the steps of the recipe.
    pub(crate) fn funnel(&self) -> Funnel {
        let mut steps: Vec<String> = self
            .filters
            .iter()
            .map(|(filter, _)| filter.name.clone())
            .collect();
        if let Some(fraction) = self.recipe.sample.fraction {
            steps.push(format!("sample: {fraction}"));
        }
        if self.recipe.sample.most_per_language.is_some() {
            steps.push("sample: most per language".to_owned());
        }
        if self.texts.has_lines() {
            steps.push("lines".to_owned());
        }
        Funnel::new(steps)
    }

    /// Has `work` done, by several threads, with the selected pages of each piece from one on. Pages have the values of these columns.
    /// Gives the results in the order of the corpus.
    pub(crate) fn each<R: Send>(
        &self,
        columns: &[Column],
        from: Position,
        work: impl Fn(Selected) -> Result<R, Error> + Sync,
        take: impl FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let work = |piece: Piece| work(self.select(&piece, columns)?);
        in_order(self.work.workers, self.pieces(from), work, take)?;
        self.work.set_share(1.0);
        Ok(())
    }

    /// The pieces from one on, until the work is stopped.
    fn pieces(&self, from: Position) -> impl Iterator<Item = Result<Piece, Error>> + Send {
        self.files.pieces(from).map(|piece| {
            self.work.check()?;
            if let Ok(piece) = &piece {
                self.work.set_share(self.files.share_before(piece));
            }
            piece
        })
    }

    /// Whether it is stopped.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.work.check()
    }

    /// Whether texts are changed, and which columns that needs.
    pub(crate) fn changed_columns(&self) -> Vec<Column> {
        match self.texts.has_lines() || self.texts.has_masks() {
            true => vec![self.own.text],
            false => Vec::new(),
        }
    }

    /// The first page without Markdown, if that is the first page: a build writes it for all pages or for none.
    pub(crate) fn lacks_markdown(&self) -> Result<Option<String>, Error> {
        let Some(piece) = self.files.pieces(Position::default()).next().transpose()? else {
            return Ok(None);
        };
        let markdown = Column::document("markdown").expect("documents have this column");
        let read = piece.read(&[self.own.row_id, markdown])?;
        let is_missing = Value::at(read.column(&markdown), 0) == Value::Null;
        let row_id = Value::at(read.column(&self.own.row_id), 0);
        Ok(row_id.text().filter(|_| is_missing).map(str::to_owned))
    }

    /// The pages up to which each language is taken, if it has a limit.
    fn find_caps(&self) -> Result<Caps, Error> {
        let Some(most) = &self.recipe.sample.most_per_language else {
            return Ok(Caps::new());
        };
        let mut least = LeastKeys::new(most);
        let work = |piece: Piece| {
            let columns = piece.read(&self.filter_columns())?;
            let facts = Facts::of(&piece, &columns, &self.own)?;
            let rows = self.passing(&facts, &columns, &mut self.funnel());
            let keyed = |row: &Row| (facts.language(row.number).to_owned(), row.key);
            Ok::<_, Error>(rows.iter().map(keyed).collect::<Vec<_>>())
        };
        in_order(
            self.work.workers,
            self.pieces(Position::default()),
            work,
            |keys| {
                keys.into_iter()
                    .for_each(|(language, key)| least.add(&language, key));
                Ok(())
            },
        )?;
        Ok(least.caps())
    }

    /// The columns that are read before texts are.
    fn filter_columns(&self) -> Vec<Column> {
        let own = [self.own.row_id, self.own.url, self.own.language, self.own.words];
        own.into_iter().chain(filter_columns(&self.filters)).collect()
    }

    fn select(&self, piece: &Piece, columns: &[Column]) -> Result<Selected, Error> {
        let mut funnel = self.funnel();
        let known = piece.read(&self.filter_columns())?;
        let facts = Facts::of(piece, &known, &self.own)?;
        let mut rows = self.passing(&facts, &known, &mut funnel);
        self.keep_within_caps(&facts, &mut rows, &mut funnel);
        Ok(Selected {
            pages: self.pages(piece, columns, &facts, &rows, &mut funnel)?,
            funnel,
            crawl: piece.crawl().map(str::to_owned),
            position: piece.position,
        })
    }

    /// The rows that pass all filters and are in the sample.
    fn passing(&self, facts: &Facts<'_>, columns: &PageColumns, funnel: &mut Funnel) -> Vec<Row> {
        let mut rows = Vec::new();
        let sample = &self.recipe.sample;
        let bound = sample.fraction.and_then(bound);
        for number in 0..columns.pages() {
            let words = facts.words(number);
            funnel.read(words);
            let id = facts.row_id(number);
            let id_number = number_of(id).unwrap_or_default();
            let fails = |(filter, set): &(Filter, Option<PageSet>)| match (&filter.test, set) {
                (_, Some(set)) => !set.holds(id_number),
                (Test::Page(conditions), None) => !conditions.iter().all(|condition| {
                    let value = Value::at(columns.column(&condition.column), number);
                    condition.holds(&value, facts.language(number))
                }),
                (Test::Cluster(_) | Test::Rows { .. }, None) => false,
            };
            let key = key(sample.seed, id, id_number);
            let is_beyond = || bound.is_some_and(|bound| (key >> 64) as u64 >= bound);
            let failed = self.filters.iter().position(fails);
            match failed.or_else(|| is_beyond().then_some(self.filters.len())) {
                Some(step) => {
                    let count = Count::document(words);
                    funnel.remove(step, count, facts.language(number), facts.url(number));
                }
                None => rows.push(Row { number, key }),
            }
        }
        rows
    }

    fn keep_within_caps(&self, facts: &Facts<'_>, rows: &mut Vec<Row>, funnel: &mut Funnel) {
        let sample = &self.recipe.sample;
        let step = self.filters.len() + usize::from(sample.fraction.is_some());
        rows.retain(|row| {
            let language = facts.language(row.number);
            let is_taken = is_within(&self.caps, sample, language, row.key);
            if !is_taken {
                let count = Count::document(facts.words(row.number));
                funnel.remove(step, count, language, facts.url(row.number));
            }
            is_taken
        });
    }

    /// Reads the columns of the rows, and applies the rules for texts.
    fn pages(
        &self,
        piece: &Piece,
        columns: &[Column],
        facts: &Facts<'_>,
        rows: &[Row],
        funnel: &mut Funnel,
    ) -> Result<Vec<Page>, Error> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut wanted = columns.to_vec();
        if self.texts.has_lines() {
            wanted.push(self.own.text);
        }
        let read = piece.read(&wanted)?;
        let mut page = |row: &Row| {
            let text = self.shorten(&read, facts, row.number, funnel)?;
            let value = |column: &Column| Value::at(read.column(column), row.number).into_owned();
            let mut values: Vec<Value<'static>> = columns.iter().map(value).collect();
            if let Some((place, text)) = self.place_of_text(columns).zip(text) {
                values[place] = Value::Text(text.into());
            }
            self.mask(columns, &mut values, funnel);
            Some(Page {
                row_id: facts.row_id(row.number).to_owned(),
                values,
            })
        };
        Ok(rows.iter().filter_map(&mut page).collect())
    }

    /// Counts a page that is selected, or leaves it out. Gives its text if the recipe leaves out lines.
    fn shorten(
        &self,
        read: &PageColumns,
        facts: &Facts<'_>,
        row: usize,
        funnel: &mut Funnel,
    ) -> Option<Option<String>> {
        let (words, language, url) = (facts.words(row), facts.language(row), facts.url(row));
        if !self.texts.has_lines() {
            funnel.write(words, language);
            return Some(None);
        }
        let step = funnel.steps.len() - 1;
        let text = Value::at(read.column(&self.own.text), row);
        let Some(rest) = self.texts.shorten(text.text().unwrap_or_default()) else {
            funnel.remove(step, Count::document(words), language, url);
            return None;
        };
        let left = rest.words.min(words);
        let removed = Count {
            documents: 0,
            words: words - left,
        };
        funnel.remove(step, removed, language, url);
        funnel.write(left, language);
        Some(Some(rest.text))
    }

    fn place_of_text(&self, columns: &[Column]) -> Option<usize> {
        columns.iter().position(|column| *column == self.own.text)
    }

    /// Masks personal data in texts and Markdown. Counted are the places in the text.
    fn mask(&self, columns: &[Column], values: &mut [Value<'static>], funnel: &mut Funnel) {
        if !self.texts.has_masks() {
            return;
        }
        let text = self.place_of_text(columns);
        for (place, (column, value)) in columns.iter().zip(values).enumerate() {
            if column.table != "documents" || !matches!(column.name, "text" | "markdown") {
                continue;
            }
            let is_counted = text.is_none_or(|text| text == place);
            let mut count =
                |kind: &'static str, places| funnel.mask(kind, if is_counted { places } else { 0 });
            let masked = value.text().and_then(|text| self.texts.mask(text, &mut count));
            if let Some(masked) = masked {
                *value = Value::Text(masked.into());
            }
        }
    }
}

/// The columns of pages that filters test.
fn filter_columns(filters: &[(Filter, Option<PageSet>)]) -> impl Iterator<Item = Column> {
    let conditions = filters.iter().filter_map(|(filter, _)| match &filter.test {
        Test::Page(conditions) => Some(conditions),
        Test::Cluster(_) | Test::Rows { .. } => None,
    });
    conditions.flatten().map(|condition| condition.column)
}
