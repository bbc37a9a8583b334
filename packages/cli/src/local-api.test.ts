import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runArguments } from '../testing/command-run.ts';
import { listAsRunning } from './servers/running-clusters.ts';

/** A cluster whose API does not respond, so that tools say which one they tried. */
const cluster = {
  name: 'playground',
  apiUrl: 'http://127.0.0.1:1',
  applicationKey: 'aks_1',
  accountKey: 'aks_2',
};

function home(t: TestContext): { readonly HOME: string } {
  const HOME = mkdtempSync(join(tmpdir(), 'weir-home-'));
  t.after(() => rmSync(HOME, { recursive: true }));
  return { HOME };
}

test('a tool finds the only cluster of this machine, for its user only, until it stops', async (t) => {
  const environment = home(t);
  const listed = join(environment.HOME, '.weir/running');
  const unlist = listAsRunning(cluster, environment);
  assert.equal(statSync(listed).mode & 0o777, 0o700);
  assert.equal(statSync(join(listed, `${process.pid}.json`)).mode & 0o777, 0o600);
  const told = new AbortController();
  const options = { environment, stop: told.signal, onErr: () => told.abort() };
  const found = await runArguments(['secret', 'list'], options);
  assert.match(found.err, /^weir secret list: using weir playground at http:\/\/127\.0\.0\.1:1\n/);
  unlist();
  const { err } = await runArguments(['secret', 'list'], { environment });
  assert.equal(err, 'weir secret list: -api-url is required\n');
});

test('an address or a key of the user is used alone', async (t) => {
  const environment = home(t);
  t.after(listAsRunning(cluster, environment));
  const { err } = await runArguments(['secret', 'list', '-api-url', 'http://127.0.0.1:2'], { environment });
  assert.equal(err, 'weir secret list: -api-key is required\n');
});

test('of several clusters the user chooses, and those that have ended are forgotten', async (t) => {
  const environment = home(t);
  t.after(listAsRunning(cluster, environment));
  const listed = join(environment.HOME, '.weir/running');
  const demo = { ...cluster, name: 'demo', apiUrl: 'http://127.0.0.1:3' };
  // The parent process lives as long as this one; no process has the largest id.
  writeFileSync(join(listed, `${process.ppid}.json`), JSON.stringify(demo));
  writeFileSync(join(listed, '4194304.json'), JSON.stringify(cluster));
  const { status, err } = await runArguments(['secret', 'list'], { environment });
  assert.equal(status, 2);
  assert.match(
    err,
    /several clusters run on this machine; set -api-url and -api-key: .*127\.0\.0\.1:3 \(demo\)/,
  );
  assert.deepEqual(readdirSync(listed).length, 2);
});

test('a home that cannot be written does not matter', (t) => {
  const environment = home(t);
  mkdirSync(join(environment.HOME, '.weir'));
  writeFileSync(join(environment.HOME, '.weir/running'), 'a file');
  listAsRunning(cluster, environment)();
  listAsRunning(cluster, {})();
  assert.ok(existsSync(join(environment.HOME, '.weir/running')));
});
