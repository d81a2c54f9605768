/// The page's templates, in Mustache; part of the program, which has no folder of resources beside it.
///
/// The style and the script stand in braces of three, because they are ours; every other text goes through ``PageText``.
enum PageTemplates {
    /// Says how text is escaped, in each template.
    static let pragma = "{{% CONTENT_TYPE:\(PageText.name)}}\n"

    static let page = "page"

    static let all = [page: pageText, "message": message, "finding": finding, "operation": operation, "parts": parts]

    /// The ids of the page's own elements, which no product's link may take.
    static let ids: Set<String> = [
        "summary", "findings", "findings-title", "impact-title", "refusals-title", "warnings-title", "changes",
        "changes-title", "tools",
        "search", "sort", "shown",
    ]

    private static let pageText = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="{{policy}}">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta name="robots" content="noindex">
        <title>{{title}}</title>
        <style>{{{style}}}</style>
        </head>
        <body>
        <a class="skip" href="#changes">Skip to the changes</a>
        <header id="summary">
        <h1>Plan</h1>
        <ul class="counts">
        {{#counts}}
        <li class="{{class}}"><b>{{count}}</b> {{label}}</li>
        {{/counts}}
        </ul>
        {{#unselected}}
        <p>{{.}} not selected.</p>
        {{/unselected}}
        <dl class="subject">
        {{#subject}}
        <div><dt>{{title}}</dt><dd class="place">{{text}}</dd></div>
        {{/subject}}
        </dl>
        </header>
        <main>
        {{#refusals}}
        <section class="refusals" aria-labelledby="refusals-title">
        <h2 id="refusals-title">Refused</h2>
        <ul>
        {{#rows}}
        {{> message}}
        {{/rows}}
        </ul>
        </section>
        {{/refusals}}
        {{#warnings}}
        <section class="warnings" aria-labelledby="warnings-title">
        <h2 id="warnings-title">Warnings</h2>
        <ul>
        {{#rows}}
        {{> message}}
        {{/rows}}
        </ul>
        {{#more}}
        <details>
        <summary>{{count}} more</summary>
        <ul>
        {{#rows}}
        {{> message}}
        {{/rows}}
        </ul>
        </details>
        {{/more}}
        </section>
        {{/warnings}}
        <div class="first">
        {{#findings}}
        <section class="findings" id="findings" aria-labelledby="findings-title">
        <h2 id="findings-title">Look at these <span class="count">{{found}}</span></h2>
        <div class="groups">
        {{#rows}}
        <div class="group">
        <h3>{{phrase}} <span class="count">{{count}}</span></h3>
        <ul>
        {{#rows}}
        {{> finding}}
        {{/rows}}
        </ul>
        {{#more}}
        <details>
        <summary>{{count}} more</summary>
        <ul>
        {{#rows}}
        {{> finding}}
        {{/rows}}
        </ul>
        </details>
        {{/more}}
        </div>
        {{/rows}}
        </div>
        </section>
        {{/findings}}
        {{#impact}}
        <section class="impact" aria-labelledby="impact-title">
        <h2 id="impact-title">Impact</h2>
        <dl>
        {{#rows}}
        <div><dt>{{title}}</dt><dd>{{text}}</dd></div>
        {{/rows}}
        </dl>
        </section>
        {{/impact}}
        </div>
        <section class="changes" id="changes" aria-labelledby="changes-title" tabindex="-1">
        <h2 id="changes-title">Changes <span class="count">{{total}}</span></h2>
        {{^hasOperations}}
        <p>No changes.</p>
        {{/hasOperations}}
        {{#hasOperations}}
        <form class="tools" id="tools" role="search" aria-label="Changes" hidden>
        <label class="find"><span>Search</span> <input type="search" id="search" autocomplete="off" spellcheck="false" title="Press / to search" aria-keyshortcuts="/"></label>
        <label><span>Order</span> <select id="sort">
        <option value="risk">by risk</option>
        {{#hasMoves}}
        <option value="size">largest price move</option>
        <option value="fall">price falls most</option>
        <option value="rise">price rises most</option>
        {{/hasMoves}}
        <option value="name">name</option>
        <option value="plan">as they are carried out</option>
        </select></label>
        <fieldset>
        <legend>Only</legend>
        {{#kinds}}
        <label class="kind"><input type="checkbox" value="{{kind}}"><span>{{label}} <span class="count">{{count}}</span></span></label>
        {{/kinds}}
        </fieldset>
        <output id="shown" aria-live="polite"></output>
        </form>
        <div class="list{{#isIllustrated}} illustrated{{/isIllustrated}}">
        {{#operations}}
        {{> operation}}
        {{/operations}}
        </div>
        {{/hasOperations}}
        </section>
        </main>
        <footer>
        <p>{{tool}}</p>
        </footer>
        <script>{{{script}}}</script>
        </body>
        </html>

        """

    private static let message = """
        <li>{{#place}}<span class="place">{{.}}</span> {{/place}}{{message}}{{#override}} <span class="dim">({{.}})</span>{{/override}}</li>

        """

    private static let finding = """
        <li><a href="#{{link}}">{{label}}</a>{{#fields}} <span class="dim">{{.}}</span>{{/fields}}{{#key}} <code>{{.}}</code>{{/key}}{{#moves}} <span class="move">{{field}} {{old}} → {{new}}{{#percent}} <b>{{.}}</b>{{/percent}}</span>{{/moves}}</li>

        """

    private static let operation = """
        <article class="{{action}}"{{#anchor}} id="{{.}}"{{/anchor}} data-kinds="{{kinds}}" data-index="{{index}}"{{#move}} data-move="{{.}}"{{/move}}>
        {{#emblem}}
        <img class="emblem" src="{{{.}}}" alt="" loading="lazy" decoding="async">
        {{/emblem}}
        {{^emblem}}
        <span class="emblem"></span>
        {{/emblem}}
        <div class="card">
        <h3><span class="action">{{action}}</span> <a href="#{{link}}">{{label}}</a></h3>
        <p class="about">{{#key}}<code>{{.}}</code> {{/key}}{{#id}}{{#address}}<a href="{{.}}" target="_blank" rel="noopener noreferrer">{{id}} on the market</a>{{/address}}{{^address}}<span>number {{id}}</span>{{/address}} {{/id}}{{#reason}}<span>{{.}}</span> {{/reason}}{{#source}}<span class="place">{{.}}</span>{{/source}}</p>
        <dl>
        {{#fields}}
        <div{{#look}} class="{{.}}"{{/look}}><dt>{{field}}</dt><dd>{{#diff}}{{> parts}}{{/diff}}{{#old}}<del>{{.}}</del>{{/old}}{{#new}}{{#old}} → {{/old}}<ins>{{.}}</ins>{{/new}}{{#percent}} <b>{{.}}</b>{{/percent}}{{#likeness}} <span class="dim">({{.}})</span>{{/likeness}}{{#remark}} <b class="why">{{.}}</b>{{/remark}}{{#whole}}<details><summary>Whole text</summary><p>{{> parts}}</p></details>{{/whole}}</dd></div>
        {{/fields}}
        </dl>
        {{#pictures}}
        <div class="pictures">
        {{#pairs}}
        <div class="pair{{#isAlone}} alone{{/isAlone}}"{{#swipes}} data-swipe{{/swipes}}>
        {{#sides}}
        <figure class="{{side}}"><figcaption>{{#spot}}{{.}} {{/spot}}{{side}}{{#file}} <span class="dim">{{.}}</span>{{/file}}{{#size}} <span class="dim">{{.}}</span>{{/size}}{{#doubt}} <b class="why">{{.}}</b>{{/doubt}}</figcaption>{{#data}}<img src="{{{.}}}" alt="{{alt}}" loading="lazy" decoding="async">{{/data}}{{#elsewhere}}<p class="missing">The same picture as of <a href="#{{target}}">{{product}}</a></p>{{/elsewhere}}{{#missing}}<p class="missing">{{.}}</p>{{/missing}}</figure>
        {{/sides}}
        </div>
        {{/pairs}}
        </div>
        {{/pictures}}
        </div>
        </article>

        """

    private static let parts =
        "{{#parts}}{{#same}}{{.}}{{/same}}{{#removed}}<del>{{.}}</del>{{/removed}}{{#added}}<ins>{{.}}</ins>{{/added}}{{/parts}}"
}
