//! What is mined of sites, as rows of the tables templates and histograms.

use gleaner_corpus::{HistogramRow, TemplateRow};
use gleaner_template::{Expression, SiteTemplate};

/// The row of an expression.
pub fn template_row(site: &SiteTemplate, expression: &Expression) -> TemplateRow {
    TemplateRow {
        site: site.site.clone(),
        expression: expression.expression.clone(),
        pages: expression.pages,
        sampled_pages: site.sampled_pages,
        cutoff: site.cutoff_pages,
        tokens: expression.tokens,
        occurrences: expression.occurrences,
        example: expression.example.clone(),
    }
}

/// The row of a site that was mined.
pub fn histogram_row(site: &SiteTemplate) -> HistogramRow {
    HistogramRow {
        site: site.site.clone(),
        sampled_pages: site.sampled_pages,
        tokens: site.sampled_tokens,
        cutoff: site.cutoff_pages,
        cutoff_bin: site.cut_off.bin as u32,
        bins: site.histogram.bins.clone(),
    }
}
