/// The page's script: search, filters, order.
///
/// It makes no markup from text and asks for nothing.
enum PageScript {
    static let text = #"""

        "use strict";
        (() => {
          const tools = document.querySelector("form.tools");
          const list = document.querySelector(".list");
          if (!tools || !list) return;
          const search = tools.querySelector("input[type=search]");
          const sort = tools.querySelector("select");
          const shown = tools.querySelector("output");
          const boxes = [...tools.querySelectorAll("input[type=checkbox]")];
          const items = [...list.children].map((element, place) => ({ element, place }));
          let isRead = false;

          // What is searched and sorted by is read when somebody asks for it: the page shows before.
          const read = () => {
            if (isRead) return;
            isRead = true;
            for (const item of items) {
              const data = item.element.dataset;
              item.kinds = data.kinds.split(" ");
              item.index = Number(data.index);
              item.move = data.move === undefined ? null : Number(data.move);
              item.text = item.element.textContent.normalize("NFC").toLowerCase();
              item.name = item.element.firstElementChild.lastElementChild.textContent;
            }
          };

          const filter = () => {
            read();
            const words = search.value.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
            const kinds = boxes.filter((box) => box.checked).map((box) => box.value);
            let count = 0;
            for (const item of items) {
              const fits = (kinds.length === 0 || kinds.some((kind) => item.kinds.includes(kind)))
                && words.every((word) => item.text.includes(word));
              if (item.element.hidden === fits) item.element.hidden = !fits;
              if (fits) count += 1;
            }
            shown.textContent = count === items.length ? "" : `${count} of ${items.length} shown`;
          };

          const names = new Intl.Collator();
          const orders = {
            risk: (a, b) => a.place - b.place,
            plan: (a, b) => a.index - b.index,
            name: (a, b) => names.compare(a.name, b.name),
            size: (a, b) => Math.abs(b.move ?? 0) - Math.abs(a.move ?? 0),
            fall: (a, b) => (a.move ?? 0) - (b.move ?? 0),
            rise: (a, b) => (b.move ?? 0) - (a.move ?? 0),
          };

          const order = () => {
            read();
            const compare = orders[sort.value] ?? orders.risk;
            const sorted = [...items].sort((a, b) => compare(a, b) || a.place - b.place);
            const elements = sorted.map((item) => item.element);
            // All out, then in by thousands: one by one, browsers lay the list out for each.
            list.replaceChildren();
            for (let at = 0; at < elements.length; at += 10000) list.append(...elements.slice(at, at + 10000));
          };

          // Two pictures side by side, or one over the other with an edge that is moved.
          const button = (text, press) => {
            const element = document.createElement("button");
            element.type = "button";
            element.textContent = text;
            element.addEventListener("click", press);
            return element;
          };
          for (const pair of document.querySelectorAll(".pair[data-swipe]")) {
            const ways = document.createElement("div");
            ways.className = "ways";
            const edge = document.createElement("input");
            Object.assign(edge, { type: "range", min: "0", max: "100", value: "50" });
            edge.setAttribute("aria-label", "How much of the picture before");
            edge.addEventListener("input", () => pair.style.setProperty("--cut", `${edge.value}%`));
            const show = (isSwiped) => {
              pair.classList.toggle("swiped", isSwiped);
              edge.hidden = !isSwiped;
              two.setAttribute("aria-pressed", String(!isSwiped));
              swipe.setAttribute("aria-pressed", String(isSwiped));
            };
            const two = button("Two-up", () => show(false));
            const swipe = button("Swipe", () => show(true));
            ways.append(two, swipe, edge);
            pair.prepend(ways);
            show(false);
          }

          // A link leads to its product whatever is filtered away.
          const reveal = () => {
            let key = location.hash.slice(1);
            try { key = decodeURIComponent(key); } catch { return; }
            const target = key && document.getElementById(key);
            if (!target || !target.hidden) return;
            search.value = "";
            for (const box of boxes) box.checked = false;
            filter();
            target.scrollIntoView();
          };

          let wait = 0;
          search.addEventListener("input", () => {
            clearTimeout(wait);
            wait = setTimeout(filter, items.length > 1000 ? 120 : 0);
          });
          for (const box of boxes) box.addEventListener("change", filter);
          sort.addEventListener("change", order);
          tools.addEventListener("submit", (event) => {
            event.preventDefault();
            filter();
          });
          addEventListener("hashchange", reveal);
          addEventListener("beforeprint", () => {
            for (const details of document.querySelectorAll("details:not([open])")) {
              details.open = true;
              details.dataset.printed = "";
            }
          });
          addEventListener("afterprint", () => {
            for (const details of document.querySelectorAll("details[data-printed]")) {
              details.open = false;
              delete details.dataset.printed;
            }
          });
          document.documentElement.classList.add("scripted");
          tools.hidden = false;
          // Browsers remember what was typed when a page is loaded again.
          if (search.value || boxes.some((box) => box.checked)) filter();
          if (sort.value !== "risk") order();
        })();

        """#
}
