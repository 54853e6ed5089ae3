"""Adds up the points of the credentials of a person by category."""

import json
import os
import sys

import requests

response = requests.get(os.environ["API_URL"] + "/credentials", params={"id": sys.argv[1]}, timeout=60)
response.raise_for_status()
sums = {}
for credential in response.json()["credentials"]:
    category = credential["category"]
    sums[category] = sums.get(category, 0) + credential["points"]
print(json.dumps(sums))
