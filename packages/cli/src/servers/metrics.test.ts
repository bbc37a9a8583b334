import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishIntervalMs } from '@weir/agent';
import { type Clock, systemClock } from '@weir/core';
import { runLine } from '../../testing/command-run.ts';
import { runningIn, serve } from '../../testing/served-command.ts';

/** A clock on which the stats of the cluster are due at once, and everything else as usual. */
const clock: Clock = {
  ...systemClock,
  after: (delayMs, run) => systemClock.after(delayMs === publishIntervalMs ? 50 : delayMs, run),
};

/** Polls the metrics until one of the lines appears; a test that waits in vain fails by the runner's timeout. */
async function untilReported(httpUrl: string, line: string): Promise<string> {
  for (;;) {
    const text = await (await fetch(`${httpUrl}/metrics`)).text();
    if (text.includes(`\n${line}\n`)) return text;
    await new Promise<void>((resolve) => systemClock.after(20, resolve));
  }
}

test('the agent reports the lag of a group, which falls to 0', { timeout: 60_000 }, async (t) => {
  const local = await serve(
    runningIn(t),
    ['local', '-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'],
    /Ctrl-C/,
    { clock },
  );
  const httpUrl = local(/HTTP +(\S+)/);
  const port = local(/Kafka +localhost:(\d+)/);
  const weir = async (line: string) => {
    const { status, err } = await runLine(`${line} -bootstrap-port ${port}`);
    assert.equal(status, 0, err);
  };
  const lag = (count: number) =>
    `service_consumer_group_lag{agent_version="v830",topic="orders",consumer_group="readers"} ${count}`;
  await weir('cli create-topic -topic orders -partitions 2');
  await weir('cli produce -topic orders -records a,,b,,c -partition 0');
  await weir('cli produce -topic orders -records d -partition 1');
  await weir('cli benchmark-consumer -topic orders -group readers -num-records 4');
  await untilReported(httpUrl, lag(0));
  await weir('cli produce -topic orders -records e,,f -partition 0');
  const behind = await untilReported(httpUrl, lag(2));
  // The agent omits the partition tag by default.
  assert.match(behind, /^service_max_offset\{agent_version="v830",topic="orders"\} 5$/m);
  assert.match(behind, /^service_min_offset\{agent_version="v830",topic="orders"\} 0$/m);
  await weir('cli benchmark-consumer -topic orders -group readers -num-records 2');
  await untilReported(httpUrl, lag(0));
});

test('weir metrics reports a cluster that other agents serve', { timeout: 60_000 }, async (t) => {
  const running = runningIn(t);
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-metrics-'));
  running.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const clusterId = 'vci_metrics';
  const key = `aks_${'c0ffee'.repeat(11).slice(0, 64)}`;
  const identity = { SERVICE_AGENT_KEY: key, SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID: clusterId };
  const controlPlane = await serve(
    running,
    ['control-plane', '-consolePort', '0', '-bindAddress', '127.0.0.1', '-dataDir', dataDir],
    /serves/,
    { clock, environment: identity },
  );
  const metadataUrl = controlPlane(/(http:\/\/\S+)/);
  const statsd = createSocket('udp4');
  statsd.bind(0, '127.0.0.1');
  await once(statsd, 'listening');
  running.defer(() => void statsd.close());
  const agentFlags = [
    '-metadataURL',
    metadataUrl,
    '-kafkaPort',
    '0',
    '-httpPort',
    '0',
    '-bucketURL',
    `mem://${clusterId}`,
  ];
  const agent = await serve(
    running,
    [
      'agent',
      ...agentFlags,
      '-disablePublishMetricsJob',
      '-gracefulShutdownDuration',
      '0s',
      '-availabilityZone',
      'test',
      '-bindAddress',
      '127.0.0.1',
    ],
    /HTTP/,
    { clock, environment: identity },
  );
  const pushed = once(statsd, 'message') as Promise<[Buffer]>;
  const publisher = await serve(
    running,
    [
      'metrics',
      '-bindAddress',
      '127.0.0.1',
      '-metadataURL',
      metadataUrl,
      '-httpPort',
      '0',
      '-enableDatadogMetrics',
      '-metricsPushInterval',
      '1s',
    ],
    /HTTP/,
    {
      clock,
      environment: {
        ...identity,
        DD_AGENT_HOST: '127.0.0.1',
        DD_DOGSTATSD_PORT: String(statsd.address().port),
      },
    },
  );
  const port = agent(/Kafka +127\.0\.0\.1:(\d+)/);
  const created = await runLine(`cli create-topic -topic orders -partitions 2 -bootstrap-port ${port}`);
  assert.equal(created.status, 0, created.err);
  // All tags are there.
  await untilReported(
    publisher(/HTTP +(\S+)/),
    'service_max_offset{agent_version="v830",topic="orders",partition="1"} 0',
  );
  const own = await (await fetch(`${agent(/HTTP +(\S+)/)}/metrics`)).text();
  assert.doesNotMatch(own, /service_max_offset/, 'the agent leaves it to the other');
  const [datagram] = await pushed;
  assert.match(datagram.toString(), /^service\.\w+:.*virtual_cluster_id:vci_metrics,agent_id:/);
});
