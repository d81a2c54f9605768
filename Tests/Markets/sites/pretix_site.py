"""Fills pretix: an organizer, one event and its items, and a team whose token may do everything.

Run in pretix's own environment: pretix_site.py COUNT TOKEN
"""
import datetime
import os
import sys

os.environ["DJANGO_SETTINGS_MODULE"] = "pretix.settings"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import django

django.setup()

import words
from django.core.files.base import ContentFile
from django_scopes import scopes_disabled
from i18nfield.strings import LazyI18nString
from pretix.base.models import Event, Item, Organizer, Team, TeamAPIToken

count, token = int(sys.argv[1]), sys.argv[2]


def in_languages(number, text):
    """pretix has no Korean, so Korean texts are its English; every second one has German, too, which has to be left aside."""
    return LazyI18nString({"en": text, **({"de": f"Ding {number}"} if number % 2 else {})})


with scopes_disabled():
    organizer = Organizer.objects.create(slug="bazaar", name="Bazaar")
    event = Event.objects.create(
        organizer=organizer, slug="autumn", name=LazyI18nString({"en": "가을 장터"}), currency="KRW", plugins="",
        date_from=datetime.datetime(2031, 10, 1, 9, tzinfo=datetime.timezone.utc))
    event.settings.locales = ["en", "de"]
    event.settings.locale = "en"
    team = Team(organizer=organizer, name="readers", all_events=True)
    for field in Team._meta.fields:
        if field.get_internal_type() == "BooleanField" and field.name.startswith(("can_", "all_")):
            setattr(team, field.name, True)
    team.save()
    TeamAPIToken.objects.create(team=team, name="tests", token=token)
    for number in range(1, count + 1):
        text = words.description(number)
        full = words.full_price(number)
        item = Item(
            event=event, name=in_languages(number, words.name(number)), internal_name=f"thing-{number}",
            description=text and in_languages(number, text), default_price=words.price(number), original_price=full,
            # The market's own order is by position; here it is not that of the ids.
            position=number * 7919 % 101)
        if number % 4 == 0:
            item.picture.save("picture.png", ContentFile(words.picture(number)), save=False)
        item.save()
