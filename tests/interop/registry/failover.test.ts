import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '../brokers/waiting.ts';
import { lastFirst, type WeirProcess } from '../brokers/weir-process.ts';
import { ask, contentsOf, demand, startRegistryCluster } from './registry-cluster.ts';

interface Registered {
  readonly id: number;
  readonly version: number;
}

const recordWith = (field: string) => ({
  schema: JSON.stringify({ type: 'record', name: 'R', fields: [{ name: field, type: 'int', default: 0 }] }),
});

/** Registers until it is acknowledged, through one agent after the other. Other errors than retriable ones fail. */
async function register(
  agents: readonly WeirProcess[],
  first: number,
  subject: string,
  field: string,
): Promise<Registered & { readonly attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const agent = agents[(first + attempts) % agents.length]!;
    const line = `POST /subjects/${encodeURIComponent(subject)}/versions`;
    const { status, body } = await ask(agent, line, recordWith(field));
    if (status === 200) return { ...(body as Registered), attempts };
    assert.ok(status === 0 || status >= 500, `${subject}, ${field}: ${status} ${JSON.stringify(body)}`);
    await pause();
  }
}

test('schemas survive the loss of the leader, and registrations meanwhile are made once', {
  timeout: 300_000,
}, async (t) => {
  const lifetime = lastFirst(t);
  const cluster = await startRegistryCluster(lifetime, { controlPlaneCount: 2 });
  const agents = await Promise.all([0, 1, 2].map(() => cluster.addAgent()));
  const [one] = agents as [WeirProcess];

  for (let number = 0; number < 10; number++) {
    await demand(one, `POST /subjects/early-${number % 3}/versions`, recordWith(`early${number}`));
    await demand(one, `POST /subjects/:.eu:early/versions`, recordWith(`early${number}`));
  }
  await demand(one, 'DELETE /subjects/early-0/versions/1');
  await demand(one, 'PUT /config/early-1', { compatibility: 'FULL' });
  await demand(one, 'PUT /mode/early-2', { mode: 'READONLY' });
  const before = await contentsOf(one);

  // Each client has a subject of its own, and all of them register the same schemas under one more.
  const rounds = { done: 0, isStopped: false };
  const own: { subject: string; field: string; answer: Registered }[] = [];
  const shared: { field: string; answer: Registered }[] = [];
  let repeated = 0;
  const client = async (number: number) => {
    for (let round = 0; !rounds.isStopped; round++) {
      const subject = `own-${number}`;
      const field = `own${number}x${round}`;
      const answer = await register(agents, number, subject, field);
      own.push({ subject, field, answer });
      const sharedAnswer = await register(agents, number, 'shared', `shared${round}`);
      shared.push({ field: `shared${round}`, answer: sharedAnswer });
      repeated += answer.attempts + sharedAnswer.attempts - 2;
      // A client that did not get the answer sends the request again, to any agent.
      const again = await register(agents, number + 1, subject, field);
      assert.deepEqual([again.id, again.version], [answer.id, answer.version]);
      rounds.done++;
    }
  };
  const clients = Array.from({ length: 4 }, (_, number) => client(number));
  const untilDone = async (count: number) => {
    while (rounds.done < count) {
      await Promise.race([pause(), Promise.all(clients)]);
    }
  };
  await untilDone(20);
  const leader = await cluster.leader();
  await cluster.controlPlanes[leader]!.kill();
  const atKill = rounds.done;
  await untilDone(atKill + 40);
  rounds.isStopped = true;
  await Promise.all(clients);
  t.diagnostic(
    `${rounds.done} rounds, ${atKill} before the leader was killed; ${repeated} requests repeated`,
  );

  const idOf = new Map<string, number>();
  for (const { field, answer } of [...own, ...shared]) {
    assert.equal(answer.id, idOf.get(field) ?? answer.id, `${field} has two ids`);
    idOf.set(field, answer.id);
  }
  assert.equal(new Set(idOf.values()).size, idOf.size, 'no id was given to two schemas');
  for (const agent of agents) {
    const after = (await contentsOf(agent)) as typeof before & { schemas: object[] };
    for (const [name, value] of Object.entries(before))
      if (!['liveSubjects', 'schemas'].includes(name)) assert.deepEqual(after[name], value, name);
    const texts = new Set(after.schemas.map((schema) => JSON.stringify(schema)));
    for (const schema of before.schemas as object[]) assert.ok(texts.has(JSON.stringify(schema)));

    const ids = new Set<number>();
    const versions = new Map<string, number[]>();
    for (const { subject, version, id } of after.schemas as (Registered & { subject: string })[]) {
      if (!subject.startsWith(':')) ids.add(id);
      versions.set(subject, [...(versions.get(subject) ?? []), version]);
    }
    assert.deepEqual(
      [...ids].sort((a, b) => a - b),
      Array.from(ids, (_, index) => index + 1),
      'no registration took a second id',
    );
    assert.equal(ids.size, 10 + idOf.size);
    for (const [subject, found] of versions)
      assert.deepEqual(
        found,
        found.map((_, index) => index + 1),
        `${subject} has each version once`,
      );
    for (const { field, answer } of [
      ...own,
      ...shared.map((registration) => ({ subject: 'shared', ...registration })),
    ]) {
      const found = (await demand(agent, `GET /schemas/ids/${answer.id}`)) as { schema: string };
      assert.equal(found.schema, recordWith(field).schema);
    }
  }
});
