import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSequenceLeaseMs } from '@weir/cluster';
import { fileIdSequence } from '@weir/core';
import { settle } from '@weir/core/testing';
import { isFileId } from '@weir/storage';
import { errors } from '@weir/wire';
import {
  batchOf,
  DataPath,
  type DataPathOptions,
  produced,
  produceRequest,
} from '../../../testing/data-path.ts';
import { append, heldPuts } from '../../../testing/write-path-stage.ts';

const lightning = { 'service.topic.type': 'lightning' };

/** An agent with a lightning and a classic topic. */
async function stage(options: DataPathOptions = {}) {
  const path = new DataPath({ lightningAgentId: 'a', ...options });
  const { topicId: fast } = path.cluster.addTopic('fast', 2, lightning);
  const { topicId: slow } = path.cluster.addTopic('slow', 2);
  await path.ready();
  const one = (value: string, partition = 0) => ({
    ...produced(fast, partition, batchOf([value])),
    isLightning: true,
  });
  const write = (value: string) => append(path, [one(value)]);
  /** Commits that wait until the test lets them go. */
  const held: (() => void)[] = [];
  let holds = false;
  path.cluster.around = async (name, proceed) => {
    if (name === 'commitFiles' && holds) await new Promise<void>((resolve) => held.push(resolve));
    return proceed();
  };
  return {
    path,
    fast,
    slow,
    one,
    write,
    holdCommits() {
      holds = true;
    },
    async releaseCommits() {
      holds = false;
      for (const release of held.splice(0)) release();
      await settle();
    },
    end: (topicId = fast, partition = 0) => path.view.ends(topicId, partition)?.nextOffset,
    /** Writes until the sequence of the agent is registered. */
    async registered() {
      write('first');
      await settle();
      path.clock.advance(10);
      await settle();
    },
    fileIds: () =>
      [...path.store.objects.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1)).filter(isFileId),
  };
}

test('records are acknowledged as soon as they are stored, with offset 0, and seen after the commit', async () => {
  const { path, write, registered, holdCommits, releaseCommits, end, fileIds } = await stage();
  await registered();
  assert.equal(end(), 1);
  holdCommits();
  const puts = heldPuts(path);
  const written = write('second');
  await settle();
  assert.equal(written.outcome, undefined, 'not before it is stored');
  await puts.finish(path.store.puts);
  assert.deepEqual([written.errors, written.offsets], [['NONE'], [0]]);
  assert.equal(end(), 1, 'nobody sees it before its commit');
  await releaseCommits();
  assert.equal(end(), 2);
  assert.equal(new Set(fileIds().map(fileIdSequence)).size, 1);
});

test('what is stored before its sequence is registered is acknowledged by its commit, with its offset', async () => {
  const { path, write, end } = await stage();
  const { around } = path.cluster;
  path.cluster.around = (name, proceed) =>
    name === 'keepFileSequences' ? new Promise(() => undefined) : around(name, proceed);
  const offsets: (readonly number[] | undefined)[] = [];
  for (const value of ['first', 'second']) {
    const written = write(value);
    await settle();
    path.clock.advance(5);
    await settle();
    offsets.push(written.offsets);
  }
  assert.deepEqual(offsets, [[0], [1]]);
  assert.equal(end(), 2);
});

test('an agent that reaches no leader acknowledges only what is committed, and recovers', async () => {
  const { path, write, registered, end } = await stage();
  await registered();
  path.cluster.unavailable = true;
  path.clock.advance(fileSequenceLeaseMs - 6_000);
  await settle();
  const early = write('within the lease');
  await settle();
  assert.deepEqual(early.errors, ['NONE']);
  path.clock.advance(6_001);
  await settle();
  const late = write('after the lease');
  await settle();
  assert.equal(late.outcome, undefined);
  assert.equal(end(), 1);
  path.cluster.unavailable = false;
  await path.clock.pass(10_000);
  assert.deepEqual([late.errors, late.offsets], [['NONE'], [2]]);
  assert.equal(end(), 3);
  const again = write('again');
  await settle();
  assert.deepEqual(again.offsets, [0]);
});

test('a sequence that the leader has ended takes no acknowledgements, and another one follows', async () => {
  const { path, write, registered, fileIds } = await stage();
  await registered();
  const [first] = fileIds();
  path.cluster.putRecord('fileSequence', fileIdSequence(first!), { agentId: 'a', fromMs: 0, hasEnded: true });
  await path.clock.pass(5_000);
  const between = write('between');
  await settle();
  await path.clock.pass(5_000);
  assert.deepEqual(between.offsets, [1], 'acknowledged by its commit');
  const after = write('after');
  await settle();
  assert.deepEqual(after.offsets, [0]);
  assert.notEqual(fileIdSequence(fileIds().at(-1)!), fileIdSequence(first!));
});

test('a drained agent has committed all, and closed its sequences', async () => {
  const { path, write, registered, holdCommits, releaseCommits, end } = await stage();
  await registered();
  holdCommits();
  write('second');
  await settle();
  let isDrained = false;
  void path.writePath.drain().then(() => {
    isDrained = true;
  });
  await path.clock.pass(1_000);
  assert.equal(isDrained, false);
  await releaseCommits();
  await path.clock.pass(1_000);
  assert.equal(isDrained, true);
  assert.equal(end(), 2);
  assert.equal(path.cluster.calls.closeFileSequences, 1);
});

test('sequences change after a thousand files, and the old one is closed when all of it is committed', async () => {
  const { path, write, registered, fileIds, end } = await stage();
  await registered();
  for (let n = 1; n < 1_010; n++) {
    write(String(n));
    await settle();
    path.clock.advance(3);
  }
  await path.clock.pass(1_000);
  assert.equal(end(), 1_010);
  const counts = Map.groupBy(fileIds(), fileIdSequence);
  assert.equal(counts.size, 2);
  assert.ok([...counts.values()][0]!.length >= 1_000);
  assert.equal(path.cluster.calls.closeFileSequences, 1);
  // Without writes the second one is closed too.
  await path.clock.pass(620_000);
  assert.equal(path.cluster.calls.closeFileSequences, 2);
  const { keepFileSequences } = path.cluster.calls;
  await path.clock.pass(60_000);
  assert.equal(path.cluster.calls.keepFileSequences, keepFileSequences, 'nothing is renewed');
});

test('a request may have batches of both types, and an upload that fails fails its batches alone', async () => {
  const { path, registered, one, slow, end } = await stage();
  await registered();
  const both = append(path, [one('a'), produced(slow, 0, batchOf(['b'])), one('c', 1)]);
  await settle();
  path.clock.advance(10);
  await settle();
  assert.deepEqual(
    [both.errors, both.offsets],
    [
      ['NONE', 'NONE', 'NONE'],
      [0, 0, 0],
    ],
  );
  assert.deepEqual([end(), end(slow), end(undefined, 1)], [2, 1, 1]);
  path.store.beforePut = () => {
    throw new Error('the store is on fire');
  };
  const failed = append(path, [one('d')]);
  await settle();
  assert.deepEqual(failed.errors, ['KAFKA_STORAGE_ERROR']);
  assert.equal(end(), 2);
});

test('when the type of a topic changes, what was acknowledged is committed first', async () => {
  const { path, fast, write, registered, holdCommits, releaseCommits, one, end } = await stage();
  await registered();
  holdCommits();
  const before = write('lightning');
  await settle();
  assert.deepEqual(before.offsets, [0]);
  const after = append(path, [produced(fast, 0, batchOf(['classic']))]);
  const { puts } = path.store;
  await settle();
  assert.equal(path.store.puts, puts, 'it waits');
  await releaseCommits();
  path.clock.advance(10);
  await settle();
  assert.deepEqual(after.offsets, [2]);
  // And back.
  const held = heldPuts(path);
  const classic = append(path, [produced(fast, 0, batchOf(['classic']))]);
  await settle();
  const last = append(path, [one('lightning')]);
  await settle();
  assert.equal(last.outcome, undefined);
  await held.finish(path.store.puts);
  assert.deepEqual(classic.offsets, [3]);
  await settle();
  await held.finish(path.store.puts);
  assert.deepEqual(last.errors, ['NONE']);
  assert.equal(end(), 5);
});

test('a file of a sequence is listed only when it is whole', async () => {
  const { path, slow, write, registered } = await stage();
  await registered();
  const written: boolean[] = [];
  const put = path.store.put.bind(path.store);
  path.store.put = (key, content, options) => {
    // Then a directory as a bucket shows it as soon as it is begun.
    written.push(options?.isNewKey === true);
    return put(key, content, options);
  };
  write('lightning');
  await settle();
  path.clock.advance(10);
  await settle();
  append(path, [produced(slow, 0, batchOf(['classic']))]);
  await settle();
  assert.deepEqual(written, [false, true]);
});

test('the first write to a lightning topic waits for what is under way, and holds nothing else up', async () => {
  const { path, slow, one, registered } = await stage();
  await registered();
  const others = Array.from({ length: 50 }, (_, index) =>
    path.cluster.addTopic(`fast-${index}`, 1, lightning),
  );
  const toSlow = (value: string) => append(path, [produced(slow, 0, batchOf([value]))]);
  const held = heldPuts(path);
  const before = toSlow('under way');
  await settle();
  const upload = path.store.puts;
  // All of them are new to this agent.
  const firsts = others.map(({ topicId }) =>
    append(path, [{ ...produced(topicId, 0, batchOf(['first'])), isLightning: true }]),
  );
  const known = append(path, [one('known')]);
  // A request of the same connection as a waiting one does not overtake it where they share a topic.
  const behind = append(path, [
    { ...produced(others[0]!.topicId, 0, batchOf(['second'])), isLightning: true },
    produced(slow, 0, batchOf(['behind'])),
  ]);
  const after = toSlow('after');
  await settle();
  path.clock.advance(10);
  await settle();
  assert.equal(path.store.puts, upload + 1, 'the known topic alone goes on');
  await held.finish(path.store.puts);
  assert.deepEqual(known.errors, ['NONE']);
  path.store.beforePut = async () => {};
  await held.finish(upload);
  for (let round = 0; round < 10; round++) {
    await settle();
    path.clock.advance(10);
  }
  await settle();
  assert.deepEqual([...before.errors!, ...after.errors!], ['NONE', 'NONE']);
  assert.ok(firsts.every(({ errors: found }) => found?.[0] === 'NONE'));
  assert.deepEqual([before.offsets?.[0], behind.offsets?.[1], after.offsets?.[0]], [0, 1, 2]);
  assert.ok(path.store.puts <= upload + 6, 'they share files');
});

test('a request that waits for a change of types is answered at its deadline and not written', async () => {
  const { path, fast, write, registered, holdCommits, releaseCommits, end } = await stage();
  await registered();
  holdCommits();
  write('lightning');
  await settle();
  const classic = append(path, [produced(fast, 0, batchOf(['classic']))], 2_000);
  const later = append(path, [produced(fast, 0, batchOf(['later']))], 20_000);
  await settle();
  await path.clock.pass(1_999);
  assert.equal(classic.outcome, undefined);
  await path.clock.pass(1);
  assert.deepEqual([classic.errors, later.outcome], [['REQUEST_TIMED_OUT'], undefined]);
  await releaseCommits();
  await path.clock.pass(10);
  assert.deepEqual(later.offsets, [2]);
  assert.equal(end(), 3);
});

test('a commit that was sent and not answered is repeated, and the file is committed once', async () => {
  const { path, write, registered, end } = await stage();
  await registered();
  const { around } = path.cluster;
  let lost = 0;
  path.cluster.around = async (name, proceed) => {
    const answer = await around(name, proceed);
    if (name === 'commitFiles' && lost++ < 2) {
      path.cluster.unavailable = true;
      const { ClusterUnavailable } = await import('@weir/cluster');
      throw new ClusterUnavailable('the answer was lost');
    }
    return answer;
  };
  const written = write('second');
  await settle();
  assert.deepEqual(written.errors, ['NONE']);
  path.cluster.unavailable = false;
  await path.clock.pass(5_000);
  path.cluster.unavailable = false;
  await path.clock.pass(5_000);
  assert.equal(end(), 2);
});

test('idempotent and transactional producers are refused, others are answered', async () => {
  const { path, registered } = await stage();
  await registered();
  const produce = async (batch: Buffer, transactionalId: string | null = null) => {
    const answer = await path.call('Produce', 9, produceRequest('fast', [batch], transactionalId));
    assert.ok(typeof answer === 'object');
    const [{ errorCode, errorMessage, baseOffset }] = answer.responses[0]!.partitionResponses as [
      (typeof answer.responses)[0]['partitionResponses'][0],
    ];
    return { errorCode, errorMessage, baseOffset };
  };
  const refused = {
    errorCode: errors.INVALID_REQUEST.code,
    errorMessage:
      'lightning topics take no idempotent and no transactional producers; set enable.idempotence=false',
    baseOffset: -1n,
  };
  assert.deepEqual(
    await produce(batchOf(['a'], { producerId: 7n, producerEpoch: 0, baseSequence: 0 })),
    refused,
  );
  const transactional = { producerId: 7n, producerEpoch: 0, baseSequence: 0, isTransactional: true };
  assert.deepEqual(await produce(batchOf(['a'], transactional), 'tx'), refused);
  assert.deepEqual(await produce(batchOf(['a'])), {
    errorCode: errors.NONE.code,
    errorMessage: null,
    baseOffset: 0n,
  });
});
