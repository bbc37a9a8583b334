import assert from 'node:assert/strict';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type Clock, type Log, type LogFields, Metrics, silentLog, systemClock } from '@weir/core';
import { RegistryError, registryLimits } from '@weir/registry';
import {
  clientNames,
  fullAccess,
  type Principal,
  principalWithoutCredential,
  ServerCertificates,
} from '@weir/security';
import { type Permit, ScriptedAccess, TestCa } from '@weir/security/testing';
import { type Checks, listenAsRegistry, passwords, type Sent } from '../../testing/scripted-registry.ts';
import { gatewayLimits } from '../limits.ts';
import { registryRoutes } from './routes/route-table.ts';

test('paths find their methods, with subjects decoded and contexts resolved', async (t) => {
  const { ask, calls } = await listenAsRegistry(t);
  // request, call
  const cases = [
    ['GET /subjects/a%2Fb/versions/latest', 'version ["a/b","latest",{"deleted":false,"findTags":[]}]'],
    [
      'GET /subjects/../versions',
      'listVersions ["..",{"deleted":false,"deletedOnly":false,"deletedAsNegative":false}]',
    ],
    [
      'GET /subjects/%F0%9F%98%80%20/versions/-1/schema?deleted=TRUE',
      'versionText ["😀 ","-1",{"deleted":true}]',
    ],
    ['GET /schemas/ids/7/schema?format=serialized', 'schemaTextById [7,{"format":"serialized"}]'],
    ['GET /schemas/ids/7/?subject=s', 'schemaById [7,{"subject":"s","findTags":[],"fetchMaxId":false}]'],
    ['GET /config/', 'config [null,{"defaultToGlobal":false}]'],
    ['GET /config/s//', 'config ["s",{"defaultToGlobal":false}]'],
    ['GET /contexts/eu/config', 'config [":.eu:",{"defaultToGlobal":false}]'],
    ['GET /contexts/./config', 'config [null,{"defaultToGlobal":false}]'],
    ['GET /contexts/:.eu:/mode/s', 'mode [":.eu:s",{"defaultToGlobal":false}]'],
    ['DELETE /contexts/.eu/subjects/s?permanent=true', 'deleteSubject [":.eu:s",{"permanent":true}]'],
    ['DELETE /contexts/.eu/subjects/:.us:s', 'deleteSubject [":.us:s",{"permanent":false}]'],
    ['DELETE /contexts/.eu', 'deleteContext [".eu"]'],
    [
      'GET /contexts/eu/associations/subjects/s?associationType=key',
      'listAssociations [{"subject":":.eu:s"},{"associationTypes":["key"]}]',
    ],
    [
      'GET /associations/resources/lkc/orders',
      'listAssociations [{"resourceNamespace":"lkc","resourceName":"orders"},{"resourceType":"topic","associationTypes":[]}]',
    ],
    [
      'DELETE /associations/resources/id-1?cascadeLifecycle=true',
      'deleteAssociations ["id-1",{"cascadeLifecycle":true,"dryRun":false,"associationTypes":[]}]',
    ],
    [
      'PUT /contexts/eu/associations/resources/id-1?dryRun=true',
      'putAssociations ["id-1",{},{"context":".eu","dryRun":true}]',
      '{}',
    ],
    [
      'POST /contexts/eu/associations:batchMutate',
      'batchMutateAssociations [{},{"context":".eu","dryRun":false}]',
      '{}',
    ],
    [
      'POST /associations:batchGet?includeSchemas=true',
      'batchGetAssociations [{},{"includeSchemas":true}]',
      '{}',
    ],
    [
      'GET /contexts/eu/subjects',
      'listSubjects [{"subjectPrefix":":.eu:","deleted":false,"deletedOnly":false}]',
    ],
    [
      'GET /contexts/eu/schemas/ids/1/subjects?subject=s&limit=2',
      'subjectsOfId [1,{"limit":2,"subject":":.eu:s","deleted":false}]',
    ],
    [
      'GET /subjects/s/metadata?key=a&key=b&value=1&value=2',
      'latestWithMetadata ["s",{"deleted":false,"keys":["a","b"],"values":["1","2"]}]',
    ],
    ['PUT /exporters/x/pause', 'exporters.control ["x","pause",null]'],
    ['GET /contexts/eu/dek-registry/v1/keks/k/deks/s', 'keys.dek ["k",":.eu:s",null,{"deleted":false}]'],
    ['HEAD /schemas/types', 'schemaTypes []'],
  ] as const;
  for (const [line, call, body] of cases) {
    const [method, path] = line.split(' ') as [string, string];
    await ask(path, { method, ...(body === undefined ? {} : { body }) });
    assert.equal(calls.pop(), call, line);
  }
});

test('bodies reach the service as JSON, and answers are its JSON', async (t) => {
  const { ask, calls, answers } = await listenAsRegistry(t);
  answers.register = () => ({ id: 1 });
  answers.schemaTextById = () => '"string"';
  answers.deleteContext = () => undefined;
  const registered = await ask('/subjects/s/versions?normalize=true', {
    method: 'POST',
    body: '{"schema":"\\"string\\"","other":1}',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json; charset=utf-8' },
  });
  assert.deepEqual([registered.status, registered.text], [200, '{"id":1}']);
  assert.equal(registered.type, 'application/vnd.schemaregistry.v1+json');
  assert.equal(registered.headers['x-content-type-options'], 'nosniff');
  assert.equal(
    calls.pop(),
    'register ["s",{"schema":"\\"string\\"","other":1},{"normalize":true,"force":false}]',
  );
  assert.equal((await ask('/schemas/ids/1/schema')).text, '"string"');
  const removed = await ask('/contexts/eu', { method: 'DELETE' });
  assert.deepEqual([removed.status, removed.text], [204, '']);
  const head = await ask('/schemas/ids/1/schema', { method: 'HEAD' });
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '8']);
  const options = await ask('/subjects/s', { method: 'OPTIONS' });
  assert.deepEqual([options.status, options.headers.allow], [204, 'POST, DELETE, OPTIONS']);
});

test('the client chooses the type of the answer', async (t) => {
  const { ask } = await listenAsRegistry(t);
  const usual = 'application/vnd.schemaregistry.v1+json';
  // Accept, type
  const cases = [
    ['', usual],
    ['*/*', usual],
    ['application/*', usual],
    ['text/html, */*;q=0.1', usual],
    ['application/json', 'application/json'],
    ['application/vnd.schemaregistry+json', 'application/vnd.schemaregistry+json'],
    [`${usual}, application/vnd.schemaregistry+json, application/json`, usual],
    ['application/json, application/vnd.schemaregistry.v1+json;q=0.5', 'application/json'],
    ['application/json;q=0', undefined],
    ['text/html', undefined],
  ] as const;
  for (const [accept, type] of cases) {
    const answer = await ask('/', { headers: { accept } });
    if (type === undefined) assert.deepEqual([answer.status, answer.type], [406, usual], accept);
    else assert.equal(answer.type, type, accept);
  }
});

test('requests that no route takes', async (t) => {
  const { ask, calls } = await listenAsRegistry(t);
  const json = { 'content-type': 'application/json' };
  const deep = '['.repeat(65);
  const { registryRequestBytesMax } = registryLimits;
  const cases: [line: string, sent: Sent, status: number, message: RegExp][] = [
    ['GET /nothing', {}, 404, /404 Not Found/],
    ['GET /schemas/ids/abc', {}, 404, /404 Not Found/],
    ['GET /schemas/ids/99999999999', {}, 404, /404 Not Found/],
    ['GET /subjects//versions/1/x', {}, 404, /404/],
    ['PATCH /subjects', {}, 405, /allowed: GET, HEAD, OPTIONS/],
    ['GET /subjects/%E0%A4%A', {}, 400, /percent-encoded/],
    ['GET /subjects?offset=x', {}, 400, /offset must be an integer/],
    ['GET /subjects?limit=2147483648', {}, 400, /limit must be an integer/],
    ['POST /subjects/s', { headers: json }, 400, /needs a JSON body/],
    ['POST /subjects/s', { body: '{"schema', headers: json }, 400, /not JSON/],
    ['POST /subjects/s', { body: '\xff', headers: json }, 400, /not JSON/],
    ['POST /subjects/s', { body: deep, headers: json }, 400, /64 lists and objects/],
    ['POST /subjects/s', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
    [
      'POST /subjects/s',
      { body: 'x', headers: { ...json, 'content-encoding': 'gzip' } },
      415,
      /content-encoding/,
    ],
    [
      'POST /subjects/s',
      { body: 'x'.repeat(registryRequestBytesMax + 1), headers: json },
      413,
      /1048576 bytes/,
    ],
  ];
  for (const [line, sent, status, message] of cases) {
    const [method, path] = line.split(' ') as [string, string];
    const answer = await ask(path, { method, ...sent });
    const { error_code, message: given } = JSON.parse(answer.text) as { error_code: number; message: string };
    assert.deepEqual([answer.status, error_code], [status, status], line);
    assert.match(given, message, line);
  }
  assert.deepEqual(calls, []);
});

test('errors of the registry have its codes, and others no details', async (t) => {
  const { ask, answers } = await listenAsRegistry(t);
  answers.version = () => {
    throw new RegistryError('subjectNotFound', 'Subject "s" not found.');
  };
  answers.config = () => {
    throw new Error('secret detail');
  };
  const missing = await ask('/subjects/s/versions/1');
  assert.deepEqual(
    [missing.status, missing.text],
    [404, '{"error_code":40401,"message":"Subject \\"s\\" not found."}'],
  );
  const broken = await ask('/config');
  assert.deepEqual(
    [broken.status, broken.text],
    [500, '{"error_code":500,"message":"Internal server error."}'],
  );
});

test('a long list is sent in pieces', async (t) => {
  const { ask, answers } = await listenAsRegistry(t);
  const names = Array.from({ length: 20_000 }, (_, index) => `subject ${index}`);
  answers.listSubjects = () => names;
  const answer = await ask('/subjects');
  assert.deepEqual(JSON.parse(answer.text), names);
  assert.equal(answer.headers['transfer-encoding'], 'chunked');
  // One at a time, as far as the client reads.
  answers.listSchemas = () => names.values();
  assert.deepEqual(JSON.parse((await ask('/schemas')).text), names);
  answers.listSubjects = () => [];
  assert.equal((await ask('/subjects')).text, '[]');
});

test('credentials are checked whether or not they are required', async (t) => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  const users: string[] = [];
  const { ask, metrics } = await listenAsRegistry(t, { onPasswordLogin: ({ user }) => users.push(user) });
  const strict = await listenAsRegistry(t, {
    requiresLogin: true,
    checks: {
      passwords,
      checkToken: async (token) =>
        token === 'good'
          ? { subject: 'carol', expiresMs: 0, claims: {} as never }
          : { problem: 'bad', subject: undefined, isIssuerAway: token === 'away' },
    },
  });
  // headers, status if a login is not required, and if it is
  const cases: [headers: Record<string, string>, loose: number, strict: number][] = [
    [{}, 200, 401],
    [basic('ann:secret'), 200, 200],
    [basic('ann:guess'), 401, 401],
    [basic('ann'), 401, 401],
    [basic(':secret'), 401, 401],
    [basic('busy:secret'), 503, 503],
    [{ authorization: 'Bearer good' }, 401, 200],
    [{ authorization: 'Bearer bad' }, 401, 401],
    [{ authorization: 'Bearer away' }, 401, 503],
    [{ authorization: 'Digest x' }, 401, 401],
    [{ authorization: 'Basic' }, 401, 401],
  ];
  for (const [headers, loose, required] of cases) {
    const answers = [await ask('/', { headers }), await strict.ask('/', { headers })];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [loose, required],
      JSON.stringify(headers),
    );
    for (const { status, headers: given } of answers)
      assert.equal(given['www-authenticate'] !== undefined, status === 401);
  }
  assert.equal(
    (await strict.ask('/')).headers['www-authenticate'],
    'Basic realm="schema registry", charset="UTF-8", Bearer',
  );
  assert.equal((await strict.ask('/nothing')).status, 401, 'unknown paths need a login too');
  assert.deepEqual(users, ['ann']);
  assert.match(
    metrics.render(),
    /agent_schema_registry_authentication_counter\{method="basic",outcome="failure"\} 3/,
  );
});

const reader: Principal = { ...principalWithoutCredential('reader'), isReadOnly: true };

test('logins that wait to be checked keep no other request out', async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: allWait, resolve: onAllWait } = Promise.withResolvers<void>();
  const { registryRequestsMax } = gatewayLimits;
  let waiting = 0;
  const check: Checks['passwords']['check'] = async () => {
    if (++waiting === registryRequestsMax) onAllWait();
    await gate;
    return 'right';
  };
  const { ask } = await listenAsRegistry(t, { checks: { passwords: { check }, checkToken: undefined } });
  const guesses = Array.from({ length: registryRequestsMax }, (_, index) => {
    const authorization = `Basic ${Buffer.from(`user${index}:guess`).toString('base64')}`;
    return ask('/', { headers: { authorization } });
  });
  await allWait;
  assert.equal((await ask('/')).status, 200);
  open();
  for (const { status } of await Promise.all(guesses)) assert.equal(status, 200);
});

/** Requests with a body that only read. */
const readOnlyPosts: ReadonlySet<string> = new Set([
  'post_root',
  'look_up_schema',
  'check_compatibility',
  'check_compatibility_with_version',
  'batch_get_associations',
  'test_kek',
]);

test('a read-only credential reads, and changes nothing', async (t) => {
  const { ask, calls } = await listenAsRegistry(t, { accessOf: () => fullAccess(reader) });
  for (const row of registryRoutes) {
    const path = row.path.replace('{id}', '1').replaceAll(/\{\w+\}/g, 'x');
    const { status, text } = await ask(path, { method: row.method, body: '{}' });
    const line = `${row.method} ${row.path}`;
    const isReadOnly = row.method === 'GET' || readOnlyPosts.has(row.operation);
    assert.equal(status === 403, !isReadOnly, line);
    if (!isReadOnly)
      assert.equal(
        text,
        '{"error_code":40301,"message":"User:reader has a read-only credential and may only read."}',
      );
    else assert.ok(status < 300, line);
  }
  assert.deepEqual(
    calls.filter((call) => /^(register|put|delete|create|update|control)/.test(call)),
    [],
  );
});

test('every route needs the rights of its row', async (t) => {
  let access = new ScriptedAccess([]);
  const { ask, answers } = await listenAsRegistry(t, { accessOf: () => access });
  answers.subjectsOfId = () => ['orders', 'shop'];
  answers.idsOfGuid = () => [{ context: '.', id: 1 }];
  const ask403 = async (line: string, permits: readonly Permit[], body = '{}') => {
    access = new ScriptedAccess(permits, principalWithoutCredential('ann'));
    const [method, path] = line.split(' ') as [string, string];
    const { status } = await ask(path, { method, body });
    return status === 403 ? `403 ${access.denied.join()}` : 'served';
  };
  const references = '{"references":[{"name":"n","subject":"types","version":1}]}';
  // request, permits, outcome, body
  const cases: [line: string, permits: Permit[], outcome: string, body?: string][] = [
    ['GET /schemas/types', [], 'served'],
    ['GET /subjects/orders/versions/1', [], '403 READ SUBJECT orders'],
    ['GET /subjects/:.:orders/versions/1', ['READ SUBJECT orders'], 'served'],
    ['GET /contexts/eu/subjects/orders/versions/1', ['READ SUBJECT orders'], '403 READ SUBJECT :.eu:orders'],
    ['POST /subjects/orders/versions', ['READ SUBJECT orders'], '403 WRITE SUBJECT orders'],
    ['POST /subjects/orders/versions', ['WRITE SUBJECT orders'], 'served'],
    ['POST /subjects/orders/versions', ['WRITE SUBJECT orders'], '403 READ SUBJECT types', references],
    ['POST /subjects/orders/versions', ['WRITE SUBJECT orders', 'READ SUBJECT types'], 'served', references],
    [
      'POST /subjects/:.eu:orders/versions',
      ['WRITE SUBJECT :.eu:orders'],
      '403 READ SUBJECT :.eu:types',
      references,
    ],
    [
      'POST /subjects/:.eu:orders/versions',
      ['WRITE SUBJECT :.eu:orders', 'READ SUBJECT types'],
      '403 READ SUBJECT :.eu::.:types',
      references.replace('types', ':.:types'),
    ],
    ['DELETE /subjects/orders', ['WRITE SUBJECT orders'], '403 DELETE SUBJECT orders'],
    ['PUT /config/orders', ['ALTER_CONFIGS SUBJECT orders'], '403 READ SUBJECT shop', '{"alias":"shop"}'],
    ['PUT /config/orders', ['ALTER_CONFIGS SUBJECT orders'], 'served'],
    ['PUT /config', ['ALTER_CONFIGS SUBJECT orders'], '403 ALTER_CONFIGS REGISTRY schema-registry'],
    ['PUT /config/:.eu:', ['ALTER_CONFIGS SUBJECT :.eu:'], '403 ALTER_CONFIGS REGISTRY schema-registry'],
    ['PUT /mode/:.__GLOBAL:', ['ALTER_CONFIGS REGISTRY schema-registry'], 'served'],
    ['GET /schemas/ids/1', [], '403 READ SUBJECT orders'],
    ['GET /schemas/ids/1', ['READ SUBJECT shop'], 'served'],
    ['GET /schemas/guids/g', ['READ SUBJECT shop'], 'served'],
    ['GET /schemas/guids/g', ['READ SUBJECT other'], '403 READ SUBJECT orders'],
    ['GET /exporters', [], '403 DESCRIBE_CONFIGS REGISTRY schema-registry'],
    ['POST /exporters', ['READ SUBJECT orders'], '403 ALTER_CONFIGS REGISTRY schema-registry'],
    ['POST /exporters', ['ALTER_CONFIGS REGISTRY schema-registry'], 'served'],
    [
      'PUT /exporters/e/resume',
      ['WRITE REGISTRY schema-registry'],
      '403 ALTER_CONFIGS REGISTRY schema-registry',
    ],
    ['DELETE /exporters/e', [], '403 ALTER_CONFIGS REGISTRY schema-registry'],
    ['POST /dek-registry/v1/keks', ['WRITE REGISTRY schema-registry'], 'served'],
    [
      'POST /associations',
      ['WRITE SUBJECT orders'],
      'served',
      '{"associations":[{"schema":{"schema":"x"}}]}',
    ],
  ];
  for (const [line, permits, outcome, body] of cases)
    assert.equal(await ask403(line, permits, body), outcome, `${line} ${permits.join()}`);
});

test('schemas of associations refer to no others, on which the caller may have no right', async (t) => {
  const { ask } = await listenAsRegistry(t, {
    accessOf: () => new ScriptedAccess(['WRITE SUBJECT orders']),
  });
  for (const references of [[{ name: 'T', subject: 'types', version: 1 }], { length: 1 }, 'x']) {
    const body = JSON.stringify({ associations: [null, { schema: { schema: 'x', references } }] });
    const { status } = await ask('/associations', { method: 'POST', body });
    assert.equal(status, 403, body);
    const batch = `{"requests":[null,${body}]}`;
    assert.equal((await ask('/associations:batchMutate', { method: 'POST', body: batch })).status, 403);
  }
});

test('a batch of associations is answered with 207, and deletes only with the right to', async (t) => {
  const { ask, answers } = await listenAsRegistry(t, {
    accessOf: () => new ScriptedAccess(['WRITE SUBJECT a', 'DELETE SUBJECT b']),
  });
  type Query = Record<'isAllowed' | 'isDeletable', (subject: string) => boolean>;
  answers.batchMutateAssociations = (_body, query) => ({
    results: [...'abc'].map((name) => [(query as Query).isAllowed(name), (query as Query).isDeletable(name)]),
  });
  const { status, text } = await ask('/associations:batchMutate', { method: 'POST', body: '{}' });
  assert.equal(status, 207);
  assert.equal(text, '{"results":[[true,false],[false,true],[false,false]]}');
});

test('a denial does not name subjects that the caller may not see', async (t) => {
  const { ask, answers } = await listenAsRegistry(t, { accessOf: () => new ScriptedAccess([]) });
  answers.subjectsOfId = () => ['payroll'];
  const { status, text } = await ask('/schemas/ids/1');
  assert.equal(status, 403);
  assert.doesNotMatch(text, /payroll/);
});

test('lists leave out what the caller may not see', async (t) => {
  const permits: Permit[] = ['b', 'd', 'e', 'h'].map((name): Permit => `DESCRIBE SUBJECT ${name}`);
  const { ask, answers } = await listenAsRegistry(t, { accessOf: () => new ScriptedAccess(permits) });
  // The registry leaves them out before it counts pages.
  const visible = (query: unknown) =>
    [...'abcdefgh'].filter((query as { isAllowed: (subject: string) => boolean }).isAllowed);
  answers.listSubjects = visible;
  answers.subjectsOfId = (_id, query) => visible(query);
  answers.versionsOfId = (_id, query) => visible(query);
  const shown = '["b","d","e","h"]';
  for (const path of ['/subjects', '/schemas/ids/1/subjects', '/schemas/ids/1/versions'])
    assert.equal((await ask(path)).text, shown, path);
});

test('work is done for a principal, or for an address without one', async (t) => {
  const { ask, callers } = await listenAsRegistry(t);
  await ask('/subjects');
  await ask('/subjects', {
    headers: { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` },
  });
  assert.deepEqual(
    callers.map(({ client }) => client),
    ['127.0.0.1', 'User:ann'],
  );
});

test('work ends with its request: when the answer is too late, and when the client has gone', async (t) => {
  const late: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      if (delayMs !== gatewayLimits.registryRequestMsMax) return systemClock.after(delayMs, run);
      late.push(run);
      return () => {};
    },
  };
  const { ask, answers, callers, listener } = await listenAsRegistry(t, { clock });
  let onCall = () => {};
  answers.version = () => {
    onCall();
    return new Promise(() => {});
  };
  const called = () => new Promise<void>((resolve) => (onCall = resolve));
  const first = called();
  const answer = ask('/subjects/s/versions/1');
  await first;
  assert.equal(callers[0]!.signal!.aborted, false);
  late[0]!();
  assert.equal(callers[0]!.signal!.aborted, true);
  assert.match((await answer).text, /"error_code":50002,"message":"No response within 30000 ms."/);
  const second = called();
  const socket = connect(listener.port, '127.0.0.1');
  socket.write('GET /subjects/s/versions/1 HTTP/1.1\r\nhost: a\r\n\r\n');
  await second;
  const { signal } = callers[1]!;
  const aborted = new Promise<void>((resolve) => signal!.addEventListener('abort', () => resolve()));
  socket.destroy();
  await aborted;
});

test('requests are logged without their queries, and counted', async (t) => {
  const lines: LogFields[] = [];
  const log: Log = { ...silentLog, info: (_, fields = {}) => void lines.push(fields) };
  const { ask, metrics } = await listenAsRegistry(t, { logsRequests: true, log });
  await ask('/subjects/a/metadata?key=k&value=secret', {
    headers: { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` },
  });
  await ask('/subjects', { method: 'PATCH' });
  assert.deepEqual(
    lines.map(({ durationMs, ...fields }) => [typeof durationMs, fields]),
    [
      [
        'number',
        {
          method: 'GET',
          path: '/subjects/a/metadata',
          operation: 'get_latest_with_metadata',
          status: 204,
          principal: 'User:ann',
        },
      ],
      [
        'number',
        {
          method: 'PATCH',
          path: '/subjects',
          operation: 'unknown',
          status: 405,
          principal: 'User:ANONYMOUS',
        },
      ],
    ],
  );
  const text = metrics.render();
  assert.match(
    text,
    /schema_registry_request_outcome\{schema_registry_operation="get_latest_with_metadata",outcome="success"\} 1/,
  );
  assert.match(text, /request_outcome\{schema_registry_operation="unknown",outcome="client_error"\} 1/);
});

test('input that is no request ends the connection with an answer', async (t) => {
  const { listener } = await listenAsRegistry(t);
  const raw = async (text: string) => {
    const socket = connect(listener.port, '127.0.0.1');
    socket.end(text);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer.split('\r\n', 1)[0];
  };
  assert.equal(await raw('nonsense\r\n\r\n'), 'HTTP/1.1 400 Bad Request');
  assert.equal(await raw('GET / HTTP/1.1\r\n\r\n'), 'HTTP/1.1 400 Bad Request');
  assert.equal(
    await raw('GET * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
    'HTTP/1.1 400 Bad Request',
  );
  assert.equal(
    await raw('GET http://a/schemas/types HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
    'HTTP/1.1 204 No Content',
  );
});

test('over TLS a certificate names the caller', async (t) => {
  const ca = await TestCa.create();
  const server = await ca.issueServer({});
  const alice = await ca.issue({ subject: 'CN=alice' });
  const stranger = await (await TestCa.create('CN=Other')).issue({ subject: 'CN=mallory' });
  const certificates = await ServerCertificates.load({
    source: {
      name: 'the test',
      intervalMs: 60_000,
      read: async () => ({ ...server, authorities: ca.certificate }),
    },
    profile: 'golang-default',
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => certificates.close());
  const seen: string[] = [];
  const { listener } = await listenAsRegistry(t, {
    requiresLogin: true,
    tls: {
      certificates,
      clientCertificates: 'requested',
      nameOf: clientNames({ rules: [{ kind: 'default' }], takesSpiffeIds: false }),
    },
    accessOf: ({ session }) => {
      seen.push(session.principal.name);
      return fullAccess(session.principal);
    },
  });
  const ask = (client?: { certificate: string; privateKey: string }) =>
    new Promise<string>((resolve) => {
      const own = client === undefined ? {} : { cert: client.certificate, key: client.privateKey };
      httpsRequest(
        { host: '127.0.0.1', port: listener.port, path: '/', ca: ca.certificate, agent: false, ...own },
        (response) => {
          response.resume();
          resolve(`${response.statusCode} ${response.headers['strict-transport-security']}`);
        },
      )
        .on('error', () => resolve('refused'))
        .end();
    });
  assert.equal(await ask(alice), '200 max-age=31536000');
  assert.deepEqual(seen, ['User:CN=alice']);
  assert.equal(await ask(), '401 max-age=31536000');
  assert.equal(await ask(stranger), 'refused');
});

test('every route has a name of its own', () => {
  const names = registryRoutes.map(({ operation }) => operation);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

for (const requiresLogin of [false, true])
  test(`web pages of other hosts are refused ${requiresLogin ? 'also with logins' : 'without logins'}`, async (t) => {
    const ownNames = { names: ['agent-1.example'], isLoopbackOnly: false };
    const { ask, calls } = await listenAsRegistry(t, { requiresLogin, ownNames });
    const authorization = `Basic ${btoa('ann:secret')}`;
    const page = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
    const open = requiresLogin ? 401 : 204;
    // headers, status
    const cases: readonly [Readonly<Record<string, string>>, number][] = [
      [{ host: 'localhost:9094', origin: 'http://pages.example' }, 403],
      [{ host: 'localhost:9094', origin: 'null' }, 403],
      [{ host: 'localhost:9094', origin: 'http://pages.example', authorization }, 403],
      [{ host: 'pages.example:9094', origin: 'http://pages.example:9094' }, 403],
      [{ host: 'pages.example:9094', ...page }, 403],
      [{ host: 'pages.example:9094', ...page, authorization }, 204],
      [{ host: 'registry.example:9094' }, open],
      [{ host: 'agent-1.example', ...page }, open],
      [{ host: 'localhost:9094', origin: 'http://localhost:9094' }, open],
      [{ host: 'registry.example', authorization }, 204],
    ];
    for (const [headers, status] of cases) {
      for (const sent of [{ headers }, { method: 'DELETE', headers }]) {
        const answer = await ask('/subjects/s/versions/1', sent);
        assert.equal(answer.status, status, JSON.stringify(sent));
        assert.equal(calls.splice(0).length, status === 204 ? 1 : 0, 'nothing is read or changed');
      }
    }
  });
