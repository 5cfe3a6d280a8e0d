"""The improved tool surface: the same API, described also in the words that people use in prompts."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

Spec = dict[str, Any]

_WORK_ITEM = re.compile(r"\b(work item)(s?)\b", re.IGNORECASE)
_PARAMETERS = {
    "pk": "Id (UUID) of the issue, that is the work item. The parameter is called pk, not id.",
    "project_id": "Id (UUID) of the project, as list_projects gives it; not its name and not its identifier.",
    "label_id": "Id (UUID) of the label, as list_labels gives it; not its name.",
    "state_id": "Id (UUID) of the state, as list_states gives it; not its name.",
    "assignee_id": "Id (UUID) of the member, as list_members gives it; not the handle.",
    "member_id": "Id (UUID) of the member, as list_members gives it; not the handle.",
    "query": "Plain text that the name or description contains, such as checkout. It knows no field:value syntax; to "
    "filter by state, label, priority or assignee use list_work_items.",
    "limit": "Number of results on a page, 100 at most. Compare total with what you have: there may be more pages.",
}


def improve(spec: Spec) -> Spec:
    """A copy of the tracker's OpenAPI document in which work items are also called issues.

    Summaries, descriptions and tags of operations, parameters and schemas change; operation ids, paths, names of
    parameters and schemas do not, so a call that worked on the first surface works on this one.
    """
    improved = copy.deepcopy(spec)
    for operation in _operations(improved):
        operation["summary"] = _with_synonym(operation["summary"])
        operation["description"] = _with_synonym(operation["description"])
        if "work items" in operation["tags"]:
            operation["tags"].append("issues")
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in _PARAMETERS:
                parameter["description"] = _PARAMETERS[parameter["name"]]
    for schema in improved["components"]["schemas"].values():
        for part in (schema, *schema.get("properties", {}).values()):
            if "description" in part:
                part["description"] = _with_synonym(part["description"])
    improved["info"]["description"] = _with_synonym(improved["info"]["description"])
    return improved


def _operations(spec: Spec) -> Iterator[Spec]:
    for path in spec["paths"].values():
        yield from path.values()


def _with_synonym(text: str) -> str:
    """`text` with the synonym behind the first mention of work items."""
    return _WORK_ITEM.sub(lambda found: f"{found[0]} (issue{found[2]})", text, count=1)
