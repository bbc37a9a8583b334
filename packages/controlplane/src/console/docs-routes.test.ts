import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathOf, routeOf } from '../http/route-table.ts';
import { BuiltFiles } from './built-files.ts';
import { docsHandlers } from './docs-routes.ts';

interface Lifetime {
  after(end: () => unknown): void;
}

async function emptyFolder(t: Lifetime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-docs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function serve(t: Lifetime, folder: string): Promise<string> {
  const handlers = docsHandlers({ folder });
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

async function build(folder: string): Promise<void> {
  for (const [path, text] of [
    ['index.html', 'home'],
    ['404.html', 'no such page'],
    ['start/install.html', 'install'],
    ['adr/index.html', 'decisions'],
    ['adr/0001-a.html', 'first'],
    ['assets/app.abc.js', 'let a = 1;'],
    ['assets/a.png', 'png'],
    ['.hidden', 'secret'],
    ['notes.md', 'source'],
  ] as const) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

test('pages are found without their extension, and everything else is not', async (t) => {
  const folder = await emptyFolder(t);
  await build(folder);
  const url = await serve(t, folder);
  const cases: [path: string, accept: string, status: number, text: string][] = [
    ['/docs/', 'text/html', 200, 'home'],
    ['/docs/start/install', 'text/html', 200, 'install'],
    ['/docs/start/install.html?q=1', '*/*', 200, 'install'],
    ['/docs/adr/', 'text/html', 200, 'decisions'],
    ['/docs/adr', 'text/html', 200, 'decisions'],
    ['/docs/assets/app.abc.js', '*/*', 200, 'let a = 1;'],
    ['/docs/assets/a.png', '*/*', 200, 'png'],
    ['/docs/nothing', 'text/html', 404, 'no such page'],
    ['/docs/nothing.js', '*/*', 404, '/docs/nothing.js: not found'],
    ['/docs/.hidden', '*/*', 404, '/docs/.hidden: not found'],
    ['/docs/notes.md', '*/*', 404, '/docs/notes.md: not found'],
    ['/docs/..%2f..%2fetc%2fpasswd', '*/*', 404, '/docs/..%2f..%2fetc%2fpasswd: not found'],
  ];
  for (const [path, accept, status, text] of cases) {
    const answer = await fetch(url + path, { headers: { accept } });
    assert.equal(answer.status, status, path);
    assert.equal(await answer.text(), text, path);
  }
  const page = await fetch(`${url}/docs/start/install`);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self';/);
  assert.equal(page.headers.get('cache-control'), 'no-cache');
  const asset = await fetch(`${url}/docs/assets/app.abc.js`);
  assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
  assert.equal((await fetch(`${url}/docs/`, { method: 'POST' })).status, 405);
});

test('the path without a slash leads to the site', async (t) => {
  const folder = await emptyFolder(t);
  await build(folder);
  const answer = await fetch(`${await serve(t, folder)}/docs`, { redirect: 'manual' });
  assert.equal(answer.status, 308);
  assert.equal(answer.headers.get('location'), '/docs/');
});

test('without a build one line says how to make it, and a build that appears is found', async (t) => {
  const folder = await emptyFolder(t);
  const url = await serve(t, folder);
  for (const path of ['/docs', '/docs/start/install']) {
    const answer = await fetch(url + path);
    assert.equal(answer.status, 404);
    assert.equal(await answer.text(), `${path}: the documentation is not built (npm run docs:site)`);
  }
  await build(folder);
  assert.equal((await fetch(`${url}/docs/`)).status, 200);
  await rm(folder, { recursive: true });
  const gone = await fetch(`${url}/docs/start/install`, { headers: { accept: 'text/html' } });
  assert.equal(gone.status, 404);
  assert.match(await gone.text(), /built again/);
});

test('files beyond what is kept are read again', async (t) => {
  const folder = await emptyFolder(t);
  await writeFile(join(folder, 'index.html'), 'home');
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, `${name}.png`), name.repeat(100));
  const files = (await BuiltFiles.open(folder, 250))!;
  for (const name of ['a', 'b', 'c']) await files.file(`/${name}.png`);
  for (const name of ['a', 'b', 'c']) await writeFile(join(folder, `${name}.png`), 'new');
  const texts: string[] = [];
  for (const name of ['b', 'c', 'a'])
    texts.push(String((await files.file(`/${name}.png`))!.bytes).slice(0, 3));
  assert.deepEqual(texts, ['bbb', 'ccc', 'new']);
});
