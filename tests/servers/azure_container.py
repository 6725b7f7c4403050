"""Creates a container: azure_container.py ENDPOINT ACCOUNT KEY CONTAINER. Standard library only."""

import base64
import hashlib
import hmac
import sys
import urllib.request
from email.utils import formatdate

VERSION = "2021-08-06"


def signature(account: str, key: str, path: str, date: str) -> str:
    """Shared Key over the eleven empty standard headers, ours, and the resource."""
    headers = f"x-ms-date:{date}\nx-ms-version:{VERSION}\n"
    text = "PUT" + "\n" * 12 + headers + f"/{account}{path}\nrestype:container"
    digest = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def main(endpoint: str, account: str, key: str, container: str) -> None:
    date = formatdate(usegmt=True)
    path = "/" + endpoint.split("/", 3)[3] + "/" + container
    request = urllib.request.Request(f"{endpoint}/{container}?restype=container", method="PUT")
    request.add_header("x-ms-date", date)
    request.add_header("x-ms-version", VERSION)
    request.add_header("Content-Length", "0")
    request.add_header("Authorization", f"SharedKey {account}:{signature(account, key, path, date)}")
    urllib.request.urlopen(request).close()


main(*sys.argv[1:])
