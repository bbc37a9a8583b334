import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { grantOf, keyKinds, lossOf, scopeOf } from './key-grants.ts';

const { key: _, ...shown } = catalogue.create_api_key.example.output;
const workspaceId = shown.access_grants[0]!.workspace_id;
const clusterId = shown.access_grants[0]!.resource_id;

test('the grant of every kind is one that the API accepts, and is read back as that kind', () => {
  const names = {
    workspaces: new Map([[workspaceId, 'Default']]),
    clusters: new Map([[clusterId, 'shop']]),
  };
  const places = {
    app: 'Default',
    app_r: 'Default',
    app_records: 'Default',
    app_audit: 'Default',
    agent: 'shop',
    agent_r: 'shop',
    '*': 'all workspaces',
  };
  for (const [kind, label] of keyKinds) {
    const grant = grantOf({ kind, workspaceId, clusterId });
    const input = catalogue.create_api_key.input.safeParse({ name: 'one', access_grants: [grant] });
    assert.ok(input.success, kind);
    const asked = { workspace_id: '', managed_grant_name: '' as const, ...grant } as const;
    assert.equal(scopeOf({ access_grants: [asked as never] }, names), `${label} · ${places[kind]}`);
  }
});

test('what a deletion breaks', () => {
  const ago = () => '3 min ago';
  const unused = lossOf({ ...shown, key_hint: 'cdef', last_used_at: null }, ago).join(' ');
  assert.match(unused, /Never used.*Agents.*cannot be undone/);
  const used = { ...shown, access_grants: [], key_hint: 'cdef', last_used_at: '2026-01-31T12:00:00Z' };
  assert.match(lossOf(used, ago).join(' '), /Last used 3 min ago. Programs that use it are refused/);
});
