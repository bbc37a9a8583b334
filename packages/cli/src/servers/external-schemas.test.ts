import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure, systemClock } from '@weir/core';
import { parseCommandLine } from '../flags/parse.ts';
import { externalSchemas } from './external-schemas.ts';

function valuesOf(...argv: readonly string[]) {
  const parsed = parseCommandLine('agent', argv, {});
  assert.ok('value' in parsed, JSON.stringify(parsed));
  return parsed.value.values;
}

test('the password of the registry is read from a file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-password-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'password');
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error_code": 40403, "message": "Schema not found"}');
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const values = valuesOf(
    `-externalSchemaRegistryURL=http://127.0.0.1:${port}`,
    '-externalSchemaRegistryUsername=u',
    `-externalSchemaRegistryPasswordFile=${file}`,
  );
  await using resources = new AsyncDisposableStack();
  const open = () => externalSchemas(values, { resources, clock: systemClock });

  writeFileSync(file, 'hunter 2\n');
  const schemas = await open();
  await schemas?.cache.load(7).catch(() => undefined);
  assert.equal(seen[0], `Basic ${Buffer.from('u:hunter 2').toString('base64')}`);

  for (const text of ['', '\n', 'two\nlines\n']) {
    writeFileSync(file, text);
    await assert.rejects(open(), (error: Error) => {
      assert.ok(error instanceof Failure);
      assert.match(error.message, /^-externalSchemaRegistryPasswordFile=\S+: not a password on one line$/);
      return true;
    });
  }
  rmSync(file);
  await assert.rejects(open(), /: failed to read the file \(ENOENT\)$/);
});
