import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCredentialRecord } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { type Access, anonymous, fullAccess, type Principal } from '@weir/security';
import { type Permit, ScriptedAccess } from '@weir/security/testing';
import {
  batchRecords,
  buildRecordBatch,
  type ErrorName,
  errorByCode,
  type RecordBatchFields,
  recordBatches,
} from '@weir/wire';
import { DataPath, type DataPathOptions } from '../../../testing/data-path.ts';
import type { ImpersonationOptions } from './impersonation.ts';

const user = (name: string, more: Partial<Principal> = {}): Principal => ({
  ...anonymous,
  name: `User:${name}`,
  ...more,
});

/** A record as `value key=value key=value`. Header values are literal, except `null`. */
type RecordText = string;

function batchOf(texts: readonly RecordText[], fields: RecordBatchFields = {}): Buffer {
  const records = texts.map((text) => {
    const [value, ...headers] = text.split(' ');
    return {
      timestamp: 1_000n,
      key: null,
      value: Buffer.from(value!),
      headers: headers.map((header) => {
        const [key, headerValue] = header.split('=');
        return { key: key!, value: headerValue === 'null' ? null : Buffer.from(headerValue!) };
      }),
    };
  });
  return buildRecordBatch(records, fields);
}

function textsOf(records: Buffer): RecordText[] {
  const batches = [...recordBatches(records, { partialTail: 'error' })];
  assert.ok(batches.every((batch) => batch.hasValidCrc()));
  return batches.flatMap((batch) =>
    [...batchRecords(batch)].map(({ value, headers }) =>
      [value, ...headers.map((header) => `${header.key}=${header.value}`)].join(' '),
    ),
  );
}

const stamping: ImpersonationOptions = { authorHeader: 'by', impersonators: [], impersonationHeader: 'for' };
const gateway: ImpersonationOptions = { impersonators: ['User:gate'], impersonationHeader: 'for' };
const both: ImpersonationOptions = { ...gateway, authorHeader: 'by' };

async function start(impersonation: ImpersonationOptions | undefined, options: DataPathOptions = {}) {
  const path = new DataPath({ ...options, ...(impersonation === undefined ? {} : { impersonation }) });
  path.cluster.addTopic('t', 2);
  await path.ready();

  async function produceAll(access: Access, batches: readonly Buffer[]) {
    path.access = access;
    const partitionData = batches.map((records, index) => ({ index, records }));
    const response = await path.call('Produce', 11, {
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: 't', partitionData }],
    });
    assert.ok(typeof response !== 'string');
    return response.responses[0]!.partitionResponses.map((answer) => ({
      ...answer,
      error: errorByCode(answer.errorCode)!.name as ErrorName,
    }));
  }

  async function produce(access: Access, batch: Buffer) {
    return (await produceAll(access, [batch]))[0]!;
  }

  async function stored(partition = 0): Promise<Buffer> {
    await settle();
    path.access = fullAccess();
    const response = await path.call('Fetch', 11, {
      maxWaitMs: 0,
      minBytes: 0,
      topics: [{ topic: 't', partitions: [{ partition, fetchOffset: 0n, partitionMaxBytes: 1 << 30 }] }],
    });
    assert.ok(typeof response !== 'string');
    return response.responses[0]!.partitions[0]!.records!;
  }
  return { path, produce, produceAll, stored };
}

/** Access of the client and of the users that it may impersonate. */
function accessOf(principal: Principal, permits: readonly Permit[], others: Record<string, Permit[]> = {}) {
  const accesses = Object.entries(others).map(([name, permits]) => new ScriptedAccess(permits, user(name)));
  return new ScriptedAccess(permits, principal, accesses);
}

test('which headers and principals are stored', async (t) => {
  const table: [
    name: string,
    options: ImpersonationOptions | undefined,
    client: Principal,
    sent: RecordText[],
    stored: RecordText[],
  ][] = [
    ['nothing is set', undefined, user('ann'), ['a by=eve for=User:bob'], ['a by=eve for=User:bob']],
    ['the principal is stamped', stamping, user('ann'), ['a', 'b'], ['a by=ann', 'b by=ann']],
    [
      'a forged principal is replaced',
      stamping,
      user('ann'),
      ['a by=eve x=1 by=null y=2'],
      ['a x=1 y=2 by=ann'],
    ],
    [
      'a different key is a different header',
      stamping,
      user('ann'),
      ['a By=eve byy=eve'],
      ['a By=eve byy=eve by=ann'],
    ],
    ['the anonymous principal is stamped too', stamping, anonymous, ['a by=ann'], ['a by=ANONYMOUS']],
    ['a name may be an address', stamping, user('spiffe://d/w'), ['a'], ['a by=spiffe://d/w']],
    ['a name may have letters', stamping, user('Jürgen 🦊'), ['a'], ['a by=Jürgen 🦊']],
    [
      'the header of a client that is no impersonator is ignored',
      gateway,
      user('ann'),
      ['a for=User:bob'],
      ['a for=User:bob'],
    ],
    [
      'a client that is no impersonator is the principal',
      both,
      user('ann'),
      ['a for=User:bob'],
      ['a for=User:bob by=ann'],
    ],
    ['an impersonator writes for others', gateway, user('gate'), ['a for=User:bob x=1', 'b'], ['a x=1', 'b']],
    [
      'each record with its own principal',
      both,
      user('gate'),
      ['a for=User:bob', 'b by=eve', 'c for=User:cid', 'd for=User:bob'],
      ['a by=bob', 'b by=gate', 'c by=cid', 'd by=bob'],
    ],
    [
      'an impersonator by an alias',
      both,
      user('ccun_1', { aliases: ['User:ccn_gate', 'User:gate'] }),
      ['a for=User:bob'],
      ['a by=bob'],
    ],
    [
      'one key for both',
      { ...both, impersonationHeader: 'by' },
      user('gate'),
      ['a by=User:bob', 'b'],
      ['a by=bob', 'b by=gate'],
    ],
  ];
  for (const [name, options, client, sent, expected] of table) {
    await t.test(name, async () => {
      const { produce, stored } = await start(options);
      assert.equal((await produce(fullAccess(client), batchOf(sent, { codec: 'lz4' }))).error, 'NONE');
      assert.deepEqual(textsOf(await stored()), expected);
    });
  }
});

test('batches that need no change are stored as they came', async () => {
  const batch = batchOf(['a for=User:bob', 'b'], { codec: 'gzip', compression: { level: 1 } });
  for (const [options, client] of [
    [undefined, user('ann')],
    [gateway, user('ann')],
  ] as const) {
    const { produce, stored } = await start(options);
    await produce(fullAccess(client), Buffer.from(batch));
    assert.ok((await stored()).subarray(16).equals(batch.subarray(16)));
  }
  const { produce, stored } = await start(gateway);
  const plain = batchOf(['a x=User:bob', 'b'], { codec: 'gzip', compression: { level: 1 } });
  await produce(fullAccess(user('gate')), Buffer.from(plain));
  assert.ok(
    (await stored()).subarray(16).equals(plain.subarray(16)),
    'an impersonator without impersonated records',
  );
});

test('the rights of the principal of a record apply', async (t) => {
  const write: Permit = 'WRITE TOPIC t';
  const elsewhere: Permit = 'WRITE TOPIC u';
  const gate = user('gate');
  const table: [
    name: string,
    access: ScriptedAccess,
    sent: RecordText[],
    error: ErrorName,
    message: string | null,
  ][] = [
    ['the principal may write', accessOf(gate, [], { bob: [write] }), ['a for=User:bob'], 'NONE', null],
    [
      'the principal may not write, and the impersonator may',
      accessOf(gate, [write], { bob: [elsewhere] }),
      ['a for=User:bob'],
      'TOPIC_AUTHORIZATION_FAILED',
      'record 0: User:bob is not authorized to write to the topic',
    ],
    [
      'an unknown principal',
      accessOf(gate, [write]),
      ['a for=User:bob'],
      'TOPIC_AUTHORIZATION_FAILED',
      'record 0: User:bob is not authorized to write to the topic',
    ],
    [
      'one of the principals may not write',
      accessOf(gate, [write], { bob: [write] }),
      ['a for=User:bob', 'b', 'c for=User:cid'],
      'TOPIC_AUTHORIZATION_FAILED',
      'record 2: User:cid is not authorized to write to the topic',
    ],
    [
      'the impersonator may not write its own records',
      accessOf(gate, [], { bob: [write] }),
      ['a for=User:bob', 'b'],
      'TOPIC_AUTHORIZATION_FAILED',
      'record 1: User:gate is not authorized to write to the topic',
    ],
  ];
  for (const [name, access, sent, error, message] of table) {
    await t.test(name, async () => {
      const { produce, stored } = await start(both);
      const answer = await produce(access, batchOf(sent));
      assert.deepEqual([answer.error, answer.errorMessage, answer.recordErrors], [error, message, []]);
      assert.equal(textsOf(await stored()).length, error === 'NONE' ? sent.length : 0);
    });
  }
});

test('a right is checked once, and a denied partition does not affect the others', async () => {
  const { produceAll, stored } = await start(gateway);
  const bob = new ScriptedAccess([], user('bob'));
  const access = new ScriptedAccess(['WRITE TOPIC t'], user('gate'), [bob]);
  const answers = await produceAll(access, [
    batchOf(['a for=User:bob', 'b for=User:bob', 'c for=User:bob']),
    batchOf(['d']),
  ]);
  assert.deepEqual(
    answers.map(({ error }) => error),
    ['TOPIC_AUTHORIZATION_FAILED', 'NONE'],
  );
  assert.deepEqual(bob.denied, ['WRITE TOPIC t']);
  assert.deepEqual(access.denied, []);
  assert.deepEqual(textsOf(await stored(1)), ['d']);
});

test('an impersonated user has all of its principal names and is never a superuser', async () => {
  const { path, produce } = await start(gateway);
  const record = { id: 'cci_1', name: 'ccn_bob', isSuperuser: true, createdMs: 0 };
  path.cluster.putRecord('credential', 'ccun_1', JSON.parse(writeCredentialRecord(record).toString()));
  await settle();
  const checked: Principal[] = [];
  const access: Access = {
    ...fullAccess(user('gate', { isSuperuser: true })),
    as(principal) {
      checked.push(principal);
      return fullAccess(principal);
    },
  };
  assert.equal((await produce(access, batchOf(['a for=User:ccun_1']))).error, 'NONE');
  assert.deepEqual(checked, [
    {
      name: 'User:ccun_1',
      aliases: ['User:bob', 'User:ccn_bob'],
      credentialName: 'ccn_bob',
      isSuperuser: false,
    },
  ]);
});

test('a header without a valid principal fails its partition', async (t) => {
  const long = `User:${'x'.repeat(1025)}`;
  const wrong = 'header for must be User:<name>';
  const table: [name: string, header: string, message: string][] = [
    ['no value', 'for=null', wrong],
    ['an empty value', 'for=', wrong],
    ['a name without a type', 'for=bob', wrong],
    ['no name', 'for=User:', wrong],
    ['another kind', 'for=Group:bob', wrong],
    ['the wildcard', 'for=User:*', wrong],
    ['a line break', 'for=User:bob\n', wrong],
    ['a name that is too long', `for=${long}`, wrong],
    ['two names', 'for=User:bob for=User:bob', 'header for occurs more than once'],
    ['no value and a name', 'for=null for=User:bob', 'header for occurs more than once'],
  ];
  const { produce, stored } = await start(both);
  for (const [name, header, message] of table) {
    await t.test(name, async () => {
      const answer = await produce(fullAccess(user('gate')), batchOf(['a', `b ${header}`]));
      assert.equal(answer.error, 'INVALID_RECORD');
      assert.equal(answer.errorMessage, `record 1: ${message}`);
      assert.deepEqual(answer.recordErrors, [{ batchIndex: 1, batchIndexErrorMessage: message }]);
    });
  }
  const bytes = buildRecordBatch([
    {
      timestamp: 1n,
      key: null,
      value: null,
      headers: [{ key: 'for', value: Buffer.from('557365723aff', 'hex') }],
    },
  ]);
  assert.equal((await produce(fullAccess(user('gate')), bytes)).error, 'INVALID_RECORD', 'no text');
  assert.equal((await stored()).length, 0);
});

test('size limits apply before and after the header is added', async () => {
  const value = 'x'.repeat(100);
  // Length (2), attributes, time, offset, key, length of value (2), value, headers: 109; the header is 1 + 2 + 1 + 3.
  const table: [recordBytesMax: number, error: ErrorName, message: RegExp][] = [
    [108, 'MESSAGE_TOO_LARGE', /^record has 109 bytes and 108 are allowed$/],
    [
      109,
      'MESSAGE_TOO_LARGE',
      /^record has 116 bytes including its principal header, above the limit of 109$/,
    ],
    [
      115,
      'MESSAGE_TOO_LARGE',
      /^record has 116 bytes including its principal header, above the limit of 115$/,
    ],
    [116, 'NONE', /^null$/],
  ];
  for (const codec of ['none', 'zstd'] as const) {
    for (const [recordBytesMax, error, message] of table) {
      const { produce } = await start(stamping, { recordBytesMax });
      const answer = await produce(fullAccess(user('ann')), batchOf([value], { codec }));
      assert.equal(answer.error, error, `${codec} ${recordBytesMax}`);
      assert.match(String(answer.errorMessage), message);
    }
  }
});

test('rewritten batches keep producer ids and sequences', async () => {
  const { produce, stored } = await start(stamping);
  const fields = { producerId: 7n, producerEpoch: 3, baseSequence: 40, codec: 'snappy' } as const;
  await produce(fullAccess(user('ann')), batchOf(['a', 'b'], fields));
  const [batch] = recordBatches(await stored(), { partialTail: 'error' });
  const { producerId, producerEpoch, baseSequence, codec, recordCount } = batch!;
  assert.deepEqual({ producerId, producerEpoch, baseSequence, codec }, fields);
  assert.equal(recordCount, 2);
});

test('records with log append time get their principal too', async () => {
  const { path, produce, stored } = await start(stamping, {
    clusterConfigs: { 'log.message.timestamp.type': 'LogAppendTime' },
  });
  await produce(fullAccess(user('ann')), batchOf(['a'], { codec: 'gzip' }));
  const records = await stored();
  assert.deepEqual(textsOf(records), ['a by=ann']);
  const [batch] = recordBatches(records, { partialTail: 'error' });
  assert.equal(batch!.timestampType, 'logAppendTime');
  assert.equal(batch!.maxTimestamp, BigInt(path.clock.nowMs()));
});

test('a wrong max timestamp is corrected in the stored batch', async () => {
  const { produce, stored } = await start(stamping);
  await produce(fullAccess(user('ann')), batchOf(['a'], { maxTimestamp: 5n }));
  const [batch] = recordBatches(await stored(), { partialTail: 'error' });
  assert.equal(batch!.maxTimestamp, 1_000n);
  assert.ok(batch!.hasValidCrc());
});
