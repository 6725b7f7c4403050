//! Scores of pages with and without their site, summed up.

use gleaner_site::EvidenceConfig;
use serde::Serialize;

use crate::terminal::table::table;

pub(super) struct ScoredBlog {
    pub(super) name: String,
    pub(super) pages: usize,
    pub(super) pairs: Vec<Vec<Pair>>,
}

/// A change of a page's score by less is none.
const CHANGE: f64 = 0.02;

/// The word F1 of a page, by itself and with evidence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) alone: f64,
    pub(super) with: f64,
}

#[derive(Clone, Debug, Serialize)]
struct Means {
    /// Word F1 without evidence of the site.
    alone: f64,
    /// And with it.
    with_site: f64,
    /// Shares of the pages whose score changes by 0.02 or more.
    better: f64,
    worse: f64,
}

/// A blog, with all of its pages as the sample.
#[derive(Debug, Serialize)]
struct BlogRow {
    blog: String,
    pages: usize,
    /// Pages with gold.
    scored: usize,
    #[serde(flatten)]
    means: Means,
    by_sample: Vec<BlogBySample>,
}

#[derive(Debug, Serialize)]
struct BlogBySample {
    sample: Option<usize>,
    #[serde(flatten)]
    means: Means,
}

/// All blogs, with samples of N pages.
#[derive(Debug, Serialize)]
struct SampleRow {
    /// Pages of the sample; all of the site where there is no number.
    sample: Option<usize>,
    /// Means over blogs of the blogs' means.
    #[serde(flatten)]
    means: Means,
    /// Of the blogs' changes.
    median_change: f64,
    worst_change: f64,
    /// Whose change that is.
    worst_blog: String,
}

/// All that was found out.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    model: String,
    evidence: EvidenceConfig,
    blogs: Vec<BlogRow>,
    by_sample: Vec<SampleRow>,
}

impl Means {
    fn of_pages(pairs: &[Pair]) -> Means {
        let mean = |of: &dyn Fn(&Pair) -> f64| mean(pairs.iter().map(of));
        Means {
            alone: mean(&|pair| pair.alone),
            with_site: mean(&|pair| pair.with),
            better: mean(&|pair| f64::from(u8::from(pair.with - pair.alone >= CHANGE))),
            worse: mean(&|pair| f64::from(u8::from(pair.alone - pair.with >= CHANGE))),
        }
    }

    fn of_blogs(blogs: &[Means]) -> Means {
        let mean = |of: fn(&Means) -> f64| mean(blogs.iter().map(of));
        Means {
            alone: mean(|blog| blog.alone),
            with_site: mean(|blog| blog.with_site),
            better: mean(|blog| blog.better),
            worse: mean(|blog| blog.worse),
        }
    }

    fn change(&self) -> f64 {
        self.with_site - self.alone
    }

    fn cells(&self) -> [String; 5] {
        [
            format!("{:.4}", self.alone),
            format!("{:.4}", self.with_site),
            format!("{:+.4}", self.change()),
            format!("{:.1}%", 100.0 * self.better),
            format!("{:.1}%", 100.0 * self.worse),
        ]
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => 0.0,
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

impl BlogRow {
    fn new(blog: &ScoredBlog, sample: &[Option<usize>]) -> BlogRow {
        let by_sample = sample.iter().enumerate().map(|(at, &sample)| {
            let pairs: Vec<Pair> = blog.pairs.iter().map(|page| page[at]).collect();
            BlogBySample {
                sample,
                means: Means::of_pages(&pairs),
            }
        });
        let by_sample: Vec<BlogBySample> = by_sample.collect();
        BlogRow {
            blog: blog.name.clone(),
            pages: blog.pages,
            scored: blog.pairs.len(),
            means: by_sample[by_sample.len() - 1].means.clone(),
            by_sample,
        }
    }
}

impl SampleRow {
    fn new(sample: Option<usize>, at: usize, blogs: &[BlogRow]) -> SampleRow {
        let means: Vec<Means> = blogs
            .iter()
            .map(|blog| blog.by_sample[at].means.clone())
            .collect();
        let changes: Vec<f64> = means.iter().map(Means::change).collect();
        let worst = (0..blogs.len()).min_by(|&one, &other| changes[one].total_cmp(&changes[other]));
        SampleRow {
            sample,
            means: Means::of_blogs(&means),
            worst_change: worst.map_or(0.0, |worst| changes[worst]),
            worst_blog: worst.map_or_else(String::new, |worst| blogs[worst].blog.clone()),
            median_change: median(changes),
        }
    }
}

impl Results {
    /// Sums up. Blogs without gold are left out. The last sample is all pages.
    pub(super) fn new(
        model: &str,
        evidence: &EvidenceConfig,
        sample: &[Option<usize>],
        mut blogs: Vec<ScoredBlog>,
    ) -> Results {
        blogs.retain(|blog| !blog.pairs.is_empty());
        let blogs: Vec<BlogRow> = blogs.iter().map(|blog| BlogRow::new(blog, sample)).collect();
        let by_sample = sample.iter().enumerate();
        Results {
            model: model.to_owned(),
            evidence: evidence.clone(),
            by_sample: by_sample
                .map(|(at, &sample)| SampleRow::new(sample, at, &blogs))
                .collect(),
            blogs,
        }
    }

    /// Two tables: by blog, and by the sample.
    pub(super) fn text(&self) -> String {
        let heads = ["alone", "with site", "change", "better", "worse"];
        let blogs = self.blogs.iter().map(|blog| {
            let first = [blog.blog.clone(), blog.pages.to_string(), blog.scored.to_string()];
            [&first[..], &blog.means.cells()].concat()
        });
        let sample = self.by_sample.iter().map(|by| {
            let first = by
                .sample
                .map_or_else(|| "all".to_owned(), |pages| pages.to_string());
            let [median, worst] = [by.median_change, by.worst_change].map(|change| format!("{change:+.4}"));
            [
                &[first][..],
                &by.means.cells(),
                &[median, worst, by.worst_blog.clone()],
            ]
            .concat()
        });
        format!(
            "word F1 against feeds, model {}\n\n{}\nmean over blogs, by pages of the sample; median and lowest \
             change of a blog, and which\n\n{}",
            self.model,
            table(&[&["blog", "pages", "scored"][..], &heads].concat(), blogs),
            table(
                &[&["sample"][..], &heads, &["median", "lowest", "of"]].concat(),
                sample
            )
        )
    }
}
