import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueText } from '@weir/broker/testing';
import { jsonLog, seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { type EventRecord, type EventTypeName, eventEnvelope } from '@weir/events';
import { emittingLog } from './emitting-log.ts';
import { createEmitter } from './event-emitter.ts';
import { emitTableLine } from './table-lines.ts';

function world(
  wanted: readonly EventTypeName[] = ['agent_logs', 'pipeline_logs', 'orbit_logs', 'tableflow_logs'],
) {
  const clock = new HandClock(Date.UTC(2026, 10, 15));
  const events: EventRecord[] = [];
  const named: { clusterName: string | undefined } = { clusterName: undefined };
  const counts = { refused: 0 };
  const emitter = createEmitter({
    agent: {
      agentId: 'a-1',
      hostname: 'machine.test',
      clusterId: 'vci_1',
      clusterName: () => named.clusterName,
    },
    events: { isOn: (type) => wanted.includes(type) },
    processor: {
      submit: (_type, event) => events.push(eventEnvelope.parse(JSON.parse(valueText(event)))),
      refuse: () => void counts.refused++,
    },
    clock,
    random: seededRandom(1),
  });
  return { events, emitter, named, counts };
}

const common = {
  agent_id: 'a-1',
  hostname_fqdn: 'machine.test',
  virtual_cluster_id: 'vci_1',
  virtual_cluster_name: 'vci_1',
};

test('an event names its emitter and its time', () => {
  const { events, emitter } = world();
  emitter.emit('agent_logs', { message: 'now', left_out: undefined });
  emitter.emit('agent_logs', { message: 'then' }, { timeMs: 0 });
  assert.deepEqual(
    events.map(({ source, time, data }) => ({ source, time, data })),
    [
      { source: 'ws:agent:vci_1:a-1', time: '2026-11-15T00:00:00.000Z', data: { message: 'now', ...common } },
      {
        source: 'ws:agent:vci_1:a-1',
        time: '1970-01-01T00:00:00.000Z',
        data: { message: 'then', ...common },
      },
    ],
  );
  assert.notEqual(events[0]!.id, events[1]!.id);
});

test('events of types that are off are not even serialized', () => {
  const { events, emitter } = world(['acl_logs']);
  const throwing = new Proxy({}, { ownKeys: () => assert.fail('the data was read') });
  emitter.emit('agent_logs', throwing);
  assert.deepEqual(events, []);
});

test('data that is not JSON is counted, and other events are written', () => {
  const { events, emitter, counts } = world();
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  for (const data of [{ n: 1 }, endless, { n: 2 }]) emitter.emit('agent_logs', data as never);
  assert.deepEqual(
    events.map(({ data }) => data.n),
    [1, 2],
  );
  assert.equal(counts.refused, 1);
});

test('after a rename of the cluster, the next events carry the new name', () => {
  const { events, emitter, named } = world();
  for (const name of [undefined, 'orders', 'payments']) {
    named.clusterName = name;
    emitter.emit('agent_logs', { message: 'm' });
  }
  assert.deepEqual(
    events.map(({ data }) => data.virtual_cluster_name),
    ['vci_1', 'orders', 'payments'],
  );
});

test('log lines except debug are events, at any level of the log itself', () => {
  const { events, emitter } = world();
  const lines: string[] = [];
  const log = emittingLog(
    jsonLog({ level: 'warn', nowMs: () => 0, write: (line) => lines.push(line) }),
    emitter,
  );
  log.debug('no event');
  log.info('an event and no line', { bytes: 3 });
  log.with({ module: 'store' }).with({ bucket: 'b' }).error('both', { status: null });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'error',
        message: 'both',
        module: 'store',
        bucket: 'b',
        status: null,
      },
    ],
  );
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      { module: 'agent', bytes: 3, log_level: 'info', message: 'an event and no line', ...common },
      { module: 'store', bucket: 'b', status: null, log_level: 'error', message: 'both', ...common },
    ],
  );
});

test('an event of a table names its pipeline, and what a record says does not replace that', () => {
  const { events, emitter } = world();
  const line = {
    tableName: 'shop__orders',
    tableUuid: 'u',
    type: 'record_ingestion_failed',
    level: 'warn',
    message: 'decode: bad',
    fields: { offset: 7, table_name: 'another' },
  } as const;
  const deps = { plainLog: silentLog, emitter };
  emitTableLine(deps, { ...line, pipeline: { id: 'pi_1', name: 'shop' } });
  emitTableLine(deps, { ...line, type: 'table_deleted', fields: {}, pipeline: undefined });
  const named = { module: 'tables', table_name: 'shop__orders', table_uuid: 'u', ...common };
  const said = { log_level: 'warn', message: 'decode: bad' };
  assert.deepEqual(
    events.map(({ data }) => data),
    [
      { ...named, ...said, type: line.type, offset: 7, pipeline_name: 'shop', pipeline_id: 'pi_1' },
      { ...named, ...said, type: 'table_deleted' },
    ],
  );
});
