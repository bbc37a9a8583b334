import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Role, resolveRoles } from './roles.ts';

test('roles come from -roles, and pipelines also from a flag of their own', () => {
  const cases: readonly [roles: readonly Role[], managed: boolean, expected: readonly Role[] | RegExp][] = [
    [['proxy', 'jobs'], false, ['proxy', 'jobs']],
    [['proxy-produce'], false, ['proxy-produce']],
    [['proxy-produce', 'proxy-consume'], false, ['proxy-produce', 'proxy-consume']],
    [['query'], false, ['query']],
    [['jobs', 'jobs'], false, ['jobs']],
    [['proxy', 'jobs'], true, ['proxy', 'jobs', 'pipelines']],
    [['pipelines'], false, ['pipelines']],
    [['proxy', 'pipelines'], true, ['proxy', 'pipelines']],
    [[], true, ['pipelines']],
    [[], false, /needs at least one role/],
  ];
  for (const [roles, enableManagedPipelines, expected] of cases) {
    const resolved = resolveRoles({ roles, enableManagedPipelines, disableQueryEngine: false });
    if (expected instanceof RegExp)
      assert.match('problem' in resolved ? resolved.problem.rule : '', expected);
    else assert.deepEqual(resolved, { value: expected });
  }
});

test('an agent for queries alone needs its query engine', () => {
  const cases: readonly [roles: readonly Role[], isAllowed: boolean][] = [
    [['query'], false],
    [['query', 'jobs'], true],
    [['proxy'], true],
  ];
  for (const [roles, isAllowed] of cases) {
    const resolved = resolveRoles({ roles, enableManagedPipelines: false, disableQueryEngine: true });
    assert.equal('value' in resolved, isAllowed, roles.join());
  }
});
