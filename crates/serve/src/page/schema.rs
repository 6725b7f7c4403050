//! The shapes of answers that other crates write, for the description of the API. A test compares them with answers.

use utoipa::ToSchema;

macro_rules! shapes {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $kind:ty,)* })*) => {
        $(
            $(#[$about])*
            #[expect(dead_code, reason = "only described")]
            #[derive(ToSchema)]
            pub(crate) struct $name {
                $($(#[$doc])* $field: $kind,)*
            }
        )*
    };
}

shapes! {
    /// A line of `gleaner clean --format json`
    CleanedPage {
        file: String,
        url: String,
        charset: String,
        title: Option<String>,
        authors: Vec<String>,
        /// Year, month and day
        published: Option<String>,
        language: Option<String>,
        page_kind: Option<String>,
        page_kind_probability: Option<f32>,
        /// Limits that were met
        truncated: Vec<String>,
        text: String,
        text_source: String,
        structured_data: Option<String>,
        blocks: Vec<CleanedBlock>,
    }
    /// A block of a page
    CleanedBlock {
        block: u32,
        label: String,
        /// The probability of the label
        confidence: f32,
        /// The names of the elements around it
        path: String,
        text: String,
    }
    /// A line of `gleaner posts --format json`
    PostsOfPage {
        file: String,
        url: String,
        platform: Option<String>,
        posts: Vec<PostOfPage>,
        /// Limits that were met
        truncated: Vec<String>,
    }
    /// A post
    PostOfPage {
        title: Option<String>,
        published: Option<DateOfPost>,
        author: Option<String>,
        link: Option<String>,
        text: String,
        comments: Vec<CommentOfPost>,
    }
    /// A comment
    CommentOfPost {
        author: Option<String>,
        published: Option<DateOfPost>,
        text: String,
    }
    /// A date as it was found
    DateOfPost {
        /// Year, month and day
        date: Option<String>,
        text: String,
        /// What a missing part was taken from
        completed: Option<String>,
    }
    /// What the log odds of a block are made of
    Reasons {
        /// The mean of the page's blocks
        mean: f64,
        /// What features add, the largest numbers first
        features: Vec<Feature>,
        /// What all other features add
        rest: f64,
        adjustments: Vec<Adjustment>,
        content_label: ContentLabel,
    }
    /// What a feature adds
    Feature {
        feature: String,
        /// Of which block: 0 is the block itself, 1 the next
        offset: i32,
        /// Its value in words
        value: String,
        adds: f64,
    }
    /// What is adjusted behind the features
    Adjustment {
        by: String,
        adds: f64,
    }
    /// What the block is if it is content
    ContentLabel {
        label: String,
        probability: f64,
        /// Without the labels of the blocks beside it
        alone: f64,
    }
}
