import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { type Apis, errors, type RequestOf } from '@weir/wire';
import { runLine } from '../../testing/command-run.ts';

type Script = NonNullable<FakeKafkaOptions['script']>;

interface StoredAcl {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly patternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

type Filter = RequestOf<Apis['DescribeAcls']>;

const any = 1;

function matches(acl: StoredAcl, filter: Filter): boolean {
  return (
    [any, acl.resourceType].includes(filter.resourceTypeFilter) &&
    [null, acl.resourceName].includes(filter.resourceNameFilter) &&
    [any, acl.patternType].includes(filter.patternTypeFilter) &&
    [null, acl.principal].includes(filter.principalFilter) &&
    [null, acl.host].includes(filter.hostFilter) &&
    [any, acl.operation].includes(filter.operation) &&
    [any, acl.permissionType].includes(filter.permissionType)
  );
}

/** A cluster that stores ACLs, and rejects those about bob. */
async function cluster(t: TestContext, script: Script = {}) {
  let stored: StoredAcl[] = [];
  const fake = await FakeKafka.start({
    script: {
      CreateAcls: ({ creations }) => ({
        throttleTimeMs: 0,
        results: creations.map(({ resourcePatternType: patternType, ...acl }) => {
          if (acl.principal === 'User:bob') {
            return { errorCode: errors.INVALID_REQUEST.code, errorMessage: 'No rules for bob.' };
          }
          stored.push({ patternType, ...acl });
          return { errorCode: 0, errorMessage: null };
        }),
      }),
      DescribeAcls: (filter) => ({
        throttleTimeMs: 0,
        errorCode: 0,
        errorMessage: null,
        resources: stored
          .filter((acl) => matches(acl, filter))
          .map(({ resourceType, resourceName, patternType, ...acl }) => ({
            resourceType,
            resourceName,
            patternType,
            acls: [acl],
          })),
      }),
      DeleteAcls: ({ filters }) => ({
        throttleTimeMs: 0,
        filterResults: filters.map((filter) => {
          const matchingAcls = stored.filter((acl) => matches(acl, filter));
          stored = stored.filter((acl) => !matchingAcls.includes(acl));
          const responses = matchingAcls.map((acl) => ({ errorCode: 0, errorMessage: null, ...acl }));
          return { errorCode: 0, errorMessage: null, matchingAcls: responses };
        }),
      }),
      ...script,
    },
  });
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return { fake, weir: (line: string) => runLine(`cli ${line} ${at}`) };
}

const lines = (...rows: readonly string[]) => rows.map((row) => `${row}\n`).join('');

test('ACLs are created, shown and deleted', async (t) => {
  const { weir } = await cluster(t);
  const made = await weir(
    'create-acls -resource-type TOPIC -resource-name orders -principal User:alice -operation READ,WRITE',
  );
  assert.deepEqual(made, {
    status: 0,
    out: lines(
      'RESOURCE  NAME    PATTERN  PRINCIPAL   HOST  OPERATION  PERMISSION',
      'TOPIC     orders  LITERAL  User:alice  *     READ       ALLOW',
      'TOPIC     orders  LITERAL  User:alice  *     WRITE      ALLOW',
    ),
    err: '',
  });
  // A distinguished name contains commas.
  await weir(
    'create-acls -resource-type GROUP -resource-name team- -pattern-type PREFIXED ' +
      '-principal User:CN=carol,O=weir,User:* -operation READ -permission DENY -host 10.0.0.7',
  );
  await weir('create-acls -resource-type CLUSTER -principal User:alice -operation DESCRIBE');

  assert.equal(
    (await weir('describe-acls')).out,
    lines(
      'RESOURCE  NAME           PATTERN   PRINCIPAL             HOST      OPERATION  PERMISSION',
      'CLUSTER   kafka-cluster  LITERAL   User:alice            *         DESCRIBE   ALLOW',
      'GROUP     team-          PREFIXED  User:*                10.0.0.7  READ       DENY',
      'GROUP     team-          PREFIXED  User:CN=carol,O=weir  10.0.0.7  READ       DENY',
      'TOPIC     orders         LITERAL   User:alice            *         READ       ALLOW',
      'TOPIC     orders         LITERAL   User:alice            *         WRITE      ALLOW',
    ),
  );
  const deleted = await weir('delete-acls -resource-type TOPIC -principal User:alice');
  assert.match(deleted.out, /orders .* READ .*\n.*orders .* WRITE .*\ndeleted 2 ACLs\n$/);
  assert.deepEqual(JSON.parse((await weir('describe-acls -resource-type CLUSTER -output json')).out), [
    {
      resourceType: 'CLUSTER',
      resourceName: 'kafka-cluster',
      patternType: 'LITERAL',
      principal: 'User:alice',
      host: '*',
      operation: 'DESCRIBE',
      permission: 'ALLOW',
    },
  ]);
  assert.match((await weir('delete-acls -confirm-delete-all-acls')).out, /\ndeleted 3 ACLs\n$/);
  assert.equal((await weir('delete-acls -confirm-delete-all-acls -output json')).out, '[]\n');
});

test('every field filters, and a missing field matches any value', async (t) => {
  const seen: unknown[] = [];
  const { weir } = await cluster(t, {
    DescribeAcls(filter) {
      seen.push(Object.values(filter));
      return { throttleTimeMs: 0, errorCode: 0, errorMessage: null, resources: [] };
    },
  });
  // type, name, pattern, principal, host, operation, permission
  const cases: readonly [flags: string, ...filters: readonly unknown[][]][] = [
    ['', [1, null, 1, null, null, 1, 1]],
    ['-resource-type ANY -pattern-type ANY', [1, null, 1, null, null, 1, 1]],
    ['-resource-type TRANSACTIONAL_ID -permission DENY', [5, null, 1, null, null, 1, 2]],
    ['-resource-name a -pattern-type MATCH', [1, 'a', 2, null, null, 1, 1]],
    ['-resource-name a -pattern-type PREFIXED -host h', [1, 'a', 4, null, 'h', 1, 1]],
    ['-principal User:a -operation ALL', [1, null, 1, 'User:a', null, 2, 1]],
    ['-operation READ,WRITE', [1, null, 1, null, null, 3, 1], [1, null, 1, null, null, 4, 1]],
  ];
  for (const [flags, ...filters] of cases) {
    seen.length = 0;
    assert.equal((await weir(`describe-acls ${flags}`)).status, 0);
    assert.deepEqual(seen, filters, flags);
  }
});

test('a rejected ACL does not prevent the others', async (t) => {
  const { weir } = await cluster(t);
  const { status, out, err } = await weir(
    'create-acls -resource-type TOPIC -resource-name t -principal User:bob,User:alice -operation READ',
  );
  assert.equal(status, 1);
  assert.match(out, /User:alice/);
  assert.doesNotMatch(out, /User:bob/);
  assert.equal(
    err,
    'weir cli create-acls: ALLOW User:bob to READ TOPIC t: INVALID_REQUEST: No rules for bob.\n',
  );
});

test('a request that a broker rejects as a whole is reported', async (t) => {
  const code = errors.CLUSTER_AUTHORIZATION_FAILED.code;
  const { weir } = await cluster(t, {
    DescribeAcls: () => ({ throttleTimeMs: 0, errorCode: code, errorMessage: null, resources: [] }),
    DeleteAcls: () => ({
      throttleTimeMs: 0,
      filterResults: [{ errorCode: code, errorMessage: null, matchingAcls: [] }],
    }),
  });
  for (const tool of ['describe-acls', 'delete-acls -host h']) {
    const { status, err } = await weir(tool);
    assert.equal(status, 1, tool);
    assert.match(err, /: ACLs: CLUSTER_AUTHORIZATION_FAILED: /);
  }
});

test('a deletion whose answer is lost is not retried', async (t) => {
  const { fake, weir } = await cluster(t, { DeleteAcls: () => 'hang up' });
  const { status, err } = await weir('delete-acls -host h');
  assert.equal(status, 1);
  assert.match(err, /ACLs may have been deleted: check with weir cli describe-acls\n$/);
  assert.equal(fake.count('DeleteAcls'), 1);
});

test('values that this client does not know are shown by their numbers', async (t) => {
  const acl = { principal: 'User:a', host: '*', operation: 99, permissionType: 3 };
  const { weir } = await cluster(t, {
    DescribeAcls: () => ({
      throttleTimeMs: 0,
      errorCode: 0,
      errorMessage: null,
      resources: [{ resourceType: 42, resourceName: 'n', patternType: 3, acls: [acl] }],
    }),
  });
  assert.match((await weir('describe-acls')).out, /UNKNOWN \(42\) .* UNKNOWN \(99\) +ALLOW\n$/);
});

test('flags that make no ACL and filters that match everything are rejected', async () => {
  const whole = '-resource-type TOPIC -resource-name t -principal User:a -operation READ';
  const cases: readonly [line: string, err: string][] = [
    ['create-acls', '-resource-type is required'],
    ['create-acls -resource-type TOPIC', '-resource-name is required'],
    ['create-acls -resource-type CLUSTER', '-principal is required'],
    ['create-acls -resource-type CLUSTER -principal User:a', '-operation is required'],
    ['create-acls -resource-type ANY', '-resource-type=ANY: a new ACL needs one resource type'],
    [`create-acls ${whole} -pattern-type MATCH`, '-pattern-type=MATCH: a new ACL is LITERAL or PREFIXED'],
    [
      'create-acls -resource-type CLUSTER -resource-name mine',
      '-resource-name=mine: the name of the cluster is kafka-cluster',
    ],
    ['create-acls -principal alice', '-principal=alice: item 1: User: and a name is allowed'],
    ['describe-acls -pattern-type MATCH', '-pattern-type=MATCH: needs -resource-name'],
    ...['', ' -resource-type ANY', ' -pattern-type ANY', ' -operation='].map(
      (flags) =>
        [
          `delete-acls${flags}`,
          '-confirm-delete-all-acls=false (the default): without a filter all ACLs would be deleted; set a filter, or confirm with this flag',
        ] as [string, string],
    ),
  ];
  for (const [line, err] of cases) {
    const result = await runLine(`cli ${line}`);
    assert.equal(result.status, 2, line);
    assert.equal(result.err, `weir cli ${line.split(' ')[0]}: ${err}\n`, line);
  }
});
