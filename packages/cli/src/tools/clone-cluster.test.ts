import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createBucket } from '@weir/storage';
import { runArguments, runLine } from '../../testing/command-run.ts';

/** A command that serves until the test ends, with the ports that it prints. */
async function serve(
  t: TestContext,
  argv: readonly string[],
  patterns: readonly RegExp[],
): Promise<string[]> {
  const stop = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  let printed = '';
  const running = runArguments([...argv, '-logLevel', 'error'], {
    stop: stop.signal,
    onOut(text) {
      printed += text;
      const found = patterns.map((pattern) => pattern.exec(printed)?.[1]);
      if (found.every((match) => match !== undefined)) resolve(found);
    },
  });
  running.then(({ err }) => reject(new Error(`${argv[0]} has ended: ${err}`)), reject);
  t.after(async () => {
    stop.abort();
    await running;
  });
  return promise;
}

test('an agent of a clone reads the records of the cluster, which deletes its topic meanwhile', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-clone-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const free = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];
  const [kafkaPort, consolePort] = await serve(
    t,
    ['playground', '-dataDir', dataDir, ...free],
    [/Kafka +localhost:(\d+)/, /control plane +http:\/\/localhost:(\d+)/],
  );
  const weir = (line: string, port = kafkaPort) => runLine(`${line} -bootstrap-port ${port}`);
  await weir('cli create-topic -topic orders');
  const produced = await weir('cli produce -topic orders -records one,two');
  assert.equal(produced.status, 0, produced.err);

  const { applicationKey } = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8'));
  const controlPlane = `http://localhost:${consolePort}`;
  const cloned = await runLine(
    `cli clone-cluster -clone-name copy -api-url ${controlPlane} -api-key ${applicationKey}`,
  );
  assert.equal(cloned.status, 0, cloned.err);
  assert.match(
    cloned.err,
    /^weir cli clone-cluster: created vcn_copy from vci_\w+; start its agents with the same -bucketURL/,
  );
  const [cloneId, agentKey] = cloned.out.trim().split(' ');
  const ofLake = await runLine(
    `cli clone-cluster -cluster tables -clone-name lake -api-url ${controlPlane} -api-key ${applicationKey}`,
  );
  assert.equal(ofLake.status, 1);
  assert.match(ofLake.err, /^weir cli clone-cluster: Data lake clusters cannot be cloned: [^\n]+\n$/);

  const bucket = (folder: string) => pathToFileURL(join(dataDir, folder)).href;
  const agent = (folder: string) => [
    ...['agent', '-metadataURL', controlPlane, '-agentKey', agentKey!, '-defaultVirtualClusterID', cloneId!],
    ...['-bucketURL', bucket(folder), '-bindAddress', '127.0.0.1', '-availabilityZone', 'a'],
    ...['-kafkaPort', '0', '-httpPort', '0'],
  ];
  await createBucket(bucket('other'));
  const refused = await runArguments(agent('other'));
  assert.equal(refused.status, 1);
  assert.match(
    refused.err,
    /^weir agent: -bucketURL: \S+ is not the bucket of vci_\w+, whose id is bki_\w+ .*\n$/m,
  );

  const [clonePort] = await serve(t, agent('bucket'), [/Kafka +\S+:(\d+)/]);
  const gone = await weir('cli delete-topic -topic orders');
  assert.equal(gone.status, 0, gone.err);
  const fetched = await weir('cli fetch -topic orders -output json', clonePort);
  assert.equal(fetched.status, 0, fetched.err);
  assert.match(fetched.out, /one.*two/s);
  const more = await weir('cli produce -topic orders -records three', clonePort);
  assert.equal(more.status, 0, more.err);
  assert.match((await weir('cli fetch -topic orders', clonePort)).out, /one.*two.*three/s);
});
