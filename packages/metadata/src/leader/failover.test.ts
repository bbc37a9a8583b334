import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClusterChange,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  type Pointers,
  type TopicResult,
} from '@weir/cluster';
import { type BatchToCommit, fileCommit } from '@weir/cluster/testing';
import { type Random, seededRandom } from '@weir/core';
import type { HandClock } from '@weir/core/testing';
import type { Journal } from '@weir/journal';
import { ControlPlanes, nodeIn } from '../../testing/control-planes.ts';
import { noFaults, SimulatedProcess } from '../../testing/simulated-process.ts';
import type { ClusterNode } from './cluster-node.ts';

/**
 * Three control-plane processes over one journal, clients that commit and read through any process, and faults: pauses,
 * kills and partitions. Invariants: what was acknowledged exists, once, at the acknowledged offset; a read shows at
 * least what was acknowledged before it; followers miss nothing and see nothing twice; a repeated request returns its
 * first answer, on any leader.
 */
const partitionCount = 3;
const usualFaults = { refuse: 0.01, loseAnswer: 0.01, delayMsMax: 20 };

class Watcher {
  readonly #world: World;
  readonly #next = new Map<number, number>();
  snapshots = 0;

  constructor(world: World) {
    this.#world = world;
  }

  onSnapshot(snapshot: ClusterSnapshot): void {
    this.snapshots++;
    let row = 0;
    for (const { topicId, partitionCount: partitions } of snapshot.topics) {
      for (let partition = 0; partition < partitions; partition++, row++) {
        if (topicId !== this.#world.topicId) continue;
        const next = snapshot.nextOffset[row]!;
        assert.ok(
          next >= (this.#next.get(partition) ?? 0),
          'a snapshot took back a change that the follower saw',
        );
        this.#next.set(partition, next);
      }
    }
  }

  onChanges(changes: readonly ClusterChange[]): void {
    assert.ok(this.snapshots > 0, 'a snapshot comes first');
    for (const change of changes) {
      if (change.kind !== 'appended') continue;
      const { partition, pointers } = change;
      this.#world.show(partition, pointers);
      for (let i = 0; i < pointers.fileId.length; i++) {
        assert.equal(pointers.baseOffset[i], this.next(partition), 'changes are contiguous');
        this.#next.set(partition, pointers.nextOffset[i]!);
      }
    }
  }

  next(partition: number): number {
    return this.#next.get(partition) ?? 0;
  }
}

interface SimulatedMachine {
  readonly id: string;
  readonly process: SimulatedProcess;
  readonly node: ClusterNode;
  watcher: Watcher;
  unfollow: () => void;
}

class World {
  readonly random: Random;
  readonly clock: HandClock;
  readonly #planes: ControlPlanes;
  readonly machines: SimulatedMachine[] = [];
  readonly problems: unknown[] = [];
  topicId = '';
  fileCount = 0;
  topicCount = 0;
  /** The next offsets after everything acknowledged. */
  readonly acknowledgedNext = new Array<number>(partitionCount).fill(0);
  readonly acknowledged = new Map<string, { batches: readonly BatchToCommit[]; baseOffsets: number[] }>();
  readonly shown = Array.from({ length: partitionCount }, (): [offset: number, fileId: string][] => []);
  unanswered = 0;
  leaders = 0;
  answers = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.#planes = new ControlPlanes(this.random);
    this.clock = this.#planes.clock;
  }

  startProcess(slot: number, id: string): void {
    const { process, node } = this.#planes.create(id);
    process.faults = usualFaults;
    node.onRole((role) => {
      if (role === 'leader') this.leaders++;
    });
    this.machines[slot] = { id, process, node, watcher: new Watcher(this), unfollow: () => {} };
    this.follow(this.machines[slot]);
    node.start();
  }

  /** Follows the machine from the start. */
  follow(machine: SimulatedMachine): void {
    machine.unfollow();
    const watcher = new Watcher(this);
    machine.watcher = watcher;
    machine.unfollow = machine.node.follow({
      onSnapshot: (snapshot) => this.#check(() => watcher.onSnapshot(snapshot)),
      onChanges: (changes) => this.#check(() => watcher.onChanges(changes)),
    });
  }

  any(): SimulatedMachine {
    return this.machines[this.random.below(this.machines.length)]!;
  }

  /** Records what a client read, to be compared with the final state. */
  show(partition: number, { fileId, baseOffset }: Pointers): void {
    for (const [i, id] of fileId.entries()) this.shown[partition]!.push([baseOffset[i]!, id]);
  }

  /** Commits one file, with retries on any process until it is acknowledged, as agents do. */
  commit(): void {
    const count = 1 + this.random.below(3);
    const batches = Array.from({ length: count }, (_, i) => ({
      partition: (this.fileCount + i) % partitionCount,
      recordCount: 1 + this.random.below(5),
    })).sort((a, b) => a.partition - b.partition);
    const file = fileCommit(++this.fileCount, this.topicId, batches);
    this.#untilAnswered(
      (node) => node.commitFiles([file]),
      ([result], isFirst) => {
        for (const error of result!.error) assert.equal(error, 0);
        const baseOffsets = [...result!.baseOffset];
        if (!isFirst) assert.deepEqual(baseOffsets, this.acknowledged.get(file.fileId)!.baseOffsets);
        this.acknowledged.set(file.fileId, { batches, baseOffsets });
        for (const [row, { partition, recordCount }] of batches.entries()) {
          const next = baseOffsets[row]! + recordCount;
          this.acknowledgedNext[partition] = Math.max(this.acknowledgedNext[partition]!, next);
        }
      },
    );
  }

  /** Creates a topic with a new name, with retries on any process until it exists: each answer must be the same. */
  create(): void {
    const number = ++this.topicCount;
    const requestId = `client:${number}`;
    const topics = [{ name: `topic-${number}`, partitionCount: 1, configs: {} }];
    let topicId: string | undefined;
    this.#untilAnswered(
      (node) => node.forRequest(requestId).createTopics(topics, { validateOnly: false }),
      ([result], isFirst) => {
        assert.equal(result!.error, 'NONE', result!.message ?? '');
        if (!isFirst) assert.equal(result!.topic!.topicId, topicId);
        topicId = result!.topic!.topicId;
      },
    );
  }

  /** Sends a request to any process until one answers. Attempts that seemed lost may answer too. */
  #untilAnswered<Result>(
    request: (node: ClusterNode) => Promise<Result>,
    onAnswer: (result: Result, isFirst: boolean) => void,
  ): void {
    this.unanswered++;
    let isFirst = true;
    const attempt = (): void => {
      const { process, node } = this.any();
      let isSettled = false;
      const again = () => {
        if (isSettled) return;
        isSettled = true;
        this.clock.after(50 + this.random.below(200), attempt);
      };
      // A killed process never answers.
      this.clock.after(6_000, again);
      process.whenRunning(() =>
        request(node).then(
          (result) => {
            isSettled = true;
            if (isFirst) this.unanswered--;
            this.#check(() => onAnswer(result, isFirst));
            isFirst = false;
          },
          (error) => {
            this.#check(() => assert.ok(error instanceof ClusterUnavailable, String(error)));
            again();
          },
        ),
      );
    };
    attempt();
  }

  read(): void {
    const partition = this.random.below(partitionCount);
    const known = this.acknowledgedNext[partition]!;
    const { process, node } = this.any();
    const offset = Math.max(0, known - 3);
    process.whenRunning(() =>
      node.findBatches([{ topicId: this.topicId, partition, offset, bytesMax: 10_000 }]).then(
        ([answer]) => {
          this.answers++;
          this.#check(() => assert.ok(answer!.nextOffset >= known, `${answer!.nextOffset} < ${known}`));
          this.show(partition, answer!.pointers);
        },
        () => {},
      ),
    );
  }

  harm(): void {
    const leading = this.machines.findIndex(({ node }) => node.role === 'leader');
    const slot = leading >= 0 && this.random.next() < 0.6 ? leading : this.random.below(this.machines.length);
    const { process, node, id } = this.machines[slot]!;
    const roll = this.random.next();
    if (roll < 0.4) {
      process.pause();
      this.clock.after(this.random.below(8_000), () => process.resume());
    } else if (roll < 0.7) {
      process.kill();
      // Restarted with the same id, or replaced.
      const nextId = this.random.next() < 0.5 ? id : `p${slot}-${this.fileCount}`;
      this.#replaceAfter(this.random.below(6_000), slot, nextId);
    } else if (roll < 0.9) {
      process.faults = { refuse: 0.5, loseAnswer: 0.3, delayMsMax: 200 };
      this.clock.after(this.random.below(5_000), () => {
        process.faults = usualFaults;
      });
    } else if (process.isAlive) {
      node.stop();
      this.#replaceAfter(this.random.below(3_000), slot, `p${slot}-${this.fileCount}`);
    }
  }

  /** One replacement per process: two that die in one slot would leave one of their successors running unobserved. */
  #replaceAfter(delayMs: number, slot: number, id: string): void {
    const { process } = this.machines[slot]!;
    this.clock.after(delayMs, () => {
      if (this.machines[slot]!.process !== process) return;
      process.kill();
      this.startProcess(slot, id);
    });
  }

  /** Ends all faults. */
  async heal(): Promise<ClusterNode> {
    await this.clock.pass(10_000);
    for (const { process } of this.machines) {
      process.resume();
      process.faults = { ...noFaults, delayMsMax: 1 };
    }
    for (let waited = 0; waited < 60_000; waited += 500) {
      await this.clock.pass(500);
      const leader = this.leader();
      if (leader !== undefined && this.unanswered === 0) return leader;
    }
    throw new Error(`${this.unanswered} commits are unanswered, the leader is ${this.leader()?.leaderUrl}`);
  }

  leader(): ClusterNode | undefined {
    return this.machines.find(({ process, node }) => process.isAlive && node.role === 'leader')?.node;
  }

  #check(assertion: () => void): void {
    try {
      assertion();
    } catch (error) {
      this.problems.push(error);
    }
  }
}

async function run(seed: number): Promise<World> {
  const world = new World(seed);
  for (let slot = 0; slot < 3; slot++) world.startProcess(slot, `p${slot}`);
  for (let waitedMs = 0; world.leader() === undefined; waitedMs += 100) {
    assert.ok(waitedMs < 10_000, 'a leader comes up');
    await world.clock.pass(100);
  }
  const created = world.leader()!.createTopics([{ name: 't', partitionCount, configs: {} }], {
    validateOnly: false,
  });
  await world.clock.pass(3_000);
  const [result] = await created;
  assert.equal(result!.error, 'NONE', result!.message ?? '');
  world.topicId = result!.topic!.topicId;

  // With few commits a partitioned leader stays plausible for longest; with many, something is always in flight.
  const commitsPerStepMax = [4, 1, 0.2][seed % 3]!;
  for (let step = 0; step < 300; step++) {
    for (let i = world.random.next() * commitsPerStepMax; i > 0.1; i--) world.commit();
    world.read();
    if (world.random.next() < 0.1) world.create();
    if (world.random.next() < 0.2) world.follow(world.any());
    if (world.random.next() < 0.05) world.harm();
    await world.clock.pass(world.random.below(300));
  }
  const leader = await world.heal();
  const { watcher } = world.machines.find(({ node }) => node === leader)!;

  const total = new Array<number>(partitionCount).fill(0);
  const owner = Array.from({ length: partitionCount }, () => new Map<number, string>());
  for (const [fileId, { batches, baseOffsets }] of world.acknowledged) {
    for (const [row, { partition, recordCount }] of batches.entries()) {
      total[partition]! += recordCount;
      for (let i = 0; i < recordCount; i++) {
        const offset = baseOffsets[row]! + i;
        assert.equal(owner[partition]!.get(offset), undefined, 'an offset was given twice');
        owner[partition]!.set(offset, fileId);
      }
    }
  }
  for (let partition = 0; partition < partitionCount; partition++) {
    const found = leader.findBatches([
      { topicId: world.topicId, partition, offset: 0, bytesMax: Number.MAX_SAFE_INTEGER },
    ]);
    await world.clock.pass(100);
    const [{ nextOffset, pointers }] = (await found) as [Awaited<typeof found>[number]];
    assert.equal(nextOffset, total[partition], 'every record is there once');
    let at = 0;
    for (const [i, fileId] of pointers.fileId.entries()) {
      assert.equal(pointers.baseOffset[i], at);
      assert.equal(owner[partition]!.get(at), fileId, 'the offset is the acknowledged one');
      at = pointers.nextOffset[i]!;
    }
    const truth = new Map(pointers.fileId.map((fileId, i) => [pointers.baseOffset[i]!, fileId]));
    for (const [offset, fileId] of world.shown[partition]!) {
      assert.equal(truth.get(offset), fileId, 'a change that the follower saw was taken back');
    }
    assert.equal(watcher.next(partition), nextOffset, 'the follower has seen everything');
  }
  assert.deepEqual(world.problems, []);
  return world;
}

test('nothing acknowledged is lost or duplicated under pauses, kills and partitions', async () => {
  const seeds = 24;
  let terms = 0;
  let reads = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      const world = await run(seed);
      terms += world.leaders;
      reads += world.answers;
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
  // The test would prove little if leadership had not moved, or if no read had succeeded.
  assert.ok(terms > 4 * seeds, `${terms} terms`);
  assert.ok(reads > 40 * seeds, `${reads} reads`);
});

/** Calls that agents make with a request id; a second execution would return another answer. */
const requests: [what: string, ask: (port: ClusterPort) => Promise<unknown>][] = [
  [
    'createTopics',
    (port) => port.createTopics([{ name: 'new', partitionCount: 2, configs: {} }], { validateOnly: false }),
  ],
  ['deleteTopics', (port) => port.deleteTopics([{ name: 't' }])],
  [
    'createPartitions',
    (port) => port.createPartitions([{ name: 't', partitionCount: 7 }], { validateOnly: false }),
  ],
  ['allocateProducerIds', (port) => port.allocateProducerIds(10)],
];

for (const [what, ask] of requests) {
  test(`${what}: when the leader dies between append and reply, the next one returns the first answer`, async () => {
    const planes = new ControlPlanes();
    const { clock } = planes;
    const start = (id: string) => {
      const process = new SimulatedProcess(clock, seededRandom(1));
      const journal = planes.journal(process.clock);
      let isLast = false;
      const dying: Journal = {
        ...process.journal(journal),
        append: async (epoch, position, entries) => {
          await journal.append(epoch, position, entries);
          // It is in the journal, but this process will never answer.
          if (isLast) process.kill();
          return isLast ? new Promise<void>(() => {}) : undefined;
        },
      };
      const node = nodeIn(process, journal, id, { journal: dying });
      node.start();
      return {
        node,
        dieAfterAppend: () => {
          isLast = true;
        },
      };
    };
    const first = start('a');
    await clock.pass(100);
    const second = start('b');
    await first.node.createTopics([{ name: 't', partitionCount: 1, configs: {} }], { validateOnly: false });
    first.dieAfterAppend();
    let received: unknown;
    ask(first.node.forRequest('client:1')).then((answer) => {
      received = answer;
    });
    await clock.pass(10_000);
    assert.equal(received, undefined, 'the first leader never answered');
    assert.equal(second.node.role, 'leader');
    const answer = await ask(second.node.forRequest('client:1'));
    const results = Array.isArray(answer) ? (answer as TopicResult[]).map(({ error }) => error) : ['NONE'];
    assert.deepEqual(results, ['NONE']);
    assert.deepEqual(await ask(second.node.forRequest('client:1')), answer);
    // With another id it is another request, which finds the effect of the first one.
    assert.notDeepEqual(await ask(second.node.forRequest('client:2')), answer);
    await second.node.stop();
  });
}
