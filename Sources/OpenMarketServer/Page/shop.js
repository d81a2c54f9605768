// The shop in a browser: an example of a client. It reads the public API and nothing else.

const TEXTS = {
  en: {
    shop: "Shop", skip: "Skip to the products", search: "Search the shop", catalog: "Catalog",
    layout: "Layout", grid: "Grid", list: "List", language: "한국어", languageLabel: "한국어로 보기",
    footer: "This page reads the public API of this server and writes nothing.", close: "Close",
    product: "Product", pictures: "Pictures", previous: "Previous picture", next: "Next picture", soldOut: "Sold out",
    stock: (n) => `${n} in stock`, sale: "Sale price", was: "Price before the sale", noPicture: "No picture",
    brokenPicture: "The picture cannot be shown", retry: "Try again", loading: "Loading…", empty: "This shop has no products yet.",
    failed: "The server does not answer.", refused: (status) => `The server answers with status ${status}.`,
    strange: "The server's answer cannot be read.", gone: "This product is not here any more.",
    all: (n) => (n === 1 ? "1 product" : `${format(n)} products`),
    some: (n, total) => (total === null ? `${format(n)} products loaded` : `${format(n)} of ${format(total)} products loaded`),
    found: (n, of) => (n === 1 ? `1 of ${format(of)} products matches` : `${format(n)} of ${format(of)} products match`),
    nothingFound: "No product matches.", vendor: "Vendor", made: "Listed on",
    changed: "Last changed on", id: "Product number", untitled: "Product without a name", noPrice: "No price",
  },
  ko: {
    shop: "상점", skip: "상품 목록으로 건너뛰기", search: "상점에서 검색", catalog: "카탈로그", layout: "보기 방식",
    grid: "격자형", list: "목록형", language: "English", languageLabel: "View in English",
    footer: "이 페이지는 이 서버의 공개 API를 읽기만 하며, 아무것도 바꾸지 않습니다.", close: "닫기", product: "상품", pictures: "상품 이미지",
    previous: "이전 이미지", next: "다음 이미지", soldOut: "품절", stock: (n) => `재고 ${n}개`, sale: "할인가", was: "판매가",
    noPicture: "이미지 없음", brokenPicture: "이미지를 표시할 수 없습니다", retry: "다시 시도",
    loading: "불러오는 중…",
    empty: "아직 등록된 상품이 없습니다.", failed: "서버가 응답하지 않습니다.",
    refused: (status) => `서버에서 오류가 발생했습니다. (상태 코드 ${status})`, strange: "서버의 응답을 읽을 수 없습니다.",
    gone: "더 이상 판매하지 않는 상품입니다.", all: (n) => `상품 ${format(n)}개`,
    some: (n, total) => (total === null ? `상품 ${format(n)}개를 불러옴` : `상품 ${format(total)}개 중 ${format(n)}개를 불러옴`),
    found: (n, of) => `상품 ${format(of)}개 중 ${format(n)}개가 일치`,
    nothingFound: "일치하는 상품이 없습니다.", vendor: "판매자", made: "등록일", changed: "최근 수정일", id: "상품 번호",
    untitled: "이름 없는 상품", noPrice: "가격 없음",
  },
};

// How each generation of the API lists products and shows one, and what its members mean.
const PAGE_SIZE = 50;
const CATALOGS = {
  v2: {
    page: (number) => `api/products?page_no=${number}&items_per_page=${PAGE_SIZE}`,
    detail: (id) => `api/products/${id}`,
    rows: (reply) => reply.pages,
    total: (reply) => reply.totalCount ?? reply.total_count ?? null,
    hasNext: (reply) => reply.hasNext ?? reply.has_next ?? true,
    product: (row) => ({
      id: row.id, name: row.name, description: row.description, currency: row.currency, price: row.price,
      // The amount off; what is left is bargain_price.
      salePrice: Number(row.discounted_price) > 0 ? row.bargain_price : null,
      stock: row.stock, thumbnail: row.thumbnail, vendor: row.vendors?.name ?? row.vendorName ?? null,
      pictures: row.images?.map((image) => image.url), made: day(row.created_at), changed: day(row.issued_at),
    }),
  },
  v1: {
    page: (number) => `items/${number}`,
    detail: (id) => `item/${id}`,
    rows: (reply) => reply.items,
    total: () => null,
    hasNext: () => true,
    product: (row) => ({
      id: row.id, name: row.title, description: row.descriptions, currency: row.currency, price: row.price,
      // The price after the discount; absent without one.
      salePrice: row.discounted_price ?? null,
      stock: row.stock, thumbnail: row.thumbnails?.[0], vendor: null, pictures: row.images,
      made: typeof row.registration_date === "number" ? new Date(row.registration_date * 1000) : null, changed: null,
    }),
  },
};
const MONEY = new Set(["price", "bargain_price", "discounted_price"]);
const PATIENCE = 15000;

const byId = (id) => document.getElementById(id);
const [list, more, message, retry, count, search, dialog] =
  ["products", "more", "message", "retry", "count", "search", "product"].map(byId);
const remembered = {
  get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* private windows keep nothing */ } },
};

let language = TEXTS[remembered.get("language")] ? remembered.get("language") : navigator.language.startsWith("ko") ? "ko" : "en";
let layout = remembered.get("layout") === "list" ? "list" : "grid";
const text = () => TEXTS[language];
const format = (number) => new Intl.NumberFormat(language).format(number);

/** A day of the API, which has no time and no zone. */
function day(value) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(value ?? "");
  return parts ? new Date(Date.UTC(parts[1], parts[2] - 1, parts[3])) : null;
}

/** Prices keep the digits they came with, where the browser gives them: 18 digits are more than a number holds. */
const parse = (body) =>
  JSON.parse(body, (key, value, context) =>
    typeof value === "number" && MONEY.has(key) ? (context?.source ?? String(value)) : value);

function money(amount, currency) {
  if (amount === null || amount === undefined) return text().noPrice;
  const options = { maximumFractionDigits: 20 };
  try {
    // Narrow, for a price in won is ₩ in both languages.
    return new Intl.NumberFormat(language, { ...options, style: "currency", currency, currencyDisplay: "narrowSymbol" }).format(amount);
  } catch {
    return `${new Intl.NumberFormat(language, options).format(amount)} ${currency ?? ""}`.trim();
  }
}

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function hiddenText(words) {
  return element("span", "hidden", words + " ");
}

/** The price as a person reads it: the old one struck out beside that of a sale. */
function priceOf(product) {
  if (product.salePrice === null || product.salePrice === undefined) return [money(product.price, product.currency)];
  return [
    element("s", "", hiddenText(text().was), money(product.price, product.currency)), " ",
    element("span", "sale", hiddenText(text().sale), money(product.salePrice, product.currency)),
  ];
}

function stockOf(product) {
  if (typeof product.stock !== "number") return "";
  return product.stock > 0 ? text().stock(format(product.stock)) : text().soldOut;
}

class Failure extends Error {
  constructor(words, status = 0) { super(words()); this.words = words; this.status = status; }
}

/** The reply to a GET of the API; `null` where there is none, as past the last page. */
async function read(path) {
  let response, body;
  try {
    response = await fetch(path, { signal: AbortSignal.timeout(PATIENCE), headers: { accept: "application/json" } });
    body = await response.text();
  } catch { throw new Failure(() => text().failed); }
  if (response.status === 204) return null;
  if (!response.ok) throw new Failure(() => text().refused(response.status), response.status);
  try { return parse(body); } catch { throw new Failure(() => text().strange); }
}

// MARK: The catalog

let catalog = null;

function start(generation) {
  catalog = { generation, api: CATALOGS[generation], products: [], ids: new Set(), next: 1, total: null, done: false, loading: false, failure: null };
  shown.clear();
  list.replaceChildren();
  if (scrollY > 0) scrollTo(0, 0);
  filter.place = 0;
  filter();
  load();
}

async function load() {
  const own = catalog;
  if (own.loading || own.done) return;
  own.loading = true;
  own.failure = null;
  status();
  try {
    const reply = await read(own.api.page(own.next));
    const rows = reply === null ? [] : own.api.rows(reply);
    if (!Array.isArray(rows)) throw new Failure(() => text().strange);
    for (const row of rows) {
      // A product that is added in front moves the others on by one: what comes again is left out.
      if (typeof row?.id !== "number" || own.ids.has(row.id)) continue;
      own.ids.add(row.id);
      own.products.push(own.api.product(row));
    }
    if (reply !== null) own.total = own.api.total(reply) ?? own.total;
    own.next += 1;
    own.done = rows.length === 0 || !own.api.hasNext(reply);
  } catch (failure) {
    own.failure = failure instanceof Failure ? failure : new Failure(() => text().strange);
  }
  own.loading = false;
  if (own === catalog) filter();
}

// MARK: What is on the screen

/** The products that the search leaves, and the items of the list by their place among them. */
let found = [];
const shown = new Map();

function filter() {
  const wanted = search.value.trim().toLocaleLowerCase().normalize("NFC");
  const fits = (product) =>
    [product.name, product.description, product.vendor, String(product.id)].some((value) =>
      (value ?? "").toLocaleLowerCase().normalize("NFC").includes(wanted));
  found = wanted === "" ? catalog.products : catalog.products.filter(fits);
  if (filter.last !== wanted) {
    shown.forEach((item) => item.remove());
    shown.clear();
  }
  const isOther = filter.last !== wanted;
  if (isOther && filter.last === "") filter.place = scrollY;
  filter.last = wanted;
  status();
  draw();
  // The matches are seen from the first one, and without a search one is where one was.
  if (isOther) scrollTo(0, wanted === "" ? filter.place : 0);
}
filter.last = "";
filter.place = 0;

function status() {
  const { products, total, done, loading, failure } = catalog;
  const searching = filter.last !== "";
  const words = text();
  count.textContent = searching ? words.found(found.length, products.length)
    : products.length === 0 ? ""
    : done ? words.all(products.length) : words.some(products.length, total === null ? null : Math.max(total, products.length));
  more.classList.toggle("alone", found.length === 0);
  message.textContent = failure ? failure.words()
    : loading ? words.loading
    : products.length === 0 ? words.empty
    : searching && found.length === 0 ? words.nothingFound : "";
  const isEmpty = done && products.length === 0;
  retry.hidden = !(failure || isEmpty);
  retry.textContent = words.retry;
  list.hidden = found.length === 0;
}

/** Where the items are: the list holds those near the screen only, however many products there are. */
function geometry() {
  const width = list.clientWidth;
  // Two lines of a name, two of a price where there is little room, one of the stock.
  if (layout === "list") return { columns: 1, width, height: width < 480 ? 140 : 116 };
  const columns = Math.max(2, Math.floor(width / 210));
  return { columns, width: width / columns, height: Math.floor(width / columns) + 130 };
}

function draw() {
  list.className = layout;
  const { columns, width, height } = geometry();
  list.style.height = `${Math.ceil(found.length / columns) * height}px`;
  if (found.length > 0) {
    const top = scrollY - list.offsetTop;
    const first = Math.max(0, Math.floor(top / height) - 2) * columns;
    const last = Math.min(found.length, (Math.ceil((top + innerHeight) / height) + 2) * columns);
    for (const [place, item] of shown) {
      // What has the focus stays, or the keyboard would lose its place.
      if ((place < first || place >= last) && !item.contains(document.activeElement)) {
        item.remove();
        shown.delete(place);
      }
    }
    let before = null;
    for (let place = last - 1; place >= first; place -= 1) {
      let item = shown.get(place);
      if (!item) {
        item = card(found[place], place);
        shown.set(place, item);
        list.insertBefore(item, before);
      }
      before = item;
      item.style.width = `${width}px`;
      item.style.height = `${height}px`;
      item.style.transform = `translate(${(place % columns) * width}px, ${Math.floor(place / columns) * height}px)`;
    }
  }
  const isNearEnd = list.hidden || list.offsetTop + list.offsetHeight < scrollY + 2.5 * innerHeight;
  // A search covers the whole shop.
  if ((isNearEnd || filter.last !== "") && !catalog.failure) load();
}

function card(product, place) {
  const picture = element("div", "picture");
  show(picture, product.thumbnail, "");
  const link = element("a", "card", picture, element("div", "about",
    element("span", "name", product.name || text().untitled),
    element("span", "price", ...priceOf(product)),
    element("span", product.stock === 0 ? "stock sold-out" : "stock", stockOf(product))));
  link.href = `#${catalog.generation}/${product.id}`;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // The entry is marked as the page's own: closing the product goes back from it.
    history.pushState({ opened: true }, "", link.href);
    follow();
  });
  const item = element("li", "", link);
  item.setAttribute("aria-setsize", catalog.done || filter.last !== "" ? found.length : -1);
  item.setAttribute("aria-posinset", place + 1);
  return item;
}

/** Shows a picture at a position, or what is there instead. */
function show(place, address, description) {
  if (!address) { place.append(text().noPicture); return; }
  const image = element("img");
  image.alt = description;
  image.decoding = "async";
  image.addEventListener("error", () => place.replaceChildren(element("span", "", text().brokenPicture)));
  image.src = address;
  place.append(image);
}

let isDrawing = false;
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => { isDrawing = false; draw(); });
}

// MARK: One product

let product = null;

async function openProduct(generation, id) {
  const opened = { generation, id };
  product = opened;
  byId("product-content").hidden = true;
  byId("product-retry").hidden = true;
  byId("product-message").textContent = text().loading;
  if (!dialog.open) dialog.showModal();
  try {
    const reply = await read(CATALOGS[generation].detail(id));
    if (product !== opened) return;
    if (typeof reply?.id !== "number") throw new Failure(() => text().strange);
    opened.value = CATALOGS[generation].product(reply);
    drawProduct();
  } catch (failure) {
    if (product !== opened) return;
    opened.failure = failure instanceof Failure ? failure : new Failure(() => text().strange);
    drawProduct();
  }
}

function drawProduct() {
  if (!product) return;
  const { value, failure } = product;
  const words = text();
  byId("product-content").hidden = !value;
  byId("product-retry").hidden = !failure || failure.status === 404;
  byId("product-message").textContent = value ? "" : !failure ? words.loading : failure.status === 404 ? words.gone : failure.words();
  if (!value) return;
  byId("product-name").textContent = value.name || words.untitled;
  byId("product-price").replaceChildren(...priceOf(value));
  byId("product-stock").textContent = stockOf(value);
  byId("product-description").textContent = value.description ?? "";
  const date = (moment) => moment && new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(moment);
  byId("product-details").replaceChildren(...[
    [words.vendor, value.vendor], [words.made, date(value.made)], [words.changed, date(value.changed)], [words.id, value.id],
  ].filter(([, fact]) => fact !== null && fact !== undefined && fact !== "").map(([term, fact]) =>
    element("div", "", element("dt", "", term), element("dd", "", String(fact)))));
  const addresses = value.pictures?.length ? value.pictures : [null];
  byId("gallery").setAttribute("aria-label", words.pictures);
  byId("pictures").setAttribute("aria-label", words.pictures);
  byId("pictures").replaceChildren(...addresses.map((address, place) => {
    const item = element("li");
    show(item, address, `${value.name ?? ""} ${place + 1}/${addresses.length}`);
    return item;
  }));
  target = null;
  byId("pictures").scrollTo({ left: 0, behavior: "instant" });
  turned();
}

/** The picture that is scrolled to; `null` where none is, or a person scrolls. */
let target = null;

function pictureNumber() {
  const pictures = byId("pictures");
  return Math.round(pictures.scrollLeft / Math.max(1, pictures.clientWidth));
}

function turn(by) {
  const pictures = byId("pictures");
  // The next press comes before the last one's scrolling ends.
  target = Math.min(Math.max((target ?? pictureNumber()) + by, 0), pictures.children.length - 1);
  pictures.scrollTo({ left: target * pictures.clientWidth });
}

function turned() {
  const [number, all] = [pictureNumber(), byId("pictures").children.length];
  if (number === target && Math.abs(byId("pictures").scrollLeft - number * byId("pictures").clientWidth) < 1) target = null;
  byId("position").textContent = all > 1 ? `${number + 1} / ${all}` : "";
  byId("previous").disabled = number === 0;
  byId("next").disabled = number >= all - 1;
  byId("previous").hidden = byId("next").hidden = all < 2;
}

/** The address says which product is open, so that a link leads to it and "back" closes it. */
function follow() {
  const parts = /^#(v[12])\/(\d+)$/.exec(location.hash);
  if (parts && generations.includes(parts[1])) {
    openProduct(parts[1], parts[2]);
  } else if (dialog.open) {
    dialog.close();
  }
}

dialog.addEventListener("close", () => {
  product = null;
  if (!/^#v[12]\//.test(location.hash)) return;
  // One that a link led to has nothing of this page before it.
  if (history.state?.opened) history.back();
  else history.replaceState(null, "", location.pathname + location.search);
});
byId("close").addEventListener("click", () => dialog.close());
addEventListener("hashchange", follow);
byId("product-retry").addEventListener("click", () => openProduct(product.generation, product.id));
byId("pictures").addEventListener("scroll", turned);
for (const hand of ["pointerdown", "wheel", "touchstart", "scrollend"]) {
  byId("pictures").addEventListener(hand, () => { target = null; }, { passive: true });
}
byId("previous").addEventListener("click", () => turn(-1));
byId("next").addEventListener("click", () => turn(1));
dialog.addEventListener("keydown", (event) => {
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    turn(event.key === "ArrowLeft" ? -1 : 1);
  }
});

// MARK: Choices

function translate() {
  document.documentElement.lang = language;
  document.title = `${text().shop} – ${location.host}`;
  for (const place of document.querySelectorAll("[data-text]")) place.textContent = text()[place.dataset.text];
  search.placeholder = text().search;
  const other = byId("language");
  other.textContent = text().language;
  other.setAttribute("aria-label", text().languageLabel);
  other.lang = language === "ko" ? "en" : "ko";
}

byId("language").addEventListener("click", () => {
  language = language === "ko" ? "en" : "ko";
  remembered.set("language", language);
  redraw();
});

function redraw() {
  translate();
  shown.forEach((item) => item.remove());
  shown.clear();
  status();
  draw();
  drawProduct();
}

for (const choice of document.querySelectorAll("input[name=layout]")) {
  choice.checked = choice.value === layout;
  choice.addEventListener("change", () => {
    // What was at the top stays there.
    const before = geometry();
    const place = Math.max(0, Math.floor((scrollY - list.offsetTop) / before.height)) * before.columns;
    layout = choice.value;
    remembered.set("layout", layout);
    draw();
    const after = geometry();
    if (place > 0) scrollTo(0, list.offsetTop + Math.floor(place / after.columns) * after.height);
  });
}

search.addEventListener("input", () => filter());
retry.addEventListener("click", () => {
  if (catalog.done && catalog.products.length === 0) start(catalog.generation);
  else load();
});
// What has the focus is not to be behind the header, whose height depends on how it wraps.
new ResizeObserver(([{ target: header }]) => {
  document.documentElement.style.setProperty("--header", `${header.offsetHeight}px`);
}).observe(document.querySelector("header"));
addEventListener("scroll", drawSoon, { passive: true });
addEventListener("resize", drawSoon);

// The server says which generations it serves.
const generations = document.querySelector("meta[name=generations]").content.split(" ");
const choice = byId("catalog");
byId("catalog-choice").hidden = generations.length < 2;
choice.append(...generations.map((generation) => new Option(generation, generation)));
choice.addEventListener("change", () => start(choice.value));
translate();
start(generations[0]);
follow();
