import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom, systemClock } from '@weir/core';
import { catalogueWith, testServices } from '../../testing/run-pipeline.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import type { object, Values } from '../component/field.ts';
import { HeldBack } from '../component/held-back.ts';
import { Resources } from '../component/resources.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { signingFields } from './auth-fields.ts';
import { digestOf } from './digest-auth.ts';
import { HttpClient, type HttpValues, httpFields } from './index.ts';
import { boundaryOf, readMultipart } from './multipart.ts';
import { signerOf } from './sign-request.ts';

/** The values of fields of a component. */
function valuesOf<T>(fields: Parameters<typeof object>[1], config: object): T {
  let found: unknown;
  const spec = componentOf('output', {
    name: 'probe',
    about: 'Keeps its values.',
    fields,
    open: () => assert.fail(),
    check: (values) => (found = values),
  });
  const yaml = `input: {generate: {mapping: 'root = {}'}}\noutput: ${JSON.stringify({ probe: config })}`;
  const { problems } = readConfiguration(yaml, { catalogue: catalogueWith(spec), isLocal: true });
  assert.deepEqual(problems, []);
  return found as T;
}

const context: ComponentContext = {
  ...testServices(),
  label: '',
  path: 'root',
  connection() {},
  resources: new Resources(),
  heldBack: new HeldBack(),
  open: () => assert.fail(),
  stop: new AbortController().signal,
};

test('an answer without end is read as it arrives, and closing it ends the connection', async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response
      .on('close', () => closed.resolve())
      .writeHead(200, { 'x-a': '1' })
      .write('one\n');
  }).listen(0, '127.0.0.1');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { url, extract_headers: { include_prefixes: ['x-'] } };
  const client = await HttpClient.open(valuesOf<HttpValues>(httpFields('GET'), config), context);
  const answer = await client.stream([], context.stop);
  for await (const chunk of answer.body) {
    assert.equal(chunk.toString(), 'one\n');
    break;
  }
  assert.deepEqual(Object.fromEntries(answer.metadata), { http_status_code: 200, 'x-a': '1' });
  await answer.close();
  await closed.promise;
  await client.close();
});

test('requests are signed by OAuth 1, with the parameters of the query', async () => {
  const oauth = {
    enabled: true,
    consumer_key: 'dpf43f3p2l4k3l03',
    consumer_secret: 'kd94hf93k423kf44',
    access_token: 'nnch734d00sl2jdk',
    access_token_secret: 'pfkkdhi9sl3r4s00',
  };
  const values = valuesOf<Values<typeof signingFields>>(signingFields, { oauth });
  // The example of the OAuth Core 1.0 specification, appendix A.5.
  const signer = await signerOf(values, {
    clock: { ...systemClock, nowMs: () => 1_191_242_096_000 },
    random: { ...seededRandom(1), below: () => 'kllo9940pd9333jh' as unknown as number },
  });
  const url = new URL('http://photos.example.net/photos?file=vacation.jpg&size=original');
  assert.match(signer('GET', url)!, /^OAuth .*oauth_signature="tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D"$/);
});

test('tokens are signed with a key of a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-'));
  t.after(() => rm(folder, { recursive: true }));
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ed25519 = generateKeyPairSync('ed25519');
  for (const [signing_method, { privateKey, publicKey }] of [
    ['RS384', rsa],
    ['EdDSA', ed25519],
  ] as const) {
    const private_key_file = join(folder, signing_method);
    await writeFile(private_key_file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const jwt = {
      enabled: true,
      private_key_file,
      signing_method,
      claims: { sub: 'me', a: [1] },
      headers: { kid: 'k' },
    };
    const signer = await signerOf(valuesOf<Values<typeof signingFields>>(signingFields, { jwt }), context);
    const [header, claims, signature] = signer('GET', new URL('http://a'))!.replace('Bearer ', '').split('.');
    const decoded = [header, claims].map((part) => JSON.parse(Buffer.from(part!, 'base64url').toString()));
    assert.deepEqual(decoded, [
      { alg: signing_method, typ: 'JWT', kid: 'k' },
      { sub: 'me', a: [1] },
    ]);
    const digest = signing_method === 'EdDSA' ? undefined : 'sha384';
    const text = Buffer.from(`${header}.${claims}`);
    assert.ok(verify(digest, text, publicKey, Buffer.from(signature!, 'base64url')));
  }
});

test('digests are those of RFC 7616', () => {
  const challenge =
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=ALG, ' +
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  const user = { username: 'Mufasa', password: 'Circle of Life' };
  const request = {
    method: 'GET',
    path: '/dir/index.html',
    nonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  };
  // biome-ignore format: a table
  const cases: readonly [algorithm: string, response: string | undefined][] = [
    ['MD5',         '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256',     '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
    ['SHA-512-256', undefined],
  ];
  for (const [algorithm, response] of cases) {
    const header = digestOf(challenge.replace('ALG', algorithm), user, request);
    assert.equal(/response="(\w+)"/.exec(header ?? '')?.[1], response, algorithm);
  }
  assert.equal(digestOf('Basic realm="a"', user, request), undefined);
});

test('answers with parts are read as messages', () => {
  // biome-ignore format: a table
  const cases: readonly [body: string, parts: string[] | RegExp][] = [
    ['--b\r\nA: 1\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--',   ['one', 'two']],
    ['before\r\n--b\r\nA: 1\r\n\r\n\r\n--b--\r\nafter',     ['']],
    ['--b--',                                               []],
    ['--b\r\nA: 1\r\n\r\none',                              /has no end/],
    ['nothing',                                             /has no end/],
    ['--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b\r\n\r\n3\r\n--b--', /more than 2 parts/],
  ];
  for (const [body, parts] of cases) {
    const read = () => readMultipart(Buffer.from(body), 'b', 2).map(String);
    if (Array.isArray(parts)) assert.deepEqual(read(), parts, body);
    else assert.throws(read, parts, body);
  }
  assert.equal(boundaryOf('multipart/mixed; charset=x; boundary="a b"'), 'a b');
  assert.equal(boundaryOf('multipart/form-data; boundary=ab;x=1'), 'ab');
  assert.equal(boundaryOf('text/plain; boundary=ab'), undefined);
});
