// Runs in each frame before the scripts of the page: what depends on the machine, on chance or on frames of a screen becomes the
// same each time, and what leads out of the page does nothing.
(() => {
  "use strict";
  // Names of a page may shadow these later.
  const { setTimeout, clearTimeout, performance, Date, Element } = window;

  // Whole milliseconds of the virtual clock, from the beginning of the page.
  const begin = Date.now();
  Performance.prototype.now = () => Date.now() - begin;

  // Numbers that look random: the same for each frame of each page (xorshift, 32 bits).
  let state = 0x9e3779b9;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  Math.random = () => next() / 4294967296;
  const fill = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = next() >>> 24;
    return array;
  };
  const hex = (length) => {
    let text = "";
    while (text.length < length) text += (next() >>> 28).toString(16);
    return text;
  };
  Crypto.prototype.getRandomValues = fill;
  if (Crypto.prototype.randomUUID) {
    Crypto.prototype.randomUUID = () =>
      `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  }

  // Frames come by the virtual clock, 60 in a second. (An answer takes 10 ms of it: what comes by itself here comes later.)
  window.requestAnimationFrame = (call) => setTimeout(() => call(performance.now()), 16);
  window.cancelAnimationFrame = (id) => clearTimeout(id);
  window.requestIdleCallback = (call) =>
    setTimeout(() => call({ didTimeout: false, timeRemaining: () => 50 }), 1);
  window.cancelIdleCallback = (id) => clearTimeout(id);

  // Everything is in view as soon as it is watched: what is drawn when a reader scrolls to it is drawn.
  const observer = (entry) =>
    class {
      #call;
      #watched = new Map();
      constructor(call, options = {}) {
        this.#call = call;
        this.root = options?.root ?? null;
        this.rootMargin = "0px";
        this.thresholds = [0];
      }
      observe(target) {
        if (!(target instanceof Element) || this.#watched.has(target)) return;
        const report = () => this.#call([entry(target)], this);
        this.#watched.set(target, setTimeout(report, 20));
      }
      unobserve(target) {
        clearTimeout(this.#watched.get(target));
        this.#watched.delete(target);
      }
      disconnect() {
        for (const id of this.#watched.values()) clearTimeout(id);
        this.#watched.clear();
      }
      takeRecords() {
        return [];
      }
    };
  window.IntersectionObserver = observer((target) => {
    const box = target.getBoundingClientRect();
    return {
      target,
      isIntersecting: true,
      intersectionRatio: 1,
      time: performance.now(),
      boundingClientRect: box,
      intersectionRect: box,
      rootBounds: null,
    };
  });
  window.ResizeObserver = observer((target) => {
    const contentRect = target.getBoundingClientRect();
    const size = [{ inlineSize: contentRect.width, blockSize: contentRect.height }];
    return {
      target,
      contentRect,
      borderBoxSize: size,
      contentBoxSize: size,
      devicePixelContentBoxSize: size,
    };
  });

  // No windows, no questions.
  window.open = () => null;
  window.alert = () => undefined;
  window.confirm = () => false;
  window.prompt = () => null;
  window.print = () => undefined;

  // Connections that no archive has.
  window.WebSocket = class extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    static CLOSING = 2;
    static CLOSED = 3;
    constructor(url) {
      super();
      Object.assign(this, { url: String(url), readyState: 0, protocol: "", extensions: "" });
      setTimeout(() => {
        this.readyState = 3;
        for (const type of ["error", "close"]) {
          const event = new Event(type);
          if (type === "close") Object.assign(event, { code: 1006, reason: "", wasClean: false });
          this.dispatchEvent(event);
          this[`on${type}`]?.(event);
        }
      }, 20);
    }
    send() {}
    close() {}
  };
  Navigator.prototype.sendBeacon = () => true;
  delete Navigator.prototype.serviceWorker;
  for (const name of [
    "RTCPeerConnection",
    "webkitRTCPeerConnection",
    "WebTransport",
    "WebSocketStream",
    "SharedWorker",
  ]) {
    delete window[name];
  }
})();
