import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { startFakeGcs } from '@weir/storage/testing';
import { KeptFailures } from '../../testing/kept-failures.ts';
import { ObjectServer } from '../../testing/object-server.ts';
import { Collected, catalogueWith, runPipeline, testServices } from '../../testing/run-pipeline.ts';
import { componentOf } from '../component/component-spec.ts';
import { Message } from '../component/message.ts';
import { listedAccess } from '../component/outbound-access.ts';
import { readConfiguration } from '../config/read-configuration.ts';
import { Opening } from '../engine/open-component.ts';

/** Lines, so that an object has several messages. */
const linesScanner = componentOf('scanner', {
  name: 'test_lines',
  about: 'Cuts at line feeds, for tests.',
  fields: {},
  open: () => ({
    async *scan(source) {
      let text = '';
      for await (const part of source) text += part.toString();
      if (text.includes('broken')) throw new Error('not lines');
      for (const line of text.split('\n')) yield [Message.of(line)];
    },
  }),
});

async function serverOf(t: TestContext): Promise<{ server: ObjectServer; access: string }> {
  const server = new ObjectServer();
  const endpoint = await server.start();
  t.after(() => server.stop());
  const access = `
    endpoint: ${endpoint}
    force_path_style_urls: true
    region: eu-west-1
    credentials: {id: AK, secret: SK}`;
  return { server, access };
}

const numbers = (count: number, batchSize = 1) => `
input:
  generate:
    mapping: |
      root = "message " + counter().string()
      meta kind = "test"
      meta _hidden = "no"
    interval: ""
    count: ${count}
    batch_size: ${batchSize}
`;

test('each message becomes an object with its headers', async (t) => {
  const { server, access } = await serverOf(t);
  await runPipeline(`${numbers(2)}
output:
  aws_s3:
    bucket: bucket
    path: 'in/\${! content().string().split(" ").index(1) }.txt'
    content_type: text/plain
    tags: {b: two words, a: "\${! meta(\\"kind\\") }"}
    storage_class: STANDARD_IA
    metadata: {exclude_prefixes: [_]}
${access}
`);
  assert.deepEqual([...server.objects.keys()].toSorted(), ['in/1.txt', 'in/2.txt']);
  const { content, headers } = server.objects.get('in/1.txt')!;
  assert.equal(content.toString(), 'message 1');
  assert.equal(headers['content-type'], 'text/plain');
  assert.equal(headers['x-amz-tagging'], 'a=test&b=two%20words');
  assert.equal(headers['x-amz-storage-class'], 'STANDARD_IA');
  assert.equal(headers['x-amz-meta-kind'], 'test');
  assert.equal(headers['x-amz-meta-_hidden'], undefined);
  assert.match(headers.authorization!, /^AWS4-HMAC-SHA256 Credential=AK\/.*x-amz-tagging/);
});

test('of a batch, only objects that were not stored are written again', async (t) => {
  const { server, access } = await serverOf(t);
  let failures = 1;
  server.fail = (method, key) => (method === 'PUT' && key === '2' && failures-- > 0 ? 503 : undefined);
  await runPipeline(`${numbers(3, 3)}
output:
  aws_s3:
    bucket: bucket
    path: '\${! content().string().split(" ").index(1) }'
${access}
`);
  const puts = server.seen.filter(({ method }) => method === 'PUT').map(({ url }) => url);
  assert.deepEqual(puts, ['/bucket/1', '/bucket/2', '/bucket/3', '/bucket/2']);
});

test('a value that would break a header is refused, and no request is sent', async (t) => {
  const { server, access } = await serverOf(t);
  const failures = new KeptFailures();
  await runPipeline(
    `${numbers(1)}
output:
  keep_failures:
    output:
      aws_s3:
        bucket: bucket
        content_type: "text/plain\\r\\nx-amz-acl: public-read"
${access.replaceAll('\n    ', '\n        ')}
`,
    { specs: [failures.spec] },
  );
  assert.equal(server.seen.length, 0);
  assert.match(failures.errors.join(), /no header has/);
});

test('objects are read in the order of their keys, page by page, and deleted when their messages are written', async (t) => {
  const { server, access } = await serverOf(t);
  server.put('in/a', 'a1\na2', { 'x-amz-meta-owner': 'me', 'content-type': 'text/plain' });
  for (const key of ['in/b', 'in/c', 'in/d', 'in/e']) server.put(key, key);
  server.put('in/', '');
  server.put('other', 'x');
  const collected = new Collected();
  collected.fail = (_, attempt) => {
    if (attempt === 2) throw new Error('not yet');
  };
  await runPipeline(
    `
input:
  aws_s3:
    bucket: bucket
    prefix: in/
    delete_objects: true
    scanner: {test_lines: {}}
${access}
output: {collect: {}}
`,
    { collected, specs: [linesScanner] },
  );
  assert.deepEqual(collected.texts.toSorted(), ['a1', 'a2', 'in/b', 'in/c', 'in/d', 'in/e']);
  assert.deepEqual(Object.fromEntries(collected.batches[0]![0]!.metadata), {
    s3_key: 'in/a',
    s3_bucket: 'bucket',
    s3_last_modified: '2025-01-01T00:00:00Z',
    s3_last_modified_unix: 1735689600,
    s3_content_type: 'text/plain',
    owner: 'me',
  });
  assert.deepEqual([...server.objects.keys()].toSorted(), ['in/', 'other']);
});

test('an object that cannot be cut into messages is skipped and kept', async (t) => {
  const { server, access } = await serverOf(t);
  server.put('a', 'broken');
  server.put('b', 'fine');
  const collected = await runPipeline(
    `
input:
  aws_s3:
    bucket: bucket
    delete_objects: true
    scanner: {test_lines: {}}
${access}
output: {collect: {}}
`,
    { specs: [linesScanner] },
  );
  assert.deepEqual(collected.texts, ['fine']);
  assert.deepEqual([...server.objects.keys()], ['a']);
});

test('a server that fails for a while is asked again', async (t) => {
  const { server, access } = await serverOf(t);
  server.put('a', 'fine');
  const failures: Record<string, number> = { GET: 2, HEAD: 1 };
  server.fail = (method) => {
    const left = failures[method] ?? 0;
    failures[method] = left - 1;
    return left > 0 ? 500 : undefined;
  };
  const collected = await runPipeline(
    `
input:
  aws_s3:
    bucket: bucket
    scanner: {test_lines: {}}
${access}
output: {collect: {}}
`,
    { specs: [linesScanner] },
  );
  assert.deepEqual(collected.texts, ['fine']);
});

test('a managed pipeline has the credentials of its configuration, and connects to allowed hosts only', async (t) => {
  const { server, access } = await serverOf(t);
  const [withCredentials, without] = [access, access.replace(/credentials:.*/, '')];
  const cases: readonly [name: string, yaml: string, outbound: string[], expected: RegExp][] = [
    ['no credentials', without, ['loopback'], /set credentials.id and credentials.secret/],
    ['ec2', `${without}credentials: {id: A, secret: B, from_ec2_role: true}`, ['loopback'], /of the machine/],
    ['not allowed', withCredentials, ['public'], /may not connect to/],
  ];
  for (const [name, yaml, entries, expected] of cases) {
    const failures = new KeptFailures();
    await runPipeline(
      `${numbers(1)}
output:
  keep_failures:
    output:
      aws_s3:
        bucket: bucket
${yaml.replaceAll('\n    ', '\n        ')}
`,
      {
        services: { ...testServices(), outbound: listedAccess(entries) },
        specs: [failures.spec],
      },
    );
    assert.match(failures.errors.join(), expected, name);
  }
  assert.equal(server.seen.length, 0);
});

test('what this release does not do is refused with one line', () => {
  const cases: readonly [yaml: string, expected: RegExp][] = [
    ['input: {aws_s3: {bucket: b, scanner: {test_lines: {}}, sqs: {url: x}}}', /url has to be a URL/],
    ['input: {azure_blob_storage: {container: c, scanner: {test_lines: {}}}}', /storage_account or/],
    [
      'output: {azure_blob_storage: {container: c, storage_account: abc, blob_type: APPEND}}',
      /APPEND is not/,
    ],
    ['output: {gcp_cloud_storage: {bucket: b, collision_mode: append}}', /append is not available/],
    ['output: {aws_s3: {bucket: b, checksum_algorithm: SHA1}}', /has to be CRC32C/],
  ];
  for (const [yaml, expected] of cases) {
    const rest = yaml.startsWith('input') ? 'output: {drop: {}}' : 'input: {generate: {mapping: root = 1}}';
    const { problems } = readConfiguration(`${yaml}\n${rest}\n`, {
      catalogue: catalogueWith(linesScanner),
      isLocal: false,
    });
    assert.match(problems.map(({ message }) => message).join(), expected, yaml);
  }
});

test('objects of Google are written and read, with the credentials of the person who runs the pipeline', async (t) => {
  const fake = await startFakeGcs(systemClock);
  t.after(() => fake.stop());
  const services = { ...testServices(), environment: { STORAGE_EMULATOR_HOST: fake.address } };
  await runPipeline(
    `${numbers(2)}
output:
  gcp_cloud_storage:
    bucket: bucket
    path: 'out/\${! content().string().split(" ").index(1) }'
    content_type: text/plain
`,
    { services },
  );
  assert.deepEqual([...fake.objects.keys()].toSorted(), ['out/1', 'out/2']);
  assert.equal(fake.objects.get('out/1')?.metadata.kind, 'test');
  const collected = await runPipeline(
    `
input:
  gcp_cloud_storage:
    bucket: bucket
    prefix: out/
    scanner: {test_lines: {}}
    delete_objects: true
output: {collect: {}}
`,
    { services, specs: [linesScanner] },
  );
  assert.deepEqual(collected.texts, ['message 1', 'message 2']);
  assert.equal(collected.batches[0]![0]!.metadata.get('gcs_key'), 'out/1');
  assert.equal(fake.objects.size, 0);
});

test('credentials of Google that name files of the machine are refused', async () => {
  const failures = new KeptFailures();
  const json = JSON.stringify({ type: 'external_account', credential_source: { file: '/etc/passwd' } });
  await runPipeline(
    `${numbers(1)}
output:
  keep_failures:
    output:
      gcp_cloud_storage:
        bucket: bucket
        credentials_json: '${json}'
`,
    { specs: [failures.spec] },
  );
  assert.match(failures.errors.join(), /of the type service_account or authorized_user/);
});

test('blobs of Azure are written with a shared key', async (t) => {
  const server = new ObjectServer();
  const endpoint = await server.start();
  t.after(() => server.stop());
  const connection = `AccountName=account;AccountKey=a2V5;BlobEndpoint=${endpoint}`;
  await runPipeline(`${numbers(1)}
output:
  azure_blob_storage:
    storage_connection_string: '${connection}'
    container: bucket
    path: a.txt
`);
  const { content, headers } = server.objects.get('a.txt')!;
  assert.equal(content.toString(), 'message 1');
  assert.equal(headers['x-ms-blob-type'], 'BlockBlob');
  assert.match(headers.authorization!, /^SharedKey account:/);
});

test('a cache of objects sets, adds, gets and deletes', async (t) => {
  const { access } = await serverOf(t);
  const { config } = readConfiguration(
    `cache_resources: [{label: c, aws_s3: {bucket: bucket, ${access.replaceAll('\n    ', ', ').slice(2)}}}]\ninput: {generate: {mapping: root = 1}}\noutput: {drop: {}}\n`,
    { catalogue: catalogueWith(), isLocal: true },
  );
  const [resource] = config!.cache_resources;
  const services = testServices();
  const opening = new Opening(services, catalogueWith(), new AbortController().signal);
  const cache = await opening.open(resource!);
  assert.equal(await cache.get('k'), undefined);
  await cache.set('k', Buffer.from('v'));
  assert.equal(String(await cache.get('k')), 'v');
  assert.equal(await cache.add('k', Buffer.from('w')), false);
  await cache.delete('k');
  assert.equal(await cache.add('k', Buffer.from('w')), true);
  await cache.close();
});
