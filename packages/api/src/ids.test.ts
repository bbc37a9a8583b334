import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  clusterIdOf,
  clusterTypeNames,
  clusterTypeOf,
  type IdKind,
  idKinds,
  idOf,
  isId,
  kindOfId,
  prefixed,
} from './ids.ts';

const kinds = Object.keys(idKinds) as IdKind[];
const uuid = '0f1e2d3c_4b5a_4968_8776_a594b3c2d1e0';

test('an id has a prefix for its kind', () => {
  const cases: [text: string, kind: IdKind | undefined][] = [
    [`wi_${uuid}`, 'workspace'],
    [`wif_${uuid}`, 'workloadIdentity'],
    [`vci_${uuid}`, 'cluster'],
    [`vci_sr_${uuid}`, 'cluster'],
    ['vci_local', 'cluster'],
    ['cci_shop.reader', 'credential'],
    [`ti_${uuid}`, 'account'],
    [`si_${uuid}`, 'session'],
    [`ssoi_${uuid}`, 'ssoConnection'],
    [`pi_${uuid}`, 'pipeline'],
    [`pci_${uuid}`, 'pipelineConfiguration'],
    [`evi_${uuid}`, 'eventView'],
    [`ali_${uuid}`, 'alert'],
    [`aci_${uuid}`, 'alertChannel'],
    [`pri_${uuid}`, 'userRole'],
    ['wi_local', undefined],
    [`wi_${uuid}0`, undefined],
    [`wi_${uuid.toUpperCase()}`, undefined],
    [`wi_${uuid.replaceAll('_', '-')}`, undefined],
    [` wi_${uuid}`, undefined],
    [`wi_${uuid}\n`, undefined],
    ['vci_', undefined],
    [`vci_${'x'.repeat(65)}`, undefined],
    ['', undefined],
  ];
  for (const [text, kind] of cases) assert.equal(kindOfId(text), kind, JSON.stringify(text));
});

test('a new id is recognised as its own kind only', () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.uuid(), (kind, fresh) => {
      const made = idOf(kind, fresh);
      assert.deepEqual(
        kinds.filter((other) => isId(other, made)),
        [kind],
      );
    }),
  );
});

test('the id of a cluster encodes its type', () => {
  fc.assert(
    fc.property(fc.constantFrom(...clusterTypeNames), fc.uuid(), (type, fresh) => {
      assert.equal(clusterTypeOf(clusterIdOf(type, fresh)), type);
    }),
  );
  assert.equal(clusterTypeOf(`wi_${uuid}`), undefined);
});

test('a missing prefix is added', () => {
  assert.equal(prefixed('akn_', 'shop'), 'akn_shop');
  assert.equal(prefixed('akn_', 'akn_shop'), 'akn_shop');
});
