//! The pictures of the README: a page of the bundled crawl in the browser, and a report of the crawl. `.ci/pictures` writes them to
//! `docs/pictures`; in a test they are made and measured.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::desk::{Service, Tab, with_browser};
use super::views::{corpus, report};
use crate::support::sample;

/// A picture of a README is loaded each time it is read.
const MOST_BYTES: usize = 250_000;

/// The page that is shown.
const PAGE: &str = "https://www.marrowbaycourier.example/2024/04/night-ferry-returns";

#[test]
fn the_pictures_of_the_readme_are_made() {
    with_browser(async |browser| {
        let folder = tempfile::tempdir().unwrap();
        let out = std::env::var_os("GLEANER_PICTURES")
            .map_or_else(|| folder.path().join("pictures"), PathBuf::from);
        fs::create_dir_all(&out).unwrap();
        let corpus = corpus(&folder);

        let service = Service::start([corpus.as_os_str(), "--input".as_ref(), sample().as_os_str()]);
        let tab = Tab::open(&browser, &service, "#/corpus").await;
        tab.page
            .set_media_feature("prefers-color-scheme", "light")
            .await
            .unwrap();
        tab.page.set_viewport(1280, 720).await.unwrap();
        let search = json!(format!("/api/documents?url={PAGE}"));
        let row_id = tab
            .get(&format!(
                "fetch({search}).then(answer => answer.json()).then(found => found.documents[0].row_id)"
            ))
            .await;
        tab.go(&format!("#/corpus/doc/{}", row_id.as_str().unwrap()))
            .await;
        tab.wait(
            "document.querySelector('.pair iframe') && document.querySelector('.block.is-paragraph.kept')",
        )
        .await;
        tab.framed().await;
        tab.wait("document.querySelector('iframe').contentWindow.CSS.highlights.has('gleaner-paragraph')")
            .await;
        tab.click(".block.is-paragraph.kept").await;
        tab.wait("document.querySelector('.why table')").await;
        tab.get("window.scrollTo(0, 0)").await;
        let mut pictures = vec![("serve.png", tab.page.screenshot().await.unwrap())];
        tab.end().await;

        let url = format!("file://{}", report(&corpus, &folder).display());
        let tab = Tab::empty(&browser, &url).await;
        tab.page
            .set_media_feature("prefers-color-scheme", "light")
            .await
            .unwrap();
        tab.page.set_viewport(1280, 720).await.unwrap();
        tab.page.open(&url).await.unwrap();
        pictures.push(("report.png", tab.page.screenshot().await.unwrap()));
        tab.end().await;

        for (name, picture) in pictures {
            assert!(
                (5_000..MOST_BYTES).contains(&picture.len()),
                "{name} has {} bytes",
                picture.len()
            );
            fs::write(out.join(name), picture).unwrap();
        }
    });
}
