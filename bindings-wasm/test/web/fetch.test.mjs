// Calls that go out, to a real service on this machine, with a clock that moves only when it is told.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { api, other, web } from "../package.mjs";

const { KeyedLimiter, Limiter, ManualClock, RateLimitedError, http } = api;
const { limitedFetch } = await web("fetch");

/** A service that answers what it is told to, in order; afterwards that all is well. */
async function service(...replies) {
  const calls = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    calls.push([request.method, request.url, body]);
    const [status = 200, headers = {}] = replies.shift() ?? [];
    if (status === "broken") {
      request.socket.destroy();
      return;
    }
    response.writeHead(status, headers);
    response.end(`reply ${calls.length}`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { calls, url: `http://127.0.0.1:${server.address().port}/`, close };
}

/** A clock that knows when its next timer is due. */
const stepping = (Clock) =>
  class extends Clock {
    due = new Set();

    setTimer(callback, millis) {
      const timer = { at: this.now() + millis };
      this.due.add(timer);
      const cancel = super.setTimer(() => {
        this.due.delete(timer);
        callback();
      }, millis);
      return () => {
        this.due.delete(timer);
        cancel();
      };
    }

    /** Moves on to the next timer. */
    step() {
      if (this.due.size > 0) this.set(Math.min(...Array.from(this.due, ({ at }) => at)));
    }
  };

/** Runs a test with a service, and a clock that `arrived` moves each time somebody waits by it. */
function calling(name, replies, run) {
  test(name, async () => {
    const target = await service(...replies);
    const clock = new (stepping(ManualClock))(1_000);
    const limited = (options) => limitedFetch({ clock, unixTime: () => 1_790_000_000_000 + clock.now(), ...options });
    try {
      await run({ ...target, clock, limited, arrived: (promise) => arrived(clock, promise) });
    } finally {
      target.close();
    }
  });
}

/** What becomes of a promise, moving the clock to each timer; and how long that took by the clock. */
async function arrived(clock, promise) {
  const start = clock.now();
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (!isDone) clock.step();
  }
  return { result: await done, waited: clock.now() - start };
}

const limits = (limit, clock) => new KeyedLimiter(limit, { clock });

calling("calls to an origin wait for its limit, and no origin waits for another", [], async ({ url, clock, limited, arrived, calls }) => {
  const another = await service();
  const call = limited({ limiter: limits("10/s burst 1", clock) });
  const first = await arrived(call(url));
  assert.deepEqual([first.waited, await first.result.text()], [0, "reply 1"]);
  assert.equal((await arrived(call(another.url))).waited, 0);
  assert.equal((await arrived(call(new Request(url)))).waited, 100);
  assert.equal((await arrived(call(new URL(url)))).waited, 100);
  assert.equal(calls.length, 3);
  another.close();
});

calling("a key and a cost of one's own, by a limiter without keys or with", [], async ({ url, clock, limited, arrived }) => {
  const limiter = limits("10/s", clock);
  const call = limited({
    limiter,
    key: ({ url }) => url.pathname,
    cost: async ({ method }) => (method === "POST" ? 6 : 1),
  });
  await arrived(call(`${url}a`, { method: "post", body: "x" }));
  await arrived(call(`${url}b`));
  assert.deepEqual([limiter.available("/a"), limiter.available("/b")], [4, 9]);
  const whole = new Limiter("10/s", { clock });
  await arrived(limited({ limiter: whole, cost: 3 })(url));
  assert.equal(whole.available(), 7);
});

calling("refused by the limiter, a call is not made", [], async ({ url, clock, limited, calls, arrived }) => {
  const limiter = limits("2/min burst 1", clock);
  const thrown = limited({ limiter, onLimit: "throw" });
  assert.equal((await thrown(url)).status, 200);
  await assert.rejects(thrown(url), (error) => {
    assert.ok(error instanceof RateLimitedError);
    assert.deepEqual([error.code, error.retryAfterMs], ["not_in_time", 30_000]);
    return true;
  });
  await assert.rejects(limited({ limiter, onLimit: "throw", cost: 2 })(url), { code: "never", retryAfterMs: Infinity });
  // To wait longer than is allowed is to be refused at once.
  await assert.rejects(limited({ limiter, timeoutMs: 29_999 })(url), { code: "not_in_time", retryAfterMs: 30_000 });
  const { result, waited } = await arrived(limited({ limiter, timeoutMs: 30_000 })(url));
  assert.deepEqual([result.status, waited], [200, 30_000]);
  assert.equal(calls.length, 2);
});

calling("a refusal can be a reply of status 429", [], async ({ url, clock, limited, calls }) => {
  const call = limited({ limiter: limits("2/min burst 1", clock), onLimit: "respond" });
  await call(url);
  const reply = await call(url);
  assert.equal(reply.status, 429);
  assert.equal(reply.headers.get("retry-after"), "30");
  assert.equal(reply.headers.get("content-type"), "application/problem+json");
  assert.deepEqual(await reply.json(), {
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Quota Exceeded",
    status: 429,
    detail: "the cost would be granted in 30000 ms, which is not in time",
    "violated-policies": ["client"],
  });
  assert.equal(calls.length, 1);
});

for (const [name, headers, seconds] of [
  ["Retry-After", { "Retry-After": "7" }, 7],
  ["Retry-After as a date", { "Retry-After": new Date(1_790_000_010_000).toUTCString(), Date: new Date(1_790_000_001_000).toUTCString() }, 9],
  ["RateLimit", { RateLimit: '"burst";r=0;t=5, "daily";r=900;t=36000' }, 5],
  ["RateLimit of revision 7", { RateLimit: "limit=100, remaining=0, reset=4" }, 4],
  ["X-RateLimit with a Unix time", { "X-RateLimit-Limit": "9", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1790000004", Date: new Date(1_790_000_001_000).toUTCString() }, 3],
]) {
  calling(`a service that says by ${name} when it refuses is not called until then`, [[200, headers]], async ({ url, clock, limited, calls, arrived }) => {
    const thrown = limited({ onLimit: "throw" });
    assert.equal((await thrown(url)).status, 200);
    await assert.rejects(thrown(`${url}other`), { name: "RateLimitedError", code: "refused_by_service", retryAfterMs: seconds * 1_000 });
    clock.advance(seconds * 1_000 - 1);
    await assert.rejects(thrown(url), { code: "refused_by_service", retryAfterMs: 1 });
    assert.equal(calls.length, 1);
    clock.advance(1);
    assert.equal((await thrown(url)).status, 200);
  });
}

const REFUSED = [429, { "Retry-After": "2" }];

calling("what a service said is waited for", [REFUSED], async ({ url, limited, calls, arrived }) => {
  const call = limited({ retry: false });
  assert.equal((await call(url)).status, 429);
  const { result, waited } = await arrived(call(url));
  assert.deepEqual([result.status, waited, calls.length], [200, 2_000, 2]);
});

calling("what would be waited for too long is refused at once, or answered here", [REFUSED, REFUSED], async ({ url, limited, calls }) => {
  const impatient = limited({ retry: false, timeoutMs: 1_999 });
  await impatient(url);
  await assert.rejects(impatient(url), { code: "refused_by_service", retryAfterMs: 2_000 });
  const answering = limited({ retry: false, onLimit: "respond" });
  await answering(url);
  const reply = await answering(url);
  assert.deepEqual([reply.status, reply.headers.get("retry-after")], [429, "2"]);
  assert.deepEqual((await reply.json())["violated-policies"], ["service"]);
  assert.equal(calls.length, 2);
});

calling("what says nothing that can be read holds nobody up", [[200, { "Retry-After": "-1" }], [200, { "Retry-After": "soon", RateLimit: "r=0" }], [200, { RateLimit: '"a";r=0;t=9', Age: "5" }]], async ({ url, limited, calls }) => {
  const call = limited({ onLimit: "throw" });
  for (let time = 0; time < 4; time += 1) assert.equal((await call(url)).status, 200);
  assert.equal(calls.length, 4);
});

calling("a later reply to an earlier call takes nothing back", [], async ({ url, clock, limited }) => {
  const replies = [];
  const call = limited({ onLimit: "throw", retry: false, fetch: () => new Promise((resolve) => replies.push(resolve)) });
  const [early, late] = [call(url), call(url)];
  await new Promise(setImmediate);
  replies[1](new Response("", { status: 429, headers: { "Retry-After": "9" } }));
  await late;
  replies[0](new Response("", { headers: { "Retry-After": "3" } }));
  await early;
  await assert.rejects(call(url), { retryAfterMs: 9_000 });
});

const BACKOFF = { initial: 100, multiplier: 2, jitter: "none" };

calling("a call that fails is made again by the back-off, until it is served", [["broken"], [503], [500]], async ({ url, limited, calls, arrived }) => {
  const { result, waited } = await arrived(limited({ retry: BACKOFF })(url));
  assert.deepEqual([result.status, waited, calls.length], [200, 100 + 200 + 400, 4]);
});

calling("a service that asks for more than the back-off has it, and one that asks for too much is left alone", [[429, { "Retry-After": "1" }], [503, { "Retry-After": "61" }]], async ({ url, limited, calls, arrived }) => {
  const { result, waited } = await arrived(limited({ retry: BACKOFF })(url));
  assert.deepEqual([result.status, waited, calls.length], [503, 1_000, 2]);
  assert.equal(await result.text(), "reply 2");
});

calling("tries are counted: the last reply, or the last failure, is the answer", [[503], [503], ["broken"], ["broken"]], async ({ url, limited, calls, arrived, clock }) => {
  const call = limited({ retry: { ...BACKOFF, maxRetries: 1 } });
  assert.equal((await arrived(call(url))).result.status, 503);
  await assert.rejects(arrived(call(url)), (error) => error instanceof TypeError && error.cause !== undefined);
  assert.equal(calls.length, 4);
  assert.equal(clock.timers, 0);
});

calling("each try counts for the limiter", [[503], [503]], async ({ url, limited, arrived, clock }) => {
  const limiter = limits("10/h", clock);
  await arrived(limited({ limiter, retry: BACKOFF })(url));
  assert.equal(limiter.available(new URL(url).origin), 7);
});

const stream = () => new Response("body").body;
for (const [name, calls, init, url = (base) => base] of [
  ["of a method that is not idempotent", 1, { method: "POST" }],
  ["of a PATCH", 1, { method: "PATCH", body: "x" }],
  ["of a PUT of text", 2, { method: "put", body: "text" }],
  ["of a PUT of bytes", 2, { method: "PUT", body: new TextEncoder().encode("text") }],
  ["of a PUT of a form", 2, { method: "PUT", body: new URLSearchParams({ a: "b" }) }],
  ["of a PUT of a blob", 2, { method: "PUT", body: new Blob(["text"]) }],
  ["of a PUT of a stream", 1, { method: "PUT", body: stream(), duplex: "half" }],
  ["that is a request without a body", 2, {}, (base) => new Request(base)],
  ["that is a request with a body", 1, {}, (base) => new Request(base, { method: "PUT", body: "text" })],
]) {
  calling(`a call ${name} is made ${calls === 1 ? "once" : "again, with the whole body"}`, [[503]], async (context) => {
    const { result } = await context.arrived(context.limited({ retry: BACKOFF })(url(context.url), init));
    assert.equal(result.status, calls === 1 ? 503 : 200);
    assert.equal(context.calls.length, calls);
    for (const [, , body] of context.calls) assert.equal(body, context.calls[0][2]);
  });
}

calling("which methods and statuses are worth another try can be said", [[418], [503]], async ({ url, limited, calls, arrived }) => {
  const call = limited({ retry: { ...BACKOFF, methods: ["POST"], statuses: [418] } });
  assert.equal((await arrived(call(url, { method: "POST" }))).result.status, 503);
  assert.equal(calls.length, 2);
});

calling("jitter is by the bits that are given", [[503]], async ({ url, limited, arrived }) => {
  const half = limited({ retry: { initial: 100, jitter: "equal", random: () => 0n } });
  assert.equal((await arrived(half(url))).waited, 50);
});

calling("whoever is aborted while waiting is told why, and nothing is lost", [], async ({ url, clock, limited, calls }) => {
  const { getEventListeners } = await import("node:events");
  const limiter = limits("1/s burst 1", clock);
  const call = limited({ limiter });
  await call(url);
  const control = new AbortController();
  const waiting = call(url, { signal: control.signal });
  await new Promise(setImmediate);
  assert.equal(limiter.waiting, 1);
  control.abort(new Error("no longer wanted"));
  await assert.rejects(waiting, { message: "no longer wanted" });
  await assert.rejects(call(url, { signal: control.signal }), { message: "no longer wanted" });
  assert.deepEqual([limiter.waiting, clock.timers, getEventListeners(control.signal, "abort").length], [0, 0, 0]);
  clock.advance(1_000);
  assert.equal(limiter.available(new URL(url).origin), 1);
  assert.equal(calls.length, 1);
});

calling("whoever is aborted during the back-off is told why, and leaves no timer or listener", [[503]], async ({ url, clock, limited, calls }) => {
  const { getEventListeners } = await import("node:events");
  const control = new AbortController();
  const call = limited({ retry: BACKOFF })(url, { signal: control.signal });
  call.catch(() => {});
  while (clock.timers === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  control.abort(new Error("enough"));
  await assert.rejects(call, { message: "enough" });
  assert.deepEqual([clock.timers, getEventListeners(control.signal, "abort").length, calls.length], [0, 0, 1]);
});

calling("what the service came to refuse while the limiter was asked is given back", [], async ({ url, clock, limited }) => {
  const limiter = limits("2/h", clock);
  let answer;
  const slow = { check: async (key, cost) => limiter.check(key, cost), refund: (key, cost) => limiter.refund(key, cost) };
  const call = limited({ limiter: slow, onLimit: "throw", retry: false, fetch: () => new Promise((resolve) => (answer = resolve)) });
  const first = call(url);
  while (answer === undefined) await new Promise(setImmediate);
  const second = call(url);
  answer(new Response("", { status: 429, headers: { "Retry-After": "5" } }));
  await first;
  await assert.rejects(second, { code: "refused_by_service" });
  assert.equal(limiter.available(new URL(url).origin), 1);
});

calling("a limiter of the other package waits as well", [], async ({ url, limited, arrived }) => {
  const foreign = await other();
  const clock = new (stepping(foreign.ManualClock))();
  const call = limited({ limiter: new foreign.KeyedLimiter("10/s burst 1", { clock }), clock });
  await call(url);
  const start = clock.now();
  let isDone = false;
  const waiting = call(url).then(() => (isDone = true));
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    clock.step();
  }
  await waiting;
  assert.equal(clock.now() - start, 100);
});

test("options that make no sense are an error that names them, before any call", () => {
  for (const [options, name, message] of [
    [{ limiter: {} }, "TypeError", /^limiter: /],
    [{ limiter: { check: () => ({}) } }, "TypeError", /^limiter: expected a limiter with acquire/],
    [{ onLimit: "drop" }, "TypeError", /^onLimit: /],
    [{ timeoutMs: -1 }, "RangeError", /^timeoutMs: /],
    [{ timeoutMs: NaN }, "RangeError", /^timeoutMs: /],
    [{ retry: { jitter: 2 } }, "RangeError", /^jitter: /],
    [{ retry: { initial: 0 } }, "RangeError", /^initial: /],
    [{ retry: { maxRetries: -1 } }, "RangeError", /^maxRetries: /],
  ]) {
    assert.throws(() => limitedFetch(options), { name, message });
  }
});

calling("a call that is none fails before anything is counted", [], async ({ limited, clock }) => {
  const limiter = new Limiter("2/h", { clock });
  await assert.rejects(limited({ limiter })("no url"), TypeError);
  await assert.rejects(limited({ limiter })("http://127.0.0.1/", { method: "TWO WORDS" }), TypeError);
  assert.equal(limiter.available(), 2);
});
