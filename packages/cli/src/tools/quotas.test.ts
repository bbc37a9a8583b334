import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

test('quotas are set, shown and removed', async (t) => {
  const { weir } = await startLocalCluster(t);
  assert.deepEqual(await weir('cli describe-quotas -output json'), { status: 0, out: '[]\n', err: '' });
  assert.deepEqual(
    await weir('cli alter-quotas -quota-user shop -quota producer_byte_rate=10MiB,request_percentage=12.5'),
    {
      status: 0,
      out: 'QUOTA               VALUE\nproducer_byte_rate  10MiB\nrequest_percentage  12.5\n',
      err: '',
    },
  );
  await weir('cli alter-quotas -quota-user shop -quota-client-id <default> -quota consumer_byte_rate=1000');
  await weir('cli alter-quotas -quota-ip <default> -quota connection_creation_rate=5');
  const entities = async (flags: string) =>
    (await weir(`cli describe-quotas ${flags}`)).out
      .split('\n')
      .slice(1, -1)
      .map((row) => row.split(/ {2,}/).join(' | '));
  assert.deepEqual(await entities(''), [
    'ip <default> | connection_creation_rate | 5',
    'user shop | producer_byte_rate | 10MiB',
    'user shop | request_percentage | 12.5',
    'user shop, client-id <default> | consumer_byte_rate | 1kB',
  ]);
  assert.deepEqual(await entities('-quota-client-id <default>'), [
    'user shop, client-id <default> | consumer_byte_rate | 1kB',
  ]);
  const removed = await weir(
    'cli alter-quotas -quota-user shop -quota producer_byte_rate=unlimited -output json',
  );
  assert.equal(removed.out, '[{"quota":"producer_byte_rate","value":null}]\n');
  assert.equal((await entities('-quota-user shop')).length, 2);
});

test('what the cluster refuses is said in one line', async (t) => {
  const { weir } = await startLocalCluster(t);
  const { status, err } = await weir('cli alter-quotas -quota-ip shop -quota connection_creation_rate=5');
  assert.equal(status, 1);
  assert.match(err, /quotas: INVALID_REQUEST: "shop" is not an IP address\.\n$/);
});

const refused: [line: string, message: RegExp][] = [
  ['-quota producer_byte_rate=1', /-quota-user is required, or -quota-client-id or -quota-ip/],
  ['-quota-user a', /-quota is required/],
  ['-quota-user a -quota-ip b -quota producer_byte_rate=1', /by itself/],
  ['-quota-user a -quota producer_byte_rate', /producer_byte_rate needs bytes per second/],
  ['-quota-user a -quota producer_byte_rate=0', /above 0, or unlimited/],
  ['-quota-user a -quota connection_creation_rate=1.5', /a whole number/],
  ['-quota-user a -quota toString=1', /one of producer_byte_rate,/],
  ['-quota-user a -quota request_percentage=1,request_percentage=2', /listed twice/],
];

for (const [line, message] of refused) {
  test(`alter-quotas ${line} is refused`, async () => {
    const { status, err } = await runLine(`cli alter-quotas ${line}`);
    assert.equal(status, 2);
    assert.match(err, message);
  });
}
