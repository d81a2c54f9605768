"""What the products of a filled market are called, and their pictures: the same for every market and every time."""
import struct
import zlib

THINGS = ["달항아리", "한지 조명등", "조각보", "방짜 수저", "청자 찻잔", "부채", "녹차", "나전칠기 보석함", "Celadon cup", "Paper lamp"]
COLOURS = ["흰", "푸른", "붉은", "검은", "노란", "green", "grey"]


def name(number):
    return f"{COLOURS[number % len(COLOURS)]} {THINGS[number % len(THINGS)]} {number}"


def description(number):
    """A text with what goes wrong most: lines, quotes, separators, signs outside of the basic plane; of each fifth none."""
    if number % 5 == 0:
        return None
    return f"설명 {number}번, \"손으로\" 만든 것;\n둘째 줄\t끝 🏺 & <b>굵게</b>, {'가' * (number % 40)}"


def price(number):
    """With and without a fraction."""
    return f"{1000 + 37 * number}.{'00' if number % 3 else '50'}"


def full_price(number):
    """What it cost before the sale; of two thirds nothing."""
    return f"{2000 + 37 * number}.25" if number % 3 == 1 else None


def picture(number):
    """A PNG of one colour, another one for each number."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    size = 8
    row = b"\0" + bytes([number % 256, number * 7 % 256, number * 31 % 256]) * size
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b""))
