// Real servers on free ports of the loopback, which end with the process that started them.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const undo = [];
process.on("exit", () => undo.reverse().forEach((step) => step()));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

function temporary() {
  const folder = mkdtempSync(join(tmpdir(), "tokenweir-stores-"));
  undo.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A port that nobody listens on. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until something answers a question with true. */
export async function until(question, what, timeoutMs = 20_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (await question()) return;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(20);
  }
}

function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let output = "";
  // A server does not keep the process alive that started it.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk)).unref();
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.once("error", (error) => (output += error.message));
  undo.push(() => child.kill("SIGKILL"));
  const end = (signal) => {
    child.ref();
    child.kill(signal);
    return ended;
  };
  return { end, output: () => output };
}

const redisCli = (port, ...args) =>
  execFileSync("redis-cli", ["-h", "127.0.0.1", "-p", String(port), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

function answersPing(port) {
  try {
    return redisCli(port, "ping").trim() === "PONG";
  } catch {
    return false;
  }
}

/** A Redis server: in `port`, `url`; `cli` sends it a command. */
export async function startRedis(...options) {
  const port = await freePort();
  const dir = temporary();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", dir, ...options];
  let server;
  const redis = {
    port,
    dir,
    url: `redis://127.0.0.1:${port}`,
    cli: (...command) => redisCli(port, ...command),
    async start() {
      server = start("redis-server", args);
      await until(() => answersPing(port), `redis-server: ${server.output()}`);
    },
    async kill(signal = "SIGKILL") {
      await server.end(signal);
    },
  };
  await redis.start();
  return redis;
}

/** A Redis Cluster of three nodes; `ports` has theirs. */
export async function startCluster() {
  const nodes = await Promise.all(
    Array.from({ length: 3 }, () => startRedis("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")),
  );
  const ports = nodes.map(({ port }) => port);
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  execFileSync("redis-cli", ["--cluster", "create", ...addresses, "--cluster-yes"]);
  await until(() => ports.every((port) => redisCli(port, "cluster", "info").includes("cluster_state:ok")), "the cluster");
  return { ports, nodes };
}

function postgresBin() {
  const versions = "/usr/lib/postgresql";
  const newest = existsSync(versions) ? readdirSync(versions).sort((a, b) => b - a)[0] : undefined;
  return newest === undefined
    ? execFileSync("pg_config", ["--bindir"], { encoding: "utf8" }).trim()
    : join(versions, newest, "bin");
}

/** Who runs PostgreSQL, which refuses to be run by root. */
function unprivileged() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** A PostgreSQL server: in `port`, `url`. */
export async function startPostgres(...options) {
  const port = await freePort();
  const dir = temporary();
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid);
  const [bin, data] = [postgresBin(), join(dir, "data")];
  const run = { ...user, cwd: dir, stdio: ["ignore", "pipe", "pipe"] };
  execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync"], run);
  const args = ["-D", data, "-p", String(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", ...options];
  let server;
  const isReady = () => {
    try {
      execFileSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  const postgres = {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async start() {
      server = start(join(bin, "postgres"), args, run);
      await until(isReady, `postgres: ${server.output()}`);
    },
    async kill(signal = "SIGQUIT") {
      await server.end(signal);
    },
  };
  await postgres.start();
  return postgres;
}

/** A server that accepts connections and never answers. */
export async function startSilent() {
  const sockets = new Set();
  const server = net.createServer((socket) => sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  server.unref();
  return {
    port: server.address().port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
