import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { workspaceKeyHeader, workspaceOfKeyHeader } from './authentication.ts';
import { idOf } from './ids.ts';

test('the header of a workspace is recognised in every spelling that proxies produce', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const workspaceId = idOf('workspace', uuid);
      const header = workspaceKeyHeader(workspaceId);
      for (const spelling of [header, header.toUpperCase(), header.replaceAll('_', '-')]) {
        assert.equal(workspaceOfKeyHeader(spelling), workspaceId, spelling);
      }
    }),
  );
});

test('other headers name no workspace', () => {
  const uuid = '0f1e2d3c_4b5a_4968_8776_a594b3c2d1e0';
  const others = [
    'service-api-key',
    'service-api-key-',
    'service-api-key-wi_',
    `service-api-key-vci_${uuid}`,
    `service-api-key-wi_${uuid}-1`,
    `x-service-api-key-wi_${uuid}`,
    `service-api-keywi_${uuid}`,
  ];
  for (const header of others) assert.equal(workspaceOfKeyHeader(header), undefined, header);
});
