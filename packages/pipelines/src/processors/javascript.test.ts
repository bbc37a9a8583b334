import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Clock, type Log, silentLog, systemClock } from '@weir/core';
import { openProcessor, problemsOfProcessor, processed, shown } from '../../testing/open-processor.ts';
import { testServices } from '../../testing/run-pipeline.ts';
import type { PipelineServices } from '../component/component-context.ts';
import { Message } from '../component/message.ts';
import { listedAccess } from '../component/outbound-access.ts';

async function open(t: TestContext, code: string, services?: PipelineServices) {
  const processor = await openProcessor({ javascript: { code } }, services && { services });
  t.after(() => processor.close?.());
  return processor;
}

test('scripts read and change messages', async (t) => {
  // biome-ignore format: a table
  const cases: readonly [code: string, content: string, result: string][] = [
    ['bento.v0_msg_set_string(bento.v0_msg_as_string().toUpperCase())',                    'aü',            'AÜ'],
    ['(() => { let a = bento.v0_msg_as_structured(); a.b++; bento.v0_msg_set_structured(a) })()', '{"b":1,"c":[null]}', '{"b":2,"c":[null]}'],
    ['bento.v0_msg_set_structured("x")',                                                   '',              '"x"'],
    ['bento.v0_msg_set_structured([bento.v0_msg_exists_meta("k"), bento.v0_msg_exists_meta("no")])', '',    '[true,false]'],
    ['bento.v0_msg_set_string(bento.v0_msg_get_meta("k"))',                                '',              'v'],
    ['bento.v0_msg_get_meta("no")',                                                        'x',             '! Error: key not found'],
    ['bento.v0_msg_set_string()',                                                          'x',             '! Error: argument at position 0 is undefined'],
    ['bento.v0_msg_set_structured(() => 1)',                                               'x',             '! Error: argument at position 0 is undefined or no JSON'],
    ['bento.v0_msg_as_structured()',                                                       'no',            '! '],
    ['bento.v0_msg_set_string("lost"); throw new TypeError("mine")',                       'x',             '! TypeError: mine'],
    ['throw "text"',                                                                       'x',             '! text'],
    ['let = = 1',                                                                          'x',             '! SyntaxError: '],
    ['typeof process + typeof require + typeof fetch === "undefinedundefinedundefined" || fail()', 'x',     'x'],
    ['const f = () => f(); f()',                                                           'x',             '! InternalError: stack overflow'],
  ];
  for (const [code, content, result] of cases) {
    const [made] = await processed(await open(t, code), [Message.of(content, new Map([['k', 'v']]))]);
    const text = shown(made!);
    if (result.startsWith('! ')) {
      assert.ok(text.startsWith(result), `${code}: ${text}`);
      assert.equal(made!.content.toString(), content, code);
    } else assert.equal(text, result, code);
  }
});

test('metadata is set, and what is global outlives a message', async (t) => {
  const processor = await open(
    t,
    'var seen = (globalThis.seen || 0) + 1; bento.v0_msg_set_meta("n", {seen})',
  );
  const made = [
    ...(await processed(processor, [Message.of('a'), Message.of('b')])),
    ...(await processed(processor, [Message.of('c')])),
  ];
  assert.deepEqual(
    made.map(({ metadata }) => metadata.get('n')),
    [{ seen: 1 }, { seen: 2 }, { seen: 3 }],
  );
});

test('a script that takes too much fails, and the next message has a new engine', async (t) => {
  // Time passes by calls of the clock, so that no test waits for it.
  let nowMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => (nowMs += 1000) };
  const endless = await open(t, 'if (bento.v0_msg_as_string() === "x") for (;;) {}', {
    ...testServices(),
    clock,
  });
  const [failed, passed] = await processed(endless, [Message.of('x'), Message.of('y')]);
  assert.deepEqual(
    [failed, passed].map((made) => shown(made!)),
    ['! the script took longer than 5000 ms', 'y'],
  );
  const greedy = await open(
    t,
    'if (bento.v0_msg_as_string() === "x") { const all = []; for (;;) all.push(new Uint8Array(1000000)) }',
  );
  const results = await processed(greedy, [Message.of('x'), Message.of('y')]);
  assert.deepEqual(results.map(shown), ['! the script needs more than 67108864 bytes', 'y']);
});

test('scripts fetch, from where the pipeline may connect to', async (t) => {
  const server = createServer((request, response) =>
    response.writeHead(201).end(`${request.method} ${request.url} ${request.headers['x-a']}`),
  ).listen(0, '127.0.0.1');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/p`;
  const code = `bento.v0_msg_set_structured(bento.v0_fetch("${url}", {"X-A": bento.v0_msg_as_string()}, "PUT", "b"))`;
  const processor = await open(t, code);
  const both = await Promise.all([
    processed(processor, [Message.of('1'), Message.of('2')]),
    processed(processor, [Message.of('3')]),
  ]);
  assert.deepEqual(
    both.flat().map(shown),
    ['1', '2', '3'].map((n) => `{"status":201,"body":"PUT /p ${n}"}`),
  );
  const services = { ...testServices(), outbound: listedAccess(['public']) };
  const [refused] = await processed(await open(t, code, services), [Message.of('1')]);
  assert.match(shown(refused!), /^! .*the host 127.0.0.1 is an address that Weir may not connect to/);
});

test('lines of the console are logged', async (t) => {
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, warn: (_message, fields) => lines.push(fields?.line), with: () => log };
  const processor = await open(t, 'console.warn("a", {b: 1})', { ...testServices(), log });
  await processed(processor, [Message.of('x')]);
  assert.deepEqual(lines, ['a {"b":1}']);
});

test('a script is a text of the configuration, or a file of a person', () => {
  assert.deepEqual(problemsOfProcessor({ javascript: {} }), ['code or file is missing']);
  assert.deepEqual(problemsOfProcessor({ javascript: { code: '1', file: '/a' } }), [
    'file is not available in managed pipelines; run it with weir cli run-pipeline',
  ]);
  assert.deepEqual(problemsOfProcessor({ javascript: { code: '1', global_folders: ['/a'] } }, true), [
    'global_folders has to be empty: modules are not available in this release',
  ]);
});
