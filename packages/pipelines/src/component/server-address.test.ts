import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListOfServers, type Schemes, serverAddresses } from './server-address.ts';

const schemes: Schemes = { nats: { port: 4222 }, tls: { port: 4222, usesTls: true } };

test('URLs of servers, with commas and without schemes', () => {
  // biome-ignore format: a table
  const cases: readonly [urls: string[], expected: string[]][] = [
    [['nats://a:1'],                ['a 1 plain']],
    [['a', 'b:2,tls://c, '],        ['a 4222 plain', 'b 2 plain', 'c 4222 tls']],
    [['nats://[::1]:3'],            ['::1 3 plain']],
    [['nats://u:p%40@a'],           ['a 4222 plain u p@']],
  ];
  for (const [urls, expected] of cases)
    assert.deepEqual(
      serverAddresses(urls, schemes)!.map(({ host, port, usesTls, username, password }) =>
        `${host} ${port} ${usesTls ? 'tls' : 'plain'} ${username} ${password}`.trim(),
      ),
      expected,
    );
});

test('what is no list of servers is refused', () => {
  const rule = isListOfServers(schemes, 'nats://host:4222');
  for (const urls of [[], [''], ['http://a'], ['nats://'], ['nats://a:99999'], ['nats://%zz@a']])
    assert.match(rule(urls)!, /has to have URLs such as nats:\/\/host:4222/, urls.join());
  assert.match(rule(Array(101).fill('a'))!, /may have 100 URLs/);
  assert.equal(rule(['a']), undefined);
});
