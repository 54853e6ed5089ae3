"""Copies the licence, and writes types.py, the types of all JSON bodies, from the OpenAPI document of the service."""

import json
import re
from pathlib import Path
from shutil import copy
from typing import Any

from setuptools import setup

HERE = Path(__file__).parent
DOCUMENT = HERE / "../../docs/openapi.json"
TYPES = HERE / "src/passportd_client/types.py"

ROOTS = """Credential Passport PassportListBody V3LookupBody V3ListBody V3SearchBody V3Scores V3Diff V3EventPage V3Log V3RuleSet V3RecordsRequest
V3RecordsResult V3Subscription V3SubscriptionRequest V3SubscriptionPatch""".split()
PRIMITIVE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = dict[str, Any]


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[._]", name))


def write_types(document: Schema) -> str:
    schemas: dict[str, Schema] = document["components"]["schemas"]
    schemas["V3LookupItem"] = merge(schemas["V3LookupItem"]["anyOf"])
    schemas["V3Event"] = split_event(schemas["V3Event"])
    written = {"": "from typing import Literal, NotRequired, TypedDict"}

    def define(name: str, schema: Schema) -> str:
        """Returns the type of a schema. Objects in it become types of their own, whose names begin with `name`."""
        if "$ref" in schema:
            # mypy does not distinguish required and optional fields of a TypedDict when they are read.
            name = schema["$ref"].rsplit("/", 1)[-1].removesuffix("OrSelected")
            if name not in written:
                found = define(name, schemas[name])
                written.setdefault(name, f"{name} = {found}")
            return name
        if "const" in schema or "enum" in schema:
            return f"Literal{json.dumps(schema.get('enum', [schema.get('const')]))}"
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(define(each.get("title", name), each) for each in schema["anyOf"]))
        if "items" in schema:
            return f"list[{define(name.removesuffix('s'), schema['items'])}]"
        if "patternProperties" in schema:
            [value] = schema["patternProperties"].values()
            return f"dict[str, {define(name.removesuffix('s'), value)}]"
        if "properties" not in schema:
            return PRIMITIVE[schema["type"]] if "type" in schema else "object"
        fields = ""
        for field, each in schema["properties"].items():
            found = define(name + camel(field), each)
            is_required = field in schema.get("required", [])
            fields += f'    "{field}": {found if is_required else f"NotRequired[{found}]"},\n'
        written[name] = f'{name} = TypedDict("{name}", {{\n{fields}}})'
        return name

    for root in ROOTS:
        define("", {"$ref": root})
    parameters = document["paths"]["/api/v3/passports"]["get"]["parameters"]
    by_name = {each["name"]: each["schema"] for each in parameters if "name" in each}
    written["V3Sort"] = f"V3Sort = {define('V3Sort', by_name['sort'])}"
    for name, values in {
        "V3Include": schemas["V3LookupRequest"]["properties"]["include"]["items"]["enum"],
        "V3Field": list(paths_of(schemas["V3SelectedPassport"])),
        "V3GroupBy": by_name["group_by"]["items"]["enum"],
        "V3EventType": [each["properties"]["type"]["const"] for each in schemas["V3Event"]["anyOf"]],
    }.items():
        written[name] = f"{name} = Literal{json.dumps(values)}"
    return "\n".join(written.values()) + "\n"


def merge(variants: list[Schema]) -> Schema:
    """One object with the fields of all variants, because type checkers do not tell variants apart by their fields."""
    names = dict.fromkeys(name for each in variants for name in each["properties"])
    fields = {name: [each["properties"].get(name) for each in variants] for name in names}
    required = [name for name in names if all(name in each["required"] for each in variants)]
    return {"properties": {name: {"anyOf": [*filter(None, each)]} for name, each in fields.items()}, "required": required}


def split_event(schema: Schema) -> Schema:
    """One variant for each event type. The list of types and the list of their data have the same order."""
    fields = schema["properties"]
    pairs = zip(fields["type"]["enum"], fields["data"]["anyOf"], strict=True)
    variants = {name: {**fields, "type": {"const": name}, "data": data} for name, data in pairs}
    return {"anyOf": [{**schema, "title": f"V3{camel(name)}", "properties": each} for name, each in variants.items()]}


def paths_of(schema: Schema) -> Any:
    """The dotted paths of all fields. V3SelectedPassport contains no references."""
    for each in [schema.get("items", schema), *schema.get("anyOf", [])]:
        for name, inner in each.get("properties", {}).items():
            yield name
            yield from (f"{name}.{path}" for path in paths_of(inner))


# A source distribution contains both files.
if DOCUMENT.exists():
    copy(HERE / "../../LICENSE", HERE)
    TYPES.write_text(write_types(json.loads(DOCUMENT.read_text("utf-8"))), "utf-8")
setup()
