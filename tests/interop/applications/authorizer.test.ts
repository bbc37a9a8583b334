import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Acl, type NeededOperation, operationsOfResource } from '@weir/core';
import fc from 'fast-check';
import { AclIndex } from '../../../packages/cluster/src/acls/acl-index.ts';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';

/**
 * Compares Weir's ACL decisions with those of Apache's StandardAuthorizer, 4.3.1.
 *
 * Names are few and short, so that ACLs overlap with each other and with the questions. The prefix `*` is excluded: in
 * Apache it matches names that begin with `*`, in Weir none.
 */
const skip = missingTool();
const lifetime = lastFirst({ after });
const java = skip ? undefined! : openApplications(lifetime);

const names = ['a', 'ab', 'abc', 'b', 'ba', 'kafka-cluster'];
const users = ['User:ann', 'User:bob', 'User:Bob'];
const hosts = ['10.0.0.1', '10.0.0.2'];
const types = ['TOPIC', 'GROUP', 'CLUSTER', 'TRANSACTIONAL_ID'] as const;
const operations = [
  ...new Set(types.flatMap((type): readonly NeededOperation[] => operationsOfResource[type])),
];

const rule: fc.Arbitrary<Acl> = fc
  .record({
    resourceType: fc.constantFrom(...types),
    resourceName: fc.constantFrom(...names, '*'),
    patternType: fc.constantFrom('LITERAL' as const, 'PREFIXED' as const),
    principal: fc.constantFrom(...users, 'User:*'),
    host: fc.constantFrom(...hosts, '*', '*'),
    operation: fc.constantFrom('ALL' as const, ...operations),
    permission: fc.constantFrom('ALLOW' as const, 'ALLOW' as const, 'DENY' as const),
  })
  .filter(({ patternType, resourceName }) => patternType === 'LITERAL' || resourceName !== '*');

/**
 * READ implies DESCRIBE, but Apache ignores that when it checks access to any resource of a type. In practice that
 * check is only used with WRITE.
 */
const impliedOperations: ReadonlySet<NeededOperation> = new Set(['DESCRIBE', 'DESCRIBE_CONFIGS']);

/** All combinations of user, host, operation and resource; each set of ACLs is checked against all of them. */
const questions = users.flatMap((user) =>
  hosts.flatMap((host) =>
    types.flatMap((type) =>
      operationsOfResource[type].flatMap((operation) => [
        ...names.map((name) => [user, host, operation, type, name] as const),
        // Without a name: whether the user has access to any resource of the type.
        ...(impliedOperations.has(operation) ? [] : [[user, host, operation, type] as const]),
      ]),
    ),
  ),
);

test('every decision is the one of the StandardAuthorizer', { skip, timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(rule, { maxLength: 12, selector: (acl) => Object.values(acl).join(' ') }),
      async (acls) => {
        const index = AclIndex.of(acls);
        const theirs = await java.ask<readonly boolean[]>('authorize', { acls, questions });
        for (const [position, [user, host, operation, resourceType, resourceName]] of questions.entries()) {
          const ours =
            resourceName === undefined
              ? index.allowsOnSome({ principals: [user], host, operation, resourceType })
              : index.decide({ principals: [user], host, operation, resourceType, resourceName }).isAllowed;
          assert.equal(
            ours,
            theirs[position],
            `${user} from ${host}: ${operation} ${resourceType} ${resourceName ?? 'of any name'}`,
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});
