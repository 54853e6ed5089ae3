import json
import sys

import requests

given = json.load(sys.stdin)
replies = []
for each in given["requests"]:
    response = requests.request(each["method"], given["base"] + each["path"], headers=each["headers"], timeout=300)
    replies.append({"status": response.status_code, "body": response.text})
json.dump(replies, sys.stdout)
