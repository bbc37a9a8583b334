import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '@weir/core';
import { parseCommandLine } from '../flags/parse.ts';
import { agentSettings } from './agent-settings.ts';
import { clusterMetricsSettings, metricsPushSettings } from './metrics-settings.ts';

function valuesOf<Command extends 'agent' | 'metrics'>(
  command: Command,
  argv: readonly string[],
  environment: Environment = {},
) {
  const needed = ['-defaultVirtualClusterID=vci_1', '-agentKey=k', '-metadataURL=http://c'];
  const bucket = command === 'agent' ? ['-bucketURL=mem://a'] : [];
  const parsed = parseCommandLine(command, [...needed, ...bucket, ...argv], environment);
  assert.ok('value' in parsed, JSON.stringify(parsed));
  return parsed.value.values;
}

test('the tags that consumer group metrics omit', () => {
  const variable = 'SERVICE_DISABLE_CONSUMER_GROUP_METRICS_TAGS';
  // command, flags, environment: the disabled tags
  const table = [
    ['agent', [], {}, ['partition']],
    ['metrics', [], {}, []],
    ['agent', [], { [variable]: '' }, []],
    ['metrics', [], { [variable]: '' }, []],
    ['agent', ['-disableConsumerGroupsMetricsTags=topic,partition'], {}, ['topic', 'partition']],
    ['metrics', [], { [variable]: 'consumer_group' }, ['consumer_group']],
    ['agent', ['-disableConsumerGroupsMetricsTags='], { [variable]: 'topic' }, []],
  ] as const;
  for (const [command, argv, environment, expected] of table) {
    const { withoutTags } = clusterMetricsSettings(valuesOf(command, argv, environment));
    assert.deepEqual(withoutTags, expected, `${command} ${argv} ${JSON.stringify(environment)}`);
  }
});

test('which process reports the metrics of the cluster', () => {
  const settingsFor = (...argv: string[]) => agentSettings(valuesOf('agent', argv), 'mem://a').clusterMetrics;
  assert.deepEqual(settingsFor(), { includesGroups: true, withoutTags: ['partition'] });
  assert.equal(settingsFor('-disableConsumerGroupMetrics')?.includesGroups, false);
  assert.equal(settingsFor('-disablePublishMetricsJob'), undefined);
  const metrics = valuesOf('metrics', [], { SERVICE_DISABLE_CONSUMER_GROUP_METRICS: 'true' });
  assert.equal(clusterMetricsSettings(metrics).includesGroups, false);
});

test('where metrics are pushed to', () => {
  const pushed = (argv: readonly string[], environment: Environment = {}) =>
    metricsPushSettings(valuesOf('agent', argv, environment));
  const nowhere = { otlp: undefined, dogstatsd: undefined, hasDottedNames: true, intervalMs: 30_000 };
  assert.deepEqual(pushed([]), nowhere);
  assert.deepEqual(pushed([], { DD_AGENT_HOST: 'a' }), nowhere, 'a variable of others switches nothing on');
  assert.deepEqual(pushed(['-enableDatadogMetrics']).dogstatsd, { host: 'localhost', port: 8125 });
  assert.deepEqual(
    pushed(['-enableDatadogMetrics'], { DD_AGENT_HOST: 'a', DD_DOGSTATSD_PORT: '9125' }).dogstatsd,
    { host: 'a', port: 9125 },
  );
  const url = 'https://collector:4318/v1/metrics';
  assert.deepEqual(
    pushed([`-otlpMetricsURL=${url}`], {
      SERVICE_OTLP_METRICS_HEADERS: 'Authorization=Bearer%20a, x-tenant = 1',
    }).otlp,
    { url, headers: { authorization: 'Bearer a', 'x-tenant': '1' } },
  );
  assert.equal(pushed([], { SERVICE_METRICS_NAME_NORMALIZER: 'false' }).hasDottedNames, false);
});

test('commands with a control plane take the same settings', () => {
  const url = 'https://collector:4318/v1/metrics';
  const environment = { SERVICE_METRICS_NAME_NORMALIZER: 'false' };
  for (const command of ['control-plane', 'local', 'playground'] as const) {
    const argv = [`-otlpMetricsURL=${url}`, '-metricsPushInterval=5s', '-disableConsumerGroupMetrics'];
    const parsed = parseCommandLine(command, argv, environment);
    assert.ok('value' in parsed, command);
    const { values } = parsed.value;
    assert.deepEqual(metricsPushSettings(values), {
      otlp: { url, headers: {} },
      dogstatsd: undefined,
      hasDottedNames: false,
      intervalMs: 5_000,
    });
    assert.deepEqual(clusterMetricsSettings(values), { includesGroups: false, withoutTags: ['partition'] });
  }
});
