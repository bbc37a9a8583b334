import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfThisMachine } from './this-machine.ts';

// biome-ignore format: a table
const cases: [address: string, headers: Record<string, string>, expected: boolean][] = [
  ['127.0.0.1',        { host: 'localhost:8080' },                                  true],
  ['127.0.0.1',        { host: '127.0.0.1:8080', 'user-agent': 'curl' },            true],
  ['127.0.0.6',        { host: 'localhost' },                                       true],
  ['::1',              { host: '[::1]:8080' },                                      true],
  ['::ffff:127.0.0.1', { host: 'LOCALHOST:8080' },                                  true],
  ['127.0.0.1',        { host: 'localhost:8080', 'sec-fetch-site': 'none' },        true],
  // Other machines, whatever they say.
  ['10.0.0.7',         { host: 'localhost:8080' },                                  false],
  ['::ffff:10.0.0.7',  { host: '127.0.0.1' },                                       false],
  ['128.0.0.1',        { host: 'localhost' },                                       false],
  ['',                 { host: 'localhost' },                                       false],
  // Names that lead here, as a page may have one.
  ['127.0.0.1',        { host: 'pages.example:8080' },                              false],
  ['127.0.0.1',        { host: 'localhost.pages.example' },                         false],
  ['127.0.0.1',        { host: '127.0.0.1.pages.example' },                         false],
  ['127.0.0.1',        { host: 'a@localhost@pages.example' },                       false],
  ['127.0.0.1',        { host: '10.0.0.7:8080' },                                   false],
  ['127.0.0.1',        { host: '' },                                                false],
  ['127.0.0.1',        {},                                                          false],
  // Pages in a browser, and proxies.
  ['127.0.0.1',        { host: 'localhost', origin: 'http://localhost' },           false],
  ['127.0.0.1',        { host: 'localhost', referer: 'https://pages.example/' },    false],
  ['127.0.0.1',        { host: 'localhost', 'sec-fetch-site': 'cross-site' },       false],
  ['127.0.0.1',        { host: 'localhost', 'sec-fetch-site': 'same-origin' },      false],
  ['127.0.0.1',        { host: 'localhost', 'x-forwarded-for': '10.0.0.7' },        false],
  ['127.0.0.1',        { host: 'localhost', forwarded: 'for=10.0.0.7' },            false],
  ['127.0.0.1',        { host: 'localhost', via: '1.1 proxy' },                     false],
  ['127.0.0.6',        { host: 'localhost', 'x-envoy-attempt-count': '1' },         false],
  ['127.0.0.1',        { host: 'localhost', 'x-real-ip': '10.0.0.7' },              false],
];

test('only programs on the machine of the agent are of this machine', () => {
  for (const [address, headers, expected] of cases)
    assert.equal(isOfThisMachine(address, headers), expected, `${address} ${JSON.stringify(headers)}`);
});
