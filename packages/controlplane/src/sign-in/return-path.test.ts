import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { returnPath } from './return-path.ts';

const own = 'https://console.example';

test('return path: own paths are accepted, everything else leads home', () => {
  // biome-ignore format: a table
  const cases: [wanted: string | null, given: string][] = [
    [null,                               '/'],
    ['',                                 '/'],
    ['/',                                '/'],
    ['/clusters/vci_1?tab=topics#x',     '/clusters/vci_1?tab=topics#x'],
    ['/a?next=https://evil.example',     '/a?next=https://evil.example'],
    ['/%2f%2fevil.example',              '/%2f%2fevil.example'],
    ['/%5cevil.example',                 '/%5cevil.example'],
    ['/a/..//evil.example',              '/a/..//evil.example'],
    ['/@evil.example',                   '/@evil.example'],
    ['clusters',                         '/'],
    ['https://evil.example',             '/'],
    ['https:evil.example',               '/'],
    ['HTTPS://console.example/',         '/'],
    ['//evil.example',                   '/'],
    ['///evil.example',                  '/'],
    ['/\\evil.example',                  '/'],
    ['\\\\evil.example',                 '/'],
    ['/\t/evil.example',                 '/'],
    ['\t//evil.example',                 '/'],
    [' //evil.example',                  '/'],
    ['/\n/evil.example',                 '/'],
    ['/a\r\nset-cookie: x=y',            '/'],
    ['javascript:alert(1)',              '/'],
    ['data:text/html,x',                 '/'],
    ['%2f%2fevil.example',               '/'],
    ['/größe',                           '/'],
    ['/login/sso/example',               '/'],
    ['/./login/sso/example',             '/'],
    ['/x/../login/callback?code=1',      '/'],
    [`/${'x'.repeat(2048)}`,             '/'],
  ];
  for (const [wanted, given] of cases) assert.equal(returnPath(wanted, '/'), given, JSON.stringify(wanted));
});

/** Texts that resemble attacks, and any others. */
const piece = fc.constantFrom(
  '/',
  '\\',
  '//',
  'evil.example',
  '@',
  ':',
  '..',
  '.',
  '%2f',
  '%5c',
  '\t',
  '\n',
  '?',
  '#',
  'https',
  'javascript:',
  'a',
);
const anyText = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
  fc.webUrl(),
);

test('return path: for any input a browser stays on our own origin', () => {
  fc.assert(
    fc.property(anyText, (wanted) => {
      const given = returnPath(wanted, '/');
      assert.equal(new URL(given, `${own}/login/callback?connection=example`).origin, own);
      assert.match(given, /^\/(?![/\\])[\x21-\x7e]*$/);
    }),
    { numRuns: 2_000 },
  );
});
