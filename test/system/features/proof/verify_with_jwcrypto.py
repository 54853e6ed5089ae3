"""Prints how many snapshots of a file have a valid signature, and how many are rejected after a change."""

import json
import sys

from jwcrypto import jwk, jws

keys, snapshots, altered = (json.load(open(sys.argv[1], encoding="utf-8"))[name] for name in ("keys", "snapshots", "altered"))
key_set = jwk.JWKSet.from_json(json.dumps(keys))


def is_valid(snapshot: str) -> bool:
    token = jws.JWS()
    token.deserialize(snapshot)
    try:
        token.verify(key_set.get_key(token.jose_header["kid"]))
    except jws.InvalidJWSSignature:
        return False
    return json.loads(token.payload)["iss"] == token.jose_header["kid"].split("#")[0]


print(json.dumps([sum(map(is_valid, each)) for each in (snapshots, altered)]))
