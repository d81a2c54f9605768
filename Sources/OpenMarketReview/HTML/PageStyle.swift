/// The page's style: light and dark, narrow and wide, screen and paper.
enum PageStyle {
    static let text = """

        :root {
          color-scheme: light dark;
          --page: #ffffff; --panel: #f6f8fa; --line: #d1d9e0; --text: #1f2328; --dim: #59636e; --link: #0757ba;
          --red: #a40e26; --red-back: #ffebe9; --new: #0a4a94; --new-back: #e2f0ff; --amber: #6f4400;
          --amber-back: #fff3c4; --found: #ffe08a; --focus: #0757ba;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #0d1117; --panel: #161b22; --line: #3d444d; --text: #e6edf3; --dim: #a3adb8; --link: #79b8ff;
            --red: #ffa8a1; --red-back: #4b1113; --new: #a5d1ff; --new-back: #12345c; --amber: #f2cc60;
            --amber-back: #3b2a05; --found: #6b5410; --focus: #79b8ff;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; }
        body {
          margin: 0 auto; max-width: 84rem; padding: 0 1rem 2rem; background: var(--page); color: var(--text);
          font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK KR", sans-serif;
          word-break: keep-all; overflow-wrap: anywhere;
        }
        dt, legend, button, .action, .why, .count, .kind { white-space: nowrap; }
        ::highlight(found) { background: var(--found); }
        a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
        h1, h2, h3, ul, dl, dd, p, fieldset { margin: 0; padding: 0; }
        h1 { font-size: 1.5rem; line-height: 1.2; }
        h2 { font-size: 1.1rem; margin-bottom: .5rem; }
        h3 { font-size: 1rem; font-weight: 600; }
        ul { list-style: none; }
        code, .place { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--dim); }
        .dim { color: var(--dim); }
        .count { font-weight: 400; color: var(--dim); font-size: .9em; font-variant-numeric: tabular-nums; }
        .skip { position: absolute; left: -100vw; top: 0; padding: .5rem 1rem; background: var(--page); z-index: 3; }
        .skip:focus { left: 0; }
        header { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: baseline; padding: .9rem 0; }
        .counts { display: flex; flex-wrap: wrap; gap: .3rem .9rem; font-variant-numeric: tabular-nums; }
        .counts b { font-size: 1.15rem; }
        .counts .create b { color: var(--new); }
        .counts .replace b, .counts .delete b, .counts .forget b { color: var(--red); }
        .counts .update b { color: var(--amber); }
        .counts .none { color: var(--dim); }
        .subject { flex: 1 0 100%; display: grid; gap: .1rem; font-size: .9em; }
        .subject > div { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: .6rem; align-items: baseline; }
        .subject dt { color: var(--dim); }
        .first { display: grid; grid-template-columns: minmax(0, 1fr) minmax(15rem, 22rem); gap: 1rem; align-items: start; }
        .findings, .impact, .refusals, .warnings { border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; background: var(--panel); }
        .findings { border-left: 4px solid var(--amber); }
        .findings:only-child, .impact:only-child { grid-column: 1 / -1; }
        .refusals { border-left: 4px solid var(--red); margin-bottom: 1rem; }
        .warnings { border-left: 4px solid var(--amber); margin-bottom: 1rem; }
        .groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: .7rem 1.4rem; }
        .group h3 { color: var(--amber); }
        .group li { padding: .12rem 0; line-height: 1.35; display: flex; flex-wrap: wrap; gap: 0 .45rem; align-items: baseline; }
        .group li a { max-width: 100%; }
        .group code { font-size: .78em; flex: 1 1 4rem; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .move { flex: 1 0 100%; font-size: .9em; font-variant-numeric: tabular-nums; }
        .impact dl { display: grid; gap: .4rem; }
        .impact dt { color: var(--dim); font-size: .85em; }
        summary { cursor: pointer; color: var(--link); width: max-content; max-width: 100%; }
        .changes { margin-top: 1.4rem; }
        .changes:focus { outline: none; }
        .tools[hidden] { display: none; }
        .tools {
          position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center;
          padding: .6rem 0; background: var(--page); border-bottom: 1px solid var(--line); margin-bottom: .6rem;
        }
        .scripted { scroll-padding-top: 8rem; }
        .tools input[type=search], .tools select {
          font: inherit; color: inherit; background: var(--page); border: 1px solid var(--dim); border-radius: 6px;
          padding: .3rem .5rem; min-height: 2.2rem; max-width: 100%;
        }
        .find { flex: 1 1 15rem; display: flex; gap: .5rem; align-items: center; }
        .find input { flex: 1; min-width: 8rem; }
        .tools fieldset { border: 0; display: flex; flex-wrap: wrap; gap: .3rem .5rem; align-items: center; min-width: 0; }
        .tools legend { float: left; margin-right: .3rem; }
        .kind { display: inline-flex; position: relative; cursor: pointer; }
        .kind input { position: absolute; left: .65rem; top: 0; bottom: 0; margin: auto 0; accent-color: var(--focus); }
        .kind > span { padding: .25rem .7rem .25rem 1.9rem; border: 1px solid var(--line); border-radius: 1rem; }
        .kind :checked + span { border-color: var(--focus); background: var(--panel); }
        .kind :focus-visible { outline: none; }
        .kind :focus-visible + span { outline: 3px solid var(--focus); outline-offset: 1px; }
        #shown { margin-left: auto; color: var(--dim); font-variant-numeric: tabular-nums; }
        article {
          padding: .65rem 0; border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 6rem;
        }
        .illustrated article { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: .9rem; align-items: start; }
        .emblem { display: none; }
        .illustrated .emblem {
          display: block; width: 4.5rem; height: 4.5rem; object-fit: cover; border: 1px solid var(--line); border-radius: 6px;
          background: var(--panel);
        }
        .card { min-width: 0; }
        article[hidden] { display: none !important; }
        article:target { box-shadow: -4px 0 0 var(--focus); padding-left: .6rem; }
        article h3 { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
        article h3 a { color: inherit; text-decoration: none; min-width: 0; }
        article h3 a:hover { text-decoration: underline; }
        .action {
          font-size: .72rem; font-weight: 600; padding: .05rem .45rem; border-radius: 4px; background: var(--amber-back);
          color: var(--amber); flex: none;
        }
        .create .action, .adopt .action, .rename .action { background: var(--new-back); color: var(--new); }
        .delete .action, .replace .action, .forget .action { background: var(--red-back); color: var(--red); }
        .about { color: var(--dim); font-size: .87em; display: flex; flex-wrap: wrap; gap: .1rem .8rem; }
        .about > * { min-width: 0; }
        .why { color: var(--amber); background: var(--amber-back); border-radius: 4px; padding: 0 .35rem; font-weight: 600; font-size: .87em; }
        article dl { display: flex; flex-wrap: wrap; gap: .25rem 1.6rem; margin-top: .3rem; }
        article dl > div { display: flex; gap: .6rem; max-width: 100%; }
        article dl > .risky { box-shadow: -.35rem 0 0 var(--page), -.6rem 0 0 var(--amber); }
        article dl > .risky b { color: var(--amber); }
        article dl > .wide { flex: 1 0 100%; display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); }
        article dt { color: var(--dim); }
        article dd { font-variant-numeric: tabular-nums; }
        article dd p { white-space: pre-wrap; margin: .3rem 0; }
        del { color: var(--dim); text-decoration-thickness: 1px; }
        .delete del { color: inherit; text-decoration: none; }
        ins { color: var(--new); background: var(--new-back); border-radius: 3px; padding: 0 .15rem; text-decoration: none; }
        .create ins { color: inherit; background: none; padding: 0; }
        .pictures { display: flex; flex-wrap: wrap; gap: .8rem 1.6rem; margin-top: .5rem; }
        .pair {
          display: grid; grid-template-columns: repeat(2, fit-content(20rem)); grid-template-rows: auto auto auto;
          gap: 0 .6rem; max-width: 100%;
        }
        .alone { grid-template-columns: fit-content(20rem); }
        figure { margin: 0; min-width: 0; grid-row: 2 / span 2; display: grid; grid-template-rows: subgrid; align-items: start; }
        figcaption { font-size: .82em; color: var(--dim); margin-bottom: .2rem; }
        figure img {
          display: block; max-width: 100%; max-height: 16rem; border: 2px solid var(--line); border-radius: 6px;
          background: repeating-conic-gradient(var(--panel) 0 25%, var(--page) 0 50%) 0 0 / 16px 16px;
        }
        .alone img { max-height: 7rem; }
        .missing { border: 1px dashed var(--dim); border-radius: 6px; padding: .6rem .8rem; font-size: .87em; color: var(--dim); }
        .ways { grid-area: 1 / 1 / 2 / -1; margin-bottom: .3rem; display: flex; flex-wrap: wrap; gap: .3rem; align-items: center; }
        .ways button {
          font: inherit; font-size: .85em; color: inherit; background: var(--page); border: 1px solid var(--line);
          border-radius: 6px; padding: .15rem .6rem; min-height: 1.9rem; cursor: pointer;
        }
        .ways button[aria-pressed=true] { border-color: var(--focus); background: var(--panel); font-weight: 600; }
        .ways input { flex: 0 1 12rem; min-width: 6rem; accent-color: var(--focus); }
        .ways input[hidden] { display: none; }
        .swiped { grid-template-columns: minmax(0, 20rem); grid-template-rows: auto auto; }
        .swiped figure { grid-area: 2 / 1; grid-template-rows: 1.5rem 16rem; }
        .swiped figcaption { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 48%; }
        .swiped .after figcaption { justify-self: end; }
        .swiped img { width: 100%; height: 100%; object-fit: contain; background: var(--panel); }
        .swiped .before img { clip-path: inset(0 calc(100% - var(--cut, 50%)) 0 0); }
        .swiped .after img { clip-path: inset(0 0 0 var(--cut, 50%)); }
        footer { margin-top: 2rem; padding-top: .8rem; border-top: 1px solid var(--line); color: var(--dim); font-size: .85em; }
        @media (max-width: 60rem) { .first { grid-template-columns: minmax(0, 1fr); } }
        @media (max-width: 36rem) {
          body { padding: 0 .7rem 2rem; }
          header { padding: .6rem 0; }
          .groups { grid-template-columns: minmax(0, 1fr); }
          .tools { position: static; }
          .illustrated article { grid-template-columns: 3rem minmax(0, 1fr); gap: .7rem; }
          .illustrated .emblem { width: 3rem; height: 3rem; }
          .scripted { scroll-padding-top: 1rem; }
          article dl > .wide { grid-template-columns: minmax(0, 1fr); gap: 0; }
        }
        @media print {
          :root {
            --page: #fff; --panel: #fff; --line: #999; --text: #000; --dim: #444; --link: #000; --red: #8a0a1e;
            --red-back: #fff; --new: #062c5a; --new-back: #fff; --found: #fff; --amber: #5c3900; --amber-back: #fff;
          }
          body { max-width: none; padding: 0; font-size: 10pt; }
          .tools, .skip, .ways, summary { display: none !important; }
          .first { display: block; }
          .first > section { margin-bottom: 1rem; }
          .groups { display: block; columns: 2; }
          .group { margin-bottom: .6rem; }
          article { content-visibility: visible; break-inside: avoid; }
          details::details-content { content-visibility: visible; display: block; }
          ins { text-decoration: underline; }
          h2, h3 { break-after: avoid; }
          a { text-decoration: none; }
        }

        """
}
