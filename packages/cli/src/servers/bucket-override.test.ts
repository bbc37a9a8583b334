import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFollower, ClusterSnapshot } from '@weir/cluster';
import { type Log, silentLog, systemClock } from '@weir/core';
import { bucketOverride } from './bucket-override.ts';

/** A cluster whose configs are available at once, later, or never. */
function clusterWith(configs: Readonly<Record<string, string>> | undefined, isLate = false) {
  let followers = 0;
  const follow = ({ onSnapshot }: ClusterFollower) => {
    followers++;
    const show = () => onSnapshot({ clusterConfigs: configs ?? {} } as ClusterSnapshot);
    if (configs !== undefined) isLate ? void systemClock.after(0, show) : show();
    return () => {
      followers--;
    };
  };
  return { follow, followers: () => followers };
}

const never = new AbortController().signal;

/** The bucket that is used, and what is logged. */
async function taken(
  named: string,
  { own = 's3://own?region=eu-west-1', allowed = [] as readonly string[] } = {},
): Promise<[url: string | undefined, problems: string[]]> {
  const problems: string[] = [];
  const log: Log = { ...silentLog, error: (_message, fields) => problems.push(String(fields?.problem)) };
  const cluster = clusterWith({ 'service.bucket.url': named });
  const options = { cluster, ownBucketUrl: own, allowedBucketUrls: allowed, log, stop: never };
  return [await bucketOverride(options), problems];
}

test('the bucket that a cluster names takes precedence over that of its agents', async () => {
  const others = { ownBucketUrl: 's3://own', allowedBucketUrls: [], log: silentLog, stop: never };
  for (const isLate of [false, true]) {
    const cluster = clusterWith({ 'service.bucket.url': 's3://other?region=eu-west-1' }, isLate);
    assert.equal(await bucketOverride({ ...others, cluster }), 's3://other?region=eu-west-1');
    await Promise.resolve();
    assert.equal(cluster.followers(), 0, 'the follower disconnects after the first answer');
  }
  for (const configs of [{}, { 'service.bucket.url': '' }]) {
    assert.equal(await bucketOverride({ ...others, cluster: clusterWith(configs) }), undefined);
  }
});

test('stopping ends the wait', async () => {
  const stopping = new AbortController();
  const waiting = bucketOverride({
    cluster: clusterWith(undefined),
    ownBucketUrl: 's3://own',
    allowedBucketUrls: [],
    log: silentLog,
    stop: stopping.signal,
  });
  stopping.abort();
  assert.equal(await waiting, undefined);
});

// biome-ignore format: a table
const refused: [named: string, own: string, words: RegExp][] = [
  ['s3://own?endpoint=http://evil.example',             's3://own',                              /own on http:\/\/evil\.example is not .* -allowedBucketURLs$/],
  ['s3://own?endpoint=evil.example',                    's3://own',                              /-allowedBucketURLs/],
  ['s3://own?disableSSL=true',                          's3://own',                              /without TLS/],
  ['s3://own?region=eu@evil.example%23',                's3://own',                              /region=/],
  ['s3://own?region=x.evil.example/',                   's3://own',                              /region=/],
  ['s3://own?endpoint=https://store.example:1',         's3://own?endpoint=https://store.example', /-allowedBucketURLs/],
  ['s3://own?endpoint=http://store.example',            's3://own?endpoint=https://store.example', /-allowedBucketURLs/],
  ['s3://own?endpoint=https://store.example@evil.example', 's3://own?endpoint=https://store.example', /endpoint= is no host/],
  ['s3://own',                                          's3://own?endpoint=https://store.example', /-allowedBucketURLs/],
  ['file:///tmp/data',                                  's3://own',                              /-allowedBucketURLs/],
  ['s3://own',                                          'file:///data',                          /-allowedBucketURLs/],
  ['file:///data2',                                     'file:///data',                          /-allowedBucketURLs/],
  ['file:///data/../etc',                               'file:///data',                          /-allowedBucketURLs/],
  ['sqlite:///etc/x.db',                                'sqlite:///data/x.db',                   /-allowedBucketURLs/],
  ['postgres://evil.example/db',                        'postgres://own/db',                     /evil\.example:5432 is not .* -allowedBucketURLs$/],
  ['postgres://u:secret@own:5433/db',                   'postgres://own/db',                     /db\/weir_bucket on own:5433 is not/],
  ['https://evil.example',                              's3://own',                              /one of mem/],
  ['service_multi://s3://own<>s3://own?endpoint=evil',  's3://own',                              /own on https:\/\/evil is not .* -allowedBucketURLs$/],
  ['service_multi://s3://own<>file:///tmp/data',        'service_multi://s3://own<>s3://two',    /-allowedBucketURLs/],
  ['service_multi://s3://own',                          's3://own',                              /2 to 32 buckets/],
];

for (const [named, own, words] of refused) {
  test(`an agent with ${own} does not use ${named}, and logs one line`, async () => {
    const [url, problems] = await taken(named, { own });
    assert.equal(url, undefined);
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, words);
  });
}

// biome-ignore format: a table
const allowed: [named: string, allowed: string, isTaken: boolean][] = [
  ['s3://logs?endpoint=https://store.example',          's3://logs?endpoint=https://store.example',          true],
  ['s3://logs?endpoint=https://store.example&prefix=a', 's3://logs?endpoint=https://store.example',          true],
  ['s3://logs?endpoint=https://store.example',          's3://logs?endpoint=https://store.example&prefix=a', false],
  ['s3://logs?endpoint=https://store.example&prefix=ab','s3://logs?endpoint=https://store.example&prefix=a', false],
  ['s3://other?endpoint=https://store.example',          's3://logs?endpoint=https://store.example',          false],
  ['s3://logs?endpoint=http://store.example',           's3://logs?endpoint=https://store.example',          false],
  ['file:///data/a',                                 'file:///data',                                   true],
  ['file:///data',                                   'file:///data/',                                  true],
  ['file:///database',                               'file:///data',                                   false],
  ['sqlite:///data/x.db?prefix=a',                   'sqlite:///data/x.db',                            true],
  ['sqlite:///data/x.db?table=other',                'sqlite:///data/x.db',                            false],
  ['postgres://DB:5432/records?prefix=a',            'postgresql://db/records',                        true],
  ['postgres://db/records?table=other',              'postgres://db/records',                          false],
];

for (const [named, entry, isTaken] of allowed) {
  test(`-allowedBucketURLs ${entry} ${isTaken ? 'allows' : 'does not allow'} ${named}`, async () => {
    const [url, problems] = await taken(named, { allowed: ['s3://another', entry] });
    assert.equal(url, isTaken ? named : undefined);
    assert.equal(problems.length, isTaken ? 0 : 1);
  });
}
