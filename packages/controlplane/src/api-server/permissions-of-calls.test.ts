import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { catalogue, type Operation, type OperationName, operations } from '@weir/api';
import fc from 'fast-check';
import { cookieOf, fakeHandlers, startTestApi, type TestApi } from '../../testing/api-server.ts';
import {
  accountGrant,
  agentGrant,
  appGrant,
  makeAccount,
  password,
  type TestAccount,
} from '../../testing/two-accounts.ts';
import type { KeyGrant, RoleGrant } from '../accounts/access/grants.ts';
import { type Actor, isAllowed } from '../accounts/access/permissions.ts';
import type { SomeHandlers } from '../operations/handler.ts';
import type { RateLimitSizes } from './rate-limits.ts';

/** Every operation, by every kind of caller, on every kind of object. */

const plenty = { burst: 1e9, perSecond: 1e9 };
const rateLimits: RateLimitSizes = {
  failuresPerPlace: plenty,
  failuresPerNameAtPlace: plenty,
  failuresPerName: plenty,
  unknownKeysPerPlace: plenty,
  callsPerCaller: plenty,
};

interface TestCaller {
  readonly actor: Actor;
  readonly headers: Record<string, string>;
}

/** Ids in a request: those of an existing account, or ids that never existed. */
interface Target {
  readonly workspace: string;
  readonly cluster: string;
  readonly user: string;
  readonly role: string;
  readonly key: string;
  readonly invitation: string;
  readonly session: string;
}

const fresh = (last: string) => `ffffffff_ffff_4fff_8fff_0000000000${last}`;
const missing: Target = {
  workspace: `wi_${fresh('01')}`,
  cluster: `vci_${fresh('02')}`,
  user: `ui_${fresh('03')}`,
  role: `pri_${fresh('04')}`,
  key: `aki_${fresh('05')}`,
  invitation: `ivi_${fresh('06')}`,
  session: `si_${fresh('07')}`,
};

const exampleUuid = '0f1e2d3c_4b5a_4968_8776_0000000000';
const exampleIds: Readonly<Record<keyof Target, string>> = {
  workspace: `wi_${exampleUuid}02`,
  cluster: `vci_${exampleUuid}06`,
  user: `ui_${exampleUuid}03`,
  role: `pri_${exampleUuid}04`,
  key: `aki_${exampleUuid}05`,
  invitation: `ivi_${exampleUuid}0b`,
  session: `si_${exampleUuid}0c`,
};

/** The example of the catalogue, with other objects. */
function inputAbout(operation: Operation, target: Target): Record<string, unknown> {
  let text = JSON.stringify(operation.example.input);
  for (const kind of Object.keys(exampleIds) as (keyof Target)[])
    text = text.replaceAll(exampleIds[kind], target[kind]);
  const input = JSON.parse(text) as Record<string, unknown>;
  if (operation.scope === 'workspace' && 'workspace_id' in operation.input.shape)
    input.workspace_id = target.workspace;
  return input;
}

interface World {
  readonly api: TestApi;
  readonly callers: Readonly<Record<string, TestCaller>>;
  readonly targets: Readonly<Record<'a' | 'b' | 'foreign' | 'missing', Target>>;
}

async function makeWorld(t: TestContext, handlers?: SomeHandlers): Promise<World> {
  const api = await startTestApi(t, { rateLimits, ...(handlers === undefined ? {} : { handlers }) });
  const ours = await makeAccount(api.accounts, 'Ours');
  const theirs = await makeAccount(api.accounts, 'Theirs');
  const targets = {
    a: await targetIn(api, ours, 'a'),
    b: await targetIn(api, ours, 'b'),
    foreign: await targetIn(api, theirs, 'a'),
    missing,
  };
  const keyed = async (name: string, ...grants: KeyGrant[]): Promise<TestCaller> => ({
    actor: { kind: 'api_key', id: name, accountId: ours.accountId, grants },
    headers: { 'service-api-key': await ours.key(name, ...grants) },
  });
  const federated = async (name: string, isReadOnly: boolean): Promise<TestCaller> => {
    const federation = await api.accounts.federations.create(ours.accountId, {
      clusterId: ours.a.clusterId,
      name,
      issuer: 'https://issuer.example',
      audience: 'weir',
      rules: [{ path: 'sub', value: name }],
      isReadOnly,
      lifetimeSeconds: 3600,
    });
    // As an agent key of the cluster, or a read-only one.
    const grants = [agentGrant(ours.a, isReadOnly ? 'agent_r' : 'agent')];
    return {
      actor: { kind: 'api_key', id: federation.id, accountId: ours.accountId, grants },
      headers: { 'service-api-key': api.tokenOf(federation) },
    };
  };
  const signed = async (name: string, ...grants: RoleGrant[]): Promise<TestCaller> => {
    const email = await ours.user(name, ...grants);
    const cookie = cookieOf(await api.call('sign_in', { body: { email, password } }));
    // The fake handlers do not sign in.
    const user = await api.accounts.users.findByEmail(email);
    const begun = await api.accounts.sessions.begin({ userId: user!.id, remoteAddress: '', userAgent: '' });
    return {
      actor: { kind: 'user', id: name, accountId: ours.accountId, grants },
      headers: { cookie: cookie || `service_session=${begun.token}`, origin: api.url },
    };
  };
  const [a, b] = [ours.a.id, ours.b.id];
  const callers = {
    anonymous: { actor: { kind: 'anonymous' } as const, headers: {} },
    app_a: await keyed('app_a', appGrant(a)),
    app_r_a: await keyed('app_r_a', appGrant(a, 'app_r')),
    app_records_a: await keyed('app_records_a', {
      ...appGrant(a, 'app_r'),
      managedGrantName: 'read_records',
    }),
    agent_a: await keyed('agent_a', agentGrant(ours.a)),
    agent_r_a: await keyed('agent_r_a', agentGrant(ours.a, 'agent_r')),
    token_a: await federated('token_a', false),
    token_r_a: await federated('token_r_a', true),
    account: await keyed('account', accountGrant),
    no_role: await signed('no_role'),
    admin_a: await signed('admin_a', { workspaceId: a, managedGrantName: 'admin' }),
    reader_a: await signed('reader_a', { workspaceId: a, managedGrantName: 'read_only' }),
    records_a: await signed('records_a', { workspaceId: a, managedGrantName: 'read_records' }),
    admin_a_reader_b: await signed(
      'admin_a_reader_b',
      { workspaceId: a, managedGrantName: 'admin' },
      { workspaceId: b, managedGrantName: 'read_only' },
    ),
    admin: await signed('admin', { workspaceId: '*', managedGrantName: 'admin' }),
    reader: await signed('reader', { workspaceId: '*', managedGrantName: 'read_only' }),
  } satisfies Record<string, TestCaller>;
  return { api, callers, targets };
}

async function targetIn({ accounts }: TestApi, account: TestAccount, place: 'a' | 'b'): Promise<Target> {
  const { accountId } = account;
  const { id: workspace, clusterId: cluster } = account[place];
  const name = `target_${place}`;
  const email = await account.user(name, { workspaceId: workspace, managedGrantName: 'read_only' });
  const user = (await accounts.users.findByEmail(email))!;
  const roles = await accounts.roles.list(accountId);
  const role = roles.find((one) => one.name === `role of ${name}`)!.id;
  const { key } = await accounts.keys.create(accountId, {
    name,
    grants: [appGrant(workspace)],
    createdBy: '',
  });
  const invited = [{ email: `${place}@invited.example`, roleId: role }];
  const [made] = await accounts.invitations.create(accountId, invited, '');
  const { session } = await accounts.sessions.begin({ userId: user.id, remoteAddress: '', userAgent: '' });
  return {
    workspace,
    cluster,
    user: user.id,
    role,
    key: key.id,
    invitation: made!.invitation.id,
    session: session.id,
  };
}

/** Whether catalogue and grants permit the call; `handler` if the input does not decide. */
function mayCall(operation: Operation<OperationName>, actor: Actor, target: Target, isOurs: boolean) {
  const { scope, access } = operation;
  if (actor.kind === 'anonymous') return scope === 'public';
  const { accountId } = actor;
  const place = { access, accountId, workspaceId: target.workspace, clusterId: target.cluster };
  switch (scope) {
    case 'public':
    case 'user':
      return true;
    case 'account':
      return isAllowed(actor, { ...place, scope });
    case 'cluster':
      return isOurs && isAllowed(actor, { ...place, scope });
    case 'workspace':
      if (!('workspace_id' in operation.input.shape) || operation.name === 'list_api_keys') return 'handler';
      return isOurs && isAllowed(actor, { ...place, scope });
  }
}

test('a handler is reached if and only if the grants permit it', async (t) => {
  const { api, callers, targets } = await makeWorld(t, fakeHandlers());
  for (const [turn, operation] of operations.entries()) {
    for (const [nth, [who, { actor, headers }]] of Object.entries(callers).entries()) {
      // Two targets of four in turn: every caller meets each of them at half of the operations.
      const isTurnOf = (_: unknown, at: number) => (turn + nth + at) % 2 === 0;
      for (const [what, target] of Object.entries(targets).filter(isTurnOf)) {
        const isOurs = what === 'a' || what === 'b';
        const may = mayCall(operation, actor, target, isOurs);
        if (may === 'handler') continue;
        const answer = await api.call(operation.name, { headers, body: inputAbout(operation, target) });
        const where = `${operation.name} by ${who} on ${what}: ${answer.text}`;
        if (may) assert.equal(answer.status, 200, where);
        else assert.ok([401, 403, 404].includes(answer.status), where);
        assert.equal(answer.status === 401, !may && actor.kind === 'anonymous', where);
      }
    }
  }
});

/** Callers without any permission in workspace `b`. */
const outsiders = [
  'anonymous',
  'app_a',
  'app_r_a',
  'app_records_a',
  'agent_a',
  'agent_r_a',
  'token_a',
  'token_r_a',
  'no_role',
  'admin_a',
  'reader_a',
  'records_a',
] as const;

test('objects of others are answered like objects that never existed', async (t) => {
  const { api, callers, targets } = await makeWorld(t);
  const before = [await stateOf(api, targets.foreign), await stateOf(api, targets.b)];
  for (const operation of operations) {
    const isHandlersMatter = operation.scope !== 'cluster' && api.isFake(operation.name);
    if (!isAboutAThing(operation) || isHandlersMatter) continue;
    for (const [who, { headers }] of Object.entries(callers)) {
      const call = async (target: Target) => {
        const body = inputAbout(operation, target);
        const { status, text } = await api.call(operation.name, { headers, body });
        return [status, text];
      };
      const never = await call(missing);
      assert.notEqual(never[0], 200, `${operation.name} by ${who}`);
      assert.deepEqual(await call(targets.foreign), never, `${operation.name} by ${who}`);
      if (outsiders.some((outsider) => outsider === who))
        assert.deepEqual(await call(targets.b), never, `${operation.name} by ${who}`);
    }
  }
  assert.deepEqual([await stateOf(api, targets.foreign), await stateOf(api, targets.b)], before);
});

/** Whether its input names an object that has to exist. */
function isAboutAThing(operation: Operation): boolean {
  const text = JSON.stringify(inputAbout(operation, missing));
  return text.includes('ffffffff_ffff');
}

test('a caller without permissions in a workspace changes nothing there and learns nothing about it', async (t) => {
  const { api, callers, targets } = await makeWorld(t);
  const secretIds = [...Object.values(targets.b), ...Object.values(targets.foreign)];
  const before = [await stateOf(api, targets.b), await stateOf(api, targets.foreign)];
  const name = fc.constantFrom(...operations.map((operation) => operation.name));
  const who = fc.constantFrom(...outsiders);
  const kinds = Object.keys(exampleIds) as (keyof Target)[];
  const place = fc.constantFrom('a', 'b', 'foreign', 'missing');
  /** Ids of several workspaces in one request. */
  const mixed = fc.record(Object.fromEntries(kinds.map((kind) => [kind, place]))) as fc.Arbitrary<
    Record<keyof Target, keyof World['targets']>
  >;
  await fc.assert(
    fc.asyncProperty(name, who, mixed, fc.boolean(), async (operationName, caller, places, isEverywhere) => {
      const entries = kinds.map((kind) => [kind, targets[places[kind]][kind]]);
      const target = Object.fromEntries(entries) as Target;
      const operation = catalogue[operationName];
      const { workspace_id, ...rest } = inputAbout(operation, target);
      // Lists without a workspace cover all that the caller can access.
      const isLeftOut = workspace_id === undefined || (isEverywhere && operation.scope === 'workspace');
      const body = isLeftOut ? rest : { ...rest, workspace_id };
      const { text } = await api.call(operationName, { headers: callers[caller]!.headers, body });
      const leaked = api.isFake(operationName) ? [] : secretIds.filter((id) => text.includes(id));
      assert.deepEqual(leaked, [], `${operationName} by ${caller}: ${text}`);
    }),
    { numRuns: 500 },
  );
  assert.deepEqual([await stateOf(api, targets.b), await stateOf(api, targets.foreign)], before);
});

/** The current objects of a target. */
async function stateOf({ accounts }: TestApi, { workspace, cluster, user, role, key }: Target) {
  const found = (await accounts.virtualClusters.find(cluster))!;
  const { accountId } = found;
  const { lastUsedMs: _, ...storedKey } = (await accounts.keys.get(accountId, key))!;
  return {
    cluster: found,
    workspace: await accounts.workspaces.get(accountId, workspace),
    clusters: await accounts.virtualClusters.list(accountId, workspace),
    deleted: await accounts.virtualClusters.listDeleted(accountId, workspace),
    pipelines: await accounts.pipelines.list(accountId, cluster),
    user: await accounts.users.get(accountId, user),
    grants: await accounts.users.grantsOf(user),
    sessions: await accounts.sessions.list(user),
    role: (await accounts.roles.list(accountId)).find(({ id }) => id === role),
    key: storedKey,
    keys: (await accounts.keys.list(accountId)).filter(({ grants }) =>
      grants.some(({ workspaceId }) => workspaceId === workspace || workspaceId === '*'),
    ).length,
    invitations: (await accounts.invitations.list(accountId)).filter(({ roleId }) => roleId === role),
  };
}
