"""The addresses of a django-oscar shop; run as a program in its environment it fills it: oscar_site.py COUNT TOKEN"""
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oscar_settings")

if __name__ == "__main__":
    import django

    django.setup()

from django.conf import settings
from django.urls import include, path, re_path
from django.views.static import serve

urlpatterns = [
    path("api/", include("oscarapi.urls")),
    re_path(r"^media/(?P<path>.*)$", serve, {"document_root": settings.MEDIA_ROOT}),
]

if __name__ == "__main__":
    import words
    from django.contrib.auth import get_user_model
    from django.core.files.base import ContentFile
    from oscar.core.loading import get_model
    from rest_framework.authtoken.models import Token

    count, token = int(sys.argv[1]), sys.argv[2]
    reader = get_user_model().objects.create_superuser("reader", "reader@shop.test", None)
    Token.objects.create(user=reader, key=token)
    Product, Image = get_model("catalogue", "Product"), get_model("catalogue", "ProductImage")
    Partner, StockRecord = get_model("partner", "Partner"), get_model("partner", "StockRecord")
    kind = get_model("catalogue", "ProductClass").objects.create(name="thing", track_stock=True)
    ours, other = (Partner.objects.create(code=code, name=code) for code in ("ours", "other"))
    for number in range(1, count + 1):
        product = Product.objects.create(
            product_class=kind, structure=Product.STANDALONE, title=words.name(number), slug=f"thing-{number}",
            upc=f"thing-{number}", description=words.description(number) or "")
        # Another partner's price of the same product has to be left aside; of some products it is the first.
        for partner in (other, ours) if number % 2 else (ours, other)[:1 + number % 3 // 2]:
            own = partner == ours
            StockRecord.objects.create(
                product=product, partner=partner, partner_sku=f"{partner.code}-{number}", price_currency="KRW",
                price=words.price(number if own else number + 5000), num_in_stock=number % 13 if own else 99)
        for position in range(number % 3):
            Image.objects.create(
                product=product, display_order=position,
                original=ContentFile(words.picture(number + 1000 * position), name=f"{number}-{position}.png"))
