// The page of `gleaner serve`: one page beside its blocks, labelling, and a corpus.
//
// In: the endpoints of the server that sent this file. Out: nodes, made one by one; no text ever becomes markup, but for the page
// that is looked at, which is parsed into a sandboxed frame (part 4).
//
//  1 nodes and numbers   2 the server   3 small parts   4 the page in its frame   5 blocks   6 Markdown
//  7 a page: its views   8 paste        9 labelling    10 a corpus               11 routes
'use strict';
(() => {

// ---------------------------------------------------------------- 1 nodes and numbers

const SVG = 'http://www.w3.org/2000/svg';

/** A node: attributes (`onclick` and the like are listeners, `null` and `false` are left out), then children. */
function el(name, attributes, ...children) {
  return dress(document.createElement(name), attributes, children);
}
function svg(name, attributes, ...children) {
  return dress(document.createElementNS(SVG, name), attributes, children);
}
function dress(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'value') node.value = value;
    else if (key === 'share') node.style.setProperty('--p', Math.max(0, Math.min(1, value)));
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}
function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

const whole = new Intl.NumberFormat('en');
const count = number => number === null || number === undefined ? '?' : whole.format(number);
const several = (number, one, more) => `${count(number)} ${number === 1 ? one : more || one + 's'}`;
/** The last part of where a corpus is. */
const nameOf = corpus => corpus.name.split(/[\\/]/).filter(Boolean).pop() || corpus.name;
const probability = number => number === null || number === undefined ? '' : number > 0 && number < 0.1 ? number.toFixed(3) : number.toFixed(2);
const signed = number => (number < 0 ? '\u2212' : '+') + Math.abs(number).toFixed(2);
const cut = (text, length) => text.length > length ? text.slice(0, length) + '…' : text;

/** A value of a table as text. */
function printed(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(+value.toPrecision(6));
  if (Array.isArray(value) && value.every(item => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Words as most scripts write them; texts without spaces are cut by the browser. */
const segmenter = 'Segmenter' in Intl ? new Intl.Segmenter(undefined, {granularity: 'word'}) : null;
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
function words(text) {
  if (!segmenter || !UNSPACED.test(text)) return (text.match(/\S+/g) || []).length;
  let number = 0;
  for (const part of segmenter.segment(text)) number += part.isWordLike ? 1 : 0;
  return number;
}

/** Lets the browser draw and take input between two portions of work. */
const breathe = () => new Promise(resolve => setTimeout(resolve));

// ---------------------------------------------------------------- 2 the server

class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(0, 'the server does not answer: start gleaner serve again, then reload this page');
  }
  if (answer.ok) return answer;
  let sentence = `the server answered ${answer.status}`;
  try {
    sentence = (await answer.json()).error || sentence;
  } catch { /* not the sentence of this server */ }
  throw new Refused(answer.status, sentence);
}
const getJson = async (path, signal) => (await ask(path, {signal})).json();

/** What is read for the view that is shown: it ends when another view is drawn. */
let reading = new AbortController();

/** Path and query; parts without a value are left out (but a column can have an empty value), and lists are there value by value. */
function query(path, parts) {
  const pairs = new URLSearchParams();
  for (const [key, values] of Object.entries(parts)) {
    for (const value of [values].flat()) {
      if (value !== null && value !== undefined && (value !== '' || key.startsWith('is.'))) pairs.append(key, value);
    }
  }
  const text = pairs.toString();
  return text ? `${path}?${text}` : path;
}

/** The parts of a query: a text, or a list where there are several of one name. */
function partsOf(text) {
  const parts = {};
  for (const [key, value] of new URLSearchParams(text)) parts[key] = key in parts ? [parts[key], value].flat() : value;
  return parts;
}

// ---------------------------------------------------------------- 3 small parts

const main = document.getElementById('main');
const live = document.getElementById('said');

/** To readers of the screen. */
function announce(text) {
  live.textContent = live.textContent === text ? text + '\u00a0' : text;
}
const failure = error => el('p', {class: 'error', role: 'alert'}, error.message);
const busy = text => el('p', {class: 'note busy'}, text);

/** The title of the window is that of the view. */
function entitle() {
  const title = main.querySelector('h1');
  document.title = title ? `${cut(title.textContent, 60)} – gleaner` : 'gleaner';
}

/** Shows what a promise gives, or why it gave nothing, below a title. `still` says whether the place is still shown. */
async function show(place, text, work, still, title) {
  fill(place, busy(text));
  place.setAttribute('aria-busy', 'true');
  try {
    const shown = await work();
    if (!still || still()) fill(place, shown);
  } catch (error) {
    if (error.name === 'AbortError') return;
    if (!(error instanceof Refused)) console.error(error);
    if (!still || still()) fill(place, title ? el('h1', {}, title) : null, failure(error));
  } finally {
    place.removeAttribute('aria-busy');
    entitle();
  }
}

function table(caption, heads, rows, options = {}) {
  const numeric = options.numeric || [];
  const kind = at => numeric.includes(at) ? 'n' : null;
  return el('table', {class: options.class},
    caption ? el('caption', {}, caption) : null,
    heads ? el('thead', {}, el('tr', {}, heads.map((head, at) => el('th', {scope: 'col', class: kind(at)}, head)))) : null,
    el('tbody', {}, rows.map(row => el('tr', {}, row.map((cell, at) =>
      at === 0 ? el('th', {scope: 'row', class: kind(at), dir: 'auto'}, cell) : el('td', {class: kind(at), dir: kind(at) ? null : 'auto'}, cell))))));
}
const across = (label, ...children) => el('div', {class: 'across', tabindex: 0, role: 'region', 'aria-label': label}, children);

/** Names and values; empty ones are left out. */
function keys(caption, object, order) {
  const names = order || Object.keys(object || {});
  const rows = names.filter(name => printed(object[name]) !== '').map(name => [name.replace(/_/g, ' '), printed(object[name])]);
  return rows.length ? table(caption, null, rows, {class: 'keys'}) : el('p', {class: 'note'}, `${caption}: nothing is known`);
}

function facts(pairs) {
  return el('dl', {class: 'facts'}, pairs.filter(pair => pair && pair[1] !== '' && pair[1] !== null && pair[1] !== undefined)
    .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** Saves a text as a file. */
function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  el('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Tabs by the ARIA pattern: one stop, arrows between them. `panels`: [id, name, () => node or promise of a node]. */
function tabs(label, panels, chosen, changed) {
  const panel = el('div', {role: 'tabpanel', id: 'panel'});
  const made = new Map();
  const heads = panels.map(([id, name]) => el('button', {
    type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': 'panel', onclick: () => choose(id, true),
  }, name));
  function choose(id, byHand) {
    const known = panels.some(([name]) => name === id) ? id : panels[0][0];
    panels.forEach(([name], at) => {
      heads[at].setAttribute('aria-selected', String(name === known));
      heads[at].tabIndex = name === known ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', `tab-${known}`);
    if (!made.has(known)) {
      const place = el('div', {class: 'scroll', tabindex: 0});
      const value = panels.find(([name]) => name === known)[2]();
      if (value instanceof Promise) {
        made.set(known, place);
        show(place, 'Reading', () => value);
      } else made.set(known, value);
    }
    fill(panel, made.get(known));
    if (byHand) changed(known);
  }
  const list = el('div', {class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: event => {
    const at = heads.indexOf(document.activeElement);
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: heads.length - 1}[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const to = (next + heads.length) % heads.length;
    choose(panels[to][0], true);
    heads[to].focus();
  }}, heads);
  choose(chosen, false);
  return {list, panel, choose};
}

/** A dialog with buttons; resolves to the value of the button, or '' for Escape. */
function dialog(title, contents, buttons) {
  const before = document.activeElement;
  const box = el('dialog', {'aria-label': title},
    el('h2', {}, title), contents,
    el('form', {method: 'dialog', class: 'row'}, buttons.map(([value, text], at) => el('button', {value, class: at === 0 ? 'main' : null}, text))));
  document.body.append(box);
  box.showModal();
  box.scrollTop = 0;
  return new Promise(resolve => box.addEventListener('close', () => {
    box.remove();
    if (before && before.isConnected) before.focus();
    resolve(box.returnValue);
  }));
}

// ---------------------------------------------------------------- 4 the page in its frame
//
// The frame is /frame.html: an empty document with a policy of its own, sandboxed without scripts, forms, windows and navigation of
// the top. The page is parsed in the frame's window (a document that is not shown runs and loads nothing), what could load, send
// or lead anywhere is taken out, and the rest moves into the frame. The sandbox and the policy hold for whatever was missed.

const GONE = 'script,meta,base,link,iframe,frame,frameset,noframes,object,embed,applet,portal,fencedframe,audio,video,source,track,' +
  'param,animate,set,animateMotion,animateTransform,title,dialog';
const KEPT_ATTRIBUTES = new Set(['abbr', 'align', 'alt', 'bgcolor', 'border', 'cellpadding', 'cellspacing', 'class', 'clear', 'color',
  'cols', 'colspan', 'datetime', 'dir', 'face', 'height', 'hidden', 'hspace', 'id', 'lang', 'noshade', 'nowrap', 'open', 'placeholder',
  'reversed', 'rows', 'rowspan', 'rules', 'size', 'span', 'start', 'style', 'summary', 'text', 'title', 'type', 'valign', 'value',
  'vspace', 'width', 'wrap']);
const CONTROLS = 'input,button,select,textarea,summary,fieldset,output,img';

/** Elements that are open at once; a browser takes a time that grows with the square of their number. */
const DEEPEST = 1000;
/** Elements that end by themselves. */
const FLAT = /^<\/?(area|base|br|col|colgroup|dd|dt|embed|hr|img|input|li|link|meta|optgroup|option|p|param|rp|rt|source|tbody|td|tfoot|th|thead|tr|track|wbr)\b/i;

/**
 * Handlers and the base of addresses under other names, before a page is parsed: a document with a policy reports them to the console
 * as soon as it knows them. What this misses is reported, no more.
 */
function quiet(html) {
  let depth = 0;
  return html.replace(/<\/?[a-z][^<>]*/gi, tag => {
    const nests = !FLAT.test(tag);
    if (tag[1] === '/') {
      if (nests) depth = Math.max(0, depth - 1);
      return tag;
    }
    if (nests && ++depth > DEEPEST) return '<wbr';
    const named = /^<base\b/i.test(tag) ? tag.replace(/^<base/i, '<gleaner-base') : tag;
    return /on/i.test(named) ? named.replace(/([\s"'/])(on[a-z]+\s*=)/gi, '$1data-$2') : named;
  });
}

/** The same for styles: what they would load is not there. */
function quietStyle(text) {
  return text.replace(/@(import|font-face)/gi, '@gleaner-$1').replace(/url\(\s*(["']?)(?!data:|#)/gi, 'url($1data:,');
}

/** Takes out of a parsed page what could do anything. Methods are those of the prototypes: a form can hide its own. */
function disarm(page) {
  const {remove, removeAttribute, getAttributeNames, getAttribute, setAttribute, replaceWith, matches} = Element.prototype;
  const namespace = Object.getOwnPropertyDescriptor(Element.prototype, 'namespaceURI').get;
  for (const node of page.querySelectorAll(GONE)) remove.call(node);
  for (const node of page.querySelectorAll('[name]')) removeAttribute.call(node, 'name');
  for (const node of page.querySelectorAll(CONTROLS)) {
    removeAttribute.call(node, 'id');
    setAttribute.call(node, 'tabindex', '-1');
  }
  for (const node of page.querySelectorAll('*')) {
    const html = namespace.call(node) === 'http://www.w3.org/1999/xhtml';
    for (const name of getAttributeNames.call(node)) {
      const value = getAttribute.call(node, name);
      if (name === 'style' && /url/i.test(value)) setAttribute.call(node, name, quietStyle(value));
      const kept = html ? KEPT_ATTRIBUTES.has(name) || name === 'tabindex' && value === '-1' : !/^on|href$|^tabindex$/i.test(name);
      const picture = name === 'src' && /^data:image\//i.test(value) && matches.call(node, 'img');
      if (kept || picture || !html && /href$/i.test(name) && value.startsWith('#')) continue;
      removeAttribute.call(node, name);
      if (name === 'href' && html) {
        setAttribute.call(node, 'class', `${getAttribute.call(node, 'class') || ''} gleaner-link`);
        if (getAttribute.call(node, 'title') === null) setAttribute.call(node, 'title', value);
      }
    }
  }
  for (const style of page.querySelectorAll('style')) {
    if (/url|@/i.test(style.textContent)) style.textContent = quietStyle(style.textContent);
  }
  for (const form of page.querySelectorAll('form')) {
    const inside = page.createRange();
    inside.selectNodeContents(form);
    const box = page.createElement('div');
    for (const name of ['class', 'id', 'style', 'dir', 'lang']) {
      const value = getAttribute.call(form, name);
      if (value !== null) box.setAttribute(name, value);
    }
    box.append(inside.extractContents());
    replaceWith.call(form, box);
  }
}

/** Children of an element from which on they are put into parts, which are laid out when they come into view. */
const LONG = 1000;
const PART = 200;

function inParts(page) {
  for (const node of [...page.querySelectorAll('body,div,main,article,section,pre')].filter(node => node.childElementCount > LONG)) {
    const children = [...node.childNodes];
    const parts = [];
    for (let from = 0; from < children.length; from += PART) {
      const part = page.createElement('gleaner-part');
      part.append(...children.slice(from, from + PART));
      parts.push(part);
    }
    node.replaceChildren(...parts);
  }
}

const MARKS = `:where(.gleaner-link){color:#0b5cad;text-decoration:underline}
::highlight(gleaner-header){background:#0b5cad2e}::highlight(gleaner-paragraph){background:#1a703726}
::highlight(gleaner-list){background:#7a3ea826}::highlight(gleaner-continuation){background:#b37a0030}
::highlight(gleaner-at){background:#ffd84d;color:#000}
gleaner-part{display:block;content-visibility:auto;contain-intrinsic-size:auto 600em}`;
const WITHOUT_TEXT = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'TITLE', 'HEAD']);
const NOT_SPACE = /[^\s\u00a0\u200b\ufeff]/g;
/** Number of kept blocks that are coloured in the page. */
const MOST_MARKS = 20_000;

class Frame {
  constructor(picked) {
    this.picked = picked;
    this.node = el('iframe', {sandbox: 'allow-same-origin', title: 'The page, without its scripts', src: '/frame.html', referrerpolicy: 'no-referrer'});
    this.loaded = new Promise(resolve => this.node.addEventListener('load', resolve, {once: true}));
    this.places = null;
  }

  async load(html) {
    await this.loaded;
    this.window = this.node.contentWindow;
    if (!this.window) return;
    const page = new this.window.DOMParser().parseFromString(quiet(html), 'text/html');
    disarm(page);
    inParts(page);
    await breathe();
    if (!this.node.isConnected) return;
    this.document = this.window.document;
    const own = this.document.documentElement;
    const root = page.documentElement;
    for (const name of ['class', 'id', 'style', 'dir', 'lang']) {
      if (root.hasAttribute(name)) own.setAttribute(name, root.getAttribute(name));
    }
    this.document.head.append(...page.head ? page.head.querySelectorAll('style') : []);
    const body = page.body || page.createElement('body');
    this.document.body.replaceWith(this.document.adoptNode(body));
    const style = this.document.createElement('style');
    style.textContent = MARKS;
    this.document.head.append(style);
    for (const type of ['click', 'auxclick', 'submit', 'dragstart']) this.document.addEventListener(type, event => this.happened(event), true);
    this.node.dataset.shown = '';
  }

  /** Nothing that is clicked leads anywhere; the block that is clicked is shown. */
  happened(event) {
    event.preventDefault();
    event.stopPropagation();
    if (event.type !== 'click' || !this.places) return;
    const caret = this.document.caretRangeFromPoint ? this.document.caretRangeFromPoint(event.clientX, event.clientY) : null;
    const inside = caret && event.target.contains(caret.startContainer) ? caret.startContainer : event.target;
    const block = this.blockAt(inside, caret && inside === caret.startContainer ? caret.startOffset : 0);
    if (block !== null) this.picked(block);
  }

  /**
   * Finds the blocks in the page: both without white space, one after the other. A long text may follow at some distance, a short
   * one only near by.
   */
  async locate(blocks) {
    if (!this.document) return;
    this.nodes = [];
    this.begins = [];
    const texts = [];
    let length = 0;
    const walk = this.document.createTreeWalker(this.document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
      node => node.nodeType === 1 ? WITHOUT_TEXT.has(node.tagName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP : NodeFilter.FILTER_ACCEPT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const text = (node.data.match(NOT_SPACE) || []).join('');
      if (!text) continue;
      this.nodes.push(node);
      this.begins.push(length);
      texts.push(text);
      length += text.length;
    }
    await breathe();
    if (!this.node.isConnected) return;
    const stream = texts.join('');
    const places = new Array(blocks.length).fill(null);
    let at = 0;
    for (let block = 0; block < blocks.length; block++) {
      const text = (blocks[block].text.match(NOT_SPACE) || []).join('');
      if (!text) continue;
      const window = 200 + text.length * 40;
      const found = stream.slice(at, at + window + text.length).indexOf(text);
      if (found < 0) continue;
      places[block] = [at + found, at + found + text.length];
      at += found + text.length;
    }
    this.places = places;
    this.order = places.map((place, block) => place && [place[0], place[1], block]).filter(Boolean);
    await breathe();
    if (this.node.isConnected) await this.colour(blocks);
  }

  /** Place in the text of a node. */
  point(offset, isEnd) {
    let low = 0, high = this.begins.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.begins[middle] <= offset - (isEnd ? 1 : 0)) low = middle; else high = middle;
    }
    const node = this.nodes[low];
    let left = offset - this.begins[low];
    NOT_SPACE.lastIndex = 0;
    for (let match = NOT_SPACE.exec(node.data); match; match = NOT_SPACE.exec(node.data)) {
      if (isEnd ? left === 1 : left === 0) {
        const place = match.index + (isEnd ? 1 : 0);
        NOT_SPACE.lastIndex = 0;
        return [node, place];
      }
      left--;
    }
    return [node, node.data.length];
  }

  range(block) {
    const place = this.places && this.places[block];
    if (!place) return null;
    const [first, from] = this.point(place[0], false);
    const [last, to] = this.point(place[1], true);
    return new this.window.StaticRange({startContainer: first, startOffset: from, endContainer: last, endOffset: to});
  }

  blockAt(node, offset) {
    if (node.nodeType !== 3) {
      node = this.document.createTreeWalker(node, NodeFilter.SHOW_TEXT, text => /\S/.test(text.data) ? 1 : 2).nextNode();
      offset = 0;
    }
    const at = node ? this.nodes.indexOf(node) : -1;
    if (at < 0) return null;
    const before = this.begins[at] + (node.data.slice(0, offset).match(NOT_SPACE) || []).length;
    // Between two blocks it is the one that begins, not the one that ends.
    const found = this.order.find(([from, to]) => from <= before && before < to) || this.order.find(([, to]) => before === to);
    return found ? found[2] : null;
  }

  /** Colours the kept blocks by their labels. */
  async colour(blocks) {
    if (!this.places || !this.window.Highlight) return;
    const ranges = {header: [], paragraph: [], list: [], continuation: []};
    let marks = 0;
    for (let block = 0; block < blocks.length && marks < MOST_MARKS; block++) {
      const {kept, label} = blocks[block];
      if (!kept || !ranges[label]) continue;
      const range = this.range(block);
      if (range) ranges[label].push(range);
      if (++marks % 2000 === 0) await breathe();
      if (!this.node.isConnected) return;
    }
    for (const [label, some] of Object.entries(ranges)) {
      this.window.CSS.highlights.set(`gleaner-${label}`, new this.window.Highlight(...some));
    }
  }

  /** Marks a block, and scrolls to it. Returns whether it was found. */
  mark(block) {
    if (!this.node.isConnected) return false; // the view was left while the page was drawn
    const range = this.range(block);
    if (!range) {
      if (this.window && this.window.CSS) this.window.CSS.highlights.delete('gleaner-at');
      return false;
    }
    if (this.window.Highlight) {
      const at = new this.window.Highlight(range);
      at.priority = 1;
      this.window.CSS.highlights.set('gleaner-at', at);
    }
    const live = this.document.createRange();
    live.setStart(range.startContainer, range.startOffset);
    live.setEnd(range.endContainer, range.endOffset);
    const box = live.getBoundingClientRect();
    const height = this.window.innerHeight;
    if (box.height && (box.top < 0 || box.bottom > height)) this.window.scrollBy(0, box.top - Math.min(height / 3, Math.max(0, (height - box.height) / 2)));
    return true;
  }
}

// ---------------------------------------------------------------- 5 blocks

const LABELS = ['header', 'paragraph', 'list', 'continuation', 'other'];
const CHUNK = 250;

/** One row of the list of blocks. `what`: the label as text, `odds`: its probability as text. */
function row(block, at, look) {
  return el('div', {
    role: 'option', id: `block-${at}`, 'data-block': at, 'aria-selected': 'false',
    class: `block is-${look.label || 'none'} ${look.kept ? 'kept' : 'dropped'}`,
    share: look.share || 0,
  },
  el('span', {class: 'at'}, String(at)),
  el('span', {class: 'what'}, look.what),
  el('span', {class: 'odds'}, look.odds),
  el('span', {class: 'words', dir: 'auto'}, cut(block.text, 2000)));
}

/** A list of blocks: one stop of the Tab key, a cursor, a selection. Rows are made by chunks, so that long pages stay alive. */
class BlockList {
  constructor(label, blocks, look) {
    this.blocks = blocks;
    this.look = look;
    this.rows = [];
    this.cursor = -1;
    this.node = el('div', {class: 'list', role: 'listbox', tabindex: 0, 'aria-label': label});
    this.make();
  }

  async make() {
    for (let from = 0; from < this.blocks.length; from += CHUNK) {
      if (from > 0) await breathe();
      this.upTo(from + CHUNK);
    }
  }

  /** Makes the rows before this one that are not there yet. */
  upTo(end) {
    while (this.rows.length < Math.min(end, this.blocks.length)) {
      const from = this.rows.length;
      const some = this.blocks.slice(from, from + CHUNK).map((block, at) => row(block, from + at, this.look(block, from + at)));
      this.rows.push(...some);
      this.node.append(el('div', {class: 'chunk', role: 'presentation'}, some));
    }
  }

  /** Draws rows again. */
  refresh(blocks) {
    for (const at of blocks) {
      if (!this.rows[at]) continue;
      const fresh = row(this.blocks[at], at, this.look(this.blocks[at], at));
      if (at === this.cursor) fresh.classList.add('cursor');
      fresh.setAttribute('aria-selected', this.rows[at].getAttribute('aria-selected'));
      this.rows[at].replaceWith(fresh);
      this.rows[at] = fresh;
    }
  }

  /** Moves the cursor, and selects from `anchor` to it. */
  go(at, anchor = at, where = 'nearest') {
    this.upTo(at + 1);
    const [from, to] = [Math.min(at, anchor), Math.max(at, anchor)];
    for (const old of this.node.querySelectorAll('[aria-selected=true]')) {
      const block = Number(old.dataset.block);
      if (block < from || block > to) old.setAttribute('aria-selected', 'false');
    }
    if (this.rows[this.cursor]) this.rows[this.cursor].classList.remove('cursor');
    this.cursor = at;
    if (!this.rows[at]) return;
    for (let block = from; block <= to; block++) this.rows[block].setAttribute('aria-selected', 'true');
    this.rows[at].classList.add('cursor');
    this.node.setAttribute('aria-activedescendant', this.rows[at].id);
    this.see(this.rows[at], where);
  }

  /** Scrolls the list alone, never the window. */
  see(row, where) {
    const view = this.node.getBoundingClientRect(), box = row.getBoundingClientRect();
    const above = box.top - view.top, below = box.bottom - view.bottom;
    if (where === 'nearest' && above >= 40 && below <= -40) return;
    if (where === 'nearest' && Math.abs(above) < view.height) this.node.scrollTop += above < 40 ? above - 60 : below > -40 ? Math.min(below + 60, above - 60) : 0;
    else this.node.scrollTop += above - view.height / 3;
  }

  /** Rows that fit on the screen. */
  screen() {
    const one = this.rows[Math.max(0, this.cursor)];
    return one ? Math.max(1, Math.floor(this.node.clientHeight / Math.max(24, one.offsetHeight))) : 1;
  }
}

/** What the answers about a page have in common, whichever endpoint they are from. */
function common(answer) {
  const text = answer.text && typeof answer.text === 'object' ? answer.text : {};
  const metadata = {};
  for (const [name, fact] of Object.entries(answer.metadata || {})) {
    const isFact = fact && typeof fact === 'object' && !Array.isArray(fact) && 'value' in fact;
    metadata[name] = isFact ? fact.value : fact;
    if (isFact && fact.source) metadata[`${name}_from`] = source(fact.source);
  }
  const kind = answer.kind ? {name: answer.kind.name || answer.kind.kind, probability: answer.kind.probability} : null;
  const kinds = answer.kinds || (answer.kind && answer.kind.all) || [];
  return {
    ...answer, metadata, kind,
    kinds: Array.isArray(kinds) ? kinds.map(each => ({name: each.name || each.kind, probability: each.probability})) : [],
    confidence: answer.confidence ?? text.confidence ?? null,
    threshold: answer.threshold ?? text.threshold ?? null,
    text_source: answer.text_source ?? text.source ?? null,
    text: typeof answer.text === 'string' ? answer.text : null,
    definitions: answer.definitions || {},
    blocks: answer.blocks || [],
  };
}
function source(fact) {
  return [fact.kind, fact.element, fact.path].filter(Boolean).join(': ');
}

const lookOf = block => ({
  label: block.label, kept: block.kept, share: block.probability ?? 0,
  what: `${block.kept ? '+' : '\u2013'} ${block.label || 'unknown'}`,
  odds: probability(block.probability),
});

const BECAUSE = {
  'too-few-words': 'the page has too few words', heading: 'the rule for titles keeps the main heading',
  'structured-data': 'the text of the page is from its structured data', method: 'a method without probabilities decided',
  site: 'the evidence of the site decided, and it is not kept', unknown: 'why is not known',
};

const sentence = text => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** Why a block was kept or dropped. */
function reasons(page, at) {
  const block = page.blocks[at];
  const because = typeof block.because === 'string' ? block.because : null;
  const parts = block.reasons || (block.because && typeof block.because === 'object' && !Array.isArray(block.because) ? block.because : null);
  const features = Array.isArray(block.because) ? block.because : parts && parts.features || [];
  const site = block.site || (block.template_coverage !== undefined && block.template_coverage !== null ? block : null);
  const odds = block.log_odds;
  const above = block.probability !== null && block.probability !== undefined && page.threshold !== null && page.threshold >= 0
    ? `probability of content ${probability(block.probability)}, ${block.probability > page.threshold ? 'above' : 'not above'} the threshold ${probability(page.threshold)}` : null;
  return [
    el('h3', {}, `Block ${at}: ${block.label || 'no label'}, ${block.kept ? 'kept' : 'dropped'}`),
    el('p', {}, sentence([BECAUSE[because], above].filter(Boolean).join('; ') || 'no probability is known'),
      block.confidence !== undefined && block.confidence !== null ? ` Probability of the label: ${probability(block.confidence)}.` : ''),
    block.written && block.written !== block.text ? el('p', {class: 'note'}, `written as: ${cut(printed(block.written), 300)}`) : null,
    el('p', {class: 'mono soft'}, block.path || ''),
    el('div', {class: 'full text', dir: 'auto', tabindex: 0, role: 'region', 'aria-label': 'Text of the block'}, cut(block.text, 20_000)),
    site && site.template_coverage !== null && site.template_coverage !== undefined ? el('p', {}, `Templates of the site match ${Math.round(site.template_coverage * 100)} % of the text`,
      site.template_pages ? `; it is on ${site.template_pages}${page.sampled_pages ? ` of ${page.sampled_pages}` : ''} sampled pages.` : '.') : null,
    el('div', {class: 'half'},
      block.labels ? table('Probability of each label', ['label', 'probability'],
        Object.entries(block.labels).sort((a, b) => b[1] - a[1]).map(([label, p]) => [label, probability(p)]), {numeric: [1]}) : null,
      odds || parts ? table('Log odds that it is content', ['part', 'adds'], [
        parts && parts.mean !== undefined ? ['mean of the page', signed(parts.mean)] : null,
        parts && parts.features ? ['features', signed(parts.features.reduce((sum, feature) => sum + feature.adds, parts.rest || 0))] : null,
        ...(parts && parts.adjustments || []).map(each => [each.by, signed(each.adds)]),
        odds && odds.page !== undefined && odds.page !== null ? ['the page alone', signed(odds.page)] : null,
        odds && odds.with_site !== undefined && odds.with_site !== null ? ['with the evidence of the site', signed(odds.with_site)] : null,
        odds && odds.decided !== undefined && odds.decided !== null ? ['decided', signed(odds.decided)] : null,
      ].filter(Boolean), {numeric: [1]}) : null),
    features.length ? weights(features, page.definitions) : el('p', {class: 'note'}, 'No features are known of this block.'),
  ];
}

function weights(features, definitions) {
  const most = Math.max(...features.map(feature => Math.abs(feature.adds)), 1e-9);
  return across('Features of the block', table('Features: what each adds to the log odds', ['feature', 'value', 'adds', 'for or against'],
    features.map(feature => [
      el('span', {title: definitions[feature.feature]}, feature.feature + (feature.offset ? ` (block ${signed(feature.offset).replace('.00', '')})` : ''),
        definitions[feature.feature] ? el('span', {class: 'soft'}, ` ${definitions[feature.feature]}`) : null),
      printed(feature.value), signed(feature.adds),
      el('span', {class: feature.adds < 0 ? 'adds minus' : 'adds', share: Math.abs(feature.adds) / most, 'aria-hidden': 'true'}),
    ]), {numeric: [2]}));
}

// ---------------------------------------------------------------- 6 Markdown
//
// What gleaner writes: headings, paragraphs, lists, quotes, code, tables, links, emphasis. Nodes are made, never markup; a link
// shows its address and leads nowhere.

function drawnMarkdown(text) {
  return el('div', {class: 'drawn'}, parts(text.split('\n')));
}

const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const RULE = /^ {0,3}([-*_])( *\1){2,} *$/;
const TABLE = /^ {0,3}\|?[ :-]*-[ |:-]*\|[ |:-]*$/;

function parts(lines) {
  const out = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const fence = FENCE.exec(line), heading = /^ {0,3}(#{1,6})( +|$)(.*)$/.exec(line);
    if (!line.trim()) at++;
    else if (fence) {
      let end = at + 1;
      while (end < lines.length && !lines[end].trim().startsWith(fence[1])) end++;
      out.push(el('pre', {tabindex: 0}, el('code', {}, lines.slice(at + 1, end).join('\n'))));
      at = end + 1;
    } else if (heading) {
      out.push(el(`h${Math.min(6, heading[1].length + 2)}`, {dir: 'auto'}, inline(heading[3].replace(/ +#+ *$/, ''))));
      at++;
    } else if (RULE.test(line)) {
      out.push(el('hr'));
      at++;
    } else if (/^ {0,3}>/.test(line)) {
      let end = at;
      while (end < lines.length && lines[end].trim() && (/^ {0,3}>/.test(lines[end]) || !ITEM.test(lines[end]))) end++;
      out.push(el('blockquote', {dir: 'auto'}, parts(lines.slice(at, end).map(each => each.replace(/^ {0,3}> ?/, '')))));
      at = end;
    } else if (ITEM.test(line)) {
      const [list, end] = items(lines, at);
      out.push(list);
      at = end;
    } else if (line.includes('|') && at + 1 < lines.length && TABLE.test(lines[at + 1])) {
      let end = at + 2;
      while (end < lines.length && lines[end].includes('|')) end++;
      out.push(across('Table', table(null, cells(line).map(inline), lines.slice(at + 2, end).map(each => cells(each).map(inline)))));
      at = end;
    } else {
      let end = at + 1;
      while (end < lines.length && lines[end].trim() && !FENCE.test(lines[end]) && !ITEM.test(lines[end]) && !/^ {0,3}(#{1,6} |>)/.test(lines[end])) end++;
      out.push(el('p', {dir: 'auto'}, inline(lines.slice(at, end).join('\n'))));
      at = end;
    }
  }
  return out;
}

function items(lines, from) {
  const first = ITEM.exec(lines[from]);
  const ordered = /\d/.test(first[2]);
  const list = el(ordered ? 'ol' : 'ul', {dir: 'auto', start: ordered && parseInt(first[2], 10) !== 1 ? parseInt(first[2], 10) : null});
  let at = from;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]);
    if (!item || /\d/.test(item[2]) !== ordered) break;
    const indent = item[0].length || 2;
    const own = [lines[at].slice(item[0].length)];
    at++;
    while (at < lines.length) {
      const blank = !lines[at].trim();
      const inner = lines[at].startsWith(' '.repeat(Math.min(indent, 2))) && !ITEM.test(lines[at].slice(0, 4)) || lines[at].startsWith(' '.repeat(indent));
      const later = blank && at + 1 < lines.length && lines[at + 1].startsWith(' '.repeat(indent));
      const lazy = !blank && !ITEM.test(lines[at]) && !/^ {0,3}(#|>|`{3})/.test(lines[at]) && lines[at - 1].trim();
      if (!inner && !later && !lazy) break;
      own.push(lines[at].replace(new RegExp(`^ {0,${indent}}`), ''));
      at++;
    }
    const inside = parts(own);
    list.append(el('li', {dir: 'auto'}, inside.length === 1 && inside[0].tagName === 'P' ? [...inside[0].childNodes] : inside));
    while (at < lines.length && !lines[at].trim() && at + 1 < lines.length && ITEM.test(lines[at + 1])) at++;
  }
  return [list, at];
}

const cells = line => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map(cell => cell.trim().replace(/\\\|/g, '|'));

const INLINE = /\\([!-/:-@[-`{-~])|(`+)([^`]|[^`][\s\S]*?[^`])\2(?!`)|!\[((?:\\.|[^\]\\])*)\]\(((?:\\.|[^()\\\s])*)[^)]*\)|\[((?:\\.|[^\]\\])*)\]\(<?((?:\\.|[^()\\\s]|\([^()\s]*\))*)>?(?:\s+"[^"]*")?\)|<(https?:[^>\s]+)>|(\*\*|__)(?=\S)([\s\S]*?\S)\9|(\*|_)(?=\S)([\s\S]*?\S)\11|~~(?=\S)([\s\S]*?\S)~~| {2,}\n|\\\n|\n|&(?:amp|lt|gt|quot|nbsp|#\d+);/;
const NAMED = {amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0'};

function inline(text) {
  const out = [];
  while (text) {
    const found = INLINE.exec(text);
    if (!found) break;
    out.push(text.slice(0, found.index));
    const [all, escaped, , code, alt, , link, address, auto, , strong, , soft, struck] = found;
    if (escaped !== undefined) out.push(escaped);
    else if (code !== undefined) out.push(el('code', {}, code.trim() || code));
    else if (alt !== undefined) out.push(el('span', {class: 'soft'}, `[picture: ${alt}]`));
    else if (link !== undefined) out.push(el('span', {class: 'link', title: address}, inline(link)));
    else if (auto !== undefined) out.push(el('span', {class: 'link'}, auto));
    else if (strong !== undefined) out.push(el('strong', {}, inline(strong)));
    else if (soft !== undefined) out.push(el('em', {}, inline(soft)));
    else if (struck !== undefined) out.push(el('s', {}, inline(struck)));
    else if (all === '\n') out.push('\n');
    else if (all.endsWith('\n')) out.push(el('br'));
    else out.push(NAMED[all.slice(1, -1)] || String.fromCodePoint(Math.min(0x10ffff, Number(all.slice(2, -1)) || 0xfffd)));
    text = text.slice(found.index + all.length);
  }
  out.push(text);
  return out;
}

// ---------------------------------------------------------------- 7 a page: its views

/** Frame and list, each marking what is chosen in the other. */
function pagePane(frame) {
  return el('section', {class: 'pane page', 'aria-label': 'Page'}, el('h2', {}, 'Page ', el('span', {class: 'soft'}, 'without scripts and without what it would load')), frame.node);
}

/**
 * A page beside what gleaner makes of it. `source`: {html, url, body: what is sent, type, extra: further tabs}. `state`: tab and
 * block of the address.
 */
function inspector(answer, source, state, changed) {
  const page = common(answer);
  const why = el('section', {class: 'why', 'aria-label': 'Why', 'aria-live': 'polite', tabindex: 0, hidden: true});
  const list = new BlockList('Blocks of the page', page.blocks, lookOf);
  const frame = new Frame(block => {
    pick(block, 'far', true);
    list.node.focus({preventScroll: true});
  });
  let chosen = Number(state.block ?? -1);

  function pick(at, where, opens) {
    if (at < 0 || at >= page.blocks.length) return;
    list.go(at, at, where);
    frame.mark(at);
    if (opens || !why.hidden) explain(at);
    chosen = at;
  }
  function explain(at) {
    if (view.tab !== 'blocks') view.choose('blocks', true);
    why.hidden = false;
    fill(why, el('button', {type: 'button', class: 'link', onclick: close}, 'close'), reasons(page, at));
    why.scrollTop = 0;
    changed({block: at});
  }
  /** The block of the address, once the page is there. */
  function begin() {
    if (chosen >= 0 && node.isConnected) pick(chosen, 'far', view.tab === 'blocks');
  }
  function close() {
    why.hidden = true;
    changed({block: null});
    list.node.focus();
  }
  list.node.addEventListener('click', event => {
    const row = event.target.closest('[data-block]');
    if (row) pick(Number(row.dataset.block), 'nearest', true);
  });
  // By the keyboard. The press of a button also gives the focus: a list that scrolled then would lose its click.
  list.node.addEventListener('focus', () => {
    if (list.cursor < 0 && list.node.matches(':focus-visible')) pick(Math.max(0, chosen), 'nearest', false);
  });
  list.node.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const last = page.blocks.length - 1, at = Math.max(0, list.cursor);
    const to = {ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, g: 0, End: last, G: last,
      PageDown: at + list.screen(), PageUp: at - list.screen()}[event.key];
    if (to !== undefined) pick(Math.max(0, Math.min(last, to)), 'nearest', false);
    else if (event.key === 'Enter' || event.key === ' ') pick(at, 'nearest', true);
    else if (event.key === 'Escape' && !why.hidden) close();
    else return;
    event.preventDefault();
  });
  why.addEventListener('keydown', event => event.key === 'Escape' && close());

  const kept = page.blocks.filter(block => block.kept);
  let keptWords = 0, dropped = 0;
  for (const block of page.blocks) {
    if (block.kept) keptWords += words(block.text); else dropped += words(block.text);
  }
  const counts = answer.text && typeof answer.text === 'object' ? answer.text : answer;
  const view = {tab: state.tab || 'blocks'};
  const body = () => ({method: 'POST', body: source.body, headers: {'Content-Type': source.type || 'text/html; charset=utf-8'}});
  const again = (path, format) => ask(query(path, {url: source.url, format}), body());
  const panels = [
    ['blocks', 'Blocks', () => el('div', {class: 'column', role: 'presentation'}, list.node, why)],
    page.text !== null || source.body ? ['text', 'Text', () => textTab(page, again)] : null,
    page.markdown !== undefined && page.markdown !== null || source.body ? ['markdown', 'Markdown', () => markdownTab(page, again)] : null,
    ['metadata', 'Metadata', () => metadataTab(page, source)],
    source.body ? ['posts', 'Posts', () => postsTab(again)] : source.posts ? ['posts', 'Posts', () => el('div', {class: 'scroll', tabindex: 0}, posts(source.posts))] : null,
    source.body ? ['features', 'Features', () => featuresTab(() => ask(query('/features', {url: source.url}), body()), page)] : null,
    ...(source.extra || []),
    ['json', 'JSON', () => jsonTab(answer)],
  ].filter(Boolean);
  const made = tabs('Results', panels, view.tab, tab => {
    view.tab = tab;
    changed({tab: tab === 'blocks' ? null : tab});
  });
  view.choose = made.choose;
  const node = el('div', {},
    facts([
      ['words kept', count(counts.words ?? keptWords)], ['dropped', count(counts.dropped_words ?? dropped)],
      ['blocks kept', `${count(kept.length)} of ${count(page.blocks.length)}`],
      ['threshold', page.threshold < 0 ? 'none' : probability(page.threshold)], ['expected word F1', probability(page.confidence)],
      page.kind ? ['kind', `${page.kind.name} ${probability(page.kind.probability)}`] : null,
      ['charset', page.charset], ['text from', page.text_source],
    ]),
    page.truncated && page.truncated.length ? el('p', {class: 'notice'}, `cut short: ${printed(page.truncated)}`) : null,
    (page.notes || []).map(note => el('p', {class: 'notice'}, note)),
    el('div', {class: source.html === null ? 'pair alone' : 'pair'},
      source.html === null ? null : pagePane(frame),
      el('section', {class: 'pane', 'aria-label': 'Results'}, made.list, made.panel)));
  announce(`${several(kept.length, 'block')} of ${count(page.blocks.length)} kept, ${count(counts.words ?? keptWords)} words`);
  if (source.html !== null) {
    frame.load(source.html).then(() => frame.locate(page.blocks)).then(begin);
  } else requestAnimationFrame(begin);
  return node;
}

async function textTab(page, again) {
  const text = page.text !== null ? page.text : await (await again('/clean', 'text')).text();
  return [
    el('p', {class: 'row'}, el('button', {type: 'button', onclick: () => download('page.txt', 'text/plain', text)}, 'Save')),
    text.trim() ? longText(text) : el('p', {class: 'note'}, 'No text was kept.'),
  ];
}

/** A text by chunks of lines, which are laid out when they come into view. */
function longText(text) {
  const lines = text.split('\n');
  const out = [];
  for (let from = 0; from < lines.length; from += CHUNK) out.push(el('div', {class: lines.length > CHUNK ? 'text chunk' : 'text'}, lines.slice(from, from + CHUNK).join('\n')));
  return out;
}

async function markdownTab(page, again) {
  const text = page.markdown ?? await (await again('/clean', 'markdown')).text();
  const place = el('div', {});
  const buttons = ['drawn', 'source'].map(way => el('button', {type: 'button', onclick: () => draw(way)}, way === 'drawn' ? 'Drawn' : 'Source'));
  function draw(way) {
    buttons.forEach((button, at) => button.setAttribute('aria-pressed', String((at === 0) === (way === 'drawn'))));
    const most = 400_000;
    fill(place, way === 'drawn' ? drawnMarkdown(text.slice(0, most)) : el('div', {class: 'mono'}, longText(text)),
      way === 'drawn' && text.length > most ? el('p', {class: 'note'}, 'The rest is in the source.') : null);
  }
  draw('drawn');
  return [el('p', {class: 'row'}, buttons, el('button', {type: 'button', onclick: () => download('page.md', 'text/markdown', text)}, 'Save')), place];
}

function metadataTab(page, source) {
  return el('div', {class: 'scroll', tabindex: 0},
    keys('Metadata', {url: page.url || source.url, ...page.metadata}),
    page.kinds.length ? table('Kinds of pages', ['kind', 'probability'], page.kinds.map(kind => [kind.name, probability(kind.probability)]), {numeric: [1]}) : null,
    page.duplicates ? keys('Duplicates', page.duplicates) : null,
    page.place ? keys('Place in the archives', page.place) : null);
}

async function postsTab(again) {
  const answer = await (await again('/posts', 'json')).json();
  const place = el('div', {});
  return [
    el('p', {class: 'row'}, el('button', {type: 'button', onclick: () => show(place, 'Reading', async () => {
      const xml = await (await again('/posts', 'xml')).text();
      return [el('p', {class: 'row'}, el('button', {type: 'button', onclick: () => download('posts.xml', 'application/xml', xml)}, 'Save as XML')), el('div', {class: 'mono'}, longText(xml))];
    })}, 'XML'), el('button', {type: 'button', onclick: () => fill(place, el('div', {class: 'mono'}, longText(JSON.stringify(answer, null, 1))))}, 'JSON')),
    place, posts(answer.posts || (Array.isArray(answer) ? answer : [])),
  ];
}

/** Posts with their comments below them; those of a corpus are rows one after the other. */
function posts(some) {
  if (!some.length) return el('p', {class: 'note'}, 'No posts or comments were found on this page.');
  return [el('p', {class: 'note'}, several(some.length, 'post')), some.slice(0, 500).map((each, at) => post(each, at))];
}
function post({text, author, published, title, comments, ...rest}, at) {
  const date = published && typeof published === 'object' ? published.date || published.text : published;
  const more = Object.entries(rest).filter(([name, value]) => value !== null && typeof value !== 'object' && name !== 'link')
    .map(([name, value]) => `${name.replace(/_/g, ' ')} ${printed(value)}`);
  return el('article', {class: 'post', 'aria-label': `Post ${at + 1}`},
    el('p', {}, el('strong', {dir: 'auto'}, printed(title) || printed(author) || `post ${at + 1}`), title && author ? ` ${printed(author)}` : '', ' ',
      el('span', {class: 'soft'}, [printed(date), ...more].filter(Boolean).join(' · '))),
    el('div', {class: 'text', dir: 'auto'}, printed(text)),
    (comments || []).map((each, number) => post(each, number)));
}

async function featuresTab(fetchFeatures, page) {
  const answer = await (await fetchFeatures()).json();
  const body = el('div', {});
  const from = el('input', {type: 'number', min: 0, max: Math.max(0, answer.blocks.length - 1), value: 0, oninput: () => draw()});
  const part = el('input', {type: 'search', placeholder: 'place., density.', oninput: () => draw()});
  function draw() {
    const first = Math.max(0, Number(from.value) || 0);
    const columns = answer.columns.map((name, at) => [name, at]).filter(([name]) => name.includes(part.value.trim()));
    const blocks = answer.blocks.slice(first, first + 20);
    fill(body, el('p', {class: 'note'}, `${several(columns.length, 'feature')}, blocks ${first} to ${first + blocks.length - 1} of ${answer.blocks.length}`),
      across('Features table', table(null, ['feature', ...blocks.map((_, at) => String(first + at))],
        columns.map(([name, at]) => [el('span', {title: page.definitions[name]}, name), ...blocks.map(block => printed(block[at]))]),
        {numeric: blocks.map((_, at) => at + 1), class: 'grid'})));
  }
  draw();
  return [el('div', {class: 'row'}, el('label', {}, 'first block', from), el('label', {class: 'wide'}, 'features with', part),
    el('button', {type: 'button', onclick: () => download('features.json', 'application/json', JSON.stringify(answer))}, 'Save')), body];
}

function jsonTab(answer) {
  const text = JSON.stringify(answer, null, 1);
  const most = 200_000;
  return el('div', {class: 'scroll', tabindex: 0},
    el('p', {class: 'row'}, el('button', {type: 'button', onclick: () => download('page.json', 'application/json', text)}, 'Save'),
      text.length > most ? el('span', {class: 'note'}, `the first ${count(most)} of ${count(text.length)} characters`) : null),
    el('div', {class: 'mono'}, longText(text.slice(0, most))));
}

// ---------------------------------------------------------------- 8 paste

/** The page that was pasted: kept for a reload as far as the browser allows. */
const pasted = {
  html: '', url: '', bytes: null, type: null,
  keep() {
    try {
      sessionStorage.setItem('gleaner.pasted', JSON.stringify({html: this.html, url: this.url}));
    } catch {
      sessionStorage.removeItem('gleaner.pasted');
    }
  },
  restore() {
    try {
      Object.assign(this, JSON.parse(sessionStorage.getItem('gleaner.pasted') || '{}'));
    } catch { /* of another version */ }
  },
};

function decoded(bytes, charset) {
  try {
    return new TextDecoder(charset || 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Why a page is not sent, if it is not. */
function faultOf({html, bytes}) {
  const size = bytes ? bytes.byteLength : new Blob([html]).size, most = session.limits.body_bytes;
  if (!html.trim()) return 'there is no page yet: paste its HTML above, or choose a file';
  if (size > most) return `the page has ${count(size)} bytes, and the service takes ${count(most)}: start it with a larger --max-body`;
  return null;
}

function pageView(at) {
  if (at.params.file !== undefined) return archivePage(at);
  const result = el('div', {});
  const area = el('textarea', {id: 'html', spellcheck: 'false', autocomplete: 'off', value: pasted.html.length < 1_000_000 ? pasted.html : ''});
  const url = el('input', {type: 'text', inputmode: 'url', id: 'url', value: pasted.url, autocomplete: 'off', placeholder: 'https://…'});
  const file = el('input', {type: 'file', accept: '.html,.htm,.xhtml,text/html', onchange: () => take(file.files[0])});
  const form = el('form', {onsubmit: event => {
    event.preventDefault();
    // The field of a long page is empty, and so it is when nothing was pasted.
    if (area.value.trim() || pasted.html.length < 1_000_000) Object.assign(pasted, {html: area.value, bytes: null});
    pasted.url = url.value.trim();
    pasted.keep();
    clean({tab: at.params.tab});
  }},
  el('label', {for: 'html'}, 'HTML of the page'), area,
  el('div', {class: 'row'},
    el('label', {class: 'wide'}, 'Its URL, if it is known', url),
    el('label', {class: 'wide'}, 'or a file (or drop one here)', file),
    el('button', {class: 'main'}, 'Clean')));
  const box = el('details', {class: 'box', open: true}, el('summary', {}, 'Paste a page'), form);

  async function take(chosen) {
    if (!chosen) return;
    try {
      const bytes = await chosen.arrayBuffer();
      Object.assign(pasted, {bytes, html: decoded(bytes), url: url.value.trim()});
      area.value = pasted.html.length < 1_000_000 ? pasted.html : '';
      pasted.keep();
      clean({});
    } catch {
      fill(result, failure(new Error(`${chosen.name} cannot be read`)));
    }
  }
  for (const type of ['dragenter', 'dragover']) {
    box.addEventListener(type, event => {
      event.preventDefault();
      area.classList.add('over');
    });
  }
  box.addEventListener('dragleave', () => area.classList.remove('over'));
  box.addEventListener('drop', event => {
    event.preventDefault();
    area.classList.remove('over');
    const text = event.dataTransfer.getData('text/html') || event.dataTransfer.getData('text/plain');
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
    else if (text) area.value = text;
  });

  function clean(state) {
    const fault = faultOf(pasted);
    if (fault) {
      fill(result, failure(new Error(fault)));
      area.focus();
      return;
    }
    show(result, 'Cleaning', async () => {
      const body = pasted.bytes || pasted.html;
      const type = pasted.bytes ? 'text/html' : 'text/html; charset=utf-8';
      const answer = await (await ask(query('/explain', {url: pasted.url}), {method: 'POST', body, headers: {'Content-Type': type}})).json();
      box.open = false;
      return inspector(answer, {html: pasted.bytes ? decoded(pasted.bytes, answer.charset) : pasted.html, url: pasted.url, body, type}, state, part => stay(part));
    }, () => result.isConnected);
  }
  if (pasted.html) clean(at.params);
  return [el('h1', {}, 'A page'), box, result];
}

/** A page of the archives that are served, as it is cleaned. */
function archivePage(at) {
  const place = el('div', {});
  show(place, 'Reading the page', async () => {
    const opened = await getJson(`/api/pages/${encodeURIComponent(at.params.file)}`);
    const type = 'text/html; charset=utf-8';
    const answer = await (await ask(query('/explain', {url: opened.url}), {method: 'POST', body: opened.html, headers: {'Content-Type': type}})).json();
    return [el('h1', {}, opened.url || opened.name), el('p', {}, el('a', {href: `#/label/${opened.page}`}, 'Label this page')),
      inspector(answer, {html: opened.html, url: opened.url, body: opened.html, type}, at.params, part => stay(part))];
  }, () => place.isConnected, 'A page');
  return place;
}

// ---------------------------------------------------------------- 9 labelling

/** What the endpoints call a decision: null, or a label, with who decided if that was not a hand. */
const readDecision = value => {
  if (!value) return null;
  if (typeof value === 'object') return {label: value.label, by: value.by || 'hand'};
  const [label, by] = value.split(' ');
  return {label, by: by || 'hand'};
};
const writeDecision = decision => decision && (decision.by === 'hand' ? decision.label : `${decision.label} ${decision.by}`);
const same = (a, b) => a === b || !!a && !!b && a.label === b.label && a.by === b.by;
const isDone = decision => !!decision && decision.by !== 'aligned';

/** A page being labelled: the same state machine as that of `gleaner annotate`. Commands in, state out. */
class Editor {
  constructor(blocks, decisions) {
    Object.assign(this, {blocks, decisions, cursor: 0, anchor: null, past: [], future: [], walked: null});
    this.byCertainty = blocks.map((_, at) => at).sort((a, b) => (blocks[b].uncertainty || 0) - (blocks[a].uncertainty || 0) || a - b);
  }
  get done() { return this.decisions.reduce((sum, decision) => sum + (isDone(decision) ? 1 : 0), 0); }
  get isComplete() { return this.decisions.every(isDone); }
  suggested(at) {
    const decision = this.decisions[at];
    return decision && decision.by === 'aligned' ? decision.label : this.blocks[at].label || null;
  }
  selection() {
    const anchor = this.anchor ?? this.cursor;
    return [Math.min(anchor, this.cursor), Math.max(anchor, this.cursor)];
  }
  selected() {
    const [from, to] = this.selection();
    return this.blocks.length ? Array.from({length: to - from + 1}, (_, at) => from + at) : [];
  }
  /** To the block after those that were labelled. */
  advance() {
    const last = this.selection()[1];
    this.anchor = null;
    this.to(last + 1);
  }
  to(at) { this.cursor = Math.max(0, Math.min(this.blocks.length - 1, at)); }

  /** Blocks that changed, or a sentence. */
  decide(decision) {
    const changed = this.change(this.selected().map(at => [at, decision]));
    this.advance();
    return changed;
  }
  accept(blocks) {
    const open = blocks.filter(at => !isDone(this.decisions[at]));
    const able = open.filter(at => this.suggested(at));
    if (open.length && !able.length) return 'nothing is suggested here';
    return this.change(able.map(at => [at, {label: this.suggested(at), by: 'accepted'}]));
  }
  acceptSelected() {
    const changed = this.accept(this.selected());
    this.advance();
    return changed;
  }
  change(decided) {
    const changes = decided.map(([at, after]) => [at, this.decisions[at], after]).filter(([, before, after]) => !same(before, after));
    if (!changes.length) return [];
    this.past.push(changes);
    this.future = [];
    return this.land(changes, 2, false);
  }
  undo() {
    const changes = this.past.pop();
    if (!changes) return 'nothing to undo';
    this.future.push(changes);
    return this.land(changes, 1, true);
  }
  redo() {
    const changes = this.future.pop();
    if (!changes) return 'nothing to redo';
    this.past.push(changes);
    return this.land(changes, 2, true);
  }
  land(changes, which, goes) {
    for (const change of changes) this.decisions[change[0]] = change[which];
    if (goes) [this.cursor, this.anchor] = [changes[0][0], null];
    return changes.map(([at]) => at);
  }

  /** The other blocks, from the one after the cursor to the one before. */
  around() { return this.blocks.map((_, at) => (this.cursor + 1 + at) % this.blocks.length).slice(0, -1); }
  open(backwards) {
    const others = this.around();
    return this.goTo((backwards ? others.reverse() : others).find(at => !isDone(this.decisions[at])));
  }
  certainty(backwards) {
    const order = backwards ? [...this.byCertainty].reverse() : this.byCertainty;
    const begin = this.walked !== null && this.walked === this.cursor ? order.indexOf(this.walked) + 1 : 0;
    const found = [...order.slice(begin), ...order.slice(0, begin)].find(at => !isDone(this.decisions[at]));
    this.walked = found ?? null;
    return this.goTo(found);
  }
  goTo(at) {
    if (at === undefined) return 'no other block is left to be labelled';
    this.cursor = at;
    return null;
  }
  find(pattern, way) {
    const has = at => this.blocks[at].text.toLowerCase().includes(pattern.toLowerCase());
    const others = this.around();
    const order = way === 'here' ? [this.cursor, ...others] : way === 'next' ? [...others, this.cursor] : [...others.reverse(), this.cursor];
    const found = order.find(has);
    if (found === undefined) return 'not on this page';
    this.cursor = found;
    return null;
  }
}

const KEYS = [
  ['Label the block under the cursor, or the selected ones', [
    ['p', 'paragraph'], ['h', 'header'], ['l', 'list item'], ['c', 'continuation: continues the block before'],
    ['o', 'other: noise, to be dropped'], ['a, Enter, Space', 'accept what is suggested'],
    ['A', 'accept what is suggested for all that is left of the page'], ['x, Backspace', 'undecided again'],
    ['u / U, Ctrl-Z / Ctrl-Shift-Z', 'undo / redo'], ['v, Shift-arrows, Shift-click', 'select a range; Esc ends it']]],
  ['Move', [
    ['j k, arrows', 'a block down, up; 5j is five down'], ['PgDn PgUp', 'a screen down, up'], ['g / G', 'first / last block; 12G is block 12'],
    ['. / ,', 'next, previous block that is not labelled (Tab in the terminal; here Tab moves between the parts of the page)'],
    ['s / S', 'the least certain block that is left / back'], ['w', 'after each label, go to the least certain block (on and off)'],
    ['/  n N', 'search the text; next, previous match']]],
  ['Pages', [['] [', 'next, previous page'], ['} {', 'next, previous page that is not finished'], ['q', 'all pages']]],
  ['See', [['z', 'read the whole block'], ['r', 'the page beside the blocks (on and off)'], ['?', 'these keys']]],
];

function showKeys() {
  return dialog('Keys', el('div', {class: 'half'}, KEYS.map(([title, some]) => table(title, null, some.map(([key, text]) => [el('kbd', {}, key), text]), {class: 'keys'}))), [['', 'Close']]);
}

function labelView(at) {
  if (at.path[1] !== undefined) return labelPage(Number(at.path[1]));
  const place = el('div', {});
  const list = el('tbody', {});
  const more = el('p', {});
  const q = el('input', {type: 'search', value: at.params.q || '', autocomplete: 'off'});
  async function add(cursor) {
    const answer = await getJson(query('/api/pages', {cursor, limit: 200, q: at.params.q}));
    list.append(...answer.pages.map(page => el('tr', {},
      el('th', {scope: 'row', dir: 'auto'}, el('a', {href: `#/label/${page.page}`}, page.name)),
      el('td', {}, page.blocks ? [el('span', {class: 'done', share: page.done / page.blocks, 'aria-hidden': 'true'}), ' ', page.done === page.blocks ? 'done' : `${page.done} of ${page.blocks}`] : 'not begun'),
      el('td', {}, el('a', {href: `#/page?file=${page.page}`, 'aria-label': `Look at ${page.name}`}, 'look at')))));
    const shown = list.childElementCount;
    fill(more, answer.next !== null && answer.next !== undefined ? el('button', {type: 'button', onclick: () => add(answer.next)}, 'More') : null,
      el('span', {class: 'note'}, ` ${count(shown)} of ${several(answer.total, 'page')}`));
    announce(`${several(answer.total, 'page')}`);
  }
  show(place, 'Reading the pages', async () => {
    await add(null);
    return [el('table', {}, el('thead', {}, el('tr', {}, ['page', 'labelled', 'as it is cleaned'].map(head => el('th', {scope: 'col'}, head)))), list), more];
  });
  return [el('h1', {}, 'Pages to label'),
    session.annotations ? el('p', {class: 'soft'}, `Labels are saved in ${session.annotations}`) : el('p', {class: 'notice'}, 'Labels are not saved: start gleaner serve with --annotations DIR.'),
    el('form', {class: 'row', onsubmit: event => {
      event.preventDefault();
      go(query('#/label', {q: q.value.trim()}));
    }}, el('label', {class: 'wide'}, 'Name or URL', q), el('button', {}, 'Search')), place];
}

/** Whether the cursor goes to the least certain block after a label, and whether the page is shown; for all pages. */
const habits = {walk: false, render: true};

function labelPage(number) {
  const place = el('div', {});
  show(place, 'Reading the page', async () => {
    try {
      return labelDesk(number, await getJson(`/api/pages/${number}`));
    } catch (error) {
      if (!(number >= 0 && number < session.pages && error.status)) throw error;
      return unreadPage(number, error);
    }
  }, () => place.isConnected, 'A page to label');
  return place;
}

/** The links of a page to those around it. */
const linksFrom = number => [
  el('a', {href: '#/label'}, 'All pages'),
  number > 0 ? el('a', {href: `#/label/${number - 1}`}, 'Previous') : null,
  number + 1 < session.pages ? el('a', {href: `#/label/${number + 1}`}, 'Next') : null,
];

/** A page that cannot be read: its name, why, and the way on. */
async function unreadPage(number, error) {
  // (The cursor of this list is the number of a page.)
  const {pages: [page]} = await getJson(query('/api/pages', {cursor: number, limit: 1}));
  const view = el('div', {tabindex: -1, class: 'unread', onkeydown: event => {
    const to = {']': number + 1, '[': number - 1}[event.key];
    if (event.key === 'q') go('#/label');
    else if (to >= 0 && to < session.pages) go(`#/label/${to}`);
  }}, el('h1', {}, page.name), el('p', {class: 'row'}, linksFrom(number)), failure(error),
  el('p', {class: 'note'}, el('kbd', {}, ']'), ' and ', el('kbd', {}, '['), ' open the next and the previous page.'));
  requestAnimationFrame(() => view.focus());
  return view;
}

/** Whether labels of the page that was opened last are not saved: closing the tab would lose them. */
let hasUnsaved = () => false;

function labelDesk(number, opened) {
  const editor = new Editor(opened.blocks, opened.decisions.map(readDecision));
  // `unsaved`: to be sent. `isDirty`: not known to be in the file, also while they are sent.
  let stamp = opened.stamp, pattern = '', typed = 0, unsaved = false, isDirty = false, saving = null, asking = false;
  const memory = `gleaner.label.${number}`;

  const list = new BlockList('Blocks to label', opened.blocks, (block, at) => {
    const decision = editor.decisions[at];
    const label = decision ? decision.label : block.label;
    const sure = block.probability === null || block.probability === undefined || !block.label ? '' : `${block.label === label ? '' : block.label + ' '}${Math.round(block.probability * 100)}%`;
    return {
      label, kept: decision ? isDone(decision) && label !== 'other' : false, share: decision ? 0 : block.probability || 0,
      what: decision ? `${isDone(decision) ? '✓' : '~'} ${label}${decision.by === 'accepted' ? '+' : ''}` : block.label ? `? ${block.label}` : '?',
      odds: decision && isDone(decision) ? '' : sure,
    };
  });
  const frame = new Frame(block => {
    editor.anchor = null;
    editor.to(block);
    land('far');
    list.node.focus({preventScroll: true});
  });
  const said = el('p', {class: 'note', role: 'status'});
  const progress = el('strong', {});
  const saved = el('span', {class: 'soft'});
  const search = el('input', {type: 'search', 'aria-label': 'Search the blocks', placeholder: 'search ( / )', autocomplete: 'off', size: 14});
  const tell = text => { said.textContent = text || ''; };

  /** Shows where the cursor is, and what is selected. */
  function land(where = 'nearest') {
    if (!opened.blocks.length) return;
    list.go(editor.cursor, editor.anchor ?? editor.cursor, where);
    frame.mark(editor.cursor);
    remember();
  }
  /** Labels that are not saved are kept, too: whatever way leads out of the page, it comes back with them. */
  function remember() {
    const labels = isDirty ? {page: opened.name, decisions: editor.decisions.map(writeDecision)} : {};
    try {
      sessionStorage.setItem(memory, JSON.stringify({stamp, cursor: editor.cursor, past: editor.past, future: editor.future, ...labels}));
    } catch {
      sessionStorage.removeItem(memory);
    }
  }
  function restore() {
    let known = null;
    try {
      known = JSON.parse(sessionStorage.getItem(memory));
    } catch { /* of another version */ }
    const is = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const hasLabels = known && known.decisions && known.page === opened.name && known.decisions.length === opened.blocks.length
      && !is(known.decisions, editor.decisions.map(writeDecision));
    if (hasLabels) {
      editor.decisions = known.decisions.map(readDecision);
      stamp = known.stamp; // The file may have been changed meanwhile: the service compares.
    }
    if (known && is(known.stamp, stamp)) {
      Object.assign(editor, {past: known.past, future: known.future});
      editor.to(known.cursor);
    } else if (editor.decisions.length && isDone(editor.decisions[0])) editor.open(false);
    return hasLabels;
  }
  function status() {
    progress.textContent = `${editor.done} of ${opened.blocks.length} blocks`;
  }

  /** After an edit: rows again, save, say what was done. */
  function edited(result, verb) {
    if (typeof result === 'string') {
      tell(result);
      land();
      return;
    }
    if (result.length) {
      list.refresh(result);
      status();
      changed();
    }
    tell(editor.isComplete && result.length ? 'every block is labelled: } opens the next page' : result.length > 1 || verb !== 'labelled' ? `${several(result.length, 'block')} ${verb}` : '');
    if (result.length === 1 && verb === 'labelled') announce(`${result[0]} ${editor.decisions[result[0]] ? editor.decisions[result[0]].label : 'undecided'}`);
    land();
  }
  function labelled(result) {
    const from = editor.cursor;
    if (habits.walk && typeof result !== 'string' && result.length) {
      editor.to(from);
      editor.certainty(false);
    }
    edited(result, 'labelled');
  }

  function changed() {
    unsaved = isDirty = true;
    save(false);
  }
  /** Saves what has changed, one request at a time; what changes meanwhile is saved after it. */
  function save(force) {
    if (!session.annotations) {
      saved.textContent = 'not saved';
      return saving;
    }
    if (saving || asking) return saving;
    saving = (async () => {
      saved.textContent = 'saving';
      try {
        do {
          unsaved = false;
          const answer = await (await ask(`/api/pages/${number}`, {
            method: 'PUT', headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({decisions: editor.decisions.map(writeDecision), stamp, force}),
          })).json();
          stamp = answer.stamp;
          force = false;
        } while (unsaved);
        isDirty = false;
        saved.textContent = 'saved';
        remember();
      } catch (error) {
        unsaved = true;
        saved.textContent = 'not saved';
        remember();
        if (error.status === 409) conflict(error);
        else if (error.status) tell(`not saved: ${error.message}`);
        else tell('not saved: the server does not answer. Start gleaner serve again: the labels are kept here, and saved with the next one');
      } finally {
        saving = null;
      }
    })();
    return saving;
  }
  async function conflict(error) {
    if (!list.node.isConnected) return; // It is asked when the page is opened again.
    asking = true;
    const choice = await dialog('The file was changed by another program', el('p', {}, error.message), [['reload', 'Reload the file'], ['overwrite', 'Overwrite it'], ['', 'Later']]);
    asking = false;
    if (choice === 'overwrite') save(true);
    else if (choice === 'reload') {
      sessionStorage.removeItem(memory);
      draw();
    } else tell('not saved: ! overwrites the file');
  }
  async function leave(to) {
    await saving;
    if (unsaved && session.annotations && !asking) {
      await save(false);
      if (unsaved) return;
    }
    go(to);
  }
  async function turn(step) {
    const next = number + step;
    if (next < 0 || next >= session.pages) tell(step > 0 ? 'this is the last page' : 'this is the first page');
    else leave(`#/label/${next}`);
  }
  async function unfinished(backwards) {
    await saving;
    let cursor = null;
    const all = [];
    do {
      const answer = await getJson(query('/api/pages', {cursor, limit: 500}));
      all.push(...answer.pages);
      cursor = answer.next;
    } while (cursor !== null && cursor !== undefined);
    const at = all.findIndex(page => page.page === number);
    const others = [...all.slice(at + 1), ...all.slice(0, at)];
    const found = (backwards ? others.reverse() : others).find(page => page.blocks === null || page.done < page.blocks);
    if (found) leave(`#/label/${found.page}`);
    else tell('no other page is left to be labelled');
  }
  function find(way) {
    if (!pattern) tell('nothing has been searched for: / begins a search');
    else {
      tell(editor.find(pattern, way));
      land('far');
    }
  }
  function read() {
    const block = opened.blocks[editor.cursor];
    if (block) dialog(`Block ${editor.cursor}`, [el('p', {class: 'mono soft'}, block.path), el('div', {class: 'text', dir: 'auto'}, block.text)], [['', 'Close']]);
  }
  function render() {
    habits.render = !habits.render;
    pair.classList.toggle('alone', !habits.render);
    pane.hidden = !habits.render;
    show_.setAttribute('aria-pressed', String(habits.render));
  }
  const move = (by, extends_) => {
    if (extends_) editor.anchor = editor.anchor ?? editor.cursor;
    editor.to(editor.cursor + by);
    land();
  };
  const label = name => labelled(editor.decide({label: name, by: 'hand'}));
  const commands = {
    p: () => label('paragraph'), h: () => label('header'), l: () => label('list'), c: () => label('continuation'), o: () => label('other'),
    a: () => labelled(editor.acceptSelected()), A: () => edited(editor.accept(opened.blocks.map((_, at) => at)), 'labelled'),
    x: () => edited(editor.decide(null), 'undecided again'),
    u: () => edited(editor.undo(), 'undone'), U: () => edited(editor.redo(), 'done again'),
    v: () => {
      editor.anchor = editor.anchor === null && opened.blocks.length ? editor.cursor : null;
      land();
    },
    Escape: () => {
      editor.anchor = null;
      land();
    },
    j: times => move(times), k: times => move(-times),
    ArrowDown: (times, event) => move(times, event.shiftKey), ArrowUp: (times, event) => move(-times, event.shiftKey),
    PageDown: () => move(list.screen()), PageUp: () => move(-list.screen()),
    g: (_, __, given) => move(Math.max(0, given - 1) - editor.cursor), G: (_, __, given) => move((given ? given - 1 : opened.blocks.length - 1) - editor.cursor),
    '.': () => {
      tell(editor.open(false));
      land();
    },
    ',': () => {
      tell(editor.open(true));
      land();
    },
    s: () => {
      tell(editor.certainty(false));
      land();
    },
    S: () => {
      tell(editor.certainty(true));
      land();
    },
    w: () => {
      habits.walk = !habits.walk;
      tell(habits.walk ? 'after each label: on to the least certain block' : 'after each label: on to the next block');
    },
    '/': () => search.select(), n: () => find('next'), N: () => find('previous'),
    ']': () => turn(1), '[': () => turn(-1), '}': () => unfinished(false), '{': () => unfinished(true),
    r: () => render(), z: () => read(), '?': () => showKeys(), '!': () => save(true), q: () => leave('#/label'),
  };
  Object.assign(commands, {Enter: commands.a, ' ': commands.a, Backspace: commands.x, Delete: commands.x, V: commands.v, Home: commands.g, End: commands.G});

  function pressed(event) {
    if (event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'z') return;
      event.preventDefault();
      commands[event.shiftKey ? 'U' : 'u']();
      return;
    }
    if (/^\d$/.test(event.key)) {
      typed = Math.min(9_999_999, typed * 10 + Number(event.key));
      return;
    }
    const command = commands[event.key];
    if (!command) return;
    event.preventDefault();
    const given = typed;
    typed = 0;
    tell('');
    command(Math.max(1, given), event, given);
  }
  list.node.addEventListener('keydown', pressed);
  list.node.addEventListener('click', event => {
    const row = event.target.closest('[data-block]');
    if (!row) return;
    editor.anchor = event.shiftKey ? editor.anchor ?? editor.cursor : null;
    editor.to(Number(row.dataset.block));
    land();
  });
  list.node.addEventListener('mousedown', event => event.shiftKey && event.preventDefault());
  let searchedFrom = 0;
  search.addEventListener('focus', () => { searchedFrom = editor.cursor; });
  search.addEventListener('input', () => {
    editor.to(searchedFrom);
    if (search.value) tell(editor.find(search.value, 'here'));
    land();
  });
  search.addEventListener('keydown', event => {
    if (event.key === 'Enter') {
      if (search.value) pattern = search.value;
      else find('next');
    } else if (event.key === 'Escape') {
      editor.to(searchedFrom);
      land();
    } else return;
    event.preventDefault();
    list.node.focus();
  });

  const press = (key, text, name) => el('button', {type: 'button', title: name, 'aria-keyshortcuts': key, onclick: () => {
    tell('');
    commands[key](1, {}, 0);
    if (!document.querySelector('dialog[open]')) list.node.focus({preventScroll: true});
  }}, el('kbd', {'aria-hidden': 'true'}, key), ` ${text}`);
  const show_ = press('r', 'page');
  show_.setAttribute('aria-pressed', String(habits.render));
  const pane = pagePane(frame);
  pane.hidden = !habits.render;
  const pair = el('div', {class: habits.render ? 'pair' : 'pair alone'}, pane,
    el('section', {class: 'pane', 'aria-label': 'Blocks'},
      el('div', {class: 'tools', role: 'toolbar', 'aria-label': 'Labels'},
        press('p', 'paragraph'), press('h', 'header'), press('l', 'list'), press('c', 'continuation'), press('o', 'other'), press('a', 'accept'), press('x', 'clear')),
      el('div', {class: 'tools', role: 'toolbar', 'aria-label': 'Page'},
        press('u', 'undo'), press('U', 'redo'), press('A', 'accept all'), press('.', 'next open'), show_, press('?', 'keys'), search),
      list.node,
      el('div', {class: 'tools'}, progress, saved, said)));
  hasUnsaved = () => unsaved && session.annotations;
  const hasLabels = restore();
  if (hasLabels) list.refresh(opened.blocks.map((_, at) => at));
  status();
  saved.textContent = session.annotations ? '' : 'labels are not saved: start gleaner serve with --annotations DIR';
  frame.load(opened.html || '').then(() => frame.locate(opened.blocks.map(block => ({...block, kept: false})))).then(() => frame.mark(editor.cursor));
  requestAnimationFrame(() => {
    if (hasLabels) changed();
    land('far');
    list.node.focus({preventScroll: true});
  });
  return [
    el('h1', {}, opened.name),
    el('p', {class: 'row'}, linksFrom(number), el('a', {href: `#/page?file=${number}`}, 'As it is cleaned'),
      opened.url && opened.url !== opened.name ? el('span', {class: 'soft', dir: 'auto'}, opened.url) : null),
    opened.notice ? el('p', {class: 'notice'}, opened.notice) : null,
    pair,
  ];
}

// ---------------------------------------------------------------- 10 a corpus

/** Filters of the form, and tests of columns, such as `min.word_count`. */
const FILTERS = ['q', 'url', 'site', 'kind', 'language', 'survivor', 'min_words', 'max_words', 'min_confidence'];
const OF_COLUMN = /^(is|min|max|above|below)\.(.*)$/s;
const pick = (parts, isWanted) => Object.fromEntries(Object.entries(parts).filter(([name]) => isWanted(name)));
const filtersOf = params => pick(params, name => FILTERS.includes(name) || OF_COLUMN.test(name));

/** Filters that all have to hold. */
function both(some, others) {
  const all = {...some};
  for (const [name, value] of Object.entries(others)) all[name] = name in all ? [...new Set([all[name], value].flat())] : value;
  return all;
}

function corpusView(at) {
  const [, part, id] = at.path;
  const filters = filtersOf(at.params);
  const parts = {'': {...filters, sort: at.params.sort}, columns: filters};
  const sub = el('nav', {'aria-label': 'Corpus'}, el('ul', {class: 'sub'}, [['', 'Documents'], ['columns', 'Columns'], ['rejects', 'Rejects'], ['clusters', 'Clusters']].map(([name, text]) =>
    el('li', {}, el('a', {href: query(name ? `#/corpus/${name}` : '#/corpus', parts[name] || {}), 'aria-current': (part === 'doc' ? '' : part || '') === name ? 'page' : null}, text)))));
  const view = {columns: columnsView, rejects: rejectsView, clusters: id === undefined ? clustersView : clusterView, doc: documentView}[part] || documentsView;
  return [sub, view(at, filters, id)];
}

const ORDERS = [['', 'by address'], ['words', 'longest first'], ['-words', 'shortest first'], ['confidence', 'least confident first'],
  ['-confidence', 'most confident first'], ['date', 'newest first'], ['-date', 'oldest first']];

/** The form of a view with parameters of its own. */
function filterForm(filters, path, own) {
  const field = (name, label, attributes = {}) => el('label', {class: attributes.wide ? 'wide' : null}, label, el('input', {name, autocomplete: 'off', value: filters[name] || '', ...attributes, wide: null}));
  const chosen = (name, label, value, options) => el('label', {}, label, el('select', {name}, options.map(([option, text]) => el('option', {value: option, selected: (value || '') === option}, text))));
  const narrow = FILTERS.some(name => name !== 'q' && filters[name]);
  return el('form', {role: 'search', 'aria-label': 'Documents', onsubmit: event => {
    event.preventDefault();
    const parts = Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, String(value).trim()]));
    go(query(path, {...own, ...pick(filters, name => OF_COLUMN.test(name)), ...parts}));
  }},
  el('div', {class: 'row'}, field('q', 'Words in the text', {type: 'search', wide: true, 'aria-describedby': 'q-hint'}), el('button', {class: 'main'}, 'Search')),
  el('p', {class: 'note hint', id: 'q-hint'}, 'Whole words, all of them: ', el('kbd', {}, 'tide*'), ' finds beginnings, ', el('kbd', {}, '*tide'), ' ends, ',
    el('kbd', {}, '*tide*'), ' parts, ', el('kbd', {}, '"high tide"'), ' a phrase.'),
  el('details', {class: 'box', open: narrow || window.innerWidth > 900}, el('summary', {}, 'Filters'), el('div', {class: 'row'},
    field('url', 'URL contains', {wide: true}), field('site', 'Site'), field('kind', 'Kind', {size: 10}), field('language', 'Language', {size: 6}),
    field('min_words', 'Words, from', {type: 'number', min: 0}), field('max_words', 'to', {type: 'number', min: 0}),
    field('min_confidence', 'Word F1, from', {type: 'number', min: 0, max: 1, step: 'any'}),
    chosen('survivor', 'Duplicates', filters.survivor, [['', 'all documents'], ['true', 'one of each cluster'], ['false', 'copies only']]),
    path === '#/corpus' ? chosen('sort', 'Order', own.sort, ORDERS) : null,
    el('a', {class: 'middle', href: query(path, own)}, 'Clear'))),
  columnTests(filters, path, own));
}

const SIGNS = {is: '=', min: '≥', max: '≤', above: '>', below: '<'};

/** Tests of columns, which have no fields: each is a link that takes it away. */
function columnTests(filters, path, own) {
  const tests = Object.entries(filters).filter(([name]) => OF_COLUMN.test(name)).flatMap(([name, values]) => [values].flat().map(value => [name, value]));
  const without = (name, value) => ({...own, ...filters, [name]: [filters[name]].flat().filter(other => other !== value)});
  return tests.length ? el('p', {class: 'row tests'}, el('span', {class: 'note'}, 'and:'), tests.map(([name, value]) => {
    const [, test, column] = OF_COLUMN.exec(name);
    const text = `${column} ${SIGNS[test]} ${value === '' ? '""' : value}`;
    return el('a', {class: 'chip', href: query(path, without(name, value)), title: 'Take this filter away'}, text, el('span', {'aria-hidden': 'true'}, ' ×'));
  })) : null;
}

function documentsView(at, filters) {
  const place = el('div', {});
  const list = el('ul', {class: 'results'});
  const head = el('p', {class: 'note'});
  const more = el('p', {});
  const shownOf = el('span', {class: 'note'});
  const sort = at.params.sort;
  const {signal} = reading;
  let shown = 0, total = null, least = 0, isLast = false;

  /** Says how many there are, as far as it is known. */
  function status() {
    const known = total !== null ? count(total) : isLast ? count(shown) : least > shown ? `at least ${count(least)}` : `${count(shown)} and more`;
    head.textContent = shown || !isLast ? `${known} ${known === '1' ? 'document' : 'documents'}` : 'No document matches. Take a filter away, or search for other words.';
    shownOf.textContent = `${count(shown)} of ${known}`;
    return head.textContent;
  }
  async function add(cursor) {
    const answer = await getJson(query('/api/documents', {...filters, sort, cursor, limit: 50}), signal);
    list.append(...answer.documents.map(result));
    shown += answer.documents.length;
    isLast = !answer.next && answer.complete !== false;
    if (answer.total !== null && answer.total !== undefined) total = answer.total;
    fill(more, answer.next ? el('button', {type: 'button', onclick: event => {
      event.target.disabled = true;
      add(answer.next).catch(error => fill(more, failure(error)));
    }}, 'More') : null, ' ', shownOf, answer.complete === false
      ? el('span', {class: 'note'}, answer.next ? '; the time was over: More continues' : '; the time was over: start gleaner serve with a larger --timeout') : null);
    announce(status());
  }
  /** Counts all that match, while the first are read. */
  async function countAll() {
    const answer = await getJson(query('/api/count', filters), signal);
    if (answer.complete) total = answer.count; else least = answer.count;
    announce(status());
  }
  show(place, 'Searching', async () => {
    await add(null);
    // (That it cannot be counted is no fault of the list.)
    if (total === null && !isLast) countAll().catch(() => {});
    return [head, list, more];
  }, () => place.isConnected);
  return [el('h1', {}, `Documents of ${nameOf(session.corpus)}`), filterForm(filters, '#/corpus', {sort}), place];
}

function result(found) {
  const [before, match, after] = found.snippet || [];
  return el('li', {},
    el('h2', {dir: 'auto'}, el('a', {href: `#/corpus/doc/${encodeURIComponent(found.row_id)}`}, found.title || found.url)),
    el('p', {class: 'url'}, found.url),
    found.snippet ? el('p', {dir: 'auto'}, before, el('mark', {}, match), after) : null,
    el('p', {class: 'soft'}, [found.page_kind, found.language, several(found.word_count, 'word'),
      found.confidence === null || found.confidence === undefined ? null : `word F1 ${probability(found.confidence)}`, (found.crawl_date || '').slice(0, 10),
      found.cluster_size > 1 ? `one of ${found.cluster_size} copies` : null].filter(Boolean).join(' · ')));
}

function documentView(at, filters, id) {
  const place = el('div', {});
  const path = `/api/documents/${encodeURIComponent(id)}`;
  show(place, 'Reading the document', async () => {
    const [known, explained, page] = await Promise.all([
      getJson(path), getJson(`${path}/explain`).catch(error => ({failed: error.message})), getJson(`${path}/html`).catch(error => ({html: null, why: error.message})),
    ]);
    const {document: row} = known;
    const blocks = explained.blocks && explained.blocks.length ? explained.blocks : known.blocks || [];
    const cluster = known.duplicates && known.duplicates.cluster !== undefined ? known.duplicates.cluster : null;
    const answer = {...explained, blocks};
    const {text, ...columns} = row;
    const extra = [
      ['columns', 'Columns', () => el('div', {class: 'scroll', tabindex: 0}, keys('Columns of the document', columns))],
      ['signals', 'Signals', () => el('div', {class: 'scroll', tabindex: 0}, keys('Signals', known.signals || {}))],
      ['rights', 'Rights', () => el('div', {class: 'scroll', tabindex: 0}, rightsTable(known.rights))],
    ];
    const given = typeof text === 'string' ? {...answer, text, counted: answer.text} : answer;
    return [
      el('h1', {dir: 'auto'}, row.title || row.url),
      el('p', {class: 'soft'}, row.url),
      cluster !== null && cluster !== undefined ? el('p', {}, el('a', {href: `#/corpus/clusters/${encodeURIComponent(cluster)}`}, `One of ${count(known.duplicates.cluster_size ?? null)} copies: compare them`)) : null,
      page.html === null ? el('p', {class: 'notice'}, page.why || 'The page cannot be read again.') : null,
      explained.failed ? el('p', {class: 'notice'}, explained.failed) : null,
      inspector(merged(given), {html: page.html, url: row.url, body: page.html, type: 'text/html; charset=utf-8', posts: known.posts, extra}, at.params, part => stay(part)),
    ];
  }, () => place.isConnected, 'A document');
  return place;
}

function rightsTable(rights) {
  if (!rights) return el('p', {class: 'note'}, 'Nothing is stated about rights.');
  const {signals, ...all} = rights;
  const rows = Array.isArray(signals) ? signals : [];
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))].filter(name => !['row_id', 'url', 'surt', 'site'].includes(name));
  return [keys('Rights', all), rows.length ? across('Statements', table('Statements', names.map(name => name.replace(/_/g, ' ')), rows.map(row => names.map(name => printed(row[name]))))) : null];
}

/** The text of the table beside the counts that `explain` has of it. */
function merged(answer) {
  const {counted, ...rest} = answer;
  return counted && typeof counted === 'object' ? {...rest, words: counted.words, dropped_words: counted.dropped_words, threshold: counted.threshold, confidence: counted.confidence, text_source: counted.source} : rest;
}

function columnsView(at, filters) {
  const place = el('div', {});
  const column = at.params.column;
  const {signal} = reading;
  show(place, 'Reading the columns', async () => {
    const {columns} = await getJson('/api/columns');
    const chosen = columns.some(each => each.name === column) ? column : (columns.find(each => each.name === 'word_count') || columns[0] || {}).name;
    const select = el('select', {onchange: () => go(query('#/corpus/columns', {...filters, column: select.value}))},
      columns.map(each => el('option', {value: each.name, selected: each.name === chosen}, each.name)));
    const drawing = el('div', {});
    show(drawing, 'Counting', async () => histogram(await getJson(query('/api/histogram', {column: chosen, ...filters}), signal), filters));
    const comment = (columns.find(each => each.name === chosen) || {}).comment;
    return [el('div', {class: 'row'}, el('label', {}, 'Column', select), comment ? el('p', {class: 'note middle'}, inline(comment)) : null), drawing];
  }, () => place.isConnected);
  return [el('h1', {}, 'Columns'), filterForm(filters, '#/corpus/columns', {column}), place];
}

const grouped = number => Number.isInteger(number) ? whole.format(number) : printed(number);

/** The numbers of a bin, as its filters find them. */
function nameOfBin({from, to, filters}) {
  if (from === to) return grouped(from);
  if (from === null) return `below ${grouped(to)}`;
  const has = test => Object.keys(filters).some(name => name.startsWith(test));
  const begin = from === 0 && has('above.') ? 'above 0' : `from ${grouped(from)}`;
  return to === null ? begin : has('below.') ? `${begin}, below ${grouped(to)}` : `${begin} to ${grouped(to)}`;
}

/** A histogram of the documents of some filters. Each bar leads to its documents. */
function histogram(answer, filters) {
  const bar = (name, {count: number, filters: own}) => ({name, count: number, href: number && own ? query('#/corpus', both(filters, own)) : null});
  const bars = answer.bins ? answer.bins.map(bin => bar(nameOfBin(bin), bin))
    : [...answer.values.map(value => bar(printed(value.value) || 'empty', value)), ...(answer.others ? [bar('others', {count: answer.others})] : [])];
  const most = Math.max(1, ...bars.map(each => each.count));
  announce(`${answer.column}: ${several(answer.rows, 'document')}`);
  if (!bars.length) return el('p', {class: 'note'}, 'No document has a value.');
  return [el('p', {class: 'note'}, several(answer.rows, 'document'), answer.missing ? `, ${count(answer.missing)} without a value` : '',
    answer.complete === false ? '; the time was over before all were read' : ''), answer.bins ? upright(answer, bars, most) : lying(bars, most),
    el('details', {open: true}, el('summary', {}, 'Numbers'), table(null, [answer.column, 'documents'],
      bars.map(each => [each.href ? el('a', {href: each.href}, each.name) : each.name, count(each.count)]), {numeric: [1], class: 'short'}))];
}

/** Readers of the screen and the keyboard have the table of numbers: it has the same links. */
const chart = (width, height, ...children) => svg('svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true'}, children);
const linked = (bar, ...children) => svg(bar.href ? 'a' : 'g', {href: bar.href, tabindex: bar.href ? -1 : null}, svg('title', {}, `${bar.name}: ${count(bar.count)}`), children);

/** Bars beside each other, for numbers. */
function upright(answer, bars, most) {
  const [width, height, base] = [600, 200, 170];
  const wide = (width - 60) / bars.length;
  const labels = [...new Set([0, Math.floor(bars.length / 2), bars.length - 1])];
  const tall = bar => (base - 12) * bar.count / most;
  return chart(width, height,
    svg('line', {class: 'axis', x1: 45, x2: width - 10, y1: base, y2: base}),
    svg('text', {x: 40, y: 20, 'text-anchor': 'end'}, count(most)), svg('text', {x: 40, y: base, 'text-anchor': 'end'}, '0'),
    bars.map((bar, at) => linked(bar,
      svg('rect', {class: 'whole', x: 48 + at * wide, width: wide, y: 12, height: base - 12}),
      svg('rect', {class: 'b', x: 48 + at * wide, width: Math.max(0.5, wide - 1.5), y: base - tall(bar), height: tall(bar)}))),
    labels.map(at => svg('text', {x: 48 + (at + 0.5) * wide, y: base + 18, 'text-anchor': at === 0 ? 'start' : at === bars.length - 1 ? 'end' : 'middle'},
      answer.bins[at].from === null ? bars[at].name : grouped(answer.bins[at].from))));
}

/** Bars one below the other, for names. */
function lying(bars, most) {
  const some = bars.slice(0, 30);
  return chart(600, some.length * 20 + 10, some.map((bar, at) => linked(bar,
    svg('rect', {class: 'whole', x: 0, y: at * 20 + 5, height: 19, width: 600}),
    svg('text', {x: 170, y: at * 20 + 18, 'text-anchor': 'end'}, cut(bar.name, 22)),
    svg('rect', {class: 'b', x: 180, y: at * 20 + 8, height: 13, width: Math.max(1, 350 * bar.count / most)}),
    svg('text', {x: 186 + 350 * bar.count / most, y: at * 20 + 18}, count(bar.count)))));
}

function rejectsView(at) {
  const place = el('div', {});
  const {reason} = at.params;
  const body = el('tbody', {});
  const more = el('p', {});
  async function add(cursor) {
    const answer = await getJson(query('/api/rejects', {reason, cursor, limit: 100}));
    body.append(...answer.rejects.map(each => el('tr', {}, el('th', {scope: 'row'}, each.url || each.record_id || '?'), el('td', {}, each.stage), el('td', {}, each.reason), el('td', {dir: 'auto'}, each.detail || ''),
      el('td', {class: 'soft'}, `${each.warc_file}, ${each.warc_offset}`))));
    fill(more, answer.next ? el('button', {type: 'button', onclick: () => add(answer.next).catch(error => fill(more, failure(error)))}, 'More') : null);
    return answer;
  }
  show(place, 'Reading the rejects', async () => {
    const answer = await add(null);
    const sum = answer.reasons.reduce((all, each) => all + each.count, 0);
    announce(several(sum, 'reject'));
    if (!sum) return el('p', {class: 'note'}, 'Every record became a document.');
    return [
      table('Rejects by reason', ['reason', 'records'], answer.reasons.map(each => [el('a', {href: query('#/corpus/rejects', {reason: each.reason}), 'aria-current': each.reason === reason ? 'true' : null}, each.reason), count(each.count)]), {numeric: [1], class: 'short'}),
      reason ? el('p', {}, el('a', {href: '#/corpus/rejects'}, 'All reasons')) : null,
      across('Rejects', el('table', {}, el('caption', {}, reason ? `Rejects: ${reason}` : 'Rejects'), el('thead', {}, el('tr', {}, ['URL or record', 'stage', 'reason', 'detail', 'archive and place'].map(head => el('th', {scope: 'col'}, head)))), body)), more,
    ];
  }, () => place.isConnected);
  return [el('h1', {}, 'Rejects'), place];
}

function clustersView() {
  const place = el('div', {});
  const body = el('tbody', {});
  const more = el('p', {});
  async function add(cursor) {
    const answer = await getJson(query('/api/clusters', {cursor, limit: 100}));
    body.append(...answer.clusters.map(each => el('tr', {}, el('th', {scope: 'row', dir: 'auto'},
      el('a', {href: `#/corpus/clusters/${encodeURIComponent(each.cluster)}`}, each.title || each.url), el('div', {class: 'soft'}, each.url)), el('td', {class: 'n'}, count(each.size)))));
    fill(more, answer.next ? el('button', {type: 'button', onclick: () => add(answer.next).catch(error => fill(more, failure(error)))}, 'More') : null);
    announce(`${body.childElementCount} clusters`);
  }
  show(place, 'Reading the clusters', async () => {
    await add(null);
    if (!body.childElementCount) return el('p', {class: 'note'}, 'No two documents have nearly the same text.');
    return [el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'survivor'), el('th', {scope: 'col', class: 'n'}, 'documents'))), body), more];
  }, () => place.isConnected);
  return [el('h1', {}, 'Clusters of near duplicates'), place];
}

function clusterView(at, filters, id) {
  const place = el('div', {});
  let cards = [];
  show(place, 'Comparing the members', async () => {
    const {members, size, next} = await getJson(`/api/clusters/${encodeURIComponent(id)}`);
    const survivor = members.find(each => each.survivor) || members[0];
    cards = members.map(each => member(each, members));
    announce(several(members.length, 'document'));
    return [
      el('h1', {dir: 'auto'}, `Copies of ${survivor.title || survivor.url}`),
      next ? el('p', {class: 'note'}, `The first ${count(members.length)} of ${count(size)} documents are shown.`) : null,
      el('p', {class: 'note'}, `Each is compared with the survivor, ${survivor.url}`),
      el('div', {class: 'sides'}, cards.map(card => card.node)),
    ];
  }, () => place.isConnected, 'A cluster').then(() => cards.forEach(card => card.begin()));
  return place;
}

/** A document of a cluster, and what shows its first difference once it is on the page. */
function member(each, members) {
  const name = each.title || each.url;
  const differences = each.diff ? new Differences(each.diff, `Differences of ${name}`) : null;
  const facts = [each.survivor ? 'survivor' : 'copy', each.similarity === null || each.similarity === undefined ? null : `similarity ${probability(each.similarity)}`,
    several(each.words, 'word'), differences && differences.all.length ? several(differences.all.length, 'difference') : null];
  const node = el('article', {class: 'card', 'aria-label': name},
    el('h2', {dir: 'auto'}, el('a', {href: `#/corpus/doc/${encodeURIComponent(each.row_id)}`}, name)),
    el('p', {class: 'soft'}, each.url),
    el('p', {class: 'soft'}, facts.filter(Boolean).join(' · ')),
    each.survivor ? survivorText(members) : !differences ? el('p', {class: 'note'}, 'too long to be compared here')
      : differences.all.length ? differences.node : el('p', {class: 'note'}, 'the same text'));
  return {node, begin: () => differences && differences.begin()};
}

/** The text of the survivor, as it is in any comparison with it. */
function survivorText(members) {
  const compared = members.find(other => other.diff);
  return compared ? el('div', {class: 'differences', dir: 'auto', tabindex: 0, role: 'region', 'aria-label': 'Text of the survivor'},
    compared.diff.filter(part => part.op !== 'only_here').map(part => part.text).join('')) : null;
}

/** Characters that both texts have: of longer parts the ends are shown. */
const LONG_EQUAL = 600;
const END = 200;

/** Two texts as one, with what only one of them has, and the way from difference to difference. */
class Differences {
  constructor(parts, label) {
    this.at = 0;
    this.box = el('div', {class: 'differences', dir: 'auto', tabindex: 0, role: 'region', 'aria-label': label, 'aria-keyshortcuts': 'n p', onkeydown: event => {
      const step = {n: 1, p: -1}[event.key];
      if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.step(step);
    }});
    // What stands side by side is one difference; one of white space is shown, but not counted.
    this.all = this.fillBox(parts).filter(change => change.textContent.trim());
    this.where = el('span', {class: 'note'});
    const button = (text, key, step) => el('button', {type: 'button', onclick: () => this.step(step)}, text, ' ', el('kbd', {'aria-hidden': 'true'}, key));
    this.node = el('div', {},
      el('p', {class: 'row'}, button('Previous difference', 'p', -1), button('Next difference', 'n', 1), this.where,
        el('span', {class: 'note'}, el('ins', {}, 'only here'), ' ', el('del', {}, 'only in the survivor'))),
      this.box);
  }

  /** Fills the box, and gives the nodes of all differences. */
  fillBox(parts) {
    const changes = [];
    let change = null;
    for (const {op, text} of parts) {
      const isSame = op === 'same';
      if (isSame && !(change && !text.trim())) {
        change = null;
        this.box.append(...this.equal(text));
        continue;
      }
      if (!change) {
        change = el('span', {class: 'change'});
        changes.push(change);
        this.box.append(change);
      }
      change.append(isSame ? text : el(op === 'only_here' ? 'ins' : 'del', {}, text));
    }
    return changes;
  }

  /** A part that both texts have. */
  equal(text) {
    if (text.length <= LONG_EQUAL) return [text];
    // (Not within a pair of surrogates.)
    const [from, to] = [END, text.length - END].map(at => text.charCodeAt(at) >> 10 === 0x37 ? at + 1 : at);
    const button = el('button', {type: 'button', class: 'fold', onclick: () => {
      button.replaceWith(text.slice(from, to));
      this.box.focus({preventScroll: true});
    }}, `show ${count(to - from)} characters`);
    return [text.slice(0, from), button, text.slice(to)];
  }

  step(by) {
    this.go((this.at + by + this.all.length) % this.all.length);
    announce(this.where.textContent);
  }

  begin() {
    if (this.all.length) this.go(0);
  }

  /** Shows a difference: the box scrolls, never the window. */
  go(at) {
    this.all[this.at].classList.remove('at');
    this.at = at;
    this.all[at].classList.add('at');
    this.where.textContent = `${count(at + 1)} of ${count(this.all.length)}`;
    this.box.scrollTop += this.all[at].getBoundingClientRect().top - this.box.getBoundingClientRect().top - this.box.clientHeight / 3;
  }
}

// ---------------------------------------------------------------- 11 routes

let session = {version: '', model: '', corpus: null, pages: null, annotations: null, limits: {body_bytes: Infinity}};

/** The address after the #: path and parameters. */
function here() {
  const [path, rest] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return {path: path.split('/').map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }), params: partsOf(rest || '')};
}
function go(address) {
  if (location.hash === address) draw();
  else location.hash = address;
}

/** Changes parameters of the address, without another view. */
function stay(parts) {
  const [path, rest] = (location.hash || '#/page').split(/\?(.*)/s);
  history.replaceState(null, '', query(path, {...partsOf(rest || ''), ...parts}));
}

const VIEWS = {page: ['Page', pageView], label: ['Label', labelView], corpus: ['Corpus', corpusView]};

function draw() {
  reading.abort();
  reading = new AbortController();
  const at = here();
  const offered = {page: true, label: session.pages !== null && session.pages !== undefined, corpus: !!session.corpus};
  const home = offered.corpus ? 'corpus' : offered.label ? 'label' : 'page';
  const name = at.path[0] === '' ? home : at.path[0];
  if (at.path[0] === '') at.path = [name];
  fill(document.getElementById('views'), Object.entries(VIEWS).filter(([view]) => offered[view]).map(([view, [text]]) =>
    el('li', {}, el('a', {href: `#/${view}`, 'aria-current': view === name ? 'page' : null}, text))));
  const view = VIEWS[name];
  if (!view) fill(main, el('h1', {}, 'Nothing is here'), failure(new Error(`there is no view ${name}: choose one above`)));
  else if (!offered[name]) {
    fill(main, el('h1', {}, view[0]), failure(new Error(name === 'label' ? 'no pages to label were given: start gleaner serve with files, or a folder of them' : 'no corpus was given: start gleaner serve with its folder')));
  } else fill(main, view[1](at));
  entitle();
}

document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});
window.addEventListener('beforeunload', event => {
  if (hasUnsaved()) event.preventDefault();
});
window.addEventListener('hashchange', () => {
  for (const open of document.querySelectorAll('dialog')) open.remove();
  draw();
  window.scrollTo(0, 0);
});

(async () => {
  pasted.restore();
  try {
    session = await getJson('/api/session');
    document.getElementById('about').textContent = [session.corpus ? `${nameOf(session.corpus)}: ${several(session.corpus.documents, 'document')}` : null,
      session.pages ? several(session.pages, 'page') : null, session.model ? `model ${session.model}` : null, session.version].filter(Boolean).join(' · ');
  } catch (error) {
    fill(main, failure(error));
    return;
  }
  draw();
})();

})();
