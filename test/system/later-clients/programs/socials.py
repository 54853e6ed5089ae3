"""Prints where people have followers, and who is human."""

import json
import os
import sys

import requests

session = requests.Session()
session.headers.update({"X-API-KEY": os.environ["API_KEY"]})


def get(path, **params):
    response = session.get(os.environ["API_URL"] + path, params=params, timeout=60)
    return response.json() if response.status_code == 200 else None


people = {}
for person in sys.argv[1:]:
    socials = (get("/socials", id=person) or {}).get("socials", [])
    human = get("/human_checkmark", id=person)
    people[person] = {
        "sources": [social["source"] for social in socials],
        "followers": sum(social["followers_count"] or 0 for social in socials),
        "human": human["human_checkmark"] if human else None,
    }
print(json.dumps(people))
