import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigChange, ConfigResourceKind } from '../calls/admin-calls.ts';
import { alteredConfigs } from './alter-configs.ts';

type Texts = Record<string, string>;

/** `name=value` sets, `name+=value` appends, `name-=value` subtracts, `-name` deletes. */
function change(text: string): ConfigChange {
  if (text.startsWith('-')) return { name: text.slice(1), operation: 'delete', value: null };
  const [, name = '', sign = '', value = ''] = /^([\w.]+)([+-]?)=(.*)$/.exec(text)!;
  const operation = sign === '+' ? 'append' : sign === '-' ? 'subtract' : 'set';
  return { name, operation, value };
}

const policy = 'cleanup.policy';
const compacted = { [policy]: 'compact' };
const session = 'consumer.session.timeout.ms';

const cases: [kind: ConfigResourceKind, before: Texts, changes: string[], after: Texts | RegExp][] = [
  ['topic', {}, ['retention.ms=5'], { 'retention.ms': '5' }],
  ['topic', { 'retention.ms': '5' }, ['retention.bytes=7'], { 'retention.bytes': '7', 'retention.ms': '5' }],
  ['topic', { 'retention.ms': '5' }, ['-retention.ms'], {}],
  ['topic', {}, ['-retention.ms'], {}],
  ['topic', {}, ['retention.ms=5', 'retention.ms=6'], /^INVALID_REQUEST Duplicate config retention\.ms/],
  [
    'topic',
    {},
    ['retention.ms=5', 'retention.bytes=x'],
    /^INVALID_CONFIG retention\.bytes=x: must be a whole/,
  ],
  ['topic', {}, ['service.nothing=1'], /^INVALID_CONFIG service\.nothing=1: unknown topic config/],
  ['topic', {}, ['-service.nothing'], /^INVALID_CONFIG service\.nothing=null: unknown topic config/],
  ['topic', {}, ['some.plugin=1', 'retention.ms=5'], /^INVALID_CONFIG some\.plugin=1: unknown topic/],
  ['topic', {}, ['retention.mss=5'], /^INVALID_CONFIG .* unknown topic config; did you mean retention\.ms\?/],
  ['topic', {}, ['some.list+=5'], /^INVALID_CONFIG some\.list=5: unknown topic config/],
  ['topic', {}, ['-some.plugin'], {}],
  // Names that an older release accepted remain until they are unset.
  ['topic', { 'some.plugin': '1' }, ['retention.ms=5'], { 'retention.ms': '5', 'some.plugin': '1' }],
  ['topic', { 'some.plugin': '1' }, ['-some.plugin'], {}],
  ['topic', compacted, [`${policy}+=delete`], { [policy]: 'compact,delete' }],
  ['topic', compacted, [`${policy}+=compact`], compacted],
  ['topic', { [policy]: 'compact, delete' }, [`${policy}-=delete`], compacted],
  ['topic', compacted, [`${policy}-=compact`], { [policy]: '' }],
  ['topic', {}, [`${policy}=shred`], /^INVALID_CONFIG cleanup\.policy=shred: must be any of/],
  ['topic', compacted, [`${policy}=delete`], { [policy]: 'delete' }],
  ['topic', compacted, [`-${policy}`], {}],
  ['topic', {}, [`${policy}=compact`], compacted],
  ['topic', {}, [`${policy}+=compact`], { [policy]: 'delete,compact' }],
  ['topic', {}, ['retention.ms+=5'], /^INVALID_CONFIG retention\.ms is not a list config/],
  [
    'topic',
    {},
    ['leader.replication.throttled.replicas+=0:1'],
    { 'leader.replication.throttled.replicas': '0:1' },
  ],
  ['cluster', {}, ['log.retention.hours=1'], { 'log.retention.ms': '3600000' }],
  ['cluster', { 'log.retention.ms': '5' }, ['-log.retention.hours'], {}],
  ['cluster', {}, ['default.replication.factor=1'], /^INVALID_REQUEST .* is read-only; its value is 3/],
  [
    'cluster',
    {},
    ['service.default.topic.type=fast'],
    /^INVALID_CONFIG .* must be one of classic, lightning/,
  ],
  ['cluster', {}, ['service.acls.enabled=true'], { 'service.acls.enabled': 'true' }],
  [
    'cluster',
    { 'service.acl.shadowing.enabled': 'true' },
    ['service.acl.shadowing.enabled=false', 'service.acls.enabled=true'],
    { 'service.acl.shadowing.enabled': 'false', 'service.acls.enabled': 'true' },
  ],
  [
    'cluster',
    { 'service.acl.shadowing.enabled': 'true' },
    ['service.acls.enabled=true'],
    /^INVALID_CONFIG .* cannot both be true/,
  ],
  [
    'cluster',
    { 'service.acls.enabled': 'true' },
    ['service.acl.shadowing.enabled=true'],
    /^INVALID_CONFIG .* cannot both be true/,
  ],
  ['cluster', {}, ['queued.max.requests=5'], /^INVALID_REQUEST .* is read-only; its value is 500/],
  [
    'cluster',
    {},
    ['advertised.listeners=PLAINTEXT://a:1'],
    /^INVALID_REQUEST .* cannot be updated dynamically/,
  ],
  ['cluster', {}, ['ssl.keystore.location=/x'], /^INVALID_REQUEST .* it is set by agent flags/],
  ['cluster', {}, ['listener.name.a.ssl.key.password=x'], /^INVALID_REQUEST .* it is set by agent flags/],
  ['cluster', {}, ['queued.max.requests=5', 'x=1'], /^INVALID_CONFIG .*; x=1: unknown cluster config/],
  ['cluster', {}, ['log.cleaner.threads=2'], { 'log.cleaner.threads': '2' }],
  [
    'cluster',
    {},
    ['log.cleaner.threads=-2'],
    /^INVALID_CONFIG log\.cleaner\.threads=-2: must be a whole number/,
  ],
  ['broker', {}, ['log.cleaner.threads=2'], { 'log.cleaner.threads': '2' }],
  ['broker', {}, ['message.max.bytes=200'], { 'message.max.bytes': '200' }],
  ['broker', { 'log.cleaner.threads': '2' }, ['-log.cleaner.threads'], {}],
  ['broker', {}, ['-leader.replication.throttled.rate', '-follower.replication.throttled.rate'], {}],
  [
    'broker',
    {},
    ['log.retention.ms=5'],
    /^INVALID_REQUEST .* cannot be set per broker; use the default broker resource/,
  ],
  [
    'broker',
    {},
    ['log.retention.hours=5'],
    /^INVALID_REQUEST .* cannot be set per broker; use the default broker resource/,
  ],
  ['broker', {}, ['log.cleaner.thread=2'], /^INVALID_CONFIG .* did you mean log\.cleaner\.threads\?/],
  ['cluster', {}, ['service.default.x=1'], /^INVALID_CONFIG .* unknown cluster config/],
  ['group', {}, ['streams.num.standby.replicas=1'], { 'streams.num.standby.replicas': '1' }],
  ['group', {}, [`${session}=9000`], { [session]: '9000' }],
  ['group', {}, [`${session}=5000`], /^INVALID_CONFIG consumer\.heartbeat\.interval\.ms=5000: must be less/],
  ['group', {}, ['some.plugin=1'], /^INVALID_CONFIG some\.plugin=1: unknown group config/],
  ['clientMetrics', {}, ['metrics=a.,b.', 'interval.ms=100'], { 'interval.ms': '100', metrics: 'a.,b.' }],
  ['clientMetrics', { metrics: 'a.,b.' }, ['metrics-=a.'], { metrics: 'b.' }],
  ['clientMetrics', {}, ['match=client_id=app-.*'], { match: 'client_id=app-.*' }],
  [
    'clientMetrics',
    {},
    ['match=client_id=('],
    /^INVALID_CONFIG match=client_id=\(: must be selector=pattern/,
  ],
  ['clientMetrics', {}, ['interval.ms=soon'], /^INVALID_CONFIG interval\.ms=soon: must be a whole number/],
  ['clientMetrics', {}, ['no.such.config=1'], /^INVALID_REQUEST no\.such\.config=1: unknown/],
  ['clientMetrics', {}, ['match=shoe_size=1'], /^INVALID_CONFIG match=shoe_size=1: must be/],
  [
    'clientMetrics',
    {},
    [`match=${Array.from({ length: 5 }, (_, number) => `client_id=${number}a{500}`).join()}`],
    /with few repetitions/,
  ],
  [
    'clientMetrics',
    {},
    ['interval.ms=99'],
    /^INVALID_REQUEST interval\.ms=99: must be a whole number from 100/,
  ],
];

for (const [kind, before, changes, after] of cases) {
  test(`${kind} ${JSON.stringify(before)} with ${changes.join(' ')}`, () => {
    const request = { kind, name: 'x', replacesAll: false, changes: changes.map(change) };
    const altered = alteredConfigs(request, before, {});
    if (after instanceof RegExp) {
      assert.notEqual(altered.error, 'NONE');
      assert.match(`${altered.error} ${'message' in altered ? altered.message : ''}`, after);
    } else {
      assert.deepEqual(altered, { error: 'NONE', configs: after });
      assert.deepEqual(Object.keys(after).sort(), 'configs' in altered && Object.keys(altered.configs));
    }
  });
}

test('replacesAll unsets configs that are not named', () => {
  const before = { 'retention.bytes': '7', 'retention.ms': '5' };
  const replace = (...changes: string[]) =>
    alteredConfigs({ kind: 'topic', name: 'x', replacesAll: true, changes: changes.map(change) }, before, {});
  assert.deepEqual(replace('segment.ms=9'), { error: 'NONE', configs: { 'segment.ms': '9' } });
  assert.deepEqual(replace(), { error: 'NONE', configs: {} });
});

test('set, append and subtract need a value', () => {
  for (const operation of ['set', 'append', 'subtract'] as const) {
    const changes = [{ name: policy, operation, value: null }];
    const altered = alteredConfigs({ kind: 'topic', name: 'x', replacesAll: false, changes }, {}, {});
    assert.equal(altered.error, 'INVALID_REQUEST', operation);
  }
});

test('only owners change owner configs; a client may send the current value', () => {
  const bucket = 'service.bucket.url';
  const before = { [bucket]: 's3://ours', 'num.partitions': '3' };
  const alter = (by: 'client' | 'owner', replacesAll: boolean, ...changes: string[]) =>
    alteredConfigs({ kind: 'cluster', name: '', replacesAll, changes: changes.map(change) }, before, {}, by);
  const attacks = [`${bucket}=s3://ours?endpoint=http://evil.example`, `-${bucket}`];
  for (const attack of attacks) {
    for (const replacesAll of [false, true]) {
      const altered = alter('client', replacesAll, attack);
      assert.equal(altered.error, 'INVALID_CONFIG');
      const message = 'message' in altered ? altered.message : '';
      assert.match(
        message,
        /^service\.bucket\.url: cannot be set over the Kafka protocol; .* API, as an admin$/,
      );
      assert.equal(alter('owner', replacesAll, attack).error, 'NONE');
    }
  }
  assert.deepEqual(alter('client', true, 'num.partitions=4'), {
    error: 'NONE',
    configs: { 'num.partitions': '4', [bucket]: 's3://ours' },
  });
  assert.equal(alter('client', true, `${bucket}=s3://ours`).error, 'NONE');
  assert.deepEqual(alter('owner', true), { error: 'NONE', configs: {} });
});

test('a compaction change that the API refuses has a reason code, other refusals have none', () => {
  const reasonOf = (text: string, by: 'client' | 'owner') => {
    const request = { kind: 'topic', name: 'x', replacesAll: false, changes: [change(text)] } as const;
    const altered = alteredConfigs(request, {}, {}, by);
    return altered.error === 'NONE' ? 'none' : altered.reason;
  };
  assert.equal(reasonOf(`${policy}=compact`, 'owner'), 'COMPACTION_CHANGE');
  assert.equal(reasonOf(`${policy}=compact`, 'client'), 'none');
  assert.equal(reasonOf('retention.ms=soon', 'owner'), undefined);
});
