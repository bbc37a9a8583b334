import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { parseCommandLine } from '../flags/parse.ts';
import { checkProcesses, portOf, processCount } from './processes.ts';

test('auto is one process per core, and a number is that number', () => {
  assert.equal(processCount('auto', 8), 8);
  assert.equal(processCount('auto', 1), 1);
  assert.equal(processCount(3, 8), 3);
});

test('every process has the next port, unless the port is 0', () => {
  assert.deepEqual(
    [0, 1, 2].map((index) => portOf(9092, index)),
    [9092, 9093, 9094],
  );
  assert.equal(portOf(0, 2), 0);
});

test('the ports of all processes are valid and differ', () => {
  const cases: readonly [
    changed: Partial<FlagValues>,
    cores: number,
    clash: readonly FlagName[] | undefined,
  ][] = [
    [{}, 16, undefined],
    [{ processes: 'auto' }, 16, undefined],
    [{ processes: 'auto', kafkaPort: 8081 }, 1, undefined],
    [{ processes: 'auto', kafkaPort: 8081 }, 2, ['kafkaPort', 'httpPort', 'processes']],
    [{ processes: 2, kafkaPort: 8078 }, 16, undefined],
    [{ processes: 3, kafkaPort: 8078 }, 16, ['kafkaPort', 'httpPort', 'processes']],
    [{ processes: 1024, kafkaPort: 0, httpPort: 0 }, 1, undefined],
    [{ processes: 2, kafkaPort: 65_534 }, 1, undefined],
    [{ processes: 3, kafkaPort: 65_534 }, 1, ['kafkaPort', 'processes']],
  ];
  const defaults = parseCommandLine('agent', [], {});
  assert.ok('value' in defaults);
  for (const [changed, cores, clash] of cases) {
    const found = checkProcesses({ ...defaults.value.values, ...changed }, cores);
    assert.deepEqual(found?.flags, clash, JSON.stringify(changed));
  }
});
