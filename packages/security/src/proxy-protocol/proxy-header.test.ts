import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { coreLimits } from '@weir/core';
import fc from 'fast-check';
import { securityLimits } from '../limits.ts';
import { ProxyRefusal, readProxiedClient, userIn } from './proxied-client.ts';
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts';

const signature = '0d0a0d0a000d0a515549540a';
const ipv4 = 'c0000201' + 'cb007105' + 'd431' + '2384';
const ipv6 = '20010db8000000000000000000000001' + '20010db8000000000000000000000002' + 'd431' + '2384';

function hex(...parts: string[]): Buffer {
  return Buffer.from(parts.join(''), 'hex');
}

/** Builds a header with the length of its body. */
function header(versionAndCommand: string, familyAndProtocol: string, body: string): Buffer {
  const length = (body.length / 2).toString(16).padStart(4, '0');
  return hex(signature, versionAndCommand, familyAndProtocol, length, body);
}

function field(type: number, value: string | Buffer): string {
  const bytes = Buffer.from(value);
  const head = Buffer.alloc(3);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]).toString('hex');
}

test('a header has the address of the client', () => {
  const cases: [what: string, bytes: Buffer, source: ProxyHeader['source'], isLocal: boolean][] = [
    ['IPv4', header('21', '11', ipv4), { address: '192.0.2.1', port: 54321 }, false],
    ['IPv6', header('21', '21', ipv6), { address: '2001:db8::1', port: 54321 }, false],
    [
      'IPv4 with fields',
      header('21', '11', ipv4 + field(0xea, 'x')),
      { address: '192.0.2.1', port: 54321 },
      false,
    ],
    ['a Unix socket', header('21', '31', '61'.repeat(216)), undefined, false],
    ['an unspecified family and protocol', header('21', '00', ''), undefined, false],
    ['IPv4 over an unspecified protocol', header('21', '10', ipv4), undefined, false],
    ['the proxy itself', header('20', '00', ''), undefined, true],
    ['the proxy itself, with an address', header('20', '11', ipv4), undefined, true],
    ['the proxy itself, with nonsense', header('20', 'ff', 'abcdef'), undefined, true],
  ];
  for (const [what, bytes, source, isLocal] of cases) {
    const parsed = parseProxyHeader(Buffer.concat([bytes, Buffer.from('what comes behind')]));
    assert.partialDeepStrictEqual(
      parsed,
      { kind: 'header', bytes: bytes.length, header: { source, isLocal } },
      what,
    );
  }
});

test('anything but a header of version 2 is refused', () => {
  const cases: [what: string, bytes: Buffer, problem: RegExp][] = [
    ['version 1', Buffer.from('PROXY TCP4 192.0.2.1 203.0.113.5 54321 9092\r\n'), /version 1; expected 2/],
    ['a Kafka request', hex('00000014', '00120000', '00000001'), /no PROXY header/],
    ['a TLS handshake', hex('160301'), /no PROXY header/],
    ['version 3', header('31', '11', ipv4), /version 3/],
    ['an unknown command', header('22', '11', ipv4), /unknown command 2/],
    ['an unknown family', header('21', '41', ipv4), /unknown address family and protocol 0x41/],
    ['an unknown protocol', header('21', '13', ipv4), /unknown address family and protocol 0x13/],
    ['datagrams', header('21', '12', ipv4), /datagram protocol/],
    ['a short address', header('21', '21', ipv4), /truncated addresses/],
    ['a field without its length', header('21', '11', `${ipv4}ea00`), /truncated TLV/],
    ['a field that is longer than the header', header('21', '11', `${ipv4}ea0002aa`), /truncated TLV/],
    [
      'a repeated field',
      header('21', '11', ipv4 + field(0xea, 'a') + field(0xea, 'b')),
      /duplicate TLV 0xea/,
    ],
    ['a length beyond the limit', hex(signature, '2111', 'ffff'), /limit of 4096/],
  ];
  for (const [what, bytes, problem] of cases) {
    const parsed = parseProxyHeader(bytes);
    assert.ok(parsed.kind === 'malformed', what);
    assert.match(parsed.problem, problem, what);
  }
});

const anyHeader = fc
  .record({
    isV6: fc.boolean(),
    fields: fc.uniqueArray(fc.tuple(fc.integer({ min: 0xe0, max: 0xff }), fc.uint8Array({ maxLength: 40 })), {
      selector: ([type]) => type,
      maxLength: 5,
    }),
  })
  .map(({ isV6, fields }) =>
    header(
      '21',
      isV6 ? '21' : '11',
      (isV6 ? ipv6 : ipv4) + fields.map(([type, value]) => field(type, Buffer.from(value))).join(''),
    ),
  );

test('a truncated header is incomplete, and nothing is read beyond the end of a header', () => {
  fc.assert(
    fc.property(anyHeader, fc.uint8Array(), fc.nat(), (bytes, behind, cut) => {
      const at = cut % bytes.length;
      assert.equal(parseProxyHeader(bytes.subarray(0, at)).kind, 'incomplete');
      const whole = parseProxyHeader(Buffer.concat([bytes, behind]));
      assert.ok(whole.kind === 'header');
      assert.equal(whole.bytes, bytes.length);
    }),
  );
});

test('any bytes give one of three results, and a final result does not change with more bytes', () => {
  const almost = fc.tuple(anyHeader, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([bytes, at, octet]) => {
    const changed = Buffer.from(bytes);
    changed[at % changed.length] = octet;
    return changed;
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        almost,
      ),
      fc.uint8Array(),
      (bytes, more) => {
        const first = parseProxyHeader(bytes);
        if (first.kind === 'incomplete') assert.ok(bytes.length < securityLimits.proxyHeaderBytesMax);
        else assert.deepEqual(parseProxyHeader(Buffer.concat([bytes, more])).kind, first.kind);
      },
    ),
  );
});

test('the principal comes from the configured field', () => {
  const named = (value: string | Buffer): ProxyHeader => ({
    source: undefined,
    isLocal: false,
    fields: new Map([[0xe5, Buffer.from(value)]]),
  });
  const cases: [what: string, header: ProxyHeader, principalType: number | undefined, expected: object][] = [
    ['a user', named('User:alice'), 0xe5, { username: 'alice' }],
    ['a distinguished name', named('User:CN=a,O=b'), 0xe5, { username: 'CN=a,O=b' }],
    ['no configured principal type', named('User:alice'), undefined, { username: undefined }],
    ['the proxy itself', { ...named('User:alice'), isLocal: true }, 0xe5, { username: undefined }],
  ];
  for (const [what, given, principalType, expected] of cases)
    assert.deepEqual(userIn(given, { principalType }), expected, what);
  const refused: [what: string, header: ProxyHeader, problem: RegExp][] = [
    ['another field', { ...named(''), fields: new Map([[0xe6, Buffer.from('User:a')]]) }, /missing TLV 0xE5/],
    ['no kind', named('alice'), /does not start with User:/],
    ['another kind', named('Group:alice'), /does not start with User:/],
    ['no name', named('User:'), /is empty/],
    ['the anonymous user', named('User:ANONYMOUS'), /is ANONYMOUS/],
    ['a line break', named('User:a\nb'), /has a control character/],
    [
      'a name that is too long',
      named(`User:${'x'.repeat(coreLimits.principalNameCharsMax + 1)}`),
      /more than 1024/,
    ],
    ['no text', named(hex('557365723aff')), /not UTF-8/],
  ];
  for (const [what, given, problem] of refused) {
    const user = userIn(given, { principalType: 0xe5 });
    assert.ok('problem' in user, what);
    assert.match(user.problem, problem, what);
  }
});

async function connected(t: TestContext): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];
  accepted.on('error', () => {});
  t.after(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  return { client, accepted };
}

test('the header is read from a connection and the rest is left on it', async (t) => {
  const { client, accepted } = await connected(t);
  client.write(Buffer.concat([header('21', '11', ipv4 + field(0xe5, 'User:alice')), Buffer.from('kafka')]));
  const found = await readProxiedClient(accepted, { principalType: 0xe5 });
  assert.deepEqual(found, { source: { address: '192.0.2.1', port: 54321 }, username: 'alice' });
  assert.equal(String(accepted.read()), 'kafka');
});

test('a connection that ends early or sends something else is refused', async (t) => {
  const cases: [what: string, write: (client: Socket) => void, problem: RegExp][] = [
    ['nothing', (client) => client.end(), /closed before/],
    ['half a header', (client) => client.end(hex(signature)), /closed before/],
    ['something else', (client) => client.write('GET / HTTP/1.1'), /no PROXY header/],
  ];
  for (const [what, write, problem] of cases) {
    const { client, accepted } = await connected(t);
    write(client);
    await assert.rejects(readProxiedClient(accepted, { principalType: undefined }), (error) => {
      assert.ok(error instanceof ProxyRefusal, what);
      assert.match(error.message, problem, what);
      return true;
    });
  }
});
