import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { clusterLimits } from '@weir/cluster/limits';
import fc from 'fast-check';
import { type CertificateOptions, TestCa } from '../../testing/test-ca.ts';
import { certificateNames } from './certificate-names.ts';
import { clientNames, type NameRule } from './client-names.ts';
import { DerError } from './der.ts';
import { parseSpiffeId, spiffeIdOf } from './spiffe-id.ts';

const ca = await TestCa.create();

test('a subject is printed as in Java', async () => {
  // The expected names are what X500Principal.getName() of Java 17 gave for the same certificates.
  // The types of the library know fewer kinds of text than it writes.
  const cases: [subject: unknown, expected: string][] = [
    ['C=DE, O=Org, OU=team, CN=kafka', 'CN=kafka,OU=team,O=Org,C=DE'],
    [
      [{ CN: ['with, comma'] }, { O: ['a=b#c+d<e>f;g"h'] }],
      'O=a\\=b\\#c\\+d\\<e\\>f\\;g\\"h,CN=with\\, comma',
    ],
    [[{ CN: [' lead and trail '] }], 'CN=\\ lead and trail\\ '],
    [[{ CN: [{ utf8String: '#x' }] }], 'CN=\\#x'],
    [[{ E: ['a@b.c'] }, { CN: ['x'] }], 'CN=x,1.2.840.113549.1.9.1=#16056140622e63'],
    [
      [{ '2.5.4.5': ['123'] }, { DC: ['com'] }, { '0.9.2342.19200300.100.1.1': ['me'] }],
      'UID=me,DC=com,2.5.4.5=#1303313233',
    ],
    [[{ CN: ['a'], OU: ['b'] }], 'CN=a+OU=b'],
    [[{ CN: [{ bmpString: 'bmp' }] }], 'CN=\\00b\\00m\\00p'],
    [[{ CN: ['Jürgen 日本 😀'] }], 'CN=Jürgen 日本 😀'],
    [
      [{ '2.5.4.9': ['s'] }, { '2.5.4.12': ['title'] }, { ST: ['st'] }, { L: ['l'] }],
      'L=l,ST=st,2.5.4.12=#13057469746c65,STREET=s',
    ],
    [[], ''],
    [[{ CN: ['line\nbreak\r'] }], 'CN=line\nbreak\\\r'],
    [[{ CN: ['nul\0x'] }], 'CN=nul\\00x'],
  ];
  for (const [subject, expected] of cases) {
    const { certificate } = await ca.issue({
      subject: subject as NonNullable<CertificateOptions['subject']>,
    });
    assert.equal(certificateNames(new X509Certificate(certificate).raw).subject, expected);
  }
});

test('subject alternative names are found', async () => {
  const { certificate } = await ca.issue({
    subject: 'CN=x',
    dns: ['A.example', '*.b.example'],
    ips: ['127.0.0.1'],
    uris: ['spiffe://a/b', 'https://c/d'],
  });
  assert.deepEqual(certificateNames(new X509Certificate(certificate).raw), {
    subject: 'CN=x',
    uris: ['spiffe://a/b', 'https://c/d'],
    hosts: ['a.example', '*.b.example'],
  });
});

test('a certificate with any byte changed or cut is either parsed or refused', async () => {
  const { certificate } = await ca.issue({ subject: 'C=DE, CN=x', uris: ['spiffe://a/b'] });
  const { raw } = new X509Certificate(certificate);
  fc.assert(
    fc.property(
      fc.nat(raw.length - 1),
      fc.integer({ min: 0, max: 255 }),
      fc.nat(raw.length),
      (at, octet, end) => {
        const changed = Buffer.from(raw);
        changed[at] = octet;
        for (const bytes of [changed, changed.subarray(0, end)]) {
          try {
            certificateNames(bytes);
          } catch (error) {
            assert.ok(error instanceof DerError, String(error));
          }
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

const rule = (pattern: string, replacement: string, letterCase: 'L' | 'U' | '' = ''): NameRule => ({
  kind: 'rule',
  pattern,
  replacement,
  letterCase,
});
const fallback: NameRule = { kind: 'default' };

test('rules and subjects that would take too long are refused', () => {
  const costly = [rule('.{0,999}'.repeat(455), 'x')];
  assert.throws(() => clientNames({ rules: costly, takesSpiffeIds: false }), /repeats too much/);
  const nameOf = clientNames({ rules: [rule('(.*)', '$1'), fallback], takesSpiffeIds: false });
  const subject = `CN=${'a'.repeat(clusterLimits.patternTextCharsMax)}`;
  assert.match(
    (nameOf({ subject, uris: [] }) as { problem: string }).problem,
    /^subject of 2051 characters exceeds the limit of 2048$/,
  );
});

test('rules map subjects to names as in Kafka', () => {
  const subject = 'CN=Duke,OU=ServiceUsers,O=Org,C=US';
  const cases: [rules: readonly NameRule[], expected: string | RegExp][] = [
    [[fallback], subject],
    [[rule('^CN=(.*?),OU=ServiceUsers.*$', '$1')], 'Duke'],
    [[rule('^CN=(.*?),OU=ServiceUsers.*$', '$1', 'L')], 'duke'],
    [[rule('^CN=(.*?),OU=(.*?),O=(.*?),.*$', '$1@$2.$3', 'U')], 'DUKE@SERVICEUSERS.ORG'],
    [[rule('^CN=([^,]*),.*$', '$1-$$1'.replace('$$', '\\$'))], 'Duke-$1'],
    [[rule('^CN=nobody.*$', 'x'), fallback], subject],
    [[rule('^CN=nobody.*$', 'x'), rule('^.*O=(\\w+),.*$', '$1')], 'Org'],
    // Does not match the whole name.
    [[rule('CN=Duke', 'x')], /no rule .* matches CN=Duke/],
    [[rule('^.*$', '')], /the user name from .* is empty/],
    [[rule('^.*$', 'ANONYMOUS')], /is ANONYMOUS/],
    [[rule('^.*$', '*')], /is \*, which/],
    [[], /no rule/],
  ];
  for (const [rules, expected] of cases) {
    const name = clientNames({ rules, takesSpiffeIds: false })({ subject, uris: [] });
    if (typeof expected === 'string') assert.deepEqual(name, { username: expected });
    else assert.match('problem' in name ? name.problem : '', expected);
  }
});

test('an invalid rule is refused at the start', () => {
  const cases: [NameRule, RegExp][] = [
    [rule('(', 'x'), /missing closing/],
    [rule('(?=x)', 'x'), /unsupported/],
    [rule('(a)', '$2'), /names the group 2/],
    [rule('a', '$'), /has a \$ without a group/],
    [rule('(?P<n>a)', '$'.concat('{m}')), /names the group m/],
  ];
  for (const [bad, problem] of cases)
    assert.throws(() => clientNames({ rules: [bad], takesSpiffeIds: false }), problem);
});

test('a SPIFFE id has one valid format', () => {
  const good: [text: string, trustDomain: string, workloadId: string][] = [
    ['spiffe://prod.example/ns/default/sa/web', 'prod.example', 'ns/default/sa/web'],
    ['spiffe://a_b-c.1/X.y_Z', 'a_b-c.1', 'X.y_Z'],
  ];
  for (const [text, trustDomain, workloadId] of good)
    assert.deepEqual(parseSpiffeId(text), { id: { trustDomain, workloadId, text } });
  const bad = [
    'spiffe://prod.example',
    'spiffe://prod.example/',
    'spiffe:///web',
    'spiffe://Prod.example/web',
    'spiffe://user@prod.example/web',
    'spiffe://prod.example:8443/web',
    'spiffe://prod.example/web/',
    'spiffe://prod.example//web',
    'spiffe://prod.example/../web',
    'spiffe://prod.example/web?x=1',
    'spiffe://prod.example/web#x',
    'spiffe://prod.example/w%65b',
    'SPIFFE://prod.example/web',
    'https://prod.example/web',
    `spiffe://prod.example/${'x'.repeat(2048)}`,
  ];
  for (const text of bad) assert.ok('problem' in parseSpiffeId(text), text);
});

test('a certificate has one SPIFFE id or none', () => {
  assert.deepEqual(spiffeIdOf([]), { id: undefined });
  assert.deepEqual(spiffeIdOf(['https://a', 'https://b']), { id: undefined });
  assert.partialDeepStrictEqual(spiffeIdOf(['spiffe://a/b']), { id: { text: 'spiffe://a/b' } });
  for (const uris of [
    ['spiffe://a/b', 'spiffe://a/c'],
    ['spiffe://a/b', 'https://c'],
    ['Spiffe://a/b'],
    ['spiffe:x'],
  ])
    assert.ok('problem' in spiffeIdOf(uris), uris.join());
});
