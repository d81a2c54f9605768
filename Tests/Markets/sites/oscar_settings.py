"""A django-oscar shop with django-oscar-api, for tests on loopback. OSCAR_FOLDER is where its data are."""
import os

import oscar
from oscar.defaults import *  # noqa: F401, F403

FOLDER = os.environ["OSCAR_FOLDER"]
SECRET_KEY = "for tests on loopback alone"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "oscar_site"
SITE_ID = 1
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = oscar.INSTALLED_APPS + ["sorl.thumbnail", "rest_framework", "rest_framework.authtoken", "oscarapi"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/shop.db", "ATOMIC_REQUESTS": True}}
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware", "oscar.apps.basket.middleware.BasketMiddleware",
    "lingering.lingering",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        f"django.{name}" for name in (
            "template.context_processors.request", "contrib.auth.context_processors.auth",
            "contrib.messages.context_processors.messages")]},
}]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": int(os.environ.get("OSCAR_PAGE", "100")),
}
OSCARAPI_BLOCK_ADMIN_API_ACCESS = False
OSCAR_DEFAULT_CURRENCY = "KRW"
MEDIA_ROOT, MEDIA_URL = f"{FOLDER}/media", "/media/"
STATIC_ROOT, STATIC_URL = f"{FOLDER}/static", "/static/"
