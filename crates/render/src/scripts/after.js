// Runs when the time of the page is over, in a world of its own: the page as HTML, without what is of use only to scripts.
((limit) => {
  const roots = [];
  const collect = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) {
        roots.push(element.shadowRoot);
        collect(element.shadowRoot);
      }
    }
  };
  collect(document);
  for (const root of [document, ...roots]) {
    const dropped = root.querySelectorAll('noscript, script:not([type="application/ld+json" i])');
    for (const element of dropped) element.remove();
  }
  const root = document.documentElement;
  if (!root) return { html: "", cut: false };
  const shell = root.cloneNode(false).outerHTML;
  const close = shell.lastIndexOf("</");
  const inner = root.getHTML({ serializableShadowRoots: true, shadowRoots: roots });
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\n" : "";
  const html = type + shell.slice(0, close) + inner + shell.slice(close) + "\n";
  // (Half of a surrogate pair is no text outside of scripts.)
  return { html: html.slice(0, limit).toWellFormed(), cut: html.length > limit };
})
