import { forbidden, missing, type Rule } from './rule.ts';

export const quotaToolsRule: Rule = {
  statement:
    'alter-quotas needs -quota, and -quota-user, -quota-client-id or both, or -quota-ip alone. describe-quotas shows all quotas that have ' +
    'the given names, and without names all.',
  flags: ['quota', 'quota-user', 'quota-client-id', 'quota-ip'],
  commands: ['cli describe-quotas', 'cli alter-quotas'],
  check(values, command) {
    const hasClient = values['quota-user'] !== undefined || values['quota-client-id'] !== undefined;
    const hasIp = values['quota-ip'] !== undefined;
    if (hasClient && hasIp)
      return forbidden(['quota-ip'], 'an IP address has quotas by itself, not with a user or client id')
        .problem;
    if (command !== 'cli alter-quotas') return undefined;
    if (values.quota === undefined) return missing(['quota'], 'is required').problem;
    if (!hasClient && !hasIp)
      return missing(['quota-user'], 'is required, or -quota-client-id or -quota-ip').problem;
    return undefined;
  },
};
