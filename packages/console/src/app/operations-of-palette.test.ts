import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@weir/api';
import { curlOf, isForPeople, whyNot } from './operations-of-palette.ts';

const reader = {
  is_account_admin: false,
  workspaces: [
    {
      id: 'wi_1',
      name: 'Shop',
      grant: 'read_only' as const,
      may_read_audit_log: false,
      virtual_clusters: [{ id: 'vci_1', name: 'vcn_a', type: 'byoc' as const }],
    },
  ],
};
const recordsReader = {
  is_account_admin: false,
  workspaces: reader.workspaces.map((workspace) => ({ ...workspace, grant: 'read_records' as const })),
};
const admin = {
  is_account_admin: true,
  workspaces: reader.workspaces.map((workspace) => ({ ...workspace, grant: 'admin' as const })),
};
const find = (name: string) => operations.find((operation) => operation.name === name)!;

test('an operation that a person may not call says which right is missing, and who gives it', () => {
  const cases: readonly (readonly [
    string,
    string | undefined,
    Parameters<typeof whyNot>[1]['context'],
    RegExp,
  ])[] = [
    ['create_workspace', undefined, reader, /all workspaces; ask an account administrator/],
    ['create_workspace', undefined, admin, /^$/],
    ['create_topic', undefined, admin, /Open a cluster/],
    ['create_topic', 'vci_1', admin, /^$/],
    ['create_topic', 'vci_1', reader, /workspace Shop/],
    ['list_topics', 'vci_1', reader, /^$/],
    ['read_records', 'vci_1', reader, /role Records reader in workspace Shop/],
    ['read_records', 'vci_1', recordsReader, /^$/],
    ['create_topic', 'vci_1', recordsReader, /admin role in workspace Shop/],
    ['create_api_key', undefined, reader, /in a workspace/],
  ];
  for (const [name, clusterId, context, wanted] of cases)
    assert.match(whyNot(find(name), { context, clusterId }) ?? '', wanted, name);
});

test('a command has the ids of the place, and a quote ends no word of it', () => {
  const text = curlOf(find('create_topic'), { origin: 'http://c', clusterId: "vci_'1" });
  assert.match(text, /^curl -s http:\/\/c\/api\/v1\/create_topic -H "service-api-key: \$WEIR_API_KEY"/);
  assert.match(text, /vci_'\\''1/);
});

test('operations for people', () => {
  const names: readonly string[] = operations.filter(isForPeople).map(({ name }) => name);
  assert.ok(names.includes('create_topic'));
  for (const name of ['sign_in', 'setup', 'create_api_key_v2']) assert.ok(!names.includes(name), name);
});
