import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { asksForPage, pathOf, routeOf } from '../http/route-table.ts';
import { consoleHandlers } from './console-routes.ts';

async function serve(t: { after(end: () => unknown): void }, folder: string) {
  const text =
    (words: string) =>
    (_request: unknown, response: { writeHead(status: number): { end(text: string): void } }) =>
      response.writeHead(200).end(words);
  const handlers = consoleHandlers({
    folder,
    answerRoot: text('no console'),
  });
  const server = createServer((request, response) => {
    const handler = handlers[routeOf(pathOf(request)) as keyof typeof handlers];
    if (handler === undefined) response.writeHead(599).end();
    else void handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function builtFolder(t: { after(end: () => unknown): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-console-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function build(folder: string): Promise<void> {
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Weir</title>');
  await writeFile(join(folder, 'theme.js'), '// theme');
  await writeFile(join(folder, 'assets', 'index-abc.js'), 'let script = 1;'.repeat(100));
  await writeFile(join(folder, '.sources'), 'stamp');
}

test('pages are one document, with a policy and no caching', async (t) => {
  const folder = await builtFolder(t);
  await build(folder);
  const url = await serve(t, folder);
  for (const path of [
    '/',
    '/setup',
    '/join',
    '/sign-in',
    '/team',
    '/clusters',
    '/clusters/vci_x/topics/orders?q=1',
  ]) {
    const answer = await fetch(url + path);
    assert.equal(answer.status, 200, path);
    assert.match(await answer.text(), /^<!doctype html>/);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
  }
});

test('assets are compressed, cached for a year, and found by their exact path only', async (t) => {
  const folder = await builtFolder(t);
  await build(folder);
  const url = await serve(t, folder);
  const asset = await fetch(`${url}/assets/index-abc.js`, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(asset.headers.get('content-encoding'), 'gzip');
  assert.match(await asset.text(), /^let script/);
  const etag = asset.headers.get('etag')!;
  const again = await fetch(`${url}/assets/index-abc.js`, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  const plain = await fetch(`${url}/assets/index-abc.js`, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal((await plain.text()).length, 1500);
  for (const path of ['/assets/', '/assets/..%2f.sources', '/assets/../.sources', '/assets/other.js'])
    assert.equal((await fetch(url + path)).status === 200, false, path);
  assert.equal((await fetch(`${url}/theme.js`, { method: 'POST' })).status, 405);
  assert.equal(
    (
      await fetch(`${url}/clusters`, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
    ).headers.get('content-length'),
    '34',
  );
});

test('a path of nothing is the same document as a failure, for a person alone', async (t) => {
  const folder = await builtFolder(t);
  await build(folder);
  const url = await serve(t, folder);
  const answer = await fetch(`${url}/not-found`);
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), /^<!doctype html>/);
  const cases: readonly [method: string, path: string, accept: string, expected: boolean][] = [
    ['GET', '/nothing', 'text/html,*/*;q=0.8', true],
    ['HEAD', '/nothing?x=1', 'text/html', true],
    ['POST', '/nothing', 'text/html', false],
    ['GET', '/nothing', '*/*', false],
    ['GET', '/api/v2/x', 'text/html', false],
    ['GET', '/v1/nothing', 'text/html', false],
    ['GET', '/v1x', 'text/html', true],
  ];
  for (const [method, path, accept, expected] of cases)
    assert.equal(
      asksForPage({ method, url: path, headers: { accept } }),
      expected,
      `${method} ${path} ${accept}`,
    );
});

test('without a build the plain pages answer, and a build that appears is found', async (t) => {
  const folder = await builtFolder(t);
  const url = await serve(t, folder);
  assert.equal(await (await fetch(url)).text(), 'no console');
  for (const path of ['/setup', '/join', '/sign-in']) {
    const answer = await fetch(url + path);
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.match(await answer.text(), /npm run build:console.*POST \/api\/v1\//s, path);
    assert.equal((await fetch(url + path, { method: 'POST' })).status, 405);
  }
  const missing = await fetch(`${url}/clusters`);
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /npm run build:console/);
  await build(folder);
  assert.match(await (await fetch(url)).text(), /^<!doctype html>/);
});
