"""Makes manifests, pictures and zones from a seed. A program of its own, so that the runner's memory stays small."""

import csv
import json
import pathlib
import random
import sys

SEED = 20261122
IDENTIFIER = "00000000-0000-4000-8000-000000000001"
SECRET = "benchmark"

NOUNS = [
    "desk lamp", "celadon cup", "brass cutlery", "hanji lamp", "green tea", "round fan", "rice bowl", "linen apron",
    "oak stool", "tea towel", "wool blanket", "steel kettle", "찻잔", "유기 수저", "한지 조명등", "녹차", "둥근 부채",
    "보자기", "백자 접시", "나무 쟁반", "다기 세트", "옻칠 젓가락",
]  # fmt: skip
ADJECTIVES = [
    "warm", "hand-made", "plain", "blue", "folding", "quiet", "heavy", "light", "small", "large", "조각보", "청자",
    "방짜", "전통", "무광", "수제",
]  # fmt: skip
PHRASES = [
    "two arms, one switch", "made of beech and brass", "for four people at the table", 'the "large" one of the series',
    "washable at 40 °C, not for the dryer", "comes in a box with a card", "each piece differs a little",
    "손으로 빚은 그릇입니다", "은은한 빛이 방 안을 따뜻하게 채웁니다", "선물 상자에 담아 보내 드립니다",
    "하동에서 자란 찻잎으로 만들었습니다", "식기세척기에는 넣지 마세요", "높이 36cm, 너비 24cm", "'작은' 것도 있습니다",
]  # fmt: skip


def jpeg(size, chance):
    """A picture of `size` bytes that begins like a JPEG: format and dimensions can be read, its data are noise."""
    head = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffc0000b080168016801011100ffda00080101003f")
    noise = chance.randbytes(size - len(head) - 2).replace(b"\xff", b"\xfe")
    return head + noise + b"\xff\xd9"


def quoted(text):
    """Text as a YAML scalar in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Product:
    """One product of the seed."""

    def __init__(self, number, chance):
        self.key = f"sku-{number:07}"
        self.name = f"{chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} {number}"
        phrases = chance.sample(PHRASES, 9)
        while len(" ".join(phrases).encode()) > 320:
            phrases.pop()
        self.lines = [", ".join(phrases[:2]), ". ".join(phrases[2:])]
        self.dollars = chance.random() < 0.1
        self.price = chance.randrange(1_000, 2_000_000) if self.dollars else chance.randrange(10, 20_000) * 100
        self.sale = chance.choices(["none", "sale_price", "discount"], [6, 3, 1])[0]
        self.off = self.price * chance.randrange(5, 60) // 100
        if not self.dollars:
            self.off -= self.off % 10
        self.stock = chance.randrange(0, 500)
        self.initial = chance.random() < 0.05
        self.style = chance.randrange(3)

    def amount(self, value):
        """Won, or dollars with cents."""
        return f"{value // 100}.{value % 100:02}" if self.dollars else str(value)

    def yaml(self, images):
        """The product as an item of `products`."""
        lines = [f"  - key: {self.key}"]
        name = self.name if self.style else quoted(self.name)
        lines.append(f"    name: {name}")
        if self.style == 2:
            lines.append("    description: |")
            lines += [f"      {line}" for line in self.lines]
        else:
            lines.append(f"    description: {quoted(' '.join(self.lines))}")
        lines.append(f"    price: {self.amount(self.price)}")
        lines.append(f"    currency: {'USD' if self.dollars else 'KRW'}")
        if self.sale == "sale_price":
            lines.append(f"    sale_price: {self.amount(self.price - self.off)}")
        elif self.sale == "discount":
            lines.append(f"    discount: {self.amount(self.off)}")
        lines.append(f"    stock: {{initial: {self.stock}}}" if self.initial else f"    stock: {self.stock}")
        lines.append("    images:")
        lines += [f"      - {image}" for image in images]
        return "\n".join(lines) + "\n"

    def parameters(self):
        """The product as the `params` of a create, as openmarket sends them to v2b."""
        text = " ".join(self.lines) if self.style != 2 else "".join(line + "\n" for line in self.lines)
        values = {"name": self.name, "description": text, "price": self.price, "currency": "KRW"}
        if self.dollars:
            values |= {"price": self.price / 100, "currency": "USD"}
        if self.sale != "none":
            values["discounted_price"] = self.off / 100 if self.dollars else self.off
        return values | {"stock": self.stock, "secret": SECRET}


def products(count):
    """The first products of the seed: a larger catalog begins with the smaller one."""
    chance = random.Random(SEED)
    for number in range(count):
        yield Product(number, chance)


HEAD = """\
market:
  url: http://127.0.0.1:{port}
  api: v2b
  identifier: !env OPENMARKET_IDENTIFIER
  secret: !env OPENMARKET_SECRET
products:
"""


def write_catalog(folder, count, port):
    """A manifest of `count` products, about 480 bytes each, that share a hundred small pictures."""
    chance = random.Random(SEED + 1)
    (folder / "images").mkdir(parents=True)
    for number in range(100):
        (folder / f"images/{number:02}.jpg").write_bytes(jpeg(chance.randrange(1_000, 3_000), chance))
    with open(folder / "openmarket.yaml", "w", encoding="utf-8") as file:
        file.write(HEAD.format(port=port))
        for number, product in enumerate(products(count)):
            images = [f"images/{number % 100:02}.jpg"]
            if number % 4 == 0:
                images.append(f"images/{(number + 37) % 100:02}.jpg")
            file.write(product.yaml(images))


def write_table(folder, count, columns):
    """A table of `count` products; what it has beyond the columns of a product are the user's own."""
    names = ["key", "name", "description", "price", "currency", "stock"]
    own = [f"x-{number}" for number in range(columns - len(names))]
    with open(folder / "products.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(names + own)
        for product in products(count):
            currency = "USD" if product.dollars else "KRW"
            text = " ".join(product.lines)
            values = [product.key, product.name, text, product.amount(product.price), currency, product.stock]
            rows.writerow(values + ["own"] * len(own))


def write_uploads(folder, count, size, port):
    """A manifest of `count` products with one picture of `size` bytes each, and the same requests for curl."""
    chance = random.Random(SEED + 2)
    (folder / "images").mkdir(parents=True)
    (folder / "params").mkdir()
    with (
        open(folder / "openmarket.yaml", "w", encoding="utf-8") as manifest,
        open(folder / "curl.conf", "w", encoding="utf-8") as requests,
    ):
        manifest.write(HEAD.format(port=port))
        for number, product in enumerate(products(count)):
            picture = f"images/{number:06}.jpg"
            parameters = f"params/{number:06}.json"
            (folder / picture).write_bytes(jpeg(size, chance))
            text = json.dumps(product.parameters(), ensure_ascii=False, separators=(",", ":"))
            (folder / parameters).write_text(text, encoding="utf-8")
            manifest.write(product.yaml([picture]))
            requests.write(
                f'{"next" if number else ""}\nurl = "http://127.0.0.1:{port}/api/products"\n'
                f'header = "identifier: {IDENTIFIER}"\n'
                f'form = "params=<{parameters};type=application/json"\n'
                f'form = "images=@{picture};type=image/jpeg"\n'
                f'output = "/dev/null"\n'
            )


def write_zone(folder, count):
    """A zone of `count` records for octoDNS, as source and as target: nothing differs."""
    chance = random.Random(SEED)
    for name in ["source", "target"]:
        (folder / name).mkdir(parents=True)
    lines = ["---\n"]
    for number in range(count):
        address = f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(256)}"
        lines.append(f"sku-{number:07}:\n  ttl: 300\n  type: A\n  value: {address}\n")
    for name in ["source", "target"]:
        with open(folder / name / "example.com.yaml", "w", encoding="utf-8") as file:
            file.writelines(lines)
    (folder / "octodns.yaml").write_text(
        """\
providers:
  source:
    class: octodns.provider.yaml.YamlProvider
    directory: source
  target:
    class: octodns.provider.yaml.YamlProvider
    directory: target
zones:
  example.com.:
    sources: [source]
    targets: [target]
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    makers = {"catalog": write_catalog, "table": write_table, "uploads": write_uploads, "zone": write_zone}
    makers[sys.argv[1]](pathlib.Path(sys.argv[2]), *map(int, sys.argv[3:]))
