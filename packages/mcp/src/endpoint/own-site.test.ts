import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFromOwnSite } from './own-site.ts';

const here = 'http://127.0.0.1:9090';
const named = 'https://weir.example';

const table: [
  what: string,
  publicUrl: string,
  localAddress: string,
  host: string,
  origin: string | undefined,
  isOwn: boolean,
][] = [
  ['a program on this machine', here, '127.0.0.1', 'localhost:9090', undefined, true],
  ['the same over IPv6', here, '::1', '[::1]:9090', undefined, true],
  ['the same over a socket for both', here, '::ffff:127.0.0.1', '127.0.0.1:9090', undefined, true],
  ['a name that was bound to the loopback', here, '127.0.0.1', 'evil.example:9090', undefined, false],
  ['a program on another machine', here, '10.0.0.5', '10.0.0.5:9090', undefined, true],
  ['a page of this machine', here, '127.0.0.1', 'localhost:9090', 'http://localhost:6274', true],
  ['a page of another site', here, '127.0.0.1', 'localhost:9090', 'https://evil.example', false],
  ['a page of another site on the network', here, '10.0.0.5', 'evil.example', 'http://evil.example', false],
  ['a page without a site', here, '127.0.0.1', 'localhost:9090', 'null', false],
  ['a file', here, '127.0.0.1', 'localhost:9090', 'file://', false],
  ['a service with a name', named, '10.0.0.5', 'weir.example', undefined, true],
  ['behind a proxy of the same machine', named, '127.0.0.1', 'weir.example', undefined, true],
  ['by the name that a cluster gives it', named, '10.0.0.5', 'weir.svc.cluster.local', undefined, true],
  ['its own page', named, '10.0.0.5', 'weir.example', 'https://weir.example', true],
  ['its own page without HTTPS', named, '10.0.0.5', 'weir.example', 'http://weir.example', false],
  ['a page of the machine of a developer', named, '10.0.0.5', 'weir.example', 'http://localhost:6274', false],
  ['a name that begins alike', named, '10.0.0.5', 'weir.example', 'https://weir.example.evil', false],
];

for (const [what, publicUrl, localAddress, host, origin, isOwn] of table) {
  test(`${what}: ${isOwn ? 'let in' : 'turned away'}`, () => {
    const headers = origin === undefined ? { host } : { host, origin };
    assert.equal(isFromOwnSite(headers, { publicUrl, localAddress }), isOwn);
  });
}
