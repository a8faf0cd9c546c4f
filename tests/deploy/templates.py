"""The CloudFormation templates of `deploy/aws`: as data, in part, and with their values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
AWS = ROOT / "deploy/aws"
NAMES = sorted(path.stem for path in AWS.glob("*.yaml"))

Template = dict[str, Any]
Resource = dict[str, Any]


class _Loader(yaml.SafeLoader):  # type: ignore[misc] # it has no types
    """Reads the short forms of functions, such as `!Sub`, as their long forms."""


def _function(loader: _Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    if name == "GetAtt":
        value = value.split(".", 1)
    return {name if name in ("Ref", "Condition") else f"Fn::{name}": value}


_Loader.add_multi_constructor("!", _function)


def template(name: str) -> Template:
    """A template with the long forms of functions."""
    loaded: Template = yaml.load((AWS / f"{name}.yaml").read_text(), _Loader)
    return loaded


def resources(name: str, kind: str | None = None) -> dict[str, Resource]:
    """The resources of a template, all of them or of one type."""
    found: dict[str, Resource] = template(name)["Resources"]
    return {key: each for key, each in found.items() if kind is None or each["Type"] == kind}


def every_resource(kind: str) -> Iterator[tuple[str, Resource]]:
    """Every resource of a type in any template, with its place."""
    for name in NAMES:
        for key, each in resources(name, kind).items():
            yield f"{name}.{key}", each


def part_of(name: str, *kept: str) -> Template:
    """A template with some resources only, and the outputs that need nothing else."""
    whole = template(name)
    outputs = {
        key: output
        for key, output in whole.get("Outputs", {}).items()
        if not _refers(output["Value"], set(whole["Resources"]) - set(kept))
    }
    return whole | {"Resources": {key: whole["Resources"][key] for key in kept}, "Outputs": outputs}


def _refers(value: Any, names: set[str]) -> bool:
    if isinstance(value, Mapping):
        return any(_refers(each, names) for each in value.values())
    if isinstance(value, list):
        return any(_refers(each, names) for each in value)
    return isinstance(value, str) and any(re.search(rf"\b{name}\b", value) for name in names)


class Values:
    """Replaces functions by values: of parameters, of conditions, of exports and of other resources."""

    def __init__(self, name: str, given: Mapping[str, str] | None = None) -> None:
        """`given` are parameters, and ids of resources; a resource without one is its name in angle brackets."""
        self._template = template(name)
        defaults = {
            key: str(each["Default"]) for key, each in self._template["Parameters"].items() if "Default" in each
        }
        self._parameters = defaults | dict(given or {})
        self._parameters |= {
            "AWS::Region": "eu-west-1",
            "AWS::Partition": "aws",
            "AWS::AccountId": "123456789012",
            "AWS::URLSuffix": "amazonaws.com",
        }

    def exists(self, resource: Resource) -> bool:
        """Whether the condition of a resource holds."""
        return "Condition" not in resource or self._holds({"Condition": resource["Condition"]})

    def of(self, value: Any) -> Any:
        """A value without functions."""
        match value:
            case {"Ref": name}:
                return None if name == "AWS::NoValue" else self._parameters.get(name, f"<{name}>")
            case {"Fn::GetAtt": [name, attribute]}:
                return f"<{name}.{attribute}>"
            case {"Fn::ImportValue": name}:
                return f"<{self.of(name)}>"
            case {"Fn::Sub": [text, names]}:
                return self._substituted(text, {key: self.of(each) for key, each in names.items()})
            case {"Fn::Sub": text}:
                return self._substituted(text, {})
            case {"Fn::If": [name, yes, no]}:
                return self.of(yes if self._holds({"Condition": name}) else no)
            case dict():
                found = {key: self.of(each) for key, each in value.items()}
                return {key: each for key, each in found.items() if each is not None}
            case list():
                return [each for each in map(self.of, value) if each is not None]
            case _:
                return value

    def _substituted(self, text: str, names: Mapping[str, str]) -> str:
        def found(match: re.Match[str]) -> str:
            return str(names.get(match[1], self._parameters.get(match[1], f"<{match[1]}>")))

        return re.sub(r"\$\{([^}]+)\}", found, text)

    def _holds(self, condition: Any) -> bool:
        match condition:
            case {"Condition": name}:
                return self._holds(self._template["Conditions"][name])
            case {"Fn::Not": [inner]}:
                return not self._holds(inner)
            case {"Fn::Or": inner}:
                return any(self._holds(each) for each in inner)
            case {"Fn::Equals": [one, other]}:
                return str(self.of(one)) == str(self.of(other))
            case _:
                raise AssertionError(f"{condition} is no condition that these templates use")
