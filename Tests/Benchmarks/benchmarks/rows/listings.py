"""From YAML to checked listings, and plans of a catalog that has not changed."""

from .. import servers, shops, tools
from ..measuring import Command, alternately
from ..table import at_most, ratio_at_most
from .row import Row, lines

PRODUCTS = 100_000


def validate_command(binary, folder):
    return Command([binary, "validate", "--quiet"], folder, variables=tools.CREDENTIALS)


def plan_command(binary, folder, *flags):
    """Fails where the plan is not empty."""
    return Command([binary, "plan", "--quiet", "--detailed-exitcode", *flags], folder, variables=tools.CREDENTIALS)


def fetch_command(products=PRODUCTS):
    """Fetches the pages of the list, eight at once, and throws them away."""
    url = f"{servers.URL}/api/products?page_no=[1-{products // shops.PAGE_SIZE}]&items_per_page={shops.PAGE_SIZE}"
    return Command([tools.program("curl"), "-sSf", "--parallel", "--parallel-max", "8", "-o", "/dev/null", url])


def validate(binary, runs):
    folder = shops.catalog(PRODUCTS)
    samples = alternately(
        runs,
        {
            "validate": validate_command(binary, folder),
            "libyaml": Command([tools.compiled("events"), folder / "openmarket.yaml"]),
        },
    )
    targets = {"wall": ratio_at_most(1.5), "memory": at_most(96)}
    return lines("validate", samples["validate"], samples["libyaml"], targets)


def plan(binary, runs):
    folder = shops.listed(binary, PRODUCTS)
    samples = alternately(
        runs,
        {
            "plan": plan_command(binary, folder, "--refresh", "none"),
            "octodns": Command(
                [*tools.python("-m", "octodns.cmds.sync"), "--config-file", "octodns.yaml"],
                tools.made("zone", PRODUCTS),
            ),
        },
        warm_up=False,
    )
    return lines("plan", samples["plan"], samples["octodns"], {"wall": ratio_at_most(1 / 60), "memory": at_most(160)})


def plan_list(binary, runs):
    folder = shops.with_pages(binary, PRODUCTS)
    parts = [
        fetch_command(),
        validate_command(binary, folder),
        Command([tools.compiled("rows"), folder / ".openmarket/state.db"]),
    ]

    def all_parts():
        total, *rest = (part.run() for part in parts)
        for sample in rest:
            total = total + sample
        return total

    with servers.nginx(folder / "pages"):
        samples = alternately(runs, {"plan": plan_command(binary, folder), "parts": all_parts})
    return lines("plan-list", samples["plan"], samples["parts"], {"wall": ratio_at_most(1.3)})


def table(name, products, columns):
    """The row of a table of so many products and columns."""

    def measure(binary, runs):
        folder = tools.made("table", products, columns)
        arguments = [binary, "validate", "--quiet", "--api", "v2b", "products.csv"]
        samples = alternately(runs, {"validate": Command(arguments, folder)})
        return lines(name, samples["validate"])

    return measure


def state_read(binary, runs):
    """Where no manifest is: what reading one costs, `validate` measures."""
    state = shops.listed(binary, PRODUCTS) / ".openmarket/state.db"
    folder = tools.SCRATCH / "state"
    folder.mkdir(exist_ok=True)
    options = ["--quiet", "--url", servers.URL, "--api", "v2b", "--state", state]

    def command(name, *output):
        return Command([binary, "state", name, *options, *output], folder, variables=tools.CREDENTIALS)

    samples = alternately(
        runs,
        {
            "state list": command("list"),
            "state export": command("export", "-o", "state.jsonl"),
            "rows": Command([tools.compiled("rows"), state]),
        },
    )
    targets = {"cpu": ratio_at_most(4)}
    return [
        *lines("state-read", samples["state list"], samples["rows"], targets),
        *lines("state-export", samples["state export"], samples["rows"]),
    ]


ROWS = [
    Row(
        "validate",
        "`validate` of 100 000 products in 48 MB of YAML; peer: libyaml's events of the same file, in C",
        validate,
    ),
    Row(
        "plan",
        "`plan --refresh none` of 100 000 products, nothing changed; peer: octoDNS, 100 000 records, nothing changed",
        plan,
    ),
    Row(
        "plan-list",
        "`plan` that reads the list from nginx, 100 000 products, nothing changed; peer: the sum of its parts, each a "
        "process of its own: curl fetches the pages and throws them away, `validate`, and all "
        "rows of the state read in C",
        plan_list,
    ),
    Row(
        "state-read",
        "`state list` of 100 000 products, the market named on the command line (state-read), and `state export` into a "
        "file (state-export); peer: all rows of the state read in C",
        state_read,
    ),
    Row(
        "table",
        "`validate` of a table with 1 000 000 rows of 6 columns, 380 MB",
        table("table", 1_000_000, 6),
        million=True,
    ),
    Row(
        "table-wide",
        "`validate` of a table with 500 rows of 10 000 columns",
        table("table-wide", 500, 10_000),
    ),
]
