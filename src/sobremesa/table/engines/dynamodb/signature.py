"""AWS Signature Version 4, for a POST of JSON."""

from __future__ import annotations

import hashlib
import hmac
import time
from functools import lru_cache

from sobremesa.table.engines.dynamodb.credentials import Keys

SERVICE = "dynamodb"
CONTENT_TYPE = "application/x-amz-json-1.0"


class Signer:
    """Signs requests to one service of a region; the key of a day is derived once."""

    def __init__(self, region: str, service: str = SERVICE, content_type: str = CONTENT_TYPE) -> None:
        self._region = region
        self._service = service
        self._content_type = content_type
        self._derived: tuple[str, str] | None = None
        self._key = b""

    def headers(self, keys: Keys, *, host: str, target: str, body: bytes, now_ms: int) -> dict[str, str]:
        """Return all headers of a request with this body, including the signature."""
        moment = _moment(now_ms // 1000)
        day = moment[:8]
        headers = {
            "Host": host,
            "Content-Type": self._content_type,
            "X-Amz-Date": moment,
            "X-Amz-Target": target,
        }
        lines = f"content-type:{self._content_type}\nhost:{host}\nx-amz-date:{moment}\n"
        names = "content-type;host;x-amz-date"
        if keys.token is not None:
            headers["X-Amz-Security-Token"] = keys.token
            lines += f"x-amz-security-token:{keys.token}\n"
            names += ";x-amz-security-token"
        lines += f"x-amz-target:{target}\n"
        names += ";x-amz-target"
        canonical = f"POST\n/\n\n{lines}\n{names}\n{hashlib.sha256(body).hexdigest()}"
        scope = f"{day}/{self._region}/{self._service}/aws4_request"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        to_sign = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{digest}"
        signature = _hmac(self._key_of(day, keys.secret), to_sign).hex()
        headers["Authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={keys.access}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        return headers

    def _key_of(self, day: str, secret: str) -> bytes:
        if self._derived != (day, secret):
            key = f"AWS4{secret}".encode()
            for part in (day, self._region, self._service, "aws4_request"):
                key = _hmac(key, part)
            self._derived, self._key = (day, secret), key
        return self._key


@lru_cache(maxsize=4)
def _moment(seconds: int) -> str:
    """Return the time in the format of AWS, cached for a second."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
