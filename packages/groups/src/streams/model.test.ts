import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamsHeartbeatAnswer, StreamsTasks } from '@weir/cluster';
import { ByteReader, ByteWriter } from '@weir/machine';
import fc from 'fast-check';
import { StreamsStory } from '../../testing/streams-story.ts';
import { stateOf } from './machine.ts';
import { readStreamsGroup, readStreamsMember, writeStreamsGroup, writeStreamsMember } from './record.ts';
import { StreamsGroup } from './streams-group.ts';

/**
 * Clients obey, are slow, lose answers, leave and time out, while topics of their group come and go. After each:
 *
 * - an active task runs at one obedient client at most, and is held by one member at most;
 * - a process has one copy of a task at most, as far as its clients obey;
 * - once targets are computed, every task is in exactly one active target, members have equal numbers give or take one,
 *   and standbys are at as many other processes as wanted, as far as there are any;
 * - epochs only grow, those of the group and those of a member while it is in the group;
 * - the group that is read back from its stored entries equals the group.
 *
 * In the end, when all clients send heartbeats and obey, the group is stable and runs all tasks.
 */
const noTasks: StreamsTasks = { active: [], standby: [] };
const standbyCount = 1;

class Client {
  readonly memberId: string;
  readonly processId: string;
  /** 0 for a client that must join. */
  epoch = 0;
  /** The tasks that it runs, and those that it is assigned. */
  owned = noTasks;
  assigned = noTasks;

  constructor(memberId: string, processId: string) {
    this.memberId = memberId;
    this.processId = processId;
  }
}

class Model {
  readonly story = new StreamsStory({ t: 3 }, { standbyCount });
  readonly clients = new Map<string, Client>();
  #groupEpoch = 0;

  /** A member id belongs to one process. */
  join(memberId: string, processId: string): void {
    const known = this.story.group.member(memberId)?.processId;
    const client = new Client(memberId, known ?? processId);
    this.clients.set(memberId, client);
    this.#join(client);
  }

  beat(memberId: string, { isLost, obeys }: { readonly isLost: boolean; readonly obeys: boolean }): void {
    const client = this.clients.get(memberId);
    if (client === undefined) return;
    if (client.epoch === 0) {
      this.#join(client);
      return;
    }
    if (obeys) client.owned = client.assigned;
    const answer = this.story.heartbeat(memberId, client.epoch, { owned: client.owned });
    if (!isLost) this.#onAnswer(client, answer);
  }

  leave(memberId: string): void {
    const client = this.clients.get(memberId);
    if (client === undefined || client.epoch === 0) return;
    this.story.heartbeat(memberId, -1);
    this.clients.delete(memberId);
  }

  /** Clients that are silent for too long stop by themselves. */
  pass(ms: number): void {
    const before = new Set(this.story.group.members.keys());
    this.story.nowMs += ms;
    this.story.run({ kind: 'tick' });
    for (const memberId of before) {
      if (!this.story.group.members.has(memberId)) this.clients.delete(memberId);
    }
  }

  topic(name: string, count: number): void {
    if (count === 0) this.story.topics.delete(name);
    else this.story.topics.set(name, count);
    this.story.run({ kind: 'topics', names: [name] });
  }

  #join(client: Client): void {
    client.owned = noTasks;
    client.assigned = noTasks;
    this.#onAnswer(client, this.story.join(client.memberId, { processId: client.processId }));
  }

  #onAnswer(client: Client, answer: StreamsHeartbeatAnswer): void {
    if (answer.error !== 'NONE') {
      client.epoch = 0;
      client.owned = noTasks;
      client.assigned = noTasks;
      return;
    }
    assert.ok(client.epoch === 0 || answer.memberEpoch >= client.epoch, 'the epoch of a member went back');
    client.epoch = answer.memberEpoch;
    if (answer.tasks !== null) client.assigned = answer.tasks;
    this.story.create(answer);
  }

  check(): void {
    const { group } = this.story;
    assert.ok(group.epoch >= this.#groupEpoch, 'the epoch of the group went back');
    this.#groupEpoch = group.epoch;
    this.#checkOwners();
    this.#checkTargets();
    this.#checkStored();
  }

  #checkOwners(): void {
    const running = new Map<string, string>();
    for (const { memberId, owned, epoch } of this.clients.values()) {
      if (epoch === 0 || !this.story.group.members.has(memberId)) continue;
      for (const task of textsOf(owned.active)) {
        assert.equal(running.get(task), undefined, `${task} runs twice`);
        running.set(task, memberId);
      }
    }
    const held = new Map<string, string>();
    const ofProcess = new Set<string>();
    for (const { memberId, processId, holding } of this.story.group.members.values()) {
      for (const { active } of [holding.assigned, holding.revoking]) {
        for (const task of tasksOf(active)) {
          assert.equal(held.get(task), undefined, `${task} is held twice`);
          held.set(task, memberId);
        }
      }
      for (const task of [...tasksOf(holding.assigned.active), ...tasksOf(holding.assigned.standby)]) {
        const copy = `${processId} ${task}`;
        assert.ok(!ofProcess.has(copy), `${copy}: two copies`);
        ofProcess.add(copy);
      }
    }
  }

  #checkTargets(): void {
    const { group } = this.story;
    if (group.members.size === 0 || group.epoch !== group.assignmentEpoch) return;
    const active: string[] = [];
    const copies = new Map<string, Set<string>>();
    const counts: number[] = [];
    for (const { memberId, processId } of group.members.values()) {
      const target = group.tasksOf(memberId);
      counts.push(tasksOf(target.active).length);
      active.push(...tasksOf(target.active));
      for (const task of [...tasksOf(target.active), ...tasksOf(target.standby)]) {
        const processes = copies.get(task) ?? new Set();
        assert.ok(!processes.has(processId), `${task} is twice at ${processId}`);
        copies.set(task, processes.add(processId));
      }
    }
    if (!group.isReady) {
      assert.deepEqual(active, []);
      return;
    }
    const expected = [...group.configured!.taskCounts].flatMap(([id, count]) =>
      Array.from({ length: count }, (_, partition) => `${id}_${partition}`),
    );
    assert.deepEqual(active.toSorted(), expected.toSorted());
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `unequal: ${counts.join()}`);
    const processCount = new Set([...group.members.values()].map(({ processId }) => processId)).size;
    for (const [task, processes] of copies) {
      const wanted = task.startsWith('1_') ? Math.min(1 + standbyCount, processCount) : 1;
      assert.equal(processes.size, wanted, `copies of ${task}`);
    }
  }

  #checkStored(): void {
    const { group } = this.story;
    const writer = new ByteWriter();
    writeStreamsGroup(group, writer);
    const read = new StreamsGroup('g');
    for (const memberId of readStreamsGroup(read, new ByteReader(writer.take()))) {
      writeStreamsMember(group.member(memberId)!, writer);
      readStreamsMember(read, memberId, new ByteReader(writer.take()));
    }
    const stateOfGroup = (of: StreamsGroup) => ({
      ...{ epoch: of.epoch, assignmentEpoch: of.assignmentEpoch, topology: of.topology, topics: of.topics },
      members: [...of.members.values()].map(
        ({ sessionDeadlineMs: _, rebalanceDeadlineMs: __, ...member }) => member,
      ),
      targets: [...of.members.keys()].map((memberId) => of.tasksOf(memberId)),
      textChars: of.textChars,
    });
    assert.deepEqual(stateOfGroup(read), stateOfGroup(group));
  }

  settle(): void {
    this.topic('t', 3);
    for (const name of ['r', 'c']) this.topic(name, 0);
    for (let round = 0; round < 12; round++) {
      this.story.nowMs += 1_000;
      for (const memberId of this.clients.keys()) this.beat(memberId, { isLost: false, obeys: true });
      this.check();
    }
    if (this.clients.size === 0) return;
    assert.equal(stateOf(this.story.group), 'Stable');
    const running = [...this.clients.values()].flatMap(({ owned }) => textsOf(owned.active));
    assert.deepEqual(running.toSorted(), ['0_0', '0_1', '0_2', '1_0', '1_1', '1_2']);
  }
}

function textsOf(tasks: StreamsTasks['active']): string[] {
  return tasks.flatMap(({ subtopologyId, partitions }) =>
    partitions.map((partition) => `${subtopologyId}_${partition}`),
  );
}

function tasksOf(tasks: ReadonlyMap<string, readonly number[]>): string[] {
  return [...tasks].flatMap(([id, partitions]) => partitions.map((partition) => `${id}_${partition}`));
}

const members = fc.constantFrom('a', 'b', 'c', 'd');
const processes = fc.constantFrom('p', 'q', 'r');
const events = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(members, processes).map((args) => (model: Model) => model.join(...args)) },
  {
    weight: 10,
    arbitrary: fc
      .tuple(members, fc.record({ isLost: fc.boolean(), obeys: fc.boolean() }))
      .map((args) => (model: Model) => model.beat(...args)),
  },
  { weight: 1, arbitrary: members.map((memberId) => (model: Model) => model.leave(memberId)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(1_000, 20_000, 50_000).map((ms) => (model: Model) => model.pass(ms)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('t', 'r', 'c'), fc.constantFrom(0, 3, 3, 4))
      .map((args) => (model: Model) => model.topic(...args)),
  },
);

test('whatever clients do, tasks run once and are spread evenly', () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 60 }), (list) => {
      const model = new Model();
      for (const event of list) {
        event(model);
        model.check();
      }
      model.settle();
    }),
    { numRuns: 500 },
  );
});
