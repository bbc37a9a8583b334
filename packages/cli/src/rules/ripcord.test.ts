import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRipcord } from './ripcord.ts';

test('ripcord works with Kafka clusters only', () => {
  const cases: readonly [enableRipcord: boolean, id: string | undefined, rule: RegExp | undefined][] = [
    [true, 'vci_1', undefined],
    [true, undefined, undefined],
    [true, 'vci_sr_1', /schema registry/],
    [true, 'vci_dl_1', /data lake/],
    [false, 'vci_sr_1', undefined],
    [false, 'vci_dl_1', undefined],
  ];
  for (const [enableRipcord, defaultVirtualClusterID, rule] of cases) {
    const violation = checkRipcord({ enableRipcord, defaultVirtualClusterID });
    if (rule === undefined) assert.equal(violation, undefined);
    else assert.match(violation?.rule ?? '', rule);
  }
});
