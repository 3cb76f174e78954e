"""Which requests of a web service are served: what the adapters of all frameworks share.

A `RequestPolicy` says who is counted, by what, and what is said; the adapters only translate:
`tokenweir.asgi` (Starlette, FastAPI and any other ASGI application), `tokenweir.fastapi` (one route),
`tokenweir.wsgi` (any WSGI application), `tokenweir.flask` (one view), `tokenweir.django`.

A client may send 100 requests a minute, of which a search counts as 5, and all clients together 1000 a
second; if either refuses, neither pays:

>>> from tokenweir.web import RequestPolicy, Scope, api_key, client_address
>>> policy = RequestPolicy(
...     Scope("100/min", key=client_address(), cost={"GET /search": 5}, name="client"),
...     Scope("1000/s", key=None, name="all"),
...     exempt=["/health", "/static/*"],
... )

Plans, by what an API key is known to have paid for:

>>> paid = {"k-77": "pro"}
>>> plans = RequestPolicy(
...     plans={"free": "100/h; 10/s", "pro": "5000/h; 50/s"},
...     plan=lambda request: paid.get(request.header("x-api-key"), "free"),
...     key=api_key(known=paid),
... )

To see what limits would do before they do it, `RequestPolicy(..., dry_run=True)` serves every request,
counts and logs those it would have refused, and sends the fields all the same.

# What is said

Every reply to a request that was counted carries the `RateLimit` fields in the chosen style. A refusal is
429 with `Retry-After` and a problem body (RFC 9457). Fields of the same names that the application set are
replaced, so that each is there once, also where several policies are asked on the way to a view: the reply
then tells of all of them.

# What is counted

HEAD costs what GET does, since the work is the same. OPTIONS is free unless `exempt_methods` says otherwise:
browsers ask by it before they send what the page asked for, and report a refusal there as something else.
Websockets are not counted. A policy that is met twice by one request, as a middleware and at the view,
counts it once.

# When a limit cannot be asked

An outage of a store (`StoreError`) is never reported as a limit: the request is served without fields, or
with ``on_outage="deny"`` refused as 503. 503 is also the answer where a `KeyedLimiter` has no room for a new
key and was made to deny it then, and where a decision was made without the store and refuses.
"""

from __future__ import annotations

from tokenweir.web._answers import Answers, Reply, Verdict
from tokenweir.web._keys import KeyFunction, api_key, client_address, user
from tokenweir.web._policy import RequestPolicy
from tokenweir.web._request import Request
from tokenweir.web._scope import CheckAsyncLimiter, CheckLimiter, Scope

__all__ = [
    "Answers",
    "CheckAsyncLimiter",
    "CheckLimiter",
    "KeyFunction",
    "Reply",
    "Request",
    "RequestPolicy",
    "Scope",
    "Verdict",
    "api_key",
    "client_address",
    "user",
]
