import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock, systemRandom } from '@weir/core';
import { listedAccess, unlimitedAccess } from '../../../packages/pipelines/src/component/outbound-access.ts';
import { serverAddresses } from '../../../packages/pipelines/src/component/server-address.ts';
import { NatsConnection } from '../../../packages/pipelines/src/nats/nats-connection.ts';
import { natsSchemes } from '../../../packages/pipelines/src/nats/nats-fields.ts';
import { runPipeline, testServices } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';
import { failuresOf, idsOf, inputFailure, numbers, until } from './pipeline-runs.ts';
import { startServer } from './server-process.ts';

/** Components of NATS against a real server. The key is one of NATS's documentation. */
const seed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
const publicKey = 'UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4';
const payloadBytesMax = 100_000;

const ca = await TestCa.create();
const issued = await ca.issue({ ips: ['127.0.0.1'] });

async function startNats({ usesTls = false } = {}) {
  return startServer({
    name: 'nats-server',
    command(port, folder) {
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      const tls = `tls { cert_file: "${file('cert.pem', issued.certificate)}", key_file: "${file('key.pem', issued.privateKey)}" }`;
      const config = `
listen: "127.0.0.1:${port}"
jetstream { store_dir: "${folder}/data" }
max_payload: ${payloadBytesMax}
${usesTls ? tls : ''}
authorization {
  users: [
    { user: weir, password: "sec ret@" }
    { nkey: ${publicKey} }
    { user: reader, password: secret, permissions: { publish: { deny: "secret.>" }, subscribe: { deny: "secret.>" } } }
  ]
}
`;
      return ['-c', file('nats.conf', config)];
    },
    ready: /Server is ready/,
  });
}

const server = await startNats();

if ('missing' in server) {
  test('NATS in pipelines', { skip: server.missing }, () => {});
} else {
  const address = `127.0.0.1:${server.port}`;
  const url = `nats://weir:sec%20ret%40@${address}`;
  const connect = () => {
    const [place] = serverAddresses([url], natsSchemes)!;
    return NatsConnection.open({
      server: place!,
      name: 'test',
      tls: undefined,
      login: async () => ({ user: 'weir', pass: 'sec ret@' }),
      outbound: unlimitedAccess,
      clock: systemClock,
      random: systemRandom,
      onClosed: () => {},
    });
  };
  let client = await connect();
  after(async () => {
    client.close(new Error('the test has ended'));
    await server.stop();
  });
  const restart = async () => {
    await server.end();
    await server.start();
    client = await connect();
  };
  const api = async (subject: string, body: object = {}) => {
    const { payload } = await client.request(`$JS.API.${subject}`, Buffer.from(JSON.stringify(body)));
    const answer = JSON.parse(payload.toString());
    assert.equal(answer.error, undefined, JSON.stringify(answer));
    return answer;
  };
  const stream = (name: string) =>
    api(`STREAM.CREATE.${name}`, { name, subjects: [`${name}.>`], storage: 'file' });
  const output = (name: string, fields = '') =>
    `{nats_jetstream: {urls: ["${url}"], subject: '${name}.\${! json("id") }', headers: {Own: 'v\${! json("id") }'}, metadata: {include_prefixes: [kind]}${fields}}}`;
  const input = (fields: string) =>
    `input: {nats_jetstream: {urls: ["${url}"], ${fields}}}\noutput: {collect: {}}\n`;
  const unacknowledged = async (name: string, consumer: string) => {
    const info = await api(`CONSUMER.INFO.${name}.${consumer}`);
    return info.num_ack_pending + info.num_pending;
  };

  test('streams: stored with headers, read with metadata, and acknowledged when written', async () => {
    await stream('orders');
    await runPipeline(`${numbers(5, { batchSize: 5 })}\noutput: ${output('orders')}\n`);
    assert.equal((await api('STREAM.INFO.orders')).state.messages, 5);
    const collected = await until(5, input('subject: "orders.*", durable: d'));
    assert.deepEqual(idsOf(collected).toSorted(), [1, 2, 3, 4, 5]);
    const { metadata } = collected.batches.flat()[1]!;
    const shown = Object.fromEntries([...metadata].filter(([key]) => key !== 'nats_timestamp_unix_nano'));
    assert.deepEqual(shown, {
      nats_subject: 'orders.2',
      nats_sequence_stream: '2',
      nats_sequence_consumer: '2',
      nats_num_delivered: '1',
      nats_num_pending: '3',
      nats_domain: '',
      Own: 'v2',
      kind: 'test',
    });
    assert.match(String(metadata.get('nats_timestamp_unix_nano')), /^\d{19}$/);
    while ((await unacknowledged('orders', 'd')) > 0);
  });

  test('streams: a message that is not written is delivered again', async () => {
    await stream('poison');
    await runPipeline(`${numbers(3)}\noutput: ${output('poison')}\n`);
    let failures = 0;
    const collected = await until(3, input('subject: "poison.>", durable: d'), {
      fail: (text) => {
        if (text.includes('"id":2') && failures++ < 2) throw new Error('poison');
      },
    });
    assert.deepEqual(new Set(idsOf(collected)), new Set([1, 2, 3]));
    const again = collected.batches.flat().find(({ content }) => content.includes('"id":2'))!;
    assert.equal(again.metadata.get('nats_num_delivered'), '3');
  });

  test('streams: a consumer that has to be asked, and one that several share', async () => {
    await stream('pulled');
    await api('CONSUMER.DURABLE.CREATE.pulled.p', {
      stream_name: 'pulled',
      config: { durable_name: 'p', ack_policy: 'explicit', deliver_policy: 'all' },
    });
    await runPipeline(`${numbers(600, { batchSize: 200 })}\noutput: ${output('pulled')}\n`);
    const pulled = await until(600, input('stream: pulled, durable: p, bind: true'));
    assert.equal(new Set(idsOf(pulled)).size, 600);
    const [one, other] = await Promise.all([
      until(1, input('subject: "pulled.>", queue: q')),
      until(1, input('subject: "pulled.>", queue: q')),
    ]);
    assert.ok(one.texts.length > 0 && other.texts.length > 0);
  });

  test('streams: what an output could not store while the server was down is stored later', async () => {
    await stream('outage');
    const running = runPipeline(`${numbers(200, { interval: '2ms' })}\noutput: ${output('outage')}\n`);
    await restart();
    await running;
    // Numbers of the stream are of messages, some of which may be there twice.
    const { state } = await api('STREAM.INFO.outage', { subjects_filter: '>' });
    assert.equal(state.num_subjects, 200);
  });

  test('streams: an input goes on where it was after the server was restarted', async () => {
    await stream('resumed');
    for (const consumer of ['', ', durable: d']) {
      const collected = await until(400, input(`subject: "resumed.>"${consumer}`), {
        meanwhile: async () => {
          await runPipeline(`${numbers(200)}\noutput: ${output('resumed')}\n`);
          await restart();
          const more = numbers(200).replace('counter()', 'counter() + 1000');
          await runPipeline(`${more}\noutput: ${output('resumed')}\n`);
        },
      });
      assert.equal(new Set(idsOf(collected)).size, 400);
      // A consumer without a name is a new one after the restart, and does not begin with the first message again.
      const first = idsOf(collected).filter((id) => id === 1).length;
      assert.equal(first, 1, `consumer ${consumer}`);
      await api('STREAM.PURGE.resumed');
    }
  });

  test('subjects: published while a pipeline listens, with headers, and answered', async () => {
    let reply = '';
    const collected = await until(
      1,
      `
input: {nats: {urls: ["${url}"], subject: "news.*", queue: q}}
output:
  broker:
    outputs:
      - {collect: {}}
      - {sync_response: {}, processors: [{mapping: 'root = content().uppercase()'}]}
    pattern: fan_out_sequential
`,
      {
        meanwhile: async () => {
          for (;;) {
            const answer = await client.request('news.a', Buffer.from('hello'), { headers: [['Kind', 'x']] });
            reply = answer.payload.toString();
            // Until someone listens.
            if (answer.status !== 503) break;
          }
        },
      },
    );
    assert.equal(reply, 'HELLO');
    const { metadata } = collected.batches[0]![0]!;
    assert.equal(metadata.get('nats_subject'), 'news.a');
    assert.equal(metadata.get('Kind'), 'x');
    assert.match(String(metadata.get('nats_reply_subject')), /^_INBOX\./);
  });

  test('subjects: an output waits for the server, and goes on after a restart', async () => {
    const heard = new Set<string>();
    await client.subscribe('core.>', '', ({ payload }) => heard.add(payload.toString()));
    const core = `{nats: {urls: ["${url}"], subject: 'core.\${! json("id") }'}}`;
    await runPipeline(`${numbers(100, { batchSize: 10 })}\noutput: ${core}\n`);
    await client.flush();
    assert.equal(heard.size, 100);
    const running = runPipeline(`${numbers(200, { interval: '2ms' })}\noutput: ${core}\n`);
    await restart();
    await running;
  });

  test('messages that the server refuses fail alone, with one line', async () => {
    await stream('limits');
    const bodies = `{"content": if counter() == 2 { "x".repeat(${payloadBytesMax}) } else { "small" }}`;
    const mixed = numbers(3, { batchSize: 3 }).replace(/root = .*/, `root = ${bodies}`);
    const fixed = (kind: string, subject: string, user = 'weir:sec%20ret%40') =>
      `{${kind}: {urls: ["nats://${user}@${address}"], subject: "${subject}"}}`;
    // biome-ignore format: a table
    const cases: readonly [output: string, input: string, reason: RegExp][] = [
      [fixed('nats_jetstream', 'limits.a'),           mixed,      /^the message has 1000\d\d bytes, and the NATS server takes 100000: see its max_payload$/],
      [fixed('nats', 'limits.a'),                     mixed,      /^the message has 1000\d\d bytes/],
      [fixed('nats_jetstream', 'nowhere.a'),          numbers(1), /^no stream of JetStream takes the subject nowhere\.a$/],
      [fixed('nats', 'has space'),                    numbers(1), /^"has space" is no subject/],
      [fixed('nats', 'secret.a', 'reader:secret'),    numbers(1), /^the NATS server refuses: Permissions Violation for Publish to "secret\.a"$/],
      [fixed('nats', 'a', 'weir:wrong'),              numbers(1), /^failed to connect to NATS: 127\.0\.0\.1:\d+: the NATS server refuses: Authorization Violation$/],
    ];
    for (const [broken, source, reason] of cases) {
      const [first, ...rest] = await failuresOf(broken, { input: source });
      assert.match(first!, reason);
      assert.deepEqual(rest, []);
    }
    assert.equal((await api('STREAM.INFO.limits')).state.messages, 4);
  });

  test('an input says in one line why it cannot read', async () => {
    const user = `nats://reader:secret@${address}`;
    // biome-ignore format: a table
    const cases: readonly [input: string, reason: RegExp][] = [
      [`{nats: {urls: ["nats://weir:wrong@${address}"], subject: a}}`,          /Authorization Violation$/],
      [`{nats: {urls: ["${user}"], subject: secret.a}}`,                        /Permissions Violation for Subscription to "secret\.a"$/],
      [`{nats_jetstream: {urls: ["${url}"], subject: nowhere}}`,                /^no stream of JetStream has the subject nowhere$/],
      [`{nats_jetstream: {urls: ["${url}"], stream: gone, subject: a}}`,        /^JetStream refuses: stream not found$/],
      [`{nats_jetstream: {urls: ["${url}"], stream: orders, durable: x, bind: true}}`, /^the stream orders has no consumer x$/],
      [`{nats: {urls: ["tls://${address}"], subject: a}}`,                      /the NATS server offers no TLS$/],
    ];
    for (const [broken, reason] of cases) assert.match(await inputFailure(broken), reason);
  });

  test('keys instead of passwords', async () => {
    const login = `auth: {nkey_file: "${join(server.folder, 'user.nk')}"}`;
    writeFileSync(join(server.folder, 'user.nk'), `${seed}\n`);
    const core = `{nats: {urls: ["nats://${address}"], subject: keys, ${login}}}`;
    assert.deepEqual(await failuresOf(core), []);
  });

  test('TLS', async () => {
    const secure = await startNats({ usesTls: true });
    assert.ok(!('missing' in secure));
    try {
      const place = `weir:sec%20ret%40@127.0.0.1:${secure.port}`;
      const trusted = `tls: {enabled: true, root_cas: ${JSON.stringify(ca.certificate)}}`;
      const core = (fields: string) => `{nats: {urls: ["nats://${place}"], subject: a${fields}}}`;
      assert.deepEqual(await failuresOf(core(`, ${trusted}`)), []);
      assert.match((await failuresOf(core('')))[0]!, /unable to verify the first certificate|self-signed/);
    } finally {
      await secure.stop();
    }
  });

  test('a server that the operator does not allow is not connected to', async () => {
    const services = { ...testServices(), outbound: listedAccess() };
    const [reason] = await failuresOf(`{nats: {urls: ["${url}"], subject: a}}`, { services });
    assert.match(reason!, /may not connect to/);
  });
}
