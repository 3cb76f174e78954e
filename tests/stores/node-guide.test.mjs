// The examples of the guide run, and print what they say.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startPostgres, startRedis } from "./servers.mjs";

const guide = readFileSync(new URL("../../core/docs/choosing-a-store.md", import.meta.url), "utf8");
const examples = [...guide.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
const servers = { REDIS_URL: (await startRedis()).url, DATABASE_URL: (await startPostgres()).url };
// Beside the package, so that it finds itself and the clients by their names.
const folder = mkdtempSync(fileURLToPath(new URL("../../bindings-node/dist/guide-", import.meta.url)));

await test("the guide has examples", () => assert.equal(examples.length, 6));

for (const [index, code] of examples.entries()) {
  await test(`example ${index + 1} of the guide prints what it says`, async () => {
    const file = join(folder, `${index}.mjs`);
    writeFileSync(file, code);
    const env = { ...process.env, ...servers };
    // What this process is tested by is none of theirs.
    delete env.NODE_TEST_CONTEXT;
    const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    const [status] = await once(child, "close");
    assert.equal(status, 0, output);
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said]) => said);
    if (promised.length > 0) assert.deepEqual(output.trim().split("\n"), promised);
  });
}

rmSync(folder, { recursive: true });
