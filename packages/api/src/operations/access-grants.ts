import * as z from 'zod';
import { emptyForNone, list, text, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';

/**
 * What a key or a role permits, and where. A key has a principal kind, a role the name of a grant; fields that do not
 * apply are empty. `*` stands for everything.
 */

const principalKinds = ['app', 'app_r', 'agent', 'agent_r', '*'] as const;
const resourceKinds = ['virtual_cluster', '*'] as const;
/** Each includes those after it. */
export const grantNames = ['admin', 'read_records', 'read_only'] as const;
/** With those of keys alone. */
const anyGrantNames = [...grantNames, 'read_audit_log'] as const;

const everything = z.literal('*');

const principalKind =
  'For a key: `app` and `app_r` for applications, `agent` and `agent_r` for agents, `*` for the account. `_r` is read-only.';
const resourceKind = 'For an agent key `virtual_cluster`, otherwise `*`.';
const resourceId = 'The cluster of an agent key, otherwise `*`.';
const grantName =
  'For a role: `admin`; `read_records` to see everything, records of topics too; or `read_only`, without records. For a key: `read_records`, `read_audit_log` or nothing.';

/** A grant of a new key. */
const keyGrant = z.strictObject({
  principal_kind: z.enum(principalKinds).describe(principalKind),
  resource_kind: z.enum(resourceKinds).describe(resourceKind),
  resource_id: z.union([everything, id('cluster')]).describe(resourceId),
  workspace_id: emptyForNone(z.union([everything, id('workspace')])).describe(
    'The workspace of an application key; by default, the oldest one that the caller can access. `*` for an account key.',
  ),
  managed_grant_name: emptyForNone(z.enum(anyGrantNames)).describe(
    'For a key of the kind `app_r`: `read_records` if it reads records of topics too, `read_audit_log` if it reads the audit log too. Otherwise empty.',
  ),
});

export const keyGrants = () => list(keyGrant, apiLimits.accessGrantsMax, 1);

/** A grant of a new or changed role. */
const roleGrant = z.strictObject({
  workspace_id: z
    .union([everything, id('workspace')])
    .describe('The workspace, or `*` for all, including future ones.'),
  managed_grant_name: z.enum(grantNames).describe(grantName),
  resource_id: emptyForNone(everything).describe('`*`: a role is for everything in its workspace.'),
  resource_kind: emptyForNone(everything).describe('Empty or `*` for a role.'),
  principal_kind: emptyForNone(everything).describe('Empty or `*` for a role.'),
});

export const roleGrants = () => list(roleGrant, apiLimits.accessGrantsMax);

const accessGrant = z
  .object({
    principal_kind: z.enum([...principalKinds, '']).describe(principalKind),
    resource_kind: z.enum([...resourceKinds, '']).describe(resourceKind),
    resource_id: text(apiLimits.apiUrlCharsMax).describe(resourceId),
    workspace_id: word(/^(?:\*|wi_[0-9a-f_]{36})?$/, 39, 'is not a workspace').describe(
      'The workspace, or `*` for all.',
    ),
    managed_grant_name: z.enum([...anyGrantNames, '']).describe(grantName),
  })
  .meta({ id: 'AccessGrant', description: 'What a key or a role may do, and where.' });

export const accessGrants = () => list(accessGrant, apiLimits.accessGrantsMax);
