//! `gleaner features --set victor`: the 46 features of the Victor thesis, block by block, as a labeller reads them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gleaner_columns::Columns;
use gleaner_content::Label;
use gleaner_corpus::{Settings, TableWriter, VictorRow};
use gleaner_features::{Extractor, FeatureConfig};
use gleaner_gold::GoldPage;
use gleaner_page::{Page, Parser};
use gleaner_results::{Attribute, Table, arff};
use gleaner_training::is_gold;

use crate::args::{Features, ModelChoice, TableFormat, VictorSettings};
use crate::inputs::gold::reader;
use crate::inputs::pages::each;
use crate::model;
use crate::terminal::console;
use crate::train::read_model_job;

/// The settings unless others are named.
const DEFAULT_SETTINGS: &str = include_str!("victor.toml");

struct PageRows {
    url: String,
    paths: Vec<String>,
    texts: Vec<String>,
    /// The codes of a block, in the order of the features' names.
    codes: Vec<Vec<u8>>,
    labels: Option<Vec<Label>>,
}

#[derive(Clone)]
struct Measurer {
    extractor: Extractor,
    columns: Vec<usize>,
    codes: Columns,
}

pub(crate) fn file(arguments: &Features) -> Result<Vec<u8>> {
    let measurer = Measurer::new(&arguments.victor)?;
    let names = names();
    let mut pages = Vec::new();
    for input in &arguments.inputs {
        match input != Path::new("-") && is_gold(input) {
            true => pages.extend(of_gold(input, &measurer)?),
            false => of_crawl(input, &mut measurer.clone(), &mut pages)?,
        }
    }
    Ok(match arguments.format {
        TableFormat::Arff => arff::write(&table(&names, &pages)).into_bytes(),
        TableFormat::Crf => crf_columns(&names, &pages).into_bytes(),
        TableFormat::Parquet => parquet(&pages)?,
    })
}

fn names() -> Vec<String> {
    let columns = FeatureConfig::victor().columns().into_iter();
    columns.map(|column| column.name).collect()
}

fn of_gold(file: &Path, measurer: &Measurer) -> Result<Vec<PageRows>> {
    let config = &measurer.extractor.config().page;
    let found = reader(None).load(&[file.to_owned()], config, || {
        let mut measurer = measurer.clone();
        move |page: &Page, gold: &GoldPage| measurer.rows(page, &gold.url, Some(gold.labels(page)))
    })?;
    Ok(found.into_iter().map(|sample| sample.value).collect())
}

fn of_crawl(path: &Path, measurer: &mut Measurer, pages: &mut Vec<PageRows>) -> Result<()> {
    let mut parser = Parser::new(measurer.extractor.config().page.clone());
    let mut unread = 0;
    each(path, &mut |found| {
        match parser.parse(found.body, found.content_type.as_deref()) {
            Ok(page) => pages.push(measurer.rows(page, found.name(), None)),
            Err(error) if !found.is_record => {
                return Err(error).with_context(|| format!("{} is not a page", found.name()));
            }
            Err(_) => unread += 1,
        }
        Ok(())
    })?;
    if unread > 0 {
        console::say(&format!(
            "{}: skipped {unread} records that are not HTML",
            path.display()
        ));
    }
    Ok(())
}

impl Measurer {
    fn new(settings: &VictorSettings) -> Result<Measurer> {
        let (source, extractor) = match (&settings.model, &settings.job) {
            (Some(file), _) => {
                let choice = ModelChoice {
                    model: Some(file.clone()),
                };
                let extractor = model::choose(&choice)?.model.extractor()?;
                (file.display().to_string(), extractor)
            }
            (None, Some(file)) => {
                let job = read_model_job(file)?;
                (file.display().to_string(), Extractor::new(job.features)?)
            }
            (None, None) => {
                let features = FeatureConfig::from_toml(DEFAULT_SETTINGS)?;
                ("the built-in job".to_owned(), Extractor::new(features)?)
            }
        };
        let columns = extractor.config().columns();
        let place = |name: &String| {
            let found = columns.iter().position(|column| column.name == *name);
            found.with_context(|| {
                format!("{source} has no feature '{name}': --set victor needs all 46 features, so switch on its module")
            })
        };
        let columns = names().iter().map(place).collect::<Result<Vec<usize>>>()?;
        if extractor.config().page.unit == gleaner_page::Unit::Text {
            bail!("{source} is for plain texts, which have no tags: use one with unit 'tag' or 'line'");
        }
        Ok(Measurer {
            extractor,
            columns,
            codes: Columns::default(),
        })
    }

    fn rows(&mut self, page: &Page, url: &str, labels: Option<Vec<Label>>) -> PageRows {
        self.extractor.extract(page, url, &mut self.codes);
        let codes = |block: usize| {
            let columns = self.columns.iter();
            columns.map(|&column| self.codes.column(column)[block]).collect()
        };
        PageRows {
            url: url.to_owned(),
            paths: page.blocks.iter().map(|block| page.tag_path(block)).collect(),
            texts: page
                .blocks
                .iter()
                .map(|block| page.text(block).to_owned())
                .collect(),
            codes: (0..page.blocks.len()).map(codes).collect(),
            labels,
        }
    }
}

impl PageRows {
    fn label(&self, block: usize) -> Option<Label> {
        self.labels.as_ref().map(|labels| labels[block])
    }
}

/// A block a line: `NAME=CODE` for each feature, then the label if there is gold. An empty line ends a page.
fn crf_columns(names: &[String], pages: &[PageRows]) -> String {
    let mut text = String::new();
    for page in pages.iter().filter(|page| !page.codes.is_empty()) {
        for (block, codes) in page.codes.iter().enumerate() {
            let tokens = names
                .iter()
                .zip(codes)
                .map(|(name, code)| format!("{name}={code}"));
            let label = page.label(block).map(|label| label.name().to_owned());
            let line: Vec<String> = tokens.chain(label).collect();
            text += &line.join("\t");
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// All blocks as a table of numbers with the label at its end.
fn table(names: &[String], pages: &[PageRows]) -> Table {
    let labels = Label::ALL.map(Label::name);
    let mut attributes: Vec<Attribute> = names.iter().map(Attribute::numeric).collect();
    attributes.push(Attribute::nominal("label", &labels));
    let mut table = Table::new("victor", attributes);
    for page in pages {
        for (block, codes) in page.codes.iter().enumerate() {
            let mut values: Vec<f64> = codes.iter().map(|&code| f64::from(code)).collect();
            values.push(page.label(block).map_or(f64::NAN, |label| label as u8 as f64));
            table.push(&values);
        }
    }
    table
}

/// A row with the codes of these fields, in their order.
macro_rules! row_of {
    ($codes:expr; $($field:ident),*) => {{
        let mut row = VictorRow::default();
        for (field, &code) in [$(&mut row.$field),*].into_iter().zip($codes) {
            *field = u32::from(code);
        }
        row
    }};
}

#[rustfmt::skip]
fn row(codes: &[u8]) -> VictorRow {
    row_of!(codes;
        container_p, container_a, container_u, container_img, container_class_header, container_class_bold,
        container_class_italic, container_class_list, container_class_form, container_li, split_p, split_br,
        split_hr, split_class_inline, split_class_block, char_alpha_rel, char_num_rel, char_punct_rel,
        char_white_rel, char_other_rel, token_alpha_rel, token_num_rel, token_mix_rel, token_other_rel,
        token_alpha_abs, token_num_abs, token_mix_abs, token_other_abs, sentence_count, sentence_avg_length,
        sentence_begin, sentence_end, first_duplicate, duplicate_count, regexp_url, regexp_date, regexp_time,
        bullet, div_group_word_ratio, td_group_word_ratio, position, document_word_count,
        document_sentence_count, document_block_count, document_max_div_group, document_max_td_group
    )
}

fn parquet(pages: &[PageRows]) -> Result<Vec<u8>> {
    let mut writer: TableWriter<VictorRow, Vec<u8>> =
        TableWriter::new(Vec::new(), "the table of features", &Settings::default())?;
    for page in pages {
        for (block, codes) in page.codes.iter().enumerate() {
            writer.push(&VictorRow {
                url: page.url.clone(),
                block: block as u32,
                path: page.paths[block].clone(),
                text: page.texts[block].clone(),
                label: page.label(block).map(|label| label.name().into()),
                ..row(codes)
            })?;
        }
    }
    Ok(writer.into_inner()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(html: &str, labels: Option<Vec<Label>>) -> PageRows {
        let mut measurer = Measurer::new(&VictorSettings::default()).unwrap();
        let mut parser = Parser::new(measurer.extractor.config().page.clone());
        measurer.rows(parser.parse(html.as_bytes(), None).unwrap(), "u", labels)
    }

    #[test]
    fn a_column_of_the_parquet_table_is_a_feature() {
        use gleaner_corpus::{Row, parquet_schema};
        let schema = parquet_schema(&VictorRow::TABLE);
        let columns = schema.lines().filter(|line| line.contains("// The code of `"));
        let of_schema: Vec<&str> = columns.filter_map(|line| line.split('`').nth(1)).collect();
        assert_eq!(of_schema, names());
        let codes: Vec<u8> = (1..=46).collect();
        let row = row(&codes);
        assert_eq!(
            (row.container_p, row.split_br, row.document_max_td_group),
            (1, 12, 46)
        );
    }

    #[test]
    fn a_line_of_columns_is_a_block() {
        let page = measured(
            "<p>One <b>two</b>, three<br>four",
            Some(vec![Label::Paragraph; 4]),
        );
        let bare = measured("", None);
        let text = crf_columns(&names(), &[bare, page]);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
        assert_eq!(
            lines.iter().map(Vec::len).collect::<Vec<_>>(),
            [47, 47, 47, 47, 1]
        );
        assert_eq!((lines[0][0], lines[0][46]), ("container.p=1", "paragraph"));
        assert!(lines[1].contains(&"container.class-bold=1") && lines[3].contains(&"split.br=1"));
        let bare = crf_columns(&names(), &[measured("<p>One", None)]);
        assert_eq!(bare.lines().next().map(|line| line.split('\t').count()), Some(46));
    }
}
