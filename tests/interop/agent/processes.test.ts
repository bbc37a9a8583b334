import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { storedTopic, valuesOf } from '../brokers/stored.ts';
import { numberedValues } from '../brokers/topics.ts';
import { Command, isAlive, startSupervisor, startTestEnvironment, until } from './supervised-agents.ts';

const bounded = { timeout: 300_000 };
/** Enough that all partitions are not assigned to one of two agents by chance. */
const partitionCount = 32;

test(
  'clients see the processes of one command as brokers, and one that is killed comes back',
  bounded,
  async (t) => {
    const surrounding = await startTestEnvironment(t);
    const { supervisor, announced } = await startSupervisor(t, surrounding, 2);
    assert.equal(announced.length, 2);
    for (const { http } of announced) {
      assert.equal(await (await fetch(`${http}/v1/status`)).text(), 'OK');
      assert.match(await (await fetch(`${http}/metrics`)).text(), /^service_/m);
    }

    const brokers = announced.map(({ kafka }) => kafka);
    const kafka = new Kafka({
      clientId: 'judge',
      brokers,
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 50, retries: 20 },
    });
    const admin = kafka.admin();
    await admin.connect();
    t.after(() => admin.disconnect());
    let shown: string[] = [];
    while (shown.length < 2) {
      shown = (await admin.describeCluster()).brokers.map(({ host, port }) => `${host}:${port}`);
    }
    assert.deepEqual(shown.sort(), brokers.toSorted());
    await admin.createTopics({ topics: [{ topic: 'shared', numPartitions: partitionCount }] });
    // The other agent may not have received this one's registration yet.
    let leaders = new Set<number>();
    while (leaders.size < 2) {
      const { topics } = await admin.fetchTopicMetadata({ topics: ['shared'] });
      leaders = new Set(topics[0]!.partitions.map(({ leader }) => leader));
    }

    const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    t.after(() => producer.disconnect());
    const written: { readonly partition: number; readonly value: string }[] = [];
    const write = async (name: string) => {
      const messages = numberedValues(40, name).map((value, index) => ({
        partition: index % partitionCount,
        value,
      }));
      // When the leader of a partition changes, between two attempts, to a broker that answered the first one, kafkajs
      // 2.2.4 does not send the partition again and resolves without it (`createProducerRequests` only uses brokers
      // without an answer).
      let unanswered = messages;
      while (unanswered.length > 0) {
        const answers = await producer.send({ topic: 'shared', acks: -1, messages: unanswered });
        const partitions = new Set(answers.map(({ partition }) => partition));
        written.push(...unanswered.filter(({ partition }) => partitions.has(partition)));
        unanswered = unanswered.filter(({ partition }) => !partitions.has(partition));
      }
    };
    const assertStoredThrough = async (broker: string) => {
      const stored = await storedTopic(broker, 'shared', written.length);
      for (const [partition, batches] of stored.entries()) {
        assert.deepEqual(
          valuesOf(batches),
          written.filter((message) => message.partition === partition).map(({ value }) => value),
          `partition ${partition} through ${broker}`,
        );
      }
    };

    await write('before');
    for (const broker of brokers) await assertStoredThrough(broker);

    const [victim, other] = announced as [(typeof announced)[0], (typeof announced)[0]];
    process.kill(victim.pid, 'SIGKILL');
    for (let round = 0; round < 5; round++) await write(`meanwhile ${round}`);
    await assertStoredThrough(other.kafka);
    const [line] = await supervisor.waitForOutput(/\{.*"restarted agent process".*\}/);
    const back = JSON.parse(line) as { agentId: string; pid: number; kafkaPort: number; httpPort: number };
    assert.equal(back.agentId, victim.agentId);
    assert.notEqual(back.pid, victim.pid);
    assert.equal(`127.0.0.1:${back.kafkaPort}`, victim.kafka);
    assert.equal(`http://127.0.0.1:${back.httpPort}`, victim.http);
    assert.equal(await (await fetch(`${victim.http}/v1/status`)).text(), 'OK');
    await write('after');
    for (const broker of brokers) await assertStoredThrough(broker);

    const killed = JSON.parse(
      (await supervisor.waitForOutput(/\{.*"lost agent process, restarting it".*\}/))[0],
    );
    assert.deepEqual(
      [killed.agentId, killed.pid, killed.signal, killed.endsInARow],
      [victim.agentId, victim.pid, 'SIGKILL', 1],
    );
    // Every log line names its agent.
    const lines = supervisor.err
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { agentId?: string });
    const speakers = new Set(lines.map(({ agentId }) => agentId));
    assert.deepEqual([...speakers].sort(), announced.map(({ agentId }) => agentId).sort());

    supervisor.signal('SIGTERM');
    assert.equal(await supervisor.ended(), 0);
    for (const pid of [back.pid, other.pid]) assert.equal(isAlive(pid), false);
    const stopped = supervisor.err.match(/"stopped agent"/g);
    assert.equal(stopped?.length, 2, 'both finished their work');
  },
);

test('a supervisor that is killed leaves nobody behind', bounded, async (t) => {
  const { supervisor, announced } = await startSupervisor(t, await startTestEnvironment(t), 2);
  supervisor.signal('SIGKILL');
  assert.equal(await supervisor.ended(), 'SIGKILL');
  for (const { pid } of announced) await until(`the end of ${pid}`, () => !isAlive(pid) || undefined);
});

test('a process that cannot start ends all of them, with its message', bounded, async (t) => {
  const port = await takenPort(t);
  const { agent } = await startTestEnvironment(t);
  const at = agent.indexOf('-kafkaPort') + 1;
  const ports = agent.with(at, String(port));
  const command = new Command(t, [...ports, '-processes', '2']);
  assert.equal(await command.ended(), 1);
  assert.match(
    command.err,
    new RegExp(`^weir agent: port ${port} is in use; set another with -kafkaPort$`, 'm'),
  );
  assert.doesNotMatch(command.err, /lost agent process/);
  assert.equal(command.out, '');
});

/**
 * Occupies a port whose successor is free: the second process takes the free one, and would otherwise print a message
 * of its own.
 */
async function takenPort(t: TestContext): Promise<number> {
  for (;;) {
    const server = createServer().listen(0);
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const neighbour = createServer().listen(port + 1);
    const isFree = await once(neighbour, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    neighbour.close();
    return port;
  }
}
