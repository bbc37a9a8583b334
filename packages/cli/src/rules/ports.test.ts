import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandName } from '../commands/catalogue.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { parseCommandLine } from '../flags/parse.ts';
import { checkPorts } from './ports.ts';

test('listeners that are open at the same time need different ports', () => {
  const cases: readonly [
    command: CommandName,
    changed: Partial<FlagValues>,
    clash: readonly FlagName[] | undefined,
  ][] = [
    ['agent', {}, undefined],
    ['local', {}, undefined],
    ['agent', { kafkaPort: 8080 }, ['kafkaPort', 'httpPort']],
    ['agent', { kafkaPort: 0, httpPort: 0 }, undefined],
    // An agent opens only the ports of its kind of cluster.
    ['agent', { schemaRegistryPort: 9092 }, undefined],
    ['agent', { schemaRegistryPort: 9092, defaultVirtualClusterID: 'vci_sr_1' }, undefined],
    [
      'agent',
      { schemaRegistryPort: 8080, defaultVirtualClusterID: 'vci_sr_1' },
      ['httpPort', 'schemaRegistryPort'],
    ],
    ['local', { schemaRegistryPort: 9092 }, ['kafkaPort', 'schemaRegistryPort']],
    // The default of a planned flag occupies no port.
    ['local', { schemaRegistryPort: 8081 }, undefined],
    ['demo', { httpPort: 8081 }, undefined],
    ['agent', { httpPort: 8443 }, undefined],
    ['agent', { httpPort: 8443, internalTLS: true }, ['httpPort', 'internalTLSPort']],
    ['playground', { consolePort: 8080 }, ['httpPort', 'consolePort']],
  ];
  for (const [command, changed, clash] of cases) {
    const defaults = parseCommandLine(command, [], {});
    assert.ok('value' in defaults);
    assert.deepEqual(checkPorts({ ...defaults.value.values, ...changed }, command)?.flags, clash);
  }
});
