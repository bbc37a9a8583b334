import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listedAccess } from '../../../packages/pipelines/src/component/outbound-access.ts';
import { runPipeline, testServices } from '../../../packages/pipelines/testing/run-pipeline.ts';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';
import { failuresOf, idsOf, inputFailure, numbers, until } from './pipeline-runs.ts';
import { startServer } from './server-process.ts';

/** Components of MQTT against a real broker. */
const messageBytesMax = 100_000;
const ca = await TestCa.create();
const issued = await ca.issue({ ips: ['127.0.0.1'] });

async function startBroker({ usesTls = false } = {}) {
  return startServer({
    name: 'mosquitto',
    command(port, folder) {
      const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      const passwords = file('passwords', '');
      spawnSync('mosquitto_passwd', ['-b', '-c', passwords, 'weir', 'secret']);
      const acl = file('acl', 'user weir\ntopic deny private/#\ntopic readwrite #\n');
      const tls = `certfile ${file('cert.pem', issued.certificate)}\nkeyfile ${file('key.pem', issued.privateKey)}\n`;
      const config = `
user root
listener ${port} 127.0.0.1
${usesTls ? tls : ''}
allow_anonymous false
password_file ${passwords}
acl_file ${acl}
persistence true
persistence_location ${folder}/
max_packet_size ${messageBytesMax}
log_dest stderr
`;
      return ['-c', file('mosquitto.conf', config)];
    },
    ready: /mosquitto version \S+ running/,
  });
}

const broker = await startBroker();

if ('missing' in broker) {
  test('MQTT in pipelines', { skip: broker.missing }, () => {});
} else {
  after(() => broker.stop());
  const login = `urls: ["tcp://127.0.0.1:${broker.port}"], user: weir, password: secret`;
  const output = (fields: string) => `{mqtt: {${login}, ${fields}}}`;
  const input = (fields: string) => `input: {mqtt: {${login}, ${fields}}}\noutput: {collect: {}}\n`;
  const restart = async () => {
    await broker.end();
    await broker.start();
  };

  test('messages of every QoS arrive with their metadata', async () => {
    for (const qos of [0, 1, 2]) {
      const collected = await until(5, input(`topics: ["q${qos}/+"], qos: ${qos}`), {
        // The last message of a topic is kept, so that it does not matter when the subscription begins.
        meanwhile: async () => {
          const topic = `topic: 'q${qos}/\${! json("id") }', qos: ${qos}, retained_interpolated: 'true'`;
          await runPipeline(`${numbers(5, { batchSize: 5 })}\noutput: ${output(topic)}\n`);
        },
      });
      assert.deepEqual([...new Set(idsOf(collected))].toSorted(), [1, 2, 3, 4, 5]);
      const { metadata, content } = collected.batches.flat().at(-1)!;
      assert.equal(metadata.get('mqtt_topic'), `q${qos}/${JSON.parse(content.toString()).id}`);
      assert.equal(metadata.get('mqtt_qos'), qos);
      assert.equal(metadata.get('mqtt_duplicate'), false);
      assert.equal(typeof metadata.get('mqtt_retained'), 'boolean');
      assert.equal(Number(metadata.get('mqtt_message_id')) > 0, qos > 0);
    }
  });

  /** A session that the broker keeps, so that messages wait for the input. */
  const kept = (topic: string, fields = '') =>
    input(`topics: [${topic}], client_id: ${topic}, clean_session: false${fields}`);
  const subscribed = (topic: string) =>
    until(1, kept(topic), {
      meanwhile: () =>
        runPipeline(`${numbers(1)}\noutput: ${output(`topic: ${topic}, retained: true`)}\n`).then(),
    });

  test('what is not acknowledged is delivered again, also after a restart of the pipeline', async () => {
    await subscribed('again');
    const more = numbers(4).replace('counter()', 'counter() + 100');
    await runPipeline(`${more}\noutput: ${output('topic: again')}\n`);
    let failures = 0;
    const collected = await until(4, kept('again', ', auto_replay_nacks: true'), {
      fail: (text) => {
        if (text.includes('"id":102') && failures++ < 2) throw new Error('poison');
      },
    });
    const ids = new Set(idsOf(collected).filter((id) => id > 100));
    assert.ok(ids.has(102), `${[...ids]}`);
    assert.equal(failures, 3);
  });

  test('an output that is down for a while loses nothing, nor does an input', async () => {
    await subscribed('outage');
    const more = numbers(200, { interval: '2ms' }).replace('counter()', 'counter() + 100');
    const collected = await until(201, kept('outage'), {
      meanwhile: async () => {
        const running = runPipeline(`${more}\noutput: ${output('topic: outage')}\n`);
        await restart();
        await running;
      },
    });
    assert.equal(new Set(idsOf(collected).filter((id) => id > 100)).size, 200);
  });

  test('what the broker refuses is said in one line', async () => {
    const as = (user: string, fields: string) =>
      `{mqtt: {urls: ["tcp://127.0.0.1:${broker.port}"], ${user}, ${fields}}}`;
    const large = numbers(1).replace(/root = .*/, `root = "x".repeat(${messageBytesMax + 1})`);
    // biome-ignore format: a table
    const cases: readonly [output: string, input: string, reason: RegExp][] = [
      [as('user: weir, password: wrong', 'topic: a'), numbers(1), /^failed to connect to MQTT: 127\.0\.0\.1:\d+: the MQTT broker refuses the connection: this user may not connect$/],
      [as('user: ""', 'topic: a'),                    numbers(1), /: this user may not connect$/],
      [output('topic: "a/#"'),                        numbers(1), /^"a\/#" is no topic that can be published to$/],
      [output('topic: ""'),                           numbers(1), /^"" is no topic/],
      [output('topic: large'),                        large,      /^the MQTT broker closed the connection$|ECONNRESET|EPIPE/],
    ];
    for (const [broken, source, reason] of cases) {
      const failures = await failuresOf(broken, { input: source });
      assert.match(failures[0] ?? '', reason);
      assert.equal(failures.length, 1);
    }
    const wrong = as('user: weir, password: wrong', 'topics: [a]');
    assert.match(await inputFailure(wrong), /this user may not connect$/);
    assert.match(await inputFailure(`{mqtt: {${login}, topics: ["a/#/b"]}}`), /the MQTT broker/);
  });

  test('TLS', async () => {
    const secure = await startBroker({ usesTls: true });
    assert.ok(!('missing' in secure));
    try {
      const to = (fields: string) =>
        `{mqtt: {urls: ["ssl://127.0.0.1:${secure.port}"], user: weir, password: secret, topic: a${fields}}}`;
      const trusted = `, tls: {enabled: true, root_cas: ${JSON.stringify(ca.certificate)}}`;
      assert.deepEqual(await failuresOf(to(trusted)), []);
      assert.match((await failuresOf(to('')))[0]!, /unable to verify the first certificate|self-signed/);
    } finally {
      await secure.stop();
    }
  });

  test('a broker that the operator does not allow is not connected to', async () => {
    const services = { ...testServices(), outbound: listedAccess() };
    assert.match((await failuresOf(output('topic: a'), { services }))[0]!, /may not connect to/);
  });
}
