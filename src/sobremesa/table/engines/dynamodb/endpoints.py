"""The endpoints of the services: those of the store's address, else those of AWS's usual settings.

botocore resolves the latter, from its own data: `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_DYNAMODB`,
`AWS_ENDPOINT_URL_DYNAMODB_STREAMS`, `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`, and the same in a profile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import botocore.config

from sobremesa.table.engines.dynamodb.credentials import DUMMY, call_botocore, is_loopback, new_session
from sobremesa.table.engines.dynamodb.transport import AUTOSCALING, STREAMS, TABLES, Endpoints, Service
from sobremesa.table.errors import StoreFailed
from sobremesa.table.service_options import ServiceOptions

AWS_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".api.amazonwebservices.com.cn")

# A call of each service whose URL botocore can build without making it. The URL has the endpoint that the service's
# rules give, while the endpoint that a client shows is that of older rules and wrong for some services.
_PROBES: dict[Service, tuple[str, dict[str, str]]] = {
    TABLES: ("list_tables", {}),
    STREAMS: ("list_streams", {}),
    AUTOSCALING: ("describe_scalable_targets", {"ServiceNamespace": "dynamodb"}),
}


async def find_endpoints(region: str, endpoint: str | None, options: ServiceOptions) -> Endpoints:
    """Return the endpoints of a region; raise StoreFailed if the settings contradict each other.

    `endpoint` is the address of a server for everything, unless it is one of AWS: there each service has its own.
    """
    one_for_all = None if endpoint is None or is_aws(endpoint) else endpoint
    tables = endpoint
    streams = options.streams_endpoint or one_for_all
    autoscaling = options.autoscaling_endpoint or one_for_all
    missing = [
        service for service, url in ((TABLES, tables), (STREAMS, streams), (AUTOSCALING, autoscaling)) if url is None
    ]
    found = await call_botocore("the endpoints of AWS", _resolve, region, missing) if missing else {}
    if not all(map(is_loopback, filter(None, (tables, streams)))):
        await call_botocore("the endpoints of AWS", _refuse_ignored_settings, tables, streams)
    return Endpoints(tables or found[TABLES], streams or found[STREAMS], autoscaling or found[AUTOSCALING])


def _resolve(region: str, services: list[Service]) -> dict[Service, str]:
    session = new_session()
    # The usual endpoints of a region, not one for each account.
    config = botocore.config.Config(account_id_endpoint_mode="disabled")
    return {service: _endpoint_of(session, service, region, config) for service in services}


def _endpoint_of(session: Any, service: Service, region: str, config: Any) -> str:
    client = session.create_client(
        service.name,
        region_name=region,
        config=config,
        aws_access_key_id=DUMMY.access,
        aws_secret_access_key=DUMMY.secret,
    )
    method, parameters = _PROBES[service]
    url = urlsplit(client.generate_presigned_url(method, Params=parameters))
    return f"{url.scheme}://{url.netloc}"


def _refuse_ignored_settings(*given: str | None) -> None:
    """Raise StoreFailed if an address stands against a setting for FIPS or dual-stack, as in AWS's own tools."""
    session = new_session()
    for variable, name in (("use_fips_endpoint", "FIPS"), ("use_dualstack_endpoint", "dual-stack")):
        address = next((url for url in given if url is not None and not is_loopback(url)), None)
        if address is not None and _is_on(session.get_config_variable, variable):
            raise StoreFailed(
                f"{variable} is set, but the store names the endpoint {address}: remove the endpoint to use the "
                f"{name} endpoint of the region, or the setting"
            )


def _is_on(read: Callable[[str], Any], variable: str) -> bool:
    return str(read(variable)).lower() == "true"


def is_aws(endpoint: str) -> bool:
    """Return whether this is an address of AWS, where each service has its own."""
    return (urlsplit(endpoint).hostname or "").endswith(AWS_DOMAINS)
